#pragma once

#include "armature/array/array_params.h"
#include "armature/array/layout.h"
#include "armature/array/operation.h"
#include "armature/host/block_port.h"
#include "armature/host/request_feed.h"

#include <systemc>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace armature::array {

struct Array;

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
  void set_listener(OperationListener& listener);

  void set_client(host::BlockClient& client) override;
  void issue(unsigned tag, const host::BlockCommand& command) override;
  void identify() override;
  const sata::IdentifyData& identity() const override;
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
  void expect_loss_of_supply();
  /// Stretches written since the last flush of all members.
  std::size_t unflushed_stretches() const;
  /// The log of writes that were put off, which is in the same memory.
  std::vector<DeferredWrite> deferred() const;

  const Layout& layout() const;
  const Counters& counters() const;
  /// A rebuild is under way.
  bool rebuilding() const;
  /// Time that each bus was taken.
  std::vector<Ps> bus_busy() const;
  /// Commands and operations that are out, in words, for a run without progress.
  std::string diagnosis() const;

 private:
  void settle();

  std::unique_ptr<Array> array_;
};

}  // namespace armature::array
