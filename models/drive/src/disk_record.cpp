#include "disk_record.h"

#include "armature/core/block_address.h"
#include "armature/core/conversions.h"
#include "armature/core/error.h"
#include "armature/drive/ladder_record.h"
#include "armature/regs/aau.h"
#include "seek_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace armature::drive {
namespace {

constexpr std::uint32_t kReachGiven = 1u << 16;              // an arm may reach surface 0 only, a word of zeros
constexpr std::uint32_t kLongestSeekTicks = (1u << 24) - 1;  // aau.seek_time.ticks

/// Stacks, arms and their heads.
void describe_arms(const ArmsParams& arms, const media::Geometry& geometry, fw_factory& record) {
  record.stacks = arms.stack_count();
  record.ranges = arms.range == ArmsParams::split ? arms.arms() : 1;
  const std::vector<std::uint32_t> angles = arms.angle_ticks();
  for (unsigned i = 0; i < arms.arms(); ++i) {
    record.arm_mount[i] =
        regs::aau::arm_mount::Stack::set(regs::aau::arm_mount::Angle::set(0, angles[i]), arms.stack_of(i));
    const ArmsParams::Surfaces reach = arms.reach(i, geometry.heads());
    if (reach.count == geometry.heads() && !arms.has_fixed()) continue;
    record.arm_reach[i] =
        kReachGiven | regs::aau::arm_reach::Last::set(regs::aau::arm_reach::First::set(0, reach.first),
                                                      reach.first + reach.count - 1);
  }
  record.fixed_first = static_cast<std::uint32_t>(arms.fixed_first);
  record.fixed_cylinders = static_cast<std::uint32_t>(arms.fixed_cylinders);
  const std::vector<std::uint32_t> offsets = arms.head_offsets(geometry.cylinders());
  const std::vector<std::uint32_t> head_angles = arms.head_angle_ticks();
  std::copy(offsets.begin(), offsets.end(), record.head_offset);
  std::copy(head_angles.begin(), head_angles.end(), record.head_angle);
}

/// aau.channels, if several arms may be at work. With more of them than channels, they take these shortly before their
/// sectors; with a channel for each none lacks one.
std::uint32_t appointments(const DriveParams& params, double rpm) {
  namespace channels = regs::aau::channels;
  const unsigned limit = params.arms.in_service_limit(), count = params.arms.channel_count();
  const unsigned at_work = limit == 0 ? params.arms.arms() : limit;
  const bool shared = count < at_work;
  const std::uint32_t gap = ticks(params.channel_end_time() + (shared ? params.channel_lead_time() : 0), rpm);
  if (at_work == 1 || gap > 0xFFFF) return 0;
  return channels::Gap::set(channels::Count::set(0, shared ? count : channels::Count::kMask), gap);
}

std::uint32_t describe_seek(const std::vector<fw_seek_point>& points, fw_seek_point* record) {
  for (const fw_seek_point& point : points)
    if (point.ticks > kLongestSeekTicks) throw InputError("seek: a move may last at most 255 revolutions");
  std::copy(points.begin(), points.end(), record);
  return static_cast<std::uint32_t>(points.size());
}

/// A bit each.
std::uint32_t quiet_arms(const DriveParams& params) {
  std::uint32_t mask = 0;
  for (const double arm : params.seek.quiet.arms) {
    if (arm != std::floor(arm) || arm >= params.arms.arms())
      throw InputError(
          fmt::format("seek.quiet.arms: there is no arm {}; arms are 0 to {}", arm, params.arms.arms() - 1));
    mask |= 1u << static_cast<unsigned>(arm);
  }
  return mask;
}

/// Extended power conditions: which of them the drive has, and how long the way back from each takes.
void describe_extended(const DriveParams& params, fw_factory& record) {
  if (params.idle.extended == IdleParams::none) return;
  const auto ms = [](double time) { return std::max(1u, static_cast<std::uint32_t>(std::llround(time))); };
  record.epc = params.idle.extended == IdleParams::enabled ? FW_EPC_ON : FW_EPC_OFF;
  const auto& seek = params.seek;
  const auto& stack = params.spindle;
  const bool ramp = seek.load_ms > 0;
  if (seek.acquire_ms > 0) record.epc_back_ms[0] = ms(seek.acquire_ms);
  if (ramp) record.epc_back_ms[1] = ms(seek.load_ms);
  if (ramp && !stack.speeds_rpm.empty()) {
    const double slowest = *std::min_element(stack.speeds_rpm.begin(), stack.speeds_rpm.end());
    record.epc_back_ms[2] = ms(stack.spin_up_s * 1e3 * (1 - slowest / stack.rpm) + seek.load_ms);
    record.epc_back_ms[3] = record.epc_back_ms[2];
  }
  record.epc_back_ms[4] = ms(stack.spin_up_s * 1e3 + seek.load_ms);
}

/// When the drive goes into its idle conditions.
void describe_idle(const DriveParams& params, fw_factory& record) {
  const IdleParams& idle = params.idle;
  if (!params.idle_conditions()) return;
  if (idle.active_idle_s > 0 && params.seek.acquire_ms <= 0)
    throw InputError("idle.active_idle_s: needs seek.acquire_ms, the time of the way back");
  if (idle.low_power_idle_s > 0 && params.seek.load_ms <= 0)
    throw InputError("idle.low_power_idle_s: needs a ramp (seek.load_ms, seek.unload_ms)");
  if (idle.low_rpm_idle_s > 0 && params.seek.load_ms <= 0)
    throw InputError("idle.low_rpm_idle_s: needs a ramp (seek.load_ms, seek.unload_ms)");
  if (idle.low_rpm_idle_s > 0 && params.spindle.speeds_rpm.empty())
    throw InputError("idle.low_rpm_idle_s: needs a lower speed of the stack (spindle.speeds_rpm)");
  const auto ms = [](double seconds) {
    return seconds > 0 ? std::max(1u, static_cast<std::uint32_t>(std::llround(seconds * 1e3))) : 0u;
  };
  record.cache |= FW_CACHE_IDLE;
  record.active_idle_ms = ms(idle.active_idle_s);
  record.low_power_idle_ms = ms(idle.low_power_idle_s);
  record.low_rpm_idle_ms = ms(idle.low_rpm_idle_s);
  record.apm_level = static_cast<std::uint32_t>(idle.apm_level);
  describe_extended(params, record);
  record.spin_down = static_cast<std::uint32_t>(idle.spin_down);
  if (idle.spin_down == IdleParams::never) return;
  if (idle.apm_level >= 128)
    throw InputError("idle.apm_level: from 128 on the drive does not spin down by itself; idle.spin_down says it does");
  if (idle.spin_down == IdleParams::adaptive &&
      (idle.spin_down_least_s > idle.spin_down_s || idle.spin_down_s > idle.spin_down_most_s))
    throw InputError(
        fmt::format("idle.spin_down_s: {} s must lie between idle.spin_down_least_s, {} s, and "
                    "idle.spin_down_most_s, {} s",
                    idle.spin_down_s, idle.spin_down_least_s, idle.spin_down_most_s));
  record.spin_down_ms = ms(idle.spin_down_s);
  record.spin_down_least_ms = ms(idle.spin_down_least_s);
  record.spin_down_most_ms = ms(idle.spin_down_most_s);
  record.spin_down_step_ms = ms(idle.spin_down_step_s);
  record.spin_down_acceptable = static_cast<std::uint32_t>(std::llround(idle.spin_down_acceptable * 65536));
  for (const char c : params.identity.serial)  // FNV-1a: drives of the same kind do not stop together
    record.spin_down_seed = (record.spin_down_seed ^ static_cast<unsigned char>(c)) * 16'777'619u + 2'166'136'261u;
}

/// The stack's speeds, and who changes them.
void describe_speeds(const DriveParams& params, fw_factory& record) {
  const std::vector<double>& lower = params.spindle.speeds_rpm;
  const SpeedParams& speed = params.speed;
  if (lower.empty() && speed.policy != SpeedParams::full)
    throw InputError("speed.policy: needs a lower speed of the stack (spindle.speeds_rpm)");
  if (lower.empty()) return;
  if (params.mechanics.kind == MechanicsParams::servo)
    throw InputError("spindle.speeds_rpm: a servo loop is designed for one speed; needs mechanics.kind = \"profile\"");
  if (speed.policy != SpeedParams::full && !params.spindle.access_at_lower)
    throw InputError("speed.policy: the lower speeds are idle speeds (spindle.access_at_lower)");
  record.cache |= FW_CACHE_SPEEDS;
  record.lower_speeds = static_cast<std::uint32_t>(lower.size());
  for (std::size_t n = 0; n < lower.size(); ++n)
    record.speed_part[n] = static_cast<std::uint32_t>(std::ceil(lower[n] / params.spindle.rpm * FW_WHOLE_SPEED));
  record.speed_policy = static_cast<std::uint32_t>(speed.policy);
  record.speed_window = static_cast<std::uint32_t>(speed.window_requests);
  record.speed_upper = static_cast<std::int32_t>(std::lround(speed.upper * 65536));
  record.speed_lower = static_cast<std::int32_t>(std::lround(speed.lower * 65536));
  record.speed_check_us = static_cast<std::uint32_t>(std::lround(std::min(speed.check_s, 4e3) * 1e6));
}

/// All means of the drive, one after the other, the cheapest first.
std::vector<std::vector<double>> all_means(const DriveParams& params) {
  const double arms = params.arms.arms();
  std::vector<std::vector<double>> rows = {{params.spindle.rpm, arms, 0, 4}};
  const auto next = [&rows](std::size_t column, double value) {
    rows.push_back(rows.back());
    rows.back()[column] = value;
  };
  if (params.spindle.access_at_lower)
    for (const double rpm : params.spindle.speeds_rpm) next(0, rpm);
  if (params.seek.quiet.given()) next(2, 1);
  for (double in_service = arms - 1; in_service >= 1 && params.seek.acquire_ms > 0; --in_service) next(1, in_service);
  return rows;
}

/// A row of governor.settings as firmware has it.
std::uint32_t setting(const DriveParams& params, const std::vector<double>& row) {
  std::size_t speed = 0;
  while (speed < params.spindle.speeds() && params.spindle.speed(speed) != row[0]) ++speed;
  if (speed == params.spindle.speeds())
    throw InputError(
        fmt::format("governor.settings: {:g} rpm is neither spindle.rpm nor one of spindle.speeds_rpm", row[0]));
  if (speed > 0 && !params.spindle.access_at_lower)
    throw InputError(fmt::format("governor.settings: {:g} rpm is an idle speed (spindle.access_at_lower)", row[0]));
  const double out = params.arms.arms() - row[1];
  if (out < 0)
    throw InputError(fmt::format("governor.settings: {:g} arms, and the drive has {}", row[1], params.arms.arms()));
  if (out > 0 && params.seek.acquire_ms <= 0)
    throw InputError("governor.settings: an arm out of service needs seek.acquire_ms, the time of its way back");
  if (row[2] > 0 && !params.seek.quiet.given()) throw InputError("governor.settings: quiet seeks need seek.quiet");
  return static_cast<std::uint32_t>(speed) | static_cast<std::uint32_t>(out) << FW_SETTING_ARMS_OUT_SHIFT |
         (row[2] > 0 ? FW_SETTING_QUIET : 0u) | static_cast<std::uint32_t>(row[3]) << FW_SETTING_IDLE_SHIFT;
}

/// Power of the drive at idle with a setting, mW.
std::uint32_t idle_mw(const SavingParams& saving, std::uint32_t setting) {
  const std::uint32_t speed = setting & FW_SETTING_SPEED_MASK;
  const std::uint32_t out = (setting & FW_SETTING_ARMS_OUT_MASK) >> FW_SETTING_ARMS_OUT_SHIFT;
  const double watts = speed == 0 || saving.lower_w.empty() ? saving.idle_w : saving.lower_w[speed - 1];
  return static_cast<std::uint32_t>(std::llround((watts - out * saving.arm_w) * 1e3));
}

/// Refuses a row that has no less of any means than the row before it: the settings are not in their order.
void check_order(const std::vector<std::vector<double>>& rows) {
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::vector<double>&before = rows[i - 1], &row = rows[i];
    if (row[0] >= before[0] && row[1] >= before[1] && row[2] <= before[2] && row[3] <= before[3])
      throw InputError(
          fmt::format("governor.settings: row {} saves nothing that row {} does not; the setting with the most power "
                      "comes first",
                      i + 1, i));
  }
}

void describe_governor(const DriveParams& params, fw_factory& record) {
  const GovernorParams& governor = params.governor;
  if (governor.objective == GovernorParams::off) return;
  if (governor.objective == GovernorParams::watts && governor.cap_w <= 0)
    throw InputError("governor.cap_w: the objective watts needs a cap");
  if (governor.objective == GovernorParams::response && governor.p99_ms <= 0)
    throw InputError("governor.p99_ms: the objective response needs a bound");
  if (params.power_cap.cap_w > 0)
    throw InputError("governor.objective: power_cap.cap_w has the same means; only one of the two may use them");
  if (params.speed.policy != SpeedParams::full)
    throw InputError("governor.objective: speed.policy changes the speed too; only one of the two may");
  const std::vector<std::vector<double>> rows = governor.settings.empty() ? all_means(params) : governor.settings;
  if (rows.size() > FW_MAX_SETTINGS)
    throw InputError(fmt::format("governor.settings: {} settings, and there may be {}", rows.size(), FW_MAX_SETTINGS));
  record.cache |= FW_CACHE_GOVERNOR;
  constexpr std::uint32_t kObjectives[] = {0, FW_GOVERNOR_WATTS, FW_GOVERNOR_RESPONSE, FW_GOVERNOR_SHARE};
  record.governor = kObjectives[governor.objective];
  double slowest = params.spindle.rpm;
  for (const double rpm : params.spindle.speeds_rpm) slowest = std::min(slowest, rpm);
  const double change_s = (params.spindle.spin_down_s + params.spindle.spin_up_s) * (1 - slowest / params.spindle.rpm);
  record.governor_change_us = static_cast<std::uint32_t>(std::llround(change_s * 1e6));
  record.governor_period_us = static_cast<std::uint32_t>(std::llround(governor.period_s * 1e6));
  record.governor_calm = static_cast<std::uint32_t>(governor.calm_periods);
  record.governor_cap_mw = static_cast<std::uint32_t>(std::llround(governor.cap_w * 1e3));
  record.governor_room = static_cast<std::uint32_t>(std::llround(governor.room * 65536));
  record.governor_bound_us = static_cast<std::uint32_t>(std::llround(governor.p99_ms * 1e3));
  for (const std::vector<double>& row : rows) {
    const std::uint32_t n = record.governor_settings++;
    record.governor_setting[n] = setting(params, row);
    record.governor_idle_mw[n] = idle_mw(governor.saving, record.governor_setting[n]);
  }
  for (std::size_t n = 0; n < governor.saving.rise_j.size(); ++n)
    record.governor_rise_mj[n] = static_cast<std::uint32_t>(std::llround(governor.saving.rise_j[n] * 1e3));
  check_order(rows);
}

/// The cap on the drive's power.
void describe_power_cap(const DriveParams& params, fw_factory& record) {
  const PowerCapParams& cap = params.power_cap;
  if (cap.cap_w <= 0) return;
  record.cache |= FW_CACHE_POWER_CAP;
  record.cap_mw = std::max(1u, static_cast<std::uint32_t>(std::llround(cap.cap_w * 1e3)));
  record.cap_window_us = static_cast<std::uint32_t>(std::llround(cap.window_s * 1e6));
  record.cap_margin = static_cast<std::uint32_t>(std::llround(cap.margin * 65536));
  record.cap_means = (cap.quiet ? FW_CAP_QUIET : 0u) | (cap.arms && params.seek.acquire_ms > 0 ? FW_CAP_ARMS : 0u);
}

/// What firmware does against heat.
void describe_throttle(const DriveParams& params, fw_factory& record) {
  const ThrottleParams& throttle = params.throttle;
  if (throttle.at_c <= 0) return;
  const auto whole = [](double c) { return static_cast<std::uint32_t>(std::llround(c)) & 0xFFu; };
  record.throttle = whole(throttle.at_c) | whole(throttle.at_c - throttle.hysteresis_c) << 8;
  record.throttle_every_ms = static_cast<std::uint32_t>(std::llround(throttle.every_s * 1e3));
  record.throttle_means =
      (throttle.quiet ? FW_CAP_QUIET : 0u) | (throttle.arms && params.seek.acquire_ms > 0 ? FW_CAP_ARMS : 0u);
}

}  // namespace

std::uint32_t ticks(Ps t, double rpm) {
  return static_cast<std::uint32_t>(to_ticks(t, to_millirpm(rpm)));
}

/// Times in ticks, each of less than a revolution where firmware keeps it in 16 bits.
static void describe_times(const DriveParams& params, const actuator::SeekProfile& profile, unsigned tags,
                           unsigned slots, fw_factory& record) {
  const double rpm = params.spindle.rpm;
  // The angle that a decision starts from is older by the decision, then come the handlers and a safety margin.
  // With one head a surface, margin_us has room for the rows of slots that are not for tags.
  const Ps margin =
      params.arbiter.scan_time(params.arms.heads > 1 ? slots : tags, params.arms.arms(), params.arms.heads) +
      (params.firmware.positioning_cycles() + 2) * params.controller.cpu_period() + from_us(params.arbiter.margin_us) +
      params.channel_grant_time() + from_us(std::max(params.channel.select_us, params.channel.write_to_read_us)) +
      params.arm_prepare_time() + params.spindle.earliest();
  record.margin_ticks = ticks(margin, rpm);
  record.head_switch_ticks = ticks(profile.head_switch(), rpm);
  record.write_settle_ticks = ticks(profile.write_settle(), rpm);
  record.reposition_ticks = ticks(profile.reposition(), rpm);
  record.spin_up_limit_us = static_cast<std::uint32_t>(std::llround(params.firmware.spin_up_limit_s * 1e6));
  const auto below_a_turn = [rpm](std::uint32_t ticks_of_it, const char* key, const char* what, Ps time) {
    if (ticks_of_it <= 0xFFFF) return;
    throw InputError(fmt::format("{}: {} must be shorter than a revolution, {:.3f} ms at {} rpm, and is {:.3f} ms", key,
                                 what, 60e3 / rpm, rpm, to_ms(time)));
  };
  below_a_turn(record.head_switch_ticks, "seek.head_switch_ms", "a head switch", profile.head_switch());
  below_a_turn(record.write_settle_ticks, "seek.write_settle_ms", "settling for a write", profile.write_settle());
  below_a_turn(record.reposition_ticks, "seek.reposition_ms", "repositioning", profile.reposition());
  below_a_turn(record.margin_ticks, "arbiter.margin_us",
               "what the arbitration unit leaves for its decision, the firmware's handlers (controller.cpu_mhz, "
               "firmware), the arm's start (arms.prepare_us) and the channel (channel.select_us, write_to_read_us) on "
               "top of it",
               margin);
  if (record.reposition_ticks != 0) record.cache |= FW_CACHE_REPOSITION;
}

void describe_disk(const DriveParams& params, const media::Geometry& geometry, const actuator::SeekProfile& profile,
                   unsigned tags, unsigned slots, fw_factory& record) {
  const double rpm = params.spindle.rpm;
  record.arms = params.arms.arms();
  record.channels = params.arms.channel_count();
  record.heads = geometry.heads();
  record.cylinders = geometry.cylinders();
  record.rpm = static_cast<std::uint32_t>(std::llround(rpm));
  describe_times(params, profile, tags, slots, record);
  record.physical_sectors = geometry.physical_sector_bytes() / kSectorBytes;
  record.logical_sectors = static_cast<std::uint32_t>(params.geometry.logical_sector_bytes / kSectorBytes);
  if (params.background.recalibration_cylinder >= geometry.cylinders())
    throw InputError("background.recalibration_cylinder: the drive has only " + std::to_string(geometry.cylinders()));
  record.recalibration_track = static_cast<std::uint32_t>(params.background.recalibration_cylinder);
  const std::uint32_t longest =
      std::max(1u, geometry.cylinders() - 1 + guard_cylinders(params.head.jog(params.format, geometry.cylinders())));
  using actuator::SeekMode;
  record.seek_points = describe_seek(seek_points(profile, longest, rpm, SeekMode::normal), record.seek);
  if (profile.has_quiet()) {
    record.quiet_points = describe_seek(seek_points(profile, longest, rpm, SeekMode::quiet), record.quiet);
    record.quiet_arms = quiet_arms(params);
    record.quiet_flags = params.seek.quiet.just_in_time ? FW_QUIET_JUST_IN_TIME : 0;
  }
  record.aau_limits = regs::aau::limits::Moving::set(
      regs::aau::limits::InService::set(0, params.arms.in_service_limit()), params.arms.moving_limit());
  record.aau_limits = regs::aau::limits::Heads::set(record.aau_limits, params.arms.head_count() - 1);
  record.channel_policy = static_cast<std::uint32_t>(params.arms.channel_policy);
  record.channel_margin_ticks =
      ticks(params.channel_grant_time() + from_us(params.arbiter.margin_us) + params.spindle.earliest(), rpm);
  record.channel_lead_us = static_cast<std::uint32_t>(ceil_div(params.channel_lead_time(), kPsPerUs));
  record.aau_channels = appointments(params, rpm);
  const Ps grant = params.firmware.handler_cycles(FW_IRQ_AAU) * params.controller.cpu_period();
  record.arm_prepare_us = static_cast<std::uint32_t>(std::llround(params.arms.prepare_us));
  record.grant_ns = static_cast<std::uint32_t>(std::min<Ps>(grant / kPsPerNs, UINT32_MAX));
  record.placement = static_cast<std::uint32_t>(params.arms.placement);
  record.placement_after_us = static_cast<std::uint32_t>(std::llround(params.arms.placement_after_ms * 1e3));
  record.placement_near = static_cast<std::uint32_t>(params.arms.placement_near * (geometry.cylinders() - 1));
  record.jog = params.head.jog(params.format, geometry.cylinders());
  record.arm_cylinders = geometry.cylinders() + guard_cylinders(record.jog);
  describe_arms(params.arms, geometry, record);
  describe_ladder(params.channel, record);
  describe_idle(params, record);
  describe_speeds(params, record);
  describe_governor(params, record);
  describe_power_cap(params, record);
  describe_throttle(params, record);
}

}  // namespace armature::drive
