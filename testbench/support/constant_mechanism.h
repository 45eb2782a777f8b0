#pragma once

#include "armature/arbiter/arm_arbitration_unit.h"
#include "armature/controller/soc.h"
#include "armature/core/clock_edges.h"
#include "armature/core/energy.h"
#include "armature/core/interrupt.h"
#include "armature/core/kernel_time.h"
#include "armature/core/probe.h"
#include "armature/core/register_bank.h"
#include "armature/core/rotation.h"
#include "armature/drive/drive.h"
#include "armature/drive/mechanism.h"
#include "armature/media/contents.h"
#include "armature/media/translation.h"
#include "armature/regs/chn.h"
#include "armature/regs/soc.h"
#include "armature/regs/srv.h"

#include <systemc>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace armature::testing {

/// A store without a disk: nothing turns, every positioning takes the same time, every sector too. It shows that the
/// controller, its firmware and the host know no more of a mechanism than what drive::Mechanism says.
struct ConstantStore {
  std::uint64_t sectors = 1'000'000;  ///< in tracks of kTrackSectors
  Ps positioning = 80 * kPsPerUs;
  Ps sector_time = 2 * kPsPerUs;
  static constexpr std::uint32_t kTrackSectors = 100;
};

/// Registers of a servo (srv.rdl); any move takes ConstantStore::positioning. States "hold" and "seek".
class ConstantServo : public sc_core::sc_module {
 public:
  RegisterSocket regs{"regs"};
  InterruptLine irq;

  ConstantServo(sc_core::sc_module_name name, const ConstantStore& store, const BlockContext& context)
      : sc_module(name), store_(store), requests_(context.requests), bank_(regs::srv::kTable) {
    bank_.on_write(regs::srv::kCtrl, [this](std::uint32_t word) { go(word); });
    bank_.on_read(regs::srv::kStatus, [this] { return regs::srv::status::OnTrack::set(track_, !moving_); });
    bank_.on_write(regs::srv::kIntstat, [this](std::uint32_t) { update(); });
    bank_.on_write(regs::srv::kInten, [this](std::uint32_t) { update(); });
    regs.bind(bank_);
    const std::string path = this->name();
    state_.declare(context.states, {path, {"hold", "seek"}});
    probe_.declare(context.probes, path + ".moving", "it moves");
    SC_HAS_PROCESS(ConstantServo);
    SC_METHOD(arrive);
    sensitive << arrived_;
    dont_initialize();
  }
  std::uint32_t track() const { return track_; }
  bool moving() const { return moving_; }
  unsigned moves() const { return moves_; }
  void power_off() { arrived_.cancel(); }

 private:
  void go(std::uint32_t word) {
    namespace srv = regs::srv;
    if (!srv::ctrl::Go::get(word)) return;
    moving(true);
    ++moves_;
    track_ = bank_[srv::kTarget];
    accounted_ = requests_ && !srv::ctrl::Anonymous::get(word);
    tag_ = srv::ctrl::Tag::get(word);
    if (accounted_) requests_->media(tag_, Phase::seek, now());
    arrived_.notify(to_sc_time(store_.positioning));
  }
  void arrive() {
    moving(false);
    if (accounted_) requests_->media_done(tag_, now());
    bank_[regs::srv::kIntstat] |= regs::srv::intstat::Ready::kMask;
    update();
  }
  void moving(bool on) {
    moving_ = on;
    state_.enter(on, now());
    probe_.set(on);
  }
  void update() { irq.write((bank_[regs::srv::kIntstat] & bank_[regs::srv::kInten]) != 0); }

  const ConstantStore& store_;
  RequestObserver* const requests_;
  RegisterBank bank_;
  ComponentState state_;
  BitProbe probe_;
  std::uint32_t track_ = 0, tag_ = 0;
  unsigned moves_ = 0;
  bool moving_ = false, accounted_ = false;
  sc_core::sc_event arrived_;
};

/// Registers of a data channel (chn.rdl); sectors follow each other at once. States "idle" and "transfer".
class ConstantChannel : public sc_core::sc_module {
 public:
  RegisterSocket regs{"regs"};
  InterruptLine irq;

  ConstantChannel(sc_core::sc_module_name name, const ConstantStore& store, const ConstantServo& servo,
                  media::Contents& contents, const BlockContext& context)
      : sc_module(name),
        store_(store),
        servo_(servo),
        contents_(contents),
        requests_(context.requests),
        bank_(regs::chn::kTable) {
    namespace chn = regs::chn;
    bank_.on_write(chn::kCtrl, [this](std::uint32_t word) { go(word); });
    bank_.on_write(chn::kPiecePush, [this](std::uint32_t word) { push(word); });
    bank_.on_write(chn::kIntstat, [this](std::uint32_t) { update(); });
    bank_.on_write(chn::kInten, [this](std::uint32_t) { update(); });
    bank_.on_write(chn::kMark, [this](std::uint32_t) { set_mark(); });
    bank_.on_write(chn::kExtend, [this](std::uint32_t sectors) { extend(sectors); });
    bank_.on_write(chn::kStop, [this](std::uint32_t) { stop(); });
    bank_.on_read(chn::kProgress, [this] { return passed(); });
    bank_.on_read(chn::kStatus, [this] { return chn::status::Busy::set(chn::status::Cause::set(0, cause_), busy_); });
    regs.bind(bank_);
    state_.declare(context.states, {this->name(), {"idle", "transfer"}});
    SC_HAS_PROCESS(ConstantChannel);
    SC_METHOD(finish);
    sensitive << finished_;
    dont_initialize();
    SC_METHOD(mark);
    sensitive << mark_;
    dont_initialize();
  }
  void bind(controller::BufferMemory& ram) { ram_ = &ram; }
  bool busy() const { return busy_; }
  std::uint64_t sectors_passed() const { return sectors_passed_; }
  void power_off() { finished_.cancel(); }

  static std::uint32_t cylinder_of(std::uint64_t lbn) {
    return static_cast<std::uint32_t>(lbn / ConstantStore::kTrackSectors);
  }

 private:
  struct Piece {
    std::uint32_t address, sectors;
    bool blank, drop;
  };

  std::uint64_t lba(std::uint32_t high, std::uint32_t low) { return std::uint64_t{bank_[high]} << 32 | bank_[low]; }
  void push(std::uint32_t word) {
    namespace push = regs::chn::piece_push;
    if (!busy_ && !gathering_) pieces_.clear();
    gathering_ = true;
    pieces_.push_back({bank_[regs::chn::kPieceAddr], push::Sectors::get(word), push::Blank::get(word) != 0,
                       push::Drop::get(word) != 0});
  }
  void go(std::uint32_t word) {
    namespace chn = regs::chn;
    if (!chn::ctrl::Go::get(word)) return;
    lbn_ = lba(chn::kLbaHi, chn::kLbaLo);
    sectors_ = chn::ctrl::Sectors::get(word);
    write_ = chn::ctrl::Write::get(word) != 0;
    tag_ = chn::ctrl::Tag::get(word);
    if (!chn::mode::Gather::get(bank_[chn::kMode])) pieces_ = {{bank_[chn::kAddress], sectors_, false, false}};
    bank_[chn::kMode] = 0;
    gathering_ = false;
    moved_ = 0;
    busy_ = true;
    begin_ = now();
    state_.enter(1, now());
    cause_ = servo_.moving() || servo_.track() != cylinder_of(lbn_) ? 1 : 0;
    accounted_ = requests_ && cause_ == 0 && !chn::ctrl::Anonymous::get(word);
    if (accounted_) {
      requests_->media(tag_, Phase::transfer, begin_);
      requests_->access(tag_, {0, 0, cylinder_of(lbn_), cylinder_of(lbn_), begin_, end_of(sectors_), 0});
    }
    move_to(cause_ == 0 ? sectors_ : 0);
    ends_at(cause_ == 0 ? end_of(sectors_) : begin_);
    set_mark();
  }
  Ps end_of(std::uint32_t sectors) const { return begin_ + sectors * store_.sector_time; }
  std::uint32_t passed() const {
    const Ps done = busy_ ? (now() - begin_) / store_.sector_time : sectors_;
    return static_cast<std::uint32_t>(std::min<Ps>(done, sectors_));
  }
  /// Moves the data of sectors [moved_, end). All that an access was ordered with is in the buffer then, or has room.
  void move_to(std::uint32_t end) {
    std::uint32_t first = 0;
    for (const Piece& piece : pieces_) {
      for (std::uint32_t i = std::max(first, moved_); i < std::min(first + piece.sectors, end); ++i) {
        std::uint8_t* const bytes = ram_->data() + piece.address + 512 * (i - first);
        if (piece.drop || (piece.blank && !write_)) continue;
        if (piece.blank)
          contents_.spoil(lbn_ + i);
        else if (write_)
          contents_.write(lbn_ + i, bytes);
        else
          contents_.read(lbn_ + i, bytes);
      }
      first += piece.sectors;
    }
    moved_ = std::max(moved_, end);
  }
  void extend(std::uint32_t sectors) {
    if (!busy_ || stopped_ || sectors <= sectors_) return;
    if (!gathering_) pieces_.back().sectors += sectors - sectors_;
    gathering_ = false;
    sectors_ = sectors;
    move_to(sectors_);
    if (accounted_) requests_->access_extended(tag_, end_of(sectors_), 0);
    ends_at(end_of(sectors_));
    set_mark();
  }
  void stop() {
    if (!busy_) return;
    stopped_ = true;
    sectors_ =
        std::min<std::uint32_t>(sectors_, static_cast<std::uint32_t>(ceil_div(now() - begin_, store_.sector_time)));
    ends_at(end_of(sectors_));
  }
  void ends_at(Ps at) {
    end_ = at;
    finished_.cancel();
    finished_.notify(to_sc_time(at - now()));
  }
  void set_mark() {
    const std::uint32_t sectors = regs::chn::mark::Sectors::get(bank_[regs::chn::kMark]);
    mark_.cancel();
    if (busy_ && sectors > 0 && sectors < sectors_) mark_.notify(to_sc_time(std::max<Ps>(end_of(sectors) - now(), 0)));
  }
  void mark() {
    if (!busy_) return;
    if (accounted_ && !regs::chn::mark::Part::get(bank_[regs::chn::kMark])) {
      requests_->media_done(tag_, now());
      accounted_ = false;
    }
    bank_[regs::chn::kIntstat] |= regs::chn::intstat::Mark::kMask;
    update();
  }
  void finish() {
    if (now() < end_) return;  // it was extended at that very instant
    busy_ = stopped_ = false;
    if (cause_ == 0) sectors_passed_ += sectors_;
    bank_[regs::chn::kMark] = 0;
    state_.enter(0, now());
    if (accounted_) requests_->media_done(tag_, now());
    bank_[regs::chn::kIntstat] |= cause_ != 0 ? regs::chn::intstat::Error::kMask : regs::chn::intstat::Done::kMask;
    update();
  }
  void update() { irq.write((bank_[regs::chn::kIntstat] & bank_[regs::chn::kInten]) != 0); }

  const ConstantStore& store_;
  const ConstantServo& servo_;
  media::Contents& contents_;
  controller::BufferMemory* ram_ = nullptr;
  RequestObserver* const requests_;
  RegisterBank bank_;
  ComponentState state_;
  std::vector<Piece> pieces_;
  std::uint64_t lbn_ = 0, sectors_passed_ = 0;
  std::uint32_t sectors_ = 0, moved_ = 0, tag_ = 0, cause_ = 0;
  bool write_ = false, busy_ = false, gathering_ = false, stopped_ = false, accounted_ = false;
  Ps begin_ = 0, end_ = 0;
  sc_core::sc_event finished_, mark_;
};

/// Modules: "srv0", "chn0", "xlt", "aau". No spindle.
class ConstantMechanism final : public drive::Mechanism, private PositionModel, private media::BlockLayout {
 public:
  ConstantMechanism(const ConstantStore& store, const drive::CommonParams& params, unsigned slots,
                    const BlockContext& context)
      : store_(store),
        decision_(params.arbiter.decision_time(1, 1)),
        cpu_edges_(params.controller.cpu_period()),
        ready_(cpu_edges_.time(params.firmware.handler_cycles(FW_IRQ_SRV0))),
        contents_(kept(), store.sectors),
        servo_("srv0", store_, context),
        channel_("chn0", store_, servo_, contents_, context),
        aau_(
            "aau", params.arbiter, params.arbiter.shape(slots, 1), 1, [this](unsigned) { return &time_base_; },
            context) {}

  std::uint64_t sectors() const override { return store_.sectors; }
  void describe(fw_factory& record) const override {
    record.arms = record.channels = record.heads = 1;
    record.cylinders = ConstantChannel::cylinder_of(store_.sectors - 1) + 1;
    record.arm_cylinders = record.cylinders;
    record.logical_sectors = record.physical_sectors = 1;
    record.seek_points = 1;
    record.seek[0] = {1, static_cast<std::uint32_t>(ceil_div(store_.positioning * 65'536, kPsPerUs))};
  }
  void attach(controller::Soc& soc) override {
    namespace map = regs::soc;
    soc.map(map::kAauBase, map::kAauBytes, aau_.regs);
    soc.map(map::kSrvBase, map::kSrvBytes, servo_.regs);
    soc.map(map::kChnBase, map::kChnBytes, channel_.regs);
    soc.map(map::kXltBase, map::kXltBytes, translation_.regs);
    aau_.irq.bind(soc.irq, FW_IRQ_AAU);
    servo_.irq.bind(soc.irq, FW_IRQ_SRV0);
    channel_.irq.bind(soc.irq, FW_IRQ_CHN0);
    channel_.bind(soc.ram);
  }
  const PositionModel& positions() const override { return *this; }
  Ps decision_time() const override { return decision_; }
  channel::ReadCounters reads() const override { return {}; }
  const media::Contents& contents() const override { return contents_; }
  void power_off() override { servo_.power_off(), channel_.power_off(); }
  void power_on() override {}
  unsigned away_from_rest() const override { return 0; }
  bool parked() const override { return true; }
  Ps last_at_work() const override { return channel_.busy() ? now() : 0; }

  unsigned moves() const { return servo_.moves(); }
  std::uint64_t sectors_passed() const { return channel_.sectors_passed(); }

 private:
  static media::ContentsParams kept() {
    media::ContentsParams params;
    params.contents = media::ContentsParams::memory;
    return params;
  }
  std::uint64_t blocks() const override { return store_.sectors; }
  media::BlockLayout::Place locate_block(std::uint64_t lbn) const override {
    return {ConstantChannel::cylinder_of(lbn), 0, 0, ConstantStore::kTrackSectors - blocks_before(lbn)};
  }
  std::uint32_t blocks_before(std::uint64_t lbn) const override {
    return static_cast<std::uint32_t>(lbn % ConstantStore::kTrackSectors);
  }
  std::uint32_t track_sectors(std::uint64_t /*lbn*/) const override { return ConstantStore::kTrackSectors; }
  PositionModel::Place place(Lbn lbn) const override { return {lbn, ConstantChannel::cylinder_of(lbn), 0, {}}; }
  unsigned arms() const override { return 1; }
  std::uint32_t arm_cylinder(unsigned) const override { return servo_.track(); }
  Ps positioning_time(const PositionModel::Place&, Operation, Ps start) const override {
    return cpu_edges_.next_time(start + store_.positioning) + ready_ - start;
  }
  Ps least_time(std::uint32_t) const override { return store_.positioning + ready_; }

  const ConstantStore store_;
  const Ps decision_;
  const ClockEdges cpu_edges_;
  const Ps ready_;
  const Rotation time_base_{0, 60'000'000'000};  ///< of the arbitration unit's ticks: 65,536 a microsecond
  media::Contents contents_;
  ConstantServo servo_;
  ConstantChannel channel_;
  media::Translation translation_{"xlt", *this};
  arbiter::ArmArbitrationUnit aau_;
};

}  // namespace armature::testing
