// Extension: an access grows while it goes on.
#include "armature/channel/data_channel.h"

#include "armature/core/kernel_time.h"
#include "armature/regs/chn.h"

#include <optional>
#include <utility>

namespace armature::channel {

namespace chn = armature::regs::chn;

/// The access grows to `sectors`, with the pieces that were pushed for it; false if it cannot.
bool DataChannel::take_extension(std::uint32_t sectors) {
  std::vector<Piece> pieces;
  pieces.swap(pieces_);
  const bool overflow = std::exchange(pieces_overflow_, false);
  const std::uint32_t ordered = access_.left_out() + access_.sectors();
  if (!busy_ || access_.any_order() || stopped_ || overflow || !rotation() || sectors <= ordered) return false;
  if (now() > media_end_ || media_end_cause_ || plan_.bad != ReadPlan::kNone) return false;
  const std::uint32_t more = sectors - ordered;
  if ((access_.lba() + access_.sectors()) % unit_ != 0 || (write_ && more % unit_ != 0)) return false;
  const media::Location first = geometry_.locate(access_.lba());
  if (sectors - access_.left_out() > first.run) return false;
  std::uint64_t sum = 0;
  for (const Piece& piece : pieces) sum += piece.sectors;
  if (!pieces.empty() && sum != more) return false;
  if (pieces.empty())
    at_work_.back().sectors += more;
  else
    at_work_.insert(at_work_.end(), pieces.begin(), pieces.end());
  access_.extend(more, first);
  return true;
}

void DataChannel::extend(std::uint32_t sectors) {
  const std::uint32_t before = access_.sectors();
  if (!take_extension(sectors)) return;
  const std::uint32_t codeword = access_.codeword_of(before);
  const std::size_t pass = plan_.passes.size();
  Ps end, done;
  if (plan_.on()) {
    plan_codewords(codeword);
    end = plan_.media_end();
    done = plan_.done();
    publish_retries(pass);
    for (const auto& [from, to] : plan_.windows(pass)) media_moves(from, to);
  } else {
    end = done = access_.end();
    media_moves(media_end_, end);
  }
  const std::optional<std::uint32_t> mark = mark_within(bank_[chn::kMark]);
  if (accounted_) {
    const bool to_mark = mark && !chn::mark::Part::get(bank_[chn::kMark]);
    const std::uint32_t accounted = to_mark ? *mark : access_.sectors();
    requests_->access_extended(tag_, to_mark ? passed_after(accounted) : end, turns_until(accounted));
  }
  trace_sectors(codeword, pass);
  end_at(end, done);
  if (mark && *mark >= before) set_mark(bank_[chn::kMark]);  // until now it lay behind the end
}

}  // namespace armature::channel
