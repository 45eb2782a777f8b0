#pragma once

#include "armature/mems/layout.h"
#include "armature/mems/params.h"
#include "armature/mems/sled_motion.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace armature::mems {

/// A table of a database: records of attributes of fixed sizes.
struct RecordTable {
  std::uint64_t records = 10'000'000;
  std::vector<std::uint32_t> attributes = {8, 32, 15, 16};  ///< bytes each
  std::uint32_t page_bytes = 8'192;                         ///< of the layout `pages`
  std::uint32_t capsule_records = 60;                       ///< of the layout `capsules`
  std::uint32_t capsules_per_class = 0;                     ///< 0: as many as a capsule has blocks
  std::uint32_t first_cylinder = 0;                         ///< the table begins there
};

/// How a table lies on a store (Schlosser, dissertation 2004, 6.3.7).
enum class RecordLayout {
  pages,     ///< whole records in pages, one behind the other; a page begins with a row. The document's normal layout
  columns,   ///< each attribute in blocks of its own, one behind the other. The document's vertical layout
  capsules,  ///< some records in blocks of one equivalence class, each attribute in blocks of its own
};

/// Reads of such a table by a sled: each is a sequence of passes, and every pass goes the way that is sooner.
///
/// Pages are read whole, in their order. Of columns the rows that hold the wanted blocks are read in their order, one
/// column after the other. Capsules fill classes row by row and cylinder by cylinder; within a cylinder the sled sweeps
/// over the rows again and again, and each pass reads as many wanted blocks of the row's class as tips may be active.
class RecordStudy {
 public:
  /// Throws InputError that begins with the command's option: no records or attributes, a record larger than a page, an
  /// attribute larger than a block, more capsules than a class has room for, a table larger than the store, tips of a
  /// pass that share a part, more than one sled.
  RecordStudy(const MemsParams& params, const RecordTable& table);

  struct Reading {
    std::uint64_t passes = 0;
    std::uint64_t blocks = 0;  ///< that the passes have read
    Ps time = 0;               ///< from the first movement to the end of the last pass, a start-up included
  };
  /// All records, of which the attributes with these numbers are wanted (from 0, ascending, at least one). The sled
  /// lies inactive before.
  Reading scan(RecordLayout layout, const std::vector<std::size_t>& attributes) const;

  /// Reads of `count` successive records that begin at any record: means.
  struct Lookup {
    double passes = 0;
    double blocks = 0;
    double ms = 0;
  };
  /// @param inactive  the sled lies inactive before each; otherwise each begins where the one before has ended
  Lookup look_up(RecordLayout layout, const std::vector<std::size_t>& attributes, std::uint64_t count,
                 std::uint32_t lookups, bool inactive, std::uint64_t seed) const;

  /// Blocks of the attribute in a capsule.
  std::uint32_t capsule_blocks_of(std::size_t attribute) const { return capsule_part_[attribute]; }
  std::uint32_t capsule_blocks() const { return capsule_blocks_; }
  std::uint32_t capsules_per_class() const { return per_class_; }
  std::uint32_t records_per_page() const { return per_page_; }
  std::uint32_t record_bytes() const { return record_bytes_; }
  const Layout& layout() const { return layout_; }

  /// What a pass reads: blocks at one position of the sled, as many as tips may be active or fewer.
  using Visit = std::function<void(const std::vector<std::uint64_t>& blocks)>;
  /// The passes that read records first .. last (last included) of the table, in their order.
  void passes(RecordLayout layout, const std::vector<std::size_t>& attributes, std::uint64_t first, std::uint64_t last,
              const Visit& visit) const;

 private:
  void check_sizes() const;
  void divide();
  void check_room() const;
  void check_tips() const;
  void rows_of(std::uint64_t first, std::uint64_t last, const Visit& visit) const;
  void passes_of_pages(std::uint64_t first, std::uint64_t last, const Visit& visit) const;
  void passes_of_capsules(const std::vector<std::size_t>& attributes, std::uint64_t first, std::uint64_t last,
                          const Visit& visit) const;
  std::vector<std::vector<std::uint64_t>> passes_of_class(const std::vector<std::size_t>& attributes,
                                                          std::uint64_t number, std::uint64_t first,
                                                          std::uint64_t last) const;
  void read(SledMotion& sled, RecordLayout layout, const std::vector<std::size_t>& attributes, std::uint64_t first,
            std::uint64_t last, Reading& reading) const;

  const MemsParams params_;
  const RecordTable table_;
  const Layout layout_;
  const SledTimes times_;
  std::uint32_t record_bytes_ = 0;
  std::uint32_t per_page_ = 0, page_rows_ = 0, page_blocks_ = 0;
  std::uint32_t capsule_blocks_ = 0, per_class_ = 0;
  std::vector<std::uint32_t> capsule_part_;   // blocks, by attribute
  std::vector<std::uint32_t> capsule_first_;  // the first of them
  std::vector<std::uint64_t> column_first_;   // block at which a column begins, by attribute
  std::uint64_t columns_end_ = 0;
};

}  // namespace armature::mems
