#pragma once

#include "armature/core/request.h"
#include "armature/core/time.h"
#include "armature/host/request_listener.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace armature::array {

/// What a member operation is for.
enum class Purpose : std::uint8_t {
  data,            ///< data that the host reads or writes
  old_data,        ///< read to take it out of the parity
  old_parity,      ///< the same
  other_data,      ///< rest of a row, read to make its parity
  parity,          ///< parity written
  reconstruct,     ///< read to make the data of a member that is out of service
  rebuild_read,    ///< read to make the contents of a spare
  rebuild_write,   ///< written to the spare
  resync_read,     ///< read to make copies or parity agree after a loss of power
  resync_write,    ///< copies or parity made anew
  scrub_read,      ///< read by a scrub
  scrub_write,     ///< sectors that could not be read, made anew by a scrub
  deferred_read,   ///< read from a copy that is up to date
  deferred_write,  ///< written to a copy that slept
  check,           ///< read to check the redundancy
  store_read,      ///< data that the host reads, from the store in front of the members
  store_write,     ///< that it writes, into this store
  store_fill,      ///< that it has read from the members, into this store
  destage_read,    ///< read from this store, to be written to the members
  flush,
};
inline constexpr std::array<std::string_view, 20> kPurposeNames = {
    "data",          "old_data",    "old_parity",   "other_data", "parity",       "reconstruct",   "rebuild_read",
    "rebuild_write", "resync_read", "resync_write", "scrub_read", "scrub_write",  "deferred_read", "deferred_write",
    "check",         "store_read",  "store_write",  "store_fill", "destage_read", "flush"};
constexpr std::string_view name_of(Purpose purpose) {
  return kPurposeNames[static_cast<std::size_t>(purpose)];
}

/// A request to one drive of the array.
struct MemberOperation {
  static constexpr int kNoTag = -1;
  static constexpr int kNoBus = -1;

  std::uint64_t id = 0;  ///< number of the request at the drive; unique there
  int tag = kNoTag;      ///< of the host's request that it is part of; kNoTag: the array's own
  unsigned device = 0;   ///< drive: members first, then spares, then the store in front of them
  Purpose purpose = Purpose::data;
  Operation operation = Operation::read;
  std::uint64_t lbn = 0;
  std::uint32_t sectors = 0;
  Ps begun = 0;  ///< when the drive's queue got it, or a write the bus's
  int bus = kNoBus;
  Ps bus_asked = 0;  ///< of an operation with a bus: when it began to wait for it, and its turn there
  Ps bus_begin = 0;
  Ps bus_end = 0;
};

/// Follows the operations of an array controller.
class OperationListener {
 public:
  /// `ok` is false for an operation of a drive that has gone out of service meanwhile.
  virtual void operation_ended(const MemberOperation& operation, bool ok, Ps at) = 0;
  /// Called after the last outstanding operation of the host's request `tag`, directly after its operation_ended. The
  /// request ends now, or sends others.
  virtual void stage_over(unsigned tag, Ps at) = 0;

 protected:
  ~OperationListener() = default;
};

}  // namespace armature::array
