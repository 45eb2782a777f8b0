// Which requests of a trace are taken, when they arrive, and where they land on the drive.
#include "armature/workload/params.h"
#include "support/trace_files.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace armature::workload {
namespace {

using testing::drain;
using testing::trace_params;

class WorkloadPlacement : public ::testing::Test {
 protected:
  std::unique_ptr<Source> source(const std::string& text, std::uint64_t drive_sectors = 0) {
    directory_.write("t.trace", text);
    return make_source(params_, 1, drive_sectors, directory_.path());
  }
  std::vector<Request> read(const std::string& text, std::uint64_t drive_sectors = 0) {
    return drain(*source(text, drive_sectors));
  }
  std::string error(const std::string& text, std::uint64_t drive_sectors = 0) {
    try {
      read(text, drive_sectors);
    } catch (const InputError& e) {
      return e.what();
    }
    ADD_FAILURE() << "no error";
    return {};
  }
  static std::vector<std::uint64_t> lbns(const std::vector<Request>& requests) {
    std::vector<std::uint64_t> result;
    for (const Request& r : requests) result.push_back(r.lbn);
    return result;
  }
  static std::vector<Ps> arrivals(const std::vector<Request>& requests) {
    std::vector<Ps> result;
    for (const Request& r : requests) result.push_back(r.arrival);
    return result;
  }

  testing::TraceDirectory directory_;
  WorkloadParams params_ = trace_params("t.trace", WorkloadParams::disksim);
};

using Lbns = std::vector<std::uint64_t>;

constexpr const char* kDevices =
    "1.0 0 10 8 1\n"
    "2.0 1 20 8 1\n"
    "3.0 2 30 8 1\n"
    "4.0 1 40 8 1\n"
    "5.0 0 50 8 1\n";

TEST_F(WorkloadPlacement, DevicesChoosesAndSkipAndLimitCountWhatIsChosen) {
  params_.devices = {1};
  EXPECT_EQ(lbns(read(kDevices)), (Lbns{20, 40}));
  params_.devices = {2, 0};
  params_.device_layout = WorkloadParams::overlay;
  EXPECT_EQ(lbns(read(kDevices)), (Lbns{10, 30, 50}));
  params_.skip = 1;
  EXPECT_EQ(lbns(read(kDevices)), (Lbns{30, 50}));
  params_.limit = 1;
  const auto all = read(kDevices);
  EXPECT_EQ(lbns(all), (Lbns{30}));
  EXPECT_EQ(all[0].id, 0u) << "ids count what is taken";
  params_.skip = 3;
  EXPECT_NE(error(kDevices).find("no request is left of the trace's 5 lines"), std::string::npos);
  params_.devices = {1, 1};
  EXPECT_NE(error(kDevices).find("names a device twice"), std::string::npos);
  params_.devices = {0.5};
  EXPECT_NE(error(kDevices).find("0.5 is not a whole number"), std::string::npos);
}

TEST_F(WorkloadPlacement, TimeBeginsWithTheTraceOrWithTheFirstRequestTaken) {
  params_.device_layout = WorkloadParams::overlay;
  params_.skip = 2;
  EXPECT_EQ(arrivals(read(kDevices)), (std::vector<Ps>{3 * kPsPerMs, 4 * kPsPerMs, 5 * kPsPerMs}));
  params_.time_zero = WorkloadParams::first_request;
  EXPECT_EQ(arrivals(read(kDevices)), (std::vector<Ps>{0, kPsPerMs, 2 * kPsPerMs}));
  params_.time_scale = 0.25;
  EXPECT_EQ(arrivals(read(kDevices)), (std::vector<Ps>{0, kPsPerMs / 4, kPsPerMs / 2}));
  params_.time_zero = WorkloadParams::as_recorded;
  params_.time_scale = 3;
  EXPECT_EQ(arrivals(read(kDevices)), (std::vector<Ps>{9 * kPsPerMs, 12 * kPsPerMs, 15 * kPsPerMs}));
}

TEST_F(WorkloadPlacement, ThinkTimesAreScaledTooAndMeasuredOnesAreNot) {
  params_.format = WorkloadParams::validate;
  params_.time_scale = 0.5;
  const auto all = testing::drain(*source("R Hit 1 8 100.0 1000.0\nR Hit 1 8 100.0 1.0\n"), kPsPerMs);
  EXPECT_EQ(arrivals(all), (std::vector<Ps>{0, kPsPerMs + kPsPerMs / 2}));
  EXPECT_EQ(all[0].measured_response, 100 * kPsPerUs);
}

TEST_F(WorkloadPlacement, DevicesLieOneAfterTheOtherByTheirSizes) {
  params_.device_layout = WorkloadParams::concatenate;
  params_.device_sectors = {100, 1'000, 200};
  const auto all = read(kDevices, 1'300);
  EXPECT_EQ(lbns(all), (Lbns{10, 120, 1'130, 140, 50}));
  EXPECT_EQ(all[1].device, 1u) << "the device stays what the input says";
  params_.devices = {2, 1};
  params_.device_sectors = {200, 1'000};
  EXPECT_EQ(lbns(read(kDevices)), (Lbns{220, 30, 240})) << "in the order of the list";
}

TEST_F(WorkloadPlacement, DevicesLieWhereTheirOffsetsSay) {
  params_.device_layout = WorkloadParams::concatenate;
  params_.device_offsets = {5'000, 0, 100};
  EXPECT_EQ(lbns(read(kDevices)), (Lbns{5'010, 20, 130, 40, 5'050}));
}

TEST_F(WorkloadPlacement, ConcatenationNeedsAPlaceForEachDeviceAndRoomInIt) {
  params_.device_layout = WorkloadParams::concatenate;
  EXPECT_NE(error(kDevices).find("needs device_sectors or device_offsets"), std::string::npos);
  params_.device_sectors = {100, 1'000};
  EXPECT_NE(error(kDevices).find("t.trace:3: device 2 has no place on the drive"), std::string::npos);
  params_.device_sectors = {100, 47, 200};
  EXPECT_NE(error(kDevices).find("t.trace:4: LBN 40 and 8 sectors are outside device 1, which device_sectors gives 47"),
            std::string::npos);
  params_.device_sectors = {100, 48, 200};
  EXPECT_EQ(read(kDevices).size(), 5u);
  params_.device_offsets = {0};
  EXPECT_NE(error(kDevices).find("different numbers of devices"), std::string::npos);
  params_.device_offsets.clear();
  params_.devices = {0, 1};
  EXPECT_NE(error(kDevices).find("give 3 devices, devices gives 2"), std::string::npos);
  params_.devices.clear();
  params_.device_layout = WorkloadParams::overlay;
  EXPECT_NE(error(kDevices).find("are for device_layout = \"concatenate\" only"), std::string::npos);
}

// The drive of these tests has 4,096 sectors: two pieces of 2,048.
constexpr const char* kOutside =
    "1.0 0 4088 8 1\n"
    "2.0 0 4089 8 1\n"
    "3.0 0 4096 8 0\n"
    "4.0 0 10000 8 1\n";

TEST_F(WorkloadPlacement, ARequestThatEndsWithTheDriveIsInsideAndTheNextSectorIsNot) {
  EXPECT_NE(error(kOutside, 4'096).find("t.trace:2: LBN 4089 and 8 sectors are outside the drive of 4096 sectors"),
            std::string::npos);
  EXPECT_EQ(read(kOutside, 10'008).size(), 4u);
  EXPECT_EQ(read(kOutside, 0).size(), 4u) << "no drive, no outside";
}

TEST_F(WorkloadPlacement, WrapTakesAddressesModuloTheDrive) {
  params_.out_of_range = WorkloadParams::wrap;
  EXPECT_EQ(lbns(read(kOutside, 4'096)), (Lbns{4'088, 4'088, 0, 10'000 % 4'096}));
  EXPECT_NE(error("1.0 0 0 5 1\n", 4).find("outside the drive of 4 sectors"), std::string::npos);
}

TEST_F(WorkloadPlacement, DropLeavesRequestsOutAndCountsThem) {
  params_.out_of_range = WorkloadParams::drop;
  const auto some = source(kOutside, 4'096);
  const auto all = drain(*some);
  EXPECT_EQ(lbns(all), (Lbns{4'088}));
  EXPECT_EQ(some->dropped(), 3u);
  const auto ids = read("1.0 0 5000 8 1\n2.0 0 0 8 1\n", 4'096);
  ASSERT_EQ(ids.size(), 1u);
  EXPECT_EQ(ids[0].id, 0u) << "without a gap";
}

TEST_F(WorkloadPlacement, AClosedLoopGoesOnOverWhatIsDropped) {
  params_.format = WorkloadParams::validate;
  params_.out_of_range = WorkloadParams::drop;
  const auto all = drain(*source("R Hit 1 8 1.0 10.0\nR Hit 5000 8 1.0 20.0\nR Hit 2 8 1.0 1.0\n", 4'096), kPsPerMs);
  EXPECT_EQ(arrivals(all), (std::vector<Ps>{0, kPsPerMs + 30 * kPsPerUs})) << "both think times pass";
}

TEST_F(WorkloadPlacement, ScaleMovesPiecesAndKeepsRunsWithinThem) {
  params_.out_of_range = WorkloadParams::scale;
  EXPECT_NE(error(kOutside, 4'096).find("needs source_sectors"), std::string::npos);
  params_.source_sectors = 8 * 2'048;
  // Pieces 0 to 7 of the traced device onto 0, 0, 0, 0, 1, 1, 1, 1 of the drive; offsets within a piece stay.
  EXPECT_EQ(lbns(read("1.0 0 0 8 1\n1.0 0 8 8 1\n1.0 0 4095 1 1\n1.0 0 10000 8 1\n1.0 0 16376 8 1\n", 4'096)),
            (Lbns{0, 8, 2'047, 2'048 + 10'000 % 2'048, 4'088}));
  // A request over the end of the last piece is moved to end with the drive.
  EXPECT_EQ(lbns(read("1.0 0 14330 16 1\n", 4'096)), (Lbns{4'080}));
  EXPECT_NE(error("1.0 0 16380 8 1\n", 4'096).find("outside the traced device of 16384 sectors"), std::string::npos);
  // To a drive twice as large: every other piece.
  EXPECT_EQ(lbns(read("1.0 0 2048 8 1\n1.0 0 16376 8 1\n", 16 * 2'048)), (Lbns{4'096, 14 * 2'048 + 2'040}));
  // A drive of the same size: nothing moves, whole pieces or not.
  params_.source_sectors = 5'001;
  EXPECT_EQ(lbns(read("1.0 0 4993 8 1\n", 5'001)), (Lbns{4'993}));
}

TEST_F(WorkloadPlacement, ScaleKnowsTheSizeOfConcatenatedDevices) {
  params_.out_of_range = WorkloadParams::scale;
  params_.device_layout = WorkloadParams::concatenate;
  params_.device_sectors = {4 * 2'048, 4 * 2'048};
  EXPECT_EQ(lbns(read("1.0 0 100 8 1\n1.0 1 100 8 1\n", 4'096)), (Lbns{100, 2'148}));
  params_.device_sectors.clear();
  params_.device_offsets = {0, 8'192};
  EXPECT_NE(error("1.0 0 100 8 1\n", 4'096).find("needs source_sectors or device_sectors"), std::string::npos);
}

TEST_F(WorkloadPlacement, EveryScaledRequestIsOnTheDrive) {
  params_.out_of_range = WorkloadParams::scale;
  for (const std::uint64_t traced : {2'047u, 2'048u, 100'003u, 1'000'000u}) {
    for (const std::uint64_t drive : {999u, 2'048u, 50'000u, 3'000'001u}) {
      params_.source_sectors = static_cast<std::int64_t>(traced);
      std::string text;
      for (std::uint64_t lbn = 0; lbn + 64 <= traced; lbn += traced / 37) text += fmt::format("1.0 0 {} 64 1\n", lbn);
      text += fmt::format("1.0 0 {} 64 1\n", traced - 64);
      std::uint64_t last = 0;
      for (const Request& r : read(text, drive)) {
        ASSERT_LE(r.lbn + r.sectors, drive) << traced << " to " << drive;
        if (traced / 37 >= 2'048) {
          ASSERT_GE(r.lbn + 2'048, last) << "order of pieces stays";
        }
        last = r.lbn;
      }
    }
  }
}

TEST_F(WorkloadPlacement, AFlushHasNoAddressToBeOutside) {
  params_.format = WorkloadParams::csv;
  params_.device_layout = WorkloadParams::concatenate;
  params_.device_sectors = {8};
  const auto all = read("time_s,device,lbn,sectors,op\n1,9,,,F\n2,0,0,8,R\n", 8);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].operation, Operation::flush);
  EXPECT_EQ(all[0].sectors, 0u);
}

TEST_F(WorkloadPlacement, ASyntheticStreamRefusesTheKeysOfATrace) {
  params_.kind = WorkloadParams::open;
  EXPECT_NE(error("", 4'096).find("workload.file is for kind = \"trace\" only"), std::string::npos);
  params_ = {};
  params_.kind = WorkloadParams::closed;
  params_.limit = 5;
  EXPECT_NE(error("", 4'096).find("workload.limit"), std::string::npos);
  params_ = {};
  params_.kind = WorkloadParams::trace;
  EXPECT_NE(error("", 4'096).find("workload.file is needed"), std::string::npos);
}

}  // namespace
}  // namespace armature::workload
