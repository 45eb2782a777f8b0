#pragma once

#include "armature/core/interrupt.h"
#include "armature/core/kernel_time.h"
#include "armature/core/register_bank.h"
#include "armature/media/translation.h"
#include "armature/regs/chn.h"
#include "armature/regs/spn.h"
#include "armature/regs/srv.h"

#include <systemc>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

namespace armature::testing {

// Stand-ins with the registers of the mechanics and fixed times, so that a firmware test knows every instant and can
// make them fail.

/// Every move takes `move_time`.
class FakeServo : public sc_core::sc_module {
 public:
  RegisterSocket regs{"regs"};
  InterruptLine irq;
  Ps move_time = 100 * kPsPerUs;
  std::uint32_t track = 0;
  bool moving = false;
  unsigned moves = 0;

  explicit FakeServo(sc_core::sc_module_name name) : sc_module(name), bank_(regs::srv::kTable) {
    bank_.on_write(regs::srv::kCtrl, [this](std::uint32_t word) { go(word); });
    bank_.on_read(regs::srv::kStatus, [this] { return track; });
    bank_.on_write(regs::srv::kIntstat, [this](std::uint32_t) { update(); });
    bank_.on_write(regs::srv::kInten, [this](std::uint32_t) { update(); });
    regs.bind(bank_);
    SC_HAS_PROCESS(FakeServo);
    SC_METHOD(arrive);
    sensitive << arrived_;
    dont_initialize();
  }

 private:
  void go(std::uint32_t word) {
    if (!regs::srv::ctrl::Go::get(word)) return;
    if (moving) {
      bank_[regs::srv::kIntstat] |= regs::srv::intstat::Error::kMask;
      update();
      return;
    }
    moving = true;
    ++moves;
    track = bank_[regs::srv::kTarget];
    arrived_.notify(to_sc_time(move_time));
  }
  void arrive() {
    moving = false;
    bank_[regs::srv::kIntstat] |= regs::srv::intstat::Ready::kMask;
    update();
  }
  void update() { irq.write((bank_[regs::srv::kIntstat] & bank_[regs::srv::kInten]) != 0); }

  RegisterBank bank_;
  sc_core::sc_event arrived_;
};

/// Tracks of 16 sectors, two heads; `sector_time` a sector, no rotation to wait for.
class FakeChannel : public sc_core::sc_module {
 public:
  static constexpr std::uint32_t kTrackSectors = 16;
  static constexpr std::uint32_t kHeads = 2;
  struct Access {
    std::uint64_t lba;
    std::uint32_t sectors, address, tag, arm;
    bool write;
    Ps at;
  };

  RegisterSocket regs{"regs"};
  InterruptLine irq;
  Ps sector_time = 10 * kPsPerUs;
  std::vector<Access> accesses;
  unsigned fail_next = 0;                             ///< so many accesses find their first sector unreadable
  std::function<bool(std::uint64_t lba)> unreadable;  ///< a read ends before such a sector, with cause 5
  std::function<void(const Access&)> on_start;        ///< to check what must hold when sectors begin to move

  /// `servos` by arm.
  FakeChannel(sc_core::sc_module_name name, std::vector<FakeServo*> servos)
      : sc_module(name), servos_(std::move(servos)), bank_(regs::chn::kTable) {
    bank_.on_write(regs::chn::kCtrl, [this](std::uint32_t word) { go(word); });
    bank_.on_write(regs::chn::kIntstat, [this](std::uint32_t) { update(); });
    bank_.on_write(regs::chn::kInten, [this](std::uint32_t) { update(); });
    bank_.on_write(regs::chn::kMark, [this](std::uint32_t) { set_mark(); });
    bank_.on_write(regs::chn::kExtend, [this](std::uint32_t sectors) { extend(sectors); });
    bank_.on_write(regs::chn::kStop, [this](std::uint32_t) { stop(); });
    bank_.on_read(regs::chn::kProgress, [this] { return progress(); });
    bank_.on_read(regs::chn::kStatus, [this] { return regs::chn::status::Cause::set(0, cause_); });
    regs.bind(bank_);
    SC_HAS_PROCESS(FakeChannel);
    SC_METHOD(finish);
    sensitive << finished_;
    dont_initialize();
    SC_METHOD(mark);
    sensitive << mark_;
    dont_initialize();
  }

  static std::uint32_t track_of(std::uint64_t lba) {
    const std::uint64_t track = lba / kTrackSectors;
    return regs::srv::target::Head::set(static_cast<std::uint32_t>(track / kHeads),
                                        static_cast<std::uint32_t>(track % kHeads));
  }

 private:
  void go(std::uint32_t word) {
    if (!regs::chn::ctrl::Go::get(word)) return;
    Access access{};
    access.lba = std::uint64_t{bank_[regs::chn::kLbaHi]} << 32 | bank_[regs::chn::kLbaLo];
    access.sectors = regs::chn::ctrl::Sectors::get(word);
    access.address = bank_[regs::chn::kAddress];
    access.tag = regs::chn::ctrl::Tag::get(word);
    access.arm = regs::chn::ctrl::Arm::get(word);
    access.write = regs::chn::ctrl::Write::get(word) != 0;
    access.at = now();
    accesses.push_back(access);
    if (on_start) on_start(access);
    const FakeServo& servo = *servos_.at(access.arm);
    const bool possible = !busy_ && !servo.moving && servo.track == track_of(access.lba) && access.sectors > 0 &&
                          access.lba % kTrackSectors + access.sectors <= kTrackSectors;
    const bool fails = fail_next > 0;
    if (fails) --fail_next;
    if (!possible) ++impossible;
    busy_ = true;
    begin_ = now();
    sectors_ = fails ? 0 : access.write ? access.sectors : readable(access);
    cause_ = !possible ? kNoSuchAccess : sectors_ == access.sectors ? 0 : kUnreadable;
    failing_ = cause_ != 0;
    finish_at(now() + sectors_ * sector_time);
    set_mark();
  }
  /// Sectors up to the first one that cannot be read.
  std::uint32_t readable(const Access& access) const {
    for (std::uint32_t i = 0; unreadable && i < access.sectors; ++i)
      if (unreadable(access.lba + i)) return i;
    return access.sectors;
  }
  std::uint32_t progress() const {
    const Ps passed = busy_ && sector_time > 0 ? (now() - begin_) / sector_time : sectors_;
    return static_cast<std::uint32_t>(std::min<Ps>(passed, sectors_));
  }
  void set_mark() {
    mark_.cancel();
    const std::uint32_t sectors = regs::chn::mark::Sectors::get(bank_[regs::chn::kMark]);
    if (busy_ && sectors > 0 && sectors < sectors_)
      mark_.notify(to_sc_time(std::max<Ps>(begin_ + sectors * sector_time - now(), 0)));
  }
  void mark() {
    if (!busy_) return;
    bank_[regs::chn::kIntstat] |= regs::chn::intstat::Mark::kMask;
    update();
  }
  void extend(std::uint32_t sectors) {
    if (!busy_ || cause_ != 0 || sectors <= sectors_) return;
    sectors_ = sectors;
    finish_at(begin_ + sectors_ * sector_time);
    set_mark();
  }
  void stop() {
    if (!busy_ || sector_time == 0) return;
    sectors_ = std::min(sectors_, static_cast<std::uint32_t>((now() - begin_ + sector_time - 1) / sector_time));
    finish_at(begin_ + sectors_ * sector_time);
  }
  void finish_at(Ps at) {
    finish_at_ = at;
    finished_.cancel();
    finished_.notify(to_sc_time(at - now()));
  }
  void finish() {
    if (now() < finish_at_) return;  // it was extended at that very instant
    busy_ = false;
    sectors_moved += sectors_;
    bank_[regs::chn::kMark] = 0;
    bank_[regs::chn::kIntstat] |= failing_ ? regs::chn::intstat::Error::kMask : regs::chn::intstat::Done::kMask;
    update();
  }
  void update() { irq.write((bank_[regs::chn::kIntstat] & bank_[regs::chn::kInten]) != 0); }

 public:
  std::uint32_t sectors() const { return sectors_; }  ///< of the access under way, with what it has grown by

  std::uint64_t sectors_moved = 0;
  unsigned impossible = 0;  ///< accesses that no channel could do: off track, across tracks, while busy

 private:
  std::vector<FakeServo*> servos_;
  RegisterBank bank_;
  bool busy_ = false;
  bool failing_ = false;
  static constexpr std::uint32_t kNoSuchAccess = 2, kUnreadable = 5;  ///< causes of chn.status
  std::uint32_t cause_ = 0;                                           ///< chn.status.cause
  Ps begin_ = 0, finish_at_ = 0;
  std::uint32_t sectors_ = 0;
  sc_core::sc_event mark_;
  sc_core::sc_event finished_;
};

/// The tracks of a FakeChannel, without an end.
class FakeLayout final : public media::BlockLayout {
 public:
  std::uint64_t blocks() const override { return std::uint64_t{1} << 48; }
  Place locate_block(std::uint64_t lbn) const override {
    const std::uint32_t track = FakeChannel::track_of(lbn), sector = blocks_before(lbn);
    return {regs::srv::target::Cylinder::get(track), regs::srv::target::Head::get(track),
            sector * (65'536 / FakeChannel::kTrackSectors), FakeChannel::kTrackSectors - sector};
  }
  std::uint32_t blocks_before(std::uint64_t lbn) const override {
    return static_cast<std::uint32_t>(lbn % FakeChannel::kTrackSectors);
  }
  std::uint32_t track_sectors(std::uint64_t /*lbn*/) const override { return FakeChannel::kTrackSectors; }
  /// Tells only that it has moved: the place stays.
  bool move_to_spare(std::uint64_t lbn) override { return moved.insert(lbn), true; }

  std::set<std::uint64_t> moved;
};

/// Comes to speed after `spin_up`.
class FakeSpindle : public sc_core::sc_module {
 public:
  RegisterSocket regs{"regs"};
  InterruptLine irq;
  Ps spin_up = kPsPerMs;

  explicit FakeSpindle(sc_core::sc_module_name name) : sc_module(name), bank_(regs::spn::kTable) {
    bank_.on_write(regs::spn::kCtrl, [this](std::uint32_t word) {
      if (regs::spn::ctrl::Go::get(word)) ready_.notify(to_sc_time(spin_up));
    });
    bank_.on_write(regs::spn::kIntstat, [this](std::uint32_t) { update(); });
    bank_.on_write(regs::spn::kInten, [this](std::uint32_t) { update(); });
    regs.bind(bank_);
    SC_HAS_PROCESS(FakeSpindle);
    SC_METHOD(reach);
    sensitive << ready_;
    dont_initialize();
  }

 private:
  void reach() {
    bank_[regs::spn::kIntstat] |= regs::spn::intstat::Ready::kMask;
    update();
  }
  void update() { irq.write((bank_[regs::spn::kIntstat] & bank_[regs::spn::kInten]) != 0); }

  RegisterBank bank_;
  sc_core::sc_event ready_;
};

}  // namespace armature::testing
