// Reads that are more than passages: errors, retries, the time of the decoder.
#include "armature/core/kernel_time.h"
#include "tip_array.h"

#include <algorithm>

namespace armature::mems {

/// An access begins.
void TipArray::begin_reads() {
  if (ladder_changed_) {
    ladder_ = channel::ladder_in(bank_);
    retry_limit_ = channel::retry_limit_in(bank_);
    ladder_changed_ = false;
  }
  decodes_ = !write_ && (process_.fails() || latency_ > 0 || iteration_ > 0 || !ladder_.empty());
  again_ = last_pass_over_ = false;
  pending_.clear();
  decoding_.clear();
  retry_.reset();
  row_retries_ = retries_ = 0;
  decoder_free_ = 0;
}

/// The tips have passed over the row, for the first time or again.
void TipArray::end_read_pass() {
  if (pending_.empty()) {
    for (std::uint32_t i = row_begin_; i < row_end_; ++i) pending_.push_back(i);
    decoded_at_.assign(row_end_ - row_begin_, -1);
  }
  std::vector<std::uint32_t> failed;
  for (const std::uint32_t sector : pending_)
    if (!decode(sector)) failed.push_back(sector);
  pending_ = std::move(failed);
  while (passed_ < row_end_ && decoded_at_[passed_ - row_begin_] >= 0) {
    const Ps before = decoding_.empty() ? 0 : decoding_.back().at;
    const Ps at = std::max(before, decoded_at_[passed_ - row_begin_]);
    decoding_.push_back({at, ++passed_});
  }
  if (pending_.empty()) {
    retry_.reset();
    row_retries_ = 0;
    last_pass_over_ = passed_ >= sectors_;
    if (!last_pass_over_) approach_next(now());
  } else if (!retry_row()) {
    give_up_row();
  }
  take_decoded();
}

/// A block that has passed; false: it is to be read again.
bool TipArray::decode(std::uint32_t sector) {
  const std::uint64_t lbn = block(sector);
  Ps& ready = decoded_at_[sector - row_begin_];
  std::uint32_t within = 0;
  const Piece* const piece = piece_of(sector, &within);
  if (piece && piece->blank && !piece->drop) {  // nobody wants it
    ready = decoder_free_ = std::max(decoder_free_, now());
    return true;
  }
  const BlockPlace place = layout_.locate(lbn);
  const bool whole = !contents_.modelled() || contents_.readable(lbn, now());
  const bool there = health_.readable(place, now()) && whole;
  if (!whole) meet_defect(lbn);
  const channel::ReadSetting setting = retry_ ? retry_->setting : channel::ReadSetting();
  const channel::ReadProcess::Attempt attempt =
      there ? process_.read(lbn, pass_begin_, place.sled * layout_.tracks() + place.track, std::nullopt, setting)
            : process_.unreadable();
  decoder_free_ = std::max(decoder_free_, now() + latency_) + attempt.iterations * iteration_;
  ++counters_.reads;
  counters_.iterations += attempt.iterations;
  if (retry_) ++counters_.retries[retry_->step];
  if (!attempt.ok) {
    ++counters_.failed;
    return false;
  }
  counters_.recovered += retry_ ? 1 : 0;
  transfer(sector);
  ready = decoder_free_;
  return true;
}

/// The sled returns to the row; false if that is not to be.
bool TipArray::retry_row() {
  const Ps known = decoder_free_;
  if (row_retries_ == 0) first_failed_ = known;
  const auto next = stopped_ ? std::nullopt : ladder_.retry(row_retries_ + 1);
  if (!next) return false;
  const Ps begins = sled_->motion().approach(target(passed_), known).begins;
  if (retry_limit_ > 0 && begins > first_failed_ + retry_limit_) return false;
  retry_ = next;
  again_ = true;
  ++row_retries_;
  ++retries_;
  approach_next(known);
  if (!accounted_) return true;
  requests_->media(tag_, Phase::seek, now());
  requests_->media(tag_, Phase::transfer, way_.begins);
  requests_->access_extended(tag_, end_of(accounted_sectors()), retries_);
  return true;
}

void TipArray::give_up_row() {
  last_pass_over_ = true;
  if (stopped_) {
    sectors_ = passed_;
    return;
  }
  unreadable_ = again_ = true;
  counters_.unreadable += pending_.size();
  const Ps before = decoding_.empty() ? 0 : decoding_.back().at;
  decoding_.push_back({std::max(before, decoder_free_), passed_});
}

/// What the decoder has brought by now.
void TipArray::take_decoded() {
  if (!busy_) return;
  while (!decoding_.empty() && decoding_.front().at <= now()) {
    moved_ = decoding_.front().moved;
    decoding_.pop_front();
    look_at_mark();
  }
  if (!decoding_.empty())
    decoded_.notify(to_sc_time(decoding_.front().at - now()));
  else if (last_pass_over_)
    finish();
}

}  // namespace armature::mems
