#include "armature/channel/data_channel.h"

#include "armature/regs/chn.h"

#include <algorithm>

namespace armature::channel {
namespace {

namespace chn = armature::regs::chn;

constexpr std::uint32_t kMaxRun = 0xFFFF;  // what xl_place.run can hold

std::uint64_t lba_of(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

}  // namespace

DataChannel::DataChannel(sc_core::sc_module_name name, const media::Geometry& geometry, spindle::Spindle& spindle,
                         std::vector<const ArmPosition*> arms, const BlockContext& context)
    : sc_module(name),
      geometry_(geometry),
      spindle_(spindle),
      arms_(std::move(arms)),
      requests_(context.requests),
      bank_(chn::kTable) {
  bank_.on_write(chn::kXlLbaLo, [this](std::uint32_t) { translate(); });
  bank_.on_write(chn::kCtrl, [this](std::uint32_t word) { go(word); });
  bank_.on_write(chn::kIntstat, [this](std::uint32_t) { update_irq(); });
  bank_.on_write(chn::kInten, [this](std::uint32_t) { update_irq(); });
  regs.register_b_transport(&bank_, &RegisterBank::b_transport);
  regs.register_transport_dbg(&bank_, &RegisterBank::transport_dbg);

  const std::string path = this->name();
  channel_.declare(context.states, {path, {"idle", "wait", "transfer"}});
  state_probe_.declare(context.probes, path + ".state", "idle, wait (for the first sector) or transfer");
  lba_probe_.declare(context.probes, path + ".lba", 48, "First LBA of the access");
  tag_probe_.declare(context.probes, path + ".tag", 10, "Tag of the access");
  gate_probe_.declare(context.probes, path + ".gate", "Read or write gate: sectors pass under the head");

  SC_HAS_PROCESS(DataChannel);
  SC_METHOD(access_over);
  sensitive << done_;
  dont_initialize();
  if (state_probe_.traced() || gate_probe_.traced()) {
    sc_core::sc_spawn_options options;
    options.spawn_method();
    options.set_sensitivity(&first_sector_);
    options.dont_initialize();
    const auto open_gate = [this] {
      state_probe_.set("transfer");
      gate_probe_.set(true);
    };
    sc_core::sc_spawn(open_gate, "open_gate", &options);
  }
}

void DataChannel::start_of_simulation() {
  state_probe_.set("idle");
  lba_probe_.set(0);
  tag_probe_.set(0);
  gate_probe_.set(false);
}

void DataChannel::translate() {
  const std::uint64_t lba = lba_of(chn::xl_lba_hi::Lba::get(bank_[chn::kXlLbaHi]), bank_[chn::kXlLbaLo]);
  if (lba >= geometry_.sectors()) {
    bank_[chn::kXlTrack] = chn::xl_track::Invalid::kMask;
    bank_[chn::kXlPlace] = 0;
    return;
  }
  const media::Location at = geometry_.locate(lba);
  const auto ticks = static_cast<std::uint32_t>((at.angle.numerator << 16) / at.angle.denominator);
  bank_[chn::kXlTrack] = chn::xl_track::Head::set(chn::xl_track::Cylinder::set(0, at.cylinder), at.head);
  bank_[chn::kXlPlace] = chn::xl_place::Run::set(chn::xl_place::Angle::set(0, ticks), std::min(at.run, kMaxRun));
}

void DataChannel::go(std::uint32_t ctrl) {
  if (!chn::ctrl::Go::get(ctrl)) return;
  if (busy_) {
    fail(Cause::busy);
    return;
  }
  const std::uint64_t lba = lba_of(chn::lba_hi::Lba::get(bank_[chn::kLbaHi]), bank_[chn::kLbaLo]);
  const std::uint32_t sectors = chn::ctrl::Sectors::get(ctrl);
  const std::uint32_t arm = chn::ctrl::Arm::get(ctrl);
  const bool write = chn::ctrl::Write::get(ctrl);
  media::Location at;
  const Cause cause = check(lba, sectors, arm, write, at);
  if (cause != Cause::none) {
    fail(cause);
    return;
  }

  const Ps begin = now();
  const Rotation& rotation = *spindle_.rotation();
  index_time_ = rotation.index_time();
  const Ps first = rotation.next_passage(at.angle, begin);
  // The last sector lies further on by the blocks of the run and the slipped sectors between them.
  const std::uint32_t span = geometry_.locate(lba + sectors - 1).sector - at.sector + 1;
  // The trailing edge, at or after `first` + the span's exact duration; both are rounded up, so ask 2 ps earlier, where
  // the same edge's passage of a turn before is long over.
  const TrackAngle end{(at.angle.numerator + span) % at.angle.denominator, at.angle.denominator};
  const Ps done = rotation.next_passage(end, first + rotation.duration({span, at.angle.denominator}) - 2);

  busy_ = true;
  write_ = write;
  tag_ = chn::ctrl::Tag::get(ctrl);
  arm_ = arm;
  cylinder_ = at.cylinder;
  head_ = at.head;
  bank_[chn::kStatus] = chn::status::Busy::kMask;
  if (requests_) {
    requests_->media(tag_, Phase::rotation, begin);
    requests_->media(tag_, Phase::transfer, first);
    requests_->access(tag_, {arm, at.head, at.cylinder, arms_[arm]->from_cylinder(), first, done});
  }
  channel_.enter(kWait, begin);
  channel_.enter(kTransfer, first);
  spindle_.trace_angle(begin, done);
  lba_probe_.set(lba);
  tag_probe_.set(tag_);
  if (state_probe_.traced() || gate_probe_.traced()) {
    state_probe_.set("wait");
    first_sector_.notify(to_sc_time(first - begin));
  }
  done_.notify(to_sc_time(done - begin));
}

DataChannel::Cause DataChannel::check(std::uint64_t lba, std::uint32_t sectors, std::uint32_t arm, bool write,
                                      media::Location& first) const {
  if (sectors == 0 || lba >= geometry_.sectors()) return Cause::impossible;
  first = geometry_.locate(lba);
  if (sectors > first.run) return Cause::impossible;
  if (!spindle_.rotation()) return Cause::not_at_speed;
  return check_arm(arm, write, first.cylinder, first.head);
}

DataChannel::Cause DataChannel::check_arm(std::uint32_t arm, bool write, std::uint32_t cylinder,
                                          std::uint32_t head) const {
  if (arm >= arms_.size()) return Cause::off_track;
  const ArmPosition& position = *arms_[arm];
  const bool there = position.cylinder() == cylinder && position.head() == head && position.on_track(write);
  return there ? Cause::none : Cause::off_track;
}

void DataChannel::access_over() {
  busy_ = false;
  const Ps at = now();
  channel_.enter(kIdle, at);
  state_probe_.set("idle");
  gate_probe_.set(false);
  if (requests_) requests_->media_done(tag_, at);
  bank_[chn::kStatus] = 0;
  // Firmware may have moved the arm or stopped the stack meanwhile: then nothing was read, and the channel says so.
  const Rotation* rotation = spindle_.rotation();
  const bool turned_on = rotation && rotation->index_time() == index_time_;
  const Cause cause = turned_on ? check_arm(arm_, write_, cylinder_, head_) : Cause::not_at_speed;
  if (cause != Cause::none) {
    fail(cause);
    return;
  }
  bank_[chn::kIntstat] |= chn::intstat::Done::kMask;
  update_irq();
}

void DataChannel::fail(Cause cause) {
  bank_[chn::kStatus] = chn::status::Cause::set(bank_[chn::kStatus], static_cast<std::uint32_t>(cause));
  bank_[chn::kIntstat] |= chn::intstat::Error::kMask;
  update_irq();
}

void DataChannel::update_irq() {
  irq.write((bank_[chn::kIntstat] & bank_[chn::kInten]) != 0);
}

}  // namespace armature::channel
