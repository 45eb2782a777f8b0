#pragma once

#include "armature/app/fault_record.h"
#include "armature/app/scenario.h"
#include "armature/drive/drive.h"
#include "armature/host/host_bus_adapter.h"
#include "armature/host/host_queue.h"
#include "armature/host/write_journal.h"
#include "armature/observe/run_outputs.h"
#include "armature/sata/link.h"

#include <systemc>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace armature::app {

/// What has become of a drive when its supply failed (faults of kind power_cut, host.commands: power off), and of the
/// sectors that were written.
struct PowerCut {
  Ps at = 0;
  Ps back = -1;                  ///< when the supply came back; -1: it did not
  bool checked = false;          ///< host.verify has looked at the medium
  std::uint64_t written = 0;     ///< sectors of 512 bytes that writes had gone to
  std::uint64_t unreadable = 0;  ///< of these
  std::uint64_t unfinished = 0;  ///< requests at the drive
};

/// A drive of a run with its link, `NAME.link` and `NAME.disk`, and everything that it has whatever its host is: its
/// requests in the results, faults, and a supply that fails and comes back.
class LinkedDrive : public sc_core::sc_module {
 public:
  const drive::Drive& disk() const { return *disk_; }
  drive::Drive& disk() { return *disk_; }
  const sata::Link& link() const { return link_; }
  const observe::RequestTracker& tracker() const { return tracker_; }

  /// Called at each completion.
  std::function<void()> on_completion;
  /// Called when the supply has failed, and when it is back.
  std::function<void(bool on)> on_supply;

  /// The supply fails now; false: it has failed already. `returns`: power_on will be called.
  bool power_off(bool returns);
  /// The supply is back: the host resets the drive at its COMINIT. False: it was there.
  bool power_on();
  /// In their order.
  const std::vector<PowerCut>& power_cuts() const { return power_cuts_; }
  /// Without a supply.
  bool dark() const { return !power_cuts_.empty() && power_cuts_.back().back < 0; }
  /// Null: the drive has no faults.
  const FaultRecord* fault_record() const { return faults_ ? &*faults_ : nullptr; }

  /// Tag under which a request is at the drive, as firmware knows it; -1: it is not there.
  virtual int tag_of(std::uint64_t request) const = 0;
  /// Nothing more will be asked of it.
  virtual bool finished() const = 0;
  /// Who waits for what, for a run without progress.
  virtual std::string diagnosis() const = 0;
  virtual host::HostBusAdapter::Counters host_counters() const = 0;
  virtual host::HostQueue::Batched batched() const { return {}; }
  /// Null: its host has no background reads.
  virtual const host::BackgroundReads* background() const { return nullptr; }
  /// Null: there is none.
  virtual const host::WriteJournal* journal() const { return nullptr; }

 protected:
  /// @param filter  what the drive tells by tags goes through it to `tracker`; may be null
  /// @param folder  of the drive's results
  LinkedDrive(sc_core::sc_module_name name, const DriveSetup& setup, observe::RequestTracker& tracker,
              const BlockContext& context, std::shared_ptr<RequestObserver> filter,
              const std::filesystem::path& folder);

  observe::RequestTracker& tracked() { return tracker_; }
  std::uint32_t logical_sectors() const { return logical_sectors_; }
  /// The host's end of the link.
  template <class Host>
  void connect(Host& host) {
    host.to_link.bind(link_.from_host);
    link_.to_host.bind(host.from_link);
    host.on_supply = [this](bool on) { supply_changed(on); };
  }

  // What becomes of the requests. `tag` is the drive's word for it, `slot` the host's.
  void request_sent(const observe::Arrival& request, unsigned slot, unsigned tag, Ps at);
  void request_ended(std::uint64_t request, unsigned slot, const host::CommandStatus& status, Ps at);

  virtual std::uint64_t requests_at_drive() const = 0;
  /// The supply has failed, or is back, as the host sees it on its link.
  virtual void supply_seen([[maybe_unused]] bool on) {}
  /// The supply has failed: what the medium holds now.
  virtual void look_at_medium([[maybe_unused]] PowerCut& cut) {}
  /// The supply has failed for good.
  virtual void supply_is_gone() {}
  /// The supply is about to be back.
  virtual void supply_returns() {}

 private:
  void supply_changed(bool on);

  observe::RequestTracker& tracker_;
  const std::shared_ptr<RequestObserver> filter_;
  const std::uint32_t logical_sectors_;
  sata::Link link_;
  const std::unique_ptr<drive::Drive> disk_;
  std::optional<FaultRecord> faults_;
  std::vector<PowerCut> power_cuts_;
};

/// "1 request has", "2 requests have".
inline std::string requests_have(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " request has" : " requests have");
}

/// Those of a drive that have arrived and not completed, a line each; the first of them.
std::string list_unfinished(const observe::RequestTracker& tracker);

}  // namespace armature::app
