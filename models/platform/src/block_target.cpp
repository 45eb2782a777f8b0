#include "block_target.h"

#include "armature/core/block_address.h"
#include "armature/core/kernel_time.h"

#include <algorithm>

namespace armature {
namespace {

constexpr unsigned kMostSectors = 65'536;  // of a command, logical ones

}  // namespace

BlockTarget::BlockTarget(sc_core::sc_module_name name, host::BlockPort& port, unsigned tags, std::uint64_t sectors,
                         std::uint32_t sector_bytes, observe::RequestTracker& tracker)
    : sc_module(name),
      port_(port),
      bytes_(sectors * kSectorBytes),
      sector_bytes_(sector_bytes),
      tracker_(tracker),
      at_drive_(tags) {
  for (unsigned tag = tags; tag > 0; --tag) free_tags_.push_back(tag - 1);
  port_.set_client(*this);
  socket.bind(*this);
  SC_HAS_PROCESS(BlockTarget);
  SC_METHOD(take_due);
  sensitive << due_event_;
  dont_initialize();
  SC_METHOD(respond);
  sensitive << respond_event_;
  dont_initialize();
}

/// Nothing if there is no such command: then the response says why.
std::optional<host::BlockCommand> BlockTarget::command_of(tlm::tlm_generic_payload& transaction) const {
  const auto refuse = [&transaction](tlm::tlm_response_status status) {
    transaction.set_response_status(status);
    return std::nullopt;
  };
  const auto* const extension = transaction.get_extension<BlockExtension>();
  host::BlockCommand command;
  if (transaction.get_command() == tlm::TLM_IGNORE_COMMAND) {
    if (!extension || !extension->flush) return refuse(tlm::TLM_COMMAND_ERROR_RESPONSE);
    command.operation = Operation::flush;
    return command;
  }
  if (extension && extension->flush) return refuse(tlm::TLM_COMMAND_ERROR_RESPONSE);
  const std::uint64_t address = transaction.get_address();
  const unsigned length = transaction.get_data_length();
  if (transaction.get_byte_enable_ptr()) return refuse(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  if (length == 0 || length % sector_bytes_ != 0 || address % sector_bytes_ != 0 ||
      length / sector_bytes_ > kMostSectors || transaction.get_streaming_width() < length ||
      !transaction.get_data_ptr())
    return refuse(tlm::TLM_BURST_ERROR_RESPONSE);
  if (address >= bytes_ || length > bytes_ - address) return refuse(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  command.operation = transaction.is_write() ? Operation::write : Operation::read;
  command.lbn = address / kSectorBytes;
  command.sectors = length / kSectorBytes;
  command.fua = extension && extension->fua;
  command.data = transaction.get_data_ptr();
  return command;
}

void BlockTarget::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  if (delay != sc_core::SC_ZERO_TIME) wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  const std::optional<host::BlockCommand> command = command_of(transaction);
  if (!command) return;
  sc_core::sc_event done;
  Job job;
  job.transaction = &transaction;
  job.command = *command;
  job.done = &done;
  begin(job);
  wait(done);
}

tlm::tlm_sync_enum BlockTarget::nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay) {
  if (phase == tlm::END_RESP) {
    if (&transaction == responding_) {
      responding_ = nullptr;
      respond_event_.notify(delay);
    }
    return tlm::TLM_COMPLETED;
  }
  if (phase != tlm::BEGIN_REQ) {
    SC_REPORT_ERROR(name(), "a phase other than BEGIN_REQ and END_RESP");
    return tlm::TLM_ACCEPTED;
  }
  if (transaction.has_mm()) transaction.acquire();
  const Ps at = now() + static_cast<Ps>(delay.value());
  const auto later = std::upper_bound(due_.begin(), due_.end(), at, [](Ps t, const Due& due) { return t < due.at; });
  due_.insert(later, {at, &transaction});
  due_event_.notify(to_sc_time(due_.front().at - now()));
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void BlockTarget::take_due() {
  while (!due_.empty() && due_.front().at <= now()) {
    Job job;
    job.transaction = due_.front().transaction;
    due_.pop_front();
    if (const std::optional<host::BlockCommand> command = command_of(*job.transaction)) {
      job.command = *command;
      begin(job);
    } else {
      finish(*job.transaction);
    }
  }
  if (!due_.empty()) due_event_.notify(to_sc_time(due_.front().at - now()));
}

void BlockTarget::begin(const Job& job) {
  waiting_.push_back(job);
  const host::BlockCommand& command = job.command;
  observe::Arrival& arrival = waiting_.back().arrival;
  arrival.id = next_id_++;
  arrival.at = now();
  arrival.lbn = command.lbn.value();
  arrival.sectors = command.sectors;
  arrival.operation = command.operation;
  arrival.fua = command.fua;
  tracker_.arrived(arrival);
  pump();
}

void BlockTarget::pump() {
  while (!waiting_.empty() && !free_tags_.empty()) {
    const unsigned tag = free_tags_.back();
    free_tags_.pop_back();
    at_drive_[tag] = waiting_.front();
    waiting_.pop_front();
    tracker_.dispatched(at_drive_[tag].arrival.id, tag, now());
    if (on_sent) on_sent(at_drive_[tag].arrival);
    port_.issue(tag, at_drive_[tag].command);
  }
}

void BlockTarget::command_done(unsigned tag, const host::CommandStatus& status, Ps at) {
  const Job job = at_drive_[tag];
  at_drive_[tag] = {};
  free_tags_.push_back(tag);
  tracker_.completed(tag, status.ok, status.error, at, status.gave_up);
  if (on_ended) on_ended(job.arrival.id, status);
  job.transaction->set_response_status(status.ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
  if (job.done)
    job.done->notify(sc_core::SC_ZERO_TIME);
  else
    finish(*job.transaction);
  pump();
}

void BlockTarget::finish(tlm::tlm_generic_payload& transaction) {
  ended_.push_back(&transaction);
  respond_event_.notify(sc_core::SC_ZERO_TIME);
}

void BlockTarget::respond() {
  while (!responding_ && !ended_.empty()) {
    tlm::tlm_generic_payload* const transaction = ended_.front();
    ended_.pop_front();
    responding_ = transaction;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_sync_enum answer = socket->nb_transport_bw(*transaction, phase, delay);
    if (answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::END_RESP)) {
      if (responding_ == transaction) responding_ = nullptr;
      if (delay != sc_core::SC_ZERO_TIME) respond_event_.notify(delay);
    }
    if (transaction->has_mm()) transaction->release();
    if (delay != sc_core::SC_ZERO_TIME) return;
  }
}

}  // namespace armature
