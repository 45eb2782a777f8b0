#include "factory_record.h"

#include "armature/core/error.h"
#include "armature/regs/aau.h"
#include "armature/regs/chn.h"
#include "seek_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace armature::drive {
namespace {

constexpr Ps kPsMillirpmPerTick = 915'527'343'750;           // 60,000 * 10^12 / 65,536
constexpr std::uint32_t kReachGiven = 1u << 16;              // an arm may reach surface 0 only, a word of zeros
constexpr std::uint32_t kLongestSeekTicks = (1u << 24) - 1;  // aau.seek_time.ticks

/// Copies ASCII and pads with spaces, as ATA strings are.
template <std::size_t N>
void copy_text(char (&to)[N], const std::string& from, const char* key) {
  if (from.size() > N)
    throw InputError(std::string(key) + ": longer than " + std::to_string(N) + " characters: \"" + from + "\"");
  for (const char c : from)
    if (c < 0x20 || c > 0x7E) throw InputError(std::string(key) + ": holds a character that is not printable ASCII");
  std::fill(std::copy(from.begin(), from.end(), to), to + N, ' ');
}

/// Stacks, arms and their heads.
void describe_arms(const ArmsParams& arms, const media::Geometry& geometry, fw_factory& record) {
  record.stacks = arms.stack_count();
  const std::vector<std::uint32_t> angles = arms.angle_ticks();
  for (unsigned i = 0; i < arms.arms(); ++i) {
    record.arm_mount[i] =
        regs::aau::arm_mount::Stack::set(regs::aau::arm_mount::Angle::set(0, angles[i]), arms.stack_of(i));
    const ArmsParams::Surfaces reach = arms.reach(i, geometry.heads());
    if (reach.count == geometry.heads()) continue;
    record.arm_reach[i] =
        kReachGiven | regs::aau::arm_reach::Last::set(regs::aau::arm_reach::First::set(0, reach.first),
                                                      reach.first + reach.count - 1);
  }
  const std::vector<std::uint32_t> offsets = arms.head_offsets(geometry.cylinders());
  const std::vector<std::uint32_t> head_angles = arms.head_angle_ticks();
  std::copy(offsets.begin(), offsets.end(), record.head_offset);
  std::copy(head_angles.begin(), head_angles.end(), record.head_angle);
}

/// The channels' retry ladder. Throws what channel::ReadProcess would of it.
void describe_ladder(const channel::ChannelParams& params, fw_factory& record) {
  namespace step = regs::chn::ladder_step;
  record.ladder_limit_ms = static_cast<std::uint32_t>(params.retry_limit_ms);
  for (const auto& row : params.ladder) {
    std::uint32_t word = step::Repeats::set(0, static_cast<std::uint32_t>(row[0]));
    word = step::Offset::set(word, static_cast<std::uint32_t>(static_cast<std::int32_t>(row[1])) & 0x1FFu);
    word = step::Detector::set(word, static_cast<std::uint32_t>(row[2]));
    record.ladder[record.ladder_steps++] = step::Erasure::set(word, row[3] != 0);
  }
}

/// aau.channels: with more arms at work than channels, which they take shortly before their sectors.
std::uint32_t appointments(const DriveParams& params, double rpm) {
  namespace channels = regs::aau::channels;
  const unsigned limit = params.arms.in_service_limit(), count = params.arms.channel_count();
  const unsigned at_work = limit == 0 ? params.arms.arms() : limit;
  const std::uint32_t gap = ticks(params.channel_gap_time(), rpm);
  if (count >= at_work || gap > 0xFFFF) return 0;
  return channels::Gap::set(channels::Count::set(0, count), gap);
}

}  // namespace

std::uint32_t ticks(Ps t, double rpm) {
  const auto millirpm = static_cast<std::int64_t>(std::llround(rpm * 1000));
  return static_cast<std::uint32_t>(ceil_div(static_cast<__int128>(t) * millirpm, kPsMillirpmPerTick));
}

fw_factory factory_record(const DriveParams& params, const media::Geometry& geometry,
                          const actuator::SeekProfile& profile, unsigned tags, unsigned slots) {
  const unsigned arms = params.arms.arms();
  const double rpm = params.spindle.rpm;
  fw_factory record{};
  record.magic = FW_FACTORY_MAGIC;
  record.version = FW_FACTORY_VERSION;
  copy_text(record.model, params.identity.model, "identity.model");
  copy_text(record.serial, params.identity.serial, "identity.serial");
  copy_text(record.revision, params.identity.revision, "identity.firmware");
  record.capacity_lo = static_cast<std::uint32_t>(geometry.sectors());
  record.capacity_hi = static_cast<std::uint32_t>(geometry.sectors() >> 32);
  record.arms = arms;
  record.channels = params.arms.channel_count();
  record.heads = geometry.heads();
  record.cylinders = geometry.cylinders();
  record.queue_depth = tags;
  record.rpm = static_cast<std::uint32_t>(std::llround(rpm));
  record.link_generation = static_cast<std::uint32_t>(params.identity.link_generation);
  record.policy = static_cast<std::uint32_t>(params.arbiter.policy);
  record.ageing_weight = static_cast<std::uint32_t>(params.arbiter.ageing_weight);
  // The angle that a decision starts from is older by the decision, then come the handlers and a safety margin.
  // With one head a surface, margin_us has room for the rows of slots that are not for tags.
  const Ps margin = params.arbiter.scan_time(params.arms.heads > 1 ? slots : tags, arms, params.arms.heads) +
                    (params.firmware.positioning_cycles() + 2) * params.controller.cpu_period() +
                    from_us(params.arbiter.margin_us) + params.channel_grant_time() +
                    from_us(std::max(params.channel.select_us, params.channel.write_to_read_us));
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
               "firmware) and the channel (channel.select_us, write_to_read_us) on top of it",
               margin);
  const controller::CacheParams& cache = params.cache;
  if (cache.low_water > cache.high_water) throw InputError("cache.low_water: must not be above cache.high_water");
  record.cache =
      (slots >= tags + FW_MAX_WRITEBACK_SLOTS ? FW_CACHE_LINE_SLOTS : 0) | (cache.write ? FW_CACHE_WRITE : 0) |
      (cache.look_ahead ? FW_CACHE_LOOK_AHEAD : 0) | (cache.read_on_arrival ? FW_CACHE_READ_ON_ARRIVAL : 0) |
      (cache.hardware_hits ? FW_CACHE_HARDWARE_HITS : 0) | (cache.free_reads ? FW_CACHE_FREE_READS : 0) |
      (cache.read_ahead_from == controller::CacheParams::second ? FW_CACHE_AHEAD_SECOND : 0) |
      (cache.write_stops_read_ahead ? FW_CACHE_WRITE_STOPS : 0) | (cache.keep_requested ? FW_CACHE_KEEP_REQUESTED : 0) |
      (cache.keep_written ? FW_CACHE_KEEP_WRITTEN : 0) | (cache.read_ahead_on_hit ? FW_CACHE_AHEAD_ON_HIT : 0) |
      (cache.drop_near == controller::CacheParams::adjacent ? FW_CACHE_DROP_ADJACENT : 0) |
      (cache.drop_near == controller::CacheParams::same_track ? FW_CACHE_DROP_TRACK : 0) |
      (cache.written_segment == controller::CacheParams::front ? FW_CACHE_CUT_FRONT : 0) |
      (cache.written_segment == controller::CacheParams::nothing ? FW_CACHE_CUT_WHOLE : 0);
  record.read_ahead_end = static_cast<std::uint32_t>(cache.read_ahead);
  record.read_ahead_sectors = static_cast<std::uint32_t>(cache.read_ahead_sectors);
  record.read_watermark_percent =
      cache.read_watermark < 0 ? 101 : static_cast<std::uint32_t>(std::llround(cache.read_watermark * 100));
  if (record.read_ahead_end != FW_AHEAD_STREAM || record.read_ahead_sectors != 0 ||
      record.read_watermark_percent <= 100)
    record.cache |= FW_CACHE_READ_POLICY;
  record.high_water_percent = static_cast<std::uint32_t>(std::llround(cache.high_water * 100));
  record.low_water_percent = static_cast<std::uint32_t>(std::llround(cache.low_water * 100));
  record.physical_sectors = geometry.physical_sector_bytes() / 512;
  const BackgroundParams& background = params.background;
  const auto whole_us = [](double t_us) { return static_cast<std::uint32_t>(std::llround(t_us)); };
  if (background.scan_step_sectors % 8 != 0) throw InputError("background.scan_step_sectors: must be a multiple of 8");
  if (background.recalibration_cylinder >= geometry.cylinders())
    throw InputError("background.recalibration_cylinder: the drive has only " + std::to_string(geometry.cylinders()));
  record.scan_idle_us = whole_us(background.scan_idle_ms * 1e3);
  record.scan_step = static_cast<std::uint32_t>(background.scan_step_sectors);
  if (background.scan_rate_mb_s > 0) {
    const double pause_us = static_cast<double>(background.scan_step_sectors) * 512 / background.scan_rate_mb_s;
    if (pause_us > 3.6e9)
      throw InputError("background.scan_rate_mb_s: a step of the scan would take more than an hour");
    record.scan_pause_us = std::max(1u, whole_us(pause_us));
  }
  record.recalibration_ms = whole_us(background.recalibration_s * 1e3);
  record.recalibration_wait_us = whole_us(background.recalibration_wait_ms * 1e3);
  record.recalibration_stay_us = whole_us(background.recalibration_ms * 1e3);
  record.recalibration_track = static_cast<std::uint32_t>(background.recalibration_cylinder);
  record.logical_sectors = static_cast<std::uint32_t>(params.geometry.logical_sector_bytes / 512);
  record.write_extents = static_cast<std::uint32_t>(cache.write_extents);
  record.write_bypass_percent = static_cast<std::uint32_t>(std::llround(cache.write_bypass * 100));
  record.write_bypass_sectors = static_cast<std::uint32_t>(cache.write_bypass_kib * 2);
  record.destage_order = static_cast<std::uint32_t>(cache.destage_order);
  record.destage_candidates = static_cast<std::uint32_t>(cache.destage_candidates);
  record.write_watermark_percent = static_cast<std::uint32_t>(std::llround(cache.write_watermark * 100));
  const controller::CacheParams plain;
  if (cache.write_extents != plain.write_extents || cache.write_bypass != plain.write_bypass ||
      cache.write_bypass_kib != plain.write_bypass_kib || cache.destage_order != plain.destage_order ||
      cache.destage_candidates != plain.destage_candidates || record.write_watermark_percent != 100)
    record.cache |= FW_CACHE_WRITE_POLICY;
  record.destage_idle_us = static_cast<std::uint32_t>(std::llround(cache.destage_idle_ms * 1000));
  const auto start = params.overheads.start_us();
  const auto complete = params.overheads.complete_us();
  std::copy(start.begin(), start.end(), record.start_us);
  std::copy(complete.begin(), complete.end(), record.complete_us);
  const controller::OverheadParams& overheads = params.overheads;
  record.write_data_us = whole_us(overheads.write_data_us);
  record.write_last_data_us =
      overheads.write_last_data_us < 0 ? record.write_data_us : whole_us(overheads.write_last_data_us);
  const auto some = [](std::uint32_t us) { return us != 0; };
  if (record.write_data_us != 0 || record.write_last_data_us != 0 || std::any_of(start.begin(), start.end(), some) ||
      std::any_of(complete.begin(), complete.end(), some))
    record.cache |= FW_CACHE_OVERHEADS;
  if (record.reposition_ticks != 0) record.cache |= FW_CACHE_REPOSITION;
  const std::uint32_t longest =
      std::max(1u, geometry.cylinders() - 1 + guard_cylinders(params.head.jog(params.format, geometry.cylinders())));
  for (const fw_seek_point& point : seek_points(profile, longest, rpm)) {
    if (point.ticks > kLongestSeekTicks) throw InputError("seek: a move may last at most 255 revolutions");
    record.seek[record.seek_points++] = point;
  }
  record.aau_limits = regs::aau::limits::Moving::set(
      regs::aau::limits::InService::set(0, params.arms.in_service_limit()), params.arms.moving_limit());
  record.aau_limits = regs::aau::limits::Heads::set(record.aau_limits, params.arms.head_count() - 1);
  record.channel_policy = static_cast<std::uint32_t>(params.arms.channel_policy);
  record.channel_margin_ticks = ticks(params.channel_grant_time() + from_us(params.arbiter.margin_us), rpm);
  record.channel_lead_us = static_cast<std::uint32_t>(ceil_div(params.channel_lead_time(), kPsPerUs));
  record.aau_channels = appointments(params, rpm);
  record.jog = params.head.jog(params.format, geometry.cylinders());
  record.stroke = geometry.cylinders() - 1 + guard_cylinders(record.jog);
  describe_arms(params.arms, geometry, record);
  describe_ladder(params.channel, record);
  return record;
}

}  // namespace armature::drive
