#include "armature/nbd/device.h"

#include "armature/core/kernel_time.h"

namespace armature::nbd {

void Device::connect(host::HostQueue& queue) {
  queue_ = &queue;
  queue.set_data_port(*this);
}

void Device::admit() {
  if (begun_.empty()) return;
  for (std::unique_ptr<Operation>& operation : begun_) {
    workload::Request request;
    request.id = next_id_++;
    request.arrival = now();
    request.lbn = Lbn{operation->offset / kSectorBytes};
    request.sectors = operation->bytes / kSectorBytes;
    request.operation = operation->kind == Operation::Kind::read    ? armature::Operation::read
                        : operation->kind == Operation::Kind::write ? armature::Operation::write
                                                                    : armature::Operation::flush;
    request.fua = operation->fua;
    arrived_.push_back(request);
    operations_[request.id] = std::move(operation);
  }
  begun_.clear();
  queue_->source_ready();
}

void Device::close() {
  if (closed_) return;
  closed_ = true;
  queue_->source_ready();
}

workload::Source::Next Device::next(workload::Request& request) {
  if (arrived_.empty()) return closed_ ? Next::end : Next::after_completion;
  request = arrived_.pop_front();
  return Next::request;
}

std::uint8_t* Device::dispatched(const workload::Request& request, unsigned) {
  Operation& operation = *operations_.at(request.id);
  return operation.data.empty() ? nullptr : operation.data.data();
}

void Device::completed(const workload::Request& request, unsigned, const host::CommandStatus& status) {
  const auto found = operations_.find(request.id);
  const std::unique_ptr<Operation> operation = std::move(found->second);
  operations_.erase(found);
  operation->end(status.ok);
  count(*operation, status.ok);
  if (on_completion) on_completion();
}

void Device::count(const Operation& operation, bool ok) {
  if (!ok) {
    ++counters_.failed;
  } else if (operation.kind == Operation::Kind::read) {
    ++counters_.reads;
    counters_.bytes_read += operation.bytes;
  } else if (operation.kind == Operation::Kind::write) {
    ++counters_.writes;
    counters_.bytes_written += operation.bytes;
  } else {
    ++counters_.flushes;
  }
}

}  // namespace armature::nbd
