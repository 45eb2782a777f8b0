#include "commands.h"

#include "armature/actuator/seek_profile.h"
#include "armature/app/scenario.h"
#include "armature/app/simulation.h"
#include "armature/cli/status.h"
#include "armature/core/output_file.h"
#include "armature/media/geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace armature::app {
namespace {

/// `armature seek FILE`: one seek of a drive in the normal and the quiet mode: phases, power and energy on both rails.
class SeekCommand {
 public:
  explicit SeekCommand(const cli::Command& program);

  /// Throws InputError for a file that is no drive with a coil and an energy account, and a distance beyond its stroke.
  int run() const;

 private:
  std::string file_;
  std::uint32_t distance_ = 0;  ///< cylinders; 0: the full stroke
  cli::Option of_distance_;
  std::vector<std::string> sets_;
  std::string svg_;
};

using actuator::CoilMove;
using actuator::SeekMode;
using actuator::SeekPhase;
using Rails = std::array<double, power::kRails>;  // W, or J: 5 V, 12 V

constexpr std::size_t k5 = 0, k12 = 1;

/// One seek for a read: from the start of the arm to the end of its settling.
struct Seek {
  const char* mode;
  Ps time;
  CoilMove move;
  std::array<Rails, actuator::kSeekPhases> base;  ///< of the drive without what accelerates the arm, by phase
  std::size_t coil_rail;

  Ps ends(std::size_t phase) const {
    return phase + 1 < actuator::kSeekPhases ? move.begins(static_cast<SeekPhase>(phase + 1)) : time;
  }
  double seconds(std::size_t phase) const {
    return to_seconds(ends(phase) - move.begins(static_cast<SeekPhase>(phase)));
  }
  std::size_t phase_at(Ps after) const {
    std::size_t phase = 0;
    while (phase + 1 < actuator::kSeekPhases && after >= ends(phase)) ++phase;
    return phase;
  }
  Rails watts_at(Ps after) const {
    Rails watts = base[phase_at(after)];
    if (after < move.begins(SeekPhase::settle)) watts[coil_rail] += move.watts_at(to_seconds(after));
    return watts;
  }
  Rails joules() const {
    Rails sum{};
    for (std::size_t phase = 0; phase < actuator::kSeekPhases; ++phase) {
      for (std::size_t rail = 0; rail < power::kRails; ++rail) sum[rail] += base[phase][rail] * seconds(phase);
      sum[coil_rail] += move.joules(static_cast<SeekPhase>(phase));
    }
    return sum;
  }
};

/// What the drive draws in a phase of a seek of arm 0 for a read, as its energy account has it, but for the coil's
/// level: the stacks turn, the other arms hold their tracks, the controller is active.
Rails base_of(const power::PowerTable& table, const char* phase) {
  const auto state_of = [phase](const std::string& path) -> std::string {
    if (path.rfind("disk.spn", 0) == 0) return "at_speed";
    if (path == "disk.srv0") return phase;
    if (path.rfind("disk.srv", 0) == 0) return "hold";
    return path == "disk.soc.pmu" ? "active" : "";
  };
  Rails watts{};
  for (const power::ComponentPower& component : table.components)
    for (const power::StatePower& state : component.states)
      if (state.state == state_of(component.path))
        for (const power::Load& load : state.loads)
          watts[static_cast<std::size_t>(load.rail)] += power::to_watts(load.steps.front().power);
  return watts;
}

double peak_of(const Seek& seek) {
  constexpr Ps kLooks = 2'000;
  double most = 0;
  for (Ps i = 0; i < kLooks; ++i) {
    const Rails watts = seek.watts_at(seek.time * i / kLooks);
    most = std::max(most, watts[k5] + watts[k12]);
  }
  return most;
}

void print(const std::vector<Seek>& seeks) {
  fmt::print(
      "mode\ttime_ms\taccelerate_ms\tcoast_ms\tdecelerate_ms\tsettle_ms\tacceleration_m_s2\tvelocity_m_s\tpeak_w\t"
      "coil_mj\t12v_mj\t5v_mj\ttotal_mj\n");
  for (const Seek& seek : seeks) {
    const Rails joules = seek.joules();
    double coil = 0;
    for (std::size_t phase = 0; phase < actuator::kSeekPhases; ++phase)
      coil += seek.move.joules(static_cast<SeekPhase>(phase));
    fmt::print("{}\t{:.4f}", seek.mode, to_ms(seek.time));
    for (std::size_t phase = 0; phase < actuator::kSeekPhases; ++phase)
      fmt::print("\t{:.4f}", seek.seconds(phase) * 1e3);
    fmt::print("\t{:.2f}\t{:.4f}\t{:.4f}\t{:.4f}\t{:.4f}\t{:.4f}\t{:.4f}\n", seek.move.motion().acceleration_m_s2,
               seek.move.motion().velocity_m_s, peak_of(seek), coil * 1e3, joules[k12] * 1e3, joules[k5] * 1e3,
               (joules[k5] + joules[k12]) * 1e3);
  }
}

/// Power on both rails over time: a panel for each seek, on the same scales.
std::string picture(const std::vector<Seek>& seeks, std::uint32_t distance) {
  constexpr double kWidth = 900, kLeft = 60, kRight = 870, kPanel = 260, kHeight = 190, kTop = 70;
  constexpr int kPoints = 1'200;
  constexpr std::array<const char*, power::kRails> kColours = {"#2e86c1", "#c0392b"};
  double most = 0;
  Ps longest = 0;
  for (const Seek& seek : seeks) {
    most = std::max(most, peak_of(seek));
    longest = std::max(longest, seek.time);
  }
  const double watts = most * 1.1, ms = to_ms(longest);
  const auto x = [&](Ps after) { return kLeft + to_ms(after) / ms * (kRight - kLeft); };
  const auto text = [](double at_x, double at_y, const std::string& what, const char* anchor, int size) {
    return fmt::format("<text x='{:.1f}' y='{:.1f}' font-size='{}' text-anchor='{}'>{}</text>\n", at_x, at_y, size,
                       anchor, what);
  };
  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {} {}' font-family='sans-serif' fill='#222'>\n"
      "<rect width='100%' height='100%' fill='white'/>\n",
      kWidth, kTop + kPanel * static_cast<double>(seeks.size()) + 20);
  svg += text(kLeft, 28, fmt::format("Power in a seek over {} cylinders", distance), "start", 18);
  for (std::size_t rail = 0; rail < power::kRails; ++rail)
    svg += fmt::format("<rect x='{}' y='42' width='14' height='10' fill='{}'/>\n",
                       kLeft + 90.0 * static_cast<double>(rail), kColours[rail]) +
           text(kLeft + 20 + 90.0 * static_cast<double>(rail), 52, rail == k5 ? "5 V" : "12 V", "start", 13);
  double top = kTop;
  for (const Seek& seek : seeks) {
    const auto y = [&](double w) { return top + kHeight - w / watts * kHeight; };
    svg += fmt::format("<path d='M{} {} V{} H{}' fill='none' stroke='#222'/>\n", kLeft, top, top + kHeight, kRight);
    for (int mark = 0; mark <= static_cast<int>(watts); mark += 5)
      svg += text(kLeft - 6, y(mark) + 4, fmt::format("{} W", mark), "end", 11);
    for (int mark = 0; mark <= static_cast<int>(ms); mark += 2)
      svg += text(x(from_ms(mark)), top + kHeight + 15, fmt::format("{} ms", mark), "middle", 11);
    for (std::size_t phase = 0; phase < actuator::kSeekPhases; ++phase) {
      const Ps begin = seek.move.begins(static_cast<SeekPhase>(phase)), end = seek.ends(phase);
      if (end <= begin) continue;
      svg +=
          fmt::format("<path d='M{:.1f} {} V{}' stroke='#aaa' stroke-dasharray='3 3'/>\n", x(end), top, top + kHeight);
      if (x(end) - x(begin) > 50)
        svg += text((x(begin) + x(end)) / 2, top + 12, actuator::kSeekPhaseNames[phase], "middle", 12);
    }
    for (std::size_t rail = 0; rail < power::kRails; ++rail) {
      std::string path;
      for (int i = 0; i < kPoints; ++i) {
        const Ps after = seek.time * i / kPoints;
        path += fmt::format("{}{:.1f} {:.1f} ", i == 0 ? "M" : "L", x(after), y(seek.watts_at(after)[rail]));
      }
      svg += fmt::format("<path d='{}' fill='none' stroke='{}' stroke-width='1.6'/>\n", path, kColours[rail]);
    }
    svg += text(kRight, top - 6,
                fmt::format("{}: {:.2f} ms, peak {:.1f} W", seek.mode, to_ms(seek.time), peak_of(seek)), "end", 13);
    top += kPanel;
  }
  return svg + "</svg>\n";
}

}  // namespace

SeekCommand::SeekCommand(const cli::Command& program) {
  const cli::Command seek =
      program
          .add_command("seek",
                       "one seek of a drive, normal and quiet: phases, power, energy (docs/guide/quiet-seeks.md)")
          .runs([this] { return run(); });
  seek.add_option("FILE", file_, "the drive file (.toml)").required();
  of_distance_ =
      seek.add_option("--distance", distance_, "cylinders, 1 or more; otherwise the full stroke").type_name("N");
  seek.add_option("--set", sets_, "override a key of the drive file: --set seek.coil.driver=linear")
      .one_at_a_time()
      .type_name("KEY=VALUE");
  seek.add_option("--svg", svg_, "a picture: power on both rails over time").type_name("FILE");
}

int SeekCommand::run() const {
  const DriveSetup setup = load_drive(file_, sets_);
  check_drive(setup);
  if (setup.store) throw InputError(beginning_of(file_), "describes a MEMS store; its seeks: armature mems seek FILE");
  const media::Geometry geometry(setup.drive.layout());
  const actuator::SeekProfile profile(setup.drive.seek, setup.drive.seek_cylinders(geometry));
  if (!profile.has_coil()) throw InputError(beginning_of(file_), "seek.coil: the file does not say what moves the arm");
  if (!setup.power.given()) throw InputError(beginning_of(file_), "power.idle_w: the drive has no energy account");
  const std::uint32_t stroke = geometry.cylinders() - 1, distance = distance_ == 0 ? stroke : distance_;
  if (distance_ == 0 && of_distance_.given()) throw InputError("--distance 0: the arm stays; 1 or more is expected");
  if (distance > stroke) throw InputError(fmt::format("--distance {}: the stroke is {} cylinders", distance, stroke));
  const power::PowerTable table = setup.power.table(power_structure(setup));
  std::vector<Seek> seeks;
  for (const SeekMode mode : {SeekMode::normal, SeekMode::quiet}) {
    if (mode == SeekMode::quiet && !profile.has_quiet()) continue;
    const Ps time = profile.seek(distance, mode);
    Seek seek{mode == SeekMode::normal ? "normal" : "quiet",
              time,
              *profile.coil_move(distance, time, mode),
              {},
              setup.drive.seek.coil.supply == actuator::CoilParams::from_12v ? k12 : k5};
    for (std::size_t phase = 0; phase < actuator::kSeekPhases; ++phase)
      seek.base[phase] = base_of(table, actuator::kSeekPhaseNames[phase]);
    seeks.push_back(seek);
  }
  print(seeks);
  if (!svg_.empty()) write_output_file(svg_, picture(seeks, distance));
  return kOk;
}

void add_seek(const cli::Command& program) {
  program.add<SeekCommand>();
}

}  // namespace armature::app
