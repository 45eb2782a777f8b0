#pragma once

#include "job.h"

#include <systemc>

#include <utility>
#include <vector>

namespace armature::array {

struct Array;
class Operations;

/// A drive of the array: a member or a spare.
struct Device final : host::RequestFeed::Owner {
  std::uint8_t* buffer(const workload::Request& request) override;
  void finished(const workload::Request& request, const host::CommandStatus& status, Ps at) override;

  Operations* operations = nullptr;
  unsigned number = 0;
  host::RequestFeed* feed = nullptr;
  bool failed = false;
  bool used = false;        ///< a spare that has taken a place
  bool lost_cache = false;  ///< has lost its supply since the stretches were made consistent
  bool unflushed = false;   ///< written to since the last flush, not to the media at once
  unsigned out = 0;
  Ps service = 0;          ///< of a read alone, mean over the last ones; 0: not known
  Ps asked_at = 0;         ///< when a read was given to it, the last time
  Ps read_at = 0;          ///< when a read of the host ended, the last time: then it is awake
  std::uint64_t last = 0;  ///< LBN behind the last operation given to it
};

/// The places (slots) of an array, the drives in them and the spares: who is in service for what.
class Members final : public sc_core::sc_module {
 public:
  Members(sc_core::sc_module_name name, Array& array, unsigned spares);

  unsigned slots() const { return static_cast<unsigned>(slots_.size()); }
  std::vector<Device>& devices() { return devices_; }
  const std::vector<Device>& devices() const { return devices_; }
  Device& device(unsigned slot) { return devices_[slots_[slot].device]; }
  const Device& device(unsigned slot) const { return devices_[slots_[slot].device]; }

  bool working(unsigned slot) const { return slots_[slot].service == Service::working; }
  bool rebuilding(unsigned slot) const { return slots_[slot].service == Service::rebuilding; }
  /// For all sectors before `end`.
  bool in_service(unsigned slot, std::uint64_t end) const;
  bool takes_writes(unsigned slot, std::uint64_t lbn) const;
  bool readable(const Job& job, unsigned slot, std::uint64_t row, std::uint64_t end) const;
  /// Slots that are not working.
  unsigned missing() const;
  /// Slots that are not in service for all sectors before `end`.
  unsigned gone(std::uint64_t end) const;
  /// Nothing that was written is lost by the members that are missing.
  bool whole() const;

  /// The copy that a read takes: -1 if none can be read.
  int choose_copy(const Job& job, const Piece& piece);
  /// From the time that a read has taken.
  static void learn(Device& device, const Sent& sent);

  void fail(unsigned device);
  /// A spare takes the first missing place. -1: no spare, or no such place.
  int put_spare();
  std::uint64_t rebuilt(unsigned slot) const { return slots_[slot].rebuilt; }
  void rebuilt_to(unsigned slot, std::uint64_t lbn) { slots_[slot].rebuilt = lbn; }
  void rebuild_ends(unsigned slot, bool complete);

 private:
  enum class Service : std::uint8_t { working, missing, rebuilding };
  struct Slot {
    unsigned device = 0;
    Service service = Service::working;
    std::uint64_t rebuilt = 0;  ///< of a rebuild: LBN up to which the spare is in service
  };

  Ps expected(const Device& device) const;
  void failure_due();

  Array& array_;
  std::vector<Slot> slots_;
  std::vector<Device> devices_;
  unsigned next_copy_ = 0;                         ///< round robin
  std::vector<std::pair<Ps, unsigned>> failures_;  ///< to come, the next one last
  sc_core::sc_event failure_;
};

}  // namespace armature::array
