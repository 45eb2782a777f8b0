#pragma once

#include "armature/iss/image.h"
#include "armature/iss/symbols.h"
#include "armature/regs/soc.h"
#include "program.h"
#include "zero_memory.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace armature::iss {

constexpr std::uint32_t kPageBytes = 4096;

class Image {
 public:
  /// What the data memory begins with.
  struct Piece {
    std::uint32_t address;
    std::string bytes;
  };

  /// @param name  for messages
  /// @param elf   the file's bytes. Throws InputError if they are no firmware that can run.
  Image(std::string name, std::string elf);

  const std::string& name() const { return name_; }

  std::uint32_t entry() const { return entry_; }
  /// The code memory, decoded: where it has something.
  const Program& program() const { return *program_; }
  /// Something may be found in these bytes of the code memory: they lie in pages that the ELF uses.
  bool has_code(std::uint32_t address, std::size_t bytes) const;
  /// What is in the code memory at `address`.
  const std::uint8_t* code(std::uint32_t address) const;
  const std::vector<Piece>& data() const { return data_; }
  const Symbols& symbols() const { return symbols_; }
  /// Address of the drive's context.
  std::optional<std::uint32_t> context() const { return context_; }

 private:
  [[noreturn]] void refuse(std::string_view why) const;
  void load_segments(void* elf, std::string_view file);
  void load(std::uint32_t address, std::uint32_t memory_bytes, std::string_view bytes);
  Program::Fetched fetch(std::uint32_t pc) const;

  std::string name_;
  std::string elf_;
  std::uint32_t entry_ = 0;
  ZeroMemory code_;
  std::optional<Program> program_;
  std::array<bool, regs::soc::kCodeMaxBytes / kPageBytes> used_pages_{};
  std::vector<Piece> data_;
  Symbols symbols_;
  std::optional<std::uint32_t> context_;
};

}  // namespace armature::iss
