#include "armature/drive/drive_params.h"

#include "armature/core/error.h"
#include "armature/core/section_list.h"
#include "armature/core/typed_keys.h"

#include <algorithm>

namespace armature::drive {

void IdentityParams::keys(KeyVisitor& visitor) {
  visitor.key("model", model, "Model that IDENTIFY DEVICE tells, up to 40 ASCII characters");
  visitor.key("serial", serial, "Serial number that IDENTIFY DEVICE tells, up to 20 ASCII characters");
  visitor.key("firmware", revision, "Firmware revision that IDENTIFY DEVICE tells, up to 8 ASCII characters");
  visitor.key("link_generation", link_generation, "", {1, 3},
              "Fastest link rate that IDENTIFY DEVICE tells: 1, 2, 3 for 1.5, 3, 6 Gb/s");
}

void BackgroundParams::keys(KeyVisitor& visitor) {
  visitor.key("scan_idle_ms", scan_idle_ms, "ms", {0, 1e6},
              "Media scan: the drive reads its surface when no command has been under way for so long; 0: never");
  visitor.key("scan_rate_mb_s", scan_rate_mb_s, "MB/s", {0, 10'000},
              "Media scan: bytes a second, by pauses between its steps; 0: the steps follow each other");
  visitor.key("scan_step_sectors", scan_step_sectors, "", {8, 65'528},
              "Media scan: sectors of 512 bytes of a step, at most; a multiple of 8");
  visitor.key("max_added_us", max_added_us, "us", {0, 1e6},
              "Media scan and self-tests also run while commands are under way, on arms that are free: mean by which "
              "that may make a command slower; 0: they wait for a time without commands");
  visitor.key(
      "recalibration_s", recalibration_s, "s", {0, 1e6},
      "Recalibration of the arm: so often it goes to a reference track and back; 0: never, as in all drive files, "
      "because no published period was found for them. About 1,800 s in Fujitsu's ATA drives of 1999 and "
      "2000 (manuals of MPE3xxxAT and MPG3xxxAH, 4.5.2)");
  visitor.key("recalibration_ms", recalibration_ms, "ms", {0.001, 1'000'000},
              "Recalibration: stay on the reference track. The default is the longest wait of a command that Fujitsu's "
              "manual of the MHV2060AS states (4.5.3); the MPG3xxxAH's is 100 ms");
  visitor.key("recalibration_wait_ms", recalibration_wait_ms, "ms", {0.001, 1'000'000},
              "Recalibration: waits so long for a time without requests, then comes before the next one");
  visitor.key("recalibration_cylinder", recalibration_cylinder, "", {0, media::Geometry::kMaxCylinders - 1.0},
              "Recalibration: cylinder of the reference track (head 0)");
}

void SmartParams::keys(KeyVisitor& visitor) {
  visitor.key(
      "autosave_min", autosave_min, "min", {0, 10'000},
      "Counts of SMART are saved to the flash so long after the first command since the last save (they are too "
      "after errors and on the way into standby); 0: not by time");
  visitor.key("retire_head_errors", retire_head_errors, "", {0, 10'000},
              "A head whose reads have failed so often within retire_window_s goes out of service, as one that has "
              "failed, if others reach its tracks; 0: never");
  visitor.key("retire_arm_errors", retire_arm_errors, "", {0, 10'000},
              "The same for an arm that has left its track in so many accesses; 0: never");
  visitor.key("retire_window_s", retire_window_s, "s", {1, 1e6}, "Window in which these errors are counted");
}

media::GeometryParams DriveParams::layout() const {
  arms.check();
  if (arms.disk_scale != 1 && spindle.motor.given())
    throw InputError(
        "arms.disk_scale: section spindle.motor says what its stack takes; give that inertia and windage of the "
        "smaller disks, and leave the diameter out here");
  return arms.layout(arms.scaled(media::formatted(geometry, format, spindle.rpm)));
}

std::uint32_t DriveParams::seek_cylinders(const media::Geometry& layout) const {
  if (arms.disk_scale == 1) return layout.cylinders();
  std::int64_t cylinders = 1;
  for (const media::ZoneParams& zone : geometry.zones) cylinders = std::max(cylinders, zone.last_cylinder + 1);
  return static_cast<std::uint32_t>(cylinders);
}

Ps DriveParams::arm_prepare_time() const {
  if (arms.prepare_us < 0.5) return 0;
  constexpr double kTimerUs = 2;  // one in the deadline, one when the timer is set for it
  return from_us(arms.prepare_us + kTimerUs) + (firmware.handler_cycles(FW_IRQ_TMR) + 1) * controller.cpu_period();
}

Ps DriveParams::channel_grant_time() const {
  if (arms.channel_count() >= arms.arms()) return 0;
  // Two writes over the bridge (cha.request, and cha.free before it), two clocks to the start, four of the decision.
  constexpr int kClocks = 2 * 2 + 2 + 4;
  return kClocks * arbiter.clock_period() + (firmware.handler_cycles(FW_IRQ_CHA) + 1) * controller.cpu_period();
}

Ps DriveParams::channel_lead_time() const {
  return from_us(arms.channel_lead_us) + channel_grant_time() +
         (firmware.handler_cycles(FW_IRQ_TMR) + 1) * controller.cpu_period() +
         from_us(std::max(channel.select_us, channel.write_to_read_us));
}

Ps DriveParams::channel_end_time() const {
  return from_us(channel.latency_us + static_cast<double>(channel.max_iterations) * channel.iteration_us) +
         (firmware.handler_cycles(FW_IRQ_CHN0) + 1) * controller.cpu_period();
}

void IdleParams::keys(KeyVisitor& visitor) {
  visitor.key(
      "active_idle_s", active_idle_s, "s", {0, 1e5},
      "Active idle so long after the end of the last command: the arms go to the middle of the stroke and their "
      "servos off, and electronics sleep; back in seek.acquire_ms. 0: never");
  visitor.key(
      "low_power_idle_s", low_power_idle_s, "s", {0, 1e5},
      "Low-power idle so long after the end of the last command: the arms go onto the ramp, and the stack turns; "
      "back in seek.load_ms. 0: never");
  visitor.key(
      "low_rpm_idle_s", low_rpm_idle_s, "s", {0, 1e5},
      "Idle_c so long after the end of the last command: as low-power idle, and the stack at the lowest speed of "
      "spindle.speeds_rpm; back when it has its speed, and seek.load_ms. 0: never");
  visitor.key(
      "apm_level", apm_level, "", {0, 254},
      "Level of advanced power management at power-on (SET FEATURES 05h changes it): from 192 on active idle is "
      "the deepest condition, from 128 on low-power idle; 0: the deepest that has a time here");
  choice(visitor, "spin_down", spin_down, {"never", "fixed", "adaptive", "probabilistic"},
         "Standby by itself: never; after a fixed time; after a time that grows when the way back takes too long "
         "for the time without a command before it, and shrinks otherwise; after a random time up to the "
         "break-even time");
  visitor.key("spin_down_s", spin_down_s, "s", {0.001, 1e5},
              "Time from the end of the last command to standby; adaptive: its first value; probabilistic: the "
              "break-even time, in which idle takes the extra energy of the way to standby and back");
  visitor.key("spin_down_least_s", spin_down_least_s, "s", {0.001, 1e5}, "Adaptive: shortest time");
  visitor.key("spin_down_most_s", spin_down_most_s, "s", {0.001, 1e5}, "Adaptive: longest time");
  visitor.key("spin_down_step_s", spin_down_step_s, "s", {0.001, 1e5}, "Adaptive: by so much it grows and shrinks");
  visitor.key("spin_down_acceptable", spin_down_acceptable, "", {0, 1},
              "Adaptive: the way back may take so large a part of the time without a command before it");
  choice(visitor, "extended", extended, {"none", "disabled", "enabled"},
         "Extended power conditions (SET FEATURES 4Ah, log 08h), and their state at power-on: the drive does not have "
         "them; the host must enable them; they are enabled, with the times of this section, and advanced power "
         "management is off");
}

void SpeedParams::keys(KeyVisitor& visitor) {
  choice(visitor, "policy", policy, {"full", "drpm"},
         "Speed of the stack (drives with spindle.speeds_rpm): the full one; or by the mean response of windows of "
         "requests, as DRPM does");
  visitor.key("window_requests", window_requests, "", {2, 1e6}, "DRPM: requests of a window");
  visitor.key("upper", upper, "", {0, 100},
              "DRPM: a window's mean response that is longer by more than this part than that of the window before it "
              "brings the stack to full speed");
  visitor.key("lower", lower, "", {-1, 100},
              "DRPM: one that is longer by less than this part, or shorter, allows one speed less");
  visitor.key("check_s", check_s, "s", {0.001, 1e4},
              "DRPM: so often the drive looks whether it has no request, and then changes one speed down, as far as "
              "is allowed");
}

void GovernorParams::keys(KeyVisitor& visitor) {
  choice(
      visitor, "objective", objective, {"off", "watts", "response", "share"},
      "What the governor keeps to, at the end of each period: off; a mean power of at most cap_w, with no less power "
      "than that takes; p99_ms for 99 of 100 requests, with the least power; or as watts, with the drive's share of "
      "array.power.cap_w as the cap");
  visitor.key("period_s", period_s, "s", {0.01, 1'000}, "Period in which it measures, and then may change the setting");
  visitor.key(
      "calm_periods", calm_periods, "", {1, 1'000},
      "Periods in a row that keep to the objective before it gives power back (watts) or saves more (response)");
  visitor.key("cap_w", cap_w, "W", {0, 1'000}, "Watts: most of a period's mean, by charge counters (pmu.energy)");
  visitor.key("room", room, "", {0, 0.9}, "Watts: a setting that is chosen leaves this part of the cap free");
  visitor.key("p99_ms", p99_ms, "ms", {0, 1e5}, "Response: of 99 of 100 requests, as the drive sees it, at most");
  visitor.table(
      "settings", settings,
      {{"rpm", "rpm", {60, 60'000}, false}, {"arms", "", {1, 8}}, {"quiet", "", {0, 1}}, {"idle", "", {0, 4}}},
      "Settings, the most power first, up to 16: speed of the stack, arms in service, quiet seeks, how many "
      "of active idle, low-power idle, Idle_c and standby are allowed. Empty: lower speeds, then quiet seeks, "
      "then arms out of service one by one, as far as the drive has them");
}

void PowerCapParams::keys(KeyVisitor& visitor) {
  visitor.key("cap_w", cap_w, "W", {0, 1000},
              "Most that the drive draws on average over each window while the stack turns, by charge counters on its "
              "rails (pmu.energy): accesses begin later. Above its power at idle. 0: no cap");
  visitor.key("window_s", window_s, "s", {0.1, 60}, "Length of the windows");
  visitor.key("margin", margin, "", {0.001, 0.5},
              "Part of the cap that stays free. Half of it, times the window, is energy that a burst may take at once; "
              "half for what has begun when no more may begin");
  visitor.key("quiet", quiet, "Where accesses must wait, seeks are quiet from then on (drives with seek.quiet)");
  visitor.key(
      "arms", arms,
      "If accesses wait even so, arms go out of service one by one, down to one, and their servos are off (drives "
      "with seek.acquire_ms)");
}

void ThrottleParams::keys(KeyVisitor& visitor) {
  visitor.key("at_c", at_c, "C", {0, 125},
              "When the sensor on the case tells more, firmware takes a measure, and one more each every_s. Needs "
              "thermal.case_k_w. 0: never");
  visitor.key("hysteresis_c", hysteresis_c, "C", {0, 50},
              "When the case is so far below at_c, firmware takes one measure back, and one more each every_s");
  visitor.key("every_s", every_s, "s", {1, 3600}, "Time between two of these steps, at least");
  visitor.key("quiet", quiet, "The first measure: seeks are quiet (drives with seek.quiet)");
  visitor.key("arms", arms,
              "Further measures: arms go out of service one by one, down to one, and their servos are off (drives with "
              "seek.acquire_ms)");
}

void WhatIfParams::keys(KeyVisitor& visitor) {
  visitor.key("seek_scale", seek_scale, "", {0, 1},
              "Moves of the arms and changes of heads take so much of their time; the arbitration unit's table is "
              "scaled alike, so that its predictions stay exact. Settling for a write is not scaled");
  visitor.key("rotation_scale", rotation_scale, "", {0, 1},
              "Each wait for a sector takes so much of its time, as if it lay so much nearer; the disk itself turns on "
              "as before. The arbitration unit does not know: it chooses by the whole wait and predicts it, so that "
              "the predicted time is the one at 1");
}

const char* const kFaultsMeaning = "A fault: what breaks, where, when and for how long (docs/guide/faults.md)";

std::vector<std::string> take_old_faults(DriveParams& params) {
  std::vector<FaultParams> old;
  std::vector<std::string> used;
  for (const ArmFailure& row : params.arms.failures) old.push_back(arm_fails(row.time_s, row.arm));
  for (const HeadFailure& row : params.arms.head_failures)
    old.push_back(head_fails(row.time_s, row.arm, row.surface, row.head));
  for (const media::GrownDefect& row : params.media.defects) old.push_back(grown_defect(row.lbn, row.from_s));
  if (!params.arms.failures.empty()) used.emplace_back("arms.failures");
  if (!params.arms.head_failures.empty()) used.emplace_back("arms.head_failures");
  if (!params.media.defects.empty()) used.emplace_back("media.defects");
  params.arms.failures.clear();
  params.arms.head_failures.clear();
  params.media.defects.clear();
  params.faults.insert(params.faults.begin(), old.begin(), old.end());
  return used;
}

void DriveParams::keys(KeyVisitor& visitor) {
  visitor.section("identity", identity, "What IDENTIFY DEVICE tells");
  visitor.section("geometry", geometry, "Recording layout");
  visitor.section("format", format, "What a track holds besides data: servo wedges, gaps, check bytes, density");
  visitor.section("media", media, "Contents of the sectors");
  visitor.section("channel", channel, "How sectors are read: errors, decoder, retries");
  visitor.section("spindle", spindle, "Rotation of the disk stack");
  visitor.section("seek", seek, "Moves of the arm");
  visitor.section("mechanics", mechanics, "Whether arms move by times or by a servo loop");
  visitor.section("arms", arms, "Disk stacks, arm assemblies that move independently, their heads");
  visitor.section("head", head, "Where a head's writer sits against its reader");
  visitor.section("buffer", buffer, "Buffer RAM");
  visitor.section("cache", cache, "What firmware does with the buffer");
  visitor.section("controller", controller, "System on chip");
  visitor.section("firmware", firmware, "Cost of the firmware's handlers");
  visitor.section("overheads", overheads, "What a command costs besides the handlers; other commands go on meanwhile");
  visitor.section("nvm", nvm, "Flash in which firmware keeps what must outlive a loss of power");
  visitor.section("arbiter", arbiter, "Arm-arbitration unit");
  visitor.section("background", background, "The drive's own work while no request waits");
  visitor.section("smart", smart, "Self-monitoring, and parts that go out of service before they fail");
  visitor.section("idle", idle, "Idle conditions into which the drive goes by itself");
  visitor.section("speed", speed, "Who changes the stack's speed while requests come");
  visitor.section("governor", governor, "Chooses arms, seeks, speed and idle conditions for an objective");
  visitor.section("power_cap", power_cap, "A cap on the drive's power, kept by its firmware");
  visitor.section("throttle", throttle, "What firmware does when the drive is warm");
  sections(visitor, "faults", faults, kFaultsMeaning);
  visitor.section("whatif", whatif, "Limit studies: parts of the mechanics' time left out");
}

}  // namespace armature::drive
