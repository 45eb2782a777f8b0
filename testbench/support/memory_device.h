#pragma once

#include "armature/core/kernel_time.h"
#include "armature/core/random.h"
#include "armature/host/block_port.h"

#include <systemc>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace armature::testing {

/// A block device without link and mechanics: keeps its sectors in memory, takes a random time for each command, works
/// on all that it has at once, and so ends them in any order.
class MemoryDevice final : public sc_core::sc_module, public host::BlockPort {
 public:
  MemoryDevice(sc_core::sc_module_name name, std::uint64_t seed, Ps most = 4 * kPsPerMs)
      : sc_module(name), random_(seed, "memory device"), most_(most) {
    SC_HAS_PROCESS(MemoryDevice);
    SC_METHOD(over);
    sensitive << over_;
    dont_initialize();
  }

  std::set<std::uint64_t> unreadable;  ///< sectors; a write mends them
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t forced = 0;      ///< writes with forced unit access, of these
  std::uint64_t background = 0;  ///< commands of the background priority
  Ps extra = 0;                  ///< that a command takes on top of the random time

  void set_client(host::BlockClient& client) override { client_ = &client; }
  void issue(unsigned tag, const host::BlockCommand& command) override {
    const Ps ends = now() + 1 + extra + static_cast<Ps>(random_.below(static_cast<std::uint64_t>(most_)));
    out_.insert({ends, tag});
    if (tag >= commands_.size()) commands_.resize(tag + 1);
    commands_[tag] = command;
    background += command.background ? 1 : 0;
    over_.notify(to_sc_time(std::max<Ps>(out_.begin()->first - now(), 0)));
  }
  void identify() override {}
  const sata::IdentifyData& identity() const override { return identity_; }
  void control(const host::ControlCommand&) override {}

  /// Changes a byte behind everyone's back.
  void damage(std::uint64_t lbn) { sectors_[lbn][100] ^= 1; }

  /// Of each write that is under way some sectors from its begin on are on the medium, or none, or all; nothing is
  /// completed.
  void power_lost(RandomStream& random) {
    for (const auto& [ends, tag] : out_) {
      host::BlockCommand& command = commands_[tag];
      if (command.operation != Operation::write) continue;
      command.sectors = static_cast<std::uint32_t>(random.below(std::uint64_t{command.sectors} + 1));
      execute(command);
    }
    out_.clear();
    over_.cancel();
  }
  /// Has the contents of another one.
  void take(const MemoryDevice& other) { sectors_ = other.sectors_; }

 private:
  using Sector = std::array<std::uint8_t, 512>;

  void over() {
    while (!out_.empty() && out_.begin()->first <= now()) {
      const unsigned tag = out_.begin()->second;
      out_.erase(out_.begin());
      const bool ok = execute(commands_[tag]);
      client_->command_done(tag, ok ? host::CommandStatus{} : host::CommandStatus{false, 0x41, 0x40, bad_}, now());
    }
    if (!out_.empty()) over_.notify(to_sc_time(out_.begin()->first - now()));
  }

  bool execute(const host::BlockCommand& command) {
    if (command.operation == Operation::flush) return true;
    ++(command.operation == Operation::read ? reads : writes);
    if (command.operation == Operation::write && command.fua) ++forced;
    for (std::uint32_t i = 0; i < command.sectors; ++i) {
      const std::uint64_t lbn = command.lbn + i;
      std::uint8_t* const data = command.data + i * std::size_t{512};
      if (command.operation == Operation::write) {
        std::memcpy(sectors_[lbn].data(), data, 512);
        unreadable.erase(lbn);
      } else if (unreadable.count(lbn) > 0) {
        bad_ = lbn;
        return false;
      } else if (const auto found = sectors_.find(lbn); found != sectors_.end()) {
        std::memcpy(data, found->second.data(), 512);
      } else {
        std::memset(data, 0, 512);
      }
    }
    return true;
  }

  RandomStream random_;
  const Ps most_;
  host::BlockClient* client_ = nullptr;
  std::set<std::pair<Ps, unsigned>> out_;  ///< when it ends, and its tag
  std::vector<host::BlockCommand> commands_;
  std::unordered_map<std::uint64_t, Sector> sectors_;
  sc_core::sc_event over_;
  sata::IdentifyData identity_;
  std::uint64_t bad_ = 0;  ///< of a read that failed: the first sector that could not be read
};

}  // namespace armature::testing
