#pragma once

#include "armature/array/array_params.h"
#include "armature/core/block_address.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace armature::array {

inline constexpr std::size_t kBlockBytes = kSectorBytes;  ///< lengths in memory have 64 bits

/// A part of a request that lies in one data unit of one row.
struct Piece {
  std::uint64_t row = 0;
  unsigned unit = 0;         ///< data unit of the row
  std::uint64_t offset = 0;  ///< first sector in the unit
  std::uint32_t sectors = 0;
  std::uint32_t at = 0;  ///< sectors of the request before it
};

/// Where the blocks of an array lie on its members. All counts are sectors of 512 bytes.
///
/// A row has one unit on each member: data units, their copies, or parity.
///   concat  row m is all of member m; with extents row i is the i-th of them
///   raid0   data unit k of each row on member k
///   raid1   one row, with a copy of its unit on each member
///   raid10  with c copies: data unit k on members c * k to c * k + c - 1
///   raid4   data unit k on member k, parity on the last one
///   raid5   left-symmetric, as Linux md calls it: of n members, parity of row r on member p = n - 1 - r mod n, data
///           unit k on member (p + 1 + k) mod n
/// Members of unequal size are used up to the size of the smallest, except with concat.
class Layout {
 public:
  /// @param extents  of concat; empty: each member as a whole
  /// @param copies   of raid10, of each data unit
  /// Throws InputError if the level needs other members or they are smaller than a unit or than their extents.
  Layout(Level level, const std::vector<std::uint64_t>& member_sectors, std::uint32_t unit_sectors,
         const std::vector<Extent>& extents = {}, unsigned copies = 2);

  Level level() const { return level_; }
  std::uint64_t sectors() const { return sectors_; }
  unsigned members() const { return members_; }
  unsigned data_units() const { return data_units_; }  ///< of a row
  unsigned copies() const { return copies_; }          ///< of a data unit
  bool parity() const { return level_ == Level::raid4 || level_ == Level::raid5; }
  /// A member may fail without loss.
  bool redundant() const { return parity() || copies_ > 1; }
  std::uint64_t rows() const { return rows_; }
  /// Sectors of each member that the array uses; of concat, of the largest.
  std::uint64_t used_sectors() const { return used_; }

  /// Of the array: sectors of data after which a new row begins; of levels without stripes, a MiB.
  std::uint64_t data_row_sectors() const { return striped() ? data_units_ * unit_ : 2'048; }

  /// Rows lie one behind the other on a member: LBN row * row_sectors() + offset. A row of raid1 begins at 0, one of
  /// concat at 0 or where its extent does.
  std::uint64_t row_sectors() const { return striped() ? unit_ : 0; }
  std::uint64_t member_lbn(const Piece& piece) const {
    return (level_ == Level::concat ? parts_[piece.row].begin : piece.row * row_sectors()) + piece.offset;
  }
  /// Member that holds copy `copy` of a data unit.
  unsigned member(std::uint64_t row, unsigned unit, unsigned copy = 0) const;
  unsigned parity_member(std::uint64_t row) const;
  /// Of levels with copies: the first of the members that hold what `member` holds; there are `copies()` of them.
  unsigned first_copy(unsigned member) const { return member / copies_ * copies_; }
  /// Hold two members the same data?
  bool same_data(unsigned a, unsigned b) const { return copies_ > 1 && first_copy(a) == first_copy(b); }

  /// The pieces of a request in the order of their addresses. It must lie inside the array.
  std::vector<Piece> pieces(std::uint64_t lbn, std::uint32_t sectors) const;

 private:
  /// Of concat: a row.
  struct Part {
    unsigned member = 0;
    std::uint64_t begin = 0;  ///< LBN of the member
  };

  void place_extents(const std::vector<Extent>& extents, const std::vector<std::uint64_t>& member_sectors);
  bool striped() const { return level_ != Level::concat && level_ != Level::raid1; }

  const Level level_;
  const unsigned members_;
  const std::uint64_t unit_;
  unsigned data_units_ = 1;
  unsigned copies_ = 1;
  std::uint64_t rows_ = 1;
  std::uint64_t used_ = 0;
  std::uint64_t sectors_ = 0;
  std::vector<Part> parts_;            ///< of concat
  std::vector<std::uint64_t> begins_;  ///< of concat: first sector of each part, and the end
};

}  // namespace armature::array
