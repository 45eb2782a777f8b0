// What faults do to a disk's mechanism.
#include "disk_mechanism.h"

#include "armature/channel/data_channel.h"
#include "armature/core/block_address.h"
#include "armature/core/conversions.h"
#include "armature/core/error.h"
#include "armature/core/kernel_time.h"
#include "disk_parts.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::drive {
namespace {

using F = FaultParams;

constexpr std::int64_t kMostDefects = 65'536;  // sectors of one fault
constexpr unsigned kMaskedSurfaces = 32;       // of aau.head_mask

[[noreturn]] void fail(std::size_t number, const char* key, const std::string& what) {
  throw InputError(fmt::format("faults[{}].{}: {}", number, key, what));
}

bool by_time_alone(const FaultParams& fault) {
  return fault.at_request < 0 && fault.after_request < 0 && !fault.at_access && fault.rate_per_s <= 0;
}

}  // namespace

std::vector<std::vector<media::Defect>> fault_places(const std::vector<FaultParams>& faults,
                                                     const media::Geometry& geometry) {
  std::vector<std::vector<media::Defect>> places(faults.size());
  const std::uint32_t unit = geometry.physical_sector_bytes() / kSectorBytes;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const FaultParams& fault = faults[i];
    if (fault.kind != F::media_defect && fault.kind != F::weak_code) continue;
    if (fault.lbn < 0) continue;  // all of the drive
    const auto first = static_cast<std::uint64_t>(fault.lbn), count = static_cast<std::uint64_t>(fault.sectors);
    if (first >= geometry.sectors() || count > geometry.sectors() - first)
      fail(i, "lbn", fmt::format("the disk has only blocks 0 to {}", geometry.sectors() - 1));
    if (fault.sectors > kMostDefects) fail(i, "sectors", fmt::format("a fault has {} sectors at most", kMostDefects));
    for (std::uint64_t lbn = first - first % unit; lbn < first + count; lbn += unit)
      places[i].push_back({geometry.physical(lbn), unit, from_seconds(fault.at_s),
                           static_cast<std::uint32_t>(fault.rereads), static_cast<int>(i)});
  }
  return places;
}

std::vector<media::Defect> known_defects(const std::vector<FaultParams>& faults, const media::Geometry& geometry) {
  std::vector<media::Defect> known;
  const auto places = fault_places(faults, geometry);
  for (std::size_t i = 0; i < faults.size(); ++i)
    if (faults[i].kind == F::media_defect && by_time_alone(faults[i]))
      known.insert(known.end(), places[i].begin(), places[i].end());
  return known;
}

bool has_kind(const std::vector<FaultParams>& faults, FaultParams::Kind kind) {
  return std::any_of(faults.begin(), faults.end(), [kind](const FaultParams& fault) { return fault.kind == kind; });
}

void check_disk_faults(const DriveParams& params, const media::Geometry& geometry) {
  const ArmsParams& arms = params.arms;
  fault_places(params.faults, geometry);
  for (std::size_t i = 0; i < params.faults.size(); ++i) {
    const FaultParams& fault = params.faults[i];
    try {
      fault.check();
    } catch (const InputError& error) {
      throw InputError(fmt::format("faults[{}].{}", i, error.what()));
    }
    if (!(fault.at_s >= 0)) fail(i, "at_s", "the time is not 0 or later");
    if (fault.kind == F::dead_tip) fail(i, "kind", "a disk has no tips");
    if (fault.arm >= static_cast<std::int64_t>(arms.arms()))
      fail(i, "arm", fmt::format("there are only arms 0 to {}", arms.arms() - 1));
    if (fault.stack >= static_cast<std::int64_t>(arms.stack_count()))
      fail(i, "stack", fmt::format("there are only stacks 0 to {}", arms.stack_count() - 1));
    if (fault.head >= arms.heads)
      fail(i, "head", fmt::format("an arm has only heads 0 to {} on a surface", arms.heads - 1));
    if (fault.address >= static_cast<std::int64_t>(params.buffer.bytes()))
      fail(i, "address", fmt::format("the buffer has only bytes 0 to {}", params.buffer.bytes() - 1));
    if (fault.surface < 0 || fault.arm < 0) continue;
    const ArmsParams::Surfaces reached = arms.reach(static_cast<unsigned>(fault.arm), geometry.heads());
    const unsigned surface = arms.layout_surface(static_cast<unsigned>(fault.surface));
    if (surface < reached.first || surface - reached.first >= reached.count)
      fail(i, "surface", fmt::format("arm {} has no head on surface {}", fault.arm, fault.surface));
    if (fault.kind == F::dead_head && surface - reached.first >= kMaskedSurfaces)
      fail(i, "surface", fmt::format("heads may fail on the first {} surfaces of an arm only", kMaskedSurfaces));
  }
}

void DiskMechanism::connect_faults() {
  const auto heard = [this](unsigned fault, std::int32_t tag) {
    if (on_fault) on_fault(fault, tag);
  };
  for (unsigned i = 0; i < arms_.size(); ++i)
    arms_[i]->servo.on_go = [this, i](std::uint32_t tag) { touch_arm(i, static_cast<std::int32_t>(tag)); };
  for (const auto& one : channels_) {
    one->channel.on_fault = heard;
    one->channel.on_go = [this](std::uint32_t arm, std::uint32_t tag) {
      touch_arm(arm, static_cast<std::int32_t>(tag));
    };
    if (has_kind(params_.faults, F::weak_code))
      one->channel.weak = [this](media::PhysicalSector place, std::uint32_t arm, std::uint32_t head, Ps at) {
        return weak_read(place, arm, head, at);
      };
  }
}

/// Of the faults at work of the arm, or of its stack, each touches what the arm does.
void DiskMechanism::touch_arm(unsigned arm, std::int32_t tag) const {
  for (const unsigned number : at_work_) {
    const FaultParams& fault = params_.faults[number];
    const bool whole_arm = fault.kind == F::stuck_arm || fault.kind == F::slow_arm || fault.kind == F::servo_lost;
    const bool here =
        whole_arm ? fault.arm < 0 || fault.arm == static_cast<std::int64_t>(arm)
                  : fault.kind == F::slow_spindle &&
                        (fault.stack < 0 || fault.stack == static_cast<std::int64_t>(params_.arms.stack_of(arm)));
    if (here && on_fault) on_fault(number, tag);
  }
}

/// What an arm is about when a fault comes over it.
void DiskMechanism::touch_work(unsigned number, unsigned arm) const {
  if (!on_fault) return;
  if (const std::int32_t tag = arms_[arm]->servo.moves_for(); tag >= 0) on_fault(number, tag);
  for (const auto& one : channels_)
    if (one->channel.at_work_for() == arm && one->channel.at_work_for_request() >= 0)
      on_fault(number, one->channel.at_work_for_request());
}

void DiskMechanism::fault(unsigned number, const FaultParams& fault, bool begins, std::uint64_t random) {
  at_work_.erase(std::remove(at_work_.begin(), at_work_.end(), number), at_work_.end());
  if (begins) {
    at_work_.push_back(number);
    begun_.resize(std::max<std::size_t>(begun_.size(), number + 1));
    begun_[number] = now();
  }
  for (unsigned i = 0; i < arms_.size(); ++i) {
    if (fault.arm >= 0 && fault.arm != static_cast<std::int64_t>(i)) continue;
    actuator::Servo& servo = arms_[i]->servo;
    switch (fault.kind) {
      case F::dead_head: {
        const unsigned surface = params_.arms.layout_surface(static_cast<unsigned>(fault.surface));
        if (servo.head() == surface) touch_work(number, i);
        servo.fail_head(surface, static_cast<int>(fault.head));
        break;
      }
      case F::stuck_arm:
        if (begins) touch_work(number, i);
        if (fault.for_ms > 0)
          servo.stick(begins);
        else
          servo.fail();
        break;
      case F::slow_arm:
        servo.weaken(begins ? fault.part : 1);
        break;
      case F::servo_lost:
        if (begins) touch_work(number, i);
        servo.lose_signal(begins);
        break;
      default:
        break;
    }
  }
  if (fault.kind == F::media_defect && begins && !by_time_alone(fault)) {
    const std::vector<media::Defect>& there = places_[number];
    for (std::size_t i = 0; i < there.size(); ++i) {
      if (fault.rate_per_s > 0 && i != random % there.size()) continue;  // one of them each time
      media::Defect defect = there[i];
      defect.from = now();
      contents_.add(defect);
    }
  }
  if (fault.kind == F::slow_spindle)
    for (unsigned stack = 0; stack < stacks_.size(); ++stack)
      if (fault.stack < 0 || fault.stack == static_cast<std::int64_t>(stack))
        slow(number, stack, begins ? fault.part : 1);
}

/// Whatever passes under the heads of the stack loses its timing. Until the stack is at its speed nothing is written.
void DiskMechanism::slow(unsigned number, unsigned stack, double part) {
  for (unsigned i = 0; i < arms_.size(); ++i)
    if (params_.arms.stack_of(i) == stack) {
      touch_work(number, i);
      for (const auto& one : channels_)
        if (one->channel.at_work_for() == i) one->channel.lose_lock();
    }
  stacks_[stack]->slow(part);
}

std::optional<channel::DataChannel::WeakRead> DiskMechanism::weak_read(media::PhysicalSector place, std::uint32_t arm,
                                                                       std::uint32_t head, Ps at) const {
  std::optional<channel::DataChannel::WeakRead> found;
  for (const unsigned number : at_work_) {
    const FaultParams& fault = params_.faults[number];
    if (fault.kind != F::weak_code) continue;
    if (fault.arm >= 0 && fault.arm != static_cast<std::int64_t>(arm)) continue;
    if (fault.surface >= 0 && params_.arms.layout_surface(static_cast<unsigned>(fault.surface)) != head) continue;
    const std::vector<media::Defect>& there = places_[number];
    const bool here = there.empty() || std::any_of(there.begin(), there.end(), [place](const media::Defect& defect) {
                        return place - defect.first < defect.sectors;
                      });
    if (!here) continue;
    const double margin = fault.margin_db - fault.falls_db_s * to_seconds(std::max<Ps>(at - begun_[number], 0));
    if (!found || margin < found->margin_db) found = {margin, number};
  }
  return found;
}

}  // namespace armature::drive
