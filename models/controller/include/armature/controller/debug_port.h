#pragma once

#include "armature/core/block_context.h"
#include "armature/core/register_bank.h"
#include "armature/core/time.h"
#include "armature/regs/dbg.h"

#include <systemc>

#include <array>
#include <bitset>
#include <cstdint>
#include <functional>
#include <string>

namespace armature::controller {

/// Firmware's console and its state by name. Registers: rtl/regs/dbg.rdl.
///
/// What firmware says that a command waits for becomes a phase of that request (core/request.h).
/// A line of the console is an SC_REPORT_INFO of the message type "firmware"; a write to `fatal` is a warning.
class DebugPort : public sc_core::sc_module {
 public:
  RegisterSocket regs{"regs"};

  DebugPort(sc_core::sc_module_name name, const BlockContext& context);

  /// Firmware met an impossible state and stopped.
  /// Called when firmware reports an impossible state, with the line of its source.
  std::function<void(std::uint32_t line)> on_failed;
  bool failed() const { return failed_; }
  std::uint32_t failed_line() const { return failed_line_; }  ///< of firmware's source, if it failed
  Ps failed_at() const { return failed_at_; }
  /// What firmware was doing when it failed.
  const char* failed_state() const { return failed_state_; }
  /// Name of the state that firmware shows (enum fw_state).
  const char* state_name() const;
  /// The counters and the state are those of power-on.
  void power_off();
  /// Counter `number` (enum fw_counter) as firmware wrote it last.
  std::uint32_t counter(unsigned number) const { return counters_[number]; }

 private:
  void put(std::uint32_t word);
  void show(std::uint32_t word);
  void fail(std::uint32_t line);
  void account(std::uint32_t word);
  void give_arm(std::uint32_t word);

  RequestObserver* const requests_;
  const char* last_state_ = "";  ///< before the one that it shows
  unsigned state_ = 0;
  VectorProbe tag_probe_;
  TextProbe state_probe_;
  RegisterBank bank_;
  std::string line_;
  bool failed_ = false;
  std::uint32_t failed_line_ = 0;
  Ps failed_at_ = 0;
  const char* failed_state_ = "";
  std::array<std::uint32_t, regs::dbg::kCounterCount> counters_{};
  std::bitset<1'024> waits_for_sector_;  ///< by tag: told so, and not yet that it is over
};

}  // namespace armature::controller
