#include "support/posted_bus.h"

#include "armature/regs/soc.h"

#include <cstring>

namespace armature::testing {

namespace {

namespace map = regs::soc;

std::uint32_t block_of(std::uint32_t address) {
  const bool one_of_several = address >= map::kSrvBase && address < map::kBufBase;  // servos, spindles, channels
  if (address >= map::kRamBase) return map::kRamBase;
  return address & (one_of_several ? 0xFFFF'F000u : 0xFFFF'0000u);
}

}  // namespace

PostedBus::PostedBus(sc_core::sc_module_name name) : sc_module(name) {
  from_cpu.register_b_transport(this, &PostedBus::b_transport);
}

void PostedBus::handler_begins(unsigned cause) {
  if (watched_by != nullptr) watched_by->handler_begins(cause);
}

void PostedBus::handler_ends(unsigned cause) {
  while (!posted_.empty()) deliver(order == Order::lowest_first ? posted_.begin()->first : posted_.rbegin()->first);
  if (watched_by != nullptr) watched_by->handler_ends(cause);
}

void PostedBus::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  const auto address = static_cast<std::uint32_t>(transaction.get_address());
  const std::uint32_t block = block_of(address);
  if (order != Order::immediate && transaction.is_write() && block != map::kDbgBase) {
    Write write{address, 0};
    std::memcpy(&write.word, transaction.get_data_ptr(), sizeof write.word);
    posted_[block].push_back(write);
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
    return;
  }
  deliver(block);
  for (const auto& [other, writes] : posted_) overtaken_ += writes.size();
  to_bus->b_transport(transaction, delay);
  if (transaction.is_write() || !meanwhile) return;
  std::uint32_t word = 0;
  std::memcpy(&word, transaction.get_data_ptr(), sizeof word);
  word = meanwhile(address, word);
  std::memcpy(transaction.get_data_ptr(), &word, sizeof word);
}

void PostedBus::deliver(std::uint32_t block) {
  const auto found = posted_.find(block);
  if (found == posted_.end()) return;
  const std::vector<Write> writes = std::move(found->second);
  posted_.erase(found);
  for (const Write& w : writes) write(w);
}

void PostedBus::write(const Write& write) {
  tlm::tlm_generic_payload transaction;
  std::uint32_t word = write.word;
  transaction.set_write();
  transaction.set_address(write.address);
  transaction.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
  transaction.set_data_length(sizeof word);
  transaction.set_streaming_width(sizeof word);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  to_bus->b_transport(transaction, delay);
  if (written) written(write.address, write.word);
}

}  // namespace armature::testing
