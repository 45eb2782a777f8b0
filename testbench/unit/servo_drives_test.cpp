// The plants of the drives: a seek by the loop takes what the drive file's profile says, over every distance, both
// ways.
#include "armature/actuator/seek_profile.h"
#include "armature/app/scenario.h"
#include "armature/core/random.h"
#include "armature/drive/mechanics_params.h"
#include "armature/media/geometry.h"
#include "armature/servo/arm.h"
#include "armature/servo/calibration.h"
#include "support/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace armature::servo {
namespace {

const std::string kScenarios = std::string(ARMATURE_SOURCE_DIR) + "/scenarios/";

class ServoDrives : public ::testing::TestWithParam<const char*> {
 protected:
  ServoDrives() : setup_(app::load_drive(kScenarios + "drives/" + GetParam() + ".toml")) {
    setup_.drive.mechanics.kind = drive::MechanicsParams::servo;
    setup_.drive.mechanics.plant = kScenarios + "servo/" + GetParam() + ".toml";
    cylinders_ = media::Geometry(setup_.drive.layout()).cylinders();
    servo_ = drive::plant_of(setup_.drive, cylinders_);
    servo_.noise.seed += 1000;  // not the noise that the plant was fitted with
  }
  app::DriveSetup setup_;
  std::uint32_t cylinders_ = 0;
  ServoParams servo_;
};

SettleTimes near(const SettleTimes& mean, double limit) {
  return {std::max(0.03 * mean.read, limit), std::max(0.03 * mean.write, limit)};
}

TEST_P(ServoDrives, SeeksTakeWhatTheProfileSays) {
  const actuator::SeekProfile profile(setup_.drive.seek, cylinders_);
  RandomStream random(7, "places");
  const auto at = [&](std::uint32_t cylinder) { return place_of(cylinder, cylinders_, servo_); };
  Arm arm(servo_, 0);
  for (int i = 0; i < ARMATURE_DISTANCES; ++i) {
    const auto distance = static_cast<std::uint32_t>(
        std::llround(std::pow(cylinders_ - 1.0, static_cast<double>(i) / (ARMATURE_DISTANCES - 1))));
    for (const bool inwards : {true, false}) {
      SettleTimes mean;
      for (int k = 0; k < ARMATURE_SEEKS; ++k) {
        const auto low = static_cast<std::uint32_t>(random.below(cylinders_ - distance));
        const std::uint32_t from = inwards ? low : low + distance, to = inwards ? low + distance : low;
        arm.place(at(from));
        for (std::uint64_t wedge = 60 + random.below(40); wedge > 0; --wedge) arm.wedge();
        arm.seek(at(to));
        double time = random.uniform() * arm.wedge_s(), read = 0;
        for (; !arm.settled(true) || !arm.settled(false); time += arm.wedge_s()) {
          ASSERT_LT(time, 0.1) << distance;
          arm.wedge();
          if (read == 0 && arm.settled(false)) read = time;
        }
        mean.read += read / ARMATURE_SEEKS;
        mean.write += (time - arm.wedge_s()) / ARMATURE_SEEKS;
      }
      const double want = to_seconds(profile.seek(distance)), more = to_seconds(profile.write_settle());
      const SettleTimes limit = near({want, want + more}, 50e-6);
      EXPECT_NEAR(mean.read, want, limit.read) << distance << (inwards ? " inwards" : " outwards");
      EXPECT_NEAR(mean.write, want + more, limit.write) << distance << (inwards ? " inwards" : " outwards");
    }
  }
}

/// The driver's voltage makes the current of every path against the back-EMF.
TEST_P(ServoDrives, TheSupplyMakesEverySeek) {
  for (std::uint32_t distance = 1; distance < cylinders_; distance += 1 + distance / 4) {
    const double metres = distance * servo_.pitch_m(), force = servo_.plant.force_n_a();
    const SeekProfile path = seek_profile(servo_, -0.5 * metres, metres);
    for (std::size_t i = 0; i < path.acceleration.size(); ++i) {
      const double current = path.acceleration[i] * servo_.plant.mass_kg() / force;
      ASSERT_LE(std::fabs(servo_.driver.coil_ohm * current + force * path.velocity[i]),
                servo_.driver.supply_v - servo_.driver.drop_v)
          << distance;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Plants, ServoDrives,
                         ::testing::Values("seagate_barracuda_es_750", "hitachi_ultrastar_a7k1000",
                                           "hitachi_ultrastar_15k73", "hitachi_travelstar_7k60", "wd_velociraptor_300"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace armature::servo
