#pragma once

#include "armature/array/array_params.h"
#include "armature/core/behind.h"
#include "armature/core/time.h"
#include "armature/host/block_port.h"

#include <systemc>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace armature::array {

/// What the cache did for a request of the host by itself.
struct CacheService {
  unsigned tag = 0;
  Operation operation = Operation::read;
  std::uint64_t lbn = 0;  ///< of the array
  std::uint32_t sectors = 0;
  Ps begun = 0;     ///< the command came
  Ps admitted = 0;  ///< there was room for it
};

/// Follows an array's cache.
class CacheListener {
 public:
  /// The request ends now.
  virtual void served(const CacheService& service, Ps at) = 0;

 protected:
  ~CacheListener() = default;
};

/// The memory of an array controller, between the host's queue and the controller: keeps what was read, and what was
/// written, in lines of a fixed number of sectors each of which may be there or not. With `write = "back"` a write ends
/// when the memory has it. Dirty sectors go to the members later (destage), each time as the longest run around the one
/// that was used longest ago, up to the ends of its row, so that the parity of whole rows is made without reading.
///
/// The same data are never under way twice: a write that goes past the cache waits for dirty data below it to reach the
/// members, and any write waits for one of the same sectors that goes past it. What a fetch brings is not kept if it
/// was written meanwhile. Dirty data that the members do not take (beyond the redundancy) stay, and are read from here
/// until the members have taken newer data of these sectors.
class ArrayCache final : public sc_core::sc_module, public host::BlockPort, private host::BlockClient {
 public:
  struct Counters {
    std::uint64_t read_hits = 0;    ///< requests of which all sectors were there
    std::uint64_t read_parts = 0;   ///< of which some were
    std::uint64_t read_misses = 0;  ///< of which none was
    std::uint64_t writes_kept = 0;  ///< that ended when the memory had them
    std::uint64_t writes_past = 0;  ///< that went to the members before they ended
    std::uint64_t waits = 0;        ///< writes that waited for room
    std::uint64_t destages = 0;
    std::uint64_t destaged_sectors = 0;
    std::uint64_t lost_sectors = 0;  ///< at the end: dirty, and the members do not take them
  };
  /// A dirty sector.
  struct Kept {
    std::uint64_t lbn = 0;
    std::array<std::uint8_t, 512> data{};
  };

  /// @param tags         of the host: those of destages follow them
  /// @param row_sectors  data of a row of the array; a destage does not go beyond it
  /// @param data         commands carry data
  ArrayCache(sc_core::sc_module_name name, const CacheParams& params, host::BlockPort& below, unsigned tags,
             std::uint64_t row_sectors, bool data);
  ~ArrayCache() override;

  void set_listener(CacheListener& listener) { listener_ = &listener; }
  void set_client(host::BlockClient& client) override { client_ = &client; }
  void issue(unsigned tag, const host::BlockCommand& command) override;
  void identify() override { below_.identify(); }
  const sata::IdentifyData& identity() const override { return below_.identity(); }
  void control(const host::ControlCommand& command) override { below_.control(command); }
  bool completes_late() const override { return true; }

  /// The host will issue no more: destages what is dirty, then calls `closed`.
  void close(std::function<void()> closed);

  /// What survives a loss of power now: the dirty sectors, if the memory is not volatile.
  std::vector<Kept> survives() const;
  /// Power is back; before the first command.
  void restore(const std::vector<Kept>& kept);

  const Counters& counters() const { return counters_; }
  std::uint64_t dirty_lines() const { return dirty_.size(); }

 private:
  using Mask = std::uint64_t;                                       ///< sectors of a line
  using Order = std::set<std::pair<std::uint64_t, std::uint64_t>>;  ///< stamps and line numbers
  struct Line {
    Mask valid = 0;
    Mask dirty = 0;
    Mask destaging = 0;  ///< under way to the members, with the contents that they had at its begin
    Mask rewritten = 0;  ///< of these, the ones that were written since
    std::uint64_t stamp = 0;
    bool used = false;   ///< since the hand passed (clock)
    bool stuck = false;  ///< the members did not take it
    bool pinned = false;
    std::vector<std::uint8_t> bytes;
  };
  struct Part {
    std::uint64_t line = 0;
    Mask mask = 0;
    std::uint64_t first = 0;  ///< sector of the command at which the line begins; negative ones wrap round
  };
  enum class Way : std::uint8_t { free, fetch, past, destage, flush };
  /// A command of the host, or a destage.
  struct Op {
    Way way = Way::free;
    host::BlockCommand command;
    Ps begun = 0;
    Ps admitted = 0;
    bool waited = false;
    bool tainted = false;   ///< of a fetch: another command changed the same sectors meanwhile
    std::uint64_t lbn = 0;  ///< of what is under way
    std::uint32_t sectors = 0;
    std::vector<Part> missing;
    std::vector<std::uint8_t> bytes;
  };

  void command_done(unsigned tag, const host::CommandStatus& status, Ps at) override;
  void identified(const host::CommandStatus& status, Ps at) override { client_->identified(status, at); }
  void controlled(const host::CommandStatus& status, Ps at) override { client_->controlled(status, at); }

  void settle();
  void idle_over();
  void hits_over();
  bool start(unsigned tag);
  void read(unsigned tag);
  bool write(unsigned tag);
  bool write_past(unsigned tag);
  void fetched(Op& op, bool ok);
  void passed(Op& op);
  void destaged(const Op& op, bool ok);
  void served(unsigned tag);
  void ends(unsigned tag, const host::CommandStatus& status);
  void send(unsigned tag, Way way, std::uint64_t lbn, std::uint32_t sectors, std::uint8_t* data);

  std::vector<Part> parts(std::uint64_t lbn, std::uint32_t sectors) const;
  Line* find(std::uint64_t number);
  void touch(std::uint64_t number, Line& line);
  Line* allocate(std::uint64_t number);
  bool evict();
  bool room_for(const std::vector<Part>& parts) const;
  void place(std::uint64_t number, Line& line);
  void drop_clean(const std::vector<Part>& parts);
  bool under_way(std::uint64_t lbn, std::uint32_t sectors, Way way) const;
  void taint_fetches(std::uint64_t lbn, std::uint32_t sectors);
  void copy(Line& line, const Part& part, Mask mask, std::uint8_t* command, bool to_line) const;

  bool wants_destage() const;
  void pump();
  bool destage_one(unsigned tag);
  void goes_on();

  const CacheParams params_;
  host::BlockPort& below_;
  const unsigned tags_;
  const std::uint64_t row_sectors_;
  const bool data_;
  const std::uint32_t line_sectors_;
  const std::uint64_t lines_most_;
  const Ps hit_;
  host::BlockClient* client_ = nullptr;
  CacheListener* listener_ = nullptr;

  std::unordered_map<std::uint64_t, Line> lines_;  ///< by number; never iterated for what happens
  Order clean_, dirty_;                            ///< dirty_: all lines with a dirty sector
  std::uint64_t stamp_ = 0;
  std::uint64_t stuck_ = 0;
  std::vector<Op> ops_;  ///< by tag
  unsigned host_out_ = 0;
  unsigned destages_out_ = 0;
  std::uint64_t destaging_lines_ = 0;

  std::vector<unsigned> begun_;                  ///< commands of this instant
  std::vector<unsigned> waiting_;                ///< for room, or for others to end
  std::set<std::pair<Ps, std::uint64_t>> hits_;  ///< when they end, in which order
  std::unordered_map<std::uint64_t, unsigned> hit_tags_;
  std::uint64_t next_hit_ = 0;
  bool idle_ = false;
  int flush_ = -1;  ///< tag of a flush that waits for destages
  std::function<void()> closed_;
  sc_core::sc_event settle_, idle_event_, hit_event_;
  Behind idle_order_{Behind::kCacheIdle};
  Counters counters_;
};

}  // namespace armature::array
