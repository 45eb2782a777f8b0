// A trace reader on any bytes: it ends, with requests that a drive can be given or with an InputError that names the
// file. The first byte chooses among keys, the rest is the file.
#include "armature/workload/params.h"
#include "armature/workload/trace_profile.h"
#include "input_file.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>

namespace armature::workload {
namespace {

constexpr std::uint64_t kDrive = 17'938'986;
constexpr Ps kLatest = 100 * 86'400 * kPsPerSecond;

WorkloadParams params_of(std::uint8_t choice, const std::string& path) {
  WorkloadParams params;
  params.kind = WorkloadParams::trace;
  params.format = ARMATURE_FUZZ_FORMAT;
  params.file = path;
  params.round_to_sectors = (choice & 1) != 0;
  params.device_layout = (choice & 2) != 0 ? WorkloadParams::overlay : WorkloadParams::single;
  params.time_zero = (choice & 4) != 0 ? WorkloadParams::first_request : WorkloadParams::as_recorded;
  params.out_of_range = (choice & 8) != 0 ? WorkloadParams::wrap : WorkloadParams::drop;
  params.blkparse_keys.action = (choice & 16) != 0 ? BlkparseParams::issued : BlkparseParams::queued;
  params.iolog_keys.wait = (choice & 16) != 0 ? IologParams::us_since_wait : IologParams::ms_since_start;
  params.iolog_keys.in_flight = (choice & 32) != 0 ? 3 : 1;
  if ((choice & 64) != 0) params.time_scale = 0.37;
  return params;
}

/// @param looked_at  also by `trace info`, whose memory takes longer to make than a small file to read
void read(Source& source, bool bounded, bool looked_at) {
  const auto profile = looked_at ? std::make_unique<TraceProfile>() : nullptr;
  Request request;
  Ps last = 0;
  std::uint64_t id = 0;
  for (;;) {
    const Source::Next next = source.next(request);
    ARMATURE_REQUIRE(next != Source::Next::after_completion);  // all that were in flight have completed
    if (next == Source::Next::end) break;
    ARMATURE_REQUIRE(request.id == id++);
    ARMATURE_REQUIRE(request.arrival >= last);
    ARMATURE_REQUIRE(request.arrival <= kLatest + static_cast<Ps>(id) * kPsPerMs);  // a closed loop ends behind it
    ARMATURE_REQUIRE(request.measured_response >= -1);
    last = request.arrival;
    if (request.operation == Operation::flush) {
      ARMATURE_REQUIRE(request.sectors == 0 && request.lbn == 0);
    } else {
      ARMATURE_REQUIRE(request.sectors >= 1 && request.sectors <= 65'536);
      ARMATURE_REQUIRE(request.lbn + request.sectors <= (bounded ? kDrive : std::uint64_t{1} << 63));
    }
    const double fraction = source.fraction_read();
    ARMATURE_REQUIRE(fraction >= 0 && fraction <= 1);
    if (profile) profile->add(request);
    // Never later than the next arrival may be told: the sum of think times alone could pass 64 bits.
    source.completed(request, std::min(request.arrival, kLatest));
    last = std::min(last, kLatest);
  }
  if (!profile) return;
  ARMATURE_REQUIRE(profile->all().requests == id);
  ARMATURE_REQUIRE(profile->all().pages.estimate() >= 0);
}

}  // namespace
}  // namespace armature::workload

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace armature;
  static const fuzz::InputFile file;
  if (size == 0) return 0;
  file.set(data + 1, size - 1);
  const bool bounded = (data[0] & 128) == 0;
  try {
    const auto source =
        workload::make_source(workload::params_of(data[0], file.path()), 1, bounded ? workload::kDrive : 0, "");
    workload::read(*source, bounded, size % 8 == 0);
  } catch (const InputError& error) {
    ARMATURE_REQUIRE(error.place().file == file.path());
    const std::string message = error.what();
    ARMATURE_REQUIRE(message.size() > file.path().size() + 2);
    for (const char c : message) ARMATURE_REQUIRE(static_cast<unsigned char>(c) >= ' ');  // one line for a terminal
  }
  return 0;
}
