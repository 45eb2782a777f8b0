// Functions and lines of an ELF, by libelf and libdw (elfutils).
#include "armature/iss/symbols.h"

#include <elfutils/libdw.h>
#include <fmt/format.h>
#include <gelf.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

namespace armature::iss {
namespace {

struct EndElf {
  void operator()(Elf* elf) const { elf_end(elf); }
};
struct EndDwarf {
  void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};
using ElfFile = std::unique_ptr<Elf, EndElf>;

ElfFile open(std::string_view bytes) {
  elf_version(EV_CURRENT);
  // libelf does not write to what it is handed without ELF_C_RDWR.
  ElfFile elf(elf_memory(const_cast<char*>(bytes.data()), bytes.size()));
  return elf && elf_kind(elf.get()) == ELF_K_ELF ? std::move(elf) : nullptr;
}

/// A section that holds instructions, of which there is one by this number.
std::optional<GElf_Shdr> code_section(Elf* elf, std::size_t number) {
  GElf_Shdr header;  // a copy: the table of a damaged file need not be aligned
  Elf_Scn* const section = number == SHN_UNDEF || number >= SHN_LORESERVE ? nullptr : elf_getscn(elf, number);
  if (!section || !gelf_getshdr(section, &header) || (header.sh_flags & SHF_EXECINSTR) == 0) return {};
  return header;
}

struct Candidate {
  std::string name;
  std::uint32_t begin;
  std::uint64_t bytes;        ///< 0: not known
  std::uint64_t section_end;  ///< where it ends at the latest
  bool typed, global;
};

/// Of several symbols at one address the one that people would name.
bool better(const Candidate& a, const Candidate& b) {
  if (a.typed != b.typed) return a.typed;
  if ((a.bytes > 0) != (b.bytes > 0)) return a.bytes > 0;
  return a.global && !b.global;
}

}  // namespace

Symbols::Symbols(std::string_view elf) : elf_(elf) {
  const ElfFile file = open(elf);
  if (!file) return;
  read_functions(file.get());
  read_sections(file.get());
}

void Symbols::read_sections(void* elf) {
  Elf* const file = static_cast<Elf*>(elf);
  for (Elf_Scn* section = elf_nextscn(file, nullptr); section; section = elf_nextscn(file, section)) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || (header.sh_flags & SHF_ALLOC) == 0 || header.sh_size == 0) continue;
    sections_.emplace_back(static_cast<std::uint32_t>(header.sh_addr),
                           static_cast<std::uint32_t>(header.sh_addr + header.sh_size));
  }
}

void Symbols::read_functions(void* elf) {
  Elf* const file = static_cast<Elf*>(elf);
  std::vector<Candidate> candidates;
  for (Elf_Scn* section = elf_nextscn(file, nullptr); section; section = elf_nextscn(file, section)) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB) continue;
    Elf_Data* const data = elf_getdata(section, nullptr);
    if (!data || header.sh_entsize == 0) continue;
    for (int i = 0; i < static_cast<int>(data->d_size / header.sh_entsize); ++i) {
      GElf_Sym symbol;
      if (!gelf_getsym(data, i, &symbol)) break;
      const char* const name = elf_strptr(file, header.sh_link, symbol.st_name);
      const unsigned type = GELF_ST_TYPE(symbol.st_info);
      if (!name || *name == '\0' || type == STT_FILE || type == STT_SECTION) continue;
      const auto address = static_cast<std::uint32_t>(symbol.st_value);
      addresses_.emplace_back(name, address);
      const bool typed = type == STT_FUNC, global = GELF_ST_BIND(symbol.st_info) != STB_LOCAL;
      const std::optional<GElf_Shdr> code = code_section(file, symbol.st_shndx);
      // Assembler code whose author gave it no type. Local ones are labels inside of it.
      if (!typed && !(type == STT_NOTYPE && global && code)) continue;
      candidates.push_back({name, address, symbol.st_size,
                            code ? code->sh_addr + code->sh_size : address + std::uint64_t{1}, typed, global});
    }
  }
  std::stable_sort(addresses_.begin(), addresses_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.begin != b.begin ? a.begin < b.begin : better(a, b);
  });
  candidates.erase(std::unique(candidates.begin(), candidates.end(),
                               [](const Candidate& a, const Candidate& b) { return a.begin == b.begin; }),
                   candidates.end());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& one = candidates[i];
    std::uint64_t end = one.bytes > 0 ? one.begin + one.bytes : one.section_end;
    if (i + 1 < candidates.size()) end = std::min<std::uint64_t>(end, candidates[i + 1].begin);
    end = std::min<std::uint64_t>(end, ~std::uint32_t{0});
    if (end > one.begin) functions_.push_back({one.name, one.begin, static_cast<std::uint32_t>(end)});
  }
}

namespace {

/// Numbers the source files of an ELF in the order in which they come.
class FileNumbers {
 public:
  explicit FileNumbers(std::vector<std::string>& files) : files_(files) {}

  std::uint32_t of(const char* path) {
    const auto [known, is_new] =
        numbers_.try_emplace(std::filesystem::path(path).lexically_normal().string(), files_.size());
    if (is_new) files_.push_back(known->first);
    return known->second;
  }

 private:
  std::vector<std::string>& files_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
};

/// One that lies in another's range comes from a damaged or merged table.
void put_in_order(std::vector<Symbols::Row>& rows) {
  using Row = Symbols::Row;
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.begin < b.begin; });
  rows.erase(std::unique(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.begin == b.begin; }),
             rows.end());
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) rows[i].end = std::min(rows[i].end, rows[i + 1].begin);
}

/// Calls `tell` for each function of the program that has an entry here.
void each_function(Dwarf* dwarf, const std::function<void(Dwarf_Die*)>& tell) {
  for (Dwarf_Off at = 0, after = 0; dwarf; at = after) {
    std::size_t header_bytes = 0;
    Dwarf_Die of_unit;
    if (dwarf_nextcu(dwarf, at, &after, &header_bytes, nullptr, nullptr, nullptr) != 0) break;
    if (!dwarf_offdie(dwarf, at + header_bytes, &of_unit)) continue;
    dwarf_getfuncs(
        &of_unit,
        [](Dwarf_Die* function, void* teller) {
          (*static_cast<const std::function<void(Dwarf_Die*)>*>(teller))(function);
          return static_cast<int>(DWARF_CB_OK);
        },
        const_cast<std::function<void(Dwarf_Die*)>*>(&tell), 0);
  }
}

}  // namespace

const Symbols::Lines& Symbols::lines() const {
  if (lines_) return *lines_;
  auto lines = std::make_unique<Lines>();
  const ElfFile elf = open(elf_);
  const std::unique_ptr<Dwarf, EndDwarf> dwarf(elf ? dwarf_begin_elf(elf.get(), DWARF_C_READ, nullptr) : nullptr);
  FileNumbers numbers(lines->files);
  // All line tables, those of assembler code that no unit describes too. A damaged one ends the list.
  Dwarf_Off offset = 0, next = 0;
  Dwarf_CU* unit = nullptr;
  Dwarf_Files* names = nullptr;
  Dwarf_Lines* table = nullptr;
  std::size_t name_count = 0, count = 0;
  while (dwarf && dwarf_next_lines(dwarf.get(), offset, &next, &unit, &names, &name_count, &table, &count) == 0) {
    offset = next;
    for (std::size_t i = 0; i + 1 < count; ++i) {
      Dwarf_Line* const line = dwarf_onesrcline(table, i);
      Dwarf_Addr begin = 0, end = 0;
      bool last = false;
      int number = 0;
      dwarf_lineaddr(line, &begin);
      dwarf_lineaddr(dwarf_onesrcline(table, i + 1), &end);
      dwarf_lineendsequence(line, &last);
      dwarf_lineno(line, &number);
      const char* const path = dwarf_linesrc(line, nullptr, nullptr);
      if (last || number <= 0 || end <= begin || !path) continue;
      // What the linker left out of the program has lines too, around address 0.
      if (end > ~std::uint32_t{0} || !function(static_cast<std::uint32_t>(begin))) continue;
      lines->rows.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), numbers.of(path),
                             static_cast<std::uint32_t>(number)});
    }
  }
  each_function(dwarf.get(), [&](Dwarf_Die* function) {
    Dwarf_Addr entry = 0;
    int line = 0;
    const char* const path = dwarf_decl_file(function);
    if (dwarf_entrypc(function, &entry) == 0 && path && dwarf_decl_line(function, &line) == 0 && line > 0)
      lines->declarations.try_emplace(static_cast<std::uint32_t>(entry), numbers.of(path),
                                      static_cast<std::uint32_t>(line));
  });
  put_in_order(lines->rows);
  lines_ = std::move(lines);
  return *lines_;
}

}  // namespace armature::iss
