#include "armature/host/host_params.h"

#include "armature/core/error.h"
#include "armature/core/section_list.h"
#include "armature/core/typed_keys.h"

#include <fmt/format.h>

#include <cmath>

namespace armature::host {
namespace {

constexpr std::int64_t kQuietest = 0x80;  // ATA8-ACS, SET FEATURES 42h

}  // namespace

void HostParams::keys(KeyVisitor& visitor) {
  choice(visitor, "policy", policy, {"fcfs", "clook", "elevator", "sstf", "sptf", "asptf"},
         "Order of dispatch; elevator: over the addresses up and down, turning at the last request; clook: up only; "
         "sstf, sptf and asptf ask a positioning oracle that no host has (a study aid)");
  visitor.key("ncq", ncq, "Queued commands (FPDMA); otherwise READ and WRITE DMA EXT, one at a time");
  visitor.key("tags", tags, "", {1, 1'024}, "Command tags of host and drive; above 32 is a study mode");
  visitor.key("depth", depth, "", {0, 1'024}, "Most requests at the drive at once; 0: one for each tag");
  visitor.key("ageing_weight", ageing_weight, "", {0, 1'000},
              "asptf: seconds of positioning time that one second of waiting is worth");
  visitor.key("identify", identify,
              "Ask IDENTIFY DEVICE before the first request, and keep to the drive's queue depth");
  visitor.key("verify", verify,
              "Every write carries its own data. Data that are read are compared with it; needs media.contents");
  visitor.key("read_back", read_back,
              "When the load has ended, the host reads every sector that was written; needs verify");
  visitor.key("journal", journal,
              "Write journal.tsv: of each write when it was sent, acknowledged and durable, and each loss of power");
  visitor.key(
      "reset_interval_ms", reset_interval_ms, "ms", {0, 1e9},
      "The host resets the drive at each multiple of this time while commands are out, unless none has completed since "
      "the last reset, and issues them again; 0: never");
  choice(visitor, "reset_kind", reset_kind, {"soft", "comreset"},
         "Such a reset: SRST in the device control register, or COMRESET on the link");
  visitor.key(
      "timeout_s", timeout_s, "s", {0, 1e6},
      "A command that the drive has had for so long without an answer has timed out. The host sends no more commands "
      "until each that is out has been answered or has timed out, too; then it sends COMRESET, and these commands "
      "again. Linux waits 30 s. 0: it waits for ever");
  visitor.key("retries", retries, "", {0, 1'000},
              "Times that the host sends a command again that has timed out, or whose frames were damaged on the link "
              "(ICRC), before it gives it up: the request fails. Linux has 5 (SD_MAX_RETRIES)");
  visitor.key("parallel", parallel,
              "Waiting requests whose blocks lie under the tips of a MEMS store together go to it as one batch, which "
              "one pass serves. Needs ncq = false, because batches are not queued");
  visitor.key("seek_only", seek_only,
              "Reads and writes are sent as SEEK, one at a time: the arm goes to the first sector and transfers "
              "nothing. Makers measure seek power this way");
  standby_keys(visitor);
  visitor.key("duration_limit", duration_limit, "", {0, 7},
              "Command duration limit that queued requests name, a descriptor of log 18h; 0: none. host.commands write "
              "the log and switch limits on");
  visitor.key("limited_share", limited_share, "", {0, 1},
              "Share of the requests that name duration_limit, spread evenly");
  visitor.key("acoustic_level", acoustic_level, "", {0, 254},
              "The host sets the drive's acoustic level before the first request (SET FEATURES 42h): 128 quiet to 254 "
              "fast; 0: it does not");
  visitor.key(
      "acoustic_switch_s", acoustic_switch_s, "s", {0, 1e9},
      "At each multiple of this time the host changes between acoustic_level and 254, as soon as nothing is at "
      "the drive: it holds its requests back until then. A change that is due while the drive executes one is left "
      "out; 0: never");
  background_keys(visitor);
  choice(visitor, "unaligned", unaligned, {"fail", "widen"},
         "A request that does not lie on whole logical sectors of 4,096 bytes: an error of the input, or "
         "widened to whole ones, as by a host that has the rest in memory");
  sections(
      visitor, "commands", commands,
      "A command that the host sends beside its requests (docs/reference/ata.md); its answer goes to commands.csv");
}

void HostParams::standby_keys(KeyVisitor& visitor) {
  visitor.key(
      "batch_s", batch_s, "s", {0, 1e6},
      "While nothing is at the drive, requests wait in the host until the oldest has waited for so long, so that "
      "the drive serves them together and rests longer in between. A flush ends the wait. 0: they do not wait");
  visitor.key("batch_requests", batch_requests, "", {0, 1'000'000},
              "Number of waiting requests that ends the wait of batch_s before its time; 0: none does");
  visitor.key("standby_after_s", standby_after_s, "s", {0, 1e9},
              "The host sends STANDBY IMMEDIATE when no request has been in the host or at the drive for so long; 0: "
              "never");
  visitor.key("standby_timer_s", standby_timer_s, "s", {0, 19'800},
              "The host sets the drive's standby timer before the first request, to the next longer standard value "
              "(5 s steps to 20 min, 21 min, 21 min 15 s, 30 min steps); 0: it leaves it off");
  rows(visitor, "standby_plan", standby_plan,
       {{"down", "s", &StandbySpan::down_s, {0, 1e9}}, {"up", "s", &StandbySpan::up_s, {0, 1e9}}},
       "Times from the begin of the run at which the host sends STANDBY IMMEDIATE, and IDLE IMMEDIATE after it. A "
       "standby that is due while a request is in the host or at the drive waits until it has completed, and is left "
       "out if its end comes first. `armature oracle` makes such plans");
}

void HostParams::background_keys(KeyVisitor& visitor) {
  visitor.key("background_outstanding", background_outstanding, "", {0, 31},
              "Reads of the background priority that the host keeps outstanding beside its requests. A drive with "
              "background.max_added_us reads them on spare arms and in rotational waits; others as any read. 0: none");
  visitor.key("background_sectors", background_sectors, "", {1, 65'536}, "Sectors of 512 bytes of each such read");
  rows(visitor, "background_ranges", background_ranges,
       {{"first", "sectors", &BackgroundRange::first, {0, 9e15}},
        {"sectors", "sectors", &BackgroundRange::sectors, {1, 9e15}}},
       "What they read, ranges of sectors of 512 bytes, each once; empty: all of the drive, from its begin");
}

std::uint8_t HostParams::standby_timer_value() const {
  if (standby_timer_s <= 0) return 0;
  if (standby_timer_s <= 1'200) return static_cast<std::uint8_t>(std::ceil(standby_timer_s / 5));
  if (standby_timer_s <= 1'260) return 252;
  if (standby_timer_s <= 1'275) return 255;
  return static_cast<std::uint8_t>(240 + std::ceil(standby_timer_s / 1'800));
}

void HostParams::check_plan() const {
  double before = 0;
  for (const StandbySpan& span : standby_plan) {
    if (span.down_s < before || span.up_s <= span.down_s)
      throw InputError(
          fmt::format("host.standby_plan: standby from {} to {} s must end after it begins, and begin after "
                      "the one before it has ended",
                      span.down_s, span.up_s));
    before = span.up_s;
  }
}

void HostParams::check_batch() const {
  if (batch_requests > 0 && batch_s <= 0)
    throw InputError("host.batch_requests: needs host.batch_s, the longest time that a request waits for others");
}

unsigned HostParams::in_flight_limit() const {
  check_plan();
  check_batch();
  if (acoustic_level != 0 && acoustic_level < kQuietest)
    throw InputError(fmt::format("host.acoustic_level is {}; levels are {} to 254", acoustic_level, kQuietest));
  if (acoustic_switch_s > 0 && acoustic_level == 0)
    throw InputError("host.acoustic_switch_s: needs host.acoustic_level, between which and 254 it changes");
  if (depth > tags) throw InputError(fmt::format("host.depth is {}, more than the {} of host.tags", depth, tags));
  if (parallel && (ncq || seek_only))
    throw InputError(fmt::format("host.parallel: batches are commands of their own that are not queued; it needs {}",
                                 ncq ? "host.ncq = false" : "host.seek_only = false"));
  if (background_outstanding > 0 && (!ncq || seek_only || parallel))
    throw InputError("host.background_outstanding: the priority is a field of queued commands; it needs host.ncq");
  if (background_outstanding >= tags)
    throw InputError(
        fmt::format("host.background_outstanding is {}, of the {} of host.tags", background_outstanding, tags));
  if (!ncq || seek_only) return 1;
  return static_cast<unsigned>(depth == 0 ? tags : depth);
}

}  // namespace armature::host
