#include "armature/array/array_controller.h"

#include "armature/core/conversions.h"
#include "armature/core/kernel_time.h"
#include "buses.h"
#include "deferred.h"
#include "job.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::array {

using host::CommandStatus;
using workload::Request;

namespace {

constexpr std::uint8_t kFailedStatus = 0x41;  // DRDY, ERR
constexpr std::uint8_t kAborted = 0x04;
constexpr std::uint8_t kIdNotFound = 0x10;
constexpr std::uint64_t kMostSectors = 65'536;  // of one command

/// Whole rows of about so many sectors, as one command may have.
std::uint32_t whole_rows(std::uint64_t wanted, std::uint64_t row) {
  if (row == 0) return static_cast<std::uint32_t>(std::min(wanted, kMostSectors));
  const std::uint64_t rows = std::min((wanted + row - 1) / row, kMostSectors / row);
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(rows, 1) * row);
}

}  // namespace

ArrayController::ArrayController(sc_core::sc_module_name name, const ArrayParams& params, const Layout& layout,
                                 unsigned spares, bool data)
    : sc_module(name),
      params_(params),
      layout_(layout),
      data_(data),
      slots_(layout.members()),
      devices_(layout.members() + spares),
      locks_(std::make_unique<Locks>()),
      part_sectors_(whole_rows(params.rebuild_sectors(), layout.row_sectors())),
      scrub_sectors_(whole_rows(params.scrub_sectors(), layout.row_sectors())) {
  for (unsigned i = 0; i < slots_.size(); ++i) slots_[i].device = i;
  for (Device& device : devices_) device.array = this;
  identity_.model = "Array";
  identity_.sectors = layout_.sectors();
  identity_.queued = true;
  identity_.queue_depth = sata::kStandardTags;
  identity_.flush_cache_ext = true;
  if (params_.scrub_mb_s > 0 && !layout_.redundant())
    throw InputError("array.scrub_mb_s: the level has no redundancy, from which a scrub could make anything anew");
  if (params_.deferred.after_s > 0) {
    params_.check_deferred();
    deferred_ = std::make_unique<Deferred>();
    deferred_->of.resize(slots_.size());
  }
  if (params_.bus.count > 0) buses_ = std::make_unique<Buses>(params_.bus, slots_.size(), devices_.size());

  for (const MemberFailure& failure : params_.failures) {
    const auto member = static_cast<unsigned>(failure.member);
    if (member >= slots_.size())
      throw InputError(
          fmt::format("array.failures: there is no member {}; they are 0 to {}", member, slots_.size() - 1));
    failures_.emplace_back(from_seconds(failure.time_s), member);
  }
  std::sort(failures_.rbegin(), failures_.rend());
  for (; !failures_.empty() && failures_.back().first <= 0; failures_.pop_back()) fail(failures_.back().second);

  SC_HAS_PROCESS(ArrayController);
  SC_METHOD(failure_due);  // runs at time zero, before the first command has come
  sensitive << failure_;
  SC_METHOD(settle);
  sensitive << settle_;
  dont_initialize();
  SC_METHOD(rebuild_next);
  sensitive << next_part_;
  dont_initialize();
  SC_METHOD(resync_next);
  sensitive << next_stretch_;
  dont_initialize();
  SC_METHOD(scrub_next);  // runs at time zero
  sensitive << next_scrub_;
  if (deferred_) {
    SC_METHOD(catch_up_next);
    sensitive << deferred_->next;
    dont_initialize();
  }
  SC_METHOD(bus_due);
  sensitive << bus_;
  dont_initialize();
}

ArrayController::~ArrayController() = default;

host::RequestFeed::Owner& ArrayController::owner(unsigned device) {
  return devices_.at(device);
}

void ArrayController::set_feed(unsigned device, host::RequestFeed& feed) {
  devices_.at(device).feed = &feed;
}

// ---------------------------------------------------------------------------------------------------------------------
// Commands

void ArrayController::issue(unsigned tag, const host::BlockCommand& command) {
  if (tag >= jobs_.size()) jobs_.resize(tag + 1);
  jobs_[tag] = std::make_unique<Job>();
  Job& job = *jobs_[tag];
  job.tag = tag;
  job.command = command;
  if (command.operation == Operation::flush) job.kind = Job::Kind::flush;
  begun_.push_back(&job);
  settle_.notify(sc_core::SC_ZERO_TIME);
}

void ArrayController::identify() {
  identify_asked_ = true;
  settle_.notify(sc_core::SC_ZERO_TIME);
}

void ArrayController::control(const host::ControlCommand&) {
  control_asked_ = true;
  settle_.notify(sc_core::SC_ZERO_TIME);
}

void ArrayController::settle() {
  if (identify_asked_) {
    identify_asked_ = false;
    client_->identified({}, now());
  }
  if (control_asked_) {
    control_asked_ = false;
    client_->controlled({false, kFailedStatus, kAborted}, now());
  }
  settled_.ended.clear();
  settled_.ended.swap(ended_);
  std::sort(settled_.ended.begin(), settled_.ended.end(),
            [](const Ended& a, const Ended& b) { return a.operation < b.operation; });
  for (const Ended& each : settled_.ended) {
    if (needs_bus(each))
      ask_bus(sent_.at(each.operation));
    else
      ended(each);
  }
  settled_.turns.clear();
  settled_.turns.swap(bus_ended_);
  std::sort(settled_.turns.begin(), settled_.turns.end());
  for (const std::uint64_t operation : settled_.turns) bus_over(operation);
  settled_.begun.clear();
  settled_.begun.swap(begun_);
  for (Job* const job : settled_.begun) start(*job);
}

ArrayController::Sent& ArrayController::keep(const Sent& sent) {
  if (spare_sent_.empty()) return sent_.emplace(sent.operation.id, sent).first->second;
  auto node = std::move(spare_sent_.back());
  spare_sent_.pop_back();
  node.key() = sent.operation.id;
  node.mapped() = sent;
  return sent_.insert(std::move(node)).position->second;
}

void ArrayController::start(Job& job) {
  const host::BlockCommand& command = job.command;
  if (recovering()) {
    if (!resync_) next_stretch_.notify(sc_core::SC_ZERO_TIME);
    return held_.push_back(&job);
  }
  if (layout_.parity() && missing() > 1) {
    job.lost = true;
    return end(job);
  }
  if (job.kind == Job::Kind::flush) return flush(job);
  if (command.lbn + command.sectors > layout_.sectors()) {
    job.status = {false, kFailedStatus, kIdNotFound, layout_.sectors()};
    job.lost = true;
    return end(job);
  }
  for (const Piece& piece : layout_.pieces(command.lbn, command.sectors)) {
    if (job.rows.empty() || job.rows.back().pieces.front().row != piece.row) job.rows.emplace_back();
    job.rows.back().pieces.push_back(piece);
  }
  if (layout_.parity())
    for (Row& row : job.rows) {
      row.plan.emplace(layout_.data_units(), row.pieces);
      if (data_) row.plan->hold_data();
    }
  if (job.reads())
    read_rows(job);
  else if (layout_.redundant())
    lock(job, /*exclusive=*/true);
  else
    write_rows(job);
}

void ArrayController::lock(Job& job, bool exclusive) {
  std::uint64_t first = job.command.lbn, last = job.command.lbn + job.command.sectors - 1;
  if (job.kind == Job::Kind::rebuild || job.kind == Job::Kind::scrub || job.kind == Job::Kind::catch_up) {
    first = job.lbn;
    last = job.lbn + job.sectors - 1;
    if (const std::uint64_t row = layout_.row_sectors()) {
      first /= row;
      last /= row;
    }
  } else if (layout_.row_sectors() > 0) {
    first = job.rows.front().pieces.front().row;
    last = job.rows.back().pieces.front().row;
  }
  job.has_lock = true;
  if (locks_->acquire(&job, first, last, exclusive)) locked(job);
}

void ArrayController::locked(Job& job) {
  if (job.kind == Job::Kind::rebuild)
    rebuild_reads();
  else if (job.kind == Job::Kind::scrub)
    scrub_reads();
  else if (job.kind == Job::Kind::catch_up)
    catch_up_reads();
  else if (job.reads() || layout_.parity())
    read_rows(job);
  else
    write_rows(job);
}

/// Sends what must be read and has not been.
void ArrayController::read_rows(Job& job) {
  job.step = Job::Step::reading;
  if (layout_.parity() && !job.has_lock) {
    const bool whole = std::all_of(job.rows.begin(), job.rows.end(), [&](const Row& row) {
      return std::all_of(row.pieces.begin(), row.pieces.end(), [&](const Piece& piece) {
        return readable(job, layout_.member(piece.row, piece.unit), piece.row, row_end(piece.row));
      });
    });
    // Parity is compared with data that no write changes meanwhile.
    if (!whole || (job.reads() && params_.read_parity != ReadParity::none)) return lock(job, /*exclusive=*/false);
  }
  // A write that is under way may yet reach a copy that lacks it.
  if (deferred_ && !job.has_lock && !copied(job)) return lock(job, /*exclusive=*/false);
  for (std::size_t row = 0; row < job.rows.size(); ++row) {
    if (job.rows[row].read) continue;
    job.rows[row].read_failed = false;
    if (!(layout_.parity() ? read_with_parity(job, row) : read_pieces(job, row))) job.lost = true;
  }
  if (job.open == 0) reads_over(job);
}

bool ArrayController::read_with_parity(Job& job, std::size_t index) {
  RowPlan& plan = *job.rows[index].plan;
  const unsigned parity = layout_.data_units();
  const std::uint64_t row = plan.row(), end = row_end(row);
  std::vector<unsigned> unreadable;
  if (missing() > 0 || !job.bad.empty())
    for (unsigned column = 0; column <= parity; ++column)
      if (!readable(job, slot_of_column(row, column), row, end)) unreadable.push_back(column);
  const bool kept = in_service(slot_of_column(row, parity), end);
  const ReadParity check = torn_.count(row) > 0 ? ReadParity::none : params_.read_parity;
  if (!(job.reads() ? plan.plan_read(unreadable, check) : plan.plan_write(unreadable, kept, params_.parity_write)))
    return false;
  const auto made = [](const RowPlan::Access& access) { return !access.asked; };
  if (job.reads() && torn_.count(row) > 0 && std::any_of(plan.reads().begin(), plan.reads().end(), made)) return false;
  for (const RowPlan::Access& access : plan.reads()) {
    Sent sent;
    sent.slot = slot_of_column(row, access.column);
    sent.row = index;
    sent.data = plan.data(access);
    sent.operation.operation = Operation::read;
    sent.operation.purpose = job.reads() && access.asked ? Purpose::data
                             : job.reads()               ? (plan.reads_parity() ? Purpose::check : Purpose::reconstruct)
                             : access.column == parity   ? Purpose::old_parity
                             : access.asked              ? Purpose::old_data
                                                         : Purpose::other_data;
    send(job, sent, row * layout_.row_sectors() + access.offset, access.sectors);
  }
  return true;
}

bool ArrayController::read_pieces(Job& job, std::size_t index) {
  for (const Piece& piece : job.rows[index].pieces)
    if (!read_copies(job, index, piece)) return false;
  return true;
}

/// Reads a piece from one copy, or if none has all of it, from several.
bool ArrayController::read_copies(Job& job, std::size_t index, Piece piece) {
  for (std::uint32_t left = piece.sectors; left > 0;) {
    int slot = choose_copy(job, piece);
    if (slot < 0 && deferred_) {
      const std::uint64_t lbn = layout_.member_lbn(piece);
      std::uint64_t most = lbn;
      const unsigned first = layout_.member(piece.row, piece.unit);
      for (unsigned each = first; each < first + layout_.copies(); ++each)
        if (readable(job, each, piece.row, lbn + piece.sectors))
          most = std::max(most, deferred_->of[each].current_until(lbn, lbn + piece.sectors));
      piece.sectors = static_cast<std::uint32_t>(most - lbn);
      if (piece.sectors > 0) slot = choose_copy(job, piece);
    }
    if (slot < 0) return false;
    Sent sent;
    sent.slot = static_cast<unsigned>(slot);
    sent.row = index;
    sent.data = job.command.data ? job.command.data + piece.at * std::size_t{512} : nullptr;
    sent.operation.operation = Operation::read;
    send(job, sent, layout_.member_lbn(piece), piece.sectors);
    left -= piece.sectors;
    piece.at += piece.sectors;
    piece.offset += piece.sectors;
    piece.sectors = left;
  }
  return true;
}

void ArrayController::write_rows(Job& job) {
  job.step = Job::Step::writing;
  for (std::size_t row = 0; row < job.rows.size(); ++row) write_row(job, row);
  if (job.open == 0) writes_over(job);
}

void ArrayController::write_row(Job& job, std::size_t index) {
  Row& row = job.rows[index];
  count(row);
  row.written.assign(row.pieces.size(), 0);
  for (std::size_t i = 0; i < row.pieces.size(); ++i) write_piece(job, index, i);
  if (!row.plan) return;
  Sent sent;
  sent.row = index;
  sent.slot = layout_.parity_member(row.plan->row());
  sent.operation.operation = Operation::write;
  sent.operation.purpose = Purpose::parity;
  if (!in_service(sent.slot, row_end(row.plan->row()))) return;
  for (const RowPlan::Access& access : row.plan->parity_writes()) {
    sent.data = row.plan->data(access);
    send(job, sent, row.plan->row() * layout_.row_sectors() + access.offset, access.sectors);
  }
}

void ArrayController::count(const Row& row) {
  if (!row.plan) return;
  if (row.plan->parity_writes().empty())
    ++counters_.degraded_rows;
  else if (row.plan->reads().empty())
    ++counters_.full_rows;
  else
    ++(row.plan->reads_parity_for_write() ? counters_.modified_rows : counters_.reconstructed_rows);
}

/// All operations of a stage have ended.
void ArrayController::advance(Job& job) {
  const bool of_host = job.kind == Job::Kind::command || job.kind == Job::Kind::flush;
  if (of_host && listener_) listener_->stage_over(job.tag, now());
  switch (job.kind) {
    case Job::Kind::command:
      return job.step == Job::Step::reading ? reads_over(job) : writes_over(job);
    case Job::Kind::flush:
      if (job.lost || !job.status.ok) unflushed_.insert(flushing_.begin(), flushing_.end());
      flushing_.clear();
      return &job == check_.get() ? check_over() : end(job);
    case Job::Kind::rebuild:
      return rebuild_over();
    case Job::Kind::resync:
      return resync_over();
    case Job::Kind::check:
      return check_over();
    case Job::Kind::scrub:
      return scrub_over();
    case Job::Kind::catch_up:
      return catch_up_over();
  }
}

void ArrayController::reads_over(Job& job) {
  if (job.lost) return end(job);
  bool again = false;
  for (Row& row : job.rows) {
    if (row.read) continue;
    if (row.read_failed) {
      again = true;
      continue;
    }
    row.read = true;
    if (row.plan && job.reads()) {
      const auto& reads = row.plan->reads();
      if (row.plan->reads_parity()) {
        counters_.parity_compared += row.plan->compares_parity() ? 1 : 0;
        counters_.parity_different += row.plan->parity_agrees() ? 0 : 1;
      } else if (std::any_of(reads.begin(), reads.end(), [](const auto& a) { return !a.asked; })) {
        ++counters_.degraded_rows;
      }
      row.plan->finish_read(job.command.data);
    }
  }
  if (again) return read_rows(job);
  if (job.reads()) return end(job);
  for (Row& row : job.rows) row.plan->make_parity(job.command.data);
  write_rows(job);
}

void ArrayController::writes_over(Job& job) {
  if (job.again) {
    job.again = false;
    return write_rows(job);
  }
  if (deferred_) {
    write_again(job);
    if (job.open > 0) return;
  }
  job.lost = !std::all_of(job.rows.begin(), job.rows.end(), [this](const Row& row) { return stands(row); });
  if (keeps_unflushed_) keep_unflushed(job);
  if (data_ && layout_.redundant())
    for (const Row& row : job.rows)
      for (const Piece& piece : row.pieces) {
        const std::uint64_t lbn = layout_.member_lbn(piece);
        for (std::uint64_t part = lbn / part_sectors_; part <= (lbn + piece.sectors - 1) / part_sectors_; ++part)
          written_.insert(part);
      }
  end(job);
}

/// What was written to the row can be had again.
bool ArrayController::stands(const Row& row) const {
  if (!row.plan) return std::all_of(row.written.begin(), row.written.end(), [](unsigned copies) { return copies > 0; });
  if (missing() <= 1) return true;
  unsigned gone = 0;
  for (unsigned slot = 0; slot < slots_.size(); ++slot) gone += in_service(slot, row_end(row.plan->row())) ? 0 : 1;
  return gone <= 1;
}

void ArrayController::flush(Job& job) {
  job.step = Job::Step::writing;
  job.lost = !whole();
  if (job.lost && &job != check_.get()) return end(job);
  flushing_.merge(unflushed_);
  unflushed_.clear();
  for (unsigned slot = 0; slot < slots_.size(); ++slot) {
    if (slots_[slot].service == Service::missing) continue;
    // What a copy that sleeps lacks is in the log, and what it has is on its media.
    if (deferred_ && !kept_current(slot) && !devices_[slots_[slot].device].unflushed) continue;
    Sent sent;
    sent.slot = slot;
    sent.operation.operation = Operation::flush;
    sent.operation.purpose = Purpose::flush;
    send(job, sent, 0, 0);
  }
  if (job.open == 0) advance(job);  // the check at the end, of members that are all gone
}

/// Nothing that was written is lost by the members that are missing.
bool ArrayController::whole() const {
  const auto there = [this](unsigned slot) { return in_service(slot, layout_.used_sectors()); };
  if (layout_.parity()) return missing() <= 1;
  if (!layout_.redundant()) return missing() == 0;
  for (unsigned unit = 0; unit < layout_.data_units(); ++unit) {
    bool kept = false;
    for (unsigned copy = 0; copy < layout_.copies(); ++copy) kept = kept || there(layout_.member(0, unit, copy));
    if (!kept) return false;
  }
  return true;
}

void ArrayController::end(Job& job) {
  if (job.lost && job.status.ok) job.status = {false, kFailedStatus, kAborted};
  if (!job.lost) job.status = {};
  job.running = false;
  release(job);
  if (!dirty_.empty() && !resync_) next_stretch_.notify(sc_core::SC_ZERO_TIME);  // it waits for those under way
  client_->command_done(job.tag, job.status, now());
}

void ArrayController::release(Job& job) {
  if (!job.has_lock) return;
  job.has_lock = false;
  for (Job* const next : locks_->release(&job)) locked(*next);
}

// ---------------------------------------------------------------------------------------------------------------------
// Members

std::uint8_t* ArrayController::Device::buffer(const Request& request) {
  return array->sent_.at(request.id).data;
}

void ArrayController::Device::finished(const Request& request, const CommandStatus& status, Ps) {
  array->ended_.push_back({request.id, static_cast<unsigned>(this - array->devices_.data()), status});
  array->settle_.notify(sc_core::SC_ZERO_TIME);
}

void ArrayController::send(Job& job, Sent sent, std::uint64_t lbn, std::uint32_t sectors) {
  Device& device = devices_[slots_[sent.slot].device];
  const bool of_host = job.kind == Job::Kind::command || (job.kind == Job::Kind::flush && &job != check_.get());
  MemberOperation& operation = sent.operation;
  operation.id = next_operation_++;
  operation.tag = of_host ? static_cast<int>(job.tag) : MemberOperation::kNoTag;
  operation.device = slots_[sent.slot].device;
  operation.lbn = lbn;
  operation.sectors = sectors;
  operation.begun = now();
  sent.job = &job;
  sent.fua = sent.fua || (job.command.fua && operation.operation == Operation::write);
  if (operation.operation == Operation::flush) device.unflushed = false;
  if (operation.operation == Operation::write && !sent.fua) device.unflushed = true;
  Sent& kept = keep(sent);
  ++job.open;
  kept.queue = ++device.out;
  if (operation.operation == Operation::read) device.asked_at = now();
  device.last = lbn + sectors;
  ++counters_.operations;
  if (buses_ && operation.operation != Operation::read)
    ask_bus(kept);
  else
    give(kept);
}

/// To the queue of its drive.
void ArrayController::give(const Sent& sent) {
  Request request;
  request.id = sent.operation.id;
  request.lbn = sent.operation.lbn;
  request.sectors = sent.operation.sectors;
  request.operation = sent.operation.operation;
  request.fua = sent.fua;
  devices_[sent.operation.device].feed->push(request);
}

void ArrayController::ended(const Ended& end) {
  const auto found = sent_.find(end.operation);
  const Sent sent = found->second;
  spare_sent_.push_back(sent_.extract(found));
  Job& job = *sent.job;
  --devices_[end.device].out;
  if (sent.operation.operation == Operation::read && sent.operation.tag != MemberOperation::kNoTag)
    devices_[end.device].read_at = now();
  const bool ok = end.status.ok && !devices_[end.device].failed;
  if (ok && sent.operation.operation == Operation::read) learn(devices_[end.device], sent);
  if (listener_) listener_->operation_ended(sent.operation, ok, now());
  --job.open;
  if (!ok)
    went_wrong(job, sent, end.status);
  else if (job.kind == Job::Kind::command && sent.operation.operation == Operation::write &&
           sent.operation.purpose == Purpose::data)
    ++job.rows[sent.row].written[sent.piece];
  if (ok && sent.makes_up) made_up(sent.slot, sent.operation.lbn, sent.operation.sectors);
  // A copy that was read is awake, and can have what it lacks.
  if (deferred_ && job.kind != Job::Kind::catch_up && !deferred_->of[sent.slot].stale.empty())
    deferred_->next.notify(sc_core::SC_ZERO_TIME);
  if (job.open == 0) advance(job);
}

void ArrayController::went_wrong(Job& job, const Sent& sent, const CommandStatus& status) {
  const MemberOperation& operation = sent.operation;
  if (!status.ok) job.status = {false, status.status, status.error, {}, status.gave_up};
  if (operation.operation != Operation::read) {
    if (layout_.redundant())
      fail(operation.device);  // what it should hold it may not hold
    else
      job.lost = true;
    return;
  }
  if (job.kind == Job::Kind::scrub) {
    job.unread.push_back({sent.piece, status.lbn.value()});
    return;
  }
  if (job.kind != Job::Kind::command) {
    job.lost = true;
    job.bad.emplace_back(sent.slot, 0);
    return;
  }
  job.rows[sent.row].read_failed = true;
  job.bad.emplace_back(sent.slot, job.rows[sent.row].pieces.front().row);
}

std::string ArrayController::diagnosis() const {
  std::string text;
  for (unsigned i = 0; i < devices_.size(); ++i)
    text += fmt::format("{}{} has {} operations out{}", text.empty() ? "    drive " : "; drive ", i, devices_[i].out,
                        devices_[i].failed ? " and is out of service" : "");
  return text + '\n';
}

}  // namespace armature::array
