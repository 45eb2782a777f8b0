// MSR Cambridge, fio's logs, blkparse's text: each on files made by hand, every field and every action.
#include "armature/workload/params.h"
#include "support/broken_trace.h"
#include "support/trace_files.h"

#include <gtest/gtest.h>

namespace armature::workload::workload_msr_iolog_blkparse_test {
namespace {

using Broken = testing::BrokenTrace;
using testing::drain;
using testing::trace_params;

class WorkloadRecordedFormats : public ::testing::Test {
 protected:
  WorkloadParams params_of(const std::string& file, const std::string& content,
                           WorkloadParams::Format format = WorkloadParams::automatic) {
    directory_.write(file, content);
    WorkloadParams params = trace_params(file, format);
    params.device_layout = WorkloadParams::overlay;
    return params;
  }
  std::unique_ptr<Source> open(const WorkloadParams& params) { return make_source(params, 1, 0, directory_.path()); }
  std::vector<Request> requests(const std::string& content) { return drain(*open(params_of("t", content))); }

  testing::TraceDirectory directory_;
};

void expect(const Request& r, Ps arrival, std::uint32_t device, std::uint64_t lbn, std::uint32_t sectors,
            Operation operation) {
  EXPECT_EQ(r.arrival, arrival);
  EXPECT_EQ(r.device, device);
  EXPECT_EQ(r.lbn, lbn);
  EXPECT_EQ(r.sectors, sectors);
  EXPECT_EQ(r.operation, operation);
}

constexpr const char* kMsr =
    "128166372003061629,hm,0,Read,9056,512,200\n"
    "128166372016382155,hm,1,Write,2822144,4096,2388\n"
    "128166372026382155,hm,0,write,1024,1024,0\n";

TEST_F(WorkloadRecordedFormats, MsrCountsHundredNanosecondsFromItsFirstLineAndBytes) {
  WorkloadParams params = params_of("hm_0.csv", kMsr);
  params.round_to_sectors = true;
  const auto all = drain(*open(params));
  ASSERT_EQ(all.size(), 3u);
  expect(all[0], 0, 0, 17, 2, Operation::read);  // bytes 9056 to 9567 touch sectors 17 and 18
  EXPECT_EQ(all[0].measured_response, 20 * kPsPerUs);
  // 16382155 - 3061629 = 13320526 units of 100 ns.
  expect(all[1], 1'332'052'600 * kPsPerNs, 1, 5512, 8, Operation::write);
  EXPECT_EQ(all[1].measured_response, 238'800 * kPsPerNs);
  expect(all[2], 2'332'052'600 * kPsPerNs, 0, 2, 2, Operation::write);
  EXPECT_EQ(all[2].measured_response, 0);
}

TEST_F(WorkloadRecordedFormats, MsrKeepsTheTimeBeforeTheFirstRequestThatIsTaken) {
  WorkloadParams params = params_of("t", kMsr);
  params.round_to_sectors = true;
  params.devices = {1};
  EXPECT_EQ(drain(*open(params)).at(0).arrival, 1'332'052'600 * kPsPerNs);
  params.time_zero = WorkloadParams::first_request;
  EXPECT_EQ(drain(*open(params)).at(0).arrival, 0);
}

TEST_F(WorkloadRecordedFormats, IologOfVersionThreeIsOpenWithMicroseconds) {
  // Written by fio 3.33 (write_iolog) but for the trim and the second file.
  const char* const text =
      "fio version 3 iolog\n"
      "30 /dev/sdb add\n"
      "31 /dev/sdc add\n"
      "194 /dev/sdb open\n"
      "195 /dev/sdc open\n"
      "200 /dev/sdb read 0 4096\n"
      "2504 /dev/sdc write 45056 512\n"
      "2600 /dev/sdb trim 0 1048576\n"
      "15737 /dev/sdb sync 61440 0\n"
      "15738 /dev/sdb datasync 61440 0\n"
      "64746 /dev/sdb close\n"
      "64747 /dev/sdc read 1024 8192\n";
  const WorkloadParams params = params_of("t", text);
  const auto source = open(params);
  const auto all = drain(*source);
  ASSERT_EQ(all.size(), 5u);
  expect(all[0], 200 * kPsPerUs, 0, 0, 8, Operation::read);
  expect(all[1], 2504 * kPsPerUs, 1, 88, 1, Operation::write);
  expect(all[2], 15'737 * kPsPerUs, 0, 0, 0, Operation::flush);
  expect(all[3], 15'738 * kPsPerUs, 0, 0, 0, Operation::flush);
  expect(all[4], 64'747 * kPsPerUs, 1, 2, 16, Operation::read);
  EXPECT_EQ(source->dropped(), 1u) << "the trim";
  EXPECT_EQ(source->device_name(1), "/dev/sdc");
  EXPECT_EQ(source->device_name(2), "");

  WorkloadParams slower = params;
  slower.iolog_keys.time_unit = IologParams::milliseconds;
  EXPECT_EQ(drain(*open(slower)).at(1).arrival, 2504 * kPsPerMs);
}

constexpr const char* kIolog2 =
    "fio version 2 iolog\n"
    "/f add\n"
    "/f open\n"
    "/f read 0 4096\n"
    "/f write 4096 4096\n"
    "/f wait 500 0\n"
    "/f read 8192 4096\n"
    "/f wait 700 0\n"
    "/f sync 0 0\n"
    "/f close\n";

TEST_F(WorkloadRecordedFormats, IologOfVersionTwoHasOneRequestInFlightAndWaits) {
  const auto all = drain(*open(params_of("t", kIolog2)), 3 * kPsPerMs);
  ASSERT_EQ(all.size(), 4u);
  expect(all[0], 0, 0, 0, 8, Operation::read);
  expect(all[1], 3 * kPsPerMs, 0, 8, 8, Operation::write);  // at the completion
  expect(all[2], 500 * kPsPerMs, 0, 16, 8, Operation::read);
  expect(all[3], 700 * kPsPerMs, 0, 0, 0, Operation::flush);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].id, i);
}

TEST_F(WorkloadRecordedFormats, WaitMayAlsoMeanWhatFiosManualSays) {
  WorkloadParams params = params_of("t", kIolog2);
  params.iolog_keys.wait = IologParams::us_since_wait;
  params.time_scale = 10;
  const auto all = drain(*open(params), kPsPerUs);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[1].arrival, kPsPerUs);
  EXPECT_EQ(all[2].arrival, 5'000 * kPsPerUs);
  EXPECT_EQ(all[3].arrival, 12'000 * kPsPerUs) << "500 us and 700 us, times ten";
}

TEST_F(WorkloadRecordedFormats, IologOfVersionTwoMayHaveMoreInFlight) {
  WorkloadParams params =
      params_of("t", "fio version 2 iolog\n/f add\n/f open\n/f read 0 512\n/f read 512 512\n/f read 1024 512\n");
  params.iolog_keys.in_flight = 2;
  const auto source = open(params);
  Request a;
  Request b;
  Request c;
  ASSERT_EQ(source->next(a), Source::Next::request);
  ASSERT_EQ(source->next(b), Source::Next::request);
  EXPECT_EQ(b.arrival, 0);
  EXPECT_EQ(source->next(c), Source::Next::after_completion);
  source->completed(b, 9);
  ASSERT_EQ(source->next(c), Source::Next::request);
  EXPECT_EQ(c.arrival, 9);
  EXPECT_EQ(c.lbn, 2u);
  source->completed(a, 20);
  EXPECT_EQ(source->next(c), Source::Next::end);
}

// The events of one write that is queued, gets a request, is merged into, issued and completed, and what else
// blkparse prints.
constexpr const char* kBlkparse =
    "Input file sda.blktrace.0 added\n"
    "  8,0    3        1     0.000000000   697  A   W 223490 + 8 <- (8,1) 223427\n"
    "  8,0    3        2     0.000001829   697  Q   W 223490 + 8 [kjournald]\n"
    "  8,0    3        3     0.000004000   697  G   W 223490 + 8 [kjournald]\n"
    "  8,0    3        4     0.000005000   697  P   N [kjournald]\n"
    "  8,0    3        0     0.000005100     0  m   N cfq697 alloced\n"
    "  8,0    3        5     0.000005200   697  Q RSM 1000 + 16 [cat]\n"
    "  8,16   1        1     0.000006000   700  Q  RA 77 + 1 [dd]\n"
    "  8,0    3        6     0.000007000   697  I   W 223490 + 8 [kjournald]\n"
    "  8,0    3        7     0.000008000   697  U   N [kjournald] 1\n"
    "  8,0    3        8     0.000009000   697  D   W 223490 + 24 [kjournald]\n"
    "  8,0    3        9     0.500000001   697  Q FWFS 50 + 8 [jbd2/sda1-8]\n"
    "  8,0    3       10     0.600000000   697  Q FWS [jbd2/sda1-8]\n"
    "  8,0    3       11     0.700000000   697  Q WFS 60 + 8 [x]\n"
    "  8,0    3       12     0.800000000   697  Q  DS 0 + 2048 [fstrim]\n"
    "  8,0    3       13     0.810000000   697  Q   R 36 (12 00 00 00 24 00 ..) [smartd]\n"
    "  8,0    3       14     0.820000000   697  D  FN [kworker/0:1H]\n"
    "  8,0    3       15     0.900000000   697  C   W 223490 + 24 [0]\n"
    "CPU3 (8,0):\n"
    " Reads Queued:           1,        4KiB\t Writes Queued:           3,       12KiB\n"
    "\n"
    "Total (8,0):\n";

TEST_F(WorkloadRecordedFormats, BlkparseTakesWhatIsQueued) {
  const auto source = open(params_of("t", kBlkparse));
  const auto all = drain(*source);
  ASSERT_EQ(all.size(), 7u);
  expect(all[0], 1'829 * kPsPerNs, 0, 223'490, 8, Operation::write);
  expect(all[1], 5'200 * kPsPerNs, 0, 1000, 16, Operation::read);
  expect(all[2], 6'000 * kPsPerNs, 1, 77, 1, Operation::read);
  expect(all[3], 500'000'001 * kPsPerNs, 0, 0, 0, Operation::flush);  // F before W: a flush, then
  expect(all[4], 500'000'001 * kPsPerNs, 0, 50, 8, Operation::write);
  EXPECT_TRUE(all[4].fua);
  expect(all[5], 600 * kPsPerMs, 0, 0, 0, Operation::flush);
  expect(all[6], 700 * kPsPerMs, 0, 60, 8, Operation::write);
  EXPECT_TRUE(all[6].fua);
  EXPECT_FALSE(all[0].fua);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].id, i);
  EXPECT_EQ(source->dropped(), 2u) << "the discard and the SCSI command";
  EXPECT_EQ(source->device_name(0), "8,0");
  EXPECT_EQ(source->device_name(1), "8,16");
}

TEST_F(WorkloadRecordedFormats, BlkparseTakesWhatIsIssuedIfAKeySaysSo) {
  WorkloadParams params = params_of("t", kBlkparse);
  params.blkparse_keys.action = BlkparseParams::issued;
  const auto all = drain(*open(params));
  ASSERT_EQ(all.size(), 2u);
  expect(all[0], 9'000 * kPsPerNs, 0, 223'490, 24, Operation::write);
  expect(all[1], 820 * kPsPerMs, 0, 0, 0, Operation::flush);
}

TEST_F(WorkloadRecordedFormats, AFlushBeforeWrittenDataCountsAsARequestOfItsOwn) {
  WorkloadParams params = params_of("t", kBlkparse);
  params.limit = 4;
  EXPECT_EQ(drain(*open(params)).back().operation, Operation::flush);
  params.limit = 0;
  params.skip = 3;  // skips lines of requests: the flush goes with its write
  EXPECT_EQ(drain(*open(params)).at(0).operation, Operation::flush);
  EXPECT_EQ(drain(*open(params)).at(1).lbn, 50u);
}

class WorkloadBrokenRecordedLine : public ::testing::TestWithParam<Broken> {};

TEST_P(WorkloadBrokenRecordedLine, IsAnErrorThatNamesItsPlace) {
  testing::expect_error_with_its_place(GetParam());
}

constexpr auto kAuto = WorkloadParams::automatic;

const Broken kBroken[] = {
    {"MsrMissingField", kAuto, "128166372003061629,hm,0,Read,0,512,1\n128166372003061629,hm,0,Read,0,512\n", 2, 35,
     "6 of 7 fields: Timestamp,Hostname"},
    {"MsrFieldTooMany", kAuto, "128166372003061629,h,0,Read,0,512,1\n128166372003061629,h,0,Read,0,512,1,9\n", 2, 37,
     "'9' after the last of 7 fields"},
    {"MsrTimeGoesBack", kAuto, "128166372003061629,h,0,Read,0,512,1\n128166372003061628,h,0,Read,0,512,1\n", 2, 0,
     "time goes back: -0.000000100000 s after 0.000000000000 s"},
    {"MsrBrokenSector", kAuto, "128166372003061629,h,0,Read,100,512,1\n", 1, 29, "offset '100' is not a multiple"},
    {"MsrNoHost", WorkloadParams::msr, "128166372003061629,,0,Read,0,512,1\n", 1, 20, "host name is missing"},
    {"MsrResponse", WorkloadParams::msr, "128166372003061629,h,0,Read,0,512,x\n", 1, 35,
     "response time 'x' is not a number"},
    {"MsrSecondDisk", kAuto, "128166372003061629,h,0,Read,0,512,1\n128166372003061629,h,1,Read,0,512,1\n", 2, 0,
     "device 1 beside device 0"},

    {"IologVersionOne", WorkloadParams::iolog, "0, 0, 4096\n", 1, 0, "the first line of an iolog is"},
    {"IologVersionFour", kAuto, "fio version 4 iolog\n", 1, 0, "not 'fio version 4 iolog'"},
    {"IologNotAdded", kAuto, "fio version 2 iolog\n/f open\n", 2, 1, "file '/f' was not added: a line \"/f add\""},
    {"IologNotOpen", kAuto, "fio version 2 iolog\n/f add\n/f read 0 512\n", 3, 1, "file '/f' is not open"},
    {"IologClosed", kAuto, "fio version 2 iolog\n/f add\n/f open\n/f close\n/f read 0 512\n", 5, 1,
     "file '/f' is not open"},
    {"IologCloseTwice", kAuto, "fio version 2 iolog\n/f add\n/f close\n", 3, 1, "file '/f' is not open"},
    {"IologAction", kAuto, "fio version 2 iolog\n/f add\n/f open\n/f fly 0 512\n", 4, 0, "left out: operation fly (1)"},
    {"IologFileAction", kAuto, "fio version 2 iolog\n/f unlink\n", 2, 4, "action 'unlink' is none of add"},
    {"IologNoAction", kAuto, "fio version 2 iolog\n/f\n", 2, 3, "an action is missing: file action"},
    {"IologNoExtent", kAuto, "fio version 2 iolog\n/f add\n/f open\n/f read\n", 4, 8, "'read' needs an offset"},
    {"IologNoLength", kAuto, "fio version 2 iolog\n/f add\n/f open\n/f read 0\n", 4, 10, "an offset and no length"},
    {"IologFieldTooMany", kAuto, "fio version 2 iolog\n/f add\n/f open\n/f read 0 512 1\n", 4, 15,
     "'1' after offset and length"},
    {"IologLength", kAuto, "fio version 2 iolog\n/f add\n/f open\n/f read 0 0\n", 4, 11, "the request has no bytes"},
    {"IologTrim", kAuto, "fio version 2 iolog\n/f add\n/f open\n/f trim x 512\n", 4, 9, "offset 'x' is not a number"},
    {"IologWaitInThree", kAuto, "fio version 3 iolog\n0 /f wait 5 0\n", 2, 6, "version 3 of an iolog has no wait"},
    {"IologLongWait", kAuto, "fio version 2 iolog\n/f wait 8640000001 0\n", 2, 9, "wait '8640000001' ends after"},
    {"IologTimeMissing", kAuto, "fio version 3 iolog\n/f add\n", 2, 7, "an action is missing: time file action"},
    {"IologTimeBad", kAuto, "fio version 3 iolog\nx /f add\n", 2, 1, "time 'x' is not a number"},
    {"IologTimeFraction", kAuto, "fio version 3 iolog\n1.5 /f add\n", 2, 1, "time '1.5' is not a whole number"},
    {"IologTimeGoesBack", kAuto, "fio version 3 iolog\n0 /f add\n0 /f open\n9 /f read 0 512\n8 /f read 0 512\n", 5, 0,
     "time goes back"},
    {"IologSecondFile", kAuto, "fio version 2 iolog\n/f add\n/g add\n/f open\n/g open\n/f read 0 512\n/g read 0 512\n",
     7, 0, "device 1 (/g) beside device 0 (/f)"},
    {"IologReturnsAlone", kAuto, "fio version 2 iolog\r/f add\r/f open\r/f read 0 512\r", 1, 20,
     "a carriage return within the line"},
    {"IologNothing", kAuto, "fio version 2 iolog\n/f add\n", 2, 0, "no request is left of the trace's 2 lines"},

    {"BlkparseDevice", kAuto, "8,0 0 1 0.0 1 Q R 0 + 8 [a]\n80 0 1 0.0 1 Q R 0 + 8 [a]\n", 2, 1,
     "'80' is not a device (major,minor)"},
    {"BlkparseMinor", WorkloadParams::blkparse, "8,x 0 1 0.0 1 Q R 0 + 8 [a]\n", 1, 3,
     "minor device number 'x' is not a number"},
    {"BlkparseCpu", WorkloadParams::blkparse, "8,0 -1 1 0.0 1 Q R 0 + 8 [a]\n", 1, 5, "processor '-1' is negative"},
    {"BlkparseTime", WorkloadParams::blkparse, "8,0 0 1 zero 1 Q R 0 + 8 [a]\n", 1, 9, "time 'zero' is not a number"},
    {"BlkparseAction", WorkloadParams::blkparse, "8,0 0 1 0.0 1 Z R 0 + 8 [a]\n", 1, 15,
     "action 'Z' is none of blkparse's"},
    {"BlkparseCutOff", kAuto, "8,0 0 1 0.0 1 Q R 0 + 8 [a]\n8,0 0 1 0.0 1\n", 2, 14, "action '' is none"},
    {"BlkparseRwbs", kAuto, "8,0 0 1 0.0 1 Q 7 0 + 8 [a]\n", 1, 17, "'7' is not made of the letters of an operation"},
    {"BlkparseRwbsLetter", kAuto, "8,0 0 1 0.0 1 Q RQ 0 + 8 [a]\n", 1, 0, "left out: operation RQ (1)"},
    {"BlkparsePlus", kAuto, "8,0 0 1 0.0 1 Q R 0 / 8 [a]\n", 1, 21, "'/' in place of the +"},
    {"BlkparseSize", kAuto, "8,0 0 1 0.0 1 Q R 0 + 0 [a]\n", 1, 23, "the request has no sectors"},
    {"BlkparseNoSize", kAuto, "8,0 0 1 0.0 1 Q R 0 +\n", 1, 22, "size is missing"},
    {"BlkparseTimeGoesBack", kAuto, "8,0 0 1 0.2 1 Q R 0 + 8 [a]\n8,0 0 1 0.1 1 Q R 0 + 8 [a]\n", 2, 0,
     "time goes back"},
    {"BlkparseReturnsAlone", kAuto, "8,0 0 1 0.1 1 Q R 0 + 8 [a]\r8,0 0 2 0.2 1 Q R 8 + 8 [a]\r", 1, 28,
     "a carriage return within the line"},
    {"BlkparseNothing", kAuto, "8,0 0 1 0.2 1 C R 0 + 8 [a]\n", 1, 0, "no request is left of the trace's 1 lines"},
};

INSTANTIATE_TEST_SUITE_P(Each, WorkloadBrokenRecordedLine, ::testing::ValuesIn(kBroken),
                         [](const auto& tested) { return std::string(tested.param.what); });

// Found by fuzzing: names went into messages as they were, and a terminal obeys control characters.
TEST(WorkloadMessages, HoldNoControlCharactersOfABrokenFile) {
  const char* const files[] = {
      "time_ms,rw,lba,\x1b[2Jsize_sectors\n1,R,8,8\n",
      "time_ms,rw,\alba,lbn\a,size_sectors\n1,R,8,8,8\n",
      "\btime_ms,rw,lba,sectors\n",
      "time_\v,rw,lba,sectors\n",
      "time_ms,rw,lba,time_\x7fms\n",
      "fio version 2 iolog\n/\x1b[2J open\n",
      "fio version 3 iolog\n0 /\x1b add\n0 /g add\n0 /\x1b open\n0 /g open\n1 /g read 0 512\n2 /\x1b read 0 512\n",
      "8,0 0 1 0.0 1 \x01 R 0 + 8 [a]\n",
  };
  for (const char* const text : files) {
    const testing::TraceDirectory directory;
    directory.write("t", text);
    try {
      drain(*make_source(trace_params("t"), 1, 1'000'000, directory.path()));
      ADD_FAILURE() << "no error for " << text;
    } catch (const InputError& error) {
      for (const char c : std::string(error.what())) EXPECT_TRUE(c >= ' ' && c <= '~') << static_cast<int>(c);
    }
  }
}

}  // namespace
}  // namespace armature::workload::workload_msr_iolog_blkparse_test
