// Traces as they are found: each reader leaves out and counts what neither reads nor writes nor flushes, takes devices
// by name and hexadecimal numbers, and says how it reads the file.
#include "armature/workload/params.h"
#include "armature/workload/remarks.h"
#include "support/trace_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature::workload {
namespace {

using ::testing::AllOf;
using testing::drain;
using ::testing::HasSubstr;
using testing::trace_params;

class WorkloadForeignTraces : public ::testing::Test {
 protected:
  WorkloadForeignTraces() {
    params_.device_layout = WorkloadParams::overlay;
    params_.time_zero = WorkloadParams::first_request;
  }
  std::vector<Request> read(const std::string& text) {
    directory_.write(params_.file, text);
    source_ = make_source(params_, 1, 0, directory_.path());
    return drain(*source_);
  }
  std::string error(const std::string& text) {
    try {
      read(text);
    } catch (const InputError& e) {
      return e.what();
    }
    ADD_FAILURE() << "no error";
    return {};
  }
  std::string left_out() const { return left_out_text(*source_); }

  testing::TraceDirectory directory_;
  WorkloadParams params_ = trace_params("t.txt");
  std::unique_ptr<Source> source_;
};

void expect(const Request& r, Ps arrival, std::uint32_t device, std::uint64_t lbn, std::uint32_t sectors,
            Operation operation) {
  EXPECT_EQ(r.arrival, arrival);
  EXPECT_EQ(r.device, device);
  EXPECT_EQ(r.lbn, lbn);
  EXPECT_EQ(r.sectors, sectors);
  EXPECT_EQ(r.operation, operation);
}

// Blank types are part of the format of the LUN traces of SYSTOR '17.
constexpr const char* kLuns =
    "Timestamp,Response,IOType,LUN,Offset,Size\n"
    "1460000000.000118000,0.001200,W,0,4096,4096\n"
    "1460000000.100200000,0.000900,R,0,8192,8192\n"
    "1460000001.200300000,0.001000,,0,16384,4096\n"
    "1460000002.300400000,0.000800,R,3,4096,4096\n";

TEST_F(WorkloadForeignTraces, LunTracesAreReadByTheirHeaderAndBlankTypesCounted) {
  const auto all = read(kLuns);
  ASSERT_EQ(all.size(), 3u);
  expect(all[0], 0, 0, 8, 8, Operation::write);
  expect(all[1], 100'082 * kPsPerUs, 0, 16, 16, Operation::read);
  expect(all[2], 2'300'282 * kPsPerUs, 3, 8, 8, Operation::read);
  EXPECT_EQ(all[2].measured_response, 800 * kPsPerUs);
  EXPECT_EQ(left_out(), "1 request of the input was left out: blank operation (1)");
  EXPECT_THAT(source_->reading(), AllOf(HasSubstr("SYSTOR '17"), HasSubstr("time 'Timestamp' in s"),
                                        HasSubstr("address 'Offset' in B"), HasSubstr("response 'Response' in s")));
  params_.columns.time_unit = ColumnParams::seconds;
  params_.columns.measured_unit = ColumnParams::seconds;
  params_.columns.op = "IOType";
  params_.columns.device = "LUN";
  params_.columns.address_unit = ColumnParams::bytes;
  params_.columns.size_unit = ColumnParams::bytes;
  EXPECT_EQ(read(kLuns).size(), 3u);
}

TEST_F(WorkloadForeignTraces, EveryFormatLeavesOutOtherOperationsAndCountsThem) {
  const std::pair<WorkloadParams::Format, const char*> files[] = {
      {WorkloadParams::spc, "0,0,512,r,0\n0,8,512,T,1\n0,8,512,W,2\n"},
      {WorkloadParams::ssdsim, "0 0 1 8 1\n1 0 1 8 2\n2 0 1 8 0\n"},
      {WorkloadParams::msr,
       "128166372003061629,hm,0,Read,0,512,1\n128166372003061630,hm,0,Trim,0,512,1\n"
       "128166372003061631,hm,0,Write,0,512,1\n"},
      {WorkloadParams::validate, "R Hit 1 8 100.0 1.0\nU Hit 1 8 100.0 1.0\nW Hit 1 8 100.0 1.0\n"},
      {WorkloadParams::iolog,
       "fio version 3 iolog\n0 /f add\n0 /f open\n1 /f read 0 512\n2 /f verify 0 512\n3 /f write 0 512\n"},
      {WorkloadParams::blkparse,
       "8,0 0 1 0.0 1 Q R 0 + 8 [a]\n8,0 0 1 0.0 1 Q ZR 0 + 8 [a]\n8,0 0 1 0.0 1 Q W 0 + 8 [a]\n"},
      {WorkloadParams::ftrace,
       "a-1 [000] 1.000000: block_rq_issue: 8,0 R 4096 () 0 + 8 [a]\n"
       "a-1 [000] 1.000001: block_rq_issue: 8,0 DS 4096 () 0 + 8 [a]\n"
       "a-1 [000] 1.000002: block_rq_issue: 8,0 W 4096 () 0 + 8 [a]\n"},
      {WorkloadParams::csv, "time_s,lbn,sectors,op\n0,1,8,R\n0,1,8,unmap\n1,1,8,Write\n"},
  };
  for (const auto& [format, text] : files) {
    params_.format = format;
    const auto all = read(text);
    ASSERT_EQ(all.size(), 2u) << text;
    EXPECT_EQ(all[0].operation, Operation::read);
    EXPECT_EQ(all[1].operation, Operation::write);
    EXPECT_EQ(source_->dropped(), 1u) << text;
    EXPECT_THAT(left_out(), HasSubstr("1 request of the input was left out: operation ")) << text;
    EXPECT_THAT(source_->reading(), HasSubstr("(workload.format)"));
  }
  params_.format = WorkloadParams::csv;
  params_.out_of_range = WorkloadParams::drop;
  directory_.write("t.txt", "time_s,lbn,sectors,op\n0,1,8,trim\n0,1,8,R\n0,1,8,trim\n0,1,8,trim\n0,1,8,\n0,9999,8,R\n");
  source_ = make_source(params_, 1, 1000, directory_.path());
  EXPECT_EQ(drain(*source_).size(), 1u);
  EXPECT_EQ(left_out(),
            "5 requests of the input were left out: operation trim (3), blank operation (1), outside the drive (1)");
  EXPECT_THAT(error("time_s,lbn,sectors,op\n0,1,8,trim\n0,1,8,\n"),
              HasSubstr("no request is left of the trace's 3 lines"));
  EXPECT_THAT(error("time_s,lbn,sectors,op\n0,1,8,trim\n0,1,8,\n"),
              HasSubstr("left out: operation trim (1), blank operation (1)"));
}

TEST_F(WorkloadForeignTraces, WordsForOperationsAreKnown) {
  const std::pair<const char*, int> words[] = {{"DiskRead", 0},
                                               {"DiskWrite", 1},
                                               {"DiskFlush", 2},
                                               {"read", 0},
                                               {"WRITE", 1},
                                               {"READ(10)", 0},
                                               {"WRITE_16", 1},
                                               {"IRP_MJ_READ", 0},
                                               {"IRP_MJ_WRITE", 1},
                                               {"REQ_OP_READ", 0},
                                               {"nvme_cmd_write", 1},
                                               {"fsync", 2},
                                               {"sync", 2},
                                               {"FF", 2},
                                               {"WS", 1},
                                               {"RAM", 0},
                                               {"RSM", 0},
                                               {"F", 2},
                                               {"READ DMA EXT", 0},
                                               {"WRITE FPDMA QUEUED", 1},
                                               {"SYNCHRONIZE CACHE", 2},
                                               {"Flush Cache", 2},
                                               {"DiskReadInit", 3},
                                               {"WRITE SAME", 3},
                                               {"READ CAPACITY", 3},
                                               {"discard", 3},
                                               {"D", 3},
                                               {"WZ", 3},
                                               {"write zeroes", 3},
                                               {"-", 3},
                                               {"metadata", 3},
                                               {"2a", 1},
                                               {"12", 3},
                                               {"0x28", 0}};
  for (const auto& [word, operation] : words) {
    const auto all = read(std::string("time_s,lbn,sectors,op\n0,1,8,R\n1,1,8,") + word + "\n");
    ASSERT_EQ(all.size(), operation == 3 ? 1u : 2u) << word;
    constexpr Operation kOperations[] = {Operation::read, Operation::write, Operation::flush};
    if (operation == 3) continue;
    EXPECT_EQ(all[1].operation, kOperations[operation]) << word;
  }
  const auto fua = read("time_s,lbn,sectors,rwbs\n0,1,8,WFS\n1,1,8,FW\n");
  ASSERT_EQ(fua.size(), 3u);
  EXPECT_TRUE(fua[0].fua);
  EXPECT_EQ(fua[1].operation, Operation::flush);
}

// bcc's biosnoop and perf-tools' iosnoop.
TEST_F(WorkloadForeignTraces, TablesOfSnoopersAreReadWithNamesOfDevicesAndOfCommands) {
  const char* const snoop =
      "TIME(s)     COMM           PID     DISK      T SECTOR     BYTES   LAT(ms)\n"
      "0.000000    jbd2/sda2-8    411     sda       W 7614344    4096      0.91\n"
      "0.004100    Web Content    2201    sda       R 1048576    8192      5.23\n"
      "0.009300    postgres       2201    sdb       R 2097152    8192      4.90\n";
  for (const bool by_keys : {false, true}) {
    if (by_keys) {
      params_.separator = WorkloadParams::space;
      params_.columns.time = "TIME(s)";
      params_.columns.time_unit = ColumnParams::seconds;
      params_.columns.op = "T";
      params_.columns.address = "SECTOR";
      params_.columns.size_unit = ColumnParams::bytes;
      params_.columns.measured = "LAT(ms)";
      params_.columns.measured_unit = ColumnParams::milliseconds;
    }
    const auto all = read(snoop);
    ASSERT_EQ(all.size(), 3u);
    expect(all[0], 0, 0, 7'614'344, 8, Operation::write);
    expect(all[1], 4'100 * kPsPerUs, 0, 1'048'576, 16, Operation::read);
    expect(all[2], 9'300 * kPsPerUs, 1, 2'097'152, 16, Operation::read);
    EXPECT_EQ(all[2].measured_response, 4'900 * kPsPerUs);
    EXPECT_EQ(source_->device_name(1), "sdb");
    EXPECT_THAT(source_->reading(), HasSubstr("separated by spaces"));
  }
  params_ = trace_params("t.txt");
  params_.device_names = {"sdb"};
  EXPECT_EQ(read(snoop).at(0).lbn, 2'097'152u);
  params_.device_names = {};
  EXPECT_THAT(error(snoop), HasSubstr("choose one with devices = [0] or device_names"));

  const auto io = read(
      "Tracing block I/O. Ctrl-C to end.\n"
      "STARTs          COMM             PID    TYPE DEV      BLOCK        BYTES     LATms\n"
      "5.000000        supervise        1809   W    202,1    17039600     4096       1.32\n"
      "5.001000        supervise        1809   RAM  202,1    17039608     4096       1.30\n"
      "Ending tracing...\n");
  ASSERT_EQ(io.size(), 2u);
  expect(io[1], 5'001 * kPsPerMs, 0, 17'039'608, 8, Operation::read);
  EXPECT_EQ(io[1].measured_response, 1'300 * kPsPerUs);
  EXPECT_EQ(source_->device_name(0), "202,1");
}

TEST_F(WorkloadForeignTraces, MajorAndMinorNumbersAreOneDevice) {
  const auto all = read(
      "time_s,major,minor,op,sector,sectors\n"
      "0,8,0,R,1,8\n1,8,16,W,9,8\n2,8,0,R,17,8\n");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].device, all[2].device);
  EXPECT_NE(all[0].device, all[1].device);
  EXPECT_EQ(source_->device_name(all[1].device), "8,16");
  params_.header = {"time_s", "a", "b", "op", "sector", "sectors"};
  params_.columns.device = "a";
  params_.columns.device_minor = "b";
  EXPECT_EQ(read("0,8,0,R,1,8\n1,8,16,W,9,8\n").at(1).device, 1u);
  params_.header.clear();
  params_.columns = {};
  EXPECT_EQ(read("time_s,dev,op,sector,sectors\n0,\"8,16\",R,1,8\n").size(), 1u);
  EXPECT_EQ(source_->device_name(0), "8,16");
}

TEST_F(WorkloadForeignTraces, DevicesAreNumbersOrNamesInEveryFormat) {
  EXPECT_EQ(read("1.5 sda 1 8 1\n2.5 sdb 1 8 1\n").at(1).device, 1u);
  params_.format = WorkloadParams::spc;
  EXPECT_EQ(read("vol7,0,512,R,0\n").at(0).device, 0u);
  params_.format = WorkloadParams::automatic;
  read("128166372003061629,hm,sdc,Read,0,512,1\n");
  EXPECT_EQ(source_->device_name(0), "sdc");
  // A name takes no number that a device has.
  const auto mixed = read("time_s,dev,op,sector,sectors\n0,0,R,1,8\n1,sda,R,1,8\n2,1,R,1,8\n3,0,R,1,8\n");
  ASSERT_EQ(mixed.size(), 4u);
  EXPECT_EQ(mixed[0].device, 0u);
  EXPECT_EQ(mixed[1].device, 1u);
  EXPECT_EQ(mixed[2].device, 2u);
  EXPECT_EQ(source_->device_name(2), "1");
  EXPECT_EQ(mixed[3].device, 0u);
}

TEST_F(WorkloadForeignTraces, NumbersMayBeHexadecimal) {
  const auto all = read("time_ns,dev,offset_bytes,bytes,op\n0x10,0x2,0x1000,0X200,R\n32,2,0x2000,512,W\n");
  ASSERT_EQ(all.size(), 2u);
  expect(all[0], 0, 2, 8, 1, Operation::read);
  expect(all[1], 16 * kPsPerNs, 2, 16, 1, Operation::write);
  EXPECT_EQ(read("1.0 0 0x10 0x8 1\n").at(0).lbn, 16u);
  EXPECT_THAT(error("1.0 0 0xG 8 1\n1.0 0 0x 8 1\n"), HasSubstr("not known by its first line"));
}

TEST_F(WorkloadForeignTraces, AUnitOfSectorsHoldsForAddressesAndSizes) {
  params_.columns.address_sector_bytes = 4096;
  const auto all = read("time_us,lbn,sectors,op\n0,1,2,R\n100,3,1,W\n");
  ASSERT_EQ(all.size(), 2u);
  expect(all[0], 0, 0, 8, 16, Operation::read);
  expect(all[1], 100 * kPsPerUs, 0, 24, 8, Operation::write);
  EXPECT_THAT(source_->reading(), HasSubstr("size 'sectors' in sectors of 4096 B"));
}

TEST_F(WorkloadForeignTraces, TheSeparatorIsTheOneOfTheHeader) {
  for (const char separator : {',', ';', '\t', ' '}) {
    std::string text = "time_ms|disk|lbn|sectors|op\n1|sda|2|8|W\n2|sda|10|8|R\n";
    for (char& c : text)
      if (c == '|') c = separator;
    const auto all = read(text);
    ASSERT_EQ(all.size(), 2u) << separator;
    EXPECT_EQ(all[1].lbn, 10u) << separator;
  }
  EXPECT_EQ(read("Time (us);Disk;Start Sector;Size (bytes);Type\n1;a;2;512;read\n").size(), 1u)
      << "names with spaces, units in parentheses";
  params_.header = {"time_ms", "lbn", "sectors", "op"};
  for (const char* const text : {"1;2;8;W\n", "1\t2\t8\tW\n", "1 2  8 W\n", "1,2,8,W\n"})
    EXPECT_EQ(read(text).at(0).lbn, 2u) << text;
  params_.header.clear();
  params_.separator = WorkloadParams::comma;
  EXPECT_THAT(error("time_ms;lbn;sectors;op\n"), HasSubstr("separator"));
  EXPECT_EQ(read("0,1,512,R,0\n").size(), 1u) << "commas are in other formats, too";
}

TEST_F(WorkloadForeignTraces, DatesTellTheirUnitAndOtherTimesDoNot) {
  const std::pair<const char*, Ps> units[] = {{"1460000000", kPsPerSecond},
                                              {"1460000000000", kPsPerMs},
                                              {"1460000000000000", kPsPerUs},
                                              {"1460000000000000000", kPsPerNs},
                                              {"128166372003061629", 100 * kPsPerNs}};
  for (const auto& [date, unit] : units) {
    std::string next = date;
    next.back() = static_cast<char>(next.back() == '9' ? '9' : next.back() + 1);
    if (next == date) continue;
    const auto all = read(std::string("time,lbn,sectors,op\n") + date + ",1,8,R\n" + next + ",1,8,R\n");
    EXPECT_EQ(all.at(1).arrival, unit) << date;
    EXPECT_THAT(source_->reading(), HasSubstr("guessed")) << date;
  }
  EXPECT_THAT(error("time,lbn,sectors,op\n5633898,1,8,R\n"), HasSubstr("columns.time_unit"));
}

TEST_F(WorkloadForeignTraces, MsrCambridgeWithAHeaderIsMsrCambridge) {
  const auto all = read(
      "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n"
      "128166372003061629,hm,0,Read,9216,512,200\n");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].lbn, 18u);
  EXPECT_THAT(source_->reading(), HasSubstr("msr: times"));
}

TEST_F(WorkloadForeignTraces, AnIologMayCountNanoseconds) {
  const char* const text =
      "fio version 3 iolog\n0 nvme0n1 add\n0 nvme0n1 open\n1000000 nvme0n1 write 0 1048576\n"
      "2000000 nvme0n1 write 1048576 1048576\n3000000 nvme0n1 close\n";
  EXPECT_EQ(read(text).at(1).arrival, kPsPerSecond);
  EXPECT_THAT(source_->reading(), HasSubstr("iolog, version 3: times in us (iolog.time_unit)"));
  params_.iolog_keys.time_unit = IologParams::nanoseconds;
  EXPECT_EQ(read(text).at(1).arrival, kPsPerMs);
  EXPECT_THAT(source_->reading(), HasSubstr("times in ns"));
}

TEST_F(WorkloadForeignTraces, BlkparseMayHaveBeenToldWhatToPrint) {
  const char* const text =
      "  8,0   0.000001829 Q WFS 223490 8 kjournald 2\n"
      "  8,0   0.000005000 D WFS 223490 8 kjournald 2\n"
      "  8,0    3        0     0.000005100     0  m   N cfq697 alloced\n"
      "  8,16 12.500000000 Q R 77 1 dd\n"
      "  8,0  12.600000000 Q FWS 0 0 jbd2\n"
      "CPU3 (8,0):\n Reads Queued: 1\n";
  params_.blkparse_keys.format = "%D %5T.%9t %a %d %S %n %C\\n";
  const auto all = read(text);
  ASSERT_EQ(all.size(), 3u);
  expect(all[0], 0, 0, 223'490, 8, Operation::write);
  EXPECT_TRUE(all[0].fua);
  expect(all[1], 12'499'998'171 * kPsPerNs, 1, 77, 1, Operation::read);
  EXPECT_EQ(all[2].operation, Operation::flush);
  EXPECT_EQ(source_->device_name(1), "8,16");

  params_.blkparse_keys.format = "%M,%m,%t,%N,%S,%d\\n";
  EXPECT_EQ(read("8,0,1000,4096,16,R\n").at(0).sectors, 8u);
  EXPECT_THAT(error("8,0,1000,4096,16\n"), HasSubstr("',' of blkparse.format is not there"));
  params_.blkparse_keys.format = "%D %S";
  EXPECT_THAT(error(text), HasSubstr("workload.blkparse.format: a request needs its time"));
  params_.blkparse_keys.format = "%y";
  EXPECT_THAT(error(text), HasSubstr("no field %y"));
}

TEST_F(WorkloadForeignTraces, BlockEventsOfTheKernelAreRead) {
  // trace-cmd report, the file trace, perf script with and without a period, kernel 6 with a priority.
  const char* const texts[] = {
      "cpus=2\n"
      "       worker-300   [001]   100.000100: block_rq_issue:       8,0 WS 4096 () 2048 + 8 [worker]\n"
      "       worker-300   [001]   100.000500: block_rq_complete:    8,0 WS () 2048 + 8 [0]\n"
      "CPU:1 [LOST 3 EVENTS]\n"
      "       kworker/1:1H-30 [001] 100.000900: block_rq_issue:      8,0 FF 0 () 0 + 0 [kworker/1:1H]\n",
      "# tracer: nop\n#\n"
      "          <...>-300     [001] d..1.   100.000100: block_rq_issue: 8,0 WS 4096 () 2048 + 8 [worker]\n"
      "          <idle>-0      [001] ..s1.   100.000900: block_rq_issue: 8,0 FF 0 () 18446744073709551615 + 0 [w]\n",
      "worker  300 [001]   100.000100: block:block_rq_issue: 8,0 WS 4096 () 2048 + 8 none,0,0 [worker]\n"
      "            ffffffff8a123456 blk_mq_start_request+0x12 ([kernel.kallsyms])\n\n"
      "a b/c  300 [001]   100.000900:          1 block:block_rq_issue: 8,0 FWS 0 () 0 + 0 none,0,0 [a b]\n",
  };
  for (const char* const text : texts) {
    const auto all = read(text);
    ASSERT_EQ(all.size(), 2u) << text;
    expect(all[0], 0, 0, 2048, 8, Operation::write);
    expect(all[1], 800 * kPsPerUs, 0, 0, 0, Operation::flush);
    EXPECT_EQ(source_->device_name(0), "8,0");
    EXPECT_THAT(source_->reading(), HasSubstr("ftrace: events block_rq_issue (ftrace.event), times in s"));
  }
  const char* const both =
      "a-1 [000] 1.0: block_bio_queue: 8,0 R 0 + 8 [a]\n"
      "a-1 [000] 1.1: block_rq_issue: 8,0 R 8192 () 0 + 16 [a]\n"
      "a-1 [000] 1.2: block_rq_issue: 8,0 N 36 (12 00 00 00 24 00) 0 + 0 [a]\n";
  EXPECT_EQ(read(both).at(0).sectors, 8u) << "what is asked for, if that is there";
  params_.ftrace_keys.event = FtraceParams::issue;
  EXPECT_EQ(read(both).at(0).sectors, 16u);
  EXPECT_EQ(source_->dropped(), 1u);
  EXPECT_THAT(error("a-1 [000] 1.0: block_rq_issue: 8,0 R 0 () 7 - 8 [a]\n"), HasSubstr("t.txt:1:45: '-' in place of"));
  EXPECT_THAT(error("a-1 [000] 1.0: block_rq_issue: 8,0 R 0 7 + 8 [a]\n"), HasSubstr("parentheses"));
  EXPECT_THAT(error("a-1 [000] 1.0: block_rq_issue: 8,0 R 0 () 7 + 8 [a]\nmy notes\n"), HasSubstr("t.txt:2: neither"));
}

TEST_F(WorkloadForeignTraces, BinaryRecordsAreNamedForWhatTheyAre) {
  using namespace std::string_literals;
  EXPECT_THAT(error("\x17\x08\x44tracing\0\0"s), HasSubstr("trace-cmd report"));
  EXPECT_THAT(error("PERFILE2\x68\0\0"s), HasSubstr("perf script"));
  EXPECT_THAT(error("\x07tae\0\0\0"s), HasSubstr("blkparse makes text of it"));
}

TEST_F(WorkloadForeignTraces, SecondsThatAreReadAsMillisecondsAreQuestioned) {
  read("1.504709548 0 1000 8 1\n2.600000000 0 2000 8 0\n");
  EXPECT_THAT(source_->reading(), AllOf(HasSubstr("disksim: times in ms"), HasSubstr("are the times in s?")));
  read("1.504709 0 1000 8 1\n2.600000 0 2000 8 0\n");
  EXPECT_THAT(source_->reading(), ::testing::Not(HasSubstr("are the times in s?")));
  EXPECT_EQ(question_of_rate(99, 1'000'000, 1), "") << "too few to tell";
  EXPECT_THAT(question_of_rate(100'000, 800'000, kPsPerSecond), HasSubstr("is the unit of the times right?"));
  EXPECT_THAT(question_of_rate(1000, 65'536'000, 2 * kPsPerSecond), HasSubstr("MB/s"));
  EXPECT_THAT(question_of_rate(100, 800, 1'000'000 * kPsPerSecond), HasSubstr("days"));
  EXPECT_EQ(question_of_rate(10'000, 80'000, 100 * kPsPerSecond), "");
}

TEST_F(WorkloadForeignTraces, FractionsOfNanosecondsAreAskedAbout) {
  params_.file = "t.ssdsim";
  EXPECT_THAT(error("0.5 0 1 8 1\n"), HasSubstr("whole ns: say what it is with format"));
  params_.format = WorkloadParams::disksim;
  EXPECT_EQ(read("0.5 0 1 8 1\n").size(), 1u);
}

}  // namespace
}  // namespace armature::workload
