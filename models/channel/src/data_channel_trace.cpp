// What the sectors of an access show in a waveform.
#include "armature/channel/data_channel.h"

#include "armature/core/kernel_time.h"

#include <sysc/kernel/sc_dynamic_processes.h>

#include <algorithm>

namespace armature::channel {

void DataChannel::declare_traces(const BlockContext& context, const std::string& prefix) {
  preamp_arm_probe_.declare(context.probes, prefix + ".preamp.arm", 3, "Arm that the preamplifier is switched to");
  preamp_head_probe_.declare(context.probes, prefix + ".preamp.head", 8, "Head that the preamplifier is switched to");
  sync_probe_.declare(context.probes, prefix + ".sync", "The sync mark of the sector under the head is found");
  sector_probe_.declare(context.probes, prefix + ".sector", 16, "Sector counter: number on its track");
  decoded_probe_.declare(context.probes, prefix + ".decoded", 16, "Codewords of the access that are decoded");
  iterations_probe_.declare(context.probes, prefix + ".iterations", 16, "Iterations of the last codeword's decoding");
  retry_probe_.declare(context.probes, prefix + ".retry_step", 5, "Step of the retry ladder, from 1; 0: a first read");
  traces_sectors_ = sync_probe_.traced() || sector_probe_.traced() || decoded_probe_.traced() ||
                    iterations_probe_.traced() || retry_probe_.traced() || state_probe_.traced() ||
                    gate_probe_.traced();
  if (!traces_sectors_) return;
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.set_sensitivity(&trace_next_);
  options.dont_initialize();
  sc_core::sc_spawn([this] { show_trace(); }, "show_trace", &options);
}

void DataChannel::trace_access() {
  preamp_arm_probe_.set(arm_);
  preamp_head_probe_.set(head_);
  if (!traces_sectors_) return;
  trace_.clear();
  traced_ = 0;
  decoded_probe_.set(0);
  retry_probe_.set(0);
  trace_sectors(0, 0);
}

/// Of the codewords, or of a planned read's passes, from these on.
void DataChannel::trace_sectors(std::uint32_t from_codeword, std::size_t from_pass) {
  if (!traces_sectors_) return;
  const auto add = [&](Ps at, TraceEvent::Kind kind, std::uint64_t value) { trace_.push_back({at, kind, value}); };
  const double share = path_.sync_share > 0 ? path_.sync_share : 15.0 / (unit_ == 1 ? 577 : 4'211);
  const auto pass = [&](std::uint32_t block, Ps begin, Ps end) {
    add(begin, TraceEvent::sector, access_.sector_of(block) / unit_);
    if (!write_) add(begin + static_cast<Ps>(static_cast<double>(end - begin) * share), TraceEvent::sync, 1);
    add(end, TraceEvent::passed, 0);
  };
  if (plan_.on()) {
    std::uint64_t decoded = 0;
    for (std::size_t i = 0; i < plan_.passes.size(); ++i) {
      const ReadPlan::Pass& one = plan_.passes[i];
      decoded += one.ok && one.decodes;
      if (i < from_pass) continue;
      if (i > 0 && one.step != ReadPlan::kNone) add(plan_.passes[i - 1].end, TraceEvent::close, 0);
      if (i > 0 && one.step != ReadPlan::kNone) add(one.begin, TraceEvent::open, 0);
      add(one.begin, TraceEvent::retry, one.step == ReadPlan::kNone ? 0 : one.step + 1);
      pass(access_.block_of(one.codeword), one.begin, one.end);
      if (one.decodes) add(one.ready, TraceEvent::decoded, decoded << 32 | one.iterations);
    }
  } else if (sync_probe_.traced() || sector_probe_.traced()) {
    const std::uint32_t codewords = access_.codewords(), start = access_.first_codeword();
    for (std::uint32_t i = from_codeword; i < codewords; ++i) {
      const std::uint32_t block = access_.block_of((start + i) % codewords);
      const Ps begin = access_.leading_edge(block);
      pass(block, begin, access_.trailing_edge(block, begin));
    }
  }
  // A trailing edge comes before the next leading one at the same time, as it was put in.
  std::stable_sort(trace_.begin() + static_cast<std::ptrdiff_t>(traced_), trace_.end(),
                   [](const TraceEvent& a, const TraceEvent& b) { return a.at < b.at; });
  trace_next_.cancel();
  if (traced_ < trace_.size()) trace_next_.notify(to_sc_time(trace_[traced_].at - now()));
}

void DataChannel::show_trace() {
  for (; traced_ < trace_.size() && trace_[traced_].at <= now(); ++traced_) {
    const TraceEvent& event = trace_[traced_];
    switch (event.kind) {
      case TraceEvent::open:
      case TraceEvent::close:
        gate_probe_.set(event.kind == TraceEvent::open);
        state_probe_.set(event.kind == TraceEvent::open ? "transfer" : "wait");
        break;
      case TraceEvent::sector:
        sector_probe_.set(event.value);
        break;
      case TraceEvent::sync:
      case TraceEvent::passed:
        sync_probe_.set(event.kind == TraceEvent::sync);
        break;
      case TraceEvent::decoded:
        decoded_probe_.set(event.value >> 32);
        iterations_probe_.set(event.value & 0xFFFF);
        break;
      case TraceEvent::retry:
        retry_probe_.set(event.value);
        break;
    }
  }
  if (traced_ < trace_.size()) trace_next_.notify(to_sc_time(trace_[traced_].at - now()));
}

}  // namespace armature::channel
