// Faults of a drive behind the AHCI controller, and what the kernel makes of them: link errors, a supply that fails and
// returns, drives that are gone for good.
#include "support/linux_guest.h"

#include <gtest/gtest.h>

#include <string>

namespace armature {
namespace {

using testing::LinuxBench;
using testing::Outcome;

TEST(LinuxFaults, LinkErrorsAreRetriedAndAPowerCutIsSurvived) {
  NEED_LINUX_GUEST();
  LinuxBench bench(std::string(LinuxBench::kDrive) + R"(
[[faults]]
kind = "link_crc"
frames = "drive_data"
at_s = 1
count = 1
[[faults]]
kind = "link_crc"
frames = "host_data"
at_s = 3
count = 1
[[faults]]
kind = "link_crc"
frames = "control"
at_s = 5
count = 2
[[faults]]
kind = "power_cut"
at_s = 7
for_ms = 2000
)");
  const Outcome run = bench.run(R"(
dd if=/dev/urandom of=/tmp/data bs=64k count=16 2>/dev/null
for i in $(seq 0 30); do
  dd if=/tmp/data of=/dev/sda bs=64k count=16 seek=$((16 * i)) oflag=direct 2>/dev/null || echo write $i has failed
  dd if=/dev/sda of=/tmp/back bs=64k count=16 skip=$((16 * i)) iflag=direct 2>/dev/null || echo read $i has failed
  cmp /tmp/data /tmp/back || echo $i differs
  sleep 0.25
done
smartctl -A /dev/sda | awk '$1 == 199 { print "crc errors:", $NF }'
cat /sys/block/sda/size
dmesg >/share/dmesg
)");
  EXPECT_EQ(run.status, 0) << run.err << run.out;
  const std::string log = bench.place().read("out/guest/dmesg");
  EXPECT_EQ(run.out.find("failed"), std::string::npos) << run.out << log;
  EXPECT_EQ(run.out.find("differs"), std::string::npos) << run.out << log;
  EXPECT_EQ(run.out.find("crc errors: 0"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("crc errors: "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("1465149168"), std::string::npos) << run.out;
  EXPECT_NE(log.find("BadCRC"), std::string::npos) << log;   // of data that the host received
  EXPECT_NE(log.find("Handshk"), std::string::npos) << log;  // of data that the drive refused
  EXPECT_NE(log.find("DevExch"), std::string::npos) << log;  // the drive has come back
  EXPECT_EQ(log.find("I/O error, dev sda"), std::string::npos) << log;

  const std::string faults = bench.place().read("out/faults.csv");
  for (const char* const fault : {",0,link_crc,", ",1,link_crc,", ",2,link_crc,", ",3,power_cut,"})
    EXPECT_NE(faults.find(std::string(fault)), std::string::npos) << faults;
  EXPECT_NE(faults.find("touches"), std::string::npos) << faults;
  const std::string summary = bench.place().read("out/summary.json");
  EXPECT_NE(summary.find("\"link_crc_errors\""), std::string::npos) << summary;
  EXPECT_NE(summary.find("\"power_losses\""), std::string::npos) << summary;
}

TEST(LinuxFaults, TheKernelGivesDeadDrivesUp) {
  NEED_LINUX_GUEST();
  LinuxBench bench(R"([drives.dark]
model = "drives/seagate_barracuda_es_750.toml"
[[drives.dark.faults]]
kind = "power_cut"
at_s = 2
[drives.hung]
model = "drives/quantum_atlas_10k.toml"
[[drives.hung.faults]]
kind = "hung_firmware"
for_ms = 3600000
at_s = 2
[drives.well]
model = "drives/quantum_atlas_10k.toml"
)");
  const Outcome run = bench.run(R"(
sleep 3
for disk in a b c; do
  dd if=/dev/sd$disk of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null && echo sd$disk is well || echo sd$disk is dead
done
dmesg >/share/dmesg
)");
  const std::string log = bench.place().read("out/guest/dmesg");
  EXPECT_EQ(run.status, 0) << run.err << run.out;
  EXPECT_EQ(run.out, "sda is dead\nsdb is dead\nsdc is well\n") << log;
  EXPECT_NE(log.find("ata1.00: disable device"), std::string::npos) << log;
  EXPECT_NE(log.find("ata2.00: disable device"), std::string::npos) << log;
}

}  // namespace
}  // namespace armature
