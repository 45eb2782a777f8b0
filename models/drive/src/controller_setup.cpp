#include "controller_setup.h"

#include "armature/core/error.h"
#include "armature/firmware/fw_abi.h"

#include <fmt/format.h>

#include <string>

namespace armature::drive {
namespace {

constexpr std::uint32_t kLeastLines = 16;
constexpr std::uint32_t kLineSectors = 8;

/// Firmware keeps written data in lines: in a share of the RAM, or in a segment that it takes for them (segment.c).
bool has_lines(const CommonParams& params, std::uint32_t physical_sector_bytes, unsigned tags) {
  const controller::BufferParams buffer = with_lines(params, physical_sector_bytes);
  if (buffer.lines() > 0) return true;
  const bool room = buffer.segments > 1 && buffer.segment_sectors() >= FW_LEAST_LINES * kLineSectors;
  return room && tags + FW_MAX_WRITEBACK_SLOTS <= params.arbiter.most_slots();
}

}  // namespace

controller::BufferParams with_lines(const CommonParams& params, std::uint32_t physical_sector_bytes) {
  controller::BufferParams buffer = params.buffer;
  const bool needed = params.cache.write || physical_sector_bytes > 512;
  if (needed && buffer.write_share == 0) buffer.write_share = 0.25;
  if (needed && buffer.lines() < kLeastLines)
    throw InputError("buffer.write_share: leaves room for fewer than 16 lines of 4 KiB of written data");
  if (physical_sector_bytes > 512 && buffer.segment_sectors() < 8)
    throw InputError("buffer.segments: a segment has no room for a physical sector of 4096 bytes");
  return buffer;
}

unsigned slots(const CommonParams& params, std::uint32_t physical_sector_bytes, unsigned tags) {
  const bool ahead = params.cache.read_ahead_on_hit;
  const bool background = ahead || params.background.on();
  const bool write_back = background || has_lines(params, physical_sector_bytes, tags);
  return tags + (write_back ? FW_MAX_WRITEBACK_SLOTS : 0) + (background ? FW_BACKGROUND_SLOTS : 0) +
         (ahead ? FW_AHEAD_SLOTS : 0);
}

void check_tags(const CommonParams& params, std::uint32_t physical_sector_bytes, unsigned tags) {
  if (tags < 1 || tags > FW_MAX_TAGS) throw InputError("host.tags: must be 1 to 1024");
  if (params.background.on() && tags + FW_MAX_WRITEBACK_SLOTS + FW_BACKGROUND_SLOTS > FW_MAX_TAGS)
    throw InputError("host.tags: with background work at most " +
                     std::to_string(FW_MAX_TAGS - FW_MAX_WRITEBACK_SLOTS - FW_BACKGROUND_SLOTS));
  constexpr unsigned kBehindTags = FW_MAX_WRITEBACK_SLOTS + FW_BACKGROUND_SLOTS + FW_AHEAD_SLOTS;
  if (params.cache.read_ahead_on_hit && tags + kBehindTags > FW_MAX_TAGS)
    throw InputError(fmt::format("host.tags: with cache.read_ahead_on_hit at most {}", FW_MAX_TAGS - kBehindTags));
  if (with_lines(params, physical_sector_bytes).lines() > 0 && tags + FW_MAX_WRITEBACK_SLOTS > FW_MAX_TAGS)
    throw InputError("host.tags: with a write cache at most " + std::to_string(FW_MAX_TAGS - FW_MAX_WRITEBACK_SLOTS) +
                     ", because de-staging takes slots of the arbitration unit too");
}

}  // namespace armature::drive
