#include "hosted_array.h"

#include "armature/controller/soc.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace armature::app {
namespace {

using observe::Segment;

host::HostParams queue_params(const array::ArrayParams& params) {
  host::HostParams queue;
  constexpr host::Policy kPolicies[] = {host::Policy::fcfs, host::Policy::clook, host::Policy::elevator};
  queue.policy = kPolicies[static_cast<unsigned>(params.policy)];
  queue.tags = params.depth;
  return queue;
}

/// Null: the controller has none.
std::unique_ptr<array::ArrayCache> make_cache(const array::ArrayParams& params, host::BlockPort& below,
                                              std::uint64_t row_sectors, bool data) {
  if (params.cache.size_mib <= 0) return nullptr;
  return std::make_unique<array::ArrayCache>("cache", params.cache, below, static_cast<unsigned>(params.depth),
                                             row_sectors, data);
}

/// Null: there is none.
std::unique_ptr<array::Staging> make_staging(const array::ArrayParams& params, array::ArrayController& controller,
                                             const ArrayPreparation& preparation) {
  if (!preparation.store) return nullptr;
  const bool cached = params.cache.size_mib > 0;
  const auto tags = static_cast<unsigned>(params.depth + (cached ? params.cache.destage_depth : 0));
  const auto device = static_cast<unsigned>(preparation.members.size() + preparation.spares.size());
  return std::make_unique<array::Staging>("staging", params.staging, controller, tags,
                                          controller.layout().data_row_sectors(), preparation.store_sectors, device,
                                          preparation.data);
}

std::unique_ptr<workload::Source> with_read_back(const ArrayPreparation& preparation,
                                                 std::unique_ptr<workload::Source> source, ReadBack*& read_back) {
  if (!preparation.read_back) return source;
  auto wrapped = std::make_unique<ReadBack>(std::move(source), preparation.logical_sectors);
  read_back = wrapped.get();
  return wrapped;
}

bool is_media(Phase phase) {
  return phase == Phase::seek || phase == Phase::write_settle || phase == Phase::rotation || phase == Phase::transfer;
}
bool is_link(Phase phase) {
  return phase == Phase::link_wait || phase == Phase::link_data;
}

/// The time at the bus: before the drive has a write, behind its part in a read.
void add_bus(const array::MemberOperation& operation, std::vector<Segment>& timeline) {
  const auto at = operation.operation == Operation::read ? timeline.end() : timeline.begin();
  timeline.insert(at, {Segment{operation.bus_asked, operation.bus_begin, Phase::link_wait, false, 0},
                       Segment{operation.bus_begin, operation.bus_end, Phase::link_data, false, 0}});
}

}  // namespace

HostedArray::HostedArray(sc_core::sc_module_name name, const array::ArrayParams& params,
                         const ArrayPreparation& preparation, std::uint64_t seed,
                         std::unique_ptr<workload::Source> source, observe::RequestTracker& tracker,
                         const BlockContext& context, const std::filesystem::path& members,
                         const std::filesystem::path& folder)
    : sc_module(name),
      tracker_(tracker),
      source_(with_read_back(preparation, std::move(source), read_back_)),
      controller_("controller", params, *preparation.layout, static_cast<unsigned>(preparation.spares.size()),
                  preparation.data),
      staging_(make_staging(params, controller_, preparation)),
      cache_(make_cache(params, below_cache(), controller_.layout().data_row_sectors(), preparation.data)),
      queue_("host", queue_params(params), *source_, cache_ ? static_cast<host::BlockPort&>(*cache_) : below_cache(),
             {}, this, context),
      devices_(preparation.members.size() + preparation.spares.size() + (staging_ ? 1 : 0)),
      requests_(static_cast<std::size_t>(params.depth)),
      probes_(context.probes) {
  if (params.power.cap_w > 0) power_.emplace(params.power, preparation.members.size() + preparation.spares.size());
  controller_.set_listener(*this);
  if (!preparation.spares.empty()) tracker_.add_sink(rebuild_);
  if (staging_) staging_->set_listener(*this);
  if (cache_) cache_->set_listener(*this);
  if (preparation.verify) {
    host::ContentsCheck::Params check;
    check.seed = seed;
    check.blank = preparation.blank;
    check.sound = preparation.sound;
    check.volatile_cache = preparation.supply_may_fail && preparation.volatile_cache;
    queue_.set_data_port(contents_check_.emplace(check));
    if (read_back_) read_back_->set_check(*contents_check_);
  }
  if (preparation.journal) journal_.emplace(folder / "journal.tsv", preparation.volatile_cache);
  if (preparation.supply_may_fail && preparation.volatile_cache) controller_.expect_loss_of_supply();
  for (unsigned i = 0; i < devices_.size(); ++i) {
    const bool store = staging_ && i + 1 == devices_.size();
    devices_[i].untaken = std::make_unique<host::RequestFeed>(store ? staging_->owner() : controller_.owner(i));
    devices_[i].feed = devices_[i].untaken.get();
    if (store)
      staging_->set_feed(*devices_[i].feed);
    else
      controller_.set_feed(i, *devices_[i].feed);
  }
  if (!members.empty()) log_.emplace(members);
}

host::BlockPort& HostedArray::below_cache() {
  return staging_ ? static_cast<host::BlockPort&>(*staging_) : static_cast<host::BlockPort&>(controller_);
}

std::unique_ptr<workload::Source> HostedArray::take_feed(unsigned device) {
  return std::move(devices_.at(device).untaken);
}

void HostedArray::connect(unsigned device, HostedDrive& drive, observe::RequestTracker& tracker) {
  Device& mine = devices_.at(device);
  mine.name = drive.name();
  mine.feed->set_queue(drive.queue());
  drive.queue().set_data_port(*mine.feed);
  mine.timelines.spare = &spare_;
  tracker.add_sink(mine.timelines);
  drive.on_supply = [this, device](bool on) { supply_changed(device, on); };
  if (!power_ || device >= power_->members()) return;
  controller::PowerUnit& pmu = drive.disk().soc().pmu;
  power_->connect(
      device, [&pmu] { return pmu.drawn_j(); }, [&pmu](double watts) { pmu.set_share_w(watts); }, probes_,
      std::string(this->name()) + ".power." + mine.name + ".share");
}

void HostedArray::start_of_simulation() {
  if (power_) power_->begin();
}

/// The controller keeps its own supply. What its members had is sent to them again by their adapters.
void HostedArray::supply_changed(unsigned device, bool on) {
  if (!on && contents_check_) contents_check_->power_lost_below();
  if (!on) controller_.supply_lost(device);
  const auto dark = [](const Device& one) { return one.dark; };
  const bool was = std::any_of(devices_.begin(), devices_.end(), dark);
  devices_[device].dark = !on;  // it may be dark for a second time before it is at the link again
  if (was == std::any_of(devices_.begin(), devices_.end(), dark)) return;
  if (journal_) journal_->supply(on, now());
  if (on) controller_.supply_is_back();
}

void HostedArray::arrived(const workload::Request& request, Ps at) {
  tracker_.arrived({request.id, at, request.lbn, request.sectors, request.operation, request.device, request.fua,
                    request.measured_response});
}

void HostedArray::dispatched(const workload::Request& request, unsigned tag, Ps at) {
  tracker_.dispatched(request.id, tag, at);
  if (journal_) journal_->dispatched(request, tag, at);
  tracker_.base(tag, Phase::host_queue, at);  // until its operations are under way
  requests_[tag].id = request.id;
  requests_[tag].members = false;
}

void HostedArray::completed(const workload::Request& request, unsigned tag, const host::CommandStatus& status, Ps at) {
  if (cache_ || staging_) tracker_.tier(tag, requests_[tag].members ? observe::TierUse::miss : observe::TierUse::hit);
  tracker_.completed(tag, status.ok, status.error, at, status.gave_up);
  if (journal_) journal_->completed(request, tag, status.ok, at);
  if (read_back_) read_back_->ended(request, status);
  if (on_completion) on_completion();
}

void HostedArray::Timelines::completed(const observe::CompletedRequest& request) {
  Timeline timeline;
  if (!spare->empty()) {
    timeline = std::move(spare->back());
    spare->pop_back();
  }
  timeline = request.timeline;
  kept.emplace_back(request.record.id, std::move(timeline));
}

HostedArray::Timeline HostedArray::Timelines::take(std::uint64_t id) {
  const auto found = std::find_if(kept.begin(), kept.end(), [id](const auto& each) { return each.first == id; });
  Timeline timeline = std::move(found->second);
  kept.erase(found);
  return timeline;
}

void HostedArray::give_back(Timeline timeline) {
  if (timeline.capacity() > 0) spare_.push_back(std::move(timeline));
}

void HostedArray::operation_ended(const array::MemberOperation& operation, bool ok, Ps at) {
  Device& device = devices_[operation.device];
  if (power_ && operation.device < power_->members()) power_->ended(operation.device, operation.begun, at);
  const bool of_host = this->of_host(operation.tag);  // not the array's own work, nor a destage
  if (log_) {
    observe::MemberRow row;
    if (of_host) row.request = requests_[static_cast<std::size_t>(operation.tag)].id;
    row.drive = device.name;
    row.id = operation.id;
    row.purpose = array::name_of(operation.purpose);
    row.operation = operation.operation;
    row.lbn = operation.lbn;
    row.sectors = operation.sectors;
    row.begun = operation.begun;
    row.ended = at;
    if (operation.bus != array::MemberOperation::kNoBus)
      row.bus = {operation.bus, operation.bus_begin - operation.bus_asked, operation.bus_end - operation.bus_begin};
    row.ok = ok;
    log_->add(row);
  }
  Timeline timeline = device.timelines.take(operation.id);
  if (operation.bus != array::MemberOperation::kNoBus) add_bus(operation, timeline);
  if (of_host) {
    Request& request = requests_[static_cast<std::size_t>(operation.tag)];
    request.members = request.members || !staging_ || operation.device + 1 != devices_.size();
    std::swap(request.last, timeline);
  }
  give_back(std::move(timeline));
}

void HostedArray::stage_over(unsigned tag, Ps at) {
  if (!of_host(static_cast<int>(tag))) return;
  // A stage without operations, of members that are all out of service, has none.
  Timeline segments = std::exchange(requests_[tag].last, {});
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = segments[i];
    const bool more = i + 1 < segments.size();
    if (is_media(segment.phase)) {
      tracker_.media(tag, segment.phase, segment.begin);
      if (!more || !is_media(segments[i + 1].phase)) tracker_.media_done(tag, segment.end);
    } else if (!is_link(segment.phase)) {
      tracker_.base(tag, segment.phase, segment.begin);
    }
    if (is_link(segment.phase) || segment.link_below) {
      tracker_.link(tag, is_link(segment.phase) ? segment.phase : Phase::link_data, segment.begin);
      tracker_.link_done(tag, segment.end);
    }
  }
  give_back(std::move(segments));
  tracker_.base(tag, Phase::host_queue, at);  // if it waits for a lock before it goes on
}

/// Alone by the cache: the wait for room is that of a full write cache, the rest its controller's time.
void HostedArray::served(const array::CacheService& service, Ps at) {
  if (service.admitted > service.begun) tracker_.base(service.tag, Phase::write_back, service.begun);
  if (at > service.admitted) tracker_.base(service.tag, Phase::firmware, service.admitted);
  if (!log_) return;
  observe::MemberRow row;
  row.request = requests_[service.tag].id;
  row.drive = "cache";
  row.purpose = service.operation == Operation::read ? "cache_read" : "cache_write";
  row.operation = service.operation;
  row.lbn = service.lbn;
  row.sectors = service.sectors;
  row.begun = service.begun;
  row.ended = at;
  log_->add(row);
}

void HostedArray::close() {
  const auto below = [this] {
    if (staging_)
      staging_->close([this] { controller_.close(); });
    else
      controller_.close();
  };
  if (cache_)
    cache_->close(below);
  else
    below();
}

void HostedArray::finish() {
  if (journal_) journal_->finish();
  if (log_) log_->finish();
}

std::string HostedArray::diagnosis() const {
  return fmt::format("  {}: {} arrived and not completed: {} wait in the host, {} are in the controller\n{}{}", name(),
                     requests_have(tracker_.outstanding()), queue_.waiting(), queue_.outstanding(),
                     controller_.diagnosis(), staging_ ? staging_->diagnosis() : "");
}

}  // namespace armature::app
