// The table of commands as code.
#include "commands/command_table.h"

static const struct fw_command_entry kAbsent = {FW_ABSENT, 0, fw_abort};

const struct fw_command_entry* fw_command_entry_of(uint8_t code) {
  switch (code) {
#define FW_ENTRY(code, name, protocol, flags, handler, set, answer)           \
  case code: {                                                                \
    static const struct fw_command_entry kEntry = {protocol, flags, handler}; \
    return &kEntry;                                                           \
  }
    FW_COMMANDS(FW_ENTRY)
#undef FW_ENTRY
    default:
      return &kAbsent;
  }
}
