#include "armature/drive/fault_params.h"

#include "armature/core/typed_keys.h"
#include "armature/media/geometry.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace armature::drive {
namespace {

using Kind = FaultParams::Kind;

constexpr std::array<const char*, FaultParams::kKinds> kNames = {
    "media_defect", "dead_head",   "stuck_arm", "slow_arm",      "servo_lost", "slow_spindle",
    "weak_code",    "buffer_flip", "link_crc",  "hung_firmware", "dead_tip",   "power_cut"};

constexpr unsigned bit(Kind kind) {
  return 1u << static_cast<unsigned>(kind);
}
template <class... Kinds>
constexpr unsigned of(Kinds... kinds) {
  return (bit(kinds) | ...);
}

constexpr unsigned kWithArm = of(Kind::dead_head, Kind::stuck_arm, Kind::slow_arm, Kind::servo_lost, Kind::weak_code);
constexpr unsigned kLasting = of(Kind::stuck_arm, Kind::slow_arm, Kind::servo_lost, Kind::slow_spindle, Kind::weak_code,
                                 Kind::hung_firmware, Kind::power_cut);
constexpr unsigned kMustEnd = of(Kind::servo_lost, Kind::slow_spindle, Kind::hung_firmware);
/// What breaks for good breaks once.
constexpr unsigned kOnce = of(Kind::dead_head, Kind::dead_tip);

[[noreturn]] void fail(const char* key, const std::string& what) {
  throw InputError(fmt::format("{}: {}", key, what));
}

/// A key that only some kinds have.
void only(const FaultParams& fault, bool given, const char* key, unsigned kinds) {
  if (!given || (kinds & bit(fault.kind)) != 0) return;
  std::string names;
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if ((kinds >> i & 1u) != 0) names += fmt::format("{}{}", names.empty() ? "" : ", ", kNames[i]);
  fail(key, fmt::format("a fault of kind {} has no such key; it belongs to {}", name_of(fault.kind), names));
}

}  // namespace

const char* name_of(Kind kind) {
  return kNames.at(static_cast<std::size_t>(kind));
}

void FaultParams::keys(KeyVisitor& v) {
  choice(
      v, "kind", kind,
      {"media_defect", "dead_head", "stuck_arm", "slow_arm", "servo_lost", "slow_spindle", "weak_code", "buffer_flip",
       "link_crc", "hung_firmware", "dead_tip", "power_cut"},
      "What breaks: media_defect, a physical sector cannot be read; dead_head, a head gives no signal; stuck_arm, an "
      "arm does not move; slow_arm, its motor has only `part` of its force; servo_lost, its position signal is gone; "
      "slow_spindle, a stack turns with only `part` of its speed; weak_code, reads have `margin_db` left; "
      "buffer_flip, bits of the buffer RAM change; link_crc, frames are damaged; hung_firmware, the processor stands "
      "still; dead_tip, a tip of a MEMS store; power_cut, the supply fails");
  v.key("drive", drive, "The drive, by name or glob; empty: every drive");
  v.key("at_s", at_s, "s", {0, 1e9}, "Not before this time");
  v.key("at_request", at_request, "", {-1, 9e15}, "When the host sends this request to the drive; -1: no matter");
  v.key("after_request", after_request, "", {-1, 9e15}, "When this request has ended; -1: no matter");
  v.key("at_access", at_access, "When the host sends a request to [lbn, lbn + sectors)");
  v.key("rate_per_s", rate_per_s, "1/s", {0, 1e6},
        "Again and again from then on, at random (exponential) intervals of this mean rate; 0: once");
  v.key("most", most, "", {0, 1e9}, "With rate_per_s: so often at the most; 0: no limit");
  v.key("seed", seed, "", {0, 9e15}, "Of everything random in this fault");
  v.key("for_ms", for_ms, "ms", {0, 1e9}, "How long it lasts; 0: for ever");
  v.key("lbn", lbn, "", {-1, 1e15},
        "First block: of the place (media_defect, weak_code), or of the range that at_access means");
  v.key("sectors", sectors, "", {1, 1e12}, "Blocks of 512 bytes from lbn on");
  v.key("arm", arm, "", {-1, 7}, "Arm, or sled of a MEMS store; -1: all");
  v.key("surface", surface, "", {-1, media::Geometry::kMaxHeads - 1.0}, "Surface of the drive; -1: all of the arm's");
  v.key("head", head, "", {-1, 3}, "Which of the arm's heads on the surface; -1: all");
  v.key("stack", stack, "", {-1, 7}, "Disk stack; -1: all");
  v.key("tip", tip, "", {-1, 1e9}, "Tip, counted over all sleds");
  v.key("address", address, "", {-1, 4e9}, "Byte of the buffer RAM; -1: in the data that are written to it next");
  choice(v, "frames", frames, {"any", "data", "control", "drive_data", "host_data"},
         "Which frames are damaged: any; those with data; those without; data to the host; data to the drive");
  v.key("rereads", rereads, "", {0, 1e6},
        "media_defect: it heals after so many reads that have failed, or when the sector is written; 0: it is grown, "
        "and stays");
  v.key("part", part, "", {0.001, 1}, "slow_arm: part of the motor's force that is left; slow_spindle: of the speed");
  v.key(
      "margin_db", margin_db, "dB", {-20, 100},
      "weak_code: margin of reads at the place, in place of the channel's (channel.margin_db); at 0 half of them fail");
  v.key("falls_db_s", falls_db_s, "", {0, 1e6}, "weak_code: by so many dB the margin falls every second");
  v.key("bits", bits, "", {1, 8}, "buffer_flip: bits that change, next to each other in one byte");
  v.key("count", count, "", {1, 1e6}, "link_crc: frames in a row, retransmissions counted");
}

void FaultParams::check() const {
  using F = FaultParams;
  only(*this, rereads != 0, "rereads", of(F::media_defect));
  only(*this, arm >= 0, "arm", kWithArm);
  only(*this, surface >= 0, "surface", of(F::dead_head, F::weak_code));
  only(*this, head >= 0, "head", of(F::dead_head));
  only(*this, stack >= 0, "stack", of(F::slow_spindle));
  only(*this, tip >= 0, "tip", of(F::dead_tip));
  only(*this, address >= 0, "address", of(F::buffer_flip));
  only(*this, frames != any_frame, "frames", of(F::link_crc));
  only(*this, part != F().part, "part", of(F::slow_arm, F::slow_spindle));
  only(*this, margin_db != 0, "margin_db", of(F::weak_code));
  only(*this, falls_db_s != 0, "falls_db_s", of(F::weak_code));
  only(*this, bits != 1, "bits", of(F::buffer_flip));
  only(*this, count != 1, "count", of(F::link_crc));
  only(*this, for_ms != 0, "for_ms", kLasting);
  if ((kMustEnd & bit(kind)) != 0 && for_ms <= 0) fail("for_ms", fmt::format("{} must end", name_of(kind)));
  if (kind == media_defect && lbn < 0) fail("lbn", "a media_defect needs the block where it is");
  if (kind == dead_head && (arm < 0 || surface < 0)) fail("surface", "a dead_head needs arm and surface");
  if (kind == dead_tip && tip < 0) fail("tip", "a dead_tip needs the tip's number");
  if (kind == slow_spindle && part < 0.5) fail("part", "a stack below half of its speed does not turn on");
  if (at_access && lbn < 0) fail("at_access", "needs lbn, the beginning of the range");
  if (lbn >= 0 && !at_access && kind != media_defect && kind != weak_code)
    fail("lbn", fmt::format("is no place of a {}; with at_access = true it is its trigger", name_of(kind)));
  if (rate_per_s > 0 && ((kOnce & bit(kind)) != 0 || (kind == stuck_arm && for_ms <= 0)))
    fail("rate_per_s", "what breaks for good breaks once");
  if (most > 0 && rate_per_s <= 0) fail("most", "is of a fault with rate_per_s");
}

std::string FaultParams::text() const {
  std::string text = name_of(kind);
  const auto add = [&text](const char* what, std::int64_t value) {
    if (value >= 0) text += fmt::format(" {} {}", what, value);
  };
  add("arm", arm);
  add("surface", surface);
  add("head", head);
  add("stack", stack);
  add("tip", tip);
  if (kind == media_defect || kind == weak_code) add("LBN", lbn);
  return text;
}

FaultParams arm_fails(double at_s, std::int64_t arm) {
  FaultParams fault;
  fault.kind = FaultParams::stuck_arm;
  fault.at_s = at_s;
  fault.arm = arm;
  return fault;
}

FaultParams head_fails(double at_s, std::int64_t arm, std::int64_t surface, std::int64_t head) {
  FaultParams fault = arm_fails(at_s, arm);
  fault.kind = FaultParams::dead_head;
  fault.surface = surface;
  fault.head = head;
  return fault;
}

FaultParams grown_defect(std::int64_t lbn, double at_s) {
  FaultParams fault;
  fault.kind = FaultParams::media_defect;
  fault.lbn = lbn;
  fault.at_s = at_s;
  return fault;
}

}  // namespace armature::drive
