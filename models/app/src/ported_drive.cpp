#include "armature/app/ported_drive.h"

#include "armature/core/kernel_time.h"
#include "armature/sata/ata.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::app {
namespace {

constexpr std::uint64_t kMaxLba28Count = 256;
constexpr std::uint64_t kMaxLba48Count = 65'536;
constexpr std::uint8_t kFlushCache = 0xE7;

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

PortedDrive::PortedDrive(sc_core::sc_module_name name, const DriveSetup& setup, ahci::Port& port,
                         observe::RequestTracker& tracker, const BlockContext& context, FrameOf frame_of,
                         const std::filesystem::path& folder)
    : PortedDrive(name, setup, port, tracker, context, std::move(frame_of), folder,
                  std::make_shared<Requests>(tracker)) {}

PortedDrive::PortedDrive(sc_core::sc_module_name name, const DriveSetup& setup, ahci::Port& port,
                         observe::RequestTracker& tracker, const BlockContext& context, FrameOf frame_of,
                         const std::filesystem::path& folder, const std::shared_ptr<Requests>& requests)
    : LinkedDrive(name, setup, tracker, context, requests, folder),
      port_(port),
      frame_of_(std::move(frame_of)),
      requests_(requests) {
  port.set_line_rate(setup.link.rate_gbps);
  port.set_data_frame(setup.link.written_frame_bytes());
  connect(port);
  SC_HAS_PROCESS(PortedDrive);
  SC_METHOD(complete_due);
  sensitive << ended_event_;
  dont_initialize();
}

int PortedDrive::tag_of(std::uint64_t request) const {
  for (unsigned slot = 0; slot < slots_.size(); ++slot)
    if (slots_[slot].sent && slots_[slot].request->id == request)
      return slots_[slot].queued ? static_cast<int>(slot) : 0;
  return -1;
}

std::uint64_t PortedDrive::requests_at_drive() const {
  return static_cast<std::uint64_t>(
      std::count_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.sent; }));
}

std::string PortedDrive::diagnosis() const {
  std::string text =
      fmt::format("  {}: {} been issued and not completed", name(), requests_have(tracker().unfinished().size()));
  if (disk().failed()) text += "; the drive's firmware has stopped at an impossible state";
  return text + '\n' + list_unfinished(tracker());
}

void PortedDrive::issued(unsigned slot, Ps at) {
  slots_[slot] = {};
  const std::optional<sata::RegisterH2D> registers = frame_of_(slot);
  if (!registers || !registers->is_command) return;
  std::optional<observe::Arrival>& request = slots_[slot].request;
  request = request_of(*registers, logical_sectors());
  if (!request) return;
  request->id = next_++;
  request->at = at;
  tracked().arrived(*request);
}

void PortedDrive::sent(unsigned slot, bool queued, const sata::RegisterH2D& registers, Ps at) {
  if (!registers.is_command) return;
  requests_->sent(slot, queued, slots_[slot].request.has_value());
  slots_[slot].queued = queued;
  if (slots_[slot].request && !slots_[slot].sent) send(slot, at);  // a frame that the drive has refused comes again
}

void PortedDrive::send(unsigned slot, Ps at) {
  Slot& one = slots_[slot];
  one.sent = true;
  request_sent(*one.request, slot, one.queued ? slot : 0, at);
}

void PortedDrive::ended(unsigned slot, const ahci::CommandObserver::Ending& ending) {
  requests_->over(slot);
  if (slots_[slot].sent) tracked().answered(slot, ending.received);
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
  if (!slots_[slot].request) return;
  if (!slots_[slot].sent) send(slot, at);  // given up before it went to the drive
  const observe::Arrival request = *slots_[slot].request;
  slots_[slot] = {};
  request_ended(request.id, slot, {ok, 0, error, Lbn(request.lbn), false}, at);
  ++completed_;
  if (on_completion) on_completion();
}

host::HostBusAdapter::Counters PortedDrive::host_counters() const {
  host::HostBusAdapter::Counters counters;
  counters.commands = port_.counters().commands;
  counters.comresets = port_.counters().comresets;
  counters.repeated = port_.counters().repeated;
  return counters;
}

}  // namespace armature::app
