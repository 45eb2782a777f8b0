// Each format on files made by hand: every field, both operations, what auto-detection takes them for.
#include "armature/workload/params.h"
#include "support/trace_files.h"

#include <gtest/gtest.h>

namespace armature::workload::workload_formats_test {
namespace {

using testing::drain;
using testing::trace_params;

class WorkloadFormats : public ::testing::Test {
 protected:
  std::unique_ptr<Source> open(const std::string& file, const std::string& content,
                               WorkloadParams::Format format = WorkloadParams::automatic) {
    directory_.write(file, content);
    WorkloadParams params = trace_params(file, format);
    params.device_layout = WorkloadParams::overlay;
    return make_source(params, 1, 0, directory_.path());
  }
  std::vector<Request> requests(const std::string& file, const std::string& content,
                                WorkloadParams::Format format = WorkloadParams::automatic) {
    return drain(*open(file, content, format));
  }

  testing::TraceDirectory directory_;
};

void expect(const Request& r, std::uint64_t id, Ps arrival, std::uint32_t device, std::uint64_t lbn,
            std::uint32_t sectors, Operation operation) {
  EXPECT_EQ(r.id, id);
  EXPECT_EQ(r.arrival, arrival);
  EXPECT_EQ(r.device, device);
  EXPECT_EQ(r.lbn, lbn);
  EXPECT_EQ(r.sectors, sectors);
  EXPECT_EQ(r.operation, operation);
  EXPECT_FALSE(r.fua);
}

// The lines of the specification's example: ASU 0 and 1, bytes, either case, an optional field.
constexpr const char* kSpc =
    "0,20941264,8192,W,0.551706\n"
    "1,20939840,16384,r,0.554041\n"
    "0, 3072 , 512,R, 0.556202,optional,fields\n"
    "0,5,512,w,1\n";

TEST_F(WorkloadFormats, SpcCountsBytesAndSeconds) {
  const auto all = requests("Financial1.spc", kSpc);
  ASSERT_EQ(all.size(), 4u);
  expect(all[0], 0, 551'706'000'000, 0, 20'941'264, 16, Operation::write);
  expect(all[1], 1, 554'041'000'000, 1, 20'939'840, 32, Operation::read);
  expect(all[2], 2, 556'202'000'000, 0, 3072, 1, Operation::read);
  expect(all[3], 3, kPsPerSecond, 0, 5, 1, Operation::write);
  EXPECT_EQ(all[0].measured_response, -1);
}

TEST_F(WorkloadFormats, SpcIsKnownByItsContentWhateverTheName) {
  EXPECT_EQ(requests("trace.csv", kSpc).size(), 4u);
  EXPECT_EQ(requests("trace", kSpc).size(), 4u);
}

TEST_F(WorkloadFormats, DisksimCountsMillisecondsAndSetsBitZeroForARead) {
  const auto all = requests("t.trace",
                            "382.454964 0 7451656 8 0\n"
                            "526.964182 3 4544080 128 1\n"
                            "  526.964182\t3 0 1 11  \n"
                            "1e3 0 4 2 0x3\n");
  ASSERT_EQ(all.size(), 4u);
  expect(all[0], 0, 382'454'964'000, 0, 7'451'656, 8, Operation::write);
  expect(all[1], 1, 526'964'182'000, 3, 4'544'080, 128, Operation::read);
  expect(all[2], 2, 526'964'182'000, 3, 0, 1, Operation::read);  // 11 hexadecimal: bit 0 and DiskSim's bit 4
  expect(all[3], 3, kPsPerSecond, 0, 4, 2, Operation::read);
}

TEST_F(WorkloadFormats, SsdsimCountsNanosecondsAndOneIsARead) {
  const auto all = requests("financial.ssdsim.trace", "0 0 303567 7 0\n26214000 21 55590 6 1\n");
  ASSERT_EQ(all.size(), 2u);
  expect(all[0], 0, 0, 0, 303'567, 7, Operation::write);
  expect(all[1], 1, 26'214'000'000, 21, 55'590, 6, Operation::read);
  EXPECT_EQ(requests("web.mqsim.trace", "1 0 1 1 1\n").at(0).arrival, 1000);
  EXPECT_EQ(requests("t.trace", "1 0 1 1 1\n", WorkloadParams::ssdsim).at(0).arrival, 1000);
  EXPECT_EQ(requests("t.trace", "1 0 1 1 1\n", WorkloadParams::disksim).at(0).arrival, kPsPerMs);
}

TEST_F(WorkloadFormats, WholeTimesMayBeDisksimsOrSsdsimsAndThatIsAsked) {
  try {
    requests("t.trace", "1 0 1 1 1\n");
    FAIL() << "took a guess";
  } catch (const InputError& error) {
    EXPECT_EQ(error.place().file, directory_.path_of("t.trace"));
    EXPECT_NE(std::string(error.what()).find("format = \"disksim\" or \"ssdsim\""), std::string::npos) << error.what();
  }
}

TEST_F(WorkloadFormats, ValidateIsAClosedLoopOfOne) {
  const auto source = open("atlas.trace",
                           "W Hit    4583176   4    663.00000  45422.00000\n"
                           "R Miss   3962268  12   6657.50000  64047.00000\n"
                           "R Hit 265552 2 14901.000000 4757.708232\n");
  Request request;
  ASSERT_EQ(source->next(request), Source::Next::request);
  expect(request, 0, 0, 0, 4'583'176, 4, Operation::write);
  EXPECT_EQ(request.measured_response, 663 * kPsPerUs);
  const Request first = request;
  EXPECT_EQ(source->next(request), Source::Next::after_completion);
  EXPECT_EQ(source->next(request), Source::Next::after_completion);
  EXPECT_EQ(request.id, first.id) << "the request is left alone without a new one";

  source->completed(first, 700 * kPsPerUs);
  ASSERT_EQ(source->next(request), Source::Next::request);
  expect(request, 1, (700 + 45'422) * kPsPerUs, 0, 3'962'268, 12, Operation::read);
  EXPECT_EQ(request.measured_response, 6'657'500'000);
  EXPECT_EQ(source->next(request), Source::Next::after_completion);

  source->completed(request, kPsPerSecond);
  ASSERT_EQ(source->next(request), Source::Next::request);
  expect(request, 2, kPsPerSecond + 64'047 * kPsPerUs, 0, 265'552, 2, Operation::read);
  source->completed(request, 2 * kPsPerSecond);
  EXPECT_EQ(source->next(request), Source::Next::end);
  EXPECT_EQ(source->next(request), Source::Next::end) << "and stays at the end";
}

TEST_F(WorkloadFormats, ArmaturesOwnCsvSaysWhatItsColumnsAre) {
  const auto all = requests("own.csv",
                            "# recorded by nobody : time_ms,lbn,sectors,op\n"
                            "# phase 0.0 start\n"
                            "time_s,device,lbn,sectors,op,flags,measured_us\n"
                            "0.000000,0,12345,8,R,,1500\n"
                            "0.000001,1,0,65536,Write,fua,\n"
                            "# a comment in between\n"
                            "\n"
                            "2.5,0,,,F,,250.5\n"
                            "2.5,0,,0,flush,-,\n"
                            "3e0,0,7,1,read,FUA,0\n");
  ASSERT_EQ(all.size(), 5u);
  expect(all[0], 0, 0, 0, 12'345, 8, Operation::read);
  EXPECT_EQ(all[0].measured_response, 1500 * kPsPerUs);
  EXPECT_EQ(all[1].arrival, kPsPerUs);
  EXPECT_EQ(all[1].device, 1u);
  EXPECT_EQ(all[1].sectors, 65'536u);
  EXPECT_EQ(all[1].operation, Operation::write);
  EXPECT_TRUE(all[1].fua);
  EXPECT_EQ(all[1].measured_response, -1);
  expect(all[2], 2, 2'500 * kPsPerMs, 0, 0, 0, Operation::flush);
  EXPECT_EQ(all[2].measured_response, 250'500'000);
  expect(all[3], 3, 2'500 * kPsPerMs, 0, 0, 0, Operation::flush);
  EXPECT_TRUE(all[4].fua);
  EXPECT_EQ(all[4].measured_response, 0);
}

TEST_F(WorkloadFormats, LineEndsOfDosAByteOrderMarkAndAMissingLastLineEndChangeNothing) {
  const auto all =
      requests("dos.csv", "\xEF\xBB\xBFtime_us,op,offset_bytes,size_bytes\r\n1,R,4096,512\r\n2,W,8192,1024");
  ASSERT_EQ(all.size(), 2u);
  expect(all[0], 0, kPsPerUs, 0, 8, 1, Operation::read);
  expect(all[1], 1, 2 * kPsPerUs, 0, 16, 2, Operation::write);
}

TEST_F(WorkloadFormats, AFileOfManyBlocksIsReadWithoutLosingALine) {
  // Lines of changing length, so that every position within a block becomes a block's end somewhere.
  std::string text;
  std::uint64_t sum = 0;
  constexpr int kLines = 200'000;
  for (int i = 0; i < kLines; ++i) {
    const std::uint64_t lbn = static_cast<std::uint64_t>(i) * (i % 7 == 0 ? 1'000'003 : 1);
    sum += lbn;
    text += std::to_string(i) + ".5 0 " + std::to_string(lbn) + " 8 " + (i % 3 == 0 ? "0" : "1") + "\n";
  }
  ASSERT_GT(text.size(), std::size_t{4} << 20);
  const auto source = open("long.trace", text);
  Request request;
  std::uint64_t lbns = 0;
  int n = 0;
  double fraction = source->fraction_read();
  for (; source->next(request) == Source::Next::request; ++n) {
    ASSERT_EQ(request.arrival, n * kPsPerMs + kPsPerMs / 2);
    lbns += request.lbn;
    ASSERT_GE(source->fraction_read(), fraction);
    fraction = source->fraction_read();
  }
  EXPECT_EQ(n, kLines);
  EXPECT_EQ(lbns, sum);
  EXPECT_EQ(fraction, 1);
}

}  // namespace
}  // namespace armature::workload::workload_formats_test
