// Reads that are more than passages: errors, retries, the time of the decoder.
#include "armature/channel/data_channel.h"

#include "armature/core/kernel_time.h"

#include <algorithm>

namespace armature::channel {

void DataChannel::load_ladder() {
  ladder_changed_ = false;
  retry_limit_ = retry_limit_in(bank_);
  ladder_ = ladder_in(bank_);
}

/// There is more to a read than the passage of its sectors.
bool DataChannel::plans() const {
  return process_.fails() || path_.weak || latency_ > 0 || iteration_ > 0 || ladder_changed_ || !ladder_.empty();
}

/// Somebody wants what the block holds, or at least to know that it can be read.
bool DataChannel::needed(std::uint32_t block) const {
  if (at_work_.size() == 1) return !at_work_[0].blank || at_work_[0].drop;
  std::size_t piece = 0;
  for (; block >= at_work_[piece].sectors; ++piece) block -= at_work_[piece].sectors;
  return !at_work_[piece].blank || at_work_[piece].drop;
}

/// The first block of the physical sector that somebody wants and the media cannot give; ReadPlan::kNone if they can.
std::uint32_t DataChannel::unreadable_block(std::uint32_t codeword, Ps at) const {
  if (!keeps()) return ReadPlan::kNone;
  const std::uint32_t end = std::min(access_.block_of(codeword + 1), access_.sectors());
  for (std::uint32_t block = access_.block_of(codeword); block < end; ++block)
    if (needed(block) && !path_.contents->readable(geometry_.physical(access_.lba() + block), at)) return block;
  return ReadPlan::kNone;
}

/// A read of the block has failed, or will have: a defect takes note.
void DataChannel::read_failed(std::uint32_t block, Ps at, std::int32_t tag) {
  const int fault = path_.contents->read_failed(geometry_.physical(access_.lba() + block), at);
  if (fault >= 0 && on_fault) on_fault(static_cast<unsigned>(fault), tag);
}

/// The passage of `where` that many turns after the one at `passage_before`.
Ps DataChannel::turns_later(TrackAngle where, Ps passage_before, std::uint32_t turns) const {
  if (turns == 0) return passage_before;
  // From half a turn before it on.
  return access_.passage(where, passage_before + access_.rotation().duration({2 * std::int64_t{turns} - 1, 2}));
}

/// Reads the codeword until that succeeds or the ladder is at its end. Returns its last pass, puts those before into
/// the plan.
ReadPlan::Pass DataChannel::plan_codeword(std::uint32_t codeword, const std::optional<double>& position_error) {
  const std::uint32_t block = access_.block_of(codeword);
  const std::uint32_t end = std::min(access_.block_of(codeword + 1), access_.sectors());
  const TrackAngle leading = access_.angle_of(block);
  const Ps base = access_.leading_edge(block);  // without retries
  const std::uint64_t lba = access_.lba() + block;
  const media::PhysicalSector place = geometry_.physical(lba) - lba % unit_;
  std::uint32_t first_needed = block;
  while (first_needed < end && !needed(first_needed)) ++first_needed;

  ReadPlan::Pass pass;
  pass.codeword = codeword;
  pass.decodes = first_needed < end;
  ReadSetting setting;
  Ps first_failed = 0;
  for (std::uint32_t retries = 0;; ++retries) {
    pass.begin = turns_later(leading, base, plan_.turns);
    pass.end = access_.trailing_edge(block, pass.begin);
    pass.turns = plan_.turns;
    plan_.last[codeword] = static_cast<std::uint32_t>(plan_.passes.size());
    if (!pass.decodes) {
      pass.ready = plan_.decoder = std::max(plan_.decoder, pass.end);
      return pass;
    }
    const std::uint32_t missing = unreadable_block(codeword, pass.end);
    const std::optional<WeakRead> weak_read = weak ? weak(place, arm_, head_, pass.begin) : std::nullopt;
    const ReadProcess::Attempt attempt =
        missing != ReadPlan::kNone ? process_.unreadable()
                                   : process_.read(place, pass.begin, head_, position_error, setting,
                                                   weak_read ? std::optional(weak_read->margin_db) : std::nullopt);
    const std::int32_t tag = accounted_ ? static_cast<std::int32_t>(tag_) : -1;
    if (missing != ReadPlan::kNone) read_failed(missing, pass.end, tag);
    counters_.corrected_bits += attempt.ok ? attempt.errors : 0;
    if (weak_read && on_fault && attempt.errors > 0) on_fault(weak_read->fault, tag);
    pass.ok = attempt.ok;
    pass.iterations = attempt.iterations;
    pass.ready = plan_.decoder = std::max(plan_.decoder, pass.end + latency_) + attempt.iterations * iteration_;
    if (pass.ok) return pass;
    if (retries == 0) first_failed = pass.ready;
    const std::optional<RetryLadder::Retry> retry = ladder_.retry(retries + 1);
    std::uint32_t next = plan_.turns + 1;
    while (turns_later(leading, base, next) < pass.ready) ++next;
    if (!retry || (retry_limit_ > 0 && turns_later(leading, base, next) > first_failed + retry_limit_)) {
      pass.given_up = true;
      plan_.bad = std::min(plan_.bad, missing == ReadPlan::kNone ? first_needed : missing);
      return pass;
    }
    plan_.passes.push_back(pass);
    plan_.turns = next;
    pass.step = static_cast<std::uint32_t>(retry->step);
    setting = retry->setting;
  }
}

/// The codewords from `begin` on, behind what is planned.
void DataChannel::plan_codewords(std::uint32_t begin) {
  const std::uint32_t codewords = access_.codewords(), start = access_.first_codeword();
  const std::optional<double> position_error = arms_[arm_]->position_error();
  plan_.last.resize(codewords, ReadPlan::kNone);
  for (std::uint32_t i = begin; i < codewords && (access_.any_order() || plan_.bad == ReadPlan::kNone); ++i)
    plan_.passes.push_back(plan_codeword((start + i) % codewords, position_error));
}

/// @param wanted  block, of the access, that somebody waits for first
void DataChannel::plan_read(std::uint32_t wanted) {
  if (ladder_changed_) load_ladder();
  plan_codewords(0);
  const std::uint32_t first = access_.codeword_of(wanted);
  plan_.first = plan_.passes.back().begin;
  for (auto pass = plan_.passes.rbegin(); pass != plan_.passes.rend(); ++pass)
    if (access_.any_order() || pass->codeword >= first) plan_.first = pass->begin;
}

/// When the `moved`-th block of an ordered access is in the buffer; kNever: the access ends before.
Ps DataChannel::ready_after(std::uint32_t moved) const {
  if (!plan_.on() || moved == 0) return access_.edge_after(moved);
  if (moved > plan_.bad) return kNever;
  const std::uint32_t last = plan_.last[access_.codeword_of(moved - 1)];
  return last == ReadPlan::kNone ? kNever : plan_.passes[last].ready;
}

/// When the trailing edge of the `moved`-th block passes for the last time, or at the latest that of the last one.
Ps DataChannel::passed_after(std::uint32_t moved) const {
  if (!plan_.on() || moved == 0) return access_.edge_after(moved);
  const std::uint32_t last = plan_.last[access_.codeword_of(moved - 1)];
  return last == ReadPlan::kNone ? plan_.media_end() : plan_.passes[last].end;
}

std::uint32_t DataChannel::turns_until(std::uint32_t moved) const {
  if (!plan_.on() || moved == 0) return 0;
  const std::uint32_t last = access_.any_order() ? ReadPlan::kNone : plan_.last[access_.codeword_of(moved - 1)];
  return last == ReadPlan::kNone ? plan_.passes.back().turns : plan_.passes[last].turns;
}

/// Between the failed read of a sector and its retry the head waits, once more, for the sector's angle. Of the passes
/// from `from` on.
void DataChannel::publish_retries(std::size_t from) {
  for (std::size_t i = std::max<std::size_t>(from, 1); i < plan_.passes.size(); ++i) {
    const ReadPlan::Pass &before = plan_.passes[i - 1], &pass = plan_.passes[i];
    if (pass.step == ReadPlan::kNone || before.end <= plan_.first) continue;
    channel_.enter(kWait, before.end);
    channel_.enter(kTransfer, pass.begin);
    if (!accounted_) continue;
    requests_->media(tag_, Phase::rotation, before.end);
    requests_->media(tag_, Phase::transfer, pass.begin);
  }
}

/// The access ends with the pass before number `kept`.
void DataChannel::keep_passes(std::size_t kept) {
  plan_.passes.resize(kept);
  plan_.bad = ReadPlan::kNone;
  std::uint32_t whole = 0;
  while (whole < plan_.last.size() && plan_.last[whole] < kept) ++whole;
  std::fill(plan_.last.begin() + whole, plan_.last.end(), ReadPlan::kNone);
  access_.shorten(std::min(access_.sectors(), access_.block_of(whole)));
}

/// The sector that is passing is the last; between a failed read and its retry it is the one before. Ordered accesses.
void DataChannel::stop_planned() {
  const Ps at = now();
  std::size_t kept = 0;
  while (kept < plan_.passes.size() && plan_.passes[kept].begin < at) ++kept;
  cancel_mark();
  if (kept == plan_.passes.size()) return;  // it ends with this one anyway
  keep_passes(kept);
  const Ps end = kept == 0 ? at : std::max(at, plan_.media_end());
  const Ps done = kept == 0 ? at : std::max(at, plan_.done());
  if (path_.buffer) path_.buffer->media_stops(end);
  end_at(end, done);
}

/// What has been decoded of the access that is over.
void DataChannel::count_reads() {
  const Ps at = now();
  bool again = false;
  for (const ReadPlan::Pass& pass : plan_.passes) {
    if (!pass.decodes || pass.ready > at) continue;
    ++counters_.reads;
    counters_.failed += pass.ok ? 0 : 1;
    counters_.iterations += pass.iterations;
    counters_.unreadable += pass.given_up ? 1 : 0;
    again = again || pass.given_up || pass.step != ReadPlan::kNone;
    if (pass.step == ReadPlan::kNone) continue;
    ++counters_.retries[pass.step];
    counters_.recovered += pass.ok ? 1 : 0;
  }
  if (plan_.on()) show_reads(counters_, before_power_on_, again, bank_);
}

}  // namespace armature::channel
