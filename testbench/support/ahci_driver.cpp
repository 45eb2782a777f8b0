#include "support/ahci_driver.h"

#include "armature/core/kernel_time.h"
#include "armature/regs/ahci.h"
#include "support/run_until.h"

#include <algorithm>
#include <cstring>

namespace armature::testing {

namespace regs = armature::regs::ahci;
namespace cmd = regs::px_cmd;
namespace ist = regs::px_is;

namespace {

constexpr std::uint32_t kErrors = ist::Ifs::kMask | ist::Hbds::kMask | ist::Hbfs::kMask | ist::Tfes::kMask |
                                  ist::Pcs::kMask | ist::Prcs::kMask | ist::Ufs::kMask | ist::Ofs::kMask;
constexpr std::uint32_t kEnabled = kErrors | ist::Dhrs::kMask | ist::Pss::kMask | ist::Dss::kMask | ist::Sdbs::kMask |
                                   ist::Dps::kMask | ist::Infs::kMask;

}  // namespace

AhciDriver::AhciDriver(sc_core::sc_module_name name, HostRam& ram, unsigned port, std::uint64_t area)
    : sc_module(name), ram_(ram), port_(port), area_(area) {}

void AhciDriver::access(bool write, std::uint32_t offset, std::uint32_t& word) {
  tlm::tlm_generic_payload payload;
  payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(offset);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
  payload.set_data_length(4);
  payload.set_streaming_width(4);
  sc_core::sc_time delay;
  registers->b_transport(payload, delay);
  if (!payload.is_response_ok()) SC_REPORT_FATAL(name(), "a register is refused");
}

std::uint32_t AhciDriver::read_register(std::uint32_t offset) {
  std::uint32_t word = 0;
  access(false, offset, word);
  return word;
}

void AhciDriver::write_register(std::uint32_t offset, std::uint32_t word) {
  access(true, offset, word);
}

bool AhciDriver::wait_for(const std::function<bool()>& condition, Ps limit) {
  const Ps until = now() + limit;
  Ps step = kPsPerUs;
  while (!condition()) {
    if (now() >= until) return false;
    run_until(std::min(until, now() + step));
    step = std::min(step * 2, 10 * kPsPerMs);
  }
  return true;
}

bool AhciDriver::start(bool reset_controller) {
  if (reset_controller) {
    write_register(regs::kGhc, regs::ghc::Ae::kMask | regs::ghc::Hr::kMask);
    if (!wait_for([this] { return !regs::ghc::Hr::get(read_register(regs::kGhc)); }, kPsPerSecond)) return false;
  }
  write_port(regs::kPxClb, static_cast<std::uint32_t>(list()));
  write_port(regs::kPxClbu, static_cast<std::uint32_t>(list() >> 32));
  write_port(regs::kPxFb, static_cast<std::uint32_t>(received()));
  write_port(regs::kPxFbu, static_cast<std::uint32_t>(received() >> 32));
  write_port(regs::kPxCmd, port_register(regs::kPxCmd) | cmd::Fre::kMask);
  write_port(regs::kPxCmd, port_register(regs::kPxCmd) | cmd::Sud::kMask);
  if (!wait_for([this] { return regs::px_ssts::Det::get(port_register(regs::kPxSsts)) == 3; }, 10 * kPsPerMs))
    return false;
  write_port(regs::kPxSerr, ~0u);
  if (!wait_ready()) return false;
  enable();
  return true;
}

bool AhciDriver::reset_and_start() {
  busy_.fill(false);
  error_ = false;
  return start(true);
}

void AhciDriver::enable() {
  write_port(regs::kPxIs, ~0u);
  write_port(regs::kPxIe, kEnabled);
  write_register(regs::kGhc, regs::ghc::Ae::kMask | regs::ghc::Ie::kMask);
  write_port(regs::kPxCmd, port_register(regs::kPxCmd) | cmd::St::kMask);
}

bool AhciDriver::stop() {
  write_port(regs::kPxCmd, port_register(regs::kPxCmd) & ~cmd::St::kMask);
  return wait_for([this] { return !cmd::Cr::get(port_register(regs::kPxCmd)); }, 500 * kPsPerMs);
}

bool AhciDriver::wait_ready(Ps limit) {
  return wait_for([this] { return (port_register(regs::kPxTfd) & 0x88) == 0; }, limit);
}

std::uint32_t AhciDriver::signature() {
  return port_register(regs::kPxSig);
}

bool AhciDriver::comreset() {
  write_port(regs::kPxIe, 0);
  if (!stop()) return false;
  write_port(regs::kPxSctl, 0x301);
  run_until(now() + kPsPerMs);
  write_port(regs::kPxSctl, 0x300);
  if (!wait_for([this] { return regs::px_ssts::Det::get(port_register(regs::kPxSsts)) == 3; }, 10 * kPsPerMs))
    return false;
  write_port(regs::kPxSerr, ~0u);
  if (!wait_ready()) return false;
  busy_.fill(false);
  error_ = false;
  enable();
  return true;
}

bool AhciDriver::control_frame(std::uint8_t control, bool reset) {
  Request request;
  request.command.is_command = false;
  request.command.control = control;
  build(0, request, 0);
  std::array<std::uint8_t, ahci::kHeaderBytes> bytes{};
  ahci::CommandHeader header;
  header.fis_dwords = 5;
  header.reset = header.clear_busy = reset;
  header.table = table(0);
  ahci::build(bytes, header);
  std::memcpy(ram_.at(list()), bytes.data(), bytes.size());
  write_port(regs::kPxCi, 1);
  if (!reset) return true;
  return wait_for([this] { return port_register(regs::kPxCi) == 0; }, 500 * kPsPerMs);
}

/// As libahci: the port is stopped, STS.BSY overridden, the port started again, then the two frames.
bool AhciDriver::soft_reset() {
  write_port(regs::kPxIe, 0);
  if (!stop()) return false;
  write_port(regs::kPxCmd, port_register(regs::kPxCmd) | cmd::Clo::kMask);
  write_port(regs::kPxCmd, port_register(regs::kPxCmd) | cmd::St::kMask);
  if (!control_frame(sata::kControlSrst, true)) return false;
  run_until(now() + 5 * kPsPerUs);
  if (!control_frame(0, false)) return false;
  run_until(now() + 100 * kPsPerUs);
  if (!wait_ready()) return false;
  busy_.fill(false);
  error_ = false;
  enable();
  return true;
}

void AhciDriver::build(unsigned slot, const Request& request, std::uint32_t bytes) {
  sata::Frame frame;
  sata::build(frame, request.command);
  std::uint8_t* const entry = ram_.at(table(slot));
  std::memset(entry, 0, ahci::kDescriptorOffset);
  std::memcpy(entry, frame.dwords.data(), 20);
  ahci::CommandHeader header;
  header.fis_dwords = 5;
  header.write = request.write;
  header.table = table(slot);
  for (std::uint32_t done = 0; done < bytes; done += descriptor_bytes) {
    ahci::Descriptor descriptor;
    descriptor.address = buffer(slot) + done;
    descriptor.bytes = std::min(descriptor_bytes, bytes - done);
    descriptor.interrupt = descriptors_ask && done + descriptor.bytes == bytes;
    std::array<std::uint8_t, ahci::kDescriptorBytes> image{};
    ahci::build(image, descriptor);
    std::memcpy(entry + ahci::kDescriptorOffset + ahci::kDescriptorBytes * header.descriptors, image.data(),
                image.size());
    ++header.descriptors;
  }
  std::array<std::uint8_t, ahci::kHeaderBytes> image{};
  ahci::build(image, header);
  std::memcpy(ram_.at(list() + std::uint64_t{slot} * ahci::kHeaderBytes), image.data(), image.size());
  if (request.write && request.data) std::memcpy(ram_.at(buffer(slot)), request.data, request.bytes);
}

void AhciDriver::issue(unsigned slot, const Request& request) {
  if (busy_[slot]) SC_REPORT_FATAL(name(), "the slot is in use");
  requests_[slot] = request;
  if (request.write && request.data) {
    data_[slot].assign(request.data, request.data + request.bytes);
    requests_[slot].data = data_[slot].data();
  }
  results_[slot] = {};
  results_[slot].issued = now();
  busy_[slot] = true;
  send(slot);
}

void AhciDriver::send(unsigned slot) {
  ++results_[slot].attempts;
  build(slot, requests_[slot], requests_[slot].bytes);
  if (requests_[slot].queued) write_port(regs::kPxSact, 1u << slot);
  write_port(regs::kPxCi, 1u << slot);
}

void AhciDriver::finish(unsigned slot, bool ok, std::uint8_t status, std::uint8_t error) {
  busy_[slot] = false;
  Result& result = results_[slot];
  const Request& request = requests_[slot];
  result.done = true;
  result.ok = ok;
  result.status = status;
  result.error = error;
  result.ended = now();
  if (!request.write) {
    const std::uint8_t* const bytes = ram_.at(buffer(slot));
    result.data.assign(bytes, bytes + request.bytes);
  }
  if (on_end) on_end(slot);
}

void AhciDriver::interrupt() {
  ++interrupts;
  const std::uint32_t global = read_register(regs::kIs);
  if (!(global >> port_ & 1)) {
    ++spurious;
    return;
  }
  const std::uint32_t causes = port_register(regs::kPxIs);
  write_port(regs::kPxIs, causes);
  if (causes & kErrors) {
    char text[64];
    std::snprintf(text, sizeof text, "IS %08X SERR %08X TFD %04X", causes, port_register(regs::kPxSerr),
                  port_register(regs::kPxTfd));
    errors.emplace_back(text);
    write_port(regs::kPxIe, 0);
    error_ = true;
  } else {
    const std::uint32_t active = port_register(regs::kPxSact) | port_register(regs::kPxCi);
    const std::uint32_t task_file = port_register(regs::kPxTfd);
    for (unsigned slot = 0; slot < 32; ++slot)
      if (busy_[slot] && !(active >> slot & 1))
        finish(slot, true, static_cast<std::uint8_t>(task_file), static_cast<std::uint8_t>(task_file >> 8));
  }
  write_register(regs::kIs, 1u << port_);
}

/// Section 6.2.2, and ata_eh_analyze_ncq_error of Linux.
void AhciDriver::recover() {
  if (recovering_) return;
  recovering_ = true;
  ++recoveries;
  const std::uint32_t active = port_register(regs::kPxSact) | port_register(regs::kPxCi);
  const std::uint32_t task_file = port_register(regs::kPxTfd);
  const unsigned current = cmd::Ccs::get(port_register(regs::kPxCmd));
  std::vector<unsigned> again;
  for (unsigned slot = 0; slot < 32; ++slot) {
    if (!busy_[slot]) continue;
    if (active >> slot & 1)
      again.push_back(slot);
    else
      finish(slot, true, 0x50, 0);
  }
  stop();
  write_port(regs::kPxSerr, ~0u);
  const bool link = regs::px_ssts::Det::get(port_register(regs::kPxSsts)) != 3 || (task_file & 0x88) != 0;
  if (link) {
    const auto busy = busy_;
    comreset();
    busy_ = busy;
  } else {
    error_ = false;
    enable();
  }
  int failed = -1;
  std::uint8_t status = static_cast<std::uint8_t>(task_file), error = static_cast<std::uint8_t>(task_file >> 8);
  const bool queued = !again.empty() && requests_[again.front()].queued;
  if (!link && (task_file & 1) && queued) {
    const std::array<bool, 32> busy = busy_;
    const auto slot = static_cast<unsigned>(std::find(busy_.begin(), busy_.end(), false) == busy_.end()
                                                ? 0
                                                : std::find(busy_.begin(), busy_.end(), false) - busy_.begin());
    const Request kept_request = requests_[slot];
    const Result kept_result = results_[slot];
    busy_.fill(false);
    Request log;
    log.command.command = static_cast<std::uint8_t>(sata::Command::read_log_ext);
    log.command.lba = HostLba(sata::kNcqErrorLog);
    log.command.count = 1;
    log.command.device = sata::kDeviceLba;
    log.bytes = 512;
    const auto told = std::move(on_end);
    on_end = nullptr;
    const Result page = run(log, slot);
    on_end = told;
    requests_[slot] = kept_request;
    results_[slot] = kept_result;
    busy_ = busy;
    sata::NcqErrorPage entry;
    if (page.ok && sata::parse(page.data.data(), entry) && !entry.not_queued) {
      failed = static_cast<int>(entry.tag);
      status = entry.status;
      error = entry.error;
    }
  } else if (!link && (task_file & 1)) {
    failed = static_cast<int>(current);
  }
  for (const unsigned slot : again) {
    if (static_cast<int>(slot) == failed)
      finish(slot, false, status, error);
    else
      send(slot);
  }
  recovering_ = false;
}

bool AhciDriver::wait(unsigned slot, Ps limit) {
  return wait_for(
      [&] {
        if (error_ && recovers) recover();
        return !busy_[slot];
      },
      limit);
}

bool AhciDriver::wait_all(Ps limit) {
  return wait_for(
      [&] {
        if (error_ && recovers) recover();
        return std::none_of(busy_.begin(), busy_.end(), [](bool busy) { return busy; });
      },
      limit);
}

AhciDriver::Result AhciDriver::run(const Request& request, unsigned slot) {
  issue(slot, request);
  wait(slot);
  return results_[slot];
}

namespace {

AhciDriver::Request media(sata::Command code, std::uint64_t lba, std::uint32_t sectors) {
  AhciDriver::Request request;
  request.command.command = static_cast<std::uint8_t>(code);
  request.command.lba = HostLba(lba);
  request.command.count = static_cast<std::uint16_t>(sectors);
  request.command.device = sata::kDeviceLba;
  request.bytes = sectors * sata::kSectorBytes;
  return request;
}

AhciDriver::Request writing(AhciDriver::Request request, const std::uint8_t* data) {
  request.write = true;
  request.data = data;
  return request;
}

}  // namespace

AhciDriver::Request AhciDriver::queued_read(std::uint64_t lba, std::uint32_t sectors, unsigned slot) {
  Request request = media(sata::Command::read_fpdma_queued, lba, sectors);
  request.command = sata::fpdma(sata::Command::read_fpdma_queued, slot, HostLba(lba), sectors, false);
  request.queued = true;
  return request;
}

AhciDriver::Request AhciDriver::queued_write(std::uint64_t lba, std::uint32_t sectors, unsigned slot,
                                             const std::uint8_t* data) {
  Request request = queued_read(lba, sectors, slot);
  request.command.command = static_cast<std::uint8_t>(sata::Command::write_fpdma_queued);
  return writing(request, data);
}

AhciDriver::Request AhciDriver::pio_read(std::uint64_t lba, std::uint32_t sectors) {
  return media(sata::Command::read_sectors_ext, lba, sectors);
}

AhciDriver::Request AhciDriver::pio_write(std::uint64_t lba, std::uint32_t sectors, const std::uint8_t* data) {
  return writing(media(sata::Command::write_sectors_ext, lba, sectors), data);
}

AhciDriver::Request AhciDriver::dma_read(std::uint64_t lba, std::uint32_t sectors) {
  return media(sata::Command::read_dma_ext, lba, sectors);
}

AhciDriver::Request AhciDriver::dma_write(std::uint64_t lba, std::uint32_t sectors, const std::uint8_t* data) {
  return writing(media(sata::Command::write_dma_ext, lba, sectors), data);
}

AhciDriver::Request AhciDriver::no_data(unsigned code, unsigned features, unsigned count) {
  Request request;
  request.command.command = static_cast<std::uint8_t>(code);
  request.command.features = static_cast<std::uint16_t>(features);
  request.command.count = static_cast<std::uint16_t>(count);
  return request;
}

AhciDriver::Result AhciDriver::identify() {
  Request request;
  request.command.command = static_cast<std::uint8_t>(sata::Command::identify_device);
  request.bytes = 512;
  return run(request);
}

}  // namespace armature::testing
