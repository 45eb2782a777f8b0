#include "controller_record.h"

#include "armature/core/block_address.h"
#include "armature/core/error.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace armature::drive {
namespace {

/// Copies ASCII and pads with spaces, as ATA strings are.
template <std::size_t N>
void copy_text(char (&to)[N], const std::string& from, const char* key) {
  if (from.size() > N)
    throw InputError(std::string(key) + ": longer than " + std::to_string(N) + " characters: \"" + from + "\"");
  for (const char c : from)
    if (c < 0x20 || c > 0x7E) throw InputError(std::string(key) + ": holds a character that is not printable ASCII");
  std::fill(std::copy(from.begin(), from.end(), to), to + N, ' ');
}

std::uint32_t whole_us(double t_us) {
  return static_cast<std::uint32_t>(std::llround(t_us));
}

void describe_reads(const controller::CacheParams& cache, fw_factory& record) {
  record.read_ahead_end = static_cast<std::uint32_t>(cache.read_ahead);
  record.read_ahead_sectors = static_cast<std::uint32_t>(cache.read_ahead_sectors);
  record.minimum_read_ahead = static_cast<std::uint32_t>(cache.minimum_read_ahead_sectors);
  record.read_watermark_percent =
      cache.read_watermark < 0 ? 101 : static_cast<std::uint32_t>(std::llround(cache.read_watermark * 100));
  if (record.read_ahead_end != FW_AHEAD_STREAM || record.read_ahead_sectors != 0 || record.minimum_read_ahead != 0 ||
      record.read_watermark_percent <= 100)
    record.cache |= FW_CACHE_READ_POLICY;
}

void describe_writes(const controller::CacheParams& cache, fw_factory& record) {
  if (cache.low_water > cache.high_water) throw InputError("cache.low_water: must not be above cache.high_water");
  record.high_water_percent = static_cast<std::uint32_t>(std::llround(cache.high_water * 100));
  record.low_water_percent =
      cache.low_water < 0 ? record.high_water_percent : static_cast<std::uint32_t>(std::llround(cache.low_water * 100));
  record.write_extents = static_cast<std::uint32_t>(cache.write_extents);
  record.write_bypass_percent = static_cast<std::uint32_t>(std::llround(cache.write_bypass * 100));
  record.write_bypass_sectors = static_cast<std::uint32_t>(cache.write_bypass_kib * 2);
  record.destage_order = static_cast<std::uint32_t>(cache.destage_order);
  record.destage_candidates = static_cast<std::uint32_t>(cache.destage_candidates);
  record.write_watermark_percent = static_cast<std::uint32_t>(std::llround(cache.write_watermark * 100));
  record.write_watermark_track = static_cast<std::uint32_t>(cache.write_watermark_track_sectors);
  const controller::CacheParams plain;
  if (cache.write_extents != plain.write_extents || cache.write_bypass != plain.write_bypass ||
      cache.write_bypass_kib != plain.write_bypass_kib || cache.destage_order != plain.destage_order ||
      cache.destage_candidates != plain.destage_candidates || record.write_watermark_percent != 100)
    record.cache |= FW_CACHE_WRITE_POLICY;
  record.destage_idle_us = static_cast<std::uint32_t>(std::llround(cache.destage_idle_ms * 1000));
}

void describe_cache(const controller::CacheParams& cache, bool line_slots, fw_factory& record) {
  record.cache =
      (line_slots ? FW_CACHE_LINE_SLOTS : 0) | (cache.write ? FW_CACHE_WRITE : 0) |
      (cache.look_ahead ? FW_CACHE_LOOK_AHEAD : 0) | (cache.read_on_arrival ? FW_CACHE_READ_ON_ARRIVAL : 0) |
      (cache.hardware_hits ? FW_CACHE_HARDWARE_HITS : 0) | (cache.free_reads ? FW_CACHE_FREE_READS : 0) |
      (cache.read_ahead_from == controller::CacheParams::second ? FW_CACHE_AHEAD_SECOND : 0) |
      (cache.write_stops_read_ahead ? FW_CACHE_WRITE_STOPS : 0) | (cache.keep_requested ? FW_CACHE_KEEP_REQUESTED : 0) |
      (cache.keep_written ? FW_CACHE_KEEP_WRITTEN : 0) | (cache.read_ahead_on_hit ? FW_CACHE_AHEAD_ON_HIT : 0) |
      (cache.drop_near == controller::CacheParams::adjacent ? FW_CACHE_DROP_ADJACENT : 0) |
      (cache.drop_near == controller::CacheParams::same_track ? FW_CACHE_DROP_TRACK : 0) |
      (cache.written_segment == controller::CacheParams::front ? FW_CACHE_CUT_FRONT : 0) |
      (cache.written_segment == controller::CacheParams::nothing ? FW_CACHE_CUT_WHOLE : 0);
  describe_reads(cache, record);
  describe_writes(cache, record);
}

void describe_smart(const SmartParams& smart, fw_factory& record) {
  record.autosave_s = static_cast<std::uint32_t>(std::llround(smart.autosave_min * 60));
  record.head_errors = static_cast<std::uint32_t>(smart.retire_head_errors);
  record.arm_errors = static_cast<std::uint32_t>(smart.retire_arm_errors);
  record.error_window_s = static_cast<std::uint32_t>(std::llround(smart.retire_window_s));
}

/// A temperature as firmware has it.
std::uint32_t celsius(double c) {
  return static_cast<std::uint32_t>(std::llround(std::clamp(c, -128.0, 127.0))) & 0xFFu;
}

void describe_sensor(const std::optional<SensorParams>& sensor, fw_factory& record) {
  if (!sensor) return;
  record.cache |= FW_CACHE_SENSOR;
  record.thermal_limits = celsius(sensor->least_c) | celsius(sensor->most_c) << 8;
}

void describe_background(const BackgroundParams& background, fw_factory& record) {
  if (background.scan_step_sectors % 8 != 0) throw InputError("background.scan_step_sectors: must be a multiple of 8");
  record.scan_idle_us = whole_us(background.scan_idle_ms * 1e3);
  record.scan_step = static_cast<std::uint32_t>(background.scan_step_sectors);
  if (background.scan_rate_mb_s > 0) {
    const double pause_us =
        static_cast<double>(background.scan_step_sectors) * kSectorBytes / background.scan_rate_mb_s;
    if (pause_us > 3.6e9)
      throw InputError("background.scan_rate_mb_s: a step of the scan would take more than an hour");
    record.scan_pause_us = std::max(1u, whole_us(pause_us));
  }
  record.max_added_us = background.max_added_us > 0 ? std::max(1u, whole_us(background.max_added_us)) : 0;
  if (record.max_added_us != 0) record.cache |= FW_CACHE_SPARE;
  record.recalibration_ms = whole_us(background.recalibration_s * 1e3);
  record.recalibration_wait_us = whole_us(background.recalibration_wait_ms * 1e3);
  record.recalibration_stay_us = whole_us(background.recalibration_ms * 1e3);
}

void describe_overheads(const controller::OverheadParams& overheads, fw_factory& record) {
  const auto start = overheads.start_us();
  const auto complete = overheads.complete_us();
  std::copy(start.begin(), start.end(), record.start_us);
  std::copy(complete.begin(), complete.end(), record.complete_us);
  record.hit_track_sector_ns = static_cast<std::uint32_t>(std::llround(overheads.read_hit_track_sector_us * 1e3));
  record.write_data_us = whole_us(overheads.write_data_us);
  record.write_last_data_us =
      overheads.write_last_data_us < 0 ? record.write_data_us : whole_us(overheads.write_last_data_us);
  record.end_read_ahead_us = whole_us(overheads.end_read_ahead_us);
  const auto some = [](std::uint32_t us) { return us != 0; };
  if (record.write_data_us != 0 || record.write_last_data_us != 0 || record.end_read_ahead_us != 0 ||
      record.hit_track_sector_ns != 0 || std::any_of(start.begin(), start.end(), some) ||
      std::any_of(complete.begin(), complete.end(), some))
    record.cache |= FW_CACHE_OVERHEADS;
}

}  // namespace

void describe_controller(const CommonParams& params, unsigned tags, unsigned slots, fw_factory& record) {
  record.magic = FW_FACTORY_MAGIC;
  record.version = FW_FACTORY_VERSION;
  copy_text(record.model, params.identity.model, "identity.model");
  copy_text(record.serial, params.identity.serial, "identity.serial");
  copy_text(record.revision, params.identity.revision, "identity.firmware");
  record.queue_depth = tags;
  record.buffer_offsets = params.buffer_offsets ? 1 : 0;
  record.link_generation = static_cast<std::uint32_t>(params.identity.link_generation);
  record.policy = static_cast<std::uint32_t>(params.arbiter.policy);
  record.ageing_weight = static_cast<std::uint32_t>(params.arbiter.ageing_weight);
  describe_cache(params.cache, slots >= tags + FW_MAX_WRITEBACK_SLOTS, record);
  describe_background(params.background, record);
  describe_smart(params.smart, record);
  describe_sensor(params.sensor, record);
  describe_overheads(params.overheads, record);
}

}  // namespace armature::drive
