#include "armature/gdb_server/target_description.h"

#include <fmt/format.h>

namespace armature::gdb_server {
namespace {

constexpr const char* kNames[] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "fp", "s1", "a0",
                                  "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                  "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6", "pc"};
constexpr const char* kControl[] = {"mstatus", "mie", "mtvec", "mscratch", "mepc", "mcause", "mtval"};
static_assert(std::size(kNames) == kPc + 1 && std::size(kControl) == kRegisters - kMstatus);

const char* type_of(unsigned number) {
  if (number == kPc || number == 1) return "code_ptr";
  return number == kStackPointer || number == 3 || number == 4 || number == 8 ? "data_ptr" : "int";
}

}  // namespace

std::string target_description() {
  std::string text =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target version=\"1.0\">\n"
      "<architecture>riscv:rv32</architecture>\n<feature name=\"org.gnu.gdb.riscv.cpu\">\n";
  for (unsigned number = 0; number <= kPc; ++number)
    text += fmt::format("<reg name=\"{}\" bitsize=\"32\" type=\"{}\" regnum=\"{}\"/>\n", kNames[number],
                        type_of(number), number);
  text += "</feature>\n<feature name=\"org.gnu.gdb.riscv.csr\">\n";
  for (unsigned number = kMstatus; number < kRegisters; ++number)
    text += fmt::format("<reg name=\"{}\" bitsize=\"32\" type=\"int\" regnum=\"{}\"/>\n", kControl[number - kMstatus],
                        number);
  return text + "</feature>\n</target>\n";
}

}  // namespace armature::gdb_server
