#pragma once

#include "armature/ahci/controller.h"
#include "armature/core/time.h"
#include "armature/sata/ata.h"
#include "armature/sata/fis.h"
#include "support/host_ram.h"

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace armature::testing {

/// A driver of an AHCI port, as libata and libahci of Linux do it: through registers and host memory only.
///
/// It works by interrupts: the handler reads IS and PxIS, clears them, and takes what PxCI and PxSACT no longer show as
/// done. After an error it stops the port, restarts it, reads the error log of queued commands (READ LOG EXT 10h), ends
/// the one that failed and issues the others again. Calls that wait run the simulation.
class AhciDriver : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<AhciDriver> registers{"registers"};

  struct Request {
    sata::RegisterH2D command;
    bool queued = false;
    bool write = false;
    std::uint32_t bytes = 0;             ///< of its data
    const std::uint8_t* data = nullptr;  ///< of a write
  };
  struct Result {
    bool done = false;
    bool ok = false;
    std::uint8_t status = 0, error = 0;
    std::vector<std::uint8_t> data;  ///< of a read
    Ps issued = 0, ended = 0;
    unsigned attempts = 0;
  };

  /// Its structures and buffers lie from `area` on, 40 MiB.
  AhciDriver(sc_core::sc_module_name name, HostRam& ram, unsigned port, std::uint64_t area);

  std::uint32_t descriptor_bytes = 4096;  ///< a descriptor has no more
  bool descriptors_ask = false;           ///< the last descriptor of a command has its interrupt bit set
  bool recovers = true;                   ///< after an error; otherwise it leaves the port as it is
  std::function<void(unsigned slot)> on_end;
  std::vector<std::string> errors;  ///< what the handler has seen, in words
  unsigned recoveries = 0, interrupts = 0, spurious = 0;

  std::uint32_t read_register(std::uint32_t offset);
  void write_register(std::uint32_t offset, std::uint32_t word);
  std::uint32_t port_register(std::uint32_t offset) { return read_register(0x80 * port_ + offset); }
  void write_port(std::uint32_t offset, std::uint32_t word) { write_register(0x80 * port_ + offset, word); }

  /// Section 10.1: controller reset, memory structures, spin-up, first Register FIS, start. False: no drive answers.
  bool start(bool reset_controller = true);
  bool reset_and_start();  ///< the whole controller, whatever is under way
  bool stop();             ///< PxCMD.ST, until PxCMD.CR is clear
  void enable();           ///< PxCMD.ST and interrupts
  bool comreset();         ///< PxSCTL.DET for 1 ms, then the signature
  bool soft_reset();       ///< two control frames in slot 0, then the signature
  bool wait_ready(Ps limit = 20 * kPsPerSecond);
  std::uint32_t signature();

  bool free(unsigned slot) const { return !busy_[slot]; }
  void issue(unsigned slot, const Request& request);
  /// Builds the memory structures without writing PxCI; `bytes` of descriptors.
  void build(unsigned slot, const Request& request, std::uint32_t bytes);
  const Result& result(unsigned slot) const { return results_[slot]; }
  bool wait(unsigned slot, Ps limit = 20 * kPsPerSecond);
  bool wait_all(Ps limit = 60 * kPsPerSecond);
  Result run(const Request& request, unsigned slot = 0);

  Result identify();
  static Request queued_read(std::uint64_t lba, std::uint32_t sectors, unsigned slot);
  static Request queued_write(std::uint64_t lba, std::uint32_t sectors, unsigned slot, const std::uint8_t* data);
  static Request pio_read(std::uint64_t lba, std::uint32_t sectors);
  static Request pio_write(std::uint64_t lba, std::uint32_t sectors, const std::uint8_t* data);
  static Request dma_read(std::uint64_t lba, std::uint32_t sectors);
  static Request dma_write(std::uint64_t lba, std::uint32_t sectors, const std::uint8_t* data);
  static Request no_data(unsigned code, unsigned features = 0, unsigned count = 0);

  /// Called when an interrupt message has arrived.
  void interrupt();
  std::uint64_t list() const { return area_; }
  std::uint64_t received() const { return area_ + 0x400; }
  std::uint64_t table(unsigned slot) const { return area_ + 0x1'0000 + std::uint64_t{slot} * 0x1'0000; }
  std::uint64_t buffer(unsigned slot) const { return area_ + 0x80'0000 + std::uint64_t{slot} * 0x10'0000; }

 private:
  bool wait_for(const std::function<bool()>& condition, Ps limit);
  void access(bool write, std::uint32_t offset, std::uint32_t& word);
  void send(unsigned slot);
  void finish(unsigned slot, bool ok, std::uint8_t status, std::uint8_t error);
  void recover();
  bool control_frame(std::uint8_t control, bool reset);

  HostRam& ram_;
  const unsigned port_;
  const std::uint64_t area_;
  std::array<Request, 32> requests_;
  std::array<std::vector<std::uint8_t>, 32> data_;  ///< of writes
  std::array<Result, 32> results_;
  std::array<bool, 32> busy_{};
  bool error_ = false;  ///< the handler has seen one; the port is stopped
  bool recovering_ = false;
};

}  // namespace armature::testing
