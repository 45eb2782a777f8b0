#include "linux_machine.h"

#include "armature/ahci/command_table.h"
#include "armature/sata/ata.h"
#include "hosted_drive.h"

#include <algorithm>

namespace armature::app {
namespace {

constexpr std::uint64_t kMaxLba28Count = 256;
constexpr std::uint64_t kMaxLba48Count = 65'536;
constexpr std::uint8_t kFlushCache = 0xE7;

// The vendor and the device of an AHCI controller that every driver of Linux takes by its class; the numbers are those
// of Red Hat's virtual devices, of which this one is none that a driver knows.
constexpr std::uint16_t kVendor = 0x1B36;
constexpr std::uint16_t kDevice = 0x0A11;

/// The part of a request that a command's registers say; nothing: the command is none.
std::optional<observe::Arrival> request_of(const sata::RegisterH2D& registers, std::uint32_t logical_sectors) {
  observe::Arrival request;
  const auto code = static_cast<sata::Command>(registers.command);
  if (code == sata::Command::flush_cache_ext || registers.command == kFlushCache) {
    request.operation = Operation::flush;
    return request;
  }
  std::uint64_t count = 0;
  std::uint64_t lba = registers.lba.value();
  if (sata::is_queued(code)) {
    request.operation = code == sata::Command::write_fpdma_queued ? Operation::write : Operation::read;
    request.fua = (registers.device & 0x80u) != 0;
    count = registers.features;
    if (count == 0) count = kMaxLba48Count;
  } else if (const auto media = sata::media_command(registers.command)) {
    request.operation = media->write ? Operation::write : Operation::read;
    request.fua = media->fua;
    if (media->lba48) {
      count = registers.count == 0 ? kMaxLba48Count : registers.count;
    } else {
      count = registers.count & 0xFFu;
      if (count == 0) count = kMaxLba28Count;
      lba = (lba & 0xFF'FFFFu) | static_cast<std::uint64_t>(registers.device & 0x0Fu) << 24;
    }
  } else {
    return std::nullopt;
  }
  request.lbn = lba * logical_sectors;
  request.sectors = static_cast<std::uint32_t>(count * logical_sectors);
  return request;
}

}  // namespace

/// What a drive tells by tags, told by slots: a queued command's tag is its slot, and the drive's word on a command
/// that is not queued concerns tag 0, whatever its slot is. Commands that are no requests concern nobody.
class PortedDrive::Requests final : public RequestObserver {
 public:
  explicit Requests(RequestObserver& inner) : inner_(inner) {}

  void sent(unsigned slot, bool queued, bool request) {
    if (queued) {
      unqueued_ = kNone;
      if (request) queued_ |= 1u << slot;
    } else {
      unqueued_ = request ? slot : kForeign;
    }
  }
  void over(unsigned slot) {
    queued_ &= ~(1u << slot);
    if (unqueued_ == slot) unqueued_ = kNone;
  }

  void received(std::uint32_t tag, Ps at) override {
    if (const auto slot = of(tag)) inner_.received(*slot, at);
  }
  void base(std::uint32_t tag, Phase phase, Ps at) override {
    if (const auto slot = of(tag)) inner_.base(*slot, phase, at);
  }
  void media(std::uint32_t tag, Phase phase, Ps at) override {
    if (const auto slot = of(tag)) inner_.media(*slot, phase, at);
  }
  void media_done(std::uint32_t tag, Ps at) override {
    if (const auto slot = of(tag)) inner_.media_done(*slot, at);
  }
  void link(std::uint32_t tag, Phase phase, Ps at) override {
    if (const auto slot = of(tag)) inner_.link(*slot, phase, at);
  }
  void link_done(std::uint32_t tag, Ps at) override {
    if (const auto slot = of(tag)) inner_.link_done(*slot, at);
  }
  void granted(std::uint32_t tag, std::uint32_t arm, Ps predicted_positioning, Ps at) override {
    if (const auto slot = of(tag)) inner_.granted(*slot, arm, predicted_positioning, at);
  }
  void access(std::uint32_t tag, const MediaAccess& access) override {
    if (const auto slot = of(tag)) inner_.access(*slot, access);
  }
  void access_extended(std::uint32_t tag, Ps done_at, std::uint32_t retried) override {
    if (const auto slot = of(tag)) inner_.access_extended(*slot, done_at, retried);
  }
  void access_strayed(std::uint32_t tag, Ps at) override {
    if (const auto slot = of(tag)) inner_.access_strayed(*slot, at);
  }
  std::int64_t request_of(std::uint32_t tag) const override {
    const auto slot = of(tag);
    return slot ? inner_.request_of(*slot) : -1;
  }

 private:
  static constexpr unsigned kNone = ~0u;
  static constexpr unsigned kForeign = kNone - 1;  // a command that is no request

  std::optional<std::uint32_t> of(std::uint32_t tag) const {
    if (unqueued_ != kNone) return tag == 0 && unqueued_ != kForeign ? std::optional(unqueued_) : std::nullopt;
    return tag < 32 && (queued_ >> tag & 1u) != 0 ? std::optional(tag) : std::nullopt;
  }

  RequestObserver& inner_;
  std::uint32_t queued_ = 0;  ///< slots
  unsigned unqueued_ = kNone;
};

namespace {

BlockContext with_requests(BlockContext context, RequestObserver& requests) {
  context.requests = &requests;
  return context;
}

}  // namespace

PortedDrive::PortedDrive(sc_core::sc_module_name name, const DriveSetup& setup, ahci::Port& port,
                         observe::RequestTracker& tracker, const BlockContext& context, FrameOf frame_of)
    : sc_module(name),
      tracker_(tracker),
      frame_of_(std::move(frame_of)),
      logical_sectors_(static_cast<std::uint32_t>(setup.drive.geometry.logical_sector_bytes / 512)),
      requests_(std::make_unique<Requests>(tracker)),
      link_("link", setup.link, with_requests(context, *requests_)),
      disk_(make_drive(setup, with_requests(context, *requests_))) {
  port.set_line_rate(setup.link.rate_gbps);
  port.set_data_frame(setup.link.written_frame_bytes());
  port.to_link.bind(link_.from_host);
  link_.to_host.bind(port.from_link);
  link_.to_drive.bind(disk_->from_link());
  disk_->to_link().bind(link_.from_drive);
  SC_HAS_PROCESS(PortedDrive);
  SC_METHOD(complete_due);
  sensitive << ended_event_;
  dont_initialize();
}

void PortedDrive::issued(unsigned slot, Ps at) {
  slots_[slot] = {};
  const std::optional<sata::RegisterH2D> registers = frame_of_(slot);
  if (!registers || !registers->is_command) return;
  std::optional<observe::Arrival> request = request_of(*registers, logical_sectors_);
  if (!request) return;
  request->id = next_++;
  request->at = at;
  slots_[slot].request = request->id;
  tracker_.arrived(*request);
}

void PortedDrive::sent(unsigned slot, bool queued, const sata::RegisterH2D& registers, Ps at) {
  if (!registers.is_command) return;
  requests_->sent(slot, queued, slots_[slot].request.has_value());
  if (!slots_[slot].request || slots_[slot].sent) return;  // a frame that the drive has refused comes again
  slots_[slot].sent = true;
  tracker_.dispatched(*slots_[slot].request, slot, at);
}

void PortedDrive::ended(unsigned slot, const ahci::CommandObserver::Ending& ending) {
  requests_->over(slot);
  if (slots_[slot].request) tracker_.answered(slot, ending.received);
  ended_.push_back({ending.visible, slot, ending.ok, ending.error});
  if (ended_.size() == 1) ended_event_.notify(to_sc_time(ending.visible - now()));
}

void PortedDrive::complete_due() {
  while (!ended_.empty() && ended_.front().at <= now()) {
    const Ended one = ended_.front();
    ended_.pop_front();
    complete(one.slot, one.ok, one.error, one.at);
  }
  if (!ended_.empty()) ended_event_.notify(to_sc_time(ended_.front().at - now()));
}

void PortedDrive::dropped(unsigned slot, Ps at) {
  requests_->over(slot);
  complete(slot, false, 0, at);
}

void PortedDrive::complete(unsigned slot, bool ok, std::uint8_t error, Ps at) {
  Slot& one = slots_[slot];
  if (!one.request) return;
  if (!one.sent) tracker_.dispatched(*one.request, slot, at);  // given up before it went to the drive
  tracker_.completed(slot, ok, error, at);
  ++completed_;
  one = {};
}

const host::HostBusAdapter::Counters& PortedDrive::counters(const ahci::Port::Counters& port) {
  counters_.commands = port.commands;
  counters_.comresets = port.comresets;
  counters_.repeated = port.repeated;
  return counters_;
}

LinuxMachine::LinuxMachine(const Scenario& scenario, observe::RunOutputs& outputs, const uml::LinuxHost::Params& params,
                           uml::LinuxHost::Surroundings& surroundings)
    : controller_("ahci", static_cast<unsigned>(scenario.drives.size()), scenario.linux_host->ahci,
                  {outputs.probes(), nullptr, nullptr}) {
  controller_.set_observer(this);
  for (std::size_t i = 0; i < scenario.drives.size(); ++i) {
    const auto port = static_cast<unsigned>(i);
    drives_.push_back(std::make_unique<PortedDrive>(scenario.drives[i].name.c_str(), scenario.drives[i],
                                                    controller_.port(port), outputs.tracker(i), outputs.context(i),
                                                    [this, port](unsigned slot) { return frame_of(port, slot); }));
  }
  uml::LinuxHost::Params with_identity = params;
  with_identity.identity = {
      kVendor, kDevice, ahci::PciIdentity::kClassCode, 1, ahci::PciIdentity::kBar, ahci::PciIdentity::kBarBytes};
  host_ = std::make_unique<uml::LinuxHost>("linux", with_identity, surroundings);
  host_->to_registers.bind(controller_.registers);
  controller_.memory.bind(host_->from_function);
  controller_.on_message = [this] { host_->interrupt(); };
}

LinuxMachine::~LinuxMachine() = default;

bool LinuxMachine::busy() const {
  return std::any_of(drives_.begin(), drives_.end(), [](const auto& one) { return one->tracker().outstanding() > 0; });
}

std::uint64_t LinuxMachine::completed() const {
  std::uint64_t sum = 0;
  for (const auto& one : drives_) sum += one->completed();
  return sum;
}

/// The command's header, its table and the frame in it, as the controller will read them.
std::optional<sata::RegisterH2D> LinuxMachine::frame_of(unsigned port, unsigned slot) {
  constexpr std::uint64_t kPorts = 0x100;  // AHCI 1.3.1, section 3.3: PxCLB and PxCLBU are the first of a port
  constexpr std::uint64_t kPortBytes = 0x80;
  const std::uint64_t at = kPorts + kPortBytes * port;
  const std::uint64_t list = host_->peek(at) | static_cast<std::uint64_t>(host_->peek(at + 4)) << 32;
  std::array<std::uint8_t, ahci::kHeaderBytes> header{};
  if (!host_->peek_memory(list + ahci::kHeaderBytes * slot, header.data(), header.size())) return std::nullopt;
  std::array<std::uint8_t, 20> bytes{};
  if (!host_->peek_memory(ahci::parse_header(header).table, bytes.data(), bytes.size())) return std::nullopt;
  sata::Frame frame;
  frame.type = static_cast<sata::FrameType>(bytes[0]);
  if (frame.type != sata::FrameType::register_h2d) return std::nullopt;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    frame.dwords[i / 4] |= static_cast<std::uint32_t>(bytes[i]) << 8 * (i % 4);
  return sata::parse_register_h2d(frame);
}

}  // namespace armature::app
