#include "armature/array/write_back_front.h"

#include "armature/core/kernel_time.h"

#include <algorithm>

namespace armature::array {

WriteBackFront::WriteBackFront(sc_core::sc_module_name name, const Keys& keys, LineMap map, host::BlockPort& below,
                               unsigned tags, std::uint64_t row_sectors, bool data, Behind::Rank rank)
    : sc_module(name),
      keys_(keys),
      map_(std::move(map)),
      below_(below),
      tags_(tags),
      data_(data),
      row_sectors_(std::min<std::uint64_t>(row_sectors, 65'536)),  // of one command
      idle_order_(rank) {
  below_.set_client(*this);
  SC_HAS_PROCESS(WriteBackFront);
  SC_METHOD(settle);
  sensitive << settle_;
  dont_initialize();
  SC_METHOD(idle_over);
  sensitive << idle_event_;
  dont_initialize();
}

void WriteBackFront::issue(unsigned tag, const host::BlockCommand& command) {
  began(tag, command);
  ++host_out_;
  idle_ = false;
  idle_event_.cancel();
  idle_order_.cancel();
  begun_.push_back(tag);
  settle_.notify(sc_core::SC_ZERO_TIME);
}

void WriteBackFront::answered() {
  --host_out_;
  if (host_out_ == 0) wait_for_idle();
}

void WriteBackFront::wait_for_idle() {
  if (keys_.destage_idle_ms >= 0 && dirty_lines() > 0) idle_event_.notify(to_sc_time(from_ms(keys_.destage_idle_ms)));
}

void WriteBackFront::idle_over() {
  if (!idle_order_.reached(idle_event_)) return;
  idle_ = host_out_ == 0;
  pump();
}

bool WriteBackFront::wants_destage() const {
  if (!destages_left()) return false;
  if (closed_ || idle_ || urgent()) return true;
  const std::uint64_t waiting = dirty_lines() - map_.destaging_lines();
  return static_cast<double>(waiting) / static_cast<double>(map_.places()) > keys_.destage_at;
}

void WriteBackFront::pump() {
  for (unsigned tag = tags_; tag < tags_below() && wants_destage(); ++tag) {
    if (!tag_free(tag)) continue;
    const auto [first, end] = map_.next_run(row_sectors_);
    if (first == end) break;
    map_.begin_destage(first, end - first);
    ++destages_out_;
    destage(tag, first, static_cast<std::uint32_t>(end - first));
  }
  goes_on();
}

void WriteBackFront::close(std::function<void()> closed) {
  closed_ = std::move(closed);
  idle_event_.cancel();
  map_.unstick();
  pump();
}

void WriteBackFront::over() {
  std::function<void()> closed;
  closed.swap(closed_);
  closed();
}

}  // namespace armature::array
