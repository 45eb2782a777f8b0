#pragma once

#include "armature/core/register_bank.h"

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace armature::controller {

/// The bus between processor and blocks: a router that takes no time of its own (a native handler's cost includes its
/// accesses). An address at which nothing is mapped is a TLM address error; offsets reach a block from its base on.
/// Blocking and debug transport only, and no direct memory interface: a register has side effects.
///
/// Bound so: `processor.bus.bind(bus.cpu); bus.map(regs::soc::kHifBase, 0x1000).bind(hif.regs);`
class SocBus : public sc_core::sc_module, public tlm::tlm_fw_transport_if<> {
 public:
  using BlockSocket = tlm_utils::simple_initiator_socket_optional<SocBus>;

  static constexpr std::size_t kMostBlocks = 40;  ///< as many as can be mapped

  tlm::tlm_target_socket<> cpu{"cpu"};  ///< not a simple one: this is passed thirty times a request

  explicit SocBus(sc_core::sc_module_name name);

  /// A socket for the addresses [base, base + bytes), both multiples of 4 KiB, not mapped yet. Before the simulation;
  /// at most kMostBlocks times.
  BlockSocket& map(std::uint32_t base, std::uint32_t bytes);

  /// A word of a block whose socket is bound to a RegisterBank, without a transaction: such an access is nothing but
  /// the register's. False: no such block or register is there, and nothing has happened; `b_transport` tells what it
  /// is.
  bool read(std::uint32_t address, std::uint32_t& word) {
    const Registers* const at = registers(address);
    return at && at->bank->read(address - at->base, word);
  }
  bool write(std::uint32_t address, std::uint32_t word) {
    const Registers* const at = registers(address);
    return at && at->bank->write(address - at->base, word);
  }

 private:
  static constexpr unsigned kPageBits = 12;
  static constexpr std::uint32_t kDeviceBase = 0x40000000;
  static constexpr std::uint32_t kDevicePages = 0x100;

  struct Region {
    std::uint32_t base;
    std::uint32_t bytes;
    tlm::tlm_blocking_transport_if<>* block;  ///< what the socket is bound to: looked up once
  };

  struct Registers {
    RegisterBank* bank = nullptr;  ///< null: what is mapped is no bank
    std::uint32_t base = 0;
  };

  const Registers* registers(std::uint32_t address) const {
    const std::uint32_t page = (address - kDeviceBase) >> kPageBits;
    return page < kDevicePages && registers_[page].bank ? &registers_[page] : nullptr;
  }

  void end_of_elaboration() override;
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& transaction) override;
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  Region* find(std::uint64_t address) {
    const std::uint64_t page =
        (address - kDeviceBase) >> kPageBits;  // far beyond the pages for an address below the base
    if (page >= kDevicePages) return find_beyond_devices(address);
    const unsigned number = device_pages_[page];
    return number > 0 ? &regions_[number - 1] : nullptr;
  }
  Region* find_beyond_devices(std::uint64_t address);

  std::array<std::uint8_t, kDevicePages> device_pages_{};  ///< 1 + region of each page of the device window, 0 for none
  std::array<Registers, kDevicePages> registers_;          ///< of each page of the device window
  std::vector<Region> regions_;                            ///< never reallocated
  std::vector<std::unique_ptr<BlockSocket>> sockets_;      ///< of the regions, and those not mapped yet
};

}  // namespace armature::controller
