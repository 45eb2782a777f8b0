#include "armature/media/contents.h"

#include "armature/core/error.h"
#include "armature/core/random.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace armature::media {
namespace {

namespace fs = std::filesystem;

using Sector = std::array<std::uint8_t, 512>;

/// A directory of this test's own, gone at the end.
class Place {
 public:
  Place() {
    std::string name = (fs::temp_directory_path() / "armature-contents-XXXXXX").string();
    if (!mkdtemp(name.data())) ADD_FAILURE() << "no temporary directory";
    path_ = name;
  }
  ~Place() { fs::remove_all(path_); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

Sector filled(std::uint8_t with) {
  Sector sector;
  sector.fill(with);
  return sector;
}

Sector random_sector(RandomStream& random) {
  Sector sector;
  for (auto& byte : sector) byte = static_cast<std::uint8_t>(random.bits());
  return sector;
}

ContentsParams in_memory() {
  ContentsParams params;
  params.contents = ContentsParams::memory;
  return params;
}

ContentsParams in_file(const std::string& path) {
  ContentsParams params;
  params.contents = ContentsParams::file;
  params.contents_file = path;
  return params;
}

/// A plain copy of what the contents should be: no value is a sector that cannot be read.
class Reference {
 public:
  void write(PhysicalSector at, const Sector& sector) { sectors_[at] = sector; }
  void spoil(PhysicalSector at) { sectors_[at] = std::nullopt; }

  void expect_sector(const Contents& contents, PhysicalSector at) const {
    Sector seen = filled(0xEE);
    const bool readable = contents.read(at, seen.data());
    const auto found = sectors_.find(at);
    if (found == sectors_.end()) {
      ASSERT_TRUE(readable) << at;
      ASSERT_EQ(seen, Sector{}) << "never written, sector " << at;
    } else if (found->second) {
      ASSERT_TRUE(readable) << at;
      ASSERT_EQ(seen, *found->second) << "sector " << at;
    } else {
      ASSERT_FALSE(readable) << at;
      ASSERT_EQ(seen, filled(0xEE)) << "an unreadable sector leaves the destination as it was";
    }
  }
  void expect_all(const Contents& contents, std::uint64_t sectors) const {
    for (PhysicalSector at = 0; at < sectors; ++at) {
      expect_sector(contents, at);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }

 private:
  std::map<PhysicalSector, std::optional<Sector>> sectors_;
};

/// Random runs of writes and spoilt sectors around the edges of chunks (64 sectors) and of file pages.
void change_at_random(Contents& contents, Reference& reference, RandomStream& random, std::uint64_t sectors) {
  for (int i = 0; i < 400; ++i) {
    const PhysicalSector begin = random.below(sectors);
    const std::uint64_t count = 1 + random.below(std::min<std::uint64_t>(40, sectors - begin));
    const bool spoils = random.chance(0.2);
    for (PhysicalSector at = begin; at < begin + count; ++at) {
      if (spoils) {
        contents.spoil(at);
        reference.spoil(at);
        continue;
      }
      const Sector sector = random_sector(random);
      contents.write(at, sector.data());
      reference.write(at, sector);
    }
    reference.expect_sector(contents, random.below(sectors));
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Contents, KeptInMemoryAreAPlainCopy) {
  constexpr std::uint64_t kSectors = 1000;
  RandomStream random(1, "contents");
  Contents contents(in_memory(), kSectors);
  EXPECT_TRUE(contents.keeps());
  Reference reference;
  change_at_random(contents, reference, random, kSectors);
  reference.expect_all(contents, kSectors);
}

TEST(Contents, KeptInAFileAreAPlainCopyAlsoForTheNextRun) {
  constexpr std::uint64_t kSectors = 40'000;  // more than one page of unreadable sectors
  const Place place;
  RandomStream random(2, "contents");
  Reference reference;
  for (int run = 0; run < 3; ++run) {
    Contents contents(in_file(place.file("disk")), kSectors);
    reference.expect_all(contents, run == 0 ? 100 : kSectors);
    if (HasFatalFailure()) return;
    change_at_random(contents, reference, random, kSectors);
    contents.spoil(32'703);  // last sector of the first page, first of the second
    contents.spoil(32'704);
    reference.spoil(32'703);
    reference.spoil(32'704);
  }
  const Contents last(in_file(place.file("disk")), kSectors);
  reference.expect_all(last, kSectors);
}

TEST(Contents, ThatAreNotKeptReadAsZeros) {
  Contents contents(ContentsParams{}, 100);
  EXPECT_FALSE(contents.keeps());
  const Sector sector = filled(7);
  contents.write(3, sector.data());
  contents.spoil(4);
  for (const PhysicalSector at : {3u, 4u}) {
    Sector seen = filled(0xEE);
    EXPECT_TRUE(contents.read(at, seen.data()));
    EXPECT_EQ(seen, Sector{});
  }
}

TEST(Contents, ASpoiltSectorIsReadableAgainOnceItIsWritten) {
  const Place place;
  for (const ContentsParams& params : {in_memory(), in_file(place.file("disk"))}) {
    Contents contents(params, 200);
    const Sector before = filled(1), after = filled(2);
    Sector seen = filled(0);
    contents.write(70, before.data());
    contents.spoil(70);
    contents.spoil(71);
    EXPECT_FALSE(contents.read(70, seen.data()));
    EXPECT_FALSE(contents.read(71, seen.data())) << "also if nothing was ever written";
    EXPECT_TRUE(contents.read(69, seen.data()));
    EXPECT_TRUE(contents.read(72, seen.data()));
    contents.write(70, after.data());
    EXPECT_TRUE(contents.read(70, seen.data()));
    EXPECT_EQ(seen, after);
    EXPECT_FALSE(contents.read(71, seen.data()));
  }
}

TEST(Contents, AFileOfAWholeDiskTakesOnlyTheRoomOfWhatIsWritten) {
  const Place place;
  constexpr std::uint64_t kSectors = 2'000'000'000;  // 1 TB
  const Sector sector = filled(9);
  {
    Contents contents(in_file(place.file("disk")), kSectors);
    contents.write(kSectors - 1, sector.data());
    contents.write(kSectors / 2, sector.data());
    contents.spoil(kSectors / 3);
  }
  std::error_code error;
  const auto length = fs::file_size(place.file("disk"), error);
  EXPECT_GT(length, kSectors * 512);
  Sector seen{};
  const Contents again(in_file(place.file("disk")), kSectors);
  EXPECT_TRUE(again.read(kSectors - 1, seen.data()));
  EXPECT_EQ(seen, sector);
  EXPECT_FALSE(again.read(kSectors / 3, seen.data()));
  EXPECT_TRUE(again.read(kSectors / 3 + 1, seen.data()));
}

class ContentsFile : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kSectors = 40'000;

  /// What an attempt to open the file says; "accepted" if it is opened. Twice: `check` must say the same.
  std::string opening(std::uint64_t sectors = kSectors) const {
    const std::string looked = message([&] { Contents::check(in_file(path_), sectors); });
    const std::string opened = message([&] { const Contents contents(in_file(path_), sectors); });
    EXPECT_EQ(looked, opened);
    return opened;
  }
  template <class Action>
  static std::string message(Action action) {
    try {
      action();
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }
  void make() const {
    Contents contents(in_file(path_), kSectors);
    const Sector sector = filled(5);
    for (PhysicalSector at = 0; at < kSectors; at += 500) contents.write(at, sector.data());
    contents.spoil(33'000);
  }
  void flip(std::uint64_t offset) const {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(static_cast<char>(byte ^ 0x10));
    ASSERT_TRUE(file.good());
  }

  Place place_;
  std::string path_ = place_.file("disk");
};

TEST_F(ContentsFile, IsMadeWhereThereIsNoneAndNotByACheck) {
  EXPECT_EQ(message([&] { Contents::check(in_file(path_), kSectors); }), "accepted");
  EXPECT_FALSE(fs::exists(path_));
  make();
  EXPECT_EQ(opening(), "accepted");
}

TEST_F(ContentsFile, OfAnotherDriveOrOfSomethingElseIsAnInputError) {
  make();
  EXPECT_NE(opening(kSectors + 1).find("made for 40000 physical sectors, the drive has 40001"), std::string::npos);
  std::ofstream(path_) << "a file of something else";
  EXPECT_NE(opening().find("no file of contents"), std::string::npos);
  std::ofstream(path_) << std::string(1 << 20, 'x');
  EXPECT_NE(opening().find("no file of contents"), std::string::npos);
}

TEST_F(ContentsFile, ThatIsDamagedIsAnInputError) {
  make();
  const auto length = fs::file_size(path_);
  fs::resize_file(path_, length - 512);
  EXPECT_NE(opening().find("is damaged: it has"), std::string::npos);
  fs::resize_file(path_, length);
  ASSERT_EQ(opening(), "accepted");
  for (const std::uint64_t at : {64u, 100u, 4095u}) {  // in the header
    flip(at);
    EXPECT_NE(opening().find("is damaged: its header"), std::string::npos) << at;
    flip(at);
  }
  for (const std::uint64_t at : {8192u + 37u, 8192u, 8192u + 4090u}) {  // in the page with sector 33,000
    flip(at);
    EXPECT_NE(opening().find("list of unreadable sectors"), std::string::npos) << at;
    flip(at);
  }
  EXPECT_EQ(opening(), "accepted");
}

TEST_F(ContentsFile, KeepsWhichBlocksHaveMoved) {
  make();
  {
    Contents contents(in_file(path_), kSectors);
    for (std::uint64_t i = 0; i < 600; ++i) contents.reallocated({i * 7, kSectors - 1 - i});
    EXPECT_TRUE(contents.earlier_reallocations().size() == 600);
  }
  {
    const Contents contents(in_file(path_), kSectors);
    const std::vector<Reallocation> moved = contents.earlier_reallocations();
    ASSERT_EQ(moved.size(), 600u);
    for (std::uint64_t i = 0; i < 600; ++i) {
      ASSERT_EQ(moved[i].lbn, i * 7);
      ASSERT_EQ(moved[i].place, kSectors - 1 - i);
    }
  }
  // Three pages at the end of the file: each byte counts.
  const std::uint64_t end = std::filesystem::file_size(path_);
  for (const std::uint64_t at : {end - 1, end - 8, end - 16, end - 3 * 4096, end - 4096 + 5, end - 2 * 4096 - 12}) {
    flip(at);
    EXPECT_NE(opening().find("list of reallocated sectors"), std::string::npos) << at;
    flip(at);
  }
  EXPECT_EQ(opening(), "accepted");
  std::filesystem::resize_file(path_, end - 100);
  EXPECT_NE(opening().find("bytes in place of"), std::string::npos);
}

TEST(Contents, ADefectCannotBeReadFromItsTimeOnWhateverIsWritten) {
  Contents contents(in_memory(), 100, {{40, 8, 0}, {40, 8, 50}, {90, 1, kPsPerSecond}});
  std::uint8_t bytes[512] = {1};
  for (std::uint64_t sector = 0; sector < 100; ++sector) {
    contents.write(sector, bytes);
    EXPECT_EQ(contents.read(sector, bytes), sector < 40 || sector >= 48) << sector;
  }
}

TEST(Contents, BelowADefectThatHealsStandsWhatALaterTryBrings) {
  Contents contents(in_memory(), 100, {{40, 8, 0, 2}, {60, 8, 0}});
  std::uint8_t bytes[512] = {7};
  contents.spoil(41);
  EXPECT_FALSE(contents.read(40, bytes));
  EXPECT_TRUE(contents.read_below(40, bytes));
  EXPECT_EQ(bytes[0], 0);
  EXPECT_FALSE(contents.read_below(41, bytes)) << "a write was cut off in it";
  EXPECT_FALSE(contents.read_below(60, bytes)) << "for good";
}

TEST_F(ContentsFile, ThatAnotherDriveUsesOrThatCannotBeOpenedIsAnInputError) {
  make();
  {
    const Contents first(in_file(path_), kSectors);
    EXPECT_NE(opening().find("in use"), std::string::npos);
  }
  EXPECT_EQ(opening(), "accepted");
  path_ = place_.file("no/such/directory");
  EXPECT_NE(opening().find("No such file or directory"), std::string::npos);
  path_ = place_.file(".");
  EXPECT_NE(opening().find("directory"), std::string::npos);
  path_ = "/dev/null";
  EXPECT_NE(opening().find("is no file"), std::string::npos);
}

TEST_F(ContentsFile, KeysThatContradictEachOtherAreAnInputError) {
  ContentsParams params;
  params.contents_file = path_;
  EXPECT_NE(message([&] { const Contents contents(params, 1); }).find("media.contents_file"), std::string::npos);
  params.contents = ContentsParams::memory;
  EXPECT_NE(message([&] { const Contents contents(params, 1); }).find("media.contents_file"), std::string::npos);
  params.contents = ContentsParams::file;
  params.contents_file.clear();
  EXPECT_NE(message([&] { const Contents contents(params, 1); }).find("is needed"), std::string::npos);
}

}  // namespace
}  // namespace armature::media
