#pragma once

#include <cstdint>
#include <string>

namespace armature::gdb_server {

/// Numbers of a hart's registers, as `g`, `p` and the target description have them: x0 to x31, pc, then the control
/// registers of machine mode that there are.
enum RegisterNumber : unsigned {
  kStackPointer = 2,
  kPc = 32,
  kMstatus,
  kMie,
  kMtvec,
  kMscratch,
  kMepc,
  kMcause,
  kMtval,
  kRegisters,
};

/// The description that gdb reads (qXfer:features:read:target.xml): riscv:rv32, no floating point.
/// "Debugging with GDB", appendix G, 5.10 (RISC-V Features).
std::string target_description();

}  // namespace armature::gdb_server
