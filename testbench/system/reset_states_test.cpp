// A reset in each state that firmware shows: the drive answers with its signature, every request completes, and the
// contents are right.
#include "contents_bench.h"

#include <gtest/gtest.h>

#include <string>

namespace armature::testing {
namespace {

using host::ResetKind;

/// Resets the drive at the `first`-th time that firmware shows a state, and at each `every`-th from then on.
class ResetInState final : public sc_core::sc_module, public ProbeSink {
 public:
  ResetInState(sc_core::sc_module_name name, std::string state, ResetKind kind)
      : sc_module(name), state_(std::move(state)), kind_(kind) {
    SC_HAS_PROCESS(ResetInState);
    SC_METHOD(reset);
    sensitive << due_;
    dont_initialize();
  }
  void of(host::HostBusAdapter& adapter) { adapter_ = &adapter; }
  unsigned resets() const { return resets_; }

  Id declare(const ProbeInfo& info) override { return info.path == "bench.disk.soc.dbg.state" ? 0 : kNotTraced; }
  void change(Id, std::uint64_t) override {}
  void change(Id, double) override {}
  void change(Id, std::string_view text) override {
    if (text != state_ || resets_ >= kMost) return;
    // Its first times, then now and then, so that the load goes on.
    if (++seen_ <= 3 || seen_ % 17 == 0) due_.notify(sc_core::SC_ZERO_TIME);
  }
  void schedule(Id, Ps, double) override {}
  void cancel(Id) override {}

 private:
  static constexpr unsigned kMost = 40;
  void reset() {
    if (adapter_->resetting()) return;
    ++resets_;
    adapter_->reset(kind_);
  }

  const std::string state_;
  const ResetKind kind_;
  host::HostBusAdapter* adapter_ = nullptr;
  sc_core::sc_event due_;
  unsigned seen_ = 0;
  unsigned resets_ = 0;
};

void plain(BenchParams& params) {
  params.drive.faults = {drive::grown_defect(18'100),      drive::grown_defect(18'900, 0.2),
                         drive::grown_defect(19'300, 0.5), drive::grown_defect(20'500),
                         drive::grown_defect(21'000, 1),   drive::grown_defect(21'500, 2)};
  params.drive.geometry.zones[0].spares += 100;
  params.drive.geometry.zones[1].spares += 100;
}

void one_segment(BenchParams& params) {
  params.drive.buffer.segments = 1;
  params.drive.buffer.size_kib = 32;
}

void cached(BenchParams& params) {
  params.drive.cache.write = params.drive.cache.look_ahead = params.drive.cache.read_on_arrival = true;
  params.drive.cache.keep_written = params.drive.cache.read_ahead_on_hit = true;
  params.drive.buffer.size_kib = 1024;
  params.drive.overheads.read_hit_us = 150;
  params.drive.overheads.write_miss_us = 350;
  params.drive.overheads.write_completion_us = 60;
}

/// Written in part: filled up, and de-staged whole.
void fill_up(BenchParams& params) {
  cached(params);
  physical_4096(params.drive);
  params.drive.faults = {drive::grown_defect(18'104), drive::grown_defect(18'904, 0.2), drive::grown_defect(20'504),
                         drive::grown_defect(21'000, 1)};
}

void standby(BenchParams& params) {
  params.drive.cache.write = true;
  params.drive.spindle.spin_up_s = 0.02;
  params.drive.spindle.spin_down_s = 0.01;
  params.drive.seek.load_ms = 4;
  params.drive.seek.unload_ms = 3;
  params.host.standby_after_s = 0.01;
}

struct InState {
  const char* state;
  const char* drive;
  void (*set)(BenchParams&);
};

constexpr InState kStates[] = {
    {"seek", "plain", plain},
    {"channel", "plain", plain},
    {"wait_data", "plain", plain},
    {"data_out", "plain", plain},
    {"read_queued", "plain", plain},
    {"write_queued", "plain", plain},
    {"command", "plain", plain},
    {"complete", "plain", plain},
    {"drain", "plain", plain},
    {"halted", "plain", plain},
    {"verify", "plain", plain},
    {"reallocate", "plain", plain},
    {"wait_segment", "one_segment", one_segment},
    {"read_ahead", "cached", cached},
    {"hit", "cached", cached},
    {"wait_lines", "cached", cached},
    {"wait_destage", "cached", cached},
    {"destage", "cached", cached},
    {"overhead", "cached", cached},
    {"destage", "fill_up", fill_up},
    {"verify", "fill_up", fill_up},
    {"reallocate", "fill_up", fill_up},
    {"unload", "standby", standby},
    {"spin_down", "standby", standby},
    {"standby", "standby", standby},
    {"spin_up", "standby", standby},
    {"load", "standby", standby},
    {"wait_destage", "standby", standby},
};

class ResetInEachState : public ::testing::TestWithParam<std::tuple<InState, bool>> {};

TEST_P(ResetInEachState, DropsNothingThatWasAcknowledged) {
  const auto& [at, comreset] = GetParam();
  BenchParams params;
  params.drive = round_drive_with_contents(true);
  at.set(params);
  ContentsLoad::Params load;
  load.count = 3'000;
  load.sectors = media::Geometry(params.drive.geometry).sectors();
  load.hot_first = kHotFirst;
  load.hot_sectors = kHotSectors;
  load.beyond_share = 0.01;
  load.pause_share = 0.02;
  if (at.set == standby) load.outstanding = 1;  // so that it is idle in a pause
  ContentsLoad source(load);
  host::ContentsCheck check({});
  ResetInState sink("resets", at.state, comreset ? ResetKind::comreset : ResetKind::soft);
  DriveBench bench("bench", params, source, &sink);
  sink.of(bench.adapter());
  bench.keep = false;
  bench.queue().set_data_port(check);
  bench.run();
  EXPECT_EQ(check.mismatches(), 0u);
  for (const std::string& text : check.descriptions()) ADD_FAILURE() << text;
  EXPECT_GE(sink.resets(), 1u) << "firmware never was in that state";
  EXPECT_GT(check.sectors_compared(), 10'000u);
}

INSTANTIATE_TEST_SUITE_P(States, ResetInEachState, ::testing::Combine(::testing::ValuesIn(kStates), ::testing::Bool()),
                         [](const auto& test) {
                           const InState& at = std::get<0>(test.param);
                           return std::string(std::get<1>(test.param) ? "Comreset" : "Soft") + "_" + at.drive + "_" +
                                  at.state;
                         });

}  // namespace
}  // namespace armature::testing
