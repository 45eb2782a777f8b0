#pragma once

#include "armature/host/data_port.h"
#include "armature/workload/source.h"

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

namespace armature::host {

/// Checks that a drive keeps written data: gives every write unique data, remembers which writes a sector may hold, and
/// compares the data of reads.
///
/// Each sector of a write is filled from a counter-based random stream of (seed, LBN, serial) that begins with LBN and
/// serial, so that a wrong sector can be identified. A write's serial is its request's number plus one.
///
/// The order of dispatch and completion at the host determines what a read may return for a sector: the data of a write
/// W, unless some write V that was acknowledged before the read was dispatched had been dispatched after W was
/// acknowledged. So any of several commands that overlap in time may come last, but nothing older than the last
/// acknowledged one. A sector that was never written reads as zeros. A write that failed leaves old or new data.
///
/// After a loss of power it is the same, except that only a durable V hides what is older: one that is acknowledged,
/// and, if the drive has a volatile write cache, was a FUA write or is covered by an acknowledged flush that was
/// dispatched after its acknowledgement. Where a write is not durable, the sector may also be unreadable.
///
/// Memory: 4 bytes a sector in pieces of 16 sectors, more only for sectors on which a write is under way or the last
/// ones overlapped; with a volatile cache, for those with writes that are not durable.
class ContentsCheck final : public DataPort {
 public:
  struct Params {
    std::uint64_t seed = 1;
    /// False: the drive may hold data from before; sectors that were not written in this run are not compared.
    bool blank = true;
    bool sound = false;           ///< nothing but a loss of power makes a sector unreadable
    bool volatile_cache = false;  ///< decides which writes are durable after a loss of power
    std::size_t described = 10;   ///< mismatches that are described
  };

  explicit ContentsCheck(const Params& params);

  /// A command goes to the drive under `tag`. Returns its buffer: of a write, filled; of a read, to be filled by the
  /// drive; null for a flush. The buffer belongs to the tag until `completed`.
  std::uint8_t* dispatched(const workload::Request& request, unsigned tag) override;
  /// It completed; what a read has brought is compared if it is `ok`.
  void completed(const workload::Request& request, unsigned tag, bool ok);
  void completed(const workload::Request& request, unsigned tag, const CommandStatus& status) override;

  /// Power was lost now: whatever is under way has ended without an acknowledgement.
  void power_lost();
  /// The same of something whose medium cannot be looked at: an array. Commands that are under way go on; writes that
  /// were acknowledged and are not durable may have been lost.
  void power_lost_below();
  /// It is back, and all that was under way then is sent again.
  void power_restored();
  /// After power_lost: may the sector be like this? If not, it is a mismatch. From now on the sector is taken to be as
  /// it was found. `bytes` are not looked at if it is not `readable`.
  bool acceptable(std::uint64_t lbn, const std::uint8_t* bytes, bool readable);

  /// Sectors of which something is known: writes have gone to them. In rising order.
  std::vector<std::uint64_t> written_sectors() const;

  std::uint64_t sectors_compared() const { return compared_; }
  std::uint64_t mismatches() const { return mismatches_; }
  /// The first mismatches: request, LBN, what was found and what was expected.
  const std::vector<std::string>& descriptions() const { return descriptions_; }

  /// The data of write `serial` in sector `lbn`.
  void fill(std::uint64_t lbn, std::uint32_t serial, std::uint8_t* to) const;

 private:
  // Order of events at the host: dispatches and completions are numbered.
  using Order = std::uint64_t;
  static constexpr Order kUnderWay = ~Order{0};

  /// One write that a sector may hold.
  struct Version {
    std::uint32_t serial;  ///< 0: no write, zeros
    Order dispatched;
    Order ended;
    bool ok;
    bool fua;
  };
  using Versions = std::vector<Version>;
  // A cell of the map is the serial that its sector holds for certain and durably or, with kIsList, the number of the
  // list of those that it may hold.
  static constexpr std::uint32_t kIsList = 1u << 31;
  static constexpr std::uint32_t kUnreadable = kIsList - 1;  ///< as a serial
  static constexpr std::uint32_t kPieceSectors = 16;
  using Piece = std::array<std::uint32_t, kPieceSectors>;

  struct Slot {
    bool active = false;
    bool lost = false;  ///< it was active when the power was lost
    bool fua = false;
    Operation operation = Operation::read;
    std::uint64_t lbn = 0;
    std::uint32_t sectors = 0;
    std::uint32_t serial = 0;
    Order dispatched = 0;
    std::vector<std::uint8_t> data;
  };
  struct Range {
    Order ended;
    std::uint64_t lbn;
    std::uint32_t sectors;
  };
  /// What stands in a sector, by its own account.
  struct Found {
    bool whole = false;  ///< zeros, or the data of `serial` for this LBN, complete
    std::uint64_t serial = 0;
    std::string text() const;

    enum { zeros, marked, nothing, foreign } kind = foreign;  ///< marked: `lbn` and `serial` stand in it
    std::uint64_t lbn = 0;
    std::uint32_t good_bytes = 0;  ///< up to the first that differs from that data
  };

  std::uint32_t& cell(std::uint64_t lbn);
  Versions& versions(std::uint32_t cell) { return lists_[cell & ~kIsList]; }
  Versions& as_list(std::uint32_t& cell);
  void set(std::uint32_t& cell, std::uint32_t serial);
  bool durable(const Version& version) const;
  Order hides(const Versions& by, Order before) const;
  Order hides_durably(const Versions& by, Order before) const;
  void begin_write(const Slot& slot, bool fua);
  void end_write(const Slot& slot, bool ok);
  void compare(const Slot& slot, std::uint64_t request);
  void judge_error(const Slot& slot, std::uint64_t request, std::uint64_t lbn);
  void prune(std::uint32_t& cell, Order before);
  void prune_due();
  Order oldest_read() const;
  Found look_at(std::uint64_t lbn, const std::uint8_t* bytes) const;
  void mismatch(std::string what, std::uint32_t cell);

  const Params params_;
  const std::uint64_t mark_;
  std::unordered_map<std::uint64_t, Piece> pieces_;  ///< its order is never used
  Piece* last_piece_ = nullptr;
  std::uint64_t last_piece_number_ = 0;
  std::vector<Versions> lists_;
  std::vector<std::uint32_t> free_lists_;
  std::vector<Slot> slots_;  ///< by tag
  std::deque<Range> to_prune_;
  Order order_ = 0;
  Order lost_ = 0;            ///< the last loss of power
  Order flushed_before_ = 0;  ///< writes acknowledged before it are durable
  std::uint64_t compared_ = 0;
  std::uint64_t mismatches_ = 0;
  std::vector<std::string> descriptions_;
};

}  // namespace armature::host
