#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace armature::checkpoint {

/// The descriptors of this process that are open now.
std::set<int> open_descriptors();

/// Why a run could not be repeated from here: the process has threads, reads or writes a pipe, or shares memory with
/// others. Empty: it can be.
/// @param inherited  descriptors that the process had from its parent: not this run's business
/// @param own        a mapping of the caller that is shared on purpose
std::string unrepeatable(const std::set<int>& inherited, const void* own);

/// The files that a process has open, with how long they are and where it reads and writes next. Processes that come
/// from one fork share their files: if one goes on from where another was, the files must be as they were then.
///
/// A file with a name is put back by its length and offset, so what is written over in its middle is not undone.
/// A file without one (std::tmpfile) serves as memory: a process that sleeps has copies of its own, mappings too.
/// Standard input, output and error stay as they are, because others write there as well.
class OpenFiles {
 public:
  /// As they are now. @param inherited  as above
  explicit OpenFiles(const std::set<int>& inherited);

  /// Gives the process copies of its files without a name. Throws std::system_error.
  void own_copies();
  /// Lengths and offsets as they were. Throws std::system_error.
  void put_back() const;

 private:
  struct File {
    int descriptor;
    dev_t device;
    ino_t number;
    off_t offset;
    off_t length;
    bool written;
    bool nameless;
  };
  std::vector<File> files_;
};

}  // namespace armature::checkpoint
