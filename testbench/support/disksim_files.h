#pragma once

#include "armature/importer/disksim.h"
#include "support/tree.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace armature::testing {

/// The small disk of testbench/support/disksim, changed as a test wants it, without a file being written.
class DiskSimFiles {
 public:
  DiskSimFiles() {
    for (const char* const name : {"small.diskspecs", "small.model", "small.seek"})
      files_["d/" + std::string(name)] =
          importer::read_file(std::string(ARMATURE_SOURCE_DIR) + "/testbench/support/disksim/" + name);
  }

  /// In the file where `from` stands, and it must stand there once.
  DiskSimFiles& change(const std::string& from, const std::string& to) {
    int found = 0;
    for (auto& [name, text] : files_) {
      for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
        ++found;
      }
    }
    EXPECT_EQ(found, 1) << from;
    return *this;
  }
  DiskSimFiles& set(const std::string& name, const std::string& text) {
    files_["d/" + name] = text;
    return *this;
  }

  importer::ImportedDrive import(const importer::DiskSimOptions& options = {},
                                 const std::string& first = "small.diskspecs") const {
    return importer::import_disksim("d/" + first, options, [this](const std::string& path) {
      const auto file = files_.find(path);
      if (file == files_.end()) throw InputError(Place{path}, "cannot be read");
      return file->second;
    });
  }

  /// What is said of a refused file; "accepted" if it is not.
  std::string message(const std::string& first = "small.diskspecs") const {
    try {
      import({}, first);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }

 private:
  std::map<std::string, std::string> files_;
};

}  // namespace armature::testing
