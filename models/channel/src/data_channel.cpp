#include "armature/channel/data_channel.h"

#include "armature/core/block_address.h"
#include "armature/core/kernel_time.h"
#include "armature/regs/chn.h"
#include "first_for_which.h"

#include <sysc/kernel/sc_dynamic_processes.h>

#include <algorithm>
#include <utility>

namespace armature::channel {
namespace {

namespace chn = armature::regs::chn;

std::uint64_t lba_of(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

}  // namespace

DataChannel::DataChannel(sc_core::sc_module_name name, const media::Geometry& geometry,
                         std::vector<const ArmPosition*> arms, const BlockContext& context, DataPath path,
                         double rotation_scale, const ChannelParams& params)
    : sc_module(name),
      geometry_(geometry),
      arms_(std::move(arms)),
      requests_(context.requests),
      path_(path),
      unit_(geometry.physical_sector_bytes() / kSectorBytes),
      rotation_scale_(rotation_scale),
      process_(params, geometry.physical_sector_bytes(), path.weak),
      latency_(from_us(params.latency_us)),
      iteration_(from_us(params.iteration_us)),
      select_(from_us(params.select_us)),
      write_to_read_(from_us(params.write_to_read_us)),
      bank_(chn::kTable),
      interrupt_(bank_, irq, chn::kIntstat, chn::kInten) {
  met_.resize(arms_.size(), 0);
  pieces_.reserve(kMaxPieces);
  at_work_.reserve(kMaxPieces);
  bind_registers();
  declare_probes(context);

  SC_HAS_PROCESS(DataChannel);
  SC_METHOD(access_done);
  sensitive << done_;
  dont_initialize();
  SC_METHOD(mark_reached);
  sensitive << mark_;
  dont_initialize();
  SC_METHOD(media_over);
  sensitive << media_over_;
  dont_initialize();
  SC_METHOD(gate_to_open);
  sensitive << gate_;
  dont_initialize();
  SC_METHOD(check_gate);
  sensitive << strayed_;
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

void DataChannel::bind_registers() {
  bank_.on_write(chn::kCtrl, [this](std::uint32_t word) { go(word); });
  bank_.on_write(chn::kMark, [this](std::uint32_t word) { set_mark(word); });
  bank_.on_write(chn::kExtend, [this](std::uint32_t word) { extend(chn::extend::Sectors::get(word)); });
  bank_.on_write(chn::kStop, [this](std::uint32_t word) {
    if (chn::stop::Stop::get(word)) stop();
  });
  bank_.on_read(chn::kProgress, [this] { return access_.left_out() + progress(); });
  bank_.on_write(chn::kPiecePush, [this](std::uint32_t word) { push_piece(word); });
  bank_.on_write(chn::kLadderCtrl, [this](std::uint32_t) { ladder_changed_ = true; });
  for (std::uint32_t i = 0; i < chn::kLadderStepCount; ++i)
    bank_.on_write(chn::kLadderStep + i * chn::kLadderStepStride, [this](std::uint32_t) { ladder_changed_ = true; });
  regs.bind(bank_);
}

void DataChannel::declare_probes(const BlockContext& context) {
  const std::string prefix = this->name();
  channel_.declare(context.states, {prefix, {"idle", "wait", "transfer"}});
  if (context.states && context.states->wants(prefix + ".write"))
    writing_.declare(context.states, {prefix + ".write", {"off", "on"}});
  state_probe_.declare(context.probes, prefix + ".state", "idle, wait (for the first sector) or transfer");
  lba_probe_.declare(context.probes, prefix + ".lba", 48, "First LBA of the access");
  tag_probe_.declare(context.probes, prefix + ".tag", 10, "Tag of the access");
  gate_probe_.declare(context.probes, prefix + ".gate", "Read or write gate: sectors pass under the head");
  declare_traces(context, prefix);
}

void DataChannel::start_of_simulation() {
  state_probe_.set("idle");
  lba_probe_.set(0);
  tag_probe_.set(0);
  gate_probe_.set(false);
}

/// Sectors at the beginning of the access under way are not read: they need no place.
void DataChannel::drop_places(std::uint32_t sectors) {
  for (std::size_t i = 0; sectors > 0; ++i) {
    const std::uint32_t part = std::min(sectors, at_work_[i].sectors);
    at_work_[i].address += part * kSectorBytes;
    at_work_[i].sectors -= part;
    sectors -= part;
  }
}

void DataChannel::push_piece(std::uint32_t word) {
  if (pieces_.size() == kMaxPieces) {
    pieces_overflow_ = true;
    return;
  }
  pieces_.push_back({bank_[chn::kPieceAddr], chn::piece_push::Sectors::get(word),
                     chn::piece_push::Blank::get(word) != 0, chn::piece_push::Drop::get(word) != 0});
}

/// The places of the access's data, from the pieces that were pushed for it or from its one address. False: they do not
/// match its length.
bool DataChannel::take_places(std::uint32_t sectors, bool gather) {
  at_work_.swap(pieces_);
  pieces_.clear();
  const bool overflow = std::exchange(pieces_overflow_, false);
  if (!gather) {
    at_work_.assign(1, {bank_[chn::kAddress], sectors, false, false});
    return true;
  }
  std::uint64_t sum = 0;
  for (const Piece& piece : at_work_) sum += piece.sectors;
  return sum == sectors && !overflow;
}

void DataChannel::go(std::uint32_t ctrl) {
  if (!chn::ctrl::Go::get(ctrl)) return;
  if (busy_) {
    fail(Cause::busy);
    return;
  }
  moved_ = 0;
  const std::uint32_t mode = std::exchange(bank_[chn::kMode], 0);
  const std::uint64_t lba = lba_of(chn::lba_hi::Lba::get(bank_[chn::kLbaHi]), bank_[chn::kLbaLo]);
  const std::uint32_t sectors = chn::ctrl::Sectors::get(ctrl);
  const std::uint32_t arm = chn::ctrl::Arm::get(ctrl);
  const bool write = chn::ctrl::Write::get(ctrl);
  media::Location at;
  Cause cause = check(lba, sectors, arm, write, at);
  if (!take_places(sectors, chn::mode::Gather::get(mode) != 0) || chn::mode::Batch::get(mode))
    cause = Cause::impossible;
  if (cause != Cause::none) {
    fail(cause);
    return;
  }
  busy_ = true;
  stopped_ = false;
  write_ = write;
  tag_ = chn::ctrl::Tag::get(ctrl);
  arm_ = arm;
  cylinder_ = at.cylinder;
  head_ = at.head;
  delivered_ = 0;
  accounted_ = requests_ && !chn::ctrl::Anonymous::get(ctrl);
  bank_[chn::kStatus] = chn::status::Busy::kMask;
  plan_access(lba, sectors, at, mode);
  lba_probe_.set(lba);
  tag_probe_.set(tag_);
  if (accounted_ && on_go) on_go(arm_, tag_);
  announce();
  if (arms_[arm_]->strays(write_)) arm_strays(arm_);
}

/// When the preamplifier is ready for the access that is being set up.
Ps DataChannel::preamplifier_ready() {
  Ps ready = now();
  const std::pair arm_and_head(arm_, head_);
  if (select_ > 0 && selected_ != arm_and_head) ready += select_;
  if (!write_ && write_to_read_ > 0 && write_over_ >= 0) ready = std::max(ready, write_over_ + write_to_read_);
  selected_ = arm_and_head;
  return ready;
}

/// @param first  where `lba` lies
void DataChannel::plan_access(std::uint64_t lba, std::uint32_t sectors, const media::Location& first,
                              std::uint32_t mode) {
  const ArmPosition& arm = *arms_[arm_];
  AccessPlan::Order order;
  order.lba = lba;
  order.sectors = sectors;
  order.first = first;
  order.any_order = chn::mode::AnyOrder::get(mode) != 0;
  order.free = chn::mode::Free::get(mode) != 0;
  order.wanted = order.free ? chn::wanted::Sectors::get(bank_[chn::kWanted]) : 0;
  order.mounted = arm.angle_ticks();
  if (write_) order.mounted = (order.mounted + static_cast<std::uint32_t>(arm.writer_ticks(first.cylinder))) & 0xFFFFu;
  order.begin = preamplifier_ready();
  // Only the last turn brings whole sectors; the others have passed before it.
  const Ps before = rotation()->duration({std::int64_t{arm.passes(cylinder_, head_)} - 1, 1});
  order.begin += before;
  const Ps expected = arm.expected() == 0 ? 0 : arm.expected() + before;
  const bool known = std::exchange(met_[arm_], expected) == expected;
  order.expected = known || arm.sooner() ? 0 : expected;
  order.rotation_scale = rotation_scale_;
  access_ = AccessPlan(geometry_, *rotation(), order);
  drop_places(access_.left_out());
  bank_[chn::kLeftOut] = access_.left_out();
  plan_.clear();
  media_end_cause_.reset();
  if (!write_ && plans()) plan_read(order.free && order.wanted < sectors ? order.wanted - access_.left_out() : 0);
}

/// The sector, of the access, before which the mark lies that `word` sets; nothing if it does not lie within.
std::optional<std::uint32_t> DataChannel::mark_within(std::uint32_t word) const {
  const std::uint32_t mark = chn::mark::Sectors::get(word);
  if (mark <= access_.left_out() || mark >= access_.left_out() + access_.sectors() || access_.any_order())
    return std::nullopt;
  return mark - access_.left_out();
}

/// Tells observers what the access will do, and schedules its events.
void DataChannel::announce() {
  const Ps begin = now();
  const Ps first = plan_.on() ? plan_.first : access_.wanted_at();
  const Ps media_end = plan_.on() ? plan_.media_end() : access_.end();
  const std::optional<std::uint32_t> mark = mark_within(bank_[chn::kMark]);
  if (accounted_) {
    requests_->media(tag_, Phase::rotation, begin);
    requests_->media(tag_, Phase::transfer, first);
    const bool to_mark = mark && !chn::mark::Part::get(bank_[chn::kMark]);
    const std::uint32_t accounted = to_mark ? *mark : access_.sectors();
    requests_->access(tag_, {arm_, head_, cylinder_, arms_[arm_]->from_cylinder(), first,
                             to_mark ? passed_after(accounted) : media_end, turns_until(accounted)});
  }
  if (plan_.on())
    for (const auto& [from, to] : plan_.windows()) media_moves(from, to);
  else
    media_moves(first, media_end);
  channel_.enter(kWait, begin);
  channel_.enter(kTransfer, first);
  if (write_) writing_.enter(1, first);
  publish_retries(0);
  if (state_probe_.traced() || gate_probe_.traced()) {
    state_probe_.set("wait");
    first_sector_.notify(to_sc_time(first - begin));
  }
  trace_access();
  if (mark) order_mark(ready_after(*mark));
  end_at(media_end, plan_.on() ? std::max(media_end, plan_.done()) : media_end);
}

/// The access under way ends then: times from now on, ps. Events of an earlier end that have begun find a later one.
void DataChannel::end_at(Ps media_end, Ps done) {
  media_end_ = media_end;
  done_at_ = done;
  media_over_.cancel();
  done_.cancel();
  if (done > media_end) media_over_.notify(to_sc_time(media_end - now()));
  done_.notify(to_sc_time(done - now()));
}

/// Tells the buffer RAM when the media move data.
void DataChannel::media_moves(Ps begin, Ps end) {
  if (!path_.buffer) return;
  constexpr __int128 kBytesPerSecond = static_cast<__int128>(kSectorBytes) * kPsPerSecond;
  const __int128 turn = access_.rotation().duration({1, 1});
  path_.buffer->media_moves(begin, end,
                            static_cast<std::int64_t>(ceil_div(kBytesPerSecond * access_.track().sectors(), turn)));
}

/// Sectors of an ordered access whose trailing edge has passed at `t`; of a planned read: which are decoded.
std::uint32_t DataChannel::moved_at(Ps t) const {
  if (!plan_.on()) return access_.passed_at(t);
  const auto comes_later = [&](std::uint32_t moved) { return ready_after(moved) > t; };
  return first_for_which(0, access_.sectors() + 1, access_.about_passed_at(t) + 1, comes_later) - 1;
}

void DataChannel::set_mark(std::uint32_t word) {
  if (!busy_ || access_.any_order()) return;
  cancel_mark();
  const std::optional<std::uint32_t> mark = mark_within(word);
  if (!mark) return;
  const Ps reached = ready_after(*mark);
  if (reached <= now() && accounted_ && !chn::mark::Part::get(word)) {
    requests_->access_extended(tag_, passed_after(*mark), turns_until(*mark));
    account_done(now());
  }
  order_mark(reached);
}

/// kNever: it is not reached.
void DataChannel::order_mark(Ps at) {
  if (at == kNever) return;
  mark_at_ = std::max(at, now());
  mark_.notify(to_sc_time(mark_at_ - now()));
}

void DataChannel::cancel_mark() {
  mark_at_ = kNever;
  mark_.cancel();
}

void DataChannel::mark_reached() {
  if (!busy_ || now() < mark_at_) return;
  mark_at_ = kNever;
  if (!chn::mark::Part::get(bank_[chn::kMark])) account_done(now());
  const std::uint32_t moved = moved_at(now());
  if (deliver(moved) < moved) {  // one of them cannot be read: the access ends here
    if (path_.buffer) path_.buffer->media_stops(now());
    done_.cancel();
    media_over_.cancel();
    access_over();
    return;
  }
  interrupt_.raise(chn::intstat::Mark::kMask);
}

void DataChannel::account_done(Ps at) {
  if (accounted_) requests_->media_done(tag_, at);
  accounted_ = false;
}

void DataChannel::stop() {
  if (!busy_ || access_.any_order() || !rotation()) return;
  stopped_ = true;
  if (plan_.on()) {
    stop_planned();
    return;
  }
  const Ps at = now();
  std::uint32_t last = 0;
  if (at > access_.first_at()) {
    last = moved_at(at);
    if (access_.edge_after(last) < at) last = std::min(last + 1, access_.sectors());
  }
  access_.shorten(last);
  cancel_mark();
  const Ps end = last == 0 ? at : std::max(access_.edge_after(last), at);
  if (path_.buffer) path_.buffer->media_stops(end);
  end_at(end, end);
}

std::uint32_t DataChannel::progress() {
  if (!busy_) return moved_;
  if (access_.any_order() || !rotation()) return 0;
  return deliver(moved_at(now()));
}

std::uint8_t* DataChannel::buffer_of(std::uint32_t sector, std::size_t& piece, std::uint32_t& piece_begin) {
  while (sector >= piece_begin + at_work_[piece].sectors) piece_begin += at_work_[piece++].sectors;
  if (at_work_[piece].blank || at_work_[piece].drop) return nullptr;
  return path_.buffer->bytes(at_work_[piece].address + (sector - piece_begin) * kSectorBytes, kSectorBytes);
}

/// The access has blank pieces: a write of them leaves the sectors unreadable.
bool DataChannel::blanks() const {
  return std::any_of(at_work_.begin(), at_work_.end(), [](const Piece& piece) { return piece.blank; });
}

/// Moves contents up to the sector `moved` of the access; tells how many could be: all, unless one is unreadable.
std::uint32_t DataChannel::deliver(std::uint32_t moved) {
  if (!keeps() && !(write_ && path_.contents && blanks())) return delivered_ = moved;
  std::size_t piece = 0;
  std::uint32_t piece_begin = 0;
  for (; delivered_ < moved; ++delivered_) {
    std::uint8_t* const bytes = buffer_of(delivered_, piece, piece_begin);
    if (!transfer(delivered_, at_work_[piece], piece_begin, bytes)) break;
  }
  return delivered_;
}

/// One sector of the access; false if it cannot be read.
/// Data that the RAM knows to be wrong go to the media with a wrong code: nobody reads them as if they were right.
bool DataChannel::transfer(std::uint32_t sector, const Piece& piece, std::uint32_t piece_begin, std::uint8_t* bytes) {
  const media::PhysicalSector place = geometry_.physical(access_.lba() + sector);
  const std::uint32_t address = piece.address + (sector - piece_begin) * kSectorBytes;
  const std::int32_t tag = accounted_ ? static_cast<std::int32_t>(tag_) : -1;
  std::uint8_t dropped[kSectorBytes];
  if (!write_ && piece.drop) return path_.contents->read(place, dropped);
  if (!write_) {
    if (!bytes) return true;
    const bool read = path_.contents->read(place, bytes);
    if (read) path_.buffer->written(address, kSectorBytes, tag);
    return read;
  }
  if (bytes && !path_.buffer->sound(address, kSectorBytes, tag))
    path_.contents->spoil(place);
  else if (bytes)
    path_.contents->write(place, bytes);
  else if (piece.blank)
    path_.contents->mark(place);
  return true;  // without a place in the RAM: firmware's mistake, as on a bus that nobody answers
}

DataChannel::Cause DataChannel::check(std::uint64_t lba, std::uint32_t sectors, std::uint32_t arm, bool write,
                                      media::Location& first) const {
  if (sectors == 0 || lba >= geometry_.sectors()) return Cause::impossible;
  first = geometry_.locate(lba);
  if (sectors > first.run || (write && (lba % unit_ != 0 || sectors % unit_ != 0))) return Cause::impossible;
  if (arm < arms_.size()) {
    const spindle::Spindle& stack = arms_[arm]->spindle();
    if (!stack.rotation() || (write && stack.off_speed())) return Cause::not_at_speed;
  }
  return check_arm(arm, write, first.cylinder, first.head);
}

DataChannel::Cause DataChannel::check_arm(std::uint32_t arm, bool write, std::uint32_t cylinder,
                                          std::uint32_t head) const {
  if (arm >= arms_.size()) return Cause::off_track;
  const ArmPosition& position = *arms_[arm];
  const std::uint32_t jog = write ? static_cast<std::uint32_t>(position.writer_tracks(cylinder)) : 0;
  const bool there = position.cylinder() == cylinder + jog && position.head() == head && position.on_track(write);
  return there ? Cause::none : Cause::off_track;
}

/// Of a mark and the end of the access at one instant the mark comes first.
void DataChannel::access_done() {
  if (now() < done_at_) return;
  if (mark_at_ <= now()) mark_reached();
  if (busy_) access_over();
}

Ps DataChannel::last_at_work() const {
  return busy_ ? now() : idle_since_;
}

void DataChannel::access_over() {
  busy_ = false;
  const std::int32_t tag = accounted_ ? static_cast<std::int32_t>(tag_) : -1;
  const Ps at = now();
  idle_since_ = at;
  channel_.enter(kIdle, at);
  if (write_) writing_.enter(0, at);
  state_probe_.set("idle");
  gate_probe_.set(false);
  account_done(at);
  bank_[chn::kStatus] = 0;
  bank_[chn::kMark] = 0;
  cancel_mark();
  first_sector_.cancel();
  gate_.cancel();
  trace_next_.cancel();
  if (write_) write_over_ = at;
  const Cause cause = media_end_cause_ ? *media_end_cause_ : check_end();
  sync_probe_.set(false);
  if (cause != Cause::none && cause != Cause::strayed) {
    fail(cause);
    return;
  }
  count_reads();
  moved_ = deliver(std::min(access_.sectors(), plan_.bad));
  if (cause == Cause::strayed) {
    fail(cause);
    return;
  }
  if (moved_ != access_.sectors()) {
    if (!plan_.on() && path_.contents) read_failed(moved_, at, tag);  // else told when it was planned
    fail(Cause::unreadable);
    return;
  }
  interrupt_.raise(chn::intstat::Done::kMask);
}

/// Firmware may have moved the arm or stopped the stack meanwhile: then nothing was read, and the channel says so.
DataChannel::Cause DataChannel::check_end() const {
  const bool turned_on = rotation() && rotation()->index_time() == access_.rotation().index_time();
  return turned_on ? check_arm(arm_, write_, cylinder_, head_) : Cause::not_at_speed;
}

/// The last sector has passed, and the decoder is still at work.
void DataChannel::media_over() {
  if (!busy_ || now() < media_end_) return;
  if (!media_end_cause_) media_end_cause_ = check_end();
  gate_probe_.set(false);
}

void DataChannel::power_off() {
  if (busy_) break_off();
  bank_.reset();
  before_power_on_ = counters_;
  interrupt_.update();
  pieces_.clear();
  pieces_overflow_ = false;
  ladder_ = {};
  retry_limit_ = 0;
  ladder_changed_ = false;
  selected_.reset();
  std::fill(met_.begin(), met_.end(), 0);
  write_over_ = -1;
  moved_ = 0;
}

/// The access under way ends here.
void DataChannel::break_off() {
  done_.cancel();
  media_over_.cancel();
  trace_next_.cancel();
  cancel_mark();
  first_sector_.cancel();
  gate_.cancel();
  busy_ = false;
  idle_since_ = now();
  account_done(now());
  state_probe_.set("idle");
  gate_probe_.set(false);
  sync_probe_.set(false);
  channel_.enter(kIdle, now());
  writing_.enter(0, now());
  if (path_.buffer) path_.buffer->media_stops(now());
  if (!write_ || !rotation() || !keeps()) return;
  // In whatever order the sectors come: those that have passed are written, the one under the head is torn.
  const Ps at = now();
  const std::uint32_t sectors = access_.sectors();
  std::size_t piece = 0;
  std::uint32_t piece_begin = 0;
  // What `progress` has told of is written, and its place in the buffer may hold something else.
  for (std::uint32_t i = access_.any_order() ? 0 : delivered_; i < sectors; ++i) {
    const std::uint32_t sector = (access_.first_of_pass() + i) % sectors;
    if (sector == 0) piece = piece_begin = 0;
    const Ps begins = access_.leading_edge(sector);
    if (begins >= at) return;
    const media::PhysicalSector physical = geometry_.physical(access_.lba() + sector);
    const Ps ends = access_.trailing_edge(sector, begins);
    const std::uint8_t* const bytes = buffer_of(sector, piece, piece_begin);
    if (bytes && (ends <= at || unit_ > 1))
      path_.contents->write(physical, bytes);
    else
      path_.contents->spoil(physical);
  }
}

void DataChannel::fail(Cause cause) {
  bank_[chn::kStatus] = chn::status::Cause::set(bank_[chn::kStatus], static_cast<std::uint32_t>(cause));
  interrupt_.raise(chn::intstat::Error::kMask);
}

}  // namespace armature::channel
