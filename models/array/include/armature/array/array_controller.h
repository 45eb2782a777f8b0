#pragma once

#include "armature/array/array_params.h"
#include "armature/array/layout.h"
#include "armature/array/operation.h"
#include "armature/core/behind.h"
#include "armature/host/block_port.h"
#include "armature/host/request_feed.h"

#include <systemc>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace armature::array {

/// An array of drives as a host sees one block device. A command of the queue above becomes requests to the queues of
/// the members, and ends when all of them have.
///
/// A command has stages: what must be read first (old data, old parity, the rest of a row), then what is written. The
/// operations of a stage go out together. Parity that is made and data that are compared take no time.
///
/// Writes of levels with redundancy lock the rows that they write (of raid1 the sectors), and so do a read that needs
/// the parity, a rebuild and a check: reads among each other share. Locks are granted in the order of asking.
///
/// A member is out of service from its time in `failures` on, or when it cannot write. Operations it has out count as
/// failed when they end. A read that a member cannot serve is made from copies or parity; commands that cannot be made
/// from what is left end with an error. Parity levels end all commands with an error once two members are missing. A
/// spare takes the place of the first missing member and is rebuilt from its first sector to the last; what lies below
/// the mark that a rebuild has reached is read from the spare and written to it.
///
/// Operations that end at one instant are taken together, a delta cycle later and in the order of their numbers, before
/// the commands of that instant: what it does does not depend on the order in which the kernel runs processes.
/// A log of rows under way is in memory that keeps its contents without power, as that of array controllers with a
/// battery is: `under_way` is what it holds, and `recover` what a controller does with it when power is back.
class ArrayController : public sc_core::sc_module, public host::BlockPort {
 public:
  /// Sectors of each member. With rows it is one row.
  struct Stretch {
    std::uint64_t lbn = 0;
    std::uint32_t sectors = 0;
  };
  /// Sectors that the copy of a mirror at a slot lacks.
  struct DeferredWrite {
    unsigned slot = 0;
    std::uint64_t lbn = 0;
    std::uint64_t sectors = 0;
  };
  struct Counters {
    std::uint64_t operations = 0;          ///< to members, all
    std::uint64_t full_rows = 0;           ///< rows written without reading
    std::uint64_t modified_rows = 0;       ///< by read-modify-write
    std::uint64_t reconstructed_rows = 0;  ///< by reconstruct-write
    std::uint64_t degraded_rows = 0;       ///< written without parity, or read by reconstruction
    std::uint64_t failed_members = 0;
    std::uint64_t rebuilt_members = 0;
    std::uint64_t rebuilt_sectors = 0;
    std::uint64_t resynced = 0;          ///< stretches whose copies or parity were made anew after a loss of power
    std::uint64_t torn = 0;              ///< of these, the ones that could not be: see `recover`
    std::uint64_t parts_checked = 0;     ///< of rebuild_unit, whose copies or parity were compared at the end
    std::uint64_t parts_different = 0;   ///< of these, the ones that did not agree
    std::uint64_t parity_compared = 0;   ///< rows of reads of the host, compared with their parity (read_parity)
    std::uint64_t parity_different = 0;  ///< of these, the ones that did not agree
    std::uint64_t scrub_passes = 0;      ///< complete ones
    std::uint64_t scrubbed_sectors = 0;  ///< of each member
    std::uint64_t scrub_repaired = 0;    ///< sectors that could not be read, made anew
    std::uint64_t scrub_lost = 0;        ///< that could not be read nor made anew; counted in each pass
    std::uint64_t scrub_different = 0;   ///< stretches of scrub_unit or less whose copies or parity did not agree
    std::uint64_t deferred_writes = 0;   ///< to copies that slept
    std::uint64_t deferred_made_up = 0;  ///< sectors of these, written later
    std::uint64_t deferred_lost = 0;     ///< sectors that a copy lacked, and then no other had or could read
    std::uint64_t most_deferred = 0;     ///< sectors, of all copies together at once
    Ps oldest_deferred = 0;              ///< from a write to when the copy had it
    Ps bus_wait = 0;                     ///< of all operations, for buses
    Ps rebuild_began = -1;               ///< of the last one; -1: none
    Ps rebuild_ended = -1;
    Ps rebuild_last = -1;               ///< end of the last part of it
    std::uint64_t rebuild_reached = 0;  ///< sectors of the member that it has done, from the first on
  };

  /// @param data  commands and member operations carry data
  ArrayController(sc_core::sc_module_name name, const ArrayParams& params, const Layout& layout, unsigned spares,
                  bool data);
  ~ArrayController() override;

  /// The drive's side of a feed; members first, then spares.
  host::RequestFeed::Owner& owner(unsigned device);
  void set_feed(unsigned device, host::RequestFeed& feed);
  void set_listener(OperationListener& listener) { listener_ = &listener; }

  void set_client(host::BlockClient& client) override { client_ = &client; }
  void issue(unsigned tag, const host::BlockCommand& command) override;
  void identify() override;
  const sata::IdentifyData& identity() const override { return identity_; }
  /// No such command is known: it ends with an error.
  void control(const host::ControlCommand& command) override;
  bool completes_late() const override { return true; }

  /// The host will issue no more. Ends a rebuild (unless `rebuild_to_end`), checks the redundancy of all that was
  /// written (if commands carry data), then closes the feeds.
  void close();

  /// What may be inconsistent if power is lost now: stretches of which some writes may be on the media and some not.
  std::vector<Stretch> under_way() const;
  /// Power is back; before the first command. Commands wait until the copies or the parity of these stretches have been
  /// made anew from what is on the media. Without a member that holds data of a row its parity cannot be: what would
  /// have to be made from it then cannot be read any more (the row is torn), and ends with an error.
  /// @param deferred  as `deferred` told before; their copies get these sectors as before the loss of power
  void recover(const std::vector<Stretch>& dirty, const std::vector<DeferredWrite>& deferred = {});
  /// Members have lost their supply, and have it again, while the controller kept its own: what it had sent to them is
  /// sent again. What was written since the last flush of all members may be lost from their volatile caches, data of a
  /// row here and its parity there. Commands under way write all of theirs again; then copies and parity of these
  /// stretches are made anew, and other commands wait until that is done. Without redundancy, or if all caches are off,
  /// there is nothing to do.
  void supply_is_back();
  /// The device has lost its supply, and what was in its cache: of mirrors another copy is the right one.
  void supply_lost(unsigned device);
  /// Members have volatile caches, and may lose their supply: the controller keeps what it has written since the last
  /// flush, so that supply_is_back can do its work. Before the first command.
  void expect_loss_of_supply() { keeps_unflushed_ = layout_.redundant(); }
  /// Stretches written since the last flush of all members.
  std::size_t unflushed_stretches() const { return unflushed_.size(); }
  /// The log of writes that were put off, which is in the same memory.
  std::vector<DeferredWrite> deferred() const;

  const Layout& layout() const { return layout_; }
  const Counters& counters() const { return counters_; }
  /// A rebuild is under way.
  bool rebuilding() const { return rebuilt_slot_ >= 0; }
  /// Time that each bus was taken.
  std::vector<Ps> bus_busy() const;
  /// Commands and operations that are out, in words, for a run without progress.
  std::string diagnosis() const;

 private:
  enum class Service : std::uint8_t { working, missing, rebuilding };
  struct Slot {
    unsigned device = 0;
    Service service = Service::working;
    std::uint64_t rebuilt = 0;  ///< of a rebuild: LBN up to which the spare is in service
  };
  struct Device final : host::RequestFeed::Owner {
    std::uint8_t* buffer(const workload::Request& request) override;
    void finished(const workload::Request& request, const host::CommandStatus& status, Ps at) override;

    ArrayController* array = nullptr;
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
  struct Job;
  struct Row;
  struct Locks;
  struct Buses;
  struct Deferred;
  /// An operation that is out.
  struct Sent {
    MemberOperation operation;
    Job* job = nullptr;
    unsigned slot = 0;
    unsigned queue = 0;     ///< operations out at the device, this one too, when it was sent
    std::size_t row = 0;    ///< of the job
    std::size_t piece = 0;  ///< of the row, of a write of data
    std::uint8_t* data = nullptr;
    bool fua = false;
    bool makes_up = false;  ///< a write of sectors that this copy lacks
  };

  struct Ended {
    std::uint64_t operation;
    unsigned device;
    host::CommandStatus status;
  };

  // Commands.
  void settle();
  void start(Job& job);
  void lock(Job& job, bool exclusive);
  void locked(Job& job);
  void read_rows(Job& job);
  bool read_with_parity(Job& job, std::size_t row);
  bool read_pieces(Job& job, std::size_t row);
  bool read_copies(Job& job, std::size_t row, Piece piece);
  void write_rows(Job& job);
  void write_row(Job& job, std::size_t row);
  void advance(Job& job);
  void reads_over(Job& job);
  void writes_over(Job& job);
  bool stands(const Row& row) const;
  void count(const Row& row);
  void end(Job& job);
  void flush(Job& job);
  bool whole() const;
  void release(Job& job);

  // Members.
  void send(Job& job, Sent sent, std::uint64_t lbn, std::uint32_t sectors);
  void give(const Sent& sent);
  Sent& keep(const Sent& sent);
  void ended(const Ended& end);
  void went_wrong(Job& job, const Sent& sent, const host::CommandStatus& status);
  bool in_service(unsigned slot, std::uint64_t end) const;
  bool takes_writes(unsigned slot, std::uint64_t lbn) const;
  bool readable(const Job& job, unsigned slot, std::uint64_t row, std::uint64_t end) const;
  int choose_copy(const Job& job, const Piece& piece);
  Ps expected(const Device& device) const;
  void learn(Device& device, const Sent& sent) const;
  unsigned slot_of_column(std::uint64_t row, unsigned column) const;
  std::uint64_t row_end(std::uint64_t row) const { return (row + 1) * layout_.row_sectors(); }
  unsigned missing() const;
  void fail(unsigned device);
  void failure_due();

  // Buses: buses.cpp
  bool needs_bus(const Ended& end) const;
  void ask_bus(Sent& sent);
  void bus_due();
  void bus_over(std::uint64_t operation);

  // Scrub: scrub.cpp
  bool scrub_wanted() const;
  bool scrub_holds_end() const;
  void scrub_next();
  void scrub_reads();
  void scrub_over();
  void scrub_compared(Job& job);
  bool scrub_repair(Job& job);
  void scrub_split(const Job& job);
  void scrub_done(bool counted);

  // After a loss of power: resync.cpp
  bool recovering() const { return resync_ || !dirty_.empty(); }
  void keep_unflushed(const Job& job);
  bool command_at_work() const;
  void resync_next();
  bool resync_reads();
  bool copy_to_resync(unsigned slot) const;
  bool lost_cache(unsigned slot) const { return devices_[slots_[slot].device].lost_cache; }
  void resync_over();
  bool resync_from_others();
  void resync_failed();
  bool torn(std::uint64_t lbn, std::uint32_t sectors) const;

  // Writes that are put off: deferred.cpp
  bool behind(unsigned slot, std::uint64_t lbn, std::uint64_t sectors) const;
  bool catching_up() const;
  bool may_sleep(unsigned slot) const;
  bool kept_current(unsigned slot) const;
  bool due(unsigned slot) const;
  bool held(const Piece& piece) const;
  bool copied(const Job& job) const;
  void write_piece(Job& job, std::size_t row, std::size_t piece);
  void write_again(Job& job);
  std::vector<unsigned> copies_for(const Piece& piece);
  void put_off(unsigned slot, std::uint64_t lbn, std::uint32_t sectors);
  void made_up(unsigned slot, std::uint64_t lbn, std::uint64_t sectors);
  void give_up(const Job& job);
  void catch_up_next();
  void catch_up_reads();
  void catch_up_over();
  void catch_up_ends();
  void forget_deferred(unsigned slot);
  std::vector<Stretch> cut_at_deferred(const std::vector<Stretch>& whole) const;

  // The array's own work: rebuild.cpp
  void take_spare();
  void rebuild_next();
  void rebuild_reads();
  void rebuild_over();
  void rebuild_ends(bool complete);
  void close_next();
  void check_next();
  void check_over();
  bool agree(const Job& job) const;

  const ArrayParams params_;
  const Layout layout_;
  const bool data_;
  std::vector<Slot> slots_;
  std::vector<Device> devices_;
  host::BlockClient* client_ = nullptr;
  OperationListener* listener_ = nullptr;
  sata::IdentifyData identity_;

  std::vector<std::unique_ptr<Job>> jobs_;                                      ///< by tag
  std::unordered_map<std::uint64_t, Sent> sent_;                                ///< by request; never iterated
  std::vector<std::unordered_map<std::uint64_t, Sent>::node_type> spare_sent_;  ///< used again
  std::uint64_t next_operation_ = 0;
  unsigned next_copy_ = 0;  ///< round robin
  std::unique_ptr<Locks> locks_;

  std::vector<std::pair<Ps, unsigned>> failures_;  ///< to come, the next one last
  sc_core::sc_event failure_;

  std::vector<Stretch> dirty_;    ///< to be made consistent, the next one last
  std::unique_ptr<Job> resync_;   ///< the stretch in work
  std::vector<Job*> held_;        ///< commands that wait for it, in the order of their arrival
  std::set<std::uint64_t> torn_;  ///< rows
  // Of levels with redundancy: first LBN and sectors of each stretch that was written and not flushed, and of those
  // that a flush under way covers.
  std::map<std::uint64_t, std::uint32_t> unflushed_, flushing_;
  bool keeps_unflushed_ = false;
  sc_core::sc_event next_stretch_;

  std::unique_ptr<Job> rebuild_;         ///< the part in work
  int rebuilt_slot_ = -1;                ///< -1: there is no rebuild
  std::vector<unsigned> unread_copies_;  ///< slots from which the present part could not be read
  sc_core::sc_event next_part_;
  Behind rebuild_order_{Behind::kArrayWork};

  std::unique_ptr<Job> scrub_;        ///< the stretch in work
  std::vector<Stretch> scrub_parts_;  ///< of the unit in work, still to be read, the next one last
  std::uint64_t scrub_at_ = 0;        ///< LBN of the next unit
  Ps scrub_next_at_ = 0;              ///< when it may begin
  sc_core::sc_event next_scrub_;
  Behind scrub_order_{Behind::kArrayWork};

  std::unique_ptr<Deferred> deferred_;  ///< null: no write is put off

  std::unique_ptr<Buses> buses_;          ///< null: none
  std::vector<std::uint64_t> bus_ended_;  ///< operations whose turn has ended at this instant
  sc_core::sc_event bus_;

  bool closing_ = false;
  bool closed_ = false;  ///< nothing but the check at the end is left
  std::unique_ptr<Job> check_;
  std::set<std::uint64_t> written_;  ///< parts, of rebuild_sectors_ each, that hold written data

  std::vector<Ended> ended_;  ///< of this instant
  std::vector<Job*> begun_;   ///< commands of this instant
  /// What settle() has taken of the three lists of an instant. They keep their memory.
  struct Settled {
    std::vector<Ended> ended;
    std::vector<std::uint64_t> turns;
    std::vector<Job*> begun;
  };
  Settled settled_;
  bool identify_asked_ = false;
  bool control_asked_ = false;
  sc_core::sc_event settle_;
  const std::uint32_t part_sectors_;   ///< of rebuilds and checks
  const std::uint32_t scrub_sectors_;  ///< of a unit of a scrub
  Counters counters_;
};

}  // namespace armature::array
