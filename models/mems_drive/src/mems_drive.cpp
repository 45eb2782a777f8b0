#include "armature/mems_drive/mems_drive.h"

#include "armature/core/block_address.h"
#include "mems_mechanism.h"

#include <memory>
#include <string>

namespace armature::mems {
namespace {

/// What a command costs before it waits for the sled is an overhead of the controller.
MemsDriveParams with_overheads(MemsDriveParams params) {
  const double more = params.store.electronics.command_us;
  controller::OverheadParams& costs = params.overheads;
  for (double* const cost : {&costs.read_hit_us, &costs.read_miss_us, &costs.write_hit_us, &costs.write_miss_us})
    *cost += more;
  for (double* const cost :
       {&costs.read_hit_after_write_us, &costs.read_miss_after_write_us, &costs.write_hit_after_write_us,
        &costs.write_miss_after_write_us, &costs.write_sequential_us})
    if (*cost >= 0) *cost += more;
  return params;
}

const MemsDriveParams& checked(const MemsDriveParams& params, unsigned tags) {
  MemsDrive::check(params, tags);
  return params;
}

}  // namespace

void MemsDrive::check(const MemsDriveParams& params, unsigned tags) {
  Drive::check(params, tags, kSectorBytes);
  check_mems(params, tags, slots(params, tags, kSectorBytes));
}

MemsDrive::MemsDrive(sc_core::sc_module_name name, const MemsDriveParams& params, unsigned tags,
                     const BlockContext& context)
    : Drive(
          name, with_overheads(checked(params, tags)), tags, kSectorBytes,
          [&](const std::string&, unsigned slots) {
            return std::make_unique<MemsMechanism>(params, tags, slots, context);
          },
          context) {}

}  // namespace armature::mems
