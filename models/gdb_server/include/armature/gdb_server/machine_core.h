#pragma once

#include "armature/gdb_server/core.h"
#include "armature/gdb_server/session.h"
#include "armature/gdb_server/time_travel.h"
#include "armature/iss/machine.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace armature::gdb_server {

/// A machine that runs firmware as a session's hart.
///
/// A stop at a watchpoint is before the access, as gdb expects it of a RISC-V hart: gdb steps over it and compares the
/// values. The instruction has its operands by then, so registers are not to be changed there.
///
/// Where the machine is ahead of simulated time, it waits for the instant of what it may stop at.
class MachineCore final : public Core, private iss::Watcher, private iss::Holder {
 public:
  /// What is around the machine.
  struct Surroundings {
    /// The word at an aligned address of the bus, by its debug path; nothing if no block answers.
    std::function<std::optional<std::uint32_t>(std::uint32_t)> word;
    std::function<std::string()> state;  ///< Core::state
    /// Asked before each instruction while `ask` is set: a reason of the surroundings to stop there, which counts once.
    std::function<std::optional<Stop>()> stops;
    std::function<bool()> may_stop;  ///< `stops` would have one
    std::function<bool()> is_ahead;  ///< the machine is ahead of simulated time
  };

  /// @param machine  outlives the core
  MachineCore(std::string name, iss::Machine& machine, Surroundings surroundings);
  ~MachineCore();
  MachineCore(const MachineCore&) = delete;
  MachineCore& operator=(const MachineCore&) = delete;

  /// From now on `session` sees the machine as its hart `number`.
  void attach(Session& session, std::size_t number);
  void detach();
  /// Null: the run goes forwards only. @param travel  outlives the attachment
  void set_time_travel(TimeTravel* travel) { travel_ = travel; }
  void ask(bool asks) { asks_ = asks; }

  std::string name() const override { return name_; }
  std::string state() const override { return surroundings_.state(); }
  std::uint32_t reg(unsigned number) const override;
  void set_reg(unsigned number, std::uint32_t value) override;
  std::string read(std::uint32_t address, std::size_t bytes) override;
  bool write(std::uint32_t address, const std::string& bytes) override;
  std::uint64_t position() const override { return machine_.instructions(); }
  iss::Machine& machine() { return machine_; }
  /// The machine has stopped by its mistake, in this instant.
  void mistaken();

 private:
  void instruction(iss::Machine& machine) override;
  void access(iss::Machine& machine, const iss::DataAccess& access) override;
  bool holds(iss::Machine& machine) override;
  bool holds(iss::Machine& machine, const iss::DataAccess& access) override;

  const std::string name_;
  iss::Machine& machine_;
  const Surroundings surroundings_;
  Session* session_ = nullptr;
  TimeTravel* travel_ = nullptr;
  std::size_t number_ = 0;
  bool asks_ = false;
};

}  // namespace armature::gdb_server
