// CSV files of others: columns chosen by keys, units, operations in numbers.
#include "armature/workload/params.h"
#include "support/trace_files.h"

#include <gtest/gtest.h>

namespace armature::workload {
namespace {

using testing::drain;
using testing::trace_params;

class WorkloadCsv : public ::testing::Test {
 protected:
  std::vector<Request> read(const std::string& text, const WorkloadParams& params) {
    directory_.write(params.file, text);
    return drain(*make_source(params, 1, 0, directory_.path()));
  }
  std::string error(const std::string& text, const WorkloadParams& params) {
    try {
      read(text, params);
    } catch (const InputError& e) {
      return e.what();
    }
    ADD_FAILURE() << "no error";
    return {};
  }

  testing::TraceDirectory directory_;
  WorkloadParams params_ = trace_params("foreign.csv");
};

TEST_F(WorkloadCsv, AHeaderOfOthersIsReadWithUnitsFromTheKeys) {
  params_.columns.time_unit = ColumnParams::seconds;
  params_.columns.size_unit = ColumnParams::bytes;
  params_.time_zero = WorkloadParams::first_request;
  const auto all = read(
      "version,time,op,size,lbn\n"
      "1,5633898,2a,512,42932745\n"
      "1,5633898,28,6656,40409911\n"
      "1,5633900,0x2A,512,7\n"
      "1,5633900,91,0,0\n",
      params_);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].arrival, 0);
  EXPECT_EQ(all[0].operation, Operation::write);
  EXPECT_EQ(all[0].lbn, 42'932'745u);
  EXPECT_EQ(all[0].sectors, 1u);
  EXPECT_EQ(all[1].operation, Operation::read);
  EXPECT_EQ(all[1].sectors, 13u);
  EXPECT_EQ(all[2].arrival, 2 * kPsPerSecond);
  EXPECT_EQ(all[2].operation, Operation::write);
  EXPECT_EQ(all[3].operation, Operation::flush);
}

TEST_F(WorkloadCsv, AHeaderInACommentIsGivenByAKey) {
  params_.header = {"t_s",      "dev", "sector", "bytes", "op", "start_us_after_enqueue", "stop_us_after_enqueue",
                    "flags_hex"};
  params_.columns.measured = "stop_us_after_enqueue";
  params_.columns.measured_unit = ColumnParams::microseconds;
  params_.devices = {1};
  const auto all = read(
      "# decoded: t_s,dev,sector,bytes,op,start_us_after_enqueue,stop_us_after_enqueue,flags_hex\n"
      "0.000000,1,1056,4096,R,174,19687,1b\n"
      "0.035279,0,12256,2048,R,85,32924,1b\n"
      "0.069348,1,360,2048,W,55,22200,1b\n",
      params_);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].lbn, 1056u);
  EXPECT_EQ(all[0].sectors, 8u);
  EXPECT_EQ(all[0].measured_response, 19'687 * kPsPerUs);
  EXPECT_EQ(all[1].arrival, 69'348 * kPsPerUs);
  EXPECT_EQ(all[1].operation, Operation::write);
  EXPECT_EQ(all[1].device, 1u);
}

TEST_F(WorkloadCsv, AddressesMayCountOtherSectorsThan512Bytes) {
  params_.header = {"t_s", "sector", "bytes", "op"};
  params_.columns.address_sector_bytes = 256;
  params_.round_to_sectors = true;
  // Sector 1,056 of 256 bytes is 528 of 512; 1,057 begins in the middle of that, and 2,048 bytes end in that of 532.
  const auto all = read("0,1056,4096,R\n1,1057,2048,W\n", params_);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].lbn, 528u);
  EXPECT_EQ(all[0].sectors, 8u);
  EXPECT_EQ(all[1].lbn, 528u);
  EXPECT_EQ(all[1].sectors, 5u);
}

TEST_F(WorkloadCsv, TheFilesOfMsrCambridgeAreReadWithAFewKeys) {
  // Timestamp in FILETIME: 100 ns since 1601, beyond 64 bits of picoseconds.
  params_.header = {"Timestamp", "Hostname", "DiskNumber", "Type", "Offset", "Size", "ResponseTime"};
  params_.columns.time_unit = ColumnParams::hundred_nanoseconds;
  params_.columns.device = "DiskNumber";
  params_.columns.address_unit = ColumnParams::bytes;
  params_.columns.size_unit = ColumnParams::bytes;
  params_.columns.measured = "ResponseTime";
  params_.columns.measured_unit = ColumnParams::hundred_nanoseconds;
  params_.time_zero = WorkloadParams::first_request;
  const auto all = read(
      "128166372003061629,usr,0,Read,7014609920,24576,41286\n"
      "128166372016382155,usr,0,Write,1317441536,8192,1963\n",
      params_);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].arrival, 0);
  EXPECT_EQ(all[0].lbn, 7'014'609'920u / 512);
  EXPECT_EQ(all[0].sectors, 48u);
  EXPECT_EQ(all[0].measured_response, 4'128'600'000);
  EXPECT_EQ(all[1].arrival, Ps{16'382'155 - 3'061'629} * 100 * kPsPerNs);
  EXPECT_EQ(all[1].operation, Operation::write);

  params_.time_zero = WorkloadParams::as_recorded;
  EXPECT_NE(error("128166372003061629,usr,0,Read,7014609920,24576,41286\n", params_).find("time_zero"),
            std::string::npos);
}

TEST_F(WorkloadCsv, NumbersOfOperationsMeanWhatTheKeySays) {
  const std::string text = "time_ms,lbn,sectors,op\n0,1,1,0\n0,1,1,1\n";
  params_.columns.op_numbers = ColumnParams::read_is_0;
  EXPECT_EQ(read(text, params_)[0].operation, Operation::read);
  EXPECT_EQ(read(text, params_)[1].operation, Operation::write);
  params_.columns.op_numbers = ColumnParams::read_is_1;
  EXPECT_EQ(read(text, params_)[0].operation, Operation::write);
  EXPECT_EQ(read(text, params_)[1].operation, Operation::read);
  params_.columns.op_numbers = ColumnParams::nvme;
  const auto all = read(text + "0,1,1,2\n", params_);
  EXPECT_EQ(all[0].operation, Operation::flush);
  EXPECT_EQ(all[1].operation, Operation::write);
  EXPECT_EQ(all[2].operation, Operation::read);
  EXPECT_EQ(read(text + "0,1,1,3\n", params_).size(), 2u) << "another command is left out";
  params_.columns.op_numbers = ColumnParams::read_is_1;
  EXPECT_EQ(read(text + "0,1,1,2\n", params_).size(), 2u);
}

TEST_F(WorkloadCsv, EachUnitOfTimeIsWhatItSays) {
  const std::pair<const char*, Ps> units[] = {{"s", kPsPerSecond}, {"ms", kPsPerMs},          {"us", kPsPerUs},
                                              {"ns", kPsPerNs},    {"100ns", 100 * kPsPerNs}, {"ps", 1}};
  for (const auto& [name, length] : units) {
    const auto all = read("Time_" + std::string(name) + ",LBN,Sectors,OP\n3,1,1,r\n", params_);
    EXPECT_EQ(all.at(0).arrival, 3 * length) << name;
  }
}

TEST_F(WorkloadCsv, OtherSeparatorsAndQuotesAreRead) {
  params_.separator = WorkloadParams::semicolon;
  EXPECT_EQ(read("\"time_ms\";\"lbn\";\"sectors\";\"op\"\n\"1\"; 2 ;3;\"write\"\n", params_).at(0).lbn, 2u);
  params_.separator = WorkloadParams::tab;
  EXPECT_EQ(read("time_ms\tlbn\tsectors\top\n1\t2\t3\tW\n", params_).at(0).sectors, 3u);
  params_.separator = WorkloadParams::space;
  EXPECT_EQ(read("time_ms lbn sectors op\n  1  2 3   W\n", params_).at(0).lbn, 2u);
}

TEST_F(WorkloadCsv, AColumnThatIsNotThereIsAnErrorWithTheNearest) {
  params_.columns.address = "lnb";
  EXPECT_NE(
      error("time_s,lbn,sectors,op\n", params_).find("no column is named 'lnb' (columns.address); did you mean 'lbn'?"),
      std::string::npos);
  params_.columns.address = "lbn";
  params_.columns.size = "lbn";
  EXPECT_NE(error("time_s,lbn,sectors,op\n", params_).find("cannot be both"), std::string::npos);
}

TEST_F(WorkloadCsv, AKeyChoosesBetweenColumnsThatMeanTheSame) {
  params_.columns.address = "lbn";
  EXPECT_EQ(read("time_s,lbn,offset_bytes,sectors,op\n0,4,512,1,R\n", params_).at(0).lbn, 4u);
  params_.columns.address = "offset_bytes";
  EXPECT_EQ(read("time_s,lbn,offset_bytes,sectors,op\n0,4,512,1,R\n", params_).at(0).lbn, 1u);
}

}  // namespace
}  // namespace armature::workload
