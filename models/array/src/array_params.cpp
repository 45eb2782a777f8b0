#include "armature/array/array_params.h"

#include "armature/core/error.h"
#include "armature/core/typed_keys.h"

#include <fmt/format.h>

#include <cmath>

namespace armature::array {
namespace {

std::uint32_t whole_sectors(double kib, const char* key) {
  const double sectors = kib * 2;
  if (sectors != std::floor(sectors) || sectors < 1)
    throw InputError(fmt::format("{}: {} KiB is no whole number of sectors of 512 bytes", key, kib));
  return static_cast<std::uint32_t>(sectors);
}

}  // namespace

void ArrayParams::keys(KeyVisitor& visitor) {
  choice(visitor, "level", level, {"concat", "raid0", "raid1", "raid10", "raid4", "raid5"},
         "How blocks are laid out over the members: one after the other, striped, mirrored, mirrored in pairs "
         "and striped, striped with parity on the last member, or on each in turn");
  visitor.list("members", members, "Drives of the array, by name or glob, in their order; empty: there is no array");
  visitor.list("spares", spares, "Drives that take the place of members that fail, in their order");
  visitor.key("stripe_unit", stripe_unit_kib, "KiB", {0.5, 32'768},
              "Data on one member before the next member follows");
  choice(visitor, "parity_write", parity_write, {"fewest", "read_modify_write", "reconstruct_write"},
         "Data read before a part of a row is written: the old data and parity, the rest of the row, or whichever "
         "takes fewer operations");
  choice(visitor, "mirror_read", mirror_read, {"shortest_queue", "nearest", "round_robin", "first", "queue_threshold"},
         "Copy that is read: the member with the fewest operations outstanding, among these the one whose last LBN is "
         "nearest; the nearest member; each in turn; the first one in service; the first one with fewer operations "
         "outstanding than `queue_threshold`, or if there is none the one with the fewest");
  visitor.key(
      "queue_threshold", queue_threshold, "", {1, 1'024},
      "mirror_read = \"queue_threshold\": operations outstanding at a member from which on the next copy is read");
  choice(visitor, "policy", policy, {"fcfs", "clook"},
         "Order in which the array's queue gives requests to the controller");
  visitor.key("depth", depth, "", {1, 1'024}, "Most requests in the controller at once");
  rows(visitor, "failures", failures,
       {{"time", "s", &MemberFailure::time_s, {0, 1e9}}, {"member", "", &MemberFailure::member, {0, 1'023}}},
       "Members that go out of service, by their position from 0 on; at time 0 the array starts without them");
  visitor.key("rebuild_unit", rebuild_unit_kib, "KiB", {0.5, 32'768},
              "Data rebuilt on a spare in one operation, rounded up to whole rows");
  visitor.key("rebuild_mb_s", rebuild_mb_s, "MB/s", {0, 1e6}, "Greatest rate of a rebuild; 0: unlimited");
  visitor.key("rebuild_to_end", rebuild_to_end,
              "A run ends when a rebuild that can be completed is; otherwise with the last request");
}

std::uint32_t ArrayParams::stripe_sectors() const {
  return whole_sectors(stripe_unit_kib, "array.stripe_unit");
}

std::uint32_t ArrayParams::rebuild_sectors() const {
  return whole_sectors(rebuild_unit_kib, "array.rebuild_unit");
}

}  // namespace armature::array
