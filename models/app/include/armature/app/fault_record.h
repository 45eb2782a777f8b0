#pragma once

#include "armature/core/request.h"
#include "armature/core/time.h"
#include "armature/drive/fault_injector.h"
#include "armature/host/request_listener.h"
#include "armature/observe/run_outputs.h"
#include "armature/sata/link.h"

#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace armature::app {

/// What the host's side has to do with the faults of one drive: frames of the link are damaged, and faults.csv tells
/// when each began and ended and which requests it touched.
class FaultRecord {
 public:
  /// @param requests  tells which request has a tag, as the drive tells tags; null: there are no requests
  /// @param folder    of the drive's results; empty: none are written
  FaultRecord(drive::FaultInjector& faults, sata::Link& link, const RequestObserver* requests,
              const std::filesystem::path& folder);

  void sent(const observe::Arrival& request);
  void ended(std::uint64_t request, const host::CommandStatus& status);
  /// The supply fails, or is back.
  std::function<void(bool on, bool returns)> on_supply;
  /// For summary.json.
  void add_counters(std::vector<observe::Counter>& counted) const;

 private:
  struct Damage {
    unsigned fault;
    std::int64_t left;  ///< frames
  };
  /// Writes that a fault may have spoiled on the medium: one, or all up to a loss of power.
  struct Mark {
    unsigned fault;
    std::uint64_t first_order;
    std::uint64_t last_order;
  };
  struct Write {
    std::uint64_t request;
    std::uint64_t first;
    std::uint64_t end;
    std::uint64_t order;  ///< of sending
  };
  void mark(unsigned number, std::int64_t request);
  void blame(std::uint64_t request, std::uint64_t lbn);
  bool damages(const sata::Frame& frame, bool from_host);
  bool spent(unsigned number) const;
  void touched(unsigned number, std::int64_t request);
  void row(unsigned number, const char* event, std::int64_t request);

  drive::FaultInjector& faults_;
  std::vector<Damage> damage_;
  std::set<std::pair<unsigned, std::int64_t>> known_;  ///< fault and request, or -1
  std::set<std::int64_t> touched_;                     ///< requests
  std::set<std::int64_t> at_drive_;                    ///< requests
  std::vector<std::uint64_t> begun_;                   ///< by kind
  std::deque<Write> writes_;                           ///< the last ones, in the order in which they were sent
  std::vector<Mark> marks_;
  std::uint64_t order_ = 0;
  std::ofstream rows_;
};

}  // namespace armature::app
