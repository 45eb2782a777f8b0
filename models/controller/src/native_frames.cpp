#include "native_frames.h"

#ifndef ARMATURE_LIBDW

namespace armature::controller {

std::string firmware_frames(void* const*, int) {
  return {};
}

}  // namespace armature::controller

#else

#include "armature/iss/symbols.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace armature::controller {
namespace {

constexpr int kMostNamed = 4;

struct EndOfDwfl {
  void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
};

// What a module holds itself is enough; nothing is looked for elsewhere, and not over a network.
int no_debuginfo(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*, GElf_Word, char**) {
  return -1;
}

/// The innermost function, inlined ones too; the name of the symbol if the compiler left no more.
std::string function_at(Dwfl_Module* module, Dwarf_Addr address) {
  Dwarf_Addr bias = 0;
  if (Dwarf_Die* const unit = dwfl_module_addrdie(module, address, &bias)) {
    Dwarf_Die* scopes = nullptr;
    const int count = dwarf_getscopes(unit, address - bias, &scopes);
    const std::unique_ptr<Dwarf_Die, decltype(&std::free)> held(scopes, std::free);
    for (int i = 0; i < count; ++i) {
      const int tag = dwarf_tag(&scopes[i]);
      if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) continue;
      if (const char* const name = dwarf_diename(&scopes[i])) return name;
    }
  }
  const char* const symbol = dwfl_module_addrname(module, address);
  return symbol ? symbol : "?";
}

bool is_c(std::string_view path) {
  return path.size() > 2 && path.substr(path.size() - 2) == ".c";
}

}  // namespace

std::string firmware_frames(void* const* frames, int count) {
  Dwfl_Callbacks callbacks{};
  callbacks.find_elf = dwfl_linux_proc_find_elf;
  callbacks.find_debuginfo = no_debuginfo;
  const std::unique_ptr<Dwfl, EndOfDwfl> dwfl(dwfl_begin(&callbacks));
  if (!dwfl || dwfl_linux_proc_report(dwfl.get(), getpid()) != 0 || dwfl_report_end(dwfl.get(), nullptr, nullptr) != 0)
    return {};
  std::string text, last;
  int named = 0;
  for (int i = 0; i < count && named < kMostNamed; ++i) {
    const Dwarf_Addr address = reinterpret_cast<std::uintptr_t>(frames[i]) - 1;
    Dwfl_Module* const module = dwfl_addrmodule(dwfl.get(), address);
    Dwfl_Line* const line = module ? dwfl_module_getsrc(module, address) : nullptr;
    int number = 0;
    const char* const file = line ? dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr) : nullptr;
    if (!file || !is_c(file)) {
      if (named > 0) break;  // who called firmware
      continue;
    }
    std::string frame = fmt::format("{} ({}:{})", function_at(module, address), iss::short_path(file), number);
    if (frame == last) continue;  // of a function that calls itself
    text += fmt::format("{}{}", named == 0 ? "" : ", called by ", frame);
    last = std::move(frame);
    ++named;
  }
  return text;
}

}  // namespace armature::controller

#endif
