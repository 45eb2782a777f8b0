#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace armature::gdb_server {

/// A hart with its memories as gdb sees it: one thread. All of this has no effect on what is not written to.
class Core {
 public:
  virtual std::string name() const = 0;
  /// What it is doing, in a few words, for `info threads`.
  virtual std::string state() const = 0;

  virtual std::uint32_t reg(unsigned number) const = 0;  ///< @param number  a RegisterNumber
  virtual void set_reg(unsigned number, std::uint32_t value) = 0;

  /// Bytes from `address` on: of memories, or of blocks' registers through their debug path. As many as there are up to
  /// `bytes`; none where there is nothing.
  virtual std::string read(std::uint32_t address, std::size_t bytes) = 0;
  /// False: no memory that may be written to. Nothing is written then.
  virtual bool write(std::uint32_t address, const std::string& bytes) = 0;

  /// Instructions since power-on: where in its run the hart is.
  virtual std::uint64_t position() const = 0;

 protected:
  ~Core() = default;
};

/// What `monitor WORDS` does: commands about the simulation around the hart.
class Monitor {
 public:
  /// The answer, lines with their ends. What it cannot do it says, too.
  virtual std::string command(const std::string& words, std::size_t core) = 0;

 protected:
  ~Monitor() = default;
};

}  // namespace armature::gdb_server
