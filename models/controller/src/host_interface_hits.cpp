// Reads that the buffer's segment table answers.
#include "armature/controller/host_interface.h"

#include "armature/sata/ata.h"

#include "armature/core/kernel_time.h"

namespace armature::controller {

bool HostInterface::to_look_up(const Command& command) const {
  return command.looked_up && !command.halted && buffer_.looks_up(command.tag);
}

/// A command is firmware's from its arrival; a hit's time is the link's from there.
void HostInterface::publish_arrival(Command& command) {
  if (command.unpublished >= 0 && command.accounted && requests_) {
    requests_->received(command.tag, command.unpublished);
    requests_->base(command.tag, Phase::firmware, command.unpublished);
  }
  command.unpublished = -1;
}

void HostInterface::start_look_up() {
  const Ps begin = timing_.edges.next_time(now());
  look_up_.notify(to_sc_time(begin + timing_.edges.time(timing_.cycles) - now()));
}

void HostInterface::look_up_over() {
  bool first = true;
  for (; !look_ups_.empty(); look_ups_.pop(), first = false) {
    Command& command = look_ups_.front();
    const bool look_up = to_look_up(command);
    if (look_up && !first) {
      start_look_up();
      break;
    }
    if (look_up && answer(command)) continue;
    publish_arrival(command);
    present(command);
  }
  update_irqs();
  pump();
}

bool HostInterface::answer(const Command& command) {
  // The table counts blocks of 512 bytes. Look-up is on only for drives whose host counts the same.
  const Lbn lbn = lbn_of(command.lba, 1);
  const auto hit = buffer_.look_up(lbn, command.sectors);
  if (!hit) return false;
  Descriptor descriptor{};
  descriptor.lbn = lbn;
  descriptor.address = hit->address;
  descriptor.first_bytes = hit->first_bytes;
  descriptor.wrapped_address = hit->wrapped_address;
  descriptor.segment = hit->segment;
  descriptor.sectors = command.sectors;
  descriptor.tag = command.tag;
  descriptor.to_host = true;
  descriptor.queued = command.queued;
  descriptor.accounted = true;
  descriptor.hit = true;
  if (requests_) {
    const Ps at = command.unpublished >= 0 ? command.unpublished : now();
    requests_->received(command.tag, at);
    requests_->link(command.tag, Phase::link_wait, at);
  }
  hits_[command.tag] = command;
  bank_[regs::hif::kHitSectorsLo] += command.sectors;
  if (bank_[regs::hif::kHitSectorsLo] < command.sectors) ++bank_[regs::hif::kHitSectorsHi];
  dma_.add(descriptor);
  hit_probe_.set(command.tag);
  return true;
}

/// The data of the hit at work have been sent, or the host has broken them off: then firmware reports the error.
void HostInterface::hit_over(const Descriptor& descriptor, bool error) {
  buffer_.release(descriptor.segment, descriptor.lbn);
  const std::uint32_t tag = descriptor.tag;
  if (error) {
    Command command = hits_[tag];
    command.broken = true;
    command.unpublished = now();
    publish_arrival(command);
    present(command);
  } else if (descriptor.queued) {
    end_queued(tag);
  } else {
    sata::RegisterD2H registers;
    registers.status = StatusFrames::kReady;
    registers.interrupt = true;
    status_.push(registers, 0);
    if (requests_) requests_->base(0, Phase::link_status, now());
    end_unqueued();
  }
}

}  // namespace armature::controller
