// What an array, its cache and the store in front of it have counted, for the results.
#include "array_counters.h"

#include "armature/core/conversions.h"
#include "hosted_array.h"

#include <fmt/format.h>

#include <utility>

namespace armature::app {
namespace {

std::vector<observe::Counter> controller_counters(const array::ArrayController& controller) {
  const array::ArrayController::Counters& array = controller.counters();
  const auto value = [](auto n) { return static_cast<double>(n); };
  std::vector<observe::Counter> counted = {
      {"member_operations", "operations", "sent to the drives of the array", value(array.operations)},
      {"full_rows", "rows", "written as a whole: nothing was read for the parity", value(array.full_rows)},
      {"modified_rows", "rows", "written in part by read-modify-write", value(array.modified_rows)},
      {"reconstructed_rows", "rows", "written in part by reconstruct-write", value(array.reconstructed_rows)},
      {"degraded_rows", "rows", "read by reconstruction, or written without parity", value(array.degraded_rows)},
      {"failed_members", "drives", "of the array, out of service", value(array.failed_members)},
      {"rebuilt_members", "drives", "whose contents a spare has", value(array.rebuilt_members)},
      {"rebuilt_sectors", "sectors of 512 bytes", "written to spares", value(array.rebuilt_sectors)},
  };
  if (array.rebuild_began >= 0)
    counted.push_back({"rebuild_began_s", "s", "when the last rebuild began", to_seconds(array.rebuild_began)});
  if (array.rebuild_ended >= 0)
    counted.push_back({"rebuild_ended_s", "s", "when it was complete", to_seconds(array.rebuild_ended)});
  if (array.parity_compared > 0) {
    counted.push_back(
        {"parity_compared", "rows", "of reads, compared with their parity", value(array.parity_compared)});
    counted.push_back(
        {"parity_different", "rows", "of these, the ones that did not agree", value(array.parity_different)});
  }
  if (array.deferred_writes > 0) {
    counted.push_back({"deferred_writes", "writes", "put off, as their copy slept", value(array.deferred_writes)});
    counted.push_back({"deferred_made_up", "sectors of 512 bytes", "of these, written to the copies later",
                       value(array.deferred_made_up)});
    counted.push_back({"deferred_lost", "sectors of 512 bytes", "that a copy lacked and no other had any more",
                       value(array.deferred_lost)});
    counted.push_back({"most_deferred", "sectors of 512 bytes", "put off at once", value(array.most_deferred)});
    counted.push_back(
        {"oldest_deferred_s", "s", "longest that a copy lacked a write", to_seconds(array.oldest_deferred)});
  }
  if (array.scrubbed_sectors > 0) {
    counted.push_back({"scrub_passes", "passes", "of a scrub over all members", value(array.scrub_passes)});
    counted.push_back(
        {"scrubbed_sectors", "sectors of 512 bytes", "of each member, read by a scrub", value(array.scrubbed_sectors)});
    counted.push_back({"scrub_repaired", "sectors of 512 bytes",
                       "that could not be read, made anew from the other members", value(array.scrub_repaired)});
    counted.push_back({"scrub_lost", "sectors of 512 bytes", "that could not be read nor made anew, in each pass again",
                       value(array.scrub_lost)});
    counted.push_back({"scrub_different", "stretches", "of array.scrub_unit, whose copies or parity did not agree",
                       value(array.scrub_different)});
  }
  const std::vector<Ps> buses = controller.bus_busy();
  if (!buses.empty())
    counted.push_back(
        {"bus_wait_s", "s", "that operations waited for a bus, all together", to_seconds(array.bus_wait)});
  for (std::size_t i = 0; i < buses.size(); ++i)
    counted.push_back({fmt::format("bus_{}_busy_s", i), "s", "that the bus was taken", to_seconds(buses[i])});
  if (array.parts_checked > 0) {
    counted.push_back({"parts_checked", "parts",
                       "of array.rebuild_unit, in which something was written: copies or parity compared at the end",
                       value(array.parts_checked)});
    counted.push_back(
        {"parts_different", "parts", "of these, the ones that did not agree", value(array.parts_different)});
  }
  return counted;
}

void add_counters(std::vector<observe::Counter>& counted, const array::ArrayCache::Counters& cache) {
  const auto value = [](auto n) { return static_cast<double>(n); };
  counted.push_back({"cache_read_hits", "requests", "read from the array's cache alone", value(cache.read_hits)});
  counted.push_back({"cache_read_parts", "requests", "of which the array's cache had a part", value(cache.read_parts)});
  counted.push_back(
      {"cache_read_misses", "requests", "of which the array's cache had nothing", value(cache.read_misses)});
  counted.push_back(
      {"cache_writes_kept", "requests", "that ended when the array's cache had their data", value(cache.writes_kept)});
  counted.push_back(
      {"cache_writes_past", "requests", "that ended when the members had their data", value(cache.writes_past)});
  counted.push_back({"cache_waits", "requests", "writes that waited for room in the array's cache, or for others",
                     value(cache.waits)});
  counted.push_back({"cache_destages", "writes", "of the array's cache to the members", value(cache.destages)});
  counted.push_back(
      {"cache_destaged_sectors", "sectors of 512 bytes", "written by these", value(cache.destaged_sectors)});
  counted.push_back({"cache_lost_sectors", "sectors of 512 bytes",
                     "acknowledged by the array's cache, and not taken by the members", value(cache.lost_sectors)});
}

void add_counters(std::vector<observe::Counter>& counted, const array::Staging::Counters& staging) {
  const auto value = [](auto n) { return static_cast<double>(n); };
  counted.push_back({"store_read_hits", "requests", "read from the store alone", value(staging.read_hits)});
  counted.push_back({"store_read_parts", "requests", "of which the store had a part", value(staging.read_parts)});
  counted.push_back({"store_read_misses", "requests", "of which the store had nothing", value(staging.read_misses)});
  counted.push_back(
      {"store_fills", "requests", "whose data went into the store behind the read", value(staging.fills)});
  counted.push_back(
      {"store_writes_kept", "requests", "that ended when the store had their data", value(staging.writes_kept)});
  counted.push_back(
      {"store_writes_past", "requests", "that ended when the members had their data", value(staging.writes_past)});
  counted.push_back({"store_destages", "writes", "of the store's data to the members", value(staging.destages)});
  counted.push_back(
      {"store_destaged_sectors", "sectors of 512 bytes", "written by these", value(staging.destaged_sectors)});
  counted.push_back(
      {"store_most_dirty", "lines", "with data that the members lacked, at once", value(staging.most_dirty)});
  counted.push_back({"store_oldest_s", "s", "longest that the members lacked a write", to_seconds(staging.oldest)});
  counted.push_back({"store_lost_sectors", "sectors of 512 bytes", "that only the store had, and that it lost",
                     value(staging.lost_sectors)});
  counted.push_back({"store_left_sectors", "sectors of 512 bytes", "not taken by the members at the end",
                     value(staging.left_sectors)});
  counted.push_back({"store_failed", "stores", "out of service", value(staging.failed)});
}

void add_counters(std::vector<observe::Counter>& counted, const array::PowerBudget& power) {
  const array::PowerBudget::Counters& budget = power.counters();
  counted.push_back({"power_moves", "periods", "at whose end watts moved to a drive of the array",
                     static_cast<double>(budget.moves)});
  counted.push_back({"power_moved_w", "W", "that moved, all together", budget.moved_w});
  counted.push_back({"power_most_w", "W", "greatest mean of a period, all drives together", budget.most_w});
  counted.push_back(
      {"power_periods", "periods", "of the cap on the drives' power", static_cast<double>(budget.periods)});
  counted.push_back(
      {"power_periods_over", "periods", "whose mean power was above the cap", static_cast<double>(budget.over)});
  for (std::size_t i = 0; i < power.members(); ++i)
    counted.push_back(
        {fmt::format("power_share_{}_w", i), "W", "of the cap, of this drive at the end", power.share_w(i)});
}

}  // namespace

std::vector<observe::Counter> counters(const HostedArray& array) {
  std::vector<observe::Counter> counted = controller_counters(array.controller());
  for (observe::Counter& counter : array.rebuild().counters()) counted.push_back(std::move(counter));
  if (array.cache()) add_counters(counted, array.cache()->counters());
  if (array.staging()) add_counters(counted, array.staging()->counters());
  if (array.power()) add_counters(counted, *array.power());
  return counted;
}

}  // namespace armature::app
