#include "tip_array.h"

#include "armature/core/block_address.h"
#include "armature/core/kernel_time.h"
#include "armature/regs/chn.h"

#include <algorithm>
#include <string>
#include <utility>

namespace armature::mems {
namespace {

namespace tip = regs::chn;

constexpr std::size_t kMostPieces = 256;

std::vector<std::string> state_names(std::uint32_t cells) {
  std::vector<std::string> names = {"idle"};
  for (std::uint32_t blocks = 1; blocks <= cells; ++blocks) names.push_back("blocks" + std::to_string(blocks));
  return names;
}

}  // namespace

TipArray::TipArray(sc_core::sc_module_name name, unsigned number, const SledTimes& times, const TipHealth& health,
                   std::vector<Sled*> sleds, media::Contents& contents, const channel::ChannelParams& params,
                   const BlockContext& context)
    : sc_module(name),
      number_(number),
      layout_(times.layout()),
      classes_(layout_),
      health_(health),
      sleds_(std::move(sleds)),
      sled_(sleds_.front()),
      contents_(contents),
      requests_(context.requests),
      bank_(tip::kTable),
      interrupt_(bank_, irq, tip::kIntstat, tip::kInten),
      process_(params, kSectorBytes),
      latency_(from_us(params.latency_us)),
      iteration_(from_us(params.iteration_us)) {
  bind_registers();

  const std::string path = this->name();
  state_.declare(context.states, {path, state_names(layout_.cells())});
  state_probe_.declare(context.probes, path + ".state", "idle, approach (the sled is on its way to a row) or transfer");
  lba_probe_.declare(context.probes, path + ".lba", 48, "First LBA of the access");
  tag_probe_.declare(context.probes, path + ".tag", 10, "Tag of the access");
  tips_probe_.declare(context.probes, path + ".active_tips", 24, "Tips that read or write");
  row_probe_.declare(context.probes, path + ".row", 16, "Row that passes under the tips, from the lowest Y");
  gate_probe_.declare(context.probes, path + ".gate", "Read or write gate: a row passes under the tips");

  SC_HAS_PROCESS(TipArray);
  SC_METHOD(begin_due);
  sensitive << begin_.event;
  dont_initialize();
  SC_METHOD(end_due);
  sensitive << end_.event;
  dont_initialize();
  SC_METHOD(finish);
  sensitive << done_;
  dont_initialize();
  SC_METHOD(take_decoded);
  sensitive << decoded_;
  dont_initialize();
}

void TipArray::bind_registers() {
  bank_.on_write(tip::kCtrl, [this](std::uint32_t word) { go(word); });
  bank_.on_write(tip::kPiecePush, [this](std::uint32_t word) { push(word); });
  bank_.on_write(tip::kMark, [this](std::uint32_t) {
    catch_up();
    set_mark();
  });
  bank_.on_write(tip::kExtend, [this](std::uint32_t word) {
    catch_up();
    extend(tip::extend::Sectors::get(word));
  });
  bank_.on_write(tip::kStop, [this](std::uint32_t word) {
    catch_up();
    if (tip::stop::Stop::get(word)) stop();
  });
  for (const std::uint32_t offset : {tip::kIntstat, tip::kStatus})
    bank_.on_read(offset, [this, offset] {
      catch_up();
      return bank_[offset];
    });
  bank_.on_read(tip::kProgress, [this] {
    catch_up();
    return moved_;
  });
  bank_.on_write(tip::kLadderCtrl, [this](std::uint32_t) { ladder_changed_ = true; });
  bank_.on_write_array(tip::kLadderStep, [this](unsigned, std::uint32_t) { ladder_changed_ = true; });
  regs.bind(bank_);
}

void TipArray::push(std::uint32_t word) {
  namespace push = tip::piece_push;
  pushed_.push_back({bank_[tip::kPieceAddr], push::Sectors::get(word), push::Blank::get(word) != 0,
                     push::Drop::get(word) != 0, lba(tip::kPieceLbaHi, tip::kPieceLbaLo)});
}

TipArray::Cause TipArray::check(std::uint64_t lbn, std::uint32_t sectors, std::uint32_t sled) const {
  if (sectors == 0 || lbn >= layout_.blocks()) return Cause::impossible;
  if (batch_.empty() && sectors > layout_.blocks_per_track() - lbn % layout_.blocks_per_track())
    return Cause::impossible;
  const BlockPlace place = layout_.locate(lbn);
  const bool there =
      sled == place.sled && sleds_[sled]->on_track(place.cylinder, place.sled * layout_.tracks() + place.track);
  return there ? Cause::none : Cause::off_track;
}

/// Where the data of the access are or come from; false: what has been pushed does not fit.
bool TipArray::take_pieces(std::uint32_t sectors, std::uint32_t mode) {
  pieces_ = std::exchange(pushed_, {});
  batch_.clear();
  const bool batch = tip::mode::Batch::get(mode) != 0;
  if (!tip::mode::Gather::get(mode)) {
    pieces_ = {{bank_[tip::kAddress], sectors, false, false, 0}};
    return !batch;
  }
  std::uint64_t sum = 0;
  for (const Piece& piece : pieces_) sum += piece.sectors;
  if (sum != sectors || pieces_.size() > kMostPieces) return false;
  return !batch || take_batch(lba(tip::kLbaHi, tip::kLbaLo));
}

bool TipArray::take_batch(std::uint64_t first) {
  for (const Piece& piece : pieces_) {
    if (piece.sectors > layout_.cells() || piece.lbn >= layout_.blocks() ||
        piece.sectors > layout_.blocks() - piece.lbn)
      return false;
    for (std::uint32_t i = 0; i < piece.sectors; ++i) batch_.push_back(piece.lbn + i);
    if (batch_.size() > layout_.cells()) return false;
  }
  return !batch_.empty() && batch_.front() == first &&
         classes_.obstacle(batch_).kind == EquivalenceClasses::Obstacle::none;
}

void TipArray::go(std::uint32_t word) {
  if (!tip::ctrl::Go::get(word)) return;
  if (busy_) {
    fail(Cause::busy);
    return;
  }
  const std::uint32_t mode = std::exchange(bank_[tip::kMode], 0);
  const std::uint64_t lbn = lba(tip::kLbaHi, tip::kLbaLo);
  const std::uint32_t sectors = tip::ctrl::Sectors::get(word);
  const bool fits = take_pieces(sectors, mode);
  const Cause cause = fits ? check(lbn, sectors, tip::ctrl::Arm::get(word)) : Cause::impossible;
  moved_ = passed_ = 0;
  if (cause != Cause::none) {
    fail(cause);
    return;
  }
  lbn_ = lbn;
  sectors_ = sectors;
  sled_ = sleds_[tip::ctrl::Arm::get(word)];
  write_ = tip::ctrl::Write::get(word) != 0;
  tag_ = tip::ctrl::Tag::get(word);
  any_order_ = tip::mode::AnyOrder::get(mode) != 0;
  busy_ = true;
  stopped_ = unreadable_ = marked_ = false;
  pass_blocks_ = row_end_ = 0;
  begin_reads();
  bank_[tip::kStatus] = tip::status::Busy::kMask;
  bank_[tip::kLeftOut] = 0;
  accounted_ = requests_ && !tip::ctrl::Anonymous::get(word);
  lba_probe_.set(lbn);
  tag_probe_.set(tag_);
  approach_next(now());
  if (!accounted_) return;
  const BlockPlace place = layout_.locate(lbn);
  requests_->media(tag_, Phase::seek, now());
  requests_->media(tag_, Phase::transfer, way_.begins);
  requests_->access(tag_, {place.sled, place.sled * layout_.tracks() + place.track, place.cylinder,
                           sled_->from_cylinder(), way_.begins, end_of(accounted_sectors()), 0});
}

std::uint32_t TipArray::accounted_sectors() {
  const std::uint32_t word = bank_[tip::kMark];
  const std::uint32_t mark = tip::mark::Sectors::get(word);
  return mark > 0 && mark < sectors_ && !any_order_ && batch_.empty() && !tip::mark::Part::get(word) ? mark : sectors_;
}

std::uint32_t TipArray::in_row(std::uint32_t first, std::uint32_t most) {
  if (!batch_.empty()) return most;
  const std::uint32_t limit = tip::limit::Blocks::get(bank_[tip::kLimit]);
  return std::min({most, layout_.cells() - layout_.locate(lbn_ + first).cell, limit == 0 ? most : limit});
}

Ps TipArray::end_of(std::uint32_t sectors) {
  SledMotion motion = sled_->motion();
  std::uint32_t moved = pass_blocks_ > 0 ? row_end_ : passed_;
  while (moved < sectors) {
    const SledMotion::Approach way = motion.approach(target(moved), motion.free_from());
    motion.go(way);
    motion.pass(way);
    moved += in_row(moved, sectors - moved);
  }
  return std::max(motion.free_from(), now());
}

void TipArray::approach_next(Ps from) {
  way_ = sled_->go_to(target(passed_), from);
  state_probe_.set("approach");
  begin_.order(way_.begins);
}

/// What the tips do at this instant, before software's access at it.
void TipArray::catch_up() {
  if (begin_.take_before_access()) begin_pass();
  if (end_.take_before_access()) end_pass();
  if (decodes_ && !decoding_.empty() && decoding_.front().at <= now()) take_decoded();
}

void TipArray::begin_due() {
  if (begin_.take()) begin_pass();
}

void TipArray::end_due() {
  if (end_.take()) end_pass();
}

void TipArray::begin_pass() {
  if (!busy_) return;
  if (pending_.empty()) {
    row_begin_ = passed_;
    row_end_ = passed_ + in_row(passed_, sectors_ - passed_);
  }
  pass_blocks_ = pending_.empty() ? row_end_ - passed_ : static_cast<std::uint32_t>(pending_.size());
  pass_begin_ = now();
  const Ps end = sled_->pass(way_);
  media_moves(now(), end);
  begin_free_reads();
  const std::uint32_t blocks = pass_blocks_ + static_cast<std::uint32_t>(ridden_.size());
  state_.enter(blocks, now());
  state_.enter(0, end);
  state_probe_.set("transfer");
  tips_probe_.set(std::uint64_t{blocks} * layout_.tips_per_block());
  row_probe_.set(std::uint64_t{layout_.row_of(way_.way)});
  gate_probe_.set(true);
  end_.order(end);
}

void TipArray::begin_free_reads() {
  if (!free_ || write_ || bank_[tip::kLimit] != 0) return;
  std::vector<std::uint64_t> blocks;
  if (pending_.empty()) {
    for (std::uint32_t i = row_begin_; i < row_end_; ++i) blocks.push_back(block(i));
  } else {
    for (const std::uint32_t i : pending_) blocks.push_back(block(i));
  }
  ridden_ = free_->begin(blocks);
}

void TipArray::end_pass() {
  if (!busy_) return;
  sled_->passed();
  gate_probe_.set(false);
  tips_probe_.set(0);
  pass_blocks_ = 0;
  if (free_ && !write_) free_->end(std::exchange(ridden_, {}), pass_begin_, now());
  if (decodes_) {
    end_read_pass();
    return;
  }
  while (moved_ < row_end_ && !unreadable_) {
    if (transfer(moved_))
      passed_ = ++moved_;
    else
      unreadable_ = true;
  }
  if (unreadable_ || moved_ >= sectors_) {
    finish();
    return;
  }
  look_at_mark();
  approach_next(now());
}

void TipArray::media_moves(Ps begin, Ps end) {
  if (!ram_) return;
  const __int128 bytes = static_cast<__int128>(kSectorBytes) * pass_blocks_ * kPsPerSecond;
  ram_->bandwidth().media_moves(number_, begin, end, static_cast<std::int64_t>(ceil_div(bytes, end - begin)));
  ram_->activity().media_moves(number_, begin, end);
}

/// Null if none has it; `within`: of the piece's sectors.
const TipArray::Piece* TipArray::piece_of(std::uint32_t sector, std::uint32_t* within) const {
  for (const Piece& one : pieces_) {
    *within = sector;
    if (sector < one.sectors) return &one;
    sector -= one.sectors;
  }
  return nullptr;
}

std::uint8_t* TipArray::buffer_of(std::uint32_t sector, const Piece** piece) {
  std::uint32_t within = 0;
  *piece = piece_of(sector, &within);
  if (!*piece || (*piece)->blank || (*piece)->drop) return nullptr;
  const std::uint64_t address = (*piece)->address + std::uint64_t{kSectorBytes} * within;
  return address + kSectorBytes <= ram_->bytes() ? ram_->data() + address : nullptr;
}

/// A read of the block has failed.
void TipArray::meet_defect(std::uint64_t lbn) {
  const int fault = contents_.read_failed(lbn, now());
  if (fault >= 0 && on_fault) on_fault(static_cast<unsigned>(fault), request());
}

/// One block; false if it cannot be read.
bool TipArray::transfer(std::uint32_t sector) {
  const Piece* piece = nullptr;
  std::uint8_t* const bytes = buffer_of(sector, &piece);
  const auto address = static_cast<std::uint32_t>(bytes ? bytes - ram_->data() : 0);
  const std::uint64_t lbn = block(sector);
  const bool marks = write_ && piece && piece->blank;
  if (!marks && !contents_.modelled()) return write_ || health_.readable(layout_.locate(lbn), now());
  std::uint8_t dropped[kSectorBytes];
  if (!write_) {
    const bool lost = !health_.readable(layout_.locate(lbn), now());
    if (piece && piece->blank) return true;
    const bool read = !lost && contents_.read(lbn, bytes ? bytes : dropped);
    if (read && bytes) ram_->written(address, kSectorBytes, request());
    if (!read && !lost) meet_defect(lbn);
    return read;
  }
  if (bytes && !ram_->sound(address, kSectorBytes, request()))
    contents_.spoil(lbn);  // data that the RAM knows to be wrong
  else if (bytes)
    contents_.write(lbn, bytes);
  else if (marks)
    contents_.mark(lbn);
  return true;
}

void TipArray::set_mark() {
  marked_ = false;
  if (!busy_) return;
  look_at_mark();
  if (accounted_ && busy_) requests_->access_extended(tag_, end_of(accounted_sectors()), retries_);
}

void TipArray::look_at_mark() {
  const std::uint32_t word = bank_[tip::kMark];
  const std::uint32_t mark = tip::mark::Sectors::get(word);
  if (marked_ || any_order_ || !batch_.empty() || mark == 0 || mark >= sectors_ || moved_ < mark) return;
  marked_ = true;
  if (!tip::mark::Part::get(word)) account_done();
  interrupt_.raise(tip::intstat::Mark::kMask);
}

void TipArray::extend(std::uint32_t sectors) {
  std::vector<Piece> pieces = std::exchange(pushed_, {});
  if (!busy_ || any_order_ || !batch_.empty() || stopped_ || sectors <= sectors_ || passed_ >= sectors_ ||
      last_pass_over_)
    return;
  if (sectors > layout_.blocks_per_track() - lbn_ % layout_.blocks_per_track()) return;
  const std::uint32_t more = sectors - sectors_;
  std::uint64_t sum = 0;
  for (const Piece& piece : pieces) sum += piece.sectors;
  if (!pieces.empty() && sum != more) return;
  if (pieces.empty())
    pieces_.back().sectors += more;
  else
    pieces_.insert(pieces_.end(), pieces.begin(), pieces.end());
  sectors_ = sectors;
  if (accounted_) requests_->access_extended(tag_, end_of(accounted_sectors()), retries_);
  look_at_mark();
}

void TipArray::stop() {
  if (!busy_ || any_order_) return;
  stopped_ = true;
  sectors_ = std::min(sectors_, pass_blocks_ > 0 ? row_end_ : passed_);
  if (pass_blocks_ > 0) return;
  begin_.cancel();
  last_pass_over_ = true;
  if (decoding_.empty()) done_.notify(sc_core::SC_ZERO_TIME);
}

void TipArray::finish() {
  if (!busy_) return;
  busy_ = false;
  idle_since_ = now();
  begin_.cancel();
  account_done();
  if (decodes_) channel::show_reads(counters_, before_power_on_, again_, bank_);
  bank_[tip::kStatus] = 0;
  bank_[tip::kMark] = 0;
  state_probe_.set("idle");
  if (on_end) on_end(*sled_);
  if (unreadable_) {
    fail(Cause::unreadable);
    return;
  }
  interrupt_.raise(tip::intstat::Done::kMask);
}

void TipArray::account_done() {
  if (accounted_) requests_->media_done(tag_, now());
  accounted_ = false;
}

void TipArray::power_off() {
  if (busy_) break_off();
  bank_.reset();
  before_power_on_ = counters_;
  interrupt_.update();
  pieces_.clear();
  pushed_.clear();
  batch_.clear();
  ladder_ = {};
  retry_limit_ = 0;
  ladder_changed_ = false;
  decoding_.clear();
  moved_ = passed_ = 0;
}

/// The access under way ends here.
void TipArray::break_off() {
  busy_ = false;
  idle_since_ = now();
  if (free_) free_->broken_off(std::exchange(ridden_, {}));
  account_done();
  state_probe_.set("idle");
  gate_probe_.set(false);
  begin_.cancel();
  end_.cancel();
  done_.cancel();
  decoded_.cancel();
  state_.enter(0, now());
  if (ram_) {
    ram_->bandwidth().media_stops(number_, now());
    ram_->activity().media_stops(number_, now());
  }
  // The blocks of the row are written at the same time: none of them is whole.
  if (!write_ || !contents_.modelled() || now() <= pass_begin_) return;
  for (std::uint32_t i = 0; i < pass_blocks_; ++i) contents_.spoil(block(moved_ + i));
}

void TipArray::fail(Cause cause) {
  bank_[tip::kStatus] = tip::status::Cause::set(bank_[tip::kStatus], static_cast<std::uint32_t>(cause));
  interrupt_.raise(tip::intstat::Error::kMask);
}

}  // namespace armature::mems
