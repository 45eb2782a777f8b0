#pragma once

#include "armature/workload/params.h"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace armature::testing {

/// A directory of its own for the files of one test, removed at its end.
class TraceDirectory {
 public:
  TraceDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "armature-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("no temporary directory");
    path_ = name;
  }
  TraceDirectory(const TraceDirectory&) = delete;
  TraceDirectory& operator=(const TraceDirectory&) = delete;
  ~TraceDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  std::string path_of(const std::string& file) const { return path_ + "/" + file; }

  void write(const std::string& file, const std::string& content) const {
    std::ofstream out(path_of(file), std::ios::binary);
    out << content;
    ASSERT_TRUE(out.flush());
  }
  std::string read(const std::string& file) const {
    std::ifstream in(path_of(file), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  /// Compressed by libarchive; `filter` as it names them: "gzip", "zstd", "xz", "bzip2", "lz4", "lzma".
  void write_compressed(const std::string& file, const std::string& content, const std::string& filter) const {
    archive* const a = archive_write_new();
    ASSERT_EQ(archive_write_add_filter_by_name(a, filter.c_str()), ARCHIVE_OK) << archive_error_string(a);
    ASSERT_EQ(archive_write_set_format_raw(a), ARCHIVE_OK);
    ASSERT_EQ(archive_write_set_bytes_in_last_block(a, 1), ARCHIVE_OK);  // no padding to tape blocks
    ASSERT_EQ(archive_write_open_filename(a, path_of(file).c_str()), ARCHIVE_OK) << archive_error_string(a);
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, "data");
    archive_entry_set_filetype(entry, AE_IFREG);
    ASSERT_EQ(archive_write_header(a, entry), ARCHIVE_OK);
    ASSERT_EQ(archive_write_data(a, content.data(), content.size()), static_cast<la_ssize_t>(content.size()));
    ASSERT_EQ(archive_write_close(a), ARCHIVE_OK) << archive_error_string(a);
    archive_entry_free(entry);
    archive_write_free(a);
  }

 private:
  std::string path_;
};

/// Parameters of a trace, everything else at its default.
inline workload::WorkloadParams trace_params(
    const std::string& file, workload::WorkloadParams::Format format = workload::WorkloadParams::automatic) {
  workload::WorkloadParams params;
  params.kind = workload::WorkloadParams::trace;
  params.file = file;
  params.format = format;
  return params;
}

/// All requests of a source; in a closed loop each completes `service` after its arrival, before the next is asked for.
inline std::vector<workload::Request> drain(workload::Source& source, Ps service = 0) {
  std::vector<workload::Request> requests;
  for (workload::Request request;;) {
    switch (source.next(request)) {
      case workload::Source::Next::request:
        requests.push_back(request);
        source.completed(request, request.arrival + service);
        break;
      case workload::Source::Next::after_completion:
        ADD_FAILURE() << "waits for a completion while nothing is in flight";
        return requests;
      case workload::Source::Next::end:
        return requests;
    }
  }
}

}  // namespace armature::testing
