#pragma once

#include "armature/array/operation.h"
#include "armature/array/write_back_front.h"
#include "armature/host/request_feed.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace armature::array {

/// A store in front of an array's members, such as a MEMS store: it keeps what was read and written last (document 003,
/// section 5.3: a MEMS store as a cache of a disk). Reads of what it has are reads of the store. What a read fetches
/// from the members is written to the store when the host has its data. A write ends when it is on the store's medium
/// (forced unit access), and goes to the members later, with forced unit access there (destage).
///
/// The map of the store is in memory that keeps its contents without power, as the array controller's logs are:
/// `survives` is what it holds. Sectors are entered when their data are on the medium. So a loss of power takes nothing
/// that was acknowledged.
///
/// Requests lock their lines: reads of what is there share, and a destage shares with them; what writes to the store,
/// or past it, is alone. Requests that are larger than `largest`, and those for which all lines are dirty or in use,
/// go past the store.
///
/// When the store goes out of service, at its time or because it cannot write, what only it had is lost: reads of these
/// sectors end with an error until they are written again. Everything else goes to the members from then on.
class Staging final : public WriteBackFront, private host::RequestFeed::Owner {
 public:
  struct Counters : WriteBackFront::Counters {
    std::uint64_t fills = 0;         ///< read misses whose data went into the store
    std::uint64_t most_dirty = 0;    ///< lines with sectors that the members lack, at once
    std::uint64_t lost_sectors = 0;  ///< that only the store had, and it failed or could not read them
    std::uint64_t left_sectors = 0;  ///< at the end: the members do not take them
    Ps oldest = 0;                   ///< longest time for which the members lacked something that was written
    std::uint64_t failed = 0;        ///< the store is out of service
  };
  /// A line of the store that survives a loss of power.
  struct Kept {
    std::uint64_t line = 0;              ///< of the array: line * line_sectors is its first sector
    std::uint64_t place = 0;             ///< in the store
    std::uint64_t valid = 0, dirty = 0;  ///< sectors of the line, the first one in the lowest bit
    bool lost = false;                   ///< no line: `valid` are sectors that are lost
  };

  /// @param store_sectors  capacity of the store
  /// @param device         number of the store among the array's drives
  /// Further parameters: see WriteBackFront.
  Staging(sc_core::sc_module_name name, const StagingParams& params, host::BlockPort& below, unsigned tags,
          std::uint64_t row_sectors, std::uint64_t store_sectors, unsigned device, bool data);
  ~Staging() override;

  /// The side of the store's queue.
  host::RequestFeed::Owner& owner() { return *this; }
  void set_feed(host::RequestFeed& feed) { feed_ = &feed; }
  /// Hears of the operations of the store.
  void set_listener(OperationListener& listener) { listener_ = &listener; }

  /// Destages all, closes the store's feed, then calls `closed`.
  void close(std::function<void()> closed) override;

  std::vector<Kept> survives() const;
  /// Power is back; before the first command.
  void restore(const std::vector<Kept>& kept);

  const Counters& counters() const { return counters_; }
  std::string diagnosis() const;

 private:
  struct Job;
  struct Jobs;
  /// An operation of the store that is out.
  struct Sent {
    MemberOperation operation;
    Job* job = nullptr;
    std::uint64_t lbn = 0;  ///< of the array
    std::uint8_t* data = nullptr;
    bool fua = false;
  };
  /// How a destage ended: the members have it; they did not take it; something came in between.
  enum class Destage { done, refused, again };
  struct Ended {
    std::uint64_t id = 0;
    host::CommandStatus status;
  };

  void warm_up();
  void command_done(unsigned tag, const host::CommandStatus& status, Ps at) override;
  std::uint8_t* buffer(const workload::Request& request) override;
  void finished(const workload::Request& request, const host::CommandStatus& status, Ps at) override;

  // Commands: staging.cpp
  void began(unsigned tag, const host::BlockCommand& command) override;
  void settle() override;
  void start(Job& job);
  void lock(Job& job, bool exclusive);
  void locked(Job& job);
  void read(Job& job);
  void read_store(Job& job);
  void write(Job& job);
  void write_past(Job& job);
  void fill(Job& job);
  void flush(Job& job);
  void store_over(Job& job);
  void below_over(Job& job, const host::CommandStatus& status);
  void end(Job& job, const host::CommandStatus& status);
  void release(Job& job);
  bool enter(Job& job, std::uint64_t lbn, std::uint64_t sectors);
  void written(const Job& job);
  void send_store(Job& job, Purpose purpose, std::uint64_t lbn, std::uint64_t sectors, std::uint8_t* data);
  void send_operation(Job& job, Sent sent);
  void send_below(Job& job, unsigned tag, host::BlockCommand command);
  void operation_ended(const Ended& ended);
  void unreadable(std::uint64_t array_lbn);
  void store_fails();
  bool working() const { return counters_.failed == 0; }
  bool takes(std::uint64_t sectors) const;

  // Destages and the end: staging_destage.cpp
  void pump() override;
  bool tag_free(unsigned tag) const override;
  bool destages_left() const override { return dirty_lines() > 0; }
  bool urgent() const override { return all_; }
  void destage(unsigned tag, std::uint64_t first, std::uint32_t sectors) override;
  void goes_on() override;
  void destage_reads(Job& job);
  void destage_writes(Job& job);
  void destage_over(Job& job, Destage how);
  void became_dirty();
  void members_are_awake();
  void age_over();

  const StagingParams params_;
  const unsigned device_;
  const std::uint64_t largest_;  ///< sectors
  OperationListener* listener_ = nullptr;
  host::RequestFeed* feed_ = nullptr;

  std::unique_ptr<Jobs> jobs_;
  std::unordered_map<std::uint64_t, Sent> sent_;  ///< by number at the store; never iterated
  std::uint64_t next_operation_ = 0;
  std::vector<std::pair<unsigned, host::CommandStatus>> below_ended_;  ///< of this instant
  std::vector<Ended> ended_;
  bool past_ = false;  ///< writes went past the store since the last flush of the members
  bool all_ = false;   ///< everything that is dirty goes to the members now
  sc_core::sc_event age_event_, failure_;
  Counters counters_;
};

}  // namespace armature::array
