#include "tables.h"

#include "armature/core/config.h"
#include "armature/core/error.h"
#include "armature/core/input_file.h"
#include "armature/core/random.h"
#include "armature/core/units.h"
#include "armature/mems/background.h"
#include "armature/mems/equivalence.h"
#include "armature/mems/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <numeric>

namespace armature::mems_commands {
namespace {

using mems::Layout;
using mems::MemsParams;
using mems::Moments;
using mems::Positioning;
using mems::SledModel;
using mems::SledState;

double ms(Ps t) {
  return static_cast<double>(t) / static_cast<double>(kPsPerMs);
}
double us(double ps) {
  return ps / static_cast<double>(kPsPerUs);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

template <class Number>
bool whole(std::string_view text, Number& number) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && stop == text.data() + text.size();
}

bool speed(std::string_view text, const Layout& layout, std::int64_t& nm_s) {
  if (text == "rest") {
    nm_s = 0;
  } else if (text == "up") {
    nm_s = layout.access_nm_s();
  } else if (text == "down") {
    nm_s = -layout.access_nm_s();
  } else {
    return whole(text, nm_s);
  }
  return true;
}

/// A CSV table by the names of its columns.
class Csv {
 public:
  explicit Csv(const std::string& path) : path_((require_regular_file(path), path)), stream_(path) {
    std::string line;
    if (!stream_ || !std::getline(stream_, line)) throw InputError(Place{path}, "cannot be read, or is empty");
    header_ = trimmed(line);
    for (const std::string_view name : split(header_, ',')) columns_.emplace(name, columns_.size());
  }

  bool has(std::string_view column) const { return columns_.count(column) > 0; }
  bool next() {
    while (std::getline(stream_, text_)) {
      ++line_;
      text_ = trimmed(text_);
      if (text_.empty()) continue;
      cells_ = split(text_, ',');
      if (cells_.size() != columns_.size())
        throw InputError(Place{path_, line_},
                         fmt::format("{} columns are expected, not {}", columns_.size(), cells_.size()));
      return true;
    }
    return false;
  }
  double number(std::string_view column, double otherwise) const {
    const auto found = columns_.find(column);
    if (found == columns_.end()) return otherwise;
    const std::string cell(cells_[found->second]);
    char* end = nullptr;
    const double value = std::strtod(cell.c_str(), &end);
    if (cell.empty() || *end != '\0' || !std::isfinite(value))
      throw InputError(Place{path_, line_}, fmt::format("{}: a number is expected, not \"{}\"", column, cell));
    return value;
  }
  Place place() const { return {path_, line_}; }

 private:
  static std::string trimmed(const std::string& line) { return line.substr(0, line.find_last_not_of("\r \t") + 1); }

  std::string path_;
  std::ifstream stream_;
  std::string header_, text_;
  std::map<std::string, std::size_t, std::less<>> columns_;
  std::vector<std::string_view> cells_;
  std::size_t line_ = 1;
};

void check_reach(const SledState& state, const Layout& layout, std::string_view what, const Place& place = {}) {
  if (std::abs(state.x) > layout.reach_x() || state.y < layout.low_y() || state.y > layout.high_y())
    throw InputError(place, fmt::format("{}: {},{} is out of the sled's reach, which is {} bits in X to either side of "
                                        "the middle, and {} to {} in Y",
                                        what, state.x, state.y, layout.reach_x(), layout.low_y(), layout.high_y()));
}

struct Difference {
  double mean = 0, largest = 0, percent = 0;  // microseconds, and the mean of the times' shares
};

/// Of two models over a grid of targets, at rest.
Difference difference(const MemsParams& first, const MemsParams& second, bool from_corner, std::int64_t points) {
  const Layout layout(first);
  const SledModel a(first), b(second);
  const SledState from = from_corner ? SledState{-layout.reach_x(), -layout.reach_y(), 0} : SledState{};
  const auto at = [points](std::int64_t i, std::int32_t reach) {
    return static_cast<std::int32_t>(-reach + 2 * reach * i / (points - 1));
  };
  Difference result;
  std::int64_t counted = 0;
  for (std::int64_t i = 0; i < points; ++i)
    for (std::int64_t j = 0; j < points; ++j) {
      const SledState to{at(i, layout.reach_x()), at(j, layout.reach_y()), 0};
      const double one = static_cast<double>(a.time(from, to).total());
      const double other = static_cast<double>(b.time(from, to).total());
      if (one == 0 && other == 0) continue;
      ++counted;
      result.mean += us(std::abs(one - other));
      result.largest = std::max(result.largest, us(std::abs(one - other)));
      result.percent += 100 * std::abs(one - other) / other;
    }
  result.mean /= static_cast<double>(counted);
  result.percent /= static_cast<double>(counted);
  return result;
}

}  // namespace

SledState sled_state(std::string_view text, std::string_view option, const Layout& layout) {
  const std::vector<std::string_view> parts = split(text, ',');
  SledState state;
  if (parts.size() < 2 || parts.size() > 3 || !whole(parts[0], state.x) || !whole(parts[1], state.y) ||
      (parts.size() == 3 && !speed(parts[2], layout, state.y_speed_nm_s)))
    throw InputError(
        fmt::format("{} {}: X,Y or X,Y,SPEED is expected, in bits from the middle, the speed up, down, "
                    "rest or nm/s: {}=-1250,0,up",
                    option, text, option));
  check_reach(state, layout, option);
  return state;
}

std::string seek_header() {
  return "seek_ms\tx_seek_ms\ty_seek_ms\tturnaround_ms\tturnarounds\n";
}

std::string seek_row(const Positioning& time) {
  return fmt::format("{:.6f}\t{:.6f}\t{:.6f}\t{:.6f}\t{}\n", ms(time.total()), ms(time.x), ms(time.y),
                     ms(time.turnaround), time.turnarounds);
}

std::string seek_list(const std::string& path, const MemsParams& params) {
  const Layout layout(params);
  Csv csv(path);
  for (const char* const column : {"start_x_bit", "start_y_bit", "end_x_bit", "end_y_bit"})
    if (!csv.has(column)) throw InputError(Place{path, 1}, fmt::format("there is no column {}", column));
  std::string out =
      "spring_factor\tstart_x_bit\tstart_y_bit\tstart_y_vel\tend_x_bit\tend_y_bit\tend_y_vel\t" + seek_header();
  std::map<double, SledModel> models;
  while (csv.next()) {
    const double factor = csv.number("spring_factor", params.sled.spring_factor);
    if (factor < 0 || factor > 0.99)
      throw InputError(csv.place(), fmt::format("spring_factor: {} is not between 0 and 0.99", factor));
    MemsParams changed = params;
    changed.sled.spring_factor = factor;
    const SledModel& model = models.try_emplace(factor, changed).first->second;
    const auto state = [&csv](const std::string& end) {
      // Held within what whole numbers hold; the sled's reach is far less.
      const auto bits = [&](const char* axis) {
        return static_cast<std::int32_t>(std::clamp(csv.number(end + axis, 0), -1e9, 1e9));
      };
      return SledState{bits("_x_bit"), bits("_y_bit"),
                       static_cast<std::int64_t>(std::clamp(csv.number(end + "_y_vel", 0), -1e15, 1e15))};
    };
    const SledState from = state("start"), to = state("end");
    check_reach(from, layout, "start", csv.place());
    check_reach(to, layout, "end", csv.place());
    out += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t", factor, from.x, from.y, from.y_speed_nm_s, to.x, to.y,
                       to.y_speed_nm_s) +
           seek_row(model.time(from, to));
  }
  return out;
}

namespace {

/// MB/s of a stream over the cylinder in the middle and to the next one: row after row, each read upwards, or in the
/// direction in which its track's rows follow each other if the tips read both ways.
double rate_of_a_stream(const MemsParams& params, const Layout& layout, const SledModel& model) {
  const std::uint32_t cylinder = layout.cylinders() / 2;
  const std::uint64_t first = cylinder * layout.blocks_per_cylinder();
  const std::uint64_t rows = std::uint64_t{layout.rows()} * layout.tracks();
  const auto pass_at = [&](std::uint64_t row) {
    const mems::BlockPlace place = layout.locate((first + row * layout.cells()) % layout.blocks_per_sled());
    const bool down = params.tips.bidirectional && layout.reversed(place.cylinder, place.track);
    return down ? layout.downwards(place) : layout.upwards(place);
  };
  Ps time = 0;
  for (std::uint64_t row = 0; row < rows; ++row) {
    const mems::Pass pass = pass_at(row), next = pass_at(row + 1);
    time += model.pass_time(layout.row_bits());
    if (pass.end != next.begin) time += model.time(pass.end, next.begin).total();
  }
  return 512e-6 * static_cast<double>(layout.blocks_per_cylinder()) / to_seconds(time);
}

}  // namespace

std::string layout_table(const MemsParams& params) {
  const Layout layout(params);
  const SledModel model(params);
  const std::int32_t high = layout.upwards(layout.locate((layout.rows() - 1) * layout.cells())).end.y;
  const Ps pass = model.pass_time(static_cast<std::int32_t>(layout.rows()) * layout.row_bits());
  const Ps across = model.pass_time(layout.range_y());
  const double tips = layout.active_tips();
  std::string out = "quantity\tvalue\tunit\n";
  const auto row = [&out](const char* name, const std::string& value, const char* unit) {
    out += fmt::format("{}\t{}\t{}\n", name, value, unit);
  };
  row("bit", fmt::format("{}", params.sled.bit_nm), "nm");
  row("acceleration", fmt::format("{:.6f}", model.x_axis().acceleration / 9.80665), "gn");
  row("rate_of_a_tip", fmt::format("{}", params.sled.access_kb_s), "kb/s");
  row("tips", std::to_string(params.tips.usable * params.sled.count), "");
  row("bidirectional", params.tips.bidirectional ? "1" : "0", "");
  row("blocks", std::to_string(layout.blocks()), "sectors");
  row("capacity", fmt::format("{:.6f}", 512e-9 * static_cast<double>(layout.blocks())), "GB");
  // A tip sector's bits are those of its share of 512 bytes, encoded.
  const double bytes_per_bit = 512.0 / static_cast<double>(params.tips.per_block * params.tips.sector_bits);
  const double area_bits = static_cast<double>(layout.cylinders()) * layout.range_y();
  row("capacity_without_servo",
      fmt::format("{:.6f}",
                  static_cast<double>(params.tips.usable * params.sled.count) * area_bits * bytes_per_bit * 1e-9),
      "GB");
  row("cylinders", std::to_string(layout.cylinders()), "");
  row("tracks_per_cylinder", std::to_string(layout.tracks()), "");
  row("rows_per_track", std::to_string(layout.rows()), "");
  row("blocks_per_row", std::to_string(layout.cells()), "sectors");
  row("blocks_per_track", std::to_string(layout.blocks_per_track()), "sectors");
  row("blocks_per_cylinder", std::to_string(layout.blocks_per_cylinder()), "sectors");
  row("tip_sectors_per_track", std::to_string(std::uint64_t{layout.rows()} * layout.active_tips()), "");
  row("active_tips", std::to_string(layout.active_tips()), "");
  row("access_speed", fmt::format("{:.6f}", model.access_speed() * 1e3), "mm/s");
  row("settle", fmt::format("{:.6f}", ms(model.settle())), "ms");
  row("turnaround_without_springs", fmt::format("{:.6f}", 2e3 * model.access_speed() / model.y_axis().acceleration),
      "ms");
  row("turnaround_middle", fmt::format("{:.6f}", ms(model.turnaround(0, layout.access_nm_s()))), "ms");
  row("turnaround_edge", fmt::format("{:.6f}", ms(model.turnaround(high, layout.access_nm_s()))), "ms");
  row("row_access", fmt::format("{:.6f}", ms(model.pass_time(layout.row_bits()))), "ms");
  row("track_access", fmt::format("{:.6f}", ms(pass)), "ms");
  row("range_access", fmt::format("{:.6f}", ms(across)), "ms");
  row("rate_of_active_tips", fmt::format("{:.6f}", tips * params.sled.access_kb_s * 1e-3 * bytes_per_bit), "MB/s");
  row("rate_of_a_stream", fmt::format("{:.6f}", rate_of_a_stream(params, layout, model)), "MB/s");
  row("power_active",
      fmt::format("{:.3f}", (params.power.sled_mw + tips * params.power.tip_mw) * static_cast<double>(layout.sleds())),
      "mW");
  row("power_inactive", fmt::format("{:.3f}", params.power.inactive_mw * static_cast<double>(layout.sleds())), "mW");
  return out;
}

namespace {

std::uint32_t last_tip(const Layout& layout, const mems::BlockPlace& at) {
  return at.first_tip + (layout.tips_per_block() - 1) * layout.tip_stride();
}

}  // namespace

std::string block_table(const MemsParams& params, std::uint64_t lbn) {
  const Layout layout(params);
  const mems::BlockPlace at = layout.locate(lbn);
  std::string out =
      "lbn\tsled\tcylinder\ttrack\trow\tcell\tfirst_tip\tlast_tip\tx_bit\tup_from_bit\tup_to_bit\tdown_from_bit\t"
      "down_to_bit\n";
  const mems::Pass up = layout.upwards(at), down = layout.downwards(at);
  return out + fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", lbn, at.sled, at.cylinder, at.track,
                           at.row, at.cell, at.first_tip, last_tip(layout, at), up.begin.x, up.begin.y, up.end.y,
                           down.begin.y, down.end.y);
}

std::string grid_table(const Layout& layout) {
  constexpr std::uint64_t kMost = 400;
  const std::uint64_t columns = std::uint64_t{layout.cells()} * layout.cylinders();
  const std::uint64_t lines = std::uint64_t{layout.tracks()} * layout.rows();
  if (columns > kMost || lines > kMost)
    throw InputError(fmt::format("the grid has {} columns and {} lines: more than {}; it is for small stores", columns,
                                 lines, kMost));
  std::string out;
  for (std::uint32_t track = 0; track < layout.tracks(); ++track)
    for (std::uint32_t row = 0; row < layout.rows(); ++row) {
      for (std::uint32_t cell = 0; cell < layout.cells(); ++cell)
        for (std::uint32_t cylinder = 0; cylinder < layout.cylinders(); ++cylinder)
          out +=
              fmt::format("{}{}", cell + cylinder == 0 ? "" : "\t", layout.lbn_of({0, cylinder, track, row, cell, 0}));
      out += "\n";
    }
  return out;
}

std::string class_table(const Layout& layout, const std::vector<std::uint64_t>& members) {
  std::string out = "lbn\tcylinder\ttrack\trow\tcell\tfirst_tip\tlast_tip\tpart\n";
  for (const std::uint64_t lbn : members) {
    const mems::BlockPlace at = layout.locate(lbn);
    out += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", lbn, at.cylinder, at.track, at.row, at.cell, at.first_tip,
                       last_tip(layout, at), layout.part_of(at));
  }
  return out;
}

BatchAnswer batch_answer(const Layout& layout, std::uint32_t reach, const std::vector<std::uint64_t>& lbns) {
  using Obstacle = mems::EquivalenceClasses::Obstacle;
  const Obstacle found = mems::EquivalenceClasses(layout, reach).obstacle(lbns);
  switch (found.kind) {
    case Obstacle::elsewhere:
      return {false, fmt::format("block {} is not under the tips together with block {}", lbns[found.block], lbns[0])};
    case Obstacle::conflict:
      return {false, fmt::format("block {} needs tips of block {}, or tips that share a part with them",
                                 lbns[found.block], lbns[found.earlier])};
    case Obstacle::too_many:
      return {false, fmt::format("block {} is one too many: {} tips work at a time, those of {} blocks",
                                 lbns[found.block], layout.active_tips(), layout.cells())};
    default:
      return {true, fmt::format("one pass serves all {}", lbns.size())};
  }
}

std::string model_table(const MemsParams& params, std::int64_t points) {
  const auto as = [&params](mems::SeekModel model, double springs) {
    MemsParams changed = params;
    changed.sled.seek_model = model;
    changed.sled.spring_factor *= springs;
    return changed;
  };
  struct Pair {
    const char* first;
    const char* second;
    MemsParams a, b;
  };
  const Pair pairs[] = {
      {"disksim", "exact, half the spring factor", as(mems::SeekModel::disksim, 1), as(mems::SeekModel::exact, 0.5)},
      {"disksim", "exact", as(mems::SeekModel::disksim, 1), as(mems::SeekModel::exact, 1)},
      {"piecewise", "exact", as(mems::SeekModel::piecewise, 1), as(mems::SeekModel::exact, 1)}};
  std::string out = "model\tother_model\tfrom\tmean_difference_us\tlargest_difference_us\tmean_difference_percent\n";
  for (const Pair& pair : pairs)
    for (const bool corner : {true, false}) {
      const Difference found = difference(pair.a, pair.b, corner, points);
      out += fmt::format("{}\t{}\t{}\t{:.3f}\t{:.3f}\t{:.3f}\n", pair.first, pair.second, corner ? "corner" : "middle",
                         found.mean, found.largest, found.percent);
    }
  return out;
}

std::vector<mems::StudyRequest> random_requests(const Layout& layout, double apart_ms, std::uint32_t count,
                                                std::uint64_t seed) {
  constexpr double kSectors = 8, kReads = 2.0 / 3;
  RandomStream arrivals(seed, "mems.arrivals"), sizes(seed, "mems.sizes"), places(seed, "mems.places"),
      kinds(seed, "mems.kinds");
  std::vector<mems::StudyRequest> requests(count);
  const double most = std::min(65'536.0, static_cast<double>(layout.blocks()));
  Ps at = 0;
  constexpr double kLatestMs = 100 * 86'400e3;  // as of any workload: picoseconds end soon after
  for (mems::StudyRequest& request : requests) {
    const double gap_ms = arrivals.exponential(apart_ms);
    if (to_ms(at) + gap_ms > kLatestMs)
      throw InputError(
          fmt::format("random request {} of {} would arrive after 100 days of simulated time; a higher rate or fewer "
                      "requests make it earlier",
                      &request - requests.data() + 1, count));
    at += from_ms(gap_ms);
    request.arrival = at;
    request.sectors = static_cast<std::uint32_t>(std::clamp(std::ceil(sizes.exponential(kSectors)), 1.0, most));
    request.lbn = places.below(layout.blocks() - request.sectors + 1);
    request.write = !kinds.chance(kReads);
  }
  return requests;
}

std::string random_table(const MemsParams& params, std::uint32_t count, std::uint64_t seed) {
  constexpr double kApartMs = 50;
  mems::QueueStudy study(params, mems::Policy::fcfs);
  const auto requests = random_requests(study.layout(), kApartMs, count, seed);
  std::vector<Ps> service, seek, x, y, turn, response;
  std::uint64_t later = 0;
  for (const mems::Served& served : study.run(requests)) {
    service.push_back(served.done - served.chosen);
    response.push_back(served.done - served.arrival);
    seek.push_back(served.first.total());
    x.push_back(served.first.x);
    y.push_back(served.first.y);
    turn.push_back(served.first.turnaround);
    later += served.later_turnarounds;
  }
  std::string out = "quantity\tmean_ms\tsd_ms\tmax_ms\tdissertation_mean_ms\tdissertation_sd_ms\tdissertation_max_ms\n";
  const auto row = [&out](const char* name, std::vector<Ps>& times, const char* published) {
    const Moments m = mems::moments(std::move(times));
    out += fmt::format("{}\t{:.4f}\t{:.4f}\t{:.4f}\t{}\n", name, m.mean, m.deviation, m.largest, published);
  };
  row("service", service, "0.91\t0.20\t2.15");
  row("seek", seek, "0.57\t0.11\t0.78");
  row("x_seek", x, "0.57\t0.11\t0.78");
  row("y_seek", y, "0.36\t0.13\t0.75");
  std::vector<Ps> settle{SledModel(params).settle()};
  row("settle", settle, "0.22\t\t");
  row("turnaround", turn, "0.07\t0.06\t0.50");
  row("response", response, "\t\t");
  return out + fmt::format("later_turnarounds\t{}\t\t\t\t\t\n", later);
}

std::string region_table(const MemsParams& params, std::uint32_t across, std::uint32_t requests, std::uint64_t seed) {
  const Layout layout(params);
  const SledModel model(params);
  if (across > layout.cylinders() || across > layout.rows())
    throw InputError(
        fmt::format("--across {}: the store has {} cylinders and {} rows", across, layout.cylinders(), layout.rows()));
  std::string out = "region_x\tregion_y\tservice_ms\tseek_ms\n";
  for (std::uint32_t i = 0; i < across; ++i)
    for (std::uint32_t j = 0; j < across; ++j) {
      RandomStream places(seed, fmt::format("mems.region.{}.{}", i, j));
      const auto within = [&places](std::uint32_t first, std::uint32_t end) {
        return first + static_cast<std::uint32_t>(places.below(end - first));
      };
      const std::uint32_t cylinder = layout.cylinders() * i / across, behind = layout.cylinders() * (i + 1) / across;
      const auto [row, above] = layout.rows_in(j, across);
      SledState at;
      double seek = 0;
      for (std::uint32_t n = 0; n <= requests; ++n) {
        const std::uint32_t x = within(cylinder, behind);
        const mems::BlockPlace place{0, x, 0, within(row, above), 0, 0};
        mems::Pass way = layout.upwards(place);
        Ps time = model.time(at, way.begin).total();
        if (params.tips.bidirectional) {
          const mems::Pass down = layout.downwards(place);
          const Ps other = model.time(at, down.begin).total();
          if (other <= time) {
            way = down;
            time = other;
          }
        }
        at = way.end;
        if (n > 0) seek += ms(time) / requests;  // the first brings the sled there
      }
      out += fmt::format("{}\t{}\t{:.6f}\t{:.6f}\n", i, j, seek + ms(model.pass_time(layout.row_bits())), seek);
    }
  return out;
}

std::string placement_table(const MemsParams& params, std::uint32_t reads, std::uint64_t seed, std::uint32_t runs,
                            double largest_mib) {
  using mems::Placement;
  constexpr std::pair<const char*, Placement> kPlacements[] = {{"random", Placement::random},
                                                               {"organ_pipe", Placement::organ_pipe},
                                                               {"subregioned", Placement::subregioned},
                                                               {"columnar", Placement::columnar}};
  std::array<mems::PlacementStudy::Result, std::size(kPlacements)> means;
  std::vector<std::uint32_t> sizes;  // of the files of all runs
  std::uint64_t blocks = 0;
  for (std::uint32_t run = 0; run < runs; ++run) {
    mems::PlacementStudy study(params, seed + run, largest_mib);
    sizes.insert(sizes.end(), study.sizes().begin(), study.sizes().end());
    blocks += study.blocks();
    for (std::size_t i = 0; i < means.size(); ++i) {
      const mems::PlacementStudy::Result result = study.run(kPlacements[i].second, reads);
      means[i].service_ms += result.service_ms / runs;
      means[i].small_ms += result.small_ms / runs;
      means[i].large_ms += result.large_ms / runs;
    }
  }
  std::sort(sizes.begin(), sizes.end());
  const auto share = [&sizes](std::uint32_t most) {  // of files that are not larger
    const auto end = std::upper_bound(sizes.begin(), sizes.end(), most);
    return 100.0 * static_cast<double>(end - sizes.begin()) / static_cast<double>(sizes.size());
  };
  std::string out =
      "placement\tservice_ms\tsmall_ms\tlarge_ms\tgain_percent\tfiles\tup_to_8_kb_percent\tabove_64_kb_percent\t"
      "above_1_mb_percent\tfull_percent\n";
  const double full = 100.0 * static_cast<double>(blocks) / static_cast<double>(Layout(params).blocks()) / runs;
  for (std::size_t i = 0; i < means.size(); ++i)
    out += fmt::format("{}\t{:.6f}\t{:.6f}\t{:.6f}\t{:.3f}\t{:.12g}\t{:.3f}\t{:.3f}\t{:.3f}\t{:.2f}\n",
                       kPlacements[i].first, means[i].service_ms, means[i].small_ms, means[i].large_ms,
                       100 * (1 - means[i].service_ms / means[0].service_ms), static_cast<double>(sizes.size()) / runs,
                       share(16), 100 - share(128), 100 - share(2'048), full);
  return out;
}

std::string background_table(const mems::Layout& layout, std::uint32_t reach, std::uint32_t sectors, double rate_per_s,
                             std::uint64_t seed, std::uint32_t runs) {
  constexpr std::array<std::uint64_t, 2> kShares{95, 100};
  const std::uint64_t most = layout.blocks() / sectors;
  std::array<std::vector<std::uint64_t>, 2> requests_of;  // by share, of each run
  std::array<std::uint64_t, 2> beside_of{};               // of all runs
  for (std::uint32_t run = 0; run < runs; ++run) {
    mems::BackgroundReading reading(layout, reach, seed + run);
    RandomStream places(seed + run, "requests");
    std::uint64_t requests = 0, beside = 0;
    for (std::size_t i = 0; i < kShares.size(); ++i) {
      const std::uint64_t left = layout.blocks() - layout.blocks() * kShares[i] / 100;
      for (; reading.wanted() > left; ++requests) beside += reading.serve(places.below(most) * sectors, sectors).size();
      requests_of[i].push_back(requests);
      beside_of[i] += beside;
    }
  }
  const auto minutes = [rate_per_s](double requests) { return requests / rate_per_s / 60; };
  std::string text = "share_percent\trequests\tminutes\tbeside_a_request\tshortest_minutes\tlongest_minutes\n";
  for (std::size_t i = 0; i < kShares.size(); ++i) {
    const std::vector<std::uint64_t>& all = requests_of[i];
    const auto sum = static_cast<double>(std::accumulate(all.begin(), all.end(), std::uint64_t{0}));
    const auto [least, greatest] = std::minmax_element(all.begin(), all.end());
    text += fmt::format("{}\t{:.12g}\t{:.3f}\t{:.4f}\t{:.3f}\t{:.3f}\n", kShares[i], sum / runs, minutes(sum / runs),
                        static_cast<double>(beside_of[i]) / sum, minutes(static_cast<double>(*least)),
                        minutes(static_cast<double>(*greatest)));
  }
  return text;
}

std::string schedule_header() {
  return "policy\trequests\tcounted\tmean_ms\tscv\tp50_ms\tp90_ms\tp99_ms\tmax_ms\tsled_ms\tseek_ms\tenergy_j\t"
         "tips_j\tinactive_j\n";
}

ScheduleRow schedule_row(const MemsParams& params, mems::Policy policy, const std::vector<mems::StudyRequest>& requests,
                         bool drain) {
  mems::QueueStudy study(params, policy);
  const Ps last = requests.empty() ? 0 : requests.back().arrival;
  std::vector<Ps> response, sled, seek;
  for (const mems::Served& served : study.run(requests)) {
    if (!drain && served.done > last) continue;
    response.push_back(served.done - served.arrival);
    sled.push_back(served.media - served.chosen);
    seek.push_back(served.first.total());
  }
  const Moments m = mems::moments(response);
  const mems::Energy energy = study.energy();
  std::string text = fmt::format("{}\t{}\t{}", name_of(policy), requests.size(), m.count);
  for (const double value :
       {m.mean, m.scv(), m.p50, m.p90, m.p99, m.largest, mems::moments(sled).mean, mems::moments(seek).mean})
    text += m.count == 0 ? "\t" : fmt::format("\t{:.4f}", value);
  for (const double value : {energy.total(), energy.tips, energy.inactive}) text += fmt::format("\t{:.6f}", value);
  return {text + "\n", m.count};
}

}  // namespace armature::mems_commands
