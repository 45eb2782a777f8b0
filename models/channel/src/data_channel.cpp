#include "armature/channel/data_channel.h"

#include "armature/regs/chn.h"

#include <sysc/kernel/sc_dynamic_processes.h>

#include <algorithm>
#include <cmath>

namespace armature::channel {
namespace {

namespace chn = armature::regs::chn;

constexpr std::uint32_t kSectorBytes = 512;
constexpr std::uint32_t kMaxRun = 0xFFFF;  // what xl_place.run can hold

std::uint64_t lba_of(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

/// The least number above `none` for which `holds`: it holds for all above that one and not for `none`, and is not
/// asked about `all`. Looks near `guess` first.
template <class Holds>
std::uint32_t first_for_which(std::uint32_t none, std::uint32_t all, std::int64_t guess, const Holds& holds) {
  const std::int64_t low = std::int64_t{none} + 1, high = std::int64_t{all} - 1;
  auto at = static_cast<std::uint32_t>(std::max(std::min(guess, high), low));
  for (std::uint32_t step = 1; all - none > 1; step *= 2) {
    const bool found = holds(at);
    (found ? all : none) = at;
    const std::uint32_t left = all - none;
    at = step < left ? (found ? all - step : none + step) : none + left / 2;
  }
  return all;
}

}  // namespace

DataChannel::DataChannel(sc_core::sc_module_name name, const media::Geometry& geometry,
                         std::vector<const ArmPosition*> arms, const BlockContext& context, DataPath path,
                         double rotation_scale, const ChannelParams& params)
    : sc_module(name),
      geometry_(geometry),
      arms_(std::move(arms)),
      requests_(context.requests),
      path_{path.contents && path.contents->modelled() ? path.contents : nullptr, path.buffer, path.spares,
            path.sync_share},
      unit_(geometry.physical_sector_bytes() / kSectorBytes),
      rotation_scale_(rotation_scale),
      process_(params, geometry.physical_sector_bytes()),
      latency_(from_us(params.latency_us)),
      iteration_(from_us(params.iteration_us)),
      select_(from_us(params.select_us)),
      write_to_read_(from_us(params.write_to_read_us)),
      bank_(chn::kTable) {
  pieces_.reserve(kMaxPieces);
  at_work_.reserve(kMaxPieces);
  bank_.on_write(chn::kXlLbaLo, [this](std::uint32_t) { translate(); });
  bank_.on_write(chn::kCtrl, [this](std::uint32_t word) { go(word); });
  bank_.on_write(chn::kIntstat, [this](std::uint32_t) { update_irq(); });
  bank_.on_write(chn::kInten, [this](std::uint32_t) { update_irq(); });
  bank_.on_write(chn::kMark, [this](std::uint32_t word) { set_mark(word); });
  bank_.on_write(chn::kExtend, [this](std::uint32_t word) { extend(chn::extend::Sectors::get(word)); });
  bank_.on_write(chn::kStop, [this](std::uint32_t word) {
    if (chn::stop::Stop::get(word)) stop();
  });
  bank_.on_read(chn::kProgress, [this] { return left_out_ + progress(); });
  bank_.on_read(chn::kXlBefore, [this] {
    return before(lba_of(chn::xl_lba_hi::Lba::get(bank_[chn::kXlLbaHi]), bank_[chn::kXlLbaLo]));
  });
  bank_.on_write(chn::kPiecePush, [this](std::uint32_t word) { push_piece(word); });
  bank_.on_write(chn::kXlMove, [this](std::uint32_t word) { move_to_spare(word); });
  bank_.on_write(chn::kLadderCtrl, [this](std::uint32_t) { ladder_changed_ = true; });
  for (std::uint32_t i = 0; i < chn::kLadderStepCount; ++i)
    bank_.on_write(chn::kLadderStep + i * chn::kLadderStepStride, [this](std::uint32_t) { ladder_changed_ = true; });
  regs.bind(bank_);

  const std::string prefix = this->name();
  channel_.declare(context.states, {prefix, {"idle", "wait", "transfer"}});
  if (context.states && context.states->wants(prefix + ".write"))
    writing_.declare(context.states, {prefix + ".write", {"off", "on"}});
  state_probe_.declare(context.probes, prefix + ".state", "idle, wait (for the first sector) or transfer");
  lba_probe_.declare(context.probes, prefix + ".lba", 48, "First LBA of the access");
  tag_probe_.declare(context.probes, prefix + ".tag", 10, "Tag of the access");
  gate_probe_.declare(context.probes, prefix + ".gate", "Read or write gate: sectors pass under the head");
  declare_traces(context, prefix);

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
  SC_METHOD(check_gate);
  sensitive << gate_;
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

/// Sectors of the same track whose LBAs lie before `lba` and follow in place.
std::uint32_t DataChannel::before(std::uint64_t lba) const {
  if (lba >= geometry_.sectors()) return 0;
  return std::min(geometry_.run_before(lba), kMaxRun);
}

/// Of the access that is being set up.
void DataChannel::leave_out(std::uint32_t sectors) {
  left_out_ = sectors;
  lba_ += sectors;
  sectors_ -= sectors;
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

void DataChannel::move_to_spare(std::uint32_t word) {
  bank_[chn::kXlMove] = 0;
  const std::uint64_t lba = lba_of(chn::xl_lba_hi::Lba::get(bank_[chn::kXlLbaHi]), bank_[chn::kXlLbaLo]);
  if (!chn::xl_move::Go::get(word) || busy_ || !path_.spares || lba >= geometry_.sectors()) return;
  const std::optional<media::PhysicalSector> place = path_.spares->reallocate(lba);
  if (!place) return;
  // Nothing that belongs to the block stands there yet.
  for (std::uint32_t i = 0; path_.contents && i < unit_; ++i) path_.contents->spoil(*place + i);
  if (path_.contents) path_.contents->reallocated({lba - lba % unit_, *place});
  bank_[chn::kXlMove] = chn::xl_move::Moved::kMask;
  translate();
}

void DataChannel::go(std::uint32_t ctrl) {
  if (!chn::ctrl::Go::get(ctrl)) return;
  if (busy_) {
    fail(Cause::busy);
    return;
  }
  moved_ = 0;
  const std::uint32_t mode = bank_[chn::kMode];
  bank_[chn::kMode] = 0;
  at_work_.swap(pieces_);
  pieces_.clear();
  const std::uint64_t lba = lba_of(chn::lba_hi::Lba::get(bank_[chn::kLbaHi]), bank_[chn::kLbaLo]);
  const std::uint32_t sectors = chn::ctrl::Sectors::get(ctrl);
  const std::uint32_t arm = chn::ctrl::Arm::get(ctrl);
  const bool write = chn::ctrl::Write::get(ctrl);
  media::Location at;
  Cause cause = check(lba, sectors, arm, write, at);
  if (chn::mode::Gather::get(mode)) {
    std::uint64_t sum = 0;
    for (const Piece& piece : at_work_) sum += piece.sectors;
    if (sum != sectors || pieces_overflow_) cause = Cause::impossible;
  } else {
    at_work_.clear();
    at_work_.push_back({bank_[chn::kAddress], sectors, false, false});
  }
  pieces_overflow_ = false;
  if (cause != Cause::none) {
    fail(cause);
    return;
  }

  const Ps begin = now();
  arm_ = arm;
  Ps ready = begin;  // of the preamplifier
  if (select_ > 0 && selected_ != std::pair(arm, at.head)) ready += select_;
  if (!write && write_to_read_ > 0 && write_over_ >= 0) ready = std::max(ready, write_over_ + write_to_read_);
  selected_ = {arm, at.head};
  begin_ = ready;
  const Rotation& rotation = *this->rotation();
  index_time_ = rotation.index_time();
  busy_ = true;
  stopped_ = false;
  write_ = write;
  tag_ = chn::ctrl::Tag::get(ctrl);
  cylinder_ = at.cylinder;
  head_ = at.head;
  lba_ = lba;
  sectors_ = sectors;
  delivered_ = 0;
  moved_ = 0;
  number_sectors(at);
  track_ = geometry_.track_angles(at);
  sector_time_ = rotation.duration({1, track_.sectors()});
  first_angle_ = track_.begin(first_sector_number_);
  mounted_ = arms_[arm]->angle_ticks();
  if (write) mounted_ = (mounted_ + static_cast<std::uint32_t>(arms_[arm]->writer_ticks(cylinder_))) & 0xFFFFu;
  left_of_wait_ = 0;
  any_order_ = false;
  left_out_ = 0;
  const bool free = chn::mode::Free::get(mode), any_order = chn::mode::AnyOrder::get(mode);
  const std::uint32_t wanted = free ? chn::wanted::Sectors::get(bank_[chn::kWanted]) : 0;
  const Ps from = any_order ? ready : earliest(wanted, ready);
  first_at_ = passage(first_angle_, from);
  Ps first = first_at_;
  if (free && wanted < sectors) {
    const std::uint32_t skipped = first_to_come(from, wanted + 1) / unit_ * unit_;
    const TrackAngle angle = angle_of(skipped);
    leave_out(skipped);
    number_sectors(geometry_.locate(lba_));
    first_angle_ = angle;
    first_at_ = passage(first_angle_, from);
    first = edge_before(wanted - skipped);
  }
  bank_[chn::kLeftOut] = left_out_;
  Ps done = edge_after(sectors_);
  if (any_order) {
    const std::uint32_t start = first_to_come(ready, sectors_);
    if (start > 0) {
      any_order_ = true;
      first_of_pass_ = start;
      first = passage(angle_of(start), ready);
      done = edge_after(start);  // the part before it passes last
    }
  }
  if (rotation_scale_ < 1) {
    // The head waits for the first sector that it takes: of a free read that may be one before `first`.
    const Ps waits_until = any_order_ ? first : first_at_;
    left_of_wait_ = waits_until - begin - std::llround(static_cast<double>(waits_until - begin) * rotation_scale_);
    first_at_ -= left_of_wait_;
    first -= left_of_wait_;
    done -= left_of_wait_;
  }
  plan_.clear();
  media_end_cause_.reset();
  if (!write && plans()) {
    plan_read(free && wanted < sectors ? wanted - left_out_ : 0);
    first = plan_.first;
    done = plan_.media_end();
  }
  accounted_ = requests_ && !chn::ctrl::Anonymous::get(ctrl);
  bank_[chn::kStatus] = chn::status::Busy::kMask;
  const std::uint32_t mark = chn::mark::Sectors::get(bank_[chn::kMark]);
  const bool marked = mark > left_out_ && mark < sectors && !any_order_;
  if (accounted_) {
    requests_->media(tag_, Phase::rotation, begin);
    requests_->media(tag_, Phase::transfer, first);
    const bool to_mark = marked && !chn::mark::Part::get(bank_[chn::kMark]);
    const std::uint32_t accounted = to_mark ? mark - left_out_ : sectors_;
    requests_->access(tag_, {arm, at.head, at.cylinder, arms_[arm]->from_cylinder(), first,
                             to_mark ? passed_after(accounted) : done, turns_until(accounted)});
  }
  if (plan_.on())
    for (const auto& [from_edge, to_edge] : plan_.windows()) media_moves(from_edge, to_edge);
  else
    media_moves(first, done);
  channel_.enter(kWait, begin);
  channel_.enter(kTransfer, first);
  if (write) writing_.enter(1, first);
  publish_retries(0);
  arms_[arm]->spindle().trace_angle(begin, done);
  lba_probe_.set(lba);
  tag_probe_.set(tag_);
  if (state_probe_.traced() || gate_probe_.traced()) {
    state_probe_.set("wait");
    first_sector_.notify(to_sc_time(first - begin));
  }
  trace_access();
  if (marked && ready_after(mark - left_out_) != kNever)
    mark_.notify(to_sc_time(ready_after(mark - left_out_) - begin));
  end_at(done, plan_.on() ? std::max(done, plan_.done()) : done);
  arm_strays(arm_);
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

/// @param first  where the access's first block lies
void DataChannel::number_sectors(const media::Location& first) {
  // A physical sector of several blocks is read and written whole.
  first_sector_number_ = first.sector - static_cast<std::uint32_t>(lba_ % unit_);
  straight_ = sectors_ <= first.even;
}

/// The buffer RAM is told when the media move data.
void DataChannel::media_moves(Ps begin, Ps end) {
  if (!path_.buffer) return;
  constexpr __int128 kBytesPerSecond = static_cast<__int128>(kSectorBytes) * kPsPerSecond;
  const __int128 turn = rotation()->duration({1, 1});
  path_.buffer->media_moves(begin, end, static_cast<std::int64_t>(ceil_div(kBytesPerSecond * track_.sectors(), turn)));
}

/// On the track: the first of the physical sector that holds the `sector`-th block of the access.
std::uint32_t DataChannel::sector_of(std::uint32_t sector) const {
  const std::uint64_t lba = lba_ + sector;
  if (straight_) {
    const auto into = static_cast<std::uint32_t>(lba - (lba_ - lba_ % unit_));  // from the first physical sector on
    return first_sector_number_ + into - into % unit_;
  }
  return geometry_.locate(lba).sector - static_cast<std::uint32_t>(lba % unit_);
}

TrackAngle DataChannel::angle_of(std::uint32_t sector) const {
  return track_.begin(sector_of(sector));
}

/// First passage of `where` under the access's arm at or after `t`.
Ps DataChannel::passage(TrackAngle where, Ps t) const {
  return rotation()->next_passage(later(where, mounted_), t + left_of_wait_) - left_of_wait_;
}

/// When the leading edge of the sector passes.
Ps DataChannel::edge_before(std::uint32_t sector) const {
  return passage(angle_of(sector), first_at_);
}

/// When the trailing edge of the `moved`-th sector passes, on the passage that begins at `first_at_`.
Ps DataChannel::edge_after(std::uint32_t moved) const {
  if (moved == 0) return first_at_;
  const std::uint32_t last = sector_of(moved - 1) + unit_ - 1;
  // Within a turn of `first_at_`, at which the same edge passes if the access is the whole track.
  return passage(track_.end(last), first_at_ + 2);
}

/// From when on the access may begin, of which the sector `wanted` is expected.
Ps DataChannel::earliest(std::uint32_t wanted, Ps begin) const {
  const Ps expected = arms_[arm_]->expected();
  if (rotation_scale_ < 1 || expected <= begin || wanted >= sectors_) return begin;
  const Ps next = passage(angle_of(wanted), begin);
  return next < expected - rotation()->duration({1, 2}) ? next + 1 : begin;
}

/// The sector of the run whose leading edge comes first from `begin` on.
std::uint32_t DataChannel::first_to_come(Ps begin, std::uint32_t sectors) const {
  // Those behind the head come after the run's first one, those before it earlier.
  const auto comes_earlier = [&](std::uint32_t sector) { return passage(angle_of(sector), begin) < first_at_; };
  const Ps behind = rotation()->duration({1, 1}) - (first_at_ - begin);  // the run's first one has passed so long ago
  const std::uint32_t first = first_for_which(0, sectors, behind / sector_time_ + 1, comes_earlier);
  return first == sectors ? 0 : first;
}

/// Sectors of an ordered access whose trailing edge has passed at `t`; of a planned read: which are decoded.
std::uint32_t DataChannel::moved_at(Ps t) const {
  const Ps passed = t - first_at_;
  if (passed <= 0 && !plan_.on()) return 0;
  const Ps about = passed / sector_time_;
  // A sector lasts up to a picosecond less than `sector_time_`. Far enough from any edge the quotient is exact.
  const Ps into = passed - about * sector_time_;
  if (!plan_.on() && straight_ && unit_ == 1 && track_.wedges().count == 0 && into >= 2 &&
      into + about + 3 < sector_time_)
    return static_cast<std::uint32_t>(std::min<Ps>(about, sectors_));
  const auto comes_later = [&](std::uint32_t moved) { return ready_after(moved) > t; };
  return first_for_which(0, sectors_ + 1, about + 1, comes_later) - 1;
}

void DataChannel::set_mark(std::uint32_t word) {
  if (!busy_ || any_order_) return;
  mark_.cancel();
  if (chn::mark::Sectors::get(word) <= left_out_) return;
  const std::uint32_t mark = chn::mark::Sectors::get(word) - left_out_;
  if (mark >= sectors_) return;
  const Ps reached = ready_after(mark);
  if (reached <= now() && accounted_ && !chn::mark::Part::get(word)) {
    requests_->access_extended(tag_, passed_after(mark), turns_until(mark));
    account_done(now());
  }
  if (reached != kNever) mark_.notify(to_sc_time(std::max<Ps>(reached - now(), 0)));
}

void DataChannel::mark_reached() {
  if (!busy_) return;
  if (!chn::mark::Part::get(bank_[chn::kMark])) account_done(now());
  const std::uint32_t moved = moved_at(now());
  if (deliver(moved) < moved) {  // one of them cannot be read: the access ends here
    if (path_.buffer) path_.buffer->media_stops(now());
    done_.cancel();
    media_over_.cancel();
    access_over();
    return;
  }
  bank_[chn::kIntstat] |= chn::intstat::Mark::kMask;
  update_irq();
}

void DataChannel::account_done(Ps at) {
  if (accounted_) requests_->media_done(tag_, at);
  accounted_ = false;
}

void DataChannel::stop() {
  if (!busy_ || any_order_ || !rotation()) return;
  stopped_ = true;
  if (plan_.on()) {
    stop_planned();
    return;
  }
  const Ps at = now();
  std::uint32_t last = 0;
  if (at > first_at_) {
    last = moved_at(at);
    if (edge_after(last) < at) last = std::min(last + 1, sectors_);
  }
  sectors_ = last;
  mark_.cancel();
  const Ps end = last == 0 ? at : std::max(edge_after(last), at);
  if (path_.buffer) path_.buffer->media_stops(end);
  end_at(end, end);
}

std::uint32_t DataChannel::progress() {
  if (!busy_) return moved_;
  if (any_order_ || !rotation()) return 0;
  return deliver(moved_at(now()));
}

std::uint8_t* DataChannel::buffer_of(std::uint32_t sector, std::size_t& piece, std::uint32_t& piece_begin) {
  while (sector >= piece_begin + at_work_[piece].sectors) piece_begin += at_work_[piece++].sectors;
  if (at_work_[piece].blank || at_work_[piece].drop) return nullptr;
  return path_.buffer->bytes(at_work_[piece].address + (sector - piece_begin) * kSectorBytes, kSectorBytes);
}

/// Moves contents up to the sector `moved` of the access; tells how many could be: all, unless one is unreadable.
std::uint32_t DataChannel::deliver(std::uint32_t moved) {
  if (!path_.contents) return delivered_ = moved;
  std::size_t piece = 0;
  std::uint32_t piece_begin = 0;
  for (; delivered_ < moved; ++delivered_) {
    std::uint8_t* const bytes = buffer_of(delivered_, piece, piece_begin);
    if (!transfer(delivered_, at_work_[piece], bytes)) break;
  }
  return delivered_;
}

/// One sector of the access; false if it cannot be read.
bool DataChannel::transfer(std::uint32_t sector, const Piece& piece, std::uint8_t* bytes) {
  const media::PhysicalSector place = geometry_.physical(lba_ + sector);
  std::uint8_t dropped[kSectorBytes];
  if (!write_ && piece.drop) return path_.contents->read(place, dropped);
  if (!write_) return !bytes || path_.contents->read(place, bytes);
  if (bytes)
    path_.contents->write(place, bytes);
  else if (piece.blank)
    path_.contents->spoil(place);
  return true;  // without a place in the RAM: firmware's mistake, as on a bus that nobody answers
}

DataChannel::Cause DataChannel::check(std::uint64_t lba, std::uint32_t sectors, std::uint32_t arm, bool write,
                                      media::Location& first) const {
  if (sectors == 0 || lba >= geometry_.sectors()) return Cause::impossible;
  first = geometry_.locate(lba);
  if (sectors > first.run || (write && (lba % unit_ != 0 || sectors % unit_ != 0))) return Cause::impossible;
  if (arm < arms_.size() && !arms_[arm]->spindle().rotation()) return Cause::not_at_speed;
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

void DataChannel::access_done() {
  if (now() >= done_at_) access_over();
}

Ps DataChannel::last_at_work() const {
  return busy_ ? now() : idle_since_;
}

void DataChannel::access_over() {
  busy_ = false;
  const Ps at = now();
  idle_since_ = at;
  channel_.enter(kIdle, at);
  if (write_) writing_.enter(0, at);
  state_probe_.set("idle");
  gate_probe_.set(false);
  account_done(at);
  bank_[chn::kStatus] = 0;
  bank_[chn::kMark] = 0;
  mark_.cancel();
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
  moved_ = deliver(std::min(sectors_, plan_.bad));
  if (cause == Cause::strayed) {
    fail(cause);
    return;
  }
  if (moved_ != sectors_) {
    fail(Cause::unreadable);
    return;
  }
  bank_[chn::kIntstat] |= chn::intstat::Done::kMask;
  update_irq();
}

/// Firmware may have moved the arm or stopped the stack meanwhile: then nothing was read, and the channel says so.
DataChannel::Cause DataChannel::check_end() const {
  const bool turned_on = rotation() && rotation()->index_time() == index_time_;
  return turned_on ? check_arm(arm_, write_, cylinder_, head_) : Cause::not_at_speed;
}

/// The last sector has passed, and the decoder is still at work.
void DataChannel::media_over() {
  if (!busy_ || now() < media_end_) return;
  if (!media_end_cause_) media_end_cause_ = check_end();
  gate_probe_.set(false);
}

void DataChannel::power_off() {
  if (!busy_) return;
  done_.cancel();
  media_over_.cancel();
  trace_next_.cancel();
  mark_.cancel();
  first_sector_.cancel();
  gate_.cancel();
  busy_ = false;
  channel_.enter(kIdle, now());
  writing_.enter(0, now());
  if (path_.buffer) path_.buffer->media_stops(now());
  if (!write_ || !rotation() || !path_.contents) return;
  // In whatever order the sectors come: those that have passed are written, the one under the head is torn.
  const Ps at = now();
  const std::uint32_t first = any_order_ ? first_of_pass_ : 0;
  std::size_t piece = 0;
  std::uint32_t piece_begin = 0;
  // What `progress` has told of is written, and its place in the buffer may hold something else.
  for (std::uint32_t i = any_order_ ? 0 : delivered_; i < sectors_; ++i) {
    const std::uint32_t sector = (first + i) % sectors_;
    if (sector == 0) piece = piece_begin = 0;
    const Ps begins = passage(angle_of(sector), any_order_ && sector >= first ? begin_ - left_of_wait_ : first_at_);
    if (begins >= at) return;
    const media::PhysicalSector physical = geometry_.physical(lba_ + sector);
    const Ps ends = begins + rotation()->duration(track_.span(sector_of(sector), sector_of(sector) + unit_ - 1));
    const std::uint8_t* const bytes = buffer_of(sector, piece, piece_begin);
    if (bytes && (ends <= at || unit_ > 1))
      path_.contents->write(physical, bytes);
    else
      path_.contents->spoil(physical);
  }
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
