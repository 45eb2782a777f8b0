#include "commands.h"

#include "armature/core/kernel_time.h"
#include "array.h"

#include <algorithm>

namespace armature::array {

using host::CommandStatus;

namespace {

constexpr std::uint8_t kFailedStatus = 0x41;  // DRDY, ERR
constexpr std::uint8_t kAborted = 0x04;
constexpr std::uint8_t kIdNotFound = 0x10;

Command& command_of(Job& job) {
  return static_cast<Command&>(job);
}

/// The host's buffer of a piece; null if commands carry no data.
std::uint8_t* data_of(const Command& job, const Piece& piece) {
  return job.command.data ? job.command.data + piece.at * kBlockBytes : nullptr;
}

}  // namespace

Commands::Commands(Array& array) : array_(array) {
  identity_.model = "Array";
  identity_.sectors = array_.layout.sectors();
  identity_.queued = true;
  identity_.queue_depth = sata::kStandardTags;
  identity_.flush_cache_ext = true;
}

void Commands::issue(unsigned tag, const host::BlockCommand& command) {
  if (tag >= jobs_.size()) jobs_.resize(tag + 1);
  jobs_[tag] = std::make_unique<Command>(*this, tag, command);
  begun_.push_back(jobs_[tag].get());
  array_.settle.notify(sc_core::SC_ZERO_TIME);
}

void Commands::identify() {
  identify_asked_ = true;
  array_.settle.notify(sc_core::SC_ZERO_TIME);
}

void Commands::control() {
  control_asked_ = true;
  array_.settle.notify(sc_core::SC_ZERO_TIME);
}

void Commands::answer() {
  if (identify_asked_) {
    identify_asked_ = false;
    client_->identified({}, now());
  }
  if (control_asked_) {
    control_asked_ = false;
    client_->controlled({false, kFailedStatus, kAborted}, now());
  }
}

void Commands::settle() {
  settled_.clear();
  settled_.swap(begun_);
  for (Command* const job : settled_) start(*job);
}

void Commands::go_on() {
  std::vector<Command*> held;
  held.swap(held_);
  for (Command* const job : held) start(*job);
}

bool Commands::at_work() const {
  return std::any_of(jobs_.begin(), jobs_.end(), [this](const auto& job) {
    return job && job->running && std::find(held_.begin(), held_.end(), job.get()) == held_.end();
  });
}

std::vector<Command*> Commands::writing() const {
  std::vector<Command*> list;
  for (const auto& job : jobs_)
    if (job && job->running && job->command.operation != Operation::flush && job->step == Job::Step::writing)
      list.push_back(job.get());
  return list;
}

void Commands::start(Command& job) {
  const host::BlockCommand& command = job.command;
  const Layout& layout = array_.layout;
  if (array_.resync.wanted()) {
    array_.resync.wake();
    return held_.push_back(&job);
  }
  if (layout.parity() && array_.members.missing() > 1) {
    job.lost = true;
    return end(job);
  }
  if (command.operation == Operation::flush) {
    job.lost = !array_.members.whole();
    return job.lost ? end(job) : array_.operations.flush(job);
  }
  if (command.lbn + command.sectors > layout.sectors()) {
    job.status = {false, kFailedStatus, kIdNotFound, layout.sectors()};
    job.lost = true;
    return end(job);
  }
  for (const Piece& piece : layout.pieces(command.lbn, command.sectors)) {
    if (job.rows.empty() || job.rows.back().pieces.front().row != piece.row) job.rows.emplace_back();
    job.rows.back().pieces.push_back(piece);
  }
  for (Row& row : job.rows) {
    if (!layout.parity()) break;
    row.plan.emplace(layout.data_units(), row.pieces);
    if (array_.data) row.plan->hold_data();
  }
  if (job.reads())
    read_rows(job);
  else if (layout.redundant())
    lock(job, /*exclusive=*/true);
  else
    write_rows(job);
}

void Commands::lock(Command& job, bool exclusive) {
  if (array_.layout.row_sectors() > 0)
    array_.lock(job, job.rows.front().pieces.front().row, job.rows.back().pieces.front().row, exclusive);
  else
    array_.lock(job, job.command.lbn, job.command.lbn + job.command.sectors - 1, exclusive);
}

void Commands::locked(Job& job) {
  if (command_of(job).reads() || array_.layout.parity())
    read_rows(command_of(job));
  else
    write_rows(command_of(job));
}

/// Each data unit of its rows.
bool Commands::readable(const Command& job) const {
  return std::all_of(job.rows.begin(), job.rows.end(), [&](const Row& row) {
    return std::all_of(row.pieces.begin(), row.pieces.end(), [&](const Piece& piece) {
      const unsigned slot = array_.layout.member(piece.row, piece.unit);
      return array_.members.readable(job, slot, piece.row, array_.row_end(piece.row));
    });
  });
}

/// Sends what must be read and has not been.
void Commands::read_rows(Command& job) {
  job.step = Job::Step::reading;
  const bool parity = array_.layout.parity();
  // Parity is compared with data that no write changes meanwhile.
  if (parity && !job.has_lock && (!readable(job) || (job.reads() && array_.params.read_parity != ReadParity::none)))
    return lock(job, /*exclusive=*/false);
  // A write that is under way may yet reach a copy that lacks it.
  if (!job.has_lock && !array_.deferred.copied(job)) return lock(job, /*exclusive=*/false);
  for (std::size_t row = 0; row < job.rows.size(); ++row) {
    if (job.rows[row].read) continue;
    job.rows[row].read_failed = false;
    if (!(parity ? read_with_parity(job, row) : read_pieces(job, row))) job.lost = true;
  }
  if (job.open == 0) reads_over(job);
}

bool Commands::read_with_parity(Command& job, std::size_t index) {
  RowPlan& plan = *job.rows[index].plan;
  const Layout& layout = array_.layout;
  const unsigned parity = layout.data_units();
  const std::uint64_t row = plan.row(), end = array_.row_end(row);
  const auto slot_of = [&](unsigned column) {
    return column == parity ? layout.parity_member(row) : layout.member(row, column);
  };
  std::vector<unsigned> unreadable;
  if (array_.members.missing() > 0 || !job.bad.empty())
    for (unsigned column = 0; column <= parity; ++column)
      if (!array_.members.readable(job, slot_of(column), row, end)) unreadable.push_back(column);
  const bool kept = array_.members.in_service(slot_of(parity), end);
  const bool torn = array_.resync.torn(row * layout.row_sectors(), 1);
  const ReadParity check = torn ? ReadParity::none : array_.params.read_parity;
  if (!(job.reads() ? plan.plan_read(unreadable, check)
                    : plan.plan_write(unreadable, kept, array_.params.parity_write)))
    return false;
  const auto made = [](const RowPlan::Access& access) { return !access.asked; };
  if (job.reads() && torn && std::any_of(plan.reads().begin(), plan.reads().end(), made)) return false;
  for (const RowPlan::Access& access : plan.reads()) {
    const Purpose purpose = job.reads() && access.asked ? Purpose::data
                            : job.reads()               ? (plan.reads_parity() ? Purpose::check : Purpose::reconstruct)
                            : access.column == parity   ? Purpose::old_parity
                            : access.asked              ? Purpose::old_data
                                                        : Purpose::other_data;
    Sent sent(slot_of(access.column), Operation::read, purpose, plan.data(access));
    sent.row = index;
    array_.operations.send(job, sent, row * layout.row_sectors() + access.offset, access.sectors);
  }
  return true;
}

bool Commands::read_pieces(Command& job, std::size_t index) {
  const std::vector<Piece>& pieces = job.rows[index].pieces;
  return std::all_of(pieces.begin(), pieces.end(), [&](const Piece& piece) { return read_copies(job, index, piece); });
}

/// Reads a piece from one copy, or if none has all of it, from several.
bool Commands::read_copies(Command& job, std::size_t index, Piece piece) {
  for (std::uint32_t left = piece.sectors; left > 0;) {
    int slot = array_.members.choose_copy(job, piece);
    if (slot < 0) {
      piece.sectors = array_.deferred.most_on_one_copy(job, piece);
      if (piece.sectors > 0) slot = array_.members.choose_copy(job, piece);
    }
    if (slot < 0) return false;
    Sent sent(static_cast<unsigned>(slot), Operation::read, Purpose::data, data_of(job, piece));
    sent.row = index;
    array_.operations.send(job, sent, array_.layout.member_lbn(piece), piece.sectors);
    left -= piece.sectors;
    piece.at += piece.sectors;
    piece.offset += piece.sectors;
    piece.sectors = left;
  }
  return true;
}

void Commands::write_rows(Command& job) {
  job.step = Job::Step::writing;
  for (std::size_t row = 0; row < job.rows.size(); ++row) write_row(job, row);
  if (job.open == 0) writes_over(job);
}

void Commands::write_row(Command& job, std::size_t index) {
  Row& row = job.rows[index];
  count(row);
  row.written.assign(row.pieces.size(), 0);
  for (std::size_t i = 0; i < row.pieces.size(); ++i) write_piece(job, index, i);
  if (!row.plan) return;
  Sent sent(array_.layout.parity_member(row.plan->row()), Operation::write, Purpose::parity);
  sent.row = index;
  sent.fua = job.command.fua;
  if (!array_.members.in_service(sent.slot, array_.row_end(row.plan->row()))) return;
  for (const RowPlan::Access& access : row.plan->parity_writes()) {
    sent.data = row.plan->data(access);
    const std::uint64_t lbn = row.plan->row() * array_.layout.row_sectors() + access.offset;
    array_.operations.send(job, sent, lbn, access.sectors);
  }
}

/// To the copies of a piece, or to those of them that get it at once.
void Commands::write_piece(Command& job, std::size_t row, std::size_t index) {
  const Piece& piece = job.rows[row].pieces[index];
  const std::uint64_t lbn = array_.layout.member_lbn(piece);
  Sent sent(0, Operation::write, Purpose::data, data_of(job, piece));
  sent.row = row;
  sent.piece = index;
  std::vector<unsigned> slots = array_.deferred.copies_for(piece);
  sent.makes_up = array_.deferred.on() && slots.empty();
  sent.fua = job.command.fua || sent.makes_up;  // the log forgets it when it is on the media
  if (slots.empty()) {
    for (unsigned copy = 0; copy < array_.layout.copies(); ++copy) {
      const unsigned slot = array_.layout.member(piece.row, piece.unit, copy);
      if (array_.members.takes_writes(slot, lbn)) slots.push_back(slot);
    }
  }
  for (const unsigned slot : slots) {
    sent.slot = slot;
    array_.operations.send(job, sent, lbn, piece.sectors);
  }
}

/// The copies that got the write may have failed before it has ended. Its data are still here, and go to the copies
/// that are left.
void Commands::write_lost(Command& job) {
  for (std::size_t row = 0; row < job.rows.size(); ++row)
    for (std::size_t i = 0; i < job.rows[row].pieces.size(); ++i) {
      if (array_.deferred.held(job.rows[row].pieces[i])) continue;
      job.rows[row].written[i] = 0;
      write_piece(job, row, i);
    }
}

void Commands::count(const Row& row) {
  if (!row.plan) return;
  ArrayController::Counters& counters = array_.counters;
  if (row.plan->parity_writes().empty())
    ++counters.degraded_rows;
  else if (row.plan->reads().empty())
    ++counters.full_rows;
  else
    ++(row.plan->reads_parity_for_write() ? counters.modified_rows : counters.reconstructed_rows);
}

void Commands::written(Job& job, const Sent& sent) {
  if (sent.operation.purpose == Purpose::data) ++command_of(job).rows[sent.row].written[sent.piece];
}

void Commands::unread(Job& job, const Sent& sent, const CommandStatus&) {
  Row& row = command_of(job).rows[sent.row];
  row.read_failed = true;
  job.bad.emplace_back(sent.slot, row.pieces.front().row);
}

void Commands::over(Job& job) {
  if (command_of(job).command.operation == Operation::flush) {
    array_.resync.flush_ends(!job.lost && job.status.ok);
    return end(command_of(job));
  }
  return job.step == Job::Step::reading ? reads_over(command_of(job)) : writes_over(command_of(job));
}

void Commands::reads_over(Command& job) {
  if (job.lost) return end(job);
  bool again = false;
  for (Row& row : job.rows) {
    again = again || (!row.read && row.read_failed);
    if (!row.read && !row.read_failed) row_read(job, row);
  }
  if (again) return read_rows(job);
  if (job.reads()) return end(job);
  for (Row& row : job.rows) row.plan->make_parity(job.command.data);
  write_rows(job);
}

void Commands::row_read(Command& job, Row& row) {
  row.read = true;
  if (!row.plan || !job.reads()) return;
  const auto& reads = row.plan->reads();
  if (row.plan->reads_parity()) {
    array_.counters.parity_compared += row.plan->compares_parity() ? 1 : 0;
    array_.counters.parity_different += row.plan->parity_agrees() ? 0 : 1;
  } else if (std::any_of(reads.begin(), reads.end(), [](const auto& a) { return !a.asked; })) {
    ++array_.counters.degraded_rows;
  }
  row.plan->finish_read(job.command.data);
}

void Commands::writes_over(Command& job) {
  if (job.again) {
    job.again = false;
    return write_rows(job);
  }
  if (array_.deferred.on()) {
    write_lost(job);
    if (job.open > 0) return;
  }
  job.lost = !std::all_of(job.rows.begin(), job.rows.end(), [this](const Row& row) { return stands(row); });
  array_.resync.note_written(job);
  for (const Row& row : job.rows)
    for (const Piece& piece : row.pieces) array_.end.note_written(array_.layout.member_lbn(piece), piece.sectors);
  end(job);
}

/// What was written to the row can be had again.
bool Commands::stands(const Row& row) const {
  if (!row.plan) return std::all_of(row.written.begin(), row.written.end(), [](unsigned copies) { return copies > 0; });
  return array_.members.gone(array_.row_end(row.plan->row())) <= 1;
}

void Commands::end(Command& job) {
  if (job.lost && job.status.ok) job.status = {false, kFailedStatus, kAborted};
  if (!job.lost) job.status = {};
  job.running = false;
  array_.release(job);
  array_.resync.command_over();
  client_->command_done(static_cast<unsigned>(job.tag), job.status, now());
}

}  // namespace armature::array
