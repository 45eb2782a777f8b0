#pragma once

#include "armature/iss/image.h"
#include "armature/iss/symbols.h"
#include "armature/regs/soc.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace armature::iss {

constexpr std::uint32_t kPageBytes = 4096;

class Image {
 public:
  /// A part of the code memory, whole pages.
  struct Pages {
    std::uint32_t address;
    std::uint32_t bytes;
  };
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
  /// Those that it uses, by address; neighbours are one. Nothing may be found in others.
  std::vector<Pages> code_pages() const;
  /// What is in the code memory at `address`: page-aligned if the address is.
  const std::uint8_t* code(std::uint32_t address) const;
  const std::vector<Piece>& data() const { return data_; }
  const Symbols& symbols() const { return symbols_; }
  std::string function_at(std::uint32_t address) const { return symbols_.function_at(address); }
  /// Address of the drive's context.
  std::optional<std::uint32_t> context() const { return context_; }

 private:
  struct Free {
    void operator()(std::uint8_t* memory) const;
  };

  [[noreturn]] void refuse(std::string_view why) const;
  void load_segments(void* elf, std::string_view file);
  void load(std::uint32_t address, std::uint32_t memory_bytes, std::string_view bytes);

  std::string name_;
  std::string elf_;
  std::uint32_t entry_ = 0;
  std::unique_ptr<std::uint8_t[], Free> code_;
  std::array<bool, regs::soc::kCodeMaxBytes / kPageBytes> used_pages_{};
  std::vector<Piece> data_;
  Symbols symbols_;
  std::optional<std::uint32_t> context_;
};

}  // namespace armature::iss
