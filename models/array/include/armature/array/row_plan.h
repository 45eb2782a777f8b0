#pragma once

#include "armature/array/array_params.h"
#include "armature/array/layout.h"

#include <cstdint>
#include <vector>

namespace armature::array {

/// What must be read from the members to read or write a part of one row with parity, and what is made of it.
///
/// Columns of a row are its data units and, last, its parity. The pieces of a request divide the sectors of a unit into
/// segments: in each segment a column is written as a whole or not at all. The parity of a segment is made
///   from all its data               if the request writes all columns of it, nothing is read
///   by reconstruct-write            from the new data and the columns that are not written, which are read
///   by read-modify-write            from the old parity, the old data and the new data
/// A segment in which a column cannot be read leaves the one way that does not need it, if any.
class RowPlan {
 public:
  /// Sectors of a column that are read or written at once.
  struct Access {
    unsigned column = 0;
    std::uint32_t offset = 0;
    std::uint32_t sectors = 0;
    bool asked = false;  ///< of a read: the request wants these themselves
  };

  /// @param pieces  of one row, at least one; no two of them have a sector in common
  RowPlan(unsigned data_columns, std::vector<Piece> pieces);

  std::uint64_t row() const { return pieces_.front().row; }
  const std::vector<Piece>& pieces() const { return pieces_; }

  /// False: the data cannot be had. While all columns can be read, the parity is read as `parity` says.
  /// @param unreadable  columns that cannot be read
  bool plan_read(const std::vector<unsigned>& unreadable, ReadParity parity = ReadParity::none);
  /// @param parity_kept  the parity's member is in service: without it the row is written without parity
  bool plan_write(const std::vector<unsigned>& unreadable, bool parity_kept, ParityWrite way);

  /// Of the last plan.
  const std::vector<Access>& reads() const { return reads_; }
  bool reads_parity_for_write() const { return read_modify_; }
  /// Of a read: it reads the parity of what it reads, and compares some of it.
  bool reads_parity() const { return reads_parity_; }
  bool compares_parity() const;
  /// Parity that a write changes; none if it is not kept.
  const std::vector<Access>& parity_writes() const { return parity_writes_; }

  /// Room for the data of all columns. Without it the plan carries none.
  void hold_data();
  /// Where the data of a read go to, and those of a parity write come from; null without data.
  std::uint8_t* data(const Access& access);
  /// All reads are in: the parity that is compared agrees with the data. True without data.
  bool parity_agrees();
  /// All reads are in: fills the request's buffer.
  void finish_read(std::uint8_t* request);
  /// All reads are in: makes the parity for the new data in the request's buffer.
  void make_parity(const std::uint8_t* request);

 private:
  enum class Way : std::uint8_t { none, modify, reconstruct };
  /// By column and segment: 1 or 0.
  using Cells = std::vector<std::uint8_t>;

  std::size_t segments() const { return cuts_.size() - 1; }
  std::uint32_t length(std::size_t segment) const { return cuts_[segment + 1] - cuts_[segment]; }
  bool covers(const Piece& piece, std::size_t segment) const {
    return piece.offset <= cuts_[segment] && piece.offset + piece.sectors >= cuts_[segment + 1];
  }
  const Piece* covering(unsigned column, std::size_t segment) const;
  unsigned covered(std::size_t segment) const;  ///< data columns, of a segment
  bool choose(const std::vector<unsigned>& unreadable, Way preferred, std::vector<Way>& ways) const;
  Cells no_cells() const;
  Cells needs(const std::vector<Way>& ways) const;
  std::vector<Access> merged(const Cells& wanted) const;
  std::size_t accesses(const Cells& wanted) const;
  std::uint8_t* cell(unsigned column, std::size_t segment);
  std::size_t at(unsigned column, std::size_t segment) const { return column * segments() + segment; }

  const unsigned data_columns_;
  std::vector<Piece> pieces_;
  std::vector<std::uint32_t> cuts_;  ///< borders of the segments
  std::vector<Access> reads_;
  std::vector<Access> parity_writes_;
  std::vector<Way> ways_;               ///< by segment, of a write
  Cells recovered_;                     ///< of a read, made from the others; empty: none
  std::vector<std::uint8_t> compared_;  ///< by segment: of a read, whose parity is compared
  bool read_modify_ = false;
  bool reads_parity_ = false;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace armature::array
