#include "cosim/arm_arbitration_random.h"

#include <algorithm>

namespace armature::testing {

namespace aau = regs::aau;

namespace {

/// A word of the memory of seeks: always the same at the same place.
std::uint64_t mixed(std::uint64_t salt, std::uint64_t place) {
  std::uint64_t h = (salt ^ place) * 0x9E37'79B9'7F4A'7C15;
  h = (h ^ h >> 29) * 0xBF58'476D'1CE4'E5B9;
  return h ^ h >> 32;
}

}  // namespace

std::uint32_t AauTraffic::cylinder() {
  // Around both ends and in few places, so that distances tie and targets leave the stroke.
  const std::uint32_t mask = (1u << shape_.cyl_bits) - 1;
  if (one_in(8)) return (mask - below(4)) & mask;
  const std::uint32_t step = std::max(1u, (mask + 1) / std::max(cylinders_, 1u));
  return below(cylinders_) * step & mask;
}

std::uint32_t AauTraffic::angle() {
  const std::uint32_t step = std::max(1u, (1u << shape_.angle_bits) / std::max(angles_, 1u));
  return below(angles_) * step;
}

/// Margin and its like: mostly less than a revolution, at times the most there is.
std::uint32_t AauTraffic::ticks() {
  if (one_in(16)) return 0xFFFF - below(2);
  return below(2) ? below(4) : below(1u << shape_.angle_bits);
}

void AauTraffic::write(std::uint32_t offset, std::uint32_t word) {
  bench_.write(offset, word);
  look();
}

void AauTraffic::look() {
  const arbiter::AauCore& core = bench_.core();
  if (was_deciding_ && (!core.deciding() || core.begins() != begins_)) {
    if (core.decisions() == decisions_seen_) {
      ++seen_.abandoned;
    } else if (bench_.grants() == grants_seen_) {
      ++seen_.without_winner;
    }
  }
  if (bench_.grants() != grants_seen_) {
    const std::uint32_t grant = core.read(aau::kGrant);
    ++seen_.grants_by_policy[policy_];
    ++seen_.grants_by_arm[aau::grant::Arm::get(grant)];
    ++seen_.grants_by_head[aau::grant::Head::get(grant)];
    if (core.read(aau::kEstimate) == 0) ++seen_.zero_estimates;
    look_at_head(grant);
    if (bench_.has_sleds() && bench_.read(aau::kRideAlong) != 0) ++seen_.ridden;
  }
  was_deciding_ = core.deciding();
  begins_ = core.begins();
  decisions_seen_ = core.decisions();
  grants_seen_ = bench_.grants();
}

void AauTraffic::look_at_head(std::uint32_t grant) {
  const arbiter::AauCore& core = bench_.core();
  const std::uint32_t arm = aau::grant::Arm::get(grant), head = aau::grant::Head::get(grant);
  const auto offset = static_cast<std::int32_t>(core.read(aau::kHeadOffset + 4 * head) << 8) >> 8;
  if (offset != static_cast<std::int16_t>(offset)) ++seen_.far_heads;
  const std::uint32_t surface =
      aau::slot_target::Head::get(core.read(aau::kSlotTarget + 4 * aau::grant::Slot::get(grant))) -
      aau::arm_reach::First::get(core.read(aau::kArmReach + 4 * arm));
  for (unsigned other = 0; other < shape_.heads && surface < 32; ++other)
    if (!((core.read(aau::kHeadMask + 16 * arm + 4 * other) >> surface) & 1u)) {
      ++seen_.beside_masked_head;
      return;
    }
}

void AauTraffic::start_over() {
  bench_.reset();
  was_deciding_ = false;
  decisions_seen_ = bench_.core().decisions();
  committed_.assign(shape_.slots, 0);
  commits_ = 0;
  AauPins& pins = bench_.pins;
  for (std::uint32_t& a : pins.angle) a = static_cast<std::uint32_t>(random_());
  const std::uint64_t any = std::uint64_t{random_()} << 32 | random_();
  // Near its wrap, or anywhere.
  pins.tick = one_in(2) ? ~std::uint64_t{0} - below(5000) : any;
  // Angles and tick creep, run, jump or stand.
  const unsigned pace = below(4);
  std::mt19937* const random = &random_;
  if (bench_.has_sleds()) start_sleds(pins);
  bench_.advance = [pace, random, this](AauPins& p) {
    if (bench_.has_sleds() && !one_in(4)) move_sled(p.sleds[below(8)]);
    if (pace == 0) return;
    const auto more = static_cast<std::uint32_t>(pace == 1 ? 1 : (*random)() % (pace == 2 ? 40 : 1u << 20));
    for (unsigned i = 0; i < p.angle.size(); ++i) p.angle[i] += more * (1 + i % 2);
    p.tick += more;
    // Stack 0 stopped and started again meanwhile.
    if (pace == 3 && (*random)() % 256 == 0) p.tick = std::uint64_t{(*random)()} << 32 | (*random)();
  };
  program();
}

/// Memory and places, with times in few values, so that they tie, or of any size that the unit has room for.
void AauTraffic::start_sleds(AauPins& pins) {
  const std::uint64_t salt = std::uint64_t{random_()} << 32 | random_();
  const auto range = [this](std::int64_t most) { return one_in(3) ? 1 + below(300) : one_in(2) ? 1 << 22 : most; };
  const std::int64_t x_range = range(arbiter::SledSeeks::kMostSeek), y_range = range(arbiter::SledSeeks::kMostSeek);
  turns_ = range(arbiter::SledSeeks::kMostTurn);
  leaves_ = range(arbiter::SledSeeks::kMostLeaves);
  const auto time = [](std::uint64_t h, std::int64_t most) {
    return static_cast<std::int64_t>(h % static_cast<std::uint64_t>(most));
  };
  bench_.sleds.x_word = [=](std::uint32_t from, std::uint32_t to) {
    return from == to ? 0 : time(mixed(salt, std::uint64_t{from} << 16 | to), x_range);
  };
  const bool one_way = one_in(6);
  bench_.sleds.y_word = [=](std::uint32_t from, std::uint32_t row, bool up) {
    const std::uint64_t h = mixed(~salt, std::uint64_t{from} << 17 | row << 1 | (up ? 1u : 0u));
    return arbiter::SledWay{time(h, y_range), ((h >> 62) & 1) != 0, (h >> 58) % 8 == 0, !up && one_way};
  };
  for (arbiter::SledDeparture& sled : pins.sleds) move_sled(sled);
}

void AauTraffic::move_sled(arbiter::SledDeparture& sled) {
  sled.x = cylinder() & 0xFFFF;
  sled.y = one_in(2) ? below(4) : below(1u << 16);
  sled.up = below(2) != 0;
  sled.turn = below(static_cast<std::uint32_t>(turns_));
  sled.leaves = below(static_cast<std::uint32_t>(leaves_));
}

void AauTraffic::program_table(unsigned arm_class) {
  if (bench_.has_sleds()) {  // a lower bound of whatever the memory holds
    write(aau::kSeekClass, arm_class);
    write(aau::kSeekEntries, 0);
    return;
  }
  const unsigned entries = one_in(4) ? shape_.seek_entries : 1 + below(std::min(shape_.seek_entries, 24u));
  write(aau::kSeekClass, arm_class);
  write(aau::kSeekEntry, 0);
  struct Entry {
    std::uint32_t distance, time;
  };
  std::vector<Entry> table;
  const std::uint32_t reach = 1u << shape_.cyl_bits;
  const std::uint32_t most = below(2) ? 1u << shape_.angle_bits : 1u << 20;
  std::uint32_t distance = below(3);
  for (unsigned i = 0; i < entries && distance < reach; ++i) {
    table.push_back({distance, below(most)});
    distance += 1 + below(std::max(1u, 2 * reach / entries));
  }
  for (std::size_t i = 0; i < table.size(); ++i) {
    std::int64_t slope = 0;
    if (i + 1 < table.size()) {
      const std::int64_t rise = (std::int64_t{table[i + 1].time} - table[i].time) * (std::int64_t{1} << 24);
      const std::int64_t run = table[i + 1].distance - table[i].distance;
      slope = rise / run - (rise % run < 0 ? 1 : 0);
    }
    write(aau::kSeekDistance, table[i].distance);
    write(aau::kSeekSlopeLo, static_cast<std::uint32_t>(slope));
    write(aau::kSeekSlopeHi, static_cast<std::uint32_t>(slope >> 32) & 0xFF);
    write(aau::kSeekTime, table[i].time);
  }
  write(aau::kSeekEntries, one_in(16) ? 0 : static_cast<std::uint32_t>(table.size()));
}

void AauTraffic::program_arms(bool stacks) {
  for (unsigned arm = 0; arm < shape_.arms; ++arm) {
    const std::uint32_t stack = stacks ? below(stacks_used_) : 0;
    write(aau::kArmMount + 4 * arm,
          aau::arm_mount::ArmClass::set(aau::arm_mount::Stack::set(aau::arm_mount::Angle::set(0, angle()), stack),
                                        below(2)));
    const std::uint32_t first = one_in(8) ? below(4) : 0;
    const std::uint32_t last = one_in(8) ? below(4) : 0xFF;
    write(aau::kArmReach + 4 * arm, aau::arm_reach::Last::set(aau::arm_reach::First::set(0, first), last));
  }
}

/// Heads in the middle or near each other, beyond 16 bits, and anywhere.
void AauTraffic::program_heads() {
  for (unsigned head = 0; head < shape_.heads; ++head) {
    std::uint32_t cylinders = below(5) - 2;
    if (one_in(4)) cylinders = below(1u << shape_.cyl_bits) - (1u << (shape_.cyl_bits - 1));
    if (one_in(16)) cylinders = static_cast<std::uint32_t>(random_());
    write(aau::kHeadOffset + 4 * head, cylinders);
    write(aau::kHeadAngle + 4 * head, angle());
  }
}

/// Heads that may be used everywhere, on some surfaces, nowhere.
void AauTraffic::program_masks() {
  for (unsigned arm = 0; arm < shape_.arms; ++arm) {
    for (unsigned head = 0; head < shape_.heads; ++head) {
      std::uint32_t surfaces = ~0u;
      if (one_in(3)) surfaces = one_in(4) ? 0 : static_cast<std::uint32_t>(random_());
      write(aau::kHeadMask + 16 * arm + 4 * head, surfaces);
    }
  }
}

/// One for each arm, or fewer; gaps from none to beyond a revolution of few ticks.
void AauTraffic::program_channels() {
  if (bench_.has_sleds()) return;
  write(aau::kChannels, aau::channels::Gap::set(one_in(3) ? 1 + below(3) : one_in(8) ? 9 : 0, one_in(2) ? 0 : ticks()));
}

/// How long an access lasts: less than a revolution, some, or the most there is.
std::uint32_t AauTraffic::length() {
  return one_in(3) ? 0 : one_in(16) ? 0x1FF : below(one_in(4) ? 0x200 : 0x60);
}

void AauTraffic::program_one(unsigned what) {
  switch (what) {
    case 0:
      policy_ = below(2) ? 3 + below(bench_.has_sleds() ? 3 : 2) : below(8);
      write(aau::kCtrl, aau::ctrl::Yield::set(aau::ctrl::Policy::set(aau::ctrl::Enable::kMask, policy_),
                                              one_in(2) ? below(16) : 0) |
                            (bench_.has_sleds() ? aau::ctrl::Zone::set(0, one_in(2) ? below(4) : below(32)) : 0));
      break;
    case 1:
      write(aau::kMargin, bench_.has_sleds() ? 0 : ticks());
      break;
    case 2:
      write(aau::kHeadSwitch, ticks());
      break;
    case 3:
      write(aau::kWriteSettle, ticks());
      break;
    case 4:
      write(aau::kAgeing, one_in(4) ? 0xFFFF : below(2) ? below(2048) : below(4));
      break;
    case 5:
      write(aau::kReposition, one_in(2) ? ticks() : 0);
      write(aau::kWrote, aau::wrote::Arm::set(aau::wrote::Held::set(0, below(2)), below(8)));
      break;
    case 6: {
      const std::uint32_t in_service = one_in(3) ? 1 + below(4) : 0;
      const std::uint32_t moving = one_in(3) ? 1 + below(3) : 0;
      write(aau::kLimits, aau::limits::Heads::set(
                              aau::limits::Moving::set(aau::limits::InService::set(0, in_service), moving), below(4)));
      break;
    }
    case 7:
      write(aau::kArmMask, one_in(8) ? below(256) : 0xFF);
      break;
    case 8: {
      const std::uint32_t least = one_in(2) ? 0 : (1u << shape_.cyl_bits) / 2;
      write(aau::kStroke, one_in(6) ? least + below((1u << shape_.cyl_bits) - least) : 0x7FFFFF);
      break;
    }
    case 9:
      program_heads();
      break;
    case 10:
      program_table(below(2));
      break;
    case 11:
      program_arms(one_in(2));
      break;
    case 12:
      bench_.pins.turning = one_in(16) ? 0 : one_in(8) ? below(256) : 0xFF;
      break;
    case 13:
      write(aau::kInten, one_in(8) ? 0 : 1);
      break;
    case 14:
      program_masks();
      break;
    case 15:
      program_channels();
      break;
    default:
      break;
  }
}

void AauTraffic::program() {
  arms_used_ = 1 + below(shape_.arms);
  slots_used_ = one_in(3) ? shape_.slots : 1 + below(std::min(shape_.slots, 12u));
  stacks_used_ = one_in(2) ? 1 : 1 + below(shape_.stacks);
  cylinders_ = one_in(2) ? 1 + below(6) : 1u << shape_.cyl_bits;
  angles_ = one_in(2) ? 1 + below(4) : 1u << shape_.angle_bits;
  plain_ = one_in(2);
  for (unsigned what = 0; what < 16; ++what) program_one(what);
  program_table(0);
  if (shape_.classes > 1) program_table(1);
  for (unsigned arm = 0; arm < shape_.arms; ++arm) place_arm(arm, arm < arms_used_);
}

void AauTraffic::place_arm(unsigned arm, bool idle) {
  std::uint32_t word = aau::arm::Cylinder::set(0, cylinder());
  word = aau::arm::Head::set(word, one_in(8) ? below(256) : below(4));
  write(aau::kArm + 4 * arm, word | (idle ? aau::arm::Idle::kMask : 0));
}

void AauTraffic::commit(unsigned slot) {
  // Sequence numbers are compared modulo: what waits must lie within half of them.
  const arbiter::AauCore& core = bench_.core();
  if (shape_.seq_bits < 32) {
    for (unsigned other = 0; other < shape_.slots; ++other) {
      if (other == slot || !core.waits(other) || commits_ + 1 - committed_[other] < 1u << (shape_.seq_bits - 1))
        continue;
      write(aau::kSlotCommit + 4 * other, 0);
    }
  }
  if (one_in(8) && !plain_)
    write(aau::kSlotArm + 4 * slot,
          one_in(2) ? 0 : aau::slot_arm::Reserved::kMask | (one_in(8) ? below(8) : below(arms_used_)));
  if (!one_in(8)) {
    write(aau::kSlotTarget + 4 * slot, aau::slot_target::Head::set(aau::slot_target::Cylinder::set(0, cylinder()),
                                                                   one_in(8) ? below(256) : below(4)));
  }
  std::uint32_t word = aau::slot_commit::Angle::set(0, angle());
  word = aau::slot_commit::Write::set(word, below(2));
  if (!plain_) word = aau::slot_commit::SlotClass::set(word, one_in(2) ? below(4) : 0);
  // Mostly where an arm can reach it, so that more decisions have a winner.
  const std::uint32_t mount = core.read(aau::kArmMount + 4 * below(arms_used_));
  word = aau::slot_commit::Stack::set(word, one_in(16) ? below(8) : aau::arm_mount::Stack::get(mount));
  word = aau::slot_commit::Length::set(word, length());
  committed_[slot] = ++commits_;
  write(aau::kSlotCommit + 4 * slot, word | aau::slot_commit::Valid::kMask);
}

/// A transfer to anywhere, of anything: mostly nothing comes of it.
void AauTraffic::any_write() {
  const RegisterInfo& r = aau::kTable[below(static_cast<std::uint32_t>(std::size(aau::kTable)))];
  std::uint32_t offset = r.offset + r.stride * below(r.count);
  if (one_in(8)) offset = below(0x10000);
  // Reads have no side effect; the commit of a slot goes its own way because of the sequence numbers.
  if (below(2) || (offset >= aau::kSlotCommit && offset < aau::kSlotCommit + 4 * aau::kSlotCommitCount) ||
      (offset >= aau::kSeekEntry && offset <= aau::kSeekEntries) ||
      (offset >= aau::kSeekSlopeLo && offset <= aau::kSeekClass)) {
    bench_.read(offset);
    look();
    return;
  }
  if (offset == aau::kCtrl) {
    program_one(0);
    return;
  }
  if (bench_.has_sleds() && (offset == aau::kMargin || offset == aau::kChannels)) return;
  const auto word = static_cast<std::uint32_t>(random_());
  write(offset, word);
}

void AauTraffic::step() {
  arbiter::AauCore& core = bench_.core();
  if (core.grant_pending() && !one_in(4)) {
    const unsigned arm = aau::grant::Arm::get(core.read(aau::kGrant));
    const unsigned slot = aau::grant::Slot::get(core.read(aau::kGrant));
    write(aau::kGrantAck, !one_in(16));
    if (!one_in(6)) place_arm(arm, true);
    if (!one_in(3)) commit(slot);
    return;
  }
  switch (below(64)) {
    case 0:
      program_one(below(16));
      break;
    case 1:
    case 2:
      place_arm(below(shape_.arms), !one_in(8));
      break;
    case 3:
      write(aau::kArrived, one_in(2) ? 0xFF : below(256));
      break;
    case 4:
      write(aau::kWithdraw, one_in(4) ? below(1024) : below(shape_.slots));
      if (core.read(aau::kWithdraw) >> 31) ++seen_.too_late;
      break;
    case 5:
      write(aau::kSlotArm + 4 * below(shape_.slots),
            below(4) ? 0 : aau::slot_arm::Reserved::kMask | below(shape_.arms));
      break;
    case 6:
      any_write();
      break;
    case 7:
      if (one_in(16))
        write(aau::kCtrl, aau::ctrl::Policy::set(aau::ctrl::Enable::kMask | aau::ctrl::WithdrawAll::kMask, policy_));
      break;
    case 8:
      if (one_in(64))
        bench_.pins.turning = below(256);  // in the middle of whatever goes on
      else
        write(aau::kSlotCommit + 4 * below(shape_.slots), 0);
      break;
    case 9:
      if (one_in(16)) program_table(below(2));
      if (one_in(2))
        write(one_in(2) ? aau::kPostpone : aau::kAppointment,
              aau::appointment::Arm::set(aau::appointment::Ticks::set(0, length() << below(12)), below(8)));
      break;
    case 10:
    case 11:
    case 12:
    case 13:
      commit(below(slots_used_));
      break;
    default: {
      // Often to the very edge of the grant, so that a write meets it.
      const std::int64_t left = core.next_event() == arbiter::AauCore::kNever ? 0 : core.next_event() - bench_.edge();
      unsigned rests = 1 + below(24);
      if (left > 1 && one_in(2)) rests = static_cast<unsigned>(std::max<std::int64_t>(1, left - below(4)));
      while (rests-- > 0) {
        bench_.rest();
        look();
      }
    }
  }
}

void AauTraffic::run(std::uint64_t decisions) {
  std::uint64_t done = 0;
  while (done < decisions && bench_.difference.empty()) {
    start_over();
    for (unsigned i = 0; i < 40 && done < decisions && bench_.difference.empty(); ++i) {
      if (i > 0 && one_in(4)) program();
      const std::uint64_t before = bench_.core().decisions();
      for (unsigned steps = 0; steps < 400 && bench_.difference.empty(); ++steps) step();
      done += bench_.core().decisions() - before;
    }
  }
}

}  // namespace armature::testing
