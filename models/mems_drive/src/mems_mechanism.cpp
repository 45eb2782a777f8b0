#include "mems_mechanism.h"

#include "armature/controller/soc.h"
#include "armature/core/conversions.h"
#include "armature/core/error.h"
#include "armature/core/kernel_time.h"
#include "armature/drive/ladder_record.h"
#include "armature/regs/aau.h"
#include "armature/regs/soc.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace armature::mems {
namespace {

constexpr unsigned kMostSleds = 8;
constexpr std::uint32_t kMostTracks = 256;       // of all sleds: what firmware's `head` counts
constexpr std::uint32_t kReachGiven = 1u << 16;  // fw_factory::arm_reach
constexpr std::uint32_t kMostRun = 0xFFFF;       // xlt.place.run

std::uint32_t ticks_of(Ps t) {
  return static_cast<std::uint32_t>(to_ticks(t, kTurnMillirpm));
}

/// For firmware's handler of `ready`, with a margin for those that come before it.
Ps ready_lead(const MemsDriveParams& params) {
  return (params.firmware.handler_cycles(FW_IRQ_SRV0) + 1) * params.controller.cpu_period() +
         from_us(params.arbiter.margin_us);
}

/// From the beginning of a decision until the sled leaves; a second margin for the grant's handler.
Ps departure_time(const MemsDriveParams& params, unsigned tags, unsigned sleds) {
  return params.arbiter.scan_time(tags, sleds) +
         (params.firmware.handler_cycles(FW_IRQ_AAU) + 1) * params.controller.cpu_period() + ready_lead(params) +
         from_us(params.arbiter.margin_us);
}

using F = drive::FaultParams;

[[noreturn]] void fail(std::size_t number, const char* key, const std::string& what) {
  throw InputError(fmt::format("faults[{}].{}: {}", number, key, what));
}

/// Throws InputError for faults that a store cannot have.
void check_faults(const MemsDriveParams& params, const Layout& layout) {
  for (std::size_t i = 0; i < params.faults.size(); ++i) {
    const F& fault = params.faults[i];
    try {
      fault.check();
    } catch (const InputError& error) {
      throw InputError(fmt::format("faults[{}].{}", i, error.what()));
    }
    const bool known = fault.kind == F::media_defect || fault.kind == F::dead_tip || fault.kind == F::buffer_flip ||
                       fault.kind == F::link_crc || fault.kind == F::hung_firmware || fault.kind == F::power_cut;
    if (!known) fail(i, "kind", fmt::format("a MEMS store has no {}", drive::name_of(fault.kind)));
    const auto tips = static_cast<std::int64_t>(params.store.tips.usable * layout.sleds());
    if (fault.tip >= tips) fail(i, "tip", fmt::format("there are only tips 0 to {}", tips - 1));
    if (fault.address >= static_cast<std::int64_t>(params.buffer.bytes()))
      fail(i, "address", fmt::format("the buffer has only bytes 0 to {}", params.buffer.bytes() - 1));
    if (fault.lbn < 0) continue;
    const auto first = static_cast<std::uint64_t>(fault.lbn), count = static_cast<std::uint64_t>(fault.sectors);
    if (first >= layout.blocks() || count > layout.blocks() - first)
      fail(i, "lbn", fmt::format("the store has only blocks 0 to {}", layout.blocks() - 1));
  }
}

bool breaks(const MemsDriveParams& params) {
  return std::any_of(params.faults.begin(), params.faults.end(),
                     [](const F& fault) { return fault.kind == F::media_defect; });
}

/// A sled does not wait for the RAM: what the tips of all sleds move while they pass over a row must fit in.
void check_bandwidth(const MemsDriveParams& params, const Layout& layout) {
  const std::int64_t limit = params.buffer.bytes_per_second();
  if (limit == 0) return;
  const double pass_s = to_seconds(SledModel(params.store).pass_time(layout.row_bits()));
  const double demand = static_cast<double>(kSectorBytes) * layout.cells() * layout.sleds() / pass_s;
  if (demand > static_cast<double>(limit))
    throw InputError(
        fmt::format("buffer.bandwidth_mb_s: the media alone need {:.1f} MB/s ({} blocks a row in {:.3f} us, "
                    "{} sled{})",
                    demand / 1e6, layout.cells(), pass_s * 1e6, layout.sleds(), layout.sleds() == 1 ? "" : "s"));
}

}  // namespace

MemsMechanism::MemsMechanism(const MemsDriveParams& params, unsigned tags, unsigned slots, const BlockContext& context)
    : params_(params),
      times_(params.store, Layout(params.store)),
      health_(params.store, times_.layout()),
      ready_lead_(ready_lead(params)),
      departure_(departure_time(params, tags, times_.layout().sleds())),
      recorded_(params.store, times_),
      contents_(params.media, times_.layout().blocks(), {}, breaks(params)),
      sleds_(build_sleds(context)),
      tips_(build_tips(context)),
      refresh_(build_refresh(context)),
      seeks_(params.store, times_, sleds_, params.arbiter.clock_period(), departure_),
      aau_(
          "aau", params.arbiter, params.arbiter.shape(slots, times_.layout().sleds(), 1), 1,
          [this](unsigned) { return &time_base_; }, context, &seeks_) {
  for (const auto& one : tips_)
    one->on_fault = [this](unsigned fault, std::int32_t tag) {
      if (on_fault) on_fault(fault, tag);
    };
  aau_.on_grant = [this](unsigned arm, std::uint32_t row, Ps begin) {
    sleds_.at(arm)->granted(row, begin + departure_);
  };
  if (params_.store.tips.free_reads != FreeReads::none) {
    free_.emplace(params_.store, times_.layout(), health_, contents_, params_.channel);
    for (const auto& one : tips_) one->reads_free_with(*free_);
  }
  connect_refresh();
}

std::vector<std::unique_ptr<RefreshUnit>> MemsMechanism::build_refresh(const BlockContext& context) {
  std::vector<std::unique_ptr<RefreshUnit>> built;
  for (unsigned i = 0; i < sleds_.size() && params_.store.refresh.on(); ++i)
    built.push_back(std::make_unique<RefreshUnit>(("rfr" + std::to_string(i)).c_str(), i, params_.store, times_,
                                                  health_, *sleds_[i], contents_, params_.channel, context));
  return built;
}

void MemsMechanism::connect_refresh() {
  for (std::size_t i = 0; i < refresh_.size(); ++i) {
    Sled& sled = *sleds_[i];
    refresh_[i]->tips_busy = [this, &sled] {
      return std::any_of(tips_.begin(), tips_.end(), [&sled](const auto& tips) { return tips->busy_with(sled); });
    };
    sled.on_arrival = [unit = refresh_[i].get()] { unit->sled_arrived(); };
  }
  if (refresh_.empty()) return;
  for (const auto& one : tips_)
    one->on_end = [this](const Sled& sled) {
      for (std::size_t i = 0; i < sleds_.size(); ++i)
        if (sleds_[i].get() == &sled) refresh_[i]->sled_left();
    };
}

MemsMechanism::~MemsMechanism() = default;

void MemsMechanism::fault(unsigned number, const drive::FaultParams& fault, bool begins, std::uint64_t random) {
  if (!begins) return;
  if (fault.kind == F::dead_tip) health_.fail(static_cast<std::uint64_t>(fault.tip), now());
  if (fault.kind != F::media_defect) return;
  const auto first = static_cast<std::uint64_t>(fault.lbn), count = static_cast<std::uint64_t>(fault.sectors);
  for (std::uint64_t i = 0; i < count; ++i)
    if (fault.rate_per_s <= 0 || i == random % count)
      contents_.add({first + i, 1, now(), static_cast<std::uint32_t>(fault.rereads), static_cast<int>(number)});
}

std::vector<std::unique_ptr<Sled>> MemsMechanism::build_sleds(const BlockContext& context) const {
  std::vector<std::unique_ptr<Sled>> built;
  for (unsigned i = 0; i < times_.layout().sleds(); ++i)
    built.push_back(
        std::make_unique<Sled>(("sld" + std::to_string(i)).c_str(), i, params_.store, times_, ready_lead_, context));
  return built;
}

std::vector<std::unique_ptr<TipArray>> MemsMechanism::build_tips(const BlockContext& context) {
  std::vector<Sled*> sleds;
  for (const auto& sled : sleds_) sleds.push_back(sled.get());
  std::vector<std::unique_ptr<TipArray>> built;
  for (unsigned i = 0; i < sleds.size(); ++i)
    built.push_back(std::make_unique<TipArray>(("tip" + std::to_string(i)).c_str(), i, times_, health_, sleds,
                                               contents_, params_.channel, context));
  for (Sled* const sled : sleds)
    sled->translated = [this](std::uint32_t cylinder, std::uint32_t track) { return translated_row(cylinder, track); };
  return built;
}

/// What firmware does against heat.
void MemsMechanism::describe_throttle(fw_factory& record) const {
  const ThrottleParams& throttle = params_.store.throttle;
  if (throttle.at_c <= 0) return;
  const auto whole = [](double c) { return static_cast<std::uint32_t>(std::llround(c)) & 0xFFu; };
  record.throttle = whole(throttle.at_c) | whole(throttle.at_c - throttle.hysteresis_c) << 8;
  record.throttle_every_ms = static_cast<std::uint32_t>(std::llround(throttle.every_s * 1e3));
  record.throttle_means = FW_CAP_TIPS;
}

void MemsMechanism::describe(fw_factory& record) const {
  const Layout& layout = times_.layout();
  record.arms = record.channels = layout.sleds();
  record.heads = layout.sleds() * layout.tracks();
  record.cylinders = layout.cylinders();
  record.arm_cylinders = layout.cylinders();
  record.rpm = 1;  // ATA: the medium does not turn
  record.logical_sectors = record.physical_sectors = 1;
  record.margin_ticks = std::min<std::uint32_t>(ticks_of(departure_), 0xFFFF);
  for (unsigned i = 0; i < layout.sleds() && layout.sleds() > 1; ++i)
    record.arm_reach[i] =
        kReachGiven | regs::aau::arm_reach::Last::set(regs::aau::arm_reach::First::set(0, i * layout.tracks()),
                                                      (i + 1) * layout.tracks() - 1);
  record.placement = FW_PLACEMENT_STAY;
  record.cache |= FW_CACHE_STORE;
  record.store_cells = layout.cells();
  record.store_tracks = layout.tracks();
  record.store_rows = layout.rows();
  record.store_flags = params_.store.tips.rows == RowOrder::serpentine ? FW_STORE_SERPENTINE : 0u;
  if (params_.store.tips.ride_along) record.store_flags |= FW_STORE_RIDES;
  record.store_shared = layout.shared_tips();
  record.store_reach = layout.reach_cylinders();
  if (params_.arbiter.policy == arbiter::Policy::mst) {
    record.store_flags |= FW_STORE_TREE;
    record.policy = static_cast<std::uint32_t>(arbiter::Policy::fcfs);
  }
  record.store_zone = zone_bits(layout, times_.model());
  record.store_track_us = static_cast<std::uint32_t>(times_.model().pass_time(layout.range_y()) / kPsPerUs) + 1;
  describe_throttle(record);
  drive::describe_ladder(params_.channel, record);
  describe_times(record);
}

void MemsMechanism::describe_times(fw_factory& record) const {
  for (const TickCurve::Point& point : recorded_.x.points)
    record.seek[record.seek_points++] = {point.distance, point.ticks};
  for (const TickCurve::Point& point : recorded_.rows.points)
    record.store_row_seek[record.store_row_points++] = {point.distance, point.ticks};
  record.store_turn_ticks = recorded_.turn;
}

void MemsMechanism::attach(controller::Soc& soc) {
  namespace map = regs::soc;
  soc.map(map::kAauBase, map::kAauBytes, aau_.regs);
  aau_.irq.bind(soc.irq, FW_IRQ_AAU);
  for (unsigned i = 0; i < sleds_.size(); ++i) {
    soc.map(map::kSrvBase + i * map::kSrvStride, map::kSrvBytes, sleds_[i]->regs);
    sleds_[i]->irq.bind(soc.irq, FW_IRQ_SRV0 + i);
    soc.map(map::kChnBase + i * map::kChnStride, map::kChnBytes, tips_[i]->regs);
    tips_[i]->irq.bind(soc.irq, FW_IRQ_CHN0 + i);
    tips_[i]->bind(soc.ram);
  }
  soc.map(map::kXltBase, map::kXltBytes, translation_.regs);
}

media::BlockLayout::Place MemsMechanism::locate_block(std::uint64_t lbn) const {
  const Layout& layout = times_.layout();
  const BlockPlace at = layout.locate(lbn);
  return {at.cylinder, at.sled * layout.tracks() + at.track, at.row,
          static_cast<std::uint32_t>(layout.blocks_per_track()) - blocks_before(lbn)};
}

std::optional<std::uint32_t> MemsMechanism::translated_row(std::uint32_t cylinder, std::uint32_t track) const {
  const BlockPlace at = times_.layout().locate(translation_.last());
  if (at.cylinder != cylinder || at.sled * times_.layout().tracks() + at.track != track) return std::nullopt;
  return at.row;
}

PositionModel::Place MemsMechanism::place(Lbn lbn) const {
  const BlockPlace at = times_.layout().locate(lbn);
  return {lbn, at.cylinder, at.sled * times_.layout().tracks() + at.track, {}};
}

unsigned MemsMechanism::arms() const {
  return static_cast<unsigned>(sleds_.size());
}

std::uint32_t MemsMechanism::arm_cylinder(unsigned arm) const {
  return sleds_.at(arm)->cylinder();
}

bool MemsMechanism::reaches(unsigned arm, const PositionModel::Place& place) const {
  return place.head / times_.layout().tracks() == arm;
}

Ps MemsMechanism::positioning_time(const PositionModel::Place& place, Operation, Ps start) const {
  const BlockPlace at = times_.layout().locate(place.lbn);
  return sleds_.at(at.sled)->motion().approach(at, start + ready_lead_).begins - start;
}

channel::ReadCounters MemsMechanism::reads() const {
  channel::ReadCounters sum;
  for (const auto& tips : tips_) sum += tips->reads();
  return sum;
}

void MemsMechanism::count_refresh(std::vector<drive::OwnCount>& counted) const {
  if (refresh_.empty()) return;
  RefreshUnit::Counts sum;
  Ps waited = 0;
  std::uint64_t seeks = 0;
  for (std::size_t i = 0; i < refresh_.size(); ++i) {
    const RefreshUnit::Counts one = refresh_[i]->counts();
    sum.sectors += one.sectors;
    sum.unreadable += one.unreadable;
    sum.rounds = i == 0 ? one.rounds : std::min(sum.rounds, one.rounds);
    sum.steps += one.steps;
    sum.forced += one.forced;
    sum.time += one.time;
    sum.oldest = std::max(sum.oldest, one.oldest);
    waited += sleds_[i]->waited_for_own();
    seeks += sleds_[i]->request_seeks();
  }
  const auto value = [](auto n) { return static_cast<double>(n); };
  const double sled_s = to_seconds(now()) * value(sleds_.size());
  counted.push_back({"refreshed_mb", "MB", "of the medium read and written back (refresh.period_h)",
                     value(sum.sectors) * kSectorBytes * 1e-6});
  counted.push_back({"refresh_rounds", "rounds", "of the refresh over all of the medium", value(sum.rounds)});
  counted.push_back({"refresh_steps", "steps", "of refresh.rows rows at most", value(sum.steps)});
  counted.push_back({"refresh_forced_steps", "steps", "of these before requests, because rows would have been late",
                     value(sum.forced)});
  counted.push_back({"refresh_share", "", "of the sleds' time that the refresh took",
                     sled_s > 0 ? to_seconds(sum.time) / sled_s : 0});
  counted.push_back({"refresh_added_ms", "ms", "mean time that a request's seek waited for the end of a step",
                     seeks > 0 ? to_ms(waited) / value(seeks) : 0});
  counted.push_back({"refresh_oldest_s", "s", "longest time that a row was not refreshed", to_seconds(sum.oldest)});
  counted.push_back({"refresh_unreadable", "blocks", "that the refresh could not read, and left as they were",
                     value(sum.unreadable)});
}

std::vector<drive::OwnCount> MemsMechanism::own_counts() const {
  std::vector<drive::OwnCount> counted;
  count_refresh(counted);
  if (!free_) return counted;
  const FreeReader::Counts counts = free_->counts();
  const auto value = [](auto n) { return static_cast<double>(n); };
  const double mb = value(counts.sectors) * kSectorBytes * 1e-6;
  counted.push_back({"free_read_mb", "MB", "read with tips that requests left unused (tips.free_reads)", mb});
  counted.push_back({"free_read_mb_s", "MB/s", "the same a second", now() > 0 ? mb / to_seconds(now()) : 0});
  counted.push_back({"free_read_rounds", "rounds", "over all that such reads are to read", value(counts.rounds)});
  counted.push_back({"free_read_wanted", "blocks", "that are still to be read so", value(counts.wanted)});
  counted.push_back({"free_read_unreadable", "blocks", "that such reads could not read", value(counts.unreadable)});
  if (counts.listed > 0)
    counted.push_back({"free_list_done_s", "s", "when all of tips.free_list had been read", to_seconds(counts.listed)});
  return counted;
}

void MemsMechanism::power_off() {
  for (const auto& unit : refresh_) unit->power_off();
  for (const auto& tips : tips_) tips->power_off();
  for (const auto& sled : sleds_) sled->power_off();
  aau_.power_off();
  translation_.power_off();
}

void MemsMechanism::power_on() {
  for (const auto& sled : sleds_) sled->power_on();
  for (const auto& unit : refresh_) unit->power_on();
}

void MemsMechanism::restart() {
  for (const auto& tips : tips_) tips->power_off();
  for (const auto& sled : sleds_) sled->restart();
  aau_.power_off();
  translation_.power_off();
}

unsigned MemsMechanism::away_from_rest() const {
  return static_cast<unsigned>(
      std::count_if(sleds_.begin(), sleds_.end(), [](const auto& sled) { return !sled->resting(); }));
}

bool MemsMechanism::parked() const {
  return std::all_of(sleds_.begin(), sleds_.end(), [](const auto& sled) { return sled->resting(); });
}

Ps MemsMechanism::last_at_work() const {
  Ps last = 0;
  for (const auto& tips : tips_) last = std::max(last, tips->last_at_work());
  for (const auto& sled : sleds_)
    if (sled->moving()) last = now();
  return last;
}

void check_mems(const MemsDriveParams& params, unsigned tags, unsigned slots) {
  const Layout layout(params.store);
  if (layout.sleds() > kMostSleds) throw InputError(fmt::format("sled.count: a drive has up to {} sleds", kMostSleds));
  if (layout.sleds() * layout.tracks() > kMostTracks)
    throw InputError(
        fmt::format("tips.active: the sleds have {} tracks a cylinder together, and a drive's controller "
                    "counts {}",
                    layout.sleds() * layout.tracks(), kMostTracks));
  if (layout.blocks_per_track() > kMostRun)
    throw InputError(fmt::format("tips.active: a track has {} blocks, and a drive's controller counts {}",
                                 layout.blocks_per_track(), kMostRun));
  params.arbiter.shape(slots, layout.sleds(), 1);
  if (params.arbiter.with_rtl())
    DriveSledSeeks::check_rtl(params.store, layout, departure_time(params, tags, layout.sleds()));
  const TipHealth health(params.store, layout);
  const channel::ReadProcess refuses_what_is_wrong(params.channel, 512);
  if (params.channel.select_us > 0 || params.channel.write_to_read_us > 0)
    throw InputError(fmt::format("channel.{}: the tips of a store have no preamplifier that would need time",
                                 params.channel.select_us > 0 ? "select_us" : "write_to_read_us"));
  check_bandwidth(params, layout);
  check_faults(params, layout);
  RefreshUnit::check(params.store, SledTimes(params.store, layout));
  if (params.store.tips.free_reads == FreeReads::list && params.store.tips.free_list.empty())
    throw InputError("tips.free_list: free_reads = \"list\" needs blocks to read");
  if (params.store.tips.free_reads == FreeReads::list)
    BackgroundReading(layout, layout.reach_cylinders(), 1, params.store.tips.free_list);
  if (params.background.recalibration_s > 0)
    throw InputError("background.recalibration_s: a sled has no reference track to go to");
}

}  // namespace armature::mems
