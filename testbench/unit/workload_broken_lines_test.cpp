// Every class of broken line: the error names file, line and column and says what is wrong.
#include "armature/workload/params.h"
#include "support/broken_trace.h"
#include "support/trace_files.h"

#include <gtest/gtest.h>

namespace armature::workload {
namespace {

using Broken = testing::BrokenTrace;
using testing::drain;
using testing::trace_params;

class WorkloadBrokenLine : public ::testing::TestWithParam<Broken> {};

TEST_P(WorkloadBrokenLine, IsAnErrorThatNamesItsPlace) {
  testing::expect_error_with_its_place(GetParam());
}

constexpr auto kSpc = WorkloadParams::spc;
constexpr auto kDisksim = WorkloadParams::disksim;
constexpr auto kSsdsim = WorkloadParams::ssdsim;
constexpr auto kValidate = WorkloadParams::validate;
constexpr auto kCsv = WorkloadParams::csv;

const Broken kBroken[] = {
    {"SpcMissingField", kSpc, "0,1,512,R,0\n0,1,512,R\n", 2, 10, "4 of 5 fields: ASU,LBA,bytes,op,seconds"},
    {"SpcEmptyField", kSpc, "0,,512,R,0\n", 1, 3, "LBA is missing"},
    {"SpcNegativeLba", kSpc, "#c\n\n0,-1,512,R,0\n", 3, 3, "LBA '-1' is negative"},
    {"SpcHugeLba", kSpc, "0,18446744073709551615,512,R,0\n", 1, 3, "LBA '18446744073709551615' is too large"},
    {"SpcOverflowingLba", kSpc, "0,18446744073709551616,512,R,0\n", 1, 3, "LBA '18446744073709551616' is too large"},
    {"SpcFractionOfLba", kSpc, "0,1.5,512,R,0\n", 1, 3, "LBA '1.5' is not a number"},
    {"SpcZeroSize", kSpc, "0,1,0,R,0\n", 1, 5, "the request has no bytes"},
    {"SpcNegativeSize", kSpc, "0,1,-512,R,0\n", 1, 5, "size '-512' is negative"},
    {"SpcBrokenSector", kSpc, "0,1,513,R,0\n", 1, 5, "size '513' is not a multiple of 512 bytes"},
    {"SpcHugeSize", kSpc, "0,1,33554944,R,0\n", 1, 5, "size '33554944' is too large: a request has 65536 sectors"},
    {"SpcGarbageOp", kSpc, "0,1,512,X,0\n", 1, 0, "left out: operation X (1)"},
    {"SpcTimeGoesBack", kSpc, "0,1,512,R,2.5\n0,1,512,R,2.4999999\n", 2, 0,
     "time goes back: 2.499999900000 s after 2.500000000000 s"},
    {"SpcNegativeTime", kSpc, "0,1,512,R,-0.5\n", 1, 11, "time '-0.5' is negative"},
    {"SpcGarbageTime", kSpc, "0,1,512,R,soon\n", 1, 11, "time 'soon' is not a number"},
    {"SpcTimeWithRest", kSpc, "0,1,512,R,1.0s\n", 1, 11, "time '1.0s' is not a number"},
    {"SpcInfiniteTime", kSpc, "0,1,512,R,inf\n", 1, 11, "time 'inf' is not a number"},
    {"SpcTimeAfterTheEnd", kSpc, "0,1,512,R,8640001\n", 1, 0, "the simulation ends at 100 days"},

    {"DisksimMissingField", kDisksim, "1.0 0 1 8 1\n1.0 0 1 8\n", 2, 10, "4 of 5 fields"},
    {"DisksimFieldTooMany", kDisksim, "1.0 0 1 8 1 7\n", 1, 13, "'7' after the last of 5 fields"},
    {"DisksimZeroSize", kDisksim, "1.0 0 1 0 1\n", 1, 9, "the request has no sectors"},
    {"DisksimHugeSize", kDisksim, "1.0 0 1 65537 1\n", 1, 9, "size '65537' is too large"},
    {"DisksimOverflowingSize", kDisksim, "1.0 0 1 99999999999999999999 1\n", 1, 9, "is too large"},
    {"DisksimNegativeDevice", kDisksim, "1.0 -2 1 8 1\n", 1, 5, "device '-2' is negative"},
    {"DisksimGarbageFlags", kDisksim, "1.0 0 1 8 R\n", 1, 11, "flags 'R' are not a hexadecimal number"},
    {"DisksimTimeGoesBack", kDisksim, "2.0 0 1 8 1\n\n1.999999 0 1 8 1\n", 3, 0, "time goes back"},
    {"DisksimOverflowingTime", kDisksim, "99999999999999999999 0 1 8 1\n", 1, 1, "is too large"},
    {"DisksimOverflowingExponent", kDisksim, "1e30 0 1 8 1\n", 1, 1, "time '1e30' is too large"},
    {"DisksimEndOfAddresses", kDisksim, "1.0 0 9223372036854775807 8 1\n", 1, 7,
     "address '9223372036854775807' is too large"},
    {"DisksimOutsideTheDrive", kDisksim, "1.0 0 0 8 1\n1.5 0 999993 8 1\n", 2, 0,
     "LBN 999993 and 8 sectors are outside the drive of 1000000 sectors"},
    {"DisksimSecondDevice", kDisksim, "1.0 3 0 8 1\n1.5 4 0 8 1\n", 2, 0, "device 4 beside device 3"},
    {"DisksimBinary", kDisksim, "\x01\x02\x03\n", 1, 4, "1 of 5 fields"},

    {"SsdsimGarbageOp", kSsdsim, "1 0 1 8 x\n", 1, 9, "operation 'x' is neither 0 (write) nor 1 (read)"},
    {"SsdsimTimeGoesBack", kSsdsim, "2 0 1 8 1\n1 0 1 8 1\n", 2, 0, "time goes back"},
    {"SsdsimZeroSize", kSsdsim, "1 0 1 0 1\n", 1, 7, "the request has no sectors"},

    {"ValidateMissingField", kValidate, "R Hit 1 8 100.0\n", 1, 16, "5 of 6 fields"},
    {"ValidateGarbageOp", kValidate, "Q Hit 1 8 100.0 1.0\n", 1, 0, "left out: operation Q (1)"},
    {"ValidateNoOutcome", kValidate, "R 1 8 100.0 1.0 2.0\n", 1, 3, "outcome '1' is not a word"},
    {"ValidateNegativeThink", kValidate, "R Hit 1 8 100.0 -1.0\n", 1, 17, "think time '-1.0' is negative"},
    {"ValidateNegativeMeasured", kValidate, "R Hit 1 8 -100.0 1.0\n", 1, 11, "measured time '-100.0' is negative"},
    {"ValidateHugeThink", kValidate, "R Hit 1 8 100.0 1e15\n", 1, 17, "think time '1e15' is too large"},
    {"ValidateThinksPastTheEnd", kValidate, "R Hit 1 8 9 5e12\nR Hit 1 8 9 5e12\nR Hit 1 8 9 1\n", 3, 0,
     "end after the simulation, which lasts 100 days"},
    {"ValidateZeroSize", kValidate, "R Hit 1 0 100.0 1.0\n", 1, 9, "the request has no sectors"},

    {"CsvNoHeader", kCsv, "1,0,8,R\n", 1, 0, "the first line does not name the columns"},
    {"CsvNoTime", kCsv, "lbn,sectors,op\n1,8,R\n", 1, 0,
     "no column is the time of a request; columns.time can name it"},
    {"CsvNoSize", kCsv, "time_s,lbn,op\n", 1, 0, "no column is the size"},
    {"CsvTwoAddresses", kCsv, "time_s,lbn,offset_bytes,sectors,op\n", 1, 0,
     "columns 'lbn' and 'offset_bytes' both give the address"},
    {"CsvTimeWithoutUnit", kCsv, "#x\ntime,lbn,sectors,op\n7,1,8,R\n", 3, 0, "say it with columns.time_unit"},
    {"CsvSizeWithoutUnit", kCsv, "time_s,lbn,size,op\n", 1, 0, "say it with columns.size_unit"},
    {"CsvMissingField", kCsv, "time_s,lbn,sectors,op\n0,1,8,R\n0,1,8\n", 3, 0, "3 fields, the header names 4"},
    {"CsvFieldTooMany", kCsv, "time_s,lbn,sectors,op\n0,1,8,R,\n", 2, 0, "5 fields, the header names 4"},
    {"CsvGarbageOp", kCsv, "time_s,lbn,sectors,op\n0,1,8,trim\n", 2, 0, "left out: operation trim (1)"},
    {"CsvOpWithoutMeaning", kCsv, "time_s,lbn,sectors,op\n0,1,8,1\n", 2, 7,
     "columns.op_numbers says what numbers mean"},
    {"CsvNoOp", kCsv, "time_s,lbn,sectors,op\n0,1,8,\n", 2, 0, "left out: blank operation (1)"},
    {"CsvGarbageFlag", kCsv, "time_s,lbn,sectors,op,flags\n0,1,8,R,sync\n", 2, 9, "flag 'sync' is unknown"},
    {"CsvNegativeAddress", kCsv, "time_s,lbn,sectors,op\n0,-7,8,R\n", 2, 3, "address '-7' is negative"},
    {"CsvBrokenOffset", kCsv, "time_s,offset_bytes,bytes,op\n0,100,512,R\n", 2, 3,
     "offset '100' is not a multiple of 512 bytes (round_to_sectors = true"},
    {"CsvOverflowingOffset", kCsv, "time_s,offset_bytes,bytes,op\n0,18446744073709551104,1024,R\n", 2, 3,
     "address '18446744073709551104' is too large"},
    {"CsvOverflowingMixedAddress", kCsv, "time_s,lbn,bytes,op\n0,36028797018963968,512,R\n", 2, 3,
     "address '36028797018963968' is too large"},
    {"CsvOverflowingMixedSize", kCsv, "time_s,offset_bytes,sectors,op\n0,0,36028797018963969,R\n", 2, 5,
     "size '36028797018963969' is too large"},
    {"CsvTimeGoesBack", kCsv, "time_us,lbn,sectors,op\n5,1,8,R\n4,1,8,R\n", 3, 0, "time goes back"},
    {"CsvQuotedSeparator", kCsv, "time_us,lbn,sectors,op\n5,1,8,\"R\n", 2, 7,
     "begins with a quote that does not end it"},

    {"UnknownFormat", WorkloadParams::automatic, "hello world\n", 1, 0,
     "the format of the trace is not known by its first line 'hello world'"},
};

INSTANTIATE_TEST_SUITE_P(Each, WorkloadBrokenLine, ::testing::ValuesIn(kBroken),
                         [](const auto& tested) { return std::string(tested.param.what); });

TEST(WorkloadBrokenLines, AreFoundAlsoWhereNothingIsTaken) {
  const testing::TraceDirectory directory;
  directory.write("t.trace", "1.0 0 1 8 1\nbroken\n2.0 7 1 8 1\n");
  WorkloadParams params = trace_params("t.trace");
  params.devices = {7};
  const auto source = make_source(params, 1, 0, directory.path());
  EXPECT_THROW(drain(*source), InputError);
}

TEST(WorkloadBrokenLines, ALineWithoutEndIsAnErrorAndNotALoadOfMemory) {
  const testing::TraceDirectory directory;
  directory.write("t.trace", "1.0 0 1 8 1\n" + std::string(3'000'000, 'x'));
  Request request;
  const auto source = make_source(trace_params("t.trace"), 1, 0, directory.path());
  ASSERT_EQ(source->next(request), Source::Next::request);
  try {
    source->next(request);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.place().line, 2u);
    EXPECT_NE(std::string(error.what()).find("longer than 65536 bytes"), std::string::npos);
  }
}

/// Also in a column that no key names.
TEST(WorkloadBrokenLines, AByteOfValueZeroIsDamage) {
  const testing::TraceDirectory directory;
  using namespace std::string_literals;
  directory.write("t.csv", "note,time_s,lbn,sectors,op\na,0,1,8,R\n\0b,1,1,8,R\n"s);
  Request request;
  const auto source = make_source(trace_params("t.csv"), 1, 0, directory.path());
  ASSERT_EQ(source->next(request), Source::Next::request);
  try {
    source->next(request);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.place().line, 3u);
    EXPECT_NE(std::string(error.what()).find("byte of value 0"), std::string::npos);
  }
}

TEST(WorkloadBrokenLines, WidenToWholeSectorsIfThatIsAsked) {
  const testing::TraceDirectory directory;
  directory.write("t.csv",
                  "time_s,offset_bytes,size_bytes,op\n"
                  "0,100,100,R\n"
                  "0,511,2,W\n"
                  "0,1024,512,R\n"
                  "0,1023,514,R\n");
  WorkloadParams params = trace_params("t.csv");
  params.round_to_sectors = true;
  const auto all = drain(*make_source(params, 1, 0, directory.path()));
  ASSERT_EQ(all.size(), 4u);
  const std::uint64_t expected[][2] = {{0, 1}, {0, 2}, {2, 1}, {1, 3}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].lbn, expected[i][0]) << i;
    EXPECT_EQ(all[i].sectors, expected[i][1]) << i;
  }
}

}  // namespace
}  // namespace armature::workload
