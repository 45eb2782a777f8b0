#pragma once

#include "armature/core/kernel_time.h"
#include "armature/host/block_port.h"

#include <systemc>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace armature::testing {

/// A block device in memory without link and drive: a command takes 1 ms, one at a time in their order.
class MemoryPort final : public sc_core::sc_module, public host::BlockPort {
 public:
  explicit MemoryPort(sc_core::sc_module_name name) : sc_module(name) {
    SC_HAS_PROCESS(MemoryPort);
    SC_METHOD(over);
    sensitive << over_;
    dont_initialize();
    identity_.queue_depth = 3;
  }
  void set_client(host::BlockClient& client) override { client_ = &client; }
  void issue(unsigned tag, const host::BlockCommand& command) override { begin({Kind::request, tag, command, {}}); }
  void identify() override { begin({Kind::identify, 0, {}, {}}); }
  const sata::IdentifyData& identity() const override { return identity_; }
  void control(const host::ControlCommand& command) override { begin({Kind::control, 0, {}, command}); }

  std::vector<std::pair<Ps, host::ControlCommand>> controls;  ///< when they were sent
  std::vector<std::pair<Ps, std::uint64_t>> issued;           ///< times and LBNs
  std::map<std::uint64_t, std::uint8_t> first_bytes;          ///< of written sectors
  std::uint64_t bad_lbn = ~std::uint64_t{0};                  ///< fails
  unsigned most = 0;                                          ///< requests at once

 private:
  enum class Kind { request, identify, control };
  struct Item {
    Kind kind;
    unsigned tag;
    host::BlockCommand command;
    host::ControlCommand control;
  };

  void begin(const Item& item) {
    if (item.kind == Kind::control) controls.emplace_back(now(), item.control);
    if (item.kind == Kind::request) issued.emplace_back(now(), item.command.lbn);
    items_.push_back(item);
    most = std::max(most, static_cast<unsigned>(items_.size()));
    if (items_.size() == 1) over_.notify(to_sc_time(kPsPerMs));
  }
  void over() {
    const Item item = items_.front();
    items_.pop_front();
    if (!items_.empty()) over_.notify(to_sc_time(kPsPerMs));
    if (item.kind == Kind::identify) return client_->identified({}, now());
    if (item.kind == Kind::control) return client_->controlled({}, now());
    if (item.command.data && item.command.operation == Operation::write)
      first_bytes[item.command.lbn] = item.command.data[0];
    if (item.command.data && item.command.operation == Operation::read)
      item.command.data[0] = first_bytes[item.command.lbn];
    const bool bad = item.command.lbn == bad_lbn;
    client_->command_done(item.tag, bad ? host::CommandStatus{false, 0x41, 0x40, bad_lbn} : host::CommandStatus{},
                          now());
  }

  host::BlockClient* client_ = nullptr;
  std::deque<Item> items_;
  sc_core::sc_event over_;
  sata::IdentifyData identity_;
};

}  // namespace armature::testing
