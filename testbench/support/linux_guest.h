#pragma once

#include "support/program.h"
#include "support/tree.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace armature::testing {

/// Why no Linux guest can be booted here; empty: one can.
inline std::string no_linux_guest() {
  const char* const absent = std::getenv("ARMATURE_LINUX");
  if (absent && std::string(absent) == "absent") return "a Linux guest cannot be made here";
  if (!std::getenv("ARMATURE_LINUX_KERNEL") || !std::getenv("ARMATURE_LINUX_ROOT"))
    return "\"armature test\" makes the Linux guest; its place is not known here";
  return {};
}

#define NEED_LINUX_GUEST() \
  if (const std::string why = testing::no_linux_guest(); !why.empty()) GTEST_SKIP() << why

/// `armature linux` on a scenario of one drive, with the command of the guest.
class LinuxBench {
 public:
  static constexpr const char* kDrive = "[drives.disk]\nmodel = \"drives/seagate_barracuda_es_750.toml\"\n";

  explicit LinuxBench(const std::string& scenario = kDrive) { place_.write("scenario.toml", scenario); }
  /// A scenario that ships, scenarios/linux/NAME.toml, whose folder the guest sees as /scenario.
  struct Shipped {
    std::string name;
  };
  explicit LinuxBench(const Shipped& one)
      : scenario_(std::string(ARMATURE_SOURCE_DIR) + "/scenarios/linux/" + one.name + ".toml") {}

  Outcome run(const std::string& command, const std::vector<std::string>& options = {}, const char* out = "out") {
    std::vector<std::string> words = {"linux",    scenario_,
                                      "--kernel", std::getenv("ARMATURE_LINUX_KERNEL"),
                                      "--root",   std::getenv("ARMATURE_LINUX_ROOT"),
                                      "--quiet",  "--out",
                                      out};
    words.insert(words.end(), options.begin(), options.end());
    if (!command.empty()) words.insert(words.end(), {"--", command});
    return place_.run(words);
  }
  const Workplace& place() const { return place_; }

 private:
  Workplace place_;
  std::string scenario_ = "scenario.toml";
};

/// Ends a command with status 1 if the kernel has reported an error, with its lines on standard output.
inline constexpr const char* kNoKernelError = "\nif dmesg -r | grep '^<[0-3]>'; then exit 1; fi\n";

/// A partition, a file system, files written and read back after an unmount, a database with synchronous commits.
inline constexpr const char* kFileSystem = R"(set -e
printf 'o\nn\np\n1\n2048\n+64M\nw\n' | fdisk /dev/sda >/dev/null
mkfs.ext4 -q /dev/sda1
mkdir /mnt/a
mount /dev/sda1 /mnt/a
cp -r /usr/bin /mnt/a/
(cd /mnt/a && find . -type f | sort | xargs md5sum) >/tmp/sums
umount /mnt/a
e2fsck -f -n /dev/sda1 >/dev/null 2>&1
mount /dev/sda1 /mnt/a
echo 3 >/proc/sys/vm/drop_caches
(cd /mnt/a && md5sum -c -s /tmp/sums)
[ $(wc -l </tmp/sums) -gt 5 ]
sqlite3 /mnt/a/db 'pragma synchronous=full; create table t(a); insert into t values(1); insert into t values(2); insert into t values(3);'
umount /mnt/a
mount /dev/sda1 /mnt/a
sqlite3 /mnt/a/db 'select sum(a) from t'
umount /mnt/a
e2fsck -f -n /dev/sda1 >/dev/null 2>&1
)";

/// fio with its own check of the data, at random and in order, at depths 1 and 32.
inline std::string verified_jobs(const char* kibibytes) {
  std::string text = "set -e\n";
  for (const char* const pattern : {"randwrite", "write"})
    for (const char* const depth : {"1", "32"})
      text += std::string("fio --name=") + pattern + depth + " --filename=/dev/sda --direct=1 --ioengine=libaio" +
              " --iodepth=" + depth + " --rw=" + pattern + " --bs=4k --offset=1g --size=" + kibibytes +
              "k --verify=crc32c --do_verify=1 --verify_fatal=1 --clocksource=clock_gettime >/tmp/out ||" +
              " { cat /tmp/out; exit 1; }\n";
  return text + "echo verified\n";
}

}  // namespace armature::testing
