#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace armature::testing {

/// An ELF for RV32 with one segment, as a linker would write it, without symbols. Its fields may be spoilt.
struct ElfBytes {
  Elf32_Ehdr header{};
  Elf32_Phdr segment{};
  std::string contents;

  /// @param instructions  of four bytes each
  /// @param address       where they are loaded to, and where the first one begins
  explicit ElfBytes(const std::vector<std::uint32_t>& instructions, std::uint32_t address = 0x1000)
      : contents(reinterpret_cast<const char*>(instructions.data()), instructions.size() * 4) {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS32;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_EXEC;
    header.e_machine = EM_RISCV;
    header.e_version = EV_CURRENT;
    header.e_entry = address;
    header.e_phoff = sizeof header;
    header.e_ehsize = sizeof header;
    header.e_phentsize = sizeof segment;
    header.e_phnum = 1;
    segment.p_type = PT_LOAD;
    segment.p_offset = sizeof header + sizeof segment;
    segment.p_vaddr = segment.p_paddr = address;
    segment.p_filesz = segment.p_memsz = static_cast<std::uint32_t>(contents.size());
    segment.p_flags = PF_R | PF_X;
  }

  std::string bytes() const {
    return std::string(reinterpret_cast<const char*>(&header), sizeof header) +
           std::string(reinterpret_cast<const char*>(&segment), sizeof segment) + contents;
  }
};

}  // namespace armature::testing
