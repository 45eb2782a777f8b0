// Compressed traces read like plain ones, and a damaged file is an error with its name, never silently a shorter trace.
#include "armature/core/random.h"
#include "armature/workload/params.h"
#include "support/trace_files.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace armature::workload {
namespace {

using testing::drain;
using testing::trace_params;

/// Requests that do not compress well, so that flipped bits hit data and not only tables.
std::string trace_text(int lines) {
  RandomStream random(7, "lines");
  std::string text;
  for (int i = 0; i < lines; ++i) {
    text += std::to_string(i) + ".25 0 " + std::to_string(random.below(1'000'000'000)) + " " +
            std::to_string(1 + random.below(256)) + " " + std::to_string(random.below(2)) + "\n";
  }
  return text;
}

bool same(const std::vector<Request>& a, const std::vector<Request>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Request& x, const Request& y) {
    return x.arrival == y.arrival && x.lbn == y.lbn && x.sectors == y.sectors && x.operation == y.operation;
  });
}

struct Compression {
  const char* filter;
  const char* suffix;
};

void PrintTo(const Compression& compression, std::ostream* out) {
  *out << compression.filter;
}

class WorkloadCompression : public ::testing::TestWithParam<Compression> {
 protected:
  WorkloadCompression() { directory_.write("plain.trace", text_); }

  std::vector<Request> read(const std::string& file) const {
    return drain(*make_source(trace_params(file, WorkloadParams::disksim), 1, 0, directory_.path()));
  }
  /// The requests of a file with this content, or nothing and the error's text.
  bool readable(const std::string& content, std::vector<Request>& requests, std::string& message) const {
    directory_.write("damaged.trace" + std::string(GetParam().suffix), content);
    try {
      requests = read("damaged.trace" + std::string(GetParam().suffix));
      return true;
    } catch (const InputError& error) {
      message = error.what();
      EXPECT_EQ(error.place().file, directory_.path_of("damaged.trace") + GetParam().suffix) << message;
      return false;
    }
  }
  std::string compressed() const {
    directory_.write_compressed("whole", text_, GetParam().filter);
    return directory_.read("whole");
  }

  testing::TraceDirectory directory_;
  const std::string text_ = trace_text(1500);
};

TEST_P(WorkloadCompression, ReadsTheSameRequestsAsFromThePlainFile) {
  const auto plain = read("plain.trace");
  ASSERT_EQ(plain.size(), 1500u);
  directory_.write_compressed("t.trace" + std::string(GetParam().suffix), text_, GetParam().filter);
  EXPECT_TRUE(same(read("t.trace" + std::string(GetParam().suffix)), plain));
  directory_.write_compressed("noname", text_, GetParam().filter);
  EXPECT_TRUE(same(read("noname"), plain)) << "known by content";
}

TEST_P(WorkloadCompression, ATruncatedFileIsAnErrorWhereverItIsCut) {
  const std::string whole = compressed();
  ASSERT_GT(whole.size(), 5'000u);
  std::vector<Request> requests;
  std::string message;
  for (std::size_t size = 0; size < whole.size(); size += size < 64 || size + 64 > whole.size() ? 1 : 97) {
    ASSERT_FALSE(readable(whole.substr(0, size), requests, message)) << "cut to " << size << " of " << whole.size();
    // Not that a line is broken: it is the file that is.
    ASSERT_TRUE(message.find("truncated") != std::string::npos || message.find("damaged") != std::string::npos ||
                message.find("is named as a compressed file") != std::string::npos)
        << "cut to " << size << " of " << whole.size() << ": " << message;
  }
  EXPECT_TRUE(readable(whole, requests, message)) << message;
}

TEST_P(WorkloadCompression, AFileOfManyBlocksCutAnywhereIsAnError) {
  directory_.write_compressed("large", trace_text(30'000), GetParam().filter);
  const std::string whole = directory_.read("large");
  ASSERT_GT(whole.size(), 200'000u);
  std::vector<Request> requests;
  std::string message;
  for (std::size_t size = 20'000; size < whole.size(); size += 30'011) {
    ASSERT_FALSE(readable(whole.substr(0, size), requests, message)) << "cut to " << size << " of " << whole.size();
    ASSERT_TRUE(message.find("truncated") != std::string::npos || message.find("damaged") != std::string::npos);
  }
  ASSERT_TRUE(readable(whole, requests, message)) << message;
  EXPECT_EQ(requests.size(), 30'000u);
}

/// Those that libarchive writes with a checksum of the content (zstd: below; lzma has none).
class WorkloadChecksum : public WorkloadCompression {};

TEST_P(WorkloadChecksum, AFlippedBitIsAnErrorOrChangesNothing) {
  const auto plain = read("plain.trace");
  const std::string whole = compressed();
  std::vector<Request> requests;
  std::string message;
  int errors = 0;
  int tries = 0;
  for (std::size_t at = 0; at < whole.size(); at += at < 64 || at + 64 > whole.size() ? 1 : 53) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    ++tries;
    if (readable(damaged, requests, message))
      ASSERT_TRUE(same(requests, plain)) << "bit flipped in byte " << at << " of " << whole.size();
    else
      ++errors;
  }
  EXPECT_GT(errors, tries * 9 / 10);
}

constexpr Compression kGzip{"gzip", ".gz"}, kZstd{"zstd", ".zst"}, kXz{"xz", ".xz"}, kBzip2{"bzip2", ".bz2"},
    kLz4{"lz4", ".lz4"}, kLzma{"lzma", ".lzma"};

std::string name_of_case(const ::testing::TestParamInfo<Compression>& tested) {
  return tested.param.filter;
}

INSTANTIATE_TEST_SUITE_P(All, WorkloadCompression, ::testing::Values(kGzip, kZstd, kXz, kBzip2, kLz4, kLzma),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(All, WorkloadChecksum, ::testing::Values(kGzip, kXz, kBzip2, kLz4), name_of_case);

class WorkloadFiles : public ::testing::Test {
 protected:
  std::vector<Request> read(const std::string& file) const {
    return drain(*make_source(trace_params(file, WorkloadParams::disksim), 1, 0, directory_.path()));
  }
  std::string error(const std::string& file) const {
    try {
      read(file);
    } catch (const InputError& e) {
      EXPECT_EQ(e.place().file, directory_.path_of(file));
      return e.what();
    }
    ADD_FAILURE() << file << " was read";
    return {};
  }
  std::string gzip(const std::string& text) const {
    directory_.write_compressed("member", text, "gzip");
    return directory_.read("member");
  }

  testing::TraceDirectory directory_;
};

TEST_F(WorkloadFiles, GzipMembersFollowEachOtherAndZerosMayFollowTheLast) {
  directory_.write("two.gz", gzip("1.0 0 1 1 1\n2.0 0 ") + gzip("2 2 0\n") + std::string(700, '\0'));
  const auto all = read("two.gz");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].lbn, 2u);
}

TEST_F(WorkloadFiles, ASecondGzipMemberThatIsCutOrGarbageIsAnError) {
  const std::string first = gzip("1.0 0 1 1 1\n");
  const std::string second = gzip("2.0 0 2 2 0\n");
  for (std::size_t size = 1; size < second.size(); ++size) {
    directory_.write("cut.gz", first + second.substr(0, size));
    EXPECT_THROW(read("cut.gz"), InputError) << size << " bytes of the second member";
  }
  directory_.write("garbage.gz", first + "2.0 0 2 2 0\n");
  EXPECT_NE(error("garbage.gz").find("damaged"), std::string::npos);
}

TEST_F(WorkloadFiles, ALongFileTakesNoMoreMemoryThanAShortOne) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer keeps what was freed in quarantine: resident memory is not the reader's";
#endif
  {
    std::string member;
    for (int i = 0; i < 200'000; ++i) member += "1.0 0 12345678 8 1\n";
    member = gzip(member);
    std::string file;
    for (int i = 0; i < 20; ++i) file += member;
    directory_.write("long.gz", file);  // 4,000,000 lines, 76 MB of text
  }
  const auto resident_pages = [] {
    std::ifstream statm("/proc/self/statm");
    long size = 0;
    long resident = 0;
    statm >> size >> resident;
    return resident;
  };
  const auto source = make_source(trace_params("long.gz"), 1, 0, directory_.path());
  Request request;
  ASSERT_EQ(source->next(request), Source::Next::request);
  const long before = resident_pages();
  int n = 1;
  while (source->next(request) == Source::Next::request) ++n;
  EXPECT_EQ(n, 4'000'000);
  EXPECT_LT((resident_pages() - before) * ::sysconf(_SC_PAGESIZE), 2L << 20);
}

TEST_F(WorkloadFiles, TheChecksumOfAGzipFileIsChecked) {
  std::string text = "1.0 0 1 1 1\n";
  std::string file = gzip(text);
  file[file.size() - 8] = static_cast<char>(file[file.size() - 8] ^ 1);  // RFC 1952: CRC32, then the length
  directory_.write("crc.gz", file);
  EXPECT_NE(error("crc.gz").find("incorrect data check"), std::string::npos);
}

TEST_F(WorkloadFiles, ConcatenatedZstdFramesAreOneFile) {
  directory_.write_compressed("a", "1.0 0 1 1 1\n", "zstd");
  directory_.write_compressed("b", "2.0 0 2 2 0\n", "zstd");
  directory_.write("two.zst", directory_.read("a") + directory_.read("b"));
  EXPECT_EQ(read("two.zst").size(), 2u);
  directory_.write("cut.zst", directory_.read("a") + directory_.read("b").substr(0, 3));
  EXPECT_THROW(read("cut.zst"), InputError);
}

TEST_F(WorkloadFiles, AFlippedBitInAZstdFrameWithChecksumIsAnErrorOrChangesNothing) {
  // As `zstd -c` of 1.5.4 writes it: RFC 8878, a frame with a content checksum in its last four bytes.
  constexpr unsigned char kFrame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x25, 0x01, 0x00, 0xd8, 0x31, 0x2e, 0x30,
                                      0x20, 0x30, 0x20, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x20, 0x38,
                                      0x20, 0x31, 0x0a, 0x32, 0x39, 0x20, 0x31, 0x36, 0x20, 0x30, 0x0a, 0x02, 0x00,
                                      0x35, 0x13, 0xb0, 0x76, 0x32, 0x01, 0xc3, 0x8b, 0xa5, 0x6a};
  const std::string frame(reinterpret_cast<const char*>(kFrame), sizeof kFrame);
  directory_.write("whole.zst", frame);
  const auto whole = read("whole.zst");
  ASSERT_EQ(whole.size(), 2u);
  EXPECT_EQ(whole[0].lbn, 12'345'678u);
  EXPECT_EQ(whole[1].lbn, 23'456'789u);
  for (std::size_t bit = 0; bit < 8 * frame.size(); ++bit) {
    std::string damaged = frame;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    directory_.write("damaged.zst", damaged);
    try {
      EXPECT_TRUE(same(read("damaged.zst"), whole)) << "bit " << bit;
    } catch (const InputError&) {
      continue;
    }
  }
}

TEST_F(WorkloadFiles, AMissingFileADirectoryAndAnEmptyFileAreErrors) {
  EXPECT_NE(error("missing.trace").find("cannot be opened: No such file"), std::string::npos);
  std::filesystem::create_directory(directory_.path_of("folder"));
  EXPECT_NE(error("folder").find("is a directory"), std::string::npos);
  directory_.write("empty.trace", "");
  EXPECT_NE(error("empty.trace").find("the trace is empty"), std::string::npos);
  directory_.write("comments.trace", "# only\n\n# comments\n");
  EXPECT_NE(error("comments.trace").find("no request is left of the trace's 3 lines"), std::string::npos);
  directory_.write_compressed("empty.gz", "", "gzip");
  EXPECT_NE(error("empty.gz").find("the trace is empty"), std::string::npos);
}

TEST_F(WorkloadFiles, APlainFileNamedAsCompressedIsAnError) {
  directory_.write("plain.zst", "1.0 0 1 1 1\n");
  EXPECT_NE(error("plain.zst").find("is named as a compressed file"), std::string::npos);
  directory_.write("plain.gz", "1.0 0 1 1 1\n");
  EXPECT_NE(error("plain.gz").find("is named as a compressed file"), std::string::npos);
}

TEST_F(WorkloadFiles, AFileIsRelativeToTheScenarioUnlessItIsAbsolute) {
  directory_.write("t.trace", "1.0 0 1 1 1\n");
  const auto source = make_source(trace_params(directory_.path_of("t.trace")), 1, 0, "/nowhere");
  EXPECT_EQ(drain(*source).size(), 1u);
  std::filesystem::create_directory(directory_.path_of("scenarios"));
  EXPECT_EQ(drain(*make_source(trace_params("../t.trace"), 1, 0, directory_.path_of("scenarios"))).size(), 1u);
}

}  // namespace
}  // namespace armature::workload
