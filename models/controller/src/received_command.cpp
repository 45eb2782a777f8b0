#include "armature/controller/received_command.h"

#include "armature/regs/hif.h"
#include "armature/sata/ata.h"

namespace armature::controller {
namespace hif = regs::hif;

ReceivedCommand received(const sata::RegisterH2D& registers) {
  const auto code = static_cast<sata::Command>(registers.command);
  ReceivedCommand command{};
  command.code = registers.command;
  command.lba = registers.lba;
  command.features = registers.features;
  command.count = registers.count;
  command.device = registers.device;
  command.limit = static_cast<std::uint8_t>(registers.auxiliary & 7u);
  command.queued = sata::is_queued(code);
  command.tag = command.queued ? sata::fpdma_tag(registers) : 0;
  command.sectors = command.queued ? sata::fpdma_sectors(registers) : sata::dma_ext_sectors(registers);
  command.kind = ReceivedCommand::Class::other;
  command.fua = command.queued && (registers.device & sata::kDeviceFua) != 0;
  if (const auto media = sata::media_command(registers.command)) {
    command.kind = media->write ? ReceivedCommand::Class::write : ReceivedCommand::Class::read;
    command.fua = command.fua || media->fua;
    command.looked_up = !media->write && !media->pio && !command.fua;
    if (!media->lba48) {
      command.lba = sata::lba28(registers);
      command.sectors = sata::sectors28(registers);
    }
    command.link_sectors = media->verify ? 0 : command.sectors;
  }
  command.accounted = command.kind != ReceivedCommand::Class::other || code == sata::Command::flush_cache_ext ||
                      code == sata::Command::seek;
  return command;
}

bool ReceivedCommand::reads_error_log() const {
  const auto command = static_cast<sata::Command>(code);
  return (command == sata::Command::read_log_ext || command == sata::Command::read_log_dma_ext) &&
         (lba.value() & 0xFF) == sata::kNcqErrorLog;
}

std::uint32_t ReceivedCommand::cmd() const {
  std::uint32_t word = hif::cmd::Valid::kMask;
  word = hif::cmd::Tag::set(word, tag);
  word = hif::cmd::Sectors::set(word, sectors);
  word = hif::cmd::Fua::set(word, fua);
  word = hif::cmd::Write::set(word, kind == Class::write);
  word = hif::cmd::Queued::set(word, queued);
  return hif::cmd::Halted::set(word, halted);
}

std::uint32_t ReceivedCommand::lba_high() const {
  const std::uint32_t word = hif::cmd_lba_hi::Device::set(static_cast<std::uint32_t>(lba.value() >> 32), device);
  return hif::cmd_lba_hi::Broken::set(hif::cmd_lba_hi::Limit::set(word, limit), broken);
}

std::uint32_t CommandLog::word(unsigned word) const {
  constexpr unsigned kWords = 5, kDwords = 4;
  if (word / kWords >= count_) return 0;
  const Past& past = past_[(count_ - 1 - word / kWords) % past_.size()];
  return word % kWords == kDwords ? static_cast<std::uint32_t>(past.at / kPsPerMs) : past.dwords[word % kWords];
}

}  // namespace armature::controller
