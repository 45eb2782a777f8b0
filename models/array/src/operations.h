#pragma once

#include "buses.h"
#include "job.h"

#include <unordered_map>
#include <vector>

namespace armature::array {

struct Array;

/// The operations that are out at the members: gives them to buses and queues, and tells their tasks how they ended.
class Operations {
 public:
  explicit Operations(Array& array) : array_(array) {}

  void set_listener(OperationListener& listener) { listener_ = &listener; }
  /// @param sent  slot, data, kind and purpose of the operation
  void send(Job& job, Sent sent, std::uint64_t lbn, std::uint32_t sectors);
  /// Reads the stretch from the job's sources into its bytes.
  /// @param background  with the background priority
  void read_sources(StretchJob& job, Purpose purpose, bool background = false);
  /// Writes bytes of the stretch to a slot.
  void write(StretchJob& job, unsigned slot, std::uint8_t* data, Purpose purpose, bool fua = false);
  /// Flushes all members that are not missing.
  void flush(Job& job);

  /// From a member: taken at the next `settle`.
  void finished(std::uint64_t operation, unsigned device, const host::CommandStatus& status);
  std::uint8_t* data(std::uint64_t operation) const { return sent_.at(operation).data; }
  /// What has ended at this instant, in the order of the numbers.
  void settle();

 private:
  using Out = std::unordered_map<std::uint64_t, Sent>;
  struct Ended {
    std::uint64_t operation;
    unsigned device;
    host::CommandStatus status;
  };

  Sent& keep(const Sent& sent);
  void give(const Sent& sent);
  bool needs_bus(const Ended& end) const;
  void ended(const Ended& end);
  void failed(Job& job, const Sent& sent, const host::CommandStatus& status);

  Array& array_;
  OperationListener* listener_ = nullptr;
  Out sent_;                           ///< by request; never iterated
  std::vector<Out::node_type> spare_;  ///< used again
  std::uint64_t next_ = 0;
  std::vector<Ended> ended_;    ///< of this instant
  std::vector<Ended> settled_;  ///< what settle() has taken of them; it keeps its memory
};

}  // namespace armature::array
