#pragma once

#include "armature/core/block_context.h"
#include "armature/host/host_bus_adapter.h"
#include "armature/observe/request_tracker.h"
#include "armature/platform/drive.h"

#include <systemc>
#include <tlm>

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

namespace armature {

/// Turns transactions of TLM's base protocol into commands of a host bus adapter: docs of `Drive`.
class BlockTarget final : public sc_core::sc_module, public tlm::tlm_fw_transport_if<>, private host::BlockClient {
 public:
  tlm::tlm_target_socket<> socket{"socket"};
  /// A request goes to the drive; it has ended. May be empty.
  std::function<void(const observe::Arrival&)> on_sent;
  std::function<void(std::uint64_t id, const host::CommandStatus&)> on_ended;

  /// @param tags          commands that may be at the drive at once
  /// @param sectors       of 512 bytes, the drive's capacity
  /// @param sector_bytes  of a logical sector
  BlockTarget(sc_core::sc_module_name name, host::BlockPort& port, unsigned tags, std::uint64_t sectors,
              std::uint32_t sector_bytes, observe::RequestTracker& tracker);

 private:
  struct Job {
    tlm::tlm_generic_payload* transaction = nullptr;
    host::BlockCommand command;
    observe::Arrival arrival;
    sc_core::sc_event* done = nullptr;  ///< who waits in b_transport; null: a transaction of nb_transport_fw
  };

  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }

  void command_done(unsigned tag, const host::CommandStatus& status, Ps at) override;
  void identified(const host::CommandStatus&, Ps) override {}

  std::optional<host::BlockCommand> command_of(tlm::tlm_generic_payload& transaction) const;
  void begin(const Job& job);
  void pump();
  void take_due();
  void finish(tlm::tlm_generic_payload& transaction);
  void respond();

  host::BlockPort& port_;
  const std::uint64_t bytes_;
  const std::uint32_t sector_bytes_;
  observe::RequestTracker& tracker_;
  std::vector<Job> at_drive_;  ///< by tag
  std::vector<unsigned> free_tags_;
  std::deque<Job> waiting_;
  std::uint64_t next_id_ = 0;

  struct Due {
    Ps at;
    tlm::tlm_generic_payload* transaction;
  };
  std::deque<Due> due_;  ///< of nb_transport_fw, whose annotated delay is not over yet; by time
  sc_core::sc_event due_event_;
  std::deque<tlm::tlm_generic_payload*> ended_;     ///< their BEGIN_RESP is to be sent
  tlm::tlm_generic_payload* responding_ = nullptr;  ///< its END_RESP has not come
  sc_core::sc_event respond_event_;
};

}  // namespace armature
