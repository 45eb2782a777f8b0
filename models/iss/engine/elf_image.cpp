#include "elf_image.h"

#include "armature/core/error.h"
#include "armature/core/input_file.h"
#include "armature/regs/soc.h"

#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace armature::iss {
namespace {

namespace soc = regs::soc;

constexpr std::uint32_t kDoubleFloatAbi = EF_RISCV_FLOAT_ABI;  ///< all bits of the field: no registers for floats
constexpr std::string_view kContextSymbol = "fw_the_context";  ///< models/firmware/rv32/machine.c
constexpr std::size_t kLargestFile = 256u << 20;

struct End {
  void operator()(Elf* elf) const { elf_end(elf); }
};

bool lies_in(std::uint64_t address, std::uint64_t bytes, std::uint64_t base, std::uint64_t size) {
  return address >= base && address + bytes <= base + size;
}

}  // namespace

Image::Image(std::string name, std::string bytes)
    : name_(std::move(name)), elf_(std::move(bytes)), code_(soc::kCodeMaxBytes) {
  const std::string_view elf = elf_;
  elf_version(EV_CURRENT);
  // libelf does not write to what it is handed without ELF_C_RDWR.
  const std::unique_ptr<Elf, End> file(elf_memory(const_cast<char*>(elf.data()), elf.size()));
  if (!file || elf_kind(file.get()) != ELF_K_ELF) refuse("is no ELF file");
  const Elf32_Ehdr* const header = elf32_getehdr(file.get());
  if (!header || header->e_machine != EM_RISCV || header->e_ident[EI_DATA] != ELFDATA2LSB)
    refuse("is no little-endian ELF file for RISC-V with 32 bits (-march=rv32imac -mabi=ilp32)");
  if (header->e_type != ET_EXEC) refuse("is no executable: link it, without -r, -shared and -pie");
  if ((header->e_flags & kDoubleFloatAbi) != 0 || (header->e_flags & EF_RISCV_RVE) != 0)
    refuse("was compiled for another kind of processor (-mabi=ilp32 is expected)");
  entry_ = header->e_entry;
  load_segments(file.get(), elf);
  if (entry_ % 2 != 0) refuse(fmt::format("begins at {:#010x}: an instruction lies at an even address", entry_));
  if (!has_code(entry_, 2)) refuse(fmt::format("begins at {:#010x}, where it has no code", entry_));
  program_.emplace(soc::kCodeBase, soc::kCodeMaxBytes, [this](std::uint32_t pc) { return fetch(pc); });
  symbols_ = Symbols(elf);
  context_ = symbols_.address(kContextSymbol);
}

void Image::refuse(std::string_view why) const {
  throw InputError(Place{name_}, why);
}

const std::uint8_t* Image::code(std::uint32_t address) const {
  return code_.data() + (address - soc::kCodeBase);
}

void Image::load_segments(void* elf, std::string_view file) {
  std::size_t count = 0;
  if (elf_getphdrnum(static_cast<Elf*>(elf), &count) != 0) refuse("is damaged: its segments cannot be told");
  const Elf32_Ehdr* const header = elf32_getehdr(static_cast<Elf*>(elf));
  const char* const beyond = "is damaged: its table of segments lies beyond its end";
  if (header->e_phnum > 0 && count == 0) refuse(beyond);
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;  // a copy: the table of a damaged file need not be aligned
    if (!gelf_getphdr(static_cast<Elf*>(elf), static_cast<int>(i), &segment)) refuse(beyond);
    if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
    if (segment.p_filesz > segment.p_memsz || segment.p_offset > file.size() ||
        segment.p_filesz > file.size() - segment.p_offset)
      refuse(fmt::format("is damaged: segment {} lies beyond its end", i));
    // Where it is loaded to, not where it runs: start code copies what it wants to have elsewhere, as from a flash.
    load(static_cast<std::uint32_t>(segment.p_paddr), static_cast<std::uint32_t>(segment.p_memsz),
         file.substr(segment.p_offset, segment.p_filesz));
  }
}

void Image::load(std::uint32_t address, std::uint32_t memory_bytes, std::string_view bytes) {
  if (lies_in(address, memory_bytes, soc::kDataBase, soc::kDataMaxBytes)) {
    if (!bytes.empty()) data_.push_back({address, std::string(bytes)});
    return;
  }
  if (!lies_in(address, memory_bytes, soc::kCodeBase, soc::kCodeMaxBytes))
    refuse(fmt::format(
        "does not fit: {} bytes from {:#010x} on lie in no memory (code: {} KiB from {:#010x} on, data: "
        "{} KiB from {:#010x} on)",
        memory_bytes, address, soc::kCodeMaxBytes >> 10, soc::kCodeBase, soc::kDataMaxBytes >> 10, soc::kDataBase));
  std::memcpy(code_.data() + (address - soc::kCodeBase), bytes.data(), bytes.size());
  const std::uint32_t first = (address - soc::kCodeBase) / kPageBytes;
  const std::uint32_t last = (address - soc::kCodeBase + memory_bytes - 1) / kPageBytes;
  for (std::uint32_t page = first; page <= last; ++page) used_pages_[page] = true;
}

bool Image::has_code(std::uint32_t address, std::size_t bytes) const {
  if (bytes == 0 || !lies_in(address, bytes, soc::kCodeBase, soc::kCodeMaxBytes)) return false;
  const std::size_t first = (address - soc::kCodeBase) / kPageBytes;
  const std::size_t last = (address - soc::kCodeBase + bytes - 1) / kPageBytes;
  for (std::size_t page = first; page <= last; ++page)
    if (!used_pages_[page]) return false;
  return true;
}

Program::Fetched Image::fetch(std::uint32_t pc) const {
  std::uint32_t word = 0;
  if (!has_code(pc, 2)) return {false, 0};
  std::memcpy(&word, code(pc), 2);
  if ((word & 3u) != 3u) return {true, word};
  if (!has_code(pc, 4)) return {false, 0};
  std::memcpy(&word, code(pc), 4);
  return {true, word};
}

const Symbols& symbols_of(const Image& image) {
  return image.symbols();
}

const std::string& name_of(const Image& image) {
  return image.name();
}

std::shared_ptr<const Image> image_of(const std::string& name, std::string bytes) {
  return std::make_shared<const Image>(name, std::move(bytes));
}

std::shared_ptr<const Image> load_image(const std::string& path) {
  static std::map<std::string, std::weak_ptr<const Image>> known;
  if (std::shared_ptr<const Image> image = known[path].lock()) return image;
  auto image = std::make_shared<const Image>(path, read_input_file(path, kLargestFile));
  known[path] = image;
  return image;
}

}  // namespace armature::iss
