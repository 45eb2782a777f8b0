#include "hosted_drive.h"

#include "armature/channel/read_process.h"
#include "armature/core/conversions.h"
#include "armature/drive/hard_disk.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>

namespace armature::app {
namespace {

constexpr std::uint32_t kRegisterFrameDwords = 5;  // Register - Host to Device, Serial ATA 3.0, 10.3.4

/// Nothing but a loss of power makes its sectors unreadable.
bool sound(const DriveSetup& setup) {
  return !setup.sectors_may_break() && !channel::ReadProcess(setup.drive.channel, 512).fails();
}

/// With host.commands the drive's word on their tags does not concern the requests.
std::shared_ptr<QueueRequests> own_requests(const DriveSetup& setup, const BlockContext& context) {
  if (setup.host.commands.empty() || !context.requests) return nullptr;
  return std::make_shared<QueueRequests>(*context.requests);
}

}  // namespace

HostedDrive::HostedDrive(sc_core::sc_module_name name, const DriveSetup& setup, std::uint64_t seed,
                         std::unique_ptr<workload::Source> source, bool of_array, observe::RequestTracker& tracker,
                         const BlockContext& context, const std::filesystem::path& folder)
    : HostedDrive(name, setup, seed, std::move(source), of_array, tracker, context, folder,
                  own_requests(setup, context)) {}

HostedDrive::HostedDrive(sc_core::sc_module_name name, const DriveSetup& setup, std::uint64_t seed,
                         std::unique_ptr<workload::Source> source, bool of_array, observe::RequestTracker& tracker,
                         const BlockContext& context, const std::filesystem::path& folder,
                         const std::shared_ptr<QueueRequests>& own_requests)
    : LinkedDrive(name, setup, tracker, context, own_requests, folder),
      of_array_(of_array),
      source_(setup.host.read_back && !of_array ? with_read_back(std::move(source)) : std::move(source)),
      own_requests_(own_requests),
      batch_(from_seconds(setup.host.batch_s)),
      adapter_("adapter", setup.host, context),
      queue_("host", setup.host, *source_, adapter_,
             {&disk().positions(),
              link().timing().arrival(kRegisterFrameDwords) + disk().command_lead_time(Operation::read)},
             this, context),
      manager_("manager", setup.host) {
  queue_.set_manager(manager_);
  if (setup.host.parallel) queue_.set_parallel(adapter_);
  if (setup.host.background_outstanding > 0)
    queue_.set_background(background_.emplace(setup.host, disk().sectors(), logical_sectors()));
  if (setup.host.verify && !of_array) {
    host::ContentsCheck::Params params;
    params.seed = seed;
    params.blank = setup.drive.media.contents != media::ContentsParams::file;
    params.volatile_cache = setup.supply_may_fail() && setup.drive.cache.write;
    params.sound = sound(setup);
    queue_.set_data_port(contents_check_.emplace(params));
    if (read_back_) read_back_->set_check(*contents_check_);
  }
  if (setup.host.journal && !of_array) journal_.emplace(folder / "journal.tsv", setup.drive.cache.write);
  adapter_.set_logical_sectors(logical_sectors());
  adapter_.set_data_frame(setup.link.written_frame_bytes());
  connect(adapter_);
  queue_.on_finished = [this] {
    if (player_) player_->load_ended();
    part_finished();
  };
  if (!setup.host.commands.empty()) add_commands(setup, folder);
}

std::unique_ptr<workload::Source> HostedDrive::with_read_back(std::unique_ptr<workload::Source> source) {
  auto wrapped = std::make_unique<ReadBack>(std::move(source), logical_sectors());
  read_back_ = wrapped.get();
  return wrapped;
}

void HostedDrive::finish() {
  if (journal_) journal_->finish();
}

void HostedDrive::add_commands(const DriveSetup& setup, const std::filesystem::path& folder) {
  const auto bytes = static_cast<std::uint32_t>(setup.drive.geometry.logical_sector_bytes);
  auto orders = std::make_shared<std::deque<host::HostOrder>>();
  for (host::HostOrder& order : host::orders_of(setup.host.commands, bytes)) orders->push_back(std::move(order));
  commands_.emplace(setup.name, folder);
  player_ = std::make_unique<host::CommandPlayer>(
      "commands", adapter_, static_cast<unsigned>(setup.host.tags), &queue_,
      [orders]() -> std::optional<host::HostOrder> {
        if (orders->empty()) return std::nullopt;
        host::HostOrder order = std::move(orders->front());
        orders->pop_front();
        return order;
      },
      *commands_);
  for (const host::HostOrder& order : *orders)
    if (order.after_request >= 0) player_->expect_request(static_cast<std::uint64_t>(order.after_request));
  player_->on_finished = [this] { part_finished(); };
  player_->on_power = [this, orders](bool on) {
    if (on) return power_on();
    return power_off(std::any_of(orders->begin(), orders->end(), [](const host::HostOrder& order) {
      return order.kind == host::HostOrder::Kind::power_on;
    }));
  };
  if (own_requests_) own_requests_->set_player(*player_);
  if (contents_check_) {  // a flush of these makes writes durable, too
    const unsigned slot = adapter_.raw_slot();
    workload::Request flush;
    flush.operation = Operation::flush;
    commands_->on_flush_sent = [this, flush, slot] {
      contents_check_->dispatched(flush, slot);
      if (journal_) journal_->flush_sent();
    };
    commands_->on_flush_ended = [this, flush, slot](bool ok) {
      contents_check_->completed(flush, slot, ok);
      if (journal_) journal_->flush_ended(ok, now());
    };
  } else if (journal_) {
    commands_->on_flush_sent = [this] { journal_->flush_sent(); };
    commands_->on_flush_ended = [this](bool ok) { journal_->flush_ended(ok, now()); };
  }
  if (!source_->gives_requests()) adapter_.leave_errors();
}

/// What the medium holds when the supply fails is compared with what the host was told.
void HostedDrive::supply_seen(bool on) {
  if (on)
    manager_.restart();
  else if (journal_)
    journal_->supply(false, now());
}

void HostedDrive::look_at_medium(PowerCut& cut) {
  if (!contents_check_) return;
  cut.checked = true;
  contents_check_->power_lost();
  const auto* const hard_disk = dynamic_cast<const drive::HardDisk*>(&disk());
  std::array<std::uint8_t, kSectorBytes> bytes{};
  for (const std::uint64_t lbn : contents_check_->written_sectors()) {
    const media::PhysicalSector place = hard_disk ? hard_disk->geometry().physical(lbn) : media::PhysicalSector(lbn);
    const bool readable = disk().contents().read_below(place, bytes.data());
    ++cut.written;
    cut.unreadable += readable ? 0 : 1;
    contents_check_->acceptable(lbn, bytes.data(), readable);
  }
}

void HostedDrive::part_finished() {
  if (finished() && on_finished) on_finished();
}

void HostedDrive::arrived(const workload::Request& request, Ps at) {
  tracked().arrived({request.id, at, request.lbn, request.sectors, request.operation, request.device, request.fua,
                     request.measured_response});
}

void HostedDrive::dispatched(const workload::Request& request, unsigned tag, Ps at) {
  if (journal_) journal_->dispatched(request, tag, at);
  request_sent({request.id, request.arrival, request.lbn.value(), request.sectors, request.operation}, tag, tag, at);
}

void HostedDrive::completed(const workload::Request& request, unsigned tag, const host::CommandStatus& status, Ps at) {
  request_ended(request.id, tag, status, at);
  if (journal_) journal_->completed(request, tag, status.ok, at);
  if (read_back_) read_back_->ended(request, status);
  if (player_) player_->request_completed(request.id, at);
  last_completion_ = at;
  if (on_completion) on_completion();
}

std::string HostedDrive::waits_in_vain(Ps limit) const {
  std::string text;
  if (dark()) return text;
  Ps longest = limit;
  for (const observe::RequestTracker::AtDrive& request : tracker().at_drive()) {
    const bool link = request.phase == Phase::link_command || request.phase == Phase::link_wait ||
                      request.phase == Phase::link_data || request.phase == Phase::link_status;
    const bool firmware = request.phase == Phase::firmware;
    const bool overtaken = firmware && tracker().latest_served() - request.since > limit / 2;
    const Ps at_work =
        overtaken ? disk().last_away() : std::max(disk().last_at_work(), link ? adapter_.last_data() : 0);
    const Ps waited = now() - std::max(request.since, at_work);
    if (waited <= longest) continue;
    longest = waited;
    text = fmt::format(
        "request {} (tag {}) waits {:.3f} s since anything was done for it that ends by itself (simulation.stall_s); "
        "in "
        "phase {} since {:.9f} s{}; {}",
        request.arrival.id, request.tag, to_seconds(waited), name_of(request.phase), to_seconds(request.since),
        request.arm ? fmt::format(", arm {} granted at {:.9f} s", *request.arm, to_seconds(request.granted)) : "",
        firmware                              ? "firmware alone has it: it is in no slot, at no arm and on no transfer"
        : request.phase == Phase::drive_queue ? "it waits in a slot of the arbitration unit"
                                              : "no part that is at work has it");
  }
  if (!text.empty() || tracker().waiting() == 0 || tracker().outstanding() != tracker().waiting()) return text;
  const Ps waited =
      now() - std::max({last_completion_, tracker().busy_since(), disk().last_at_work(), adapter_.last_data()});
  if (waited <= limit + batch_) return {};
  return fmt::format("requests wait in the host, and none has been at the drive for {:.3f} s (simulation.stall_s)",
                     to_seconds(waited));
}

std::string HostedDrive::diagnosis() const {
  std::string text = fmt::format("  {}: {} arrived and not completed: {} wait in the host, {} are at the drive", name(),
                                 requests_have(tracker().unfinished().size()), queue_.waiting(), queue_.outstanding());
  if (disk().failed()) text += "; the drive's firmware has stopped at an impossible state";
  text += '\n' + list_unfinished(tracker());
  std::string active;
  for (unsigned bank = 0; bank < 32; ++bank)
    for (unsigned bit = 0; bit < 32; ++bit)
      if ((adapter_.sactive(bank) >> bit) & 1u)
        active += fmt::format("{}{}", active.empty() ? "" : ", ", bank * 32 + bit);
  if (player_ && !player_->finished()) text += fmt::format("    host.commands: {}\n", player_->diagnosis());
  if (!active.empty()) text += fmt::format("    the adapter waits for the drive to complete tags {}\n", active);
  return text;
}

}  // namespace armature::app
