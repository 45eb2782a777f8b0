#pragma once

#include "armature/core/schema.h"
#include "armature/core/time.h"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

namespace armature::media {

/// Number of a physical sector of 512 bytes, spares and defective ones counted: media::Geometry::physical.
using PhysicalSector = std::uint64_t;

/// A row of `media.defects`, the old form of a fault of kind media_defect (`[[faults]]`).
struct GrownDefect {
  std::int64_t lbn = 0;
  double from_s = 0;
};

/// Where the sectors' contents are kept: keys of the section `media`.
struct ContentsParams {
  enum Kind { none, memory, file };

  Kind contents = none;
  std::string contents_file;         ///< of `file`; relative to the working directory
  std::vector<GrownDefect> defects;  ///< the old form of faults

  bool keeps() const { return contents != none; }
  void keys(KeyVisitor& visitor);
};

/// A physical sector that cannot be read: for good, whatever is written there (a grown defect), or until it has been
/// tried often enough or is written (a transient one).
struct Defect {
  PhysicalSector first = 0;
  std::uint32_t sectors = 0;
  Ps from = 0;
  std::uint32_t rereads = 0;  ///< reads that fail until it heals; 0: grown
  int fault = -1;             ///< number of the fault
};

/// A block's new place.
struct Reallocation {
  std::uint64_t lbn = 0;  ///< first of its physical sector
  PhysicalSector place = 0;
};

/// What stands in a disk's sectors. A sector never written reads as zeros; one in which a write was cut off cannot be
/// read until it is written again.
///
/// Kept in memory, or in a sparse file that later runs go on with: either way what was never written takes no room. A
/// sector in memory takes its 512 bytes and some 4 of index, where a whole chunk of 64 is written, and at most 800.
/// Without contents (the default) writes leave nothing and reads give zeros.
///
/// Layout of the file: a header of 4,096 bytes, pages of 4,096 bytes with a bit for each unreadable sector (4,088 bytes
/// of bits, 8 of their sum), then the sectors, each at its number. Behind them, as the drive moves blocks to spares,
/// pages of 4,096 bytes with up to 255 of these (block and place, 8 bytes each), their number and a sum. What stands in
/// it survives the end of the process, not a crash of the machine.
class Contents {
 public:
  /// `sectors` is the number of physical sectors: Geometry::physical_sectors(). A file that does not exist is made; one
  /// that is no contents file, was made for another number of sectors, is damaged or in use is an InputError.
  /// @param may_break  defects may be added later
  Contents(const ContentsParams& params, std::uint64_t sectors, const std::vector<Defect>& defects = {},
           bool may_break = false);
  ~Contents();
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;

  /// Throws what the constructor would throw about an existing file or a missing path, and makes none.
  static void check(const ContentsParams& params, std::uint64_t sectors);

  /// False: writes leave nothing, reads give zeros.
  bool keeps() const { return store_ != nullptr; }
  /// False: nothing is kept and every sector can be read.
  bool modelled() const { return store_ != nullptr || may_break_ || !defects_.empty() || !marked_.empty(); }
  /// A sector breaks now.
  void add(const Defect& defect);
  /// A read of the sector has failed at `at`. Returns the number of the fault that it met, -1 if it met none.
  int read_failed(PhysicalSector sector, Ps at);
  /// Defects that have healed.
  std::uint64_t healed() const { return healed_; }

  /// Copies 512 bytes. False: the sector is unreadable, and `to` is as it was.
  bool read(PhysicalSector sector, std::uint8_t* to) const;
  /// The same below defects that heal: what a later try brings.
  bool read_below(PhysicalSector sector, std::uint8_t* to) const;
  /// Whether it can be read at `at`, ps, as it stands now: the defects of then.
  bool readable(PhysicalSector sector, Ps at) const;
  /// 512 bytes; the sector is readable again.
  void write(PhysicalSector sector, const std::uint8_t* from);
  /// A write was cut off in it: unreadable until written again.
  void spoil(PhysicalSector sector);
  /// The drive has made it unreadable, until it is written again: kept also where no contents are.
  void mark(PhysicalSector sector);
  /// The drive has moved a block to a spare; of the next run, if the store outlives this one.
  void reallocated(const Reallocation& reallocation);
  /// Those of earlier runs, in their order.
  std::vector<Reallocation> earlier_reallocations() const;
  // All of them: a sector behind the last one, or a file that cannot be read or written any more (disk full), is
  // SC_REPORT_FATAL.

  class Store;

 private:
  void check_sector(PhysicalSector sector) const;
  bool defective(PhysicalSector sector, Ps at) const;
  bool stands(PhysicalSector sector, std::uint8_t* to) const;
  const Defect* defect(PhysicalSector sector, Ps at) const;
  void sort_defects();

  const std::uint64_t sectors_;
  std::unordered_set<PhysicalSector> marked_;  // without a store; never iterated
  std::vector<Defect> defects_;                // by first sector; of several at a place the earliest
  bool may_break_;
  std::uint64_t healed_ = 0;
  std::unique_ptr<Store> store_;
};

}  // namespace armature::media
