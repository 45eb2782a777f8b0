#include "armature/workload/params.h"

#include "placement.h"
#include "synthetic.h"
#include "trace_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

namespace armature::workload {
namespace {

using Params = WorkloadParams;

void require(bool condition, std::string_view message) {
  if (!condition) throw InputError(message);
}

/// No requests at all.
class NoSource final : public Source {
 public:
  Next next(Request&) override { return Next::end; }
  bool gives_requests() const override { return false; }
  double fraction_read() const override { return 1; }
};

/// Keys of a trace say nothing about a synthetic stream: silence would hide a mistake.
void reject_trace_keys(const Params& p) {
  const Params unset;
  const auto reject = [](bool set, std::string_view key) {
    if (set) throw InputError(fmt::format("workload.{} is for kind = \"trace\" only", key));
  };
  reject(!p.file.empty(), "file");
  reject(p.skip != unset.skip, "skip");
  reject(p.limit != unset.limit, "limit (count is the number of synthetic requests)");
  reject(p.time_scale != unset.time_scale, "time_scale");
  reject(!p.devices.empty(), "devices");
  reject(!p.device_names.empty(), "device_names");
  reject(p.out_of_range != unset.out_of_range, "out_of_range");
  reject(p.format != unset.format, "format");
  reject(p.device_layout != unset.device_layout, "device_layout");
  reject(p.time_zero != unset.time_zero, "time_zero");
}

std::unique_ptr<Source> make_reader(const Params& p, const std::string& base_directory) {
  const std::filesystem::path path = std::filesystem::path(base_directory) / p.file;  // an absolute file stays itself
  auto lines = std::make_unique<LineReader>(path.lexically_normal().string());
  switch (p.format == Params::automatic ? detect_format(*lines, p) : p.format) {
    case Params::spc:
      return make_spc_source(std::move(lines), p);
    case Params::disksim:
      return make_disksim_source(std::move(lines), p);
    case Params::validate:
      return make_validate_source(std::move(lines), p);
    case Params::ssdsim:
      return make_ssdsim_source(std::move(lines), p);
    case Params::msr:
      return make_msr_source(std::move(lines), p);
    case Params::iolog:
      return make_iolog_source(std::move(lines), p);
    case Params::blkparse:
      return make_blkparse_source(std::move(lines), p);
    case Params::ftrace:
      return make_ftrace_source(std::move(lines), p);
    default:
      return make_csv_source(std::move(lines), p);
  }
}

/// Where each device begins on the drive.
std::vector<Concatenation::Range> ranges(const Params& p) {
  const std::size_t count = std::max(p.device_sectors.size(), p.device_offsets.size());
  require(count > 0, "workload.device_layout = \"concatenate\" needs device_sectors or device_offsets");
  require(p.devices.empty() || p.devices.size() == count,
          fmt::format("workload.device_sectors or device_offsets give {} devices, devices gives {}", count,
                      p.devices.size()));
  require(p.device_names.empty() || p.device_names.size() == count,
          fmt::format("workload.device_sectors or device_offsets give {} devices, device_names gives {}", count,
                      p.device_names.size()));
  require(p.device_sectors.empty() || p.device_offsets.empty() || p.device_sectors.size() == p.device_offsets.size(),
          "workload.device_sectors and device_offsets give different numbers of devices");
  std::vector<Concatenation::Range> result(count);
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < count; ++i) {
    result[i].device = static_cast<std::uint32_t>(p.devices.empty() ? static_cast<double>(i) : p.devices[i]);
    result[i].sectors = p.device_sectors.empty() ? 0 : static_cast<std::uint64_t>(p.device_sectors[i]);
    result[i].offset = p.device_offsets.empty() ? end : static_cast<std::uint64_t>(p.device_offsets[i]);
    end += result[i].sectors;
  }
  return result;
}

std::uint64_t source_sectors(const Params& p, const std::vector<Concatenation::Range>& placed) {
  if (p.source_sectors > 0) return static_cast<std::uint64_t>(p.source_sectors);
  std::uint64_t end = 0;
  for (const auto& range : placed) {
    require(range.sectors > 0, "workload.out_of_range = \"scale\" needs source_sectors or device_sectors");
    end = std::max(end, range.offset + range.sectors);
  }
  require(end > 0, "workload.out_of_range = \"scale\" needs source_sectors, the size of the traced device");
  return end;
}

std::unique_ptr<Source> make_trace(const Params& p, std::uint64_t drive_sectors, const std::string& base_directory) {
  require(!p.file.empty(), "workload.file is needed for kind = \"trace\"");
  for (const std::vector<double>* list : {&p.devices, &p.device_sectors, &p.device_offsets}) {
    for (const double value : *list)
      require(value == std::floor(value),
              fmt::format("workload.devices and its like: {} is not a whole number", value));
  }
  require(std::set<double>(p.devices.begin(), p.devices.end()).size() == p.devices.size(),
          "workload.devices names a device twice");
  require(p.devices.empty() || p.device_names.empty(), "workload.device_names: stands in place of devices");
  require(std::set<std::string>(p.device_names.begin(), p.device_names.end()).size() == p.device_names.size(),
          "workload.device_names names a device twice");
  const bool concatenated = p.device_layout == Params::concatenate;
  require(concatenated || (p.device_sectors.empty() && p.device_offsets.empty()),
          "workload.device_sectors and device_offsets are for device_layout = \"concatenate\" only");

  const auto placed = concatenated ? ranges(p) : std::vector<Concatenation::Range>{};
  auto source = make_reader(p, base_directory);
  if (concatenated) source = std::make_unique<Concatenation>(std::move(source), placed);
  if (drive_sectors != 0) {
    const std::uint64_t traced = p.out_of_range == Params::scale ? source_sectors(p, placed) : 0;
    source = std::make_unique<AddressRange>(std::move(source), p.out_of_range, traced, drive_sectors);
  }
  return source;
}

}  // namespace

std::unique_ptr<Source> make_source(const WorkloadParams& params, std::uint64_t seed, std::uint64_t drive_sectors,
                                    const std::string& base_directory) {
  if (params.kind == Params::trace) return make_trace(params, drive_sectors, base_directory);
  reject_trace_keys(params);
  if (params.kind == Params::none) return std::make_unique<NoSource>();
  if (params.kind == Params::open) return std::make_unique<OpenSource>(params, seed, drive_sectors);
  require(params.bursts.on_ms == 0 && params.bursts.off_ms == 0, "workload.bursts are for kind = \"open\" only");
  require(params.arrivals == Params::exponential_arrivals,
          "workload.arrivals is for kind = \"open\" only (closed: think_ms, think)");
  return std::make_unique<ClosedSource>(params, seed, drive_sectors);
}

}  // namespace armature::workload
