// A Linux that nobody here wrote drives the model: boot, tools, file systems, verified data, status, ends.
#include "support/linux_guest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace armature {
namespace {

using testing::kFileSystem;
using testing::kNoKernelError;
using testing::LinuxBench;
using testing::Outcome;

TEST(Linux, BootsAndKnowsTheDrive) {
  NEED_LINUX_GUEST();
  LinuxBench bench;
  // 4: the drive has no error recovery control, which smartctl counts as a command that failed.
  const Outcome run = bench.run("set -e; hdparm -I /dev/sda; fdisk -l /dev/sda; smartctl -x /dev/sda || [ $? = 4 ]" +
                                std::string(kNoKernelError));
  EXPECT_EQ(run.status, 0) << run.err << run.out;
  EXPECT_NE(run.out.find("Model Number:       ST3750640NS"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("LBA48  user addressable sectors:  1465149168"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("Disk /dev/sda: 698.64 GiB"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("Rotation Rate:    7200 rpm"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("Wt Cache Reorder: Enabled"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("ommand failed:"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("self-assessment test result: PASSED"), std::string::npos) << run.out;
  const std::string log = bench.place().read("out/kernel.log");
  EXPECT_NE(log.find("ata1: SATA link up 3.0 Gbps"), std::string::npos) << log;
  EXPECT_NE(log.find("NCQ (depth 32)"), std::string::npos) << log;
  EXPECT_NE(log.find("reboot: Power down"), std::string::npos) << log;
}

TEST(Linux, FileSystemAndDatabaseAreSound) {
  NEED_LINUX_GUEST();
  LinuxBench bench;
  const Outcome run = bench.run(kFileSystem + std::string(kNoKernelError));
  EXPECT_EQ(run.status, 0) << run.err << run.out;
  EXPECT_EQ(run.out, "6\n");
}

TEST(Linux, FioVerifiesItsDataAndTwoRunsAreIdentical) {
  NEED_LINUX_GUEST();
  LinuxBench bench;
  const std::string command = testing::verified_jobs("256") + kNoKernelError;
  const Outcome first = bench.run(command, {}, "first");
  ASSERT_EQ(first.status, 0) << first.err << first.out;
  EXPECT_EQ(first.out, "verified\n");
  const Outcome second = bench.run(command, {"--slice", "777777777"}, "second");
  ASSERT_EQ(second.status, 0) << second.err << second.out;
  const std::string requests = bench.place().read("first/requests.csv");
  EXPECT_GT(requests.size(), 50'000u);
  EXPECT_TRUE(requests == bench.place().read("second/requests.csv")) << "the guest's requests differ";
  const auto end = [&](const char* file) {
    const std::string summary = bench.place().read(file);
    const std::size_t at = summary.find("\"simulated_s\"");
    return at == std::string::npos ? std::string("none in ") + file : summary.substr(at, summary.find('\n', at) - at);
  };
  EXPECT_EQ(end("first/summary.json"), end("second/summary.json"));
}

TEST(Linux, StatusOfTheCommandIsTheRuns) {
  NEED_LINUX_GUEST();
  LinuxBench bench;
  const Outcome run = bench.run("echo out; echo err >&2; exit 7");
  EXPECT_EQ(run.status, 7) << run.err;
  EXPECT_EQ(run.out, "out\nerr\n");
  EXPECT_EQ(run.err, "");
  EXPECT_TRUE(bench.place().has("out/report.html"));
}

TEST(Linux, TwoDrivesAreTwoDisks) {
  NEED_LINUX_GUEST();
  LinuxBench bench(
      "[drives.a]\nmodel = \"drives/seagate_barracuda_es_750.toml\"\n"
      "[drives.b]\nmodel = \"drives/quantum_atlas_10k.toml\"\n");
  const Outcome run = bench.run(
      "set -e; cat /sys/block/sd?/size; echo data >/tmp/x; dd if=/tmp/x of=/dev/sdb conv=sync,fsync 2>/dev/null; head "
      "-c 5 /dev/sdb" +
      std::string(kNoKernelError));
  EXPECT_EQ(run.status, 0) << run.err << run.out;
  EXPECT_EQ(run.out, "1465149168\n17938986\ndata\n");
  EXPECT_NE(bench.place().read("out/b/requests.csv").find("write"), std::string::npos);
}

TEST(Linux, GuestThatHangsIsEnded) {
  NEED_LINUX_GUEST();
  LinuxBench bench;
  const Outcome computes = bench.run("while :; do :; done", {"--set", "linux.silence_s=2"});
  EXPECT_NE(computes.status, 0);
  EXPECT_NE(computes.err.find("simulated time has stood still"), std::string::npos) << computes.err;
  const Outcome sleeps = bench.run("sleep 1000000", {"--set", "linux.limit_s=60"});
  EXPECT_NE(sleeps.status, 0);
  EXPECT_NE(sleeps.err.find("linux.limit_s"), std::string::npos) << sleeps.err;
  const Outcome dies = bench.run("poweroff -f");
  EXPECT_NE(dies.status, 0);
  EXPECT_NE(dies.err.find("has ended before its command"), std::string::npos) << dies.err;
}

TEST(Linux, WhatCannotBeIsAnErrorOfTheInput) {
  LinuxBench bench(
      "[array]\nlevel = \"raid0\"\nmembers = [\"a\"]\n[drives.a]\nmodel = \"drives/quantum_atlas_10k.toml\"\n");
  const Outcome array = bench.place().run({"linux", "scenario.toml", "--kernel", "scenario.toml", "--root", "."});
  EXPECT_EQ(array.status, 2);
  EXPECT_NE(array.err.find("scenario.toml:1:1: array:"), std::string::npos) << array.err;
  bench.place().write("one.toml", LinuxBench::kDrive);
  const Outcome kernel = bench.place().run({"linux", "one.toml", "--kernel", "nowhere", "--root", "."});
  EXPECT_EQ(kernel.status, 2);
  EXPECT_NE(kernel.err.find("--kernel nowhere"), std::string::npos) << kernel.err;
  bench.place().write("guest.toml", std::string(LinuxBench::kDrive) + "[linux]\nmemory_mib = 128\n");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", "guest.toml"}, {"serve", "guest.toml", "--nbd", "unix:socket"}}) {
    const Outcome other = bench.place().run(words);
    EXPECT_EQ(other.status, 2);
    EXPECT_NE(other.err.find("guest.toml:3:1: linux: a Linux drives"), std::string::npos) << other.err;
  }
  EXPECT_EQ(bench.place().run({"check", "guest.toml"}).status, 0);
  EXPECT_FALSE(bench.place().has("out"));
}

}  // namespace
}  // namespace armature
