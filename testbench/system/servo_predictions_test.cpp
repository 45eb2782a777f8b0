// Drives whose arms move by the servo loop: the arbitration unit's seek table is measured from the loop, with a margin
// that is a quantile, and nearly every sector comes in the turn that was predicted.
#include "armature/core/config.h"
#include "armature/workload/params.h"
#include "support/drive_bench.h"
#include "support/drive_file.h"
#include "support/tree.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <string>

namespace armature {
namespace {

struct Case {
  const char* name;
  const char* drive;  ///< drive file and plant
  std::int64_t outstanding;
  void (*change)(testing::BenchParams&) = [](testing::BenchParams&) {};
};
std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << one.name;
}

struct Counts {
  std::uint64_t accesses = 0;
  std::uint64_t elsewhere = 0;  ///< of these: a turn or more from where they were predicted
  std::uint64_t late_servo = 0;
  std::uint64_t without_cause = 0;
};

/// Random accesses of one track each; two thirds are reads.
Counts count(const Case& c, std::int64_t accesses) {
  testing::BenchParams params;
  config::read(testing::load_bare_drive_sections(c.drive), params.drive);
  params.drive.cache.look_ahead = params.drive.cache.write = false;
  params.drive.mechanics.kind = drive::MechanicsParams::servo;
  params.drive.mechanics.plant = std::string(ARMATURE_SOURCE_DIR) + "/scenarios/servo/" + c.drive + ".toml";
  c.change(params);
  workload::WorkloadParams load;
  load.kind = workload::WorkloadParams::closed;
  load.count = accesses;
  load.outstanding = c.outstanding;
  load.think_ms = 0;
  load.size_sectors = 8;
  load.read_fraction = 0.66;
  const auto source = workload::make_source(load, 5, media::Geometry(params.drive.layout()).sectors(), "");
  testing::DriveBench bench("bench", params, *source);
  bench.keep = false;
  Counts counts;
  const Ps half_turn = static_cast<Ps>(30 * 1e12 / params.drive.spindle.rpm);
  bench.on_completed = [&](const observe::CompletedRequest& request) {
    const observe::RequestRecord& record = request.record;
    if (record.predicted_positioning == observe::kNoTime || record.accesses != 1) return;
    ++counts.accesses;
    const bool elsewhere = std::llabs(record.positioning - record.predicted_positioning) > half_turn;
    counts.elsewhere += elsewhere;
    counts.late_servo += record.miss_cause == observe::MissCause::late_servo;
    counts.without_cause += elsewhere && record.miss_cause == observe::MissCause::none;
  };
  bench.run();
  EXPECT_EQ(bench.failures(), 0u);
  return counts;
}

class ServoPredictions : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Drives, ServoPredictions,
                         ::testing::Values(Case{"BarracudaEs", "seagate_barracuda_es_750", 4},
                                           Case{"Ultrastar15k73", "hitachi_ultrastar_15k73", 1},
                                           Case{"VelociRaptorWithQuietSeeks", "wd_velociraptor_300", 4,
                                                [](testing::BenchParams& p) {
                                                  p.host.acoustic_level = 128;
                                                  p.host.acoustic_switch_s = 3;
                                                }},
                                           Case{"A7k1000OfTwoArms", "hitachi_ultrastar_a7k1000", 8,
                                                [](testing::BenchParams& p) {
                                                  p.drive.arms.count = 2;
                                                  p.drive.arms.design = drive::ArmsParams::MC;
                                                }}),
                         [](const auto& one) { return std::string(one.param.name); });

TEST_P(ServoPredictions, SectorsComeInTheTurnThatWasPredicted) {
  const Counts counts = count(GetParam(), ARMATURE_ACCESSES);
  RecordProperty("accesses", std::to_string(counts.accesses));
  RecordProperty("elsewhere", std::to_string(counts.elsewhere));
  RecordProperty("late_servo", std::to_string(counts.late_servo));
  EXPECT_GT(counts.accesses, ARMATURE_ACCESSES * 95u / 100);
  EXPECT_LE(counts.elsewhere, counts.accesses / 1'000);
  EXPECT_EQ(counts.without_cause, 0u);
}

}  // namespace
}  // namespace armature
