#include "armature/array/row_plan.h"

#include <algorithm>
#include <cstring>

namespace armature::array {
namespace {

void add(std::uint8_t* to, const std::uint8_t* from, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) to[i] = static_cast<std::uint8_t>(to[i] ^ from[i]);
}

}  // namespace

RowPlan::RowPlan(unsigned data_columns, std::vector<Piece> pieces)
    : data_columns_(data_columns), pieces_(std::move(pieces)) {
  cuts_.reserve(2 * pieces_.size());
  for (const Piece& piece : pieces_) {
    cuts_.push_back(static_cast<std::uint32_t>(piece.offset));
    cuts_.push_back(static_cast<std::uint32_t>(piece.offset) + piece.sectors);
  }
  std::sort(cuts_.begin(), cuts_.end());
  cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
}

const Piece* RowPlan::covering(unsigned column, std::size_t segment) const {
  for (const Piece& piece : pieces_)
    if (piece.unit == column && covers(piece, segment)) return &piece;
  return nullptr;
}

unsigned RowPlan::covered(std::size_t segment) const {
  unsigned columns = 0;
  for (const Piece& piece : pieces_) columns += covers(piece, segment) ? 1 : 0;
  return columns;
}

RowPlan::Cells RowPlan::no_cells() const {
  return Cells((data_columns_ + 1) * segments());
}

/// Neighbouring segments of a column that are wanted become one access. Of a wide row nearly no cell is wanted, so they
/// are searched for, not looked at one by one.
std::vector<RowPlan::Access> RowPlan::merged(const Cells& wanted) const {
  std::vector<Access> list;
  const std::uint8_t* const end = wanted.data() + wanted.size();
  const auto next = [end](const std::uint8_t* from) {
    return from == end ? nullptr : static_cast<const std::uint8_t*>(std::memchr(from, 1, end - from));
  };
  for (const std::uint8_t* cell = next(wanted.data()); cell; cell = next(cell + 1)) {
    const auto index = static_cast<std::size_t>(cell - wanted.data());
    const auto column = static_cast<unsigned>(index / segments());
    const std::size_t segment = index % segments();
    const bool asked = column < data_columns_ && covering(column, segment);
    Access* const last = list.empty() ? nullptr : &list.back();
    if (last && last->column == column && last->offset + last->sectors == cuts_[segment]) {
      last->sectors += length(segment);
      last->asked = last->asked || asked;
    } else {
      list.push_back({column, cuts_[segment], length(segment), asked});
    }
  }
  return list;
}

/// How many `merged` would list.
std::size_t RowPlan::accesses(const Cells& wanted) const {
  std::size_t count = 0;
  for (std::size_t first = 0; first < wanted.size(); first += segments())
    for (std::size_t cell = first; cell < first + segments(); ++cell)
      count += wanted[cell] && (cell == first || !wanted[cell - 1]) ? 1 : 0;
  return count;
}

bool RowPlan::plan_read(const std::vector<unsigned>& unreadable, ReadParity parity) {
  Cells wanted = no_cells();
  compared_.assign(segments(), 0);
  reads_parity_ = parity != ReadParity::none && unreadable.empty();
  for (std::size_t segment = 0; reads_parity_ && segment < segments(); ++segment) {
    const unsigned columns = covered(segment);
    if (columns == 0) continue;
    wanted[at(data_columns_, segment)] = 1;
    compared_[segment] = parity == ReadParity::check || columns == data_columns_;
    for (unsigned column = 0; compared_[segment] && column < data_columns_; ++column) wanted[at(column, segment)] = 1;
  }
  recovered_ = unreadable.empty() ? Cells() : no_cells();
  parity_writes_.clear();
  for (const Piece& piece : pieces_)
    for (std::size_t segment = 0; segment < segments(); ++segment) {
      if (!covers(piece, segment)) continue;
      const bool lost = std::find(unreadable.begin(), unreadable.end(), piece.unit) != unreadable.end();
      if (!lost) {
        wanted[at(piece.unit, segment)] = 1;
        continue;
      }
      if (unreadable.size() > 1) return false;
      recovered_[at(piece.unit, segment)] = 1;
      for (unsigned other = 0; other <= data_columns_; ++other)
        if (other != piece.unit) wanted[at(other, segment)] = 1;
    }
  reads_ = merged(wanted);
  return true;
}

/// The way in which each segment's parity is made if `preferred` is taken wherever it can be.
bool RowPlan::choose(const std::vector<unsigned>& unreadable, Way preferred, std::vector<Way>& ways) const {
  ways.assign(segments(), Way::none);
  for (std::size_t segment = 0; segment < segments(); ++segment) {
    const unsigned columns = covered(segment);
    if (columns == 0) continue;
    bool modify = true, reconstruct = true;
    for (const unsigned column : unreadable)
      (column == data_columns_ || covering(column, segment) ? modify : reconstruct) = false;
    if (!modify && !reconstruct) return false;
    const bool by_reconstruct = columns == data_columns_ || !modify || (reconstruct && preferred == Way::reconstruct);
    ways[segment] = by_reconstruct ? Way::reconstruct : Way::modify;
  }
  return true;
}

RowPlan::Cells RowPlan::needs(const std::vector<Way>& ways) const {
  Cells wanted = no_cells();
  for (std::size_t segment = 0; segment < segments(); ++segment) {
    if (ways[segment] == Way::none) continue;
    const bool modify = ways[segment] == Way::modify;
    wanted[at(data_columns_, segment)] = modify;
    for (unsigned column = 0; !modify && column < data_columns_; ++column) wanted[at(column, segment)] = 1;
    for (const Piece& piece : pieces_)
      if (covers(piece, segment)) wanted[at(piece.unit, segment)] = modify;
  }
  return wanted;
}

bool RowPlan::plan_write(const std::vector<unsigned>& unreadable, bool parity_kept, ParityWrite way) {
  std::vector<Way> modify(segments(), Way::none), reconstruct = modify;
  if (parity_kept && (!choose(unreadable, Way::modify, modify) || !choose(unreadable, Way::reconstruct, reconstruct)))
    return false;
  const Cells by_modify = needs(modify), by_reconstruct = needs(reconstruct);
  const bool take_reconstruct = way == ParityWrite::reconstruct_write ||
                                (way == ParityWrite::fewest && accesses(by_reconstruct) < accesses(by_modify));
  ways_ = take_reconstruct ? reconstruct : modify;
  reads_ = merged(take_reconstruct ? by_reconstruct : by_modify);
  read_modify_ = std::find(ways_.begin(), ways_.end(), Way::modify) != ways_.end();
  Cells written = no_cells();
  for (std::size_t segment = 0; segment < segments(); ++segment)
    written[at(data_columns_, segment)] = ways_[segment] != Way::none;
  parity_writes_ = merged(written);
  return true;
}

void RowPlan::hold_data() {
  bytes_.assign((data_columns_ + 1) * std::size_t{cuts_.back() - cuts_.front()} * kBlockBytes, 0);
}

std::uint8_t* RowPlan::data(const Access& access) {
  if (bytes_.empty()) return nullptr;
  const std::size_t height = cuts_.back() - cuts_.front();
  return bytes_.data() + (access.column * height + (access.offset - cuts_.front())) * kBlockBytes;
}

std::uint8_t* RowPlan::cell(unsigned column, std::size_t segment) {
  return data({column, cuts_[segment], length(segment), false});
}

bool RowPlan::compares_parity() const {
  return reads_parity_ && std::find(compared_.begin(), compared_.end(), 1) != compared_.end();
}

bool RowPlan::parity_agrees() {
  if (bytes_.empty() || !reads_parity_) return true;
  for (std::size_t segment = 0; segment < segments(); ++segment) {
    if (!compared_[segment]) continue;
    const std::size_t bytes = length(segment) * kBlockBytes;
    std::vector<std::uint8_t> sum(bytes);
    for (unsigned column = 0; column <= data_columns_; ++column) add(sum.data(), cell(column, segment), bytes);
    if (std::any_of(sum.begin(), sum.end(), [](std::uint8_t byte) { return byte != 0; })) return false;
  }
  return true;
}

void RowPlan::finish_read(std::uint8_t* request) {
  if (bytes_.empty()) return;
  for (unsigned column = 0; column < data_columns_; ++column)
    for (std::size_t segment = 0; segment < segments(); ++segment) {
      const Piece* const piece = covering(column, segment);
      if (!piece) continue;
      const std::size_t bytes = length(segment) * kBlockBytes;
      std::uint8_t* const mine = cell(column, segment);
      if (!recovered_.empty() && recovered_[at(column, segment)]) {
        std::memset(mine, 0, bytes);
        for (unsigned other = 0; other <= data_columns_; ++other)
          if (other != column) add(mine, cell(other, segment), bytes);
      }
      std::memcpy(request + (piece->at + cuts_[segment] - piece->offset) * kBlockBytes, mine, bytes);
    }
}

void RowPlan::make_parity(const std::uint8_t* request) {
  if (bytes_.empty()) return;
  for (std::size_t segment = 0; segment < segments(); ++segment) {
    if (ways_[segment] == Way::none) continue;
    const bool modify = ways_[segment] == Way::modify;
    const std::size_t bytes = length(segment) * kBlockBytes;
    std::uint8_t* const parity = cell(data_columns_, segment);
    if (!modify) std::memset(parity, 0, bytes);
    for (unsigned column = 0; column < data_columns_; ++column) {
      const Piece* const piece = covering(column, segment);
      if (piece) add(parity, request + (piece->at + cuts_[segment] - piece->offset) * kBlockBytes, bytes);
      if (modify == (piece != nullptr)) add(parity, cell(column, segment), bytes);
    }
  }
}

}  // namespace armature::array
