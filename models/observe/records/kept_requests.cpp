#include "armature/observe/kept_requests.h"

#include "armature/core/error.h"
#include "csv_text.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

namespace armature::observe {

KeptRequests::KeptRequests(std::size_t slowest, std::vector<std::uint64_t> chosen, Ps from, Ps to, std::size_t segments)
    : most_(slowest), chosen_(std::move(chosen)), from_(from), to_(to), room_(segments) {
  std::sort(chosen_.begin(), chosen_.end());
  slow_.reserve(most_);
  heap_.reserve(most_);
}

void KeptRequests::copy(Kept& to, const CompletedRequest& from, bool timeline) {
  to.record = from.record;
  segments_ -= to.timeline.size();
  if (timeline)
    to.timeline.assign(from.timeline.begin(), from.timeline.end());
  else
    to.timeline.clear();
  segments_ += to.timeline.size();
}

/// The fastest of the slow lose their timelines, until a quarter of the room is free.
void KeptRequests::make_room() {
  std::vector<Slow> sorted = heap_;
  std::sort(sorted.begin(), sorted.end(), slower);
  while (sorted.size() > 1 && segments_ > room_ - room_ / 4) {
    std::vector<Segment>& timeline = slow_[sorted.back().index].timeline;
    segments_ -= timeline.size();
    std::vector<Segment>().swap(timeline);
    cut_ = sorted.back();
    sorted.pop_back();
  }
}

KeptRequests::Slow KeptRequests::at(std::uint32_t index) const {
  return {slow_[index].record.response(), slow_[index].record.id, index};
}

void KeptRequests::completed(const CompletedRequest& request) {
  const RequestRecord& record = request.record;
  const bool in_window =
      from_ <= record.arrival && record.arrival <= to_ && in_window_ < kMostInWindow && segments_ < room_;
  if (in_window || std::binary_search(chosen_.begin(), chosen_.end(), record.id)) {
    if (in_window) ++in_window_;
    copy(others_.emplace_back(), request, true);
  }
  const Slow mine{record.response(), record.id, 0};
  const bool timeline = cut_.response == 0 || slower(mine, cut_);
  if (slow_.size() < most_) {
    copy(slow_.emplace_back(), request, timeline);
    heap_.push_back(at(static_cast<std::uint32_t>(slow_.size() - 1)));
    if (slow_.size() == most_) std::make_heap(heap_.begin(), heap_.end(), slower);  // none was needed so far
  } else {
    if (heap_.empty() || !slower(mine, heap_.front())) return;
    std::pop_heap(heap_.begin(), heap_.end(), slower);
    copy(slow_[heap_.back().index], request, timeline);
    heap_.back() = at(heap_.back().index);
    std::push_heap(heap_.begin(), heap_.end(), slower);
  }
  if (timeline && segments_ > room_) make_room();
}

std::vector<const KeptRequests::Kept*> KeptRequests::slowest() const {
  std::vector<Slow> sorted = heap_;
  std::sort(sorted.begin(), sorted.end(), slower);
  std::vector<const Kept*> list;
  for (const Slow& one : sorted) list.push_back(&slow_[one.index]);
  return list;
}

std::unordered_map<std::uint64_t, const KeptRequests::Kept*> KeptRequests::by_id() const {
  std::unordered_map<std::uint64_t, const Kept*> kept;
  kept.reserve(slow_.size() + others_.size());
  for (const auto* group : {&others_, &slow_})  // the others have their timelines
    for (const Kept& each : *group) kept.emplace(each.record.id, &each);
  return kept;
}

void KeptRequests::write(const std::filesystem::path& file) const {
  std::vector<const Kept*> all;
  for (const auto& [id, kept] : by_id()) all.push_back(kept);
  std::sort(all.begin(), all.end(), [](const Kept* a, const Kept* b) { return a->record.id < b->record.id; });

  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << "id,begin_us,end_us,phase,link_below\n";
  constexpr std::size_t kLongestRow = 128;    // three numbers of at most 21 characters, a phase, commas
  constexpr std::size_t kLongestNumber = 24;  // and a comma
  std::vector<char> text;
  for (const Kept* kept : all) {
    if (text.size() < kept->timeline.size() * kLongestRow) text.resize(kept->timeline.size() * kLongestRow);
    char* end = text.data();
    std::array<char, kLongestNumber> id;
    const std::string_view id_comma(id.data(),
                                    static_cast<std::size_t>(put(put(id.data(), kept->record.id), ",") - id.data()));
    // Segments follow each other: most begin with the text of the time at which the last one ended.
    std::string_view last;
    Ps last_end = kNoTime;
    for (const Segment& segment : kept->timeline) {
      end = put(end, id_comma);
      end = segment.begin == last_end ? put(end, last) : put(put_us(end, segment.begin), ",");
      char* const begin = end;
      end = put(put_us(end, segment.end), ",");
      last = {begin, static_cast<std::size_t>(end - begin)};
      last_end = segment.end;
      end = put(put(end, name_of(segment.phase)), segment.link_below ? ",1\n" : ",0\n");
    }
    out.write(text.data(), end - text.data());
  }
  out.close();
  if (!out) throw InputError("cannot write " + file.string());
}

}  // namespace armature::observe
