#include "bus.h"

#include <fmt/format.h>

#include <algorithm>

// The meaning of the keys is in DiskSim's src/modules/bus.modspec and ctlr.modspec; how controllers of type 1 pass
// messages on, in src/disksim_ctlrdumb.c.

namespace armature::importer {
namespace {

constexpr Range kSectorMs{0, 100};
constexpr Range kMessageMs{0, 1'000};
constexpr Range kAny{-1e9, 1e9};
enum ControllerType { kPassThru = 1, kManaged = 2, kSmart = 3 };

class Reader {
 public:
  Reader(const ParameterFile& file, const Surroundings& surroundings, Report& report)
      : file_(file), surroundings_(surroundings), report_(report) {}

  BusTimes read() {
    for (const auto& block : surroundings_.way) {
      times_.known = true;
      BlockReader reader(file_, *block, report_);
      block->type == "disksim_bus" ? bus(reader) : controller(reader);
      reader.number("Print stats", kAny);  // of the simulator
      reader.finish();
    }
    return times_;
  }

 private:
  void sector(BlockReader& reader, const char* key, double& slowest, std::string& source) {
    const double ms = reader.number(key, kSectorMs).value_or(0);
    if (ms <= slowest) return;
    slowest = ms;
    source = fmt::format("{} of {} {}", reader.source(key), reader.read().type, printable(reader.read().name));
  }

  /// A message goes over all buses and controllers of its way. Without a topology it is not known which these are: then
  /// the longest time counts.
  void add(double& sum, double ms) { sum = surroundings_.from_topology ? sum + ms : std::max(sum, ms); }

  void bus(BlockReader& reader) {
    sector(reader, "Read block transfer time", times_.read_ms, times_.read_source);
    sector(reader, "Write block transfer time", times_.write_ms, times_.write_source);
    add(times_.arbitration_ms, reader.number("Arbitration time", kMessageMs).value_or(0));
    reader.expect("type", 1, "a link belongs to one drive: nobody shares it");
    reader.number("Arbitration type", kAny);  // who goes first, of several drives
  }

  void controller(BlockReader& reader) {
    sector(reader, "Bulk sector transfer time", times_.read_ms, times_.read_source);
    sector(reader, "Bulk sector transfer time", times_.write_ms, times_.write_source);
    const auto type = reader.whole("type", {kPassThru, kSmart}).value_or(kPassThru);
    const double scale = reader.number("Scale for delays", {0, 1e6}).value_or(0);
    // A controller that passes messages on takes 1 ms for each, times the scale.
    if (type == kPassThru) {
      if (scale > kMessageMs.max)
        report_.note(reader.find("Scale for delays")->place,
                     fmt::format("a message takes {} ms: taken as 1000", shortest(scale)));
      add(times_.message_ms, std::min(scale, kMessageMs.max));
    } else if (scale > 0) {
      reader.lose("Scale for delays",
                  "the times that it scales stand in DiskSim's code; only those of a controller of "
                  "type 1 are taken");
    }
    const double queue = reader.number("Maximum queue length", {0, 1e9}).value_or(0);
    const double depth = reader.number("Max per-disk pending count", {0, 1e9}).value_or(0);
    if (type != kSmart) return ignore_queue(reader);
    limit_depth(reader, "Max per-disk pending count", depth);
    if (queue > 0) limit_depth(reader, "Maximum queue length", queue + 1);  // as many as it has room for, and one
    constexpr const char* kOwn = "a controller between host and drive has no queue and no cache of its own here";
    reader.lose("Scheduler", kOwn);
    reader.lose("Cache", kOwn);
  }

  /// As in DiskSim: only controllers of type 3 have one.
  static void ignore_queue(BlockReader& reader) {
    reader.ignore("Scheduler");
    reader.ignore("Cache");
  }

  void limit_depth(BlockReader& reader, const char* key, double most) {
    if (most <= 0 || (times_.depth > 0 && times_.depth <= most)) return;
    times_.depth = most;
    times_.depth_source = fmt::format("{} of disksim_ctlr {}", reader.source(key), printable(reader.read().name));
  }

  const ParameterFile& file_;
  const Surroundings& surroundings_;
  Report& report_;
  BusTimes times_;
};

}  // namespace

BusTimes bus_times(const ParameterFile& file, const Surroundings& surroundings, Report& report) {
  return Reader(file, surroundings, report).read();
}

}  // namespace armature::importer
