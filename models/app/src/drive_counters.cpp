// What a drive, its link and its host have counted, for the results.
#include "drive_counters.h"

#include "armature/app/linked_drive.h"
#include "armature/controller/soc.h"
#include "armature/core/conversions.h"
#include "armature/core/kernel_time.h"
#include "armature/observe/request_record.h"

#include <fmt/format.h>

#include <cctype>
#include <optional>
#include <string>

namespace armature::app {
namespace {

void add_handlers(const std::vector<controller::HandlerTime>& times, std::vector<observe::Counter>& counted) {
  const auto us = [](double ps) { return ps / static_cast<double>(kPsPerUs); };
  for (const controller::HandlerTime& time : times) {
    const std::string key = fmt::format("{}_handler_", time.handler);
    const auto calls = static_cast<double>(time.calls);
    counted.push_back({key + "calls", "calls", "of this handler of firmware's", calls});
    counted.push_back({key + "mean_us", "us", "mean time of a call, from the sampling of its interrupt to its end",
                       us(static_cast<double>(time.total) / calls)});
    counted.push_back({key + "most_us", "us", "longest of these", us(static_cast<double>(time.most))});
  }
}

/// How deep the stack of firmware that runs as an ELF has become.
void add_stack(const std::optional<controller::StackDepth>& stack, std::vector<observe::Counter>& counted) {
  if (!stack) return;
  counted.push_back({"stack_used_bytes", "bytes", "of firmware's stack in use at most, by its lowest stack pointer",
                     static_cast<double>(stack->used)});
  counted.push_back({"stack_bytes", "bytes", "of firmware's stack: one that needs more overflows",
                     static_cast<double>(stack->bytes)});
  counted.push_back(
      {"stack_deepest_handler", "name", "handler in which firmware's stack was deepest first", 0, stack->handler});
  counted.push_back({"stack_deepest_place", "function, source line", "that made it so deep", 0, stack->place});
}

/// What has become of its supply.
void add_power(const LinkedDrive& drive, std::vector<observe::Counter>& counted) {
  const unsigned losses = drive.disk().power_losses();
  if (losses == 0) return;
  counted.push_back({"power_losses", "losses", "of the drive's supply", static_cast<double>(losses)});
  counted.push_back({"emergency_retracts", "losses",
                     "of these, the ones that found an arm or a sled away from where it rests",
                     static_cast<double>(drive.disk().emergency_retracts())});
  Ps dark = 0;
  for (const PowerCut& cut : drive.power_cuts()) dark += (cut.back >= 0 ? cut.back : now()) - cut.at;
  counted.push_back({"without_supply_s", "s", "in which the drive had no supply", to_seconds(dark)});
  if (const host::WriteJournal* const journal = drive.journal()) {
    counted.push_back({"writes_at_risk", "writes", "acknowledged and not durable when the supply failed (host.journal)",
                       static_cast<double>(journal->at_risk())});
    counted.push_back({"writes_unknown", "writes", "without an answer when the supply failed (host.journal)",
                       static_cast<double>(journal->unknown())});
  }
}

void add_power_cap(const drive::Drive::Counters& disk, std::vector<observe::Counter>& counted) {
  if (disk.cap_debt_uj == 0) return;
  counted.push_back({"cap_waiting_s", "s", "in which the power cap let no access begin, though one waited",
                     to_seconds(disk.cap_shut_time)});
  counted.push_back({"cap_measures", "measures", "that the power cap took besides: quiet seeks, an arm less",
                     static_cast<double>(disk.cap_measures)});
  counted.push_back({"cap_debt_j", "J", "most that was drawn beyond what the power cap had let begin",
                     static_cast<double>(disk.cap_debt_uj) * 1e-6});
}

void add_throttle(const drive::Drive::Counters& disk, std::vector<observe::Counter>& counted) {
  if (disk.throttle_measures == 0) return;
  counted.push_back({"throttled_s", "s", "in which firmware throttled the drive because its case was warm",
                     to_seconds(disk.throttled_time)});
  counted.push_back({"throttle_measures", "measures", "that it took against heat: quiet seeks, an arm less",
                     static_cast<double>(disk.throttle_measures)});
  if (now() > 0)
    counted.push_back({"throttled_share", "", "of the time in which firmware throttled the drive",
                       to_seconds(disk.throttled_time) / to_seconds(now())});
}

void add_speeds(const drive::Drive::Counters& disk, std::vector<observe::Counter>& counted) {
  if (disk.speed_changes > 0)
    counted.push_back({"speed_changes", "changes", "of the stack's speed, to work at another one",
                       static_cast<double>(disk.speed_changes)});
  if (disk.governor_steps == 0) return;
  counted.push_back({"governor_steps", "steps", "from one setting to another by the governor",
                     static_cast<double>(disk.governor_steps)});
  counted.push_back({"governor_setting", "number", "of the governor's setting at the end, 0 the one with most power",
                     static_cast<double>(disk.governor_setting)});
}

void add_reads(const channel::ReadCounters& reads, std::vector<observe::Counter>& counted) {
  const auto value = [](auto n) { return static_cast<double>(n); };
  if (reads.reads == 0) return;
  counted.push_back({"sector_reads", "reads", "of physical sectors, retries counted", value(reads.reads)});
  counted.push_back({"failed_sector_reads", "reads", "of physical sectors that failed", value(reads.failed)});
  counted.push_back({"recovered_sectors", "physical sectors", "read by a retry", value(reads.recovered)});
  counted.push_back({"unreadable_sectors", "physical sectors", "given up by the channel", value(reads.unreadable)});
  if (reads.corrected_bits > 0)
    counted.push_back({"corrected_bits", "bits", "that the channels' decoders put right", value(reads.corrected_bits)});
  counted.push_back({"decoder_iterations", "iterations", "of the channels' decoders", value(reads.iterations)});
  for (std::size_t i = 0; i < reads.retries.size(); ++i)
    if (reads.retries[i] > 0)
      counted.push_back({fmt::format("retries_step_{}", i + 1), "reads", "with this step of the retry ladder",
                         value(reads.retries[i])});
}

/// "ICRC|ABRT" as a part of a counter's name: icrc_abrt.
std::string name_in_counters(std::string bits) {
  for (char& c : bits) c = c == '|' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return bits;
}

void add_background(const host::BackgroundReads& background, std::vector<observe::Counter>& counted) {
  const host::BackgroundReads::Counters& reads = background.counters();
  const auto count = static_cast<double>(reads.reads);
  const double seconds = to_seconds(now());
  counted.push_back({"background_reads", "reads", "of the host's background priority that have ended", count});
  counted.push_back({"background_mb_per_s", "MB/s", "that they brought, over the whole run",
                     seconds > 0 ? static_cast<double>(reads.sectors * kSectorBytes) / 1e6 / seconds : 0});
  counted.push_back({"background_mean_ms", "ms", "mean time of such a read at the drive",
                     count > 0 ? to_seconds(reads.response) * 1e3 / count : 0});
  counted.push_back(
      {"background_sectors", "sectors of 512 bytes", "that they brought", static_cast<double>(reads.sectors)});
  if (reads.failed > 0)
    counted.push_back(
        {"background_failed", "reads", "of these ended with an error", static_cast<double>(reads.failed)});
  if (reads.gave_up > 0)
    counted.push_back({"background_gave_up", "reads", "of these the host gave up without an answer",
                       static_cast<double>(reads.gave_up)});
  for (const auto& [error, failed] : reads.errors) {
    const std::string bits = observe::error_text(error);
    counted.push_back({"background_failed_" + name_in_counters(bits), "reads",
                       "of these ended with " + bits + " in the error register", static_cast<double>(failed)});
  }
}

/// What a drive and its host have counted.
std::vector<observe::Counter> counters(drive::Drive& drive, const host::HostBusAdapter::Counters& host,
                                       const host::HostQueue::Batched& batched) {
  const drive::Drive::Counters disk = drive.counters();
  const auto value = [](auto n) { return static_cast<double>(n); };
  std::vector<observe::Counter> counted = {
      {"soft_resets", "resets", "software resets (SRST) by the host", value(host.soft_resets)},
      {"comresets", "resets", "COMRESETs by the host", value(host.comresets)},
      {"reissued", "commands", "commands that the host sent again after a reset or a queued command's error",
       value(host.reissued)},
      {"reallocated_sectors", "sectors of 512 bytes", "moved to spares in this run, because they could not be read",
       value(disk.reallocated_sectors)},
      {"pending_sectors", "physical sectors",
       "at the end of the run: could not be read, and have not been written since", value(disk.pending_sectors)},
      {"lost_sectors", "sectors of 512 bytes",
       "acknowledged by the write cache, and not to be written because no spare was left", value(disk.lost_sectors)},
      {"scanned_sectors", "sectors of 512 bytes", "read by the media scan", value(disk.scanned_sectors)},
      {"scan_passes", "passes", "of the media scan over all of the disk", value(disk.scan_passes)},
      {"recalibrations", "recalibrations", "of the arm", value(disk.recalibrations)},
      {"placements", "moves", "of idle arms to where they wait (arms.placement)", value(disk.placements)},
      {"background_s", "s", "time of the arm for media scan and recalibration", to_seconds(disk.background_time)},
  };
  if (disk.scanned_sectors > 0 && now() > 0)
    counted.push_back({"scanned_mb_per_s", "MB/s", "that the media scan read, over the whole run",
                       value(std::uint64_t{disk.scanned_sectors} * kSectorBytes) / 1e6 / to_seconds(now())});
  if (disk.background_added != 0)
    counted.push_back({"background_added_s", "s",
                       "response that background work has added to the requests together, as firmware estimates it",
                       to_seconds(disk.background_added)});
  if (host.timeouts > 0)
    counted.push_back(
        {"command_timeouts", "times", "that a command was not answered in host.timeout_s", value(host.timeouts)});
  if (host.given_up > 0)
    counted.push_back({"given_up", "commands", "that the host gave up: without an answer after host.retries tries more",
                       value(host.given_up)});
  if (host.link_retries > 0)
    counted.push_back({"link_retries", "commands", "that the host sent again after an error of the link (ICRC)",
                       value(host.link_retries)});
  add_reads(drive.reads(), counted);
  add_power_cap(disk, counted);
  add_throttle(disk, counted);
  add_speeds(disk, counted);
  if (disk.ridden_reads > 0)
    counted.push_back({"ridden_reads", "reads", "that the pass for another one served too (tips.ride_along)",
                       value(disk.ridden_reads)});
  for (const drive::OwnCount& own : drive.own_counts()) counted.push_back({own.name, own.unit, own.meaning, own.value});
  if (batched.batches > 0) {
    counted.push_back(
        {"batches", "batches", "of requests that one pass served (host.parallel)", value(batched.batches)});
    counted.push_back({"batched_requests", "requests", "in these", value(batched.requests)});
    counted.push_back(
        {"failed_batches", "batches", "whose requests the host sent again one by one", value(batched.failed)});
  }
  add_handlers(drive.handler_times(), counted);
  add_stack(drive.soc().cpu->stack_depth(), counted);
  if (disk.failed_arms > 0) counted.push_back({"failed_arms", "arms", "out of service", value(disk.failed_arms)});
  if (disk.failed_heads > 0)
    counted.push_back({"failed_heads", "heads", "out of service, of arms that are not", value(disk.failed_heads)});
  return counted;
}

}  // namespace

std::vector<observe::Counter> counters(LinkedDrive& drive) {
  std::vector<observe::Counter> counted = counters(drive.disk(), drive.host_counters(), drive.batched());
  const auto value = [](auto n) { return static_cast<double>(n); };
  add_power(drive, counted);
  if (const std::uint64_t errors = drive.link().counters().crc_errors; errors > 0)
    counted.push_back({"link_crc_errors", "frames", "that arrived with a wrong CRC", value(errors)});
  if (const controller::BufferMemory::Upsets& upsets = drive.disk().soc().ram.upsets(); upsets.flipped > 0) {
    counted.push_back({"buffer_bits_flipped", "bits", "of the buffer RAM that changed", value(upsets.flipped)});
    counted.push_back({"buffer_words_corrected", "words", "that its ECC put right", value(upsets.corrected)});
    counted.push_back(
        {"buffer_words_detected", "words", "that parity or ECC found and could not put right", value(upsets.detected)});
    counted.push_back(
        {"buffer_words_silent", "words", "with wrong bits that were read and not noticed", value(upsets.silent)});
  }
  if (const host::BackgroundReads* const background = drive.background()) add_background(*background, counted);
  if (const FaultRecord* const faults = drive.fault_record()) faults->add_counters(counted);
  return counted;
}

}  // namespace armature::app
