#pragma once

#include "armature/controller/processor.h"

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace armature::testing {

/// A bus whose writes are posted: a write is in its block when the same block is read next, or when the handler is
/// over. So a read overtakes the writes to other blocks, and blocks get their writes in another order than the
/// processor made them. Only the debug port, which tells what the model records, gets its writes at once. Bound between
/// processor and bus, or between a monitor and the bus, whose handlers it passes on to `watched_by`.
class PostedBus : public sc_core::sc_module, public controller::HandlerObserver {
 public:
  tlm_utils::simple_target_socket<PostedBus> from_cpu{"from_cpu"};
  tlm_utils::simple_initiator_socket<PostedBus> to_bus{"to_bus"};

  explicit PostedBus(sc_core::sc_module_name name);

  enum class Order { immediate, lowest_first, highest_first };  ///< of the blocks by address, when the handler is over
  Order order = Order::immediate;
  controller::HandlerObserver* watched_by = nullptr;
  /// Asked with the address and the word of each read: returns what firmware reads. What has happened in the hardware
  /// since the handler's last access is told so.
  std::function<std::uint32_t(std::uint32_t address, std::uint32_t word)> meanwhile;
  /// Told of each write when it is in its block.
  std::function<void(std::uint32_t address, std::uint32_t word)> written;
  /// Writes that a read of another block has overtaken.
  std::uint64_t overtaken() const { return overtaken_; }

  void handler_begins(unsigned cause) override;
  void handler_ends(unsigned cause) override;

 private:
  struct Write {
    std::uint32_t address, word;
  };
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  void deliver(std::uint32_t block);
  void write(const Write& write);

  std::map<std::uint32_t, std::vector<Write>> posted_;  ///< by block
  std::uint64_t overtaken_ = 0;
};

}  // namespace armature::testing
