#pragma once

#include "armature/array/write_back_front.h"

#include <array>
#include <map>
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
class ArrayCache final : public WriteBackFront {
 public:
  struct Counters : WriteBackFront::Counters {
    std::uint64_t waits = 0;         ///< writes that waited for room
    std::uint64_t lost_sectors = 0;  ///< at the end: dirty, and the members do not take them
  };
  /// A dirty sector.
  struct Kept {
    std::uint64_t lbn = 0;
    std::array<std::uint8_t, 512> data{};
  };

  /// Further parameters: see WriteBackFront.
  ArrayCache(sc_core::sc_module_name name, const CacheParams& params, host::BlockPort& below, unsigned tags,
             std::uint64_t row_sectors, bool data);

  void set_listener(CacheListener& listener) { listener_ = &listener; }

  /// What survives a loss of power now: the dirty sectors, if the memory is not volatile.
  std::vector<Kept> survives() const;
  /// Power is back; before the first command.
  void restore(const std::vector<Kept>& kept);

  const Counters& counters() const { return counters_; }

 private:
  using Mask = LineMap::Mask;
  using Line = LineMap::Line;
  using Part = LineMap::Part;
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

  void began(unsigned tag, const host::BlockCommand& command) override;
  void settle() override;
  void command_done(unsigned tag, const host::CommandStatus& status, Ps at) override;
  bool start(unsigned tag);
  void read(unsigned tag);
  bool write(unsigned tag);
  bool write_past(unsigned tag);
  void fetched(Op& op, bool ok);
  void passed(Op& op);
  void served(unsigned tag);
  void hits_over();
  void ends(unsigned tag, const host::CommandStatus& status);
  void send(unsigned tag, Way way, std::uint64_t lbn, std::uint32_t sectors, std::uint8_t* data);

  void drop_clean(const std::vector<Part>& parts);
  bool under_way(std::uint64_t lbn, std::uint32_t sectors, Way way) const;
  void taint_fetches(std::uint64_t lbn, std::uint32_t sectors);
  void copy(Line& line, const Part& part, Mask mask, std::uint8_t* command, bool to_line) const;

  bool tag_free(unsigned tag) const override { return ops_[tag].way == Way::free; }
  bool destages_left() const override { return map_.stuck_lines() < map_.dirty_lines(); }
  bool urgent() const override { return flush_ >= 0 || !waiting_.empty(); }
  void destage(unsigned tag, std::uint64_t first, std::uint32_t sectors) override;
  void destaged(const Op& op, bool ok);
  void goes_on() override;

  const CacheParams params_;
  CacheListener* listener_ = nullptr;
  std::vector<Op> ops_;               ///< by tag
  std::vector<unsigned> waiting_;     ///< for room, or for others to end
  std::multimap<Ps, unsigned> hits_;  ///< when they end: tags, in the order in which they came
  int flush_ = -1;                    ///< tag of a flush that waits for destages
  sc_core::sc_event hit_event_;
  Counters counters_;
};

}  // namespace armature::array
