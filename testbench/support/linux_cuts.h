#pragma once

#include "support/linux_guest.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <random>
#include <sstream>
#include <string>
#include <string_view>

namespace armature::testing {

/// A machine that loses its supply while a database commits: the guest and its drive at once, at an instant of
/// simulated time. What was committed stands on the console, outside of the disk. The next boot finds the disk as it
/// was.
///
/// A commit is durable with sqlite's `synchronous=extra`. With `full` it is the removal of the journal's file, which
/// the file system may still have in memory only, and a cut may undo the last transaction.
class CutDatabase {
 public:
  /// When the first commits are there, and the last cut, s of simulated time.
  static constexpr double kFirst = 2, kLast = 20;

  /// Makes the file system and the empty database. Fails the test if it cannot.
  CutDatabase() {
    const Outcome made = bench_.run(R"(set -e
printf 'o\nn\np\n1\n2048\n+32M\nw\n' | fdisk /dev/sda >/dev/null
mkfs.ext4 -q /dev/sda1
mkdir /mnt/a
mount /dev/sda1 /mnt/a
sqlite3 /mnt/a/db 'create table t(id integer primary key, a)'
umount /mnt/a
)");
    EXPECT_EQ(made.status, 0) << made.err << made.out;
    keep();
  }

  /// Cuts at `at_s` and boots again on what the drive had kept.
  void cut(double at_s) {
    SCOPED_TRACE(fmt::format("power cut at {:.9f} s", at_s));
    std::filesystem::rename(file("kept"), file("disk"));
    keep();
    const Outcome written = bench_.run(kWriter, {"--set", fmt::format("linux.power_cut_s={:.9f}", at_s)}, "cut");
    ASSERT_EQ(written.status, 0) << written.err << written.out;
    ASSERT_NE(written.err.find("linux.power_cut_s was reached"), std::string::npos)
        << "the writer was through before the cut: " << written.err;
    const int committed = last_committed(written.out);
    EXPECT_GT(committed, 0);
    const Outcome found = bench_.run(kReader, {}, "found");
    ASSERT_EQ(found.status, 0) << found.err << found.out;
    std::istringstream words(found.out);
    std::string sound;
    int last = -1, count = -1;
    words >> sound >> last >> count;
    EXPECT_EQ(sound, "ok");
    EXPECT_EQ(last, count);
    EXPECT_GE(last, committed) << "of the acknowledged transactions some are lost";
    EXPECT_LE(last, committed + 1) << "one at most was committed and not told";
    replayed_ = replayed_ || found.out.find("recovered") != std::string::npos;
  }
  /// A cut so far has found the file system's journal in use.
  bool journal_was_replayed() const { return replayed_; }

 private:
  static constexpr const char* kDrive = R"([drives.disk]
model = "drives/seagate_barracuda_es_750.toml"
media.contents = "file"
media.contents_file = "disk"
)";
  static constexpr const char* kWriter = R"(mkdir /mnt/a
mount /dev/sda1 /mnt/a || exit 1
i=0
{ echo 'pragma synchronous=extra;'
  while [ $i -lt 3000 ]; do
    i=$((i + 1))
    echo "insert into t values($i, hex(randomblob(100 + $i % 7 * 900))); select 'committed ' || $i;"
  done; } >/tmp/sql
sqlite3 /mnt/a/db </tmp/sql
)";
  static constexpr const char* kReader = R"(set -e
mkdir /mnt/a
mount /dev/sda1 /mnt/a
umount /mnt/a
e2fsck -f -n /dev/sda1 >/tmp/fsck 2>&1 || { cat /tmp/fsck; exit 1; }
mount /dev/sda1 /mnt/a
sqlite3 -separator ' ' /mnt/a/db 'pragma integrity_check; select max(id), count(*) from t'
umount /mnt/a
dmesg | grep -q 'recovery complete' && echo recovered
if dmesg -r | grep '^<[0-3]>'; then exit 1; fi
)";

  std::filesystem::path file(const char* name) const { return bench_.place().path() / name; }

  /// The disk as it is, for the next cut: only what was written takes room.
  void keep() {
    const std::string command =
        fmt::format("cp --sparse=always '{}' '{}'", file("disk").string(), file("kept").string());
    ASSERT_EQ(std::system(command.c_str()), 0);
  }

  /// 0: none. The console's last line may be cut off.
  static int last_committed(const std::string& console) {
    constexpr std::string_view kWord = "committed ";
    int last = 0;
    std::istringstream lines(console.substr(0, console.rfind('\n') + 1));
    for (std::string line; std::getline(lines, line);)
      if (line.compare(0, kWord.size(), kWord) == 0) last = std::stoi(line.substr(kWord.size()));
    return last;
  }

  LinuxBench bench_{kDrive};
  bool replayed_ = false;
};

/// So many cuts at seeded random instants, from the first commits to some seconds later.
inline void cut_database_at_random(unsigned seed, int count) {
  if (const std::string why = no_linux_guest(); !why.empty()) GTEST_SKIP() << why;
  CutDatabase database;
  std::mt19937_64 rng(seed);
  std::uniform_real_distribution<double> at(CutDatabase::kFirst, CutDatabase::kLast);
  for (int i = 0; i < count && !::testing::Test::HasFailure(); ++i) database.cut(at(rng));
  EXPECT_TRUE(database.journal_was_replayed()) << "no cut has met a write";
}

}  // namespace armature::testing
