#pragma once

#include "armature/array/operation.h"
#include "member_bus.h"

#include <systemc>

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace armature::array {

struct Array;

/// Buses that members share: the data of a write go over the bus before the drive gets it, those of a read after the
/// drive has completed it.
class Buses final : public sc_core::sc_module {
 public:
  Buses(sc_core::sc_module_name name, Array& array, std::size_t devices);

  bool any() const { return !all_.empty(); }
  /// The operation's turn, which is written to it.
  void take(MemberOperation& operation);
  /// Operations whose turn has ended at this instant, in the order of their numbers. Valid until the next call.
  const std::vector<std::uint64_t>& ended();
  /// Time that each bus was taken.
  std::vector<Ps> busy() const;

 private:
  void due();

  Array& array_;
  std::vector<MemberBus> all_;
  std::vector<unsigned> of_device_;                ///< by device, its bus
  std::set<std::pair<Ps, std::uint64_t>> waking_;  ///< when an operation's turn ends, and the operation
  std::vector<std::uint64_t> ended_, settled_;     ///< of this instant, and what ended() has taken of them
  sc_core::sc_event wake_;
};

}  // namespace armature::array
