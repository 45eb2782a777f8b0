#include "armature/array/array_params.h"

#include "armature/core/block_address.h"
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

void BusParams::keys(KeyVisitor& visitor) {
  visitor.key("count", count, "", {0, 64},
              "Buses that the members share; one transfer at a time on each. 0: none, nothing waits for a bus");
  visitor.key("mb_s", mb_s, "MB/s", {0.1, 1e6}, "Data rate of a bus");
  visitor.key("overhead_us", overhead_us, "us", {0, 1e6},
              "Time of the bus for each operation besides its data: arbitration, selection, command, status");
  choice(visitor, "assignment", assignment, {"groups", "alternate"},
         "Members on a bus: equal groups of neighbours, spares in the last one; or each bus in turn");
}

void CacheParams::keys(KeyVisitor& visitor) {
  visitor.key("size", size_mib, "MiB", {0, 1'048'576}, "Memory of the controller that holds data; 0: none");
  visitor.key("line", line_kib, "KiB", {0.5, 32}, "Data that are given up together");
  choice(visitor, "write", write, {"back", "through"},
         "A write ends when the memory has it, and goes to the members later; or when the members have it");
  choice(visitor, "replacement", replacement, {"lru", "fifo", "clock"},
         "Line that makes room: the one used longest ago; kept longest; kept longest and not used since it was passed "
         "over last");
  visitor.key(
      "nonvolatile", nonvolatile,
      "The memory keeps its contents without power: flushes and forced unit access do not wait for the members");
  visitor.key("hit_us", hit_us, "us", {0.001, 1e6},
              "Time of the controller for a request that the memory serves alone");
  visitor.key("destage_at", destage_at, "", {0, 1},
              "Share of the lines with data that the members do not have, from which on they go there");
  visitor.key("destage_idle_ms", destage_idle_ms, "ms", {0, 1e9},
              "They go there, too, when the host has asked for nothing for this long");
  visitor.key("destage_depth", destage_depth, "", {1, 64}, "Most writes of such data under way at once");
}

std::uint32_t CacheParams::line_sectors() const {
  return whole_sectors(line_kib, "array.cache.line");
}

std::uint64_t CacheParams::lines() const {
  const double lines = std::floor(size_mib * 2048 / line_sectors());
  if (lines < 2)
    throw InputError(fmt::format("array.cache.size: {} MiB are fewer than two lines of {} KiB", size_mib, line_kib));
  return static_cast<std::uint64_t>(lines);
}

void StagingParams::keys(KeyVisitor& visitor) {
  visitor.key("store", store, "Drive that holds what was read and written last, a MEMS store as a rule; empty: none");
  visitor.key("size_gb", size_gb, "GB", {0, 1e9},
              "10^9 bytes of the store that are used; 0: all of it (a MEMS store has sled.count sleds)");
  rows(visitor, "warm", warm,
       {{"lbn", "", &WarmRange::lbn, {0, 9e15}}, {"sectors", "", &WarmRange::sectors, {1, 9e15}}},
       "Sectors of 512 bytes of the array that the store has at the start, in this order, as far as there is room");
  visitor.key("line", line_kib, "KiB", {0.5, 32}, "Data that are given up together");
  visitor.key("largest", largest_kib, "KiB", {0.5, 32'768}, "Requests that are larger go past the store");
  visitor.key("destage_at", destage_at, "", {0, 1},
              "Share of the lines with data that the members do not have, from which on they go there");
  visitor.key("destage_idle_ms", destage_idle_ms, "ms", {0, 1e9},
              "They go there, too, when the host has asked for nothing for this long; not with `lazy`");
  visitor.key("destage_depth", destage_depth, "", {1, 64}, "Most writes of such data under way at once");
  visitor.key("lazy", lazy,
              "Such data wait until a request of the host has woken the members, and go there all together then");
  visitor.key("age_s", age_s, "s", {0, 1e6}, "All go there when one is so old; 0: they may have any age");
  visitor.key("fails_s", fails_s, "s", {0, 1e9}, "The store goes out of service then; 0: never");
}

std::uint32_t StagingParams::line_sectors() const {
  return whole_sectors(line_kib, "array.staging.line");
}

std::uint64_t StagingParams::lines(std::uint64_t store_sectors) const {
  const double wanted = std::floor(size_gb * 1e9 / kSectorBytes), there = static_cast<double>(store_sectors);
  if (wanted > there)
    throw InputError(fmt::format("array.staging.size_gb: the store has {:.4g} GB", there * kSectorBytes * 1e-9));
  const std::uint64_t used = size_gb > 0 ? static_cast<std::uint64_t>(wanted) : store_sectors;
  const std::uint64_t lines = used / line_sectors();
  if (lines < 2) throw InputError("array.staging.store: has no room for two lines");
  return lines;
}

void ArrayParams::keys(KeyVisitor& visitor) {
  choice(visitor, "level", level, {"concat", "raid0", "raid1", "raid10", "raid4", "raid5"},
         "How blocks are laid out over the members: one after the other, striped, mirrored, mirrored in groups of "
         "`copies` and striped, striped with parity on the last member, or on each in turn");
  visitor.list("members", members, "Drives of the array, by name or glob, in their order; empty: there is no array");
  visitor.list("spares", spares, "Drives that take the place of members that fail, in their order");
  rows(visitor, "extents", extents,
       {{"size", "MiB", &Extent::size_mib, {kSectorBytes / double{1 << 20}, 1e12}},
        {"member", "", &Extent::member, {0, 1'023}}},
       "level = \"concat\": parts of the array in the order of its addresses, each on a member behind the parts before "
       "that are there; empty: each member as a whole");
  visitor.key("copies", copies, "", {2, 1'024}, "level = \"raid10\": members that hold each block");
  visitor.key("stripe_unit", stripe_unit_kib, "KiB", {0.5, 32'768},
              "Data on one member before the next member follows");
  choice(visitor, "parity_write", parity_write, {"fewest", "read_modify_write", "reconstruct_write"},
         "Data read before a part of a row is written: the old data and parity, the rest of the row, or whichever "
         "takes fewer operations");
  choice(visitor, "read_parity", read_parity, {"none", "read", "check"},
         "What a read reads besides its data: nothing; the parity of the same sectors, too, which can be compared if "
         "the request reads the whole row; or all that is needed to compare it");
  choice(visitor, "mirror_read", mirror_read,
         {"shortest_queue", "nearest", "round_robin", "first", "queue_threshold", "fastest"},
         "Copy that is read: the member with the fewest operations outstanding, among these the one whose last LBN is "
         "nearest; the nearest member; each in turn; the first one in service; the first one with fewer operations "
         "outstanding than `queue_threshold`, or if there is none the one with the fewest; the one that is expected to "
         "answer first, from its last reads and the operations outstanding there");
  visitor.key(
      "mirror_probe_s", mirror_probe_s, "s", {0, 1e9},
      "mirror_read = \"fastest\": a copy that was not read for so long is read once to learn how fast it is now; "
      "0: never, so that a copy that sleeps is left asleep");
  visitor.key(
      "queue_threshold", queue_threshold, "", {1, 1'024},
      "mirror_read = \"queue_threshold\": operations outstanding at a member from which on the next copy is read");
  choice(visitor, "policy", policy, {"fcfs", "clook", "elevator"},
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
  choice(visitor, "rebuild_reads", rebuild_reads, {"normal", "background"},
         "Priority of a rebuild's reads: that of requests, or background: a member with background.max_added_us does "
         "them on spare arms and in rotational waits, within that budget; another member as any read");
  visitor.key("scrub_mb_s", scrub_mb_s, "MB/s", {0, 1e6},
              "Rate at which each member is read in the background to find sectors that cannot be read and copies or "
              "parity that differ; 0: never");
  visitor.key("scrub_unit", scrub_unit_kib, "KiB", {4, 32'768},
              "Data of a member that a scrub reads in one operation, rounded up to whole rows");
  visitor.key("scrub_to_end", scrub_to_end,
              "A run ends when a scrub has passed over all of the members once; otherwise with the last request");
  visitor.section("bus", bus, "Buses between the controller and its members");
  visitor.section("deferred", deferred, "Writes to copies of raid1 and raid10 that may sleep, put off until they wake");
  visitor.section("cache", cache, "Memory of the controller that holds data");
  visitor.section("power", power, "A cap on the power of all members, and its shares");
  visitor.section("staging", staging, "A store in front of the members that keeps its data without power");
}

void DeferredParams::keys(KeyVisitor& visitor) {
  visitor.key("after_s", after_s, "s", {0, 1e6},
              "A copy that the host has not read for so long may sleep, and gets its writes later; 0: at once always");
  visitor.key("age_s", age_s, "s", {0.001, 1e6}, "A write that was put off for so long wakes its copy");
  visitor.key("most", most_mib, "MiB", {0, 1e6}, "Data put off for a copy, more than which wake it");
  visitor.key("copies", copies, "", {1, 1'023}, "Copies of each block that get a write at once: the first in service");
}

void ArrayParams::check_deferred() const {
  if (deferred.after_s <= 0) return;
  if (level != Level::raid1 && level != Level::raid10)
    throw InputError("array.deferred.after_s: writes are put off with level = \"raid1\" or \"raid10\" only");
  if (scrub_mb_s > 0)
    throw InputError("array.deferred.after_s: a scrub (scrub_mb_s) would compare copies of which one lacks writes");
}

std::uint32_t ArrayParams::stripe_sectors() const {
  return whole_sectors(stripe_unit_kib, "array.stripe_unit");
}

std::uint32_t ArrayParams::rebuild_sectors() const {
  return whole_sectors(rebuild_unit_kib, "array.rebuild_unit");
}

std::uint32_t ArrayParams::scrub_sectors() const {
  return whole_sectors(scrub_unit_kib, "array.scrub_unit");
}

}  // namespace armature::array
