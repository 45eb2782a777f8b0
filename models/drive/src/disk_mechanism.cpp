#include "disk_mechanism.h"

#include "armature/actuator/loop_motion.h"
#include "armature/actuator/profile_motion.h"
#include "armature/channel/data_channel.h"
#include "armature/core/block_address.h"
#include "armature/core/conversions.h"
#include "armature/core/error.h"
#include "armature/regs/soc.h"
#include "disk_parts.h"
#include "disk_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace armature::drive {
namespace {

/// A disk does not wait for the RAM: what all channels move on the fastest track must fit in.
void check_bandwidth(const DriveParams& params, const media::Geometry& geometry, unsigned channels) {
  const std::int64_t limit = params.buffer.bytes_per_second();
  if (limit == 0) return;
  std::uint32_t most = 0;
  for (std::uint32_t cylinder = 0; cylinder < geometry.cylinders(); ++cylinder)
    most = std::max(most, geometry.sectors_per_track(cylinder));
  const double demand = channels * double{kSectorBytes} * most * params.spindle.rpm / 60;
  if (demand > static_cast<double>(limit))
    throw InputError(
        fmt::format("buffer.bandwidth_mb_s: the media alone need {:.1f} MB/s ({} sectors a track at {} "
                    "rpm, {} channel{})",
                    demand / 1e6, most, params.spindle.rpm, channels, channels == 1 ? "" : "s"));
}

/// Of an arm that never moves, at a scale of 0: nothing has to settle.
actuator::SeekParams fixed_seeks(actuator::SeekParams seek) {
  seek.write_settle_ms = seek.inward_ms = 0;
  seek.coil = {};
  seek.quiet = {};
  return seek;
}

void check_fixed(const DriveParams& params, const media::Geometry& geometry, const fw_jog& jog) {
  const ArmsParams& arms = params.arms;
  if (!arms.has_fixed()) return;
  const auto fail = [](const std::string& what) { throw InputError("arms.fixed_cylinders: " + what); };
  if (arms.fixed_first + arms.fixed_cylinders >= geometry.cylinders())
    fail(fmt::format("cylinders {} to {} are not a part of the drive's {}", arms.fixed_first,
                     arms.fixed_first + arms.fixed_cylinders - 1, geometry.cylinders()));
  if (geometry.heads() >= media::Geometry::kMaxHeads)
    fail(fmt::format("the drive has {} surfaces; with fixed heads at most {}", geometry.heads(),
                     media::Geometry::kMaxHeads - 1));
  if (params.mechanics.kind == MechanicsParams::servo || jog.outer != 0 || jog.inner != 0)
    fail("needs mechanics.kind = \"profile\", and reader and writer of a head at one place (section head)");
  if (params.seek.coil.given() || params.seek.quiet.given())
    fail("does not go with seek.coil or seek.quiet, which are about all arms of the drive");
  if (params.background.recalibration_s > 0 &&
      arms.on_fixed(static_cast<std::uint32_t>(params.background.recalibration_cylinder)))
    fail(fmt::format("no arm moves to background.recalibration_cylinder = {}, which has fixed heads",
                     params.background.recalibration_cylinder));
}

std::function<unsigned(std::uint32_t, std::uint32_t)> passes_of(const ArmsParams& arms) {
  if (!arms.misaligned()) return {};
  return [arms](std::uint32_t cylinder, std::uint32_t head) { return arms.passes(cylinder, head); };
}

std::string numbered(const char* block, unsigned number) {
  return block + std::to_string(number);
}

// Blocks of the chip, arm-arbitration unit, channel arbiter and translation; of each arm a stack, a servo and a channel
// at the most.
static_assert(controller::SocBus::kMostBlocks >= 8 + 3 + 3 * ArmsParams::kMost, "the bus has a socket for each block");

}  // namespace

DiskMechanism::Arm::Arm(unsigned number, const DiskMechanism& disk, std::uint32_t angle, const BlockContext& context)
    : servo(numbered("srv", number).c_str(), motion(number, disk), head_stack(number, disk),
            {context.probes, disk.modes_ ? disk.modes_->servo(number) : context.states, context.requests},
            !disk.params_.spindle.initially_spinning, start_cylinder(number, disk), disk.params_.idle_conditions()),
      position(servo, *disk.stacks_[disk.params_.arms.stack_of(number)], angle, disk.heads_, disk.aau_, number) {}

actuator::HeadStack DiskMechanism::Arm::head_stack(unsigned number, const DiskMechanism& disk) {
  const ArmsParams::Surfaces reach = disk.params_.arms.reach(number, disk.geometry_.heads());
  if (disk.params_.arms.is_fixed(number)) return {0, reach.first + reach.count, 1};
  return {reach.first, reach.count, disk.params_.arms.head_count()};
}

std::uint32_t DiskMechanism::Arm::start_cylinder(unsigned number, const DiskMechanism& disk) {
  return disk.params_.arms.start_cylinders(disk.geometry_.cylinders())[number];
}

std::unique_ptr<actuator::Motion> DiskMechanism::Arm::motion(unsigned number, const DiskMechanism& disk) {
  const bool parked = !disk.params_.spindle.initially_spinning;
  const std::uint32_t cylinder = start_cylinder(number, disk);
  if (disk.params_.arms.is_fixed(number))
    return std::make_unique<actuator::ProfileMotion>(disk.fixed_profile_, parked, cylinder);
  if (!disk.plant_) return std::make_unique<actuator::ProfileMotion>(disk.profile_, parked, cylinder);
  const spindle::Spindle& stack = *disk.stacks_[disk.params_.arms.stack_of(number)];
  return std::make_unique<actuator::LoopMotion>(
      disk.profile_, *disk.plant_,
      actuator::LoopMotion::Place{[&stack] { return stack.rotation(); }, disk.params_.arms.angle_ticks()[number],
                                  number, parked, cylinder, disk.casting_.get(), disk.wake_.get()});
}

DiskMechanism::Channel::Channel(unsigned number, DiskMechanism& disk,
                                const std::vector<const channel::ArmPosition*>& positions, const BlockContext& context)
    : window(number),
      channel(numbered("chn", number).c_str(), disk.geometry_, positions,
              {context.probes, disk.modes_ ? disk.modes_->channel(number) : context.states, context.requests},
              {&disk.contents_, &window, disk.params_.format.sync_share(disk.params_.geometry.physical_sector_bytes),
               has_kind(disk.params_.faults, FaultParams::weak_code)},
              disk.params_.whatif.rotation_scale, disk.params_.channel) {}

DiskMechanism::DiskMechanism(std::string path, const DriveParams& params, unsigned tags, unsigned slots,
                             const BlockContext& context)
    : path_(std::move(path)),
      params_(params),
      tags_(tags),
      slots_(slots),
      geometry_(params.layout()),
      places_(fault_places(params.faults, geometry_)),
      contents_(params.media, geometry_.physical_sectors(), known_defects(params.faults, geometry_),
                has_kind(params.faults, FaultParams::media_defect)),
      layout_(geometry_, contents_.modelled() ? &contents_ : nullptr),
      translation_("xlt", layout_),
      jog_(params.head.jog(params.format, geometry_.cylinders())),
      profile_(seek_times(params, params.seek_cylinders(geometry_) + guard_cylinders(jog_)),
               params.seek_cylinders(geometry_) + guard_cylinders(jog_), params.whatif.seek_scale),
      fixed_profile_(fixed_seeks(params.seek), profile_.cylinders(), 0),
      plant_(params.mechanics.kind == MechanicsParams::servo
                 ? std::make_unique<servo::ServoParams>(
                       plant_of(params, params.seek_cylinders(geometry_) + guard_cylinders(jog_)))
                 : nullptr),
      casting_(build_casting()),
      wake_(build_wake()),
      modes_(build_modes(context)),
      stacks_(build_stacks(context)),
      heads_{params.arms.head_offsets(geometry_.cylinders()), params.arms.head_angle_ticks(), passes_of(params.arms),
             jog_},
      arms_(mount(context)),
      channels_(build_channels(context)),
      aau_(
          "aau", params.arbiter, params.arbiter.shape(slots, params.arms.arms()), params.arms.stack_count(),
          [this](unsigned stack) { return rotation(stack); }, context),
      channel_arbiter_(build_channel_arbiter(context)),
      cpu_edges_(params.controller.cpu_period()),
      ready_handler_(cpu_edges_.time(params.firmware.handler_cycles(FW_IRQ_SRV0))),
      preamplifier_(from_us(std::max(params.channel.select_us, params.channel.write_to_read_us))) {
  for (const media::Reallocation& moved : contents_.earlier_reallocations())
    if (!geometry_.reallocate(moved.lbn, moved.place))
      throw InputError("media.contents_file: " + params.media.contents_file +
                       " holds reallocated sectors of another layout");
  if (modes_ || plant_)
    aau_.on_arm_idle = [this](unsigned arm) {
      arms_[arm]->servo.idle();
      if (modes_) modes_->idle(arm);
    };
  for (unsigned i = 0; i < arms_.size(); ++i)
    arms_[i]->servo.on_stray([this, i] {
      for (const auto& one : channels_) one->channel.arm_strays(i);
    });
  if (!params.faults.empty()) connect_faults();
}

DiskMechanism::~DiskMechanism() = default;

std::unique_ptr<servo::Casting> DiskMechanism::build_casting() const {
  if (!plant_ || plant_->coupling.base_kg_cm2 <= 0 || params_.arms.arms() < 2) return nullptr;
  return std::make_unique<servo::Casting>(*plant_, params_.arms.arms());
}

std::unique_ptr<servo::Wake> DiskMechanism::build_wake() const {
  if (!plant_ || plant_->coupling.wake_percent <= 0 || params_.arms.arms() < 2) return nullptr;
  const bool on_disk = params_.spindle.initially_spinning || !profile_.ramp();
  const std::vector<std::uint32_t> angles = params_.arms.angle_ticks();
  std::vector<servo::Wake::Mount> mounts;
  for (unsigned arm = 0; arm < params_.arms.arms(); ++arm)
    mounts.push_back({params_.arms.stack_of(arm), static_cast<double>(angles[arm]) / kTicksPerTurn, on_disk});
  return std::make_unique<servo::Wake>(*plant_, mounts);
}

std::unique_ptr<ArmModes> DiskMechanism::build_modes(const BlockContext& context) const {
  if (!context.states || !context.states->wants(path_ + ".arm0")) return nullptr;
  std::vector<unsigned> stack_of(params_.arms.arms());
  for (unsigned arm = 0; arm < stack_of.size(); ++arm) stack_of[arm] = params_.arms.stack_of(arm);
  return std::make_unique<ArmModes>(*context.states, path_, stack_of, params_.arms.channel_count(),
                                    params_.spindle.initially_spinning,
                                    [this](unsigned channel) { return channels_[channel]->channel.at_work_for(); });
}

std::vector<std::unique_ptr<spindle::Spindle>> DiskMechanism::build_stacks(const BlockContext& context) const {
  std::vector<std::unique_ptr<spindle::Spindle>> built;
  const std::vector<double> phases = params_.arms.stack_phases();
  for (unsigned i = 0; i < params_.arms.stack_count(); ++i) {
    spindle::SpindleParams one = params_.spindle;
    if (phases[i] > 0) one.index_phase_rev = std::fmod(one.index_phase_rev + phases[i], 1);
    const std::string name = params_.arms.stack_count() == 1 ? "spn" : numbered("spn", i);
    const BlockContext heard{context.probes, modes_ ? modes_->stack(i) : context.states, context.requests};
    built.push_back(std::make_unique<spindle::Spindle>(name.c_str(), one, heard));
  }
  return built;
}

std::vector<std::unique_ptr<DiskMechanism::Arm>> DiskMechanism::mount(const BlockContext& context) const {
  const std::vector<std::uint32_t> angles = params_.arms.angle_ticks();
  std::vector<std::unique_ptr<Arm>> mounted;
  for (unsigned i = 0; i < params_.arms.arms(); ++i)
    mounted.push_back(std::make_unique<Arm>(i, *this, angles[i], context));
  return mounted;
}

std::vector<std::unique_ptr<DiskMechanism::Channel>> DiskMechanism::build_channels(const BlockContext& context) {
  std::vector<const channel::ArmPosition*> positions;
  for (const auto& arm : arms_) positions.push_back(&arm->position);
  std::vector<std::unique_ptr<Channel>> built;
  for (unsigned i = 0; i < params_.arms.channel_count(); ++i)
    built.push_back(std::make_unique<Channel>(i, *this, positions, context));
  return built;
}

std::unique_ptr<arbiter::ChannelArbiter> DiskMechanism::build_channel_arbiter(const BlockContext& context) const {
  if (channels_.size() >= arms_.size()) return nullptr;
  return std::make_unique<arbiter::ChannelArbiter>(
      "cha", params_.arbiter, static_cast<unsigned>(arms_.size()), static_cast<unsigned>(channels_.size()),
      params_.arms.stack_count(), [this](unsigned stack) { return rotation(stack); }, context);
}

void DiskMechanism::describe(fw_factory& record) const {
  describe_disk(params_, geometry_, profile_, tags_, slots_, record);
}

void DiskMechanism::attach(controller::Soc& soc) {
  namespace map = regs::soc;
  soc.map(map::kAauBase, map::kAauBytes, aau_.regs);
  aau_.irq.bind(soc.irq, FW_IRQ_AAU);
  spindles_line_.bind(soc.irq, FW_IRQ_SPN);
  for (unsigned i = 0; i < stacks_.size(); ++i) {
    soc.map(map::kSpnBase + i * map::kSpnStride, map::kSpnBytes, stacks_[i]->regs);
    stacks_[i]->irq.bind(spindles_line_, i);
  }
  for (unsigned i = 0; i < arms_.size(); ++i) {
    soc.map(map::kSrvBase + i * map::kSrvStride, map::kSrvBytes, arms_[i]->servo.regs);
    arms_[i]->servo.irq.bind(soc.irq, FW_IRQ_SRV0 + i);
  }
  if (channel_arbiter_) {
    soc.map(map::kChaBase, map::kChaBytes, channel_arbiter_->regs);
    channel_arbiter_->irq.bind(soc.irq, FW_IRQ_CHA);
  }
  for (unsigned i = 0; i < channels_.size(); ++i) {
    channels_[i]->window.bind(soc.ram);
    soc.map(map::kChnBase + i * map::kChnStride, map::kChnBytes, channels_[i]->channel.regs);
    channels_[i]->channel.irq.bind(soc.irq, FW_IRQ_CHN0 + i);
  }
  soc.map(map::kXltBase, map::kXltBytes, translation_.regs);
}

const Rotation* DiskMechanism::rotation(unsigned stack) const {
  return stack < stacks_.size() ? stacks_[stack]->rotation() : nullptr;
}

bool DiskMechanism::idle(unsigned arm) const {
  if (arms_[arm]->servo.moving()) return false;
  return std::none_of(channels_.begin(), channels_.end(),
                      [&](const auto& channel) { return channel->channel.at_work_for() == arm; });
}

std::string DiskMechanism::standing() const {
  std::string text;
  for (unsigned stack = 0; stack < stacks_.size(); ++stack) {
    const Rotation* const turns = rotation(stack);
    text += fmt::format("stack {}: {}\n", stack,
                        turns ? fmt::format("angle {:.6f} of a revolution", turns->angle(now(), 32) * 0x1p-32)
                              : std::string("not at speed"));
  }
  for (unsigned arm = 0; arm < arms_.size(); ++arm) {
    const actuator::Servo& servo = arms_[arm]->servo;
    const std::string place = fmt::format("cylinder {}, head {}", servo.cylinder(), servo.head());
    text += fmt::format("arm {}: ", arm);
    if (servo.failed())
      text += "failed\n";
    else if (servo.moving())
      text += fmt::format("moves from cylinder {} to {}\n", servo.from_cylinder(), place);
    else
      text +=
          (servo.parked() ? std::string("on the ramp") : place + (idle(arm) ? "" : ", a channel works for it")) + "\n";
  }
  return text;
}

PositionModel::Place DiskMechanism::place(Lbn lbn) const {
  const media::Location at = geometry_.locate(lbn);
  return {lbn, at.cylinder, at.head, at.angle};
}

unsigned DiskMechanism::arms() const {
  return static_cast<unsigned>(arms_.size() * heads_.offsets.size());
}

std::uint32_t DiskMechanism::arm_cylinder(unsigned arm) const {
  const std::vector<std::uint32_t>& offsets = heads_.offsets;
  return arms_.at(arm / offsets.size())->servo.cylinder() + offsets[arm % offsets.size()];
}

bool DiskMechanism::reaches(unsigned arm, const Place& place) const {
  return serves(static_cast<unsigned>(arm / heads_.offsets.size()), place);
}

bool DiskMechanism::serves(unsigned arm, const Place& place) const {
  return params_.arms.on_fixed(place.cylinder) == params_.arms.is_fixed(arm) &&
         arms_.at(arm)->servo.reaches(place.head);
}

Ps DiskMechanism::positioning_time(const Place& place, Operation operation, Ps start) const {
  constexpr Ps kNever = std::numeric_limits<Ps>::max();
  const bool write = operation == Operation::write;
  std::uint32_t cylinder = place.cylinder;
  TrackAngle angle = place.angle;
  if (write) {
    angle = later(angle, static_cast<std::uint32_t>(fw_jog_later(&jog_, cylinder)) & 0xFFFFu);
    cylinder += static_cast<std::uint32_t>(fw_jog_tracks(&jog_, cylinder));
  }
  Ps least = kNever, least_of_idle = kNever;
  for (unsigned i = 0; i < arms_.size(); ++i) {
    const actuator::Servo& servo = arms_[i]->servo;
    if (servo.failed() || !serves(i, place)) continue;
    const bool arm_is_idle = idle(i);
    for (std::uint32_t sub_head = 0; sub_head < heads_.offsets.size(); ++sub_head) {
      const std::uint32_t offset = heads_.offsets[sub_head];
      if (servo.head_failed(place.head, sub_head) || cylinder < offset) continue;
      const Ps ready =
          start + servo.positioning(cylinder - offset, place.head, write, true, start, aau_.arm_class(i) != 0);
      const Ps channel_starts = cpu_edges_.next_time(ready) + ready_handler_ + preamplifier_;
      const Rotation* const rotation = arms_[i]->position.spindle().rotation();
      Ps wait = 0;
      if (rotation)
        wait = rotation->next_passage(later(angle, arms_[i]->position.angle_ticks(sub_head)), channel_starts) -
               channel_starts;
      if (params_.whatif.rotation_scale < 1)
        wait = std::llround(static_cast<double>(wait) * params_.whatif.rotation_scale);
      least = std::min(least, channel_starts + wait - start);
      if (arm_is_idle) least_of_idle = std::min(least_of_idle, channel_starts + wait - start);
    }
  }
  return least_of_idle != kNever ? least_of_idle : least;
}

Ps DiskMechanism::least_time(std::uint32_t distance) const {
  if (params_.arms.has_fixed()) return ready_handler_;
  // To write, an arm need not go as far.
  const std::uint32_t jog = static_cast<std::uint32_t>(
      std::max(std::abs(fw_jog_tracks(&jog_, 0)), std::abs(fw_jog_tracks(&jog_, jog_.last))));
  return profile_.least_seek(distance - std::min(distance, jog)) + ready_handler_;
}

void DiskMechanism::start_of_simulation() {
  if (modes_) modes_->start();
}

void DiskMechanism::power_off() {
  for (const auto& channel : channels_) channel->channel.power_off();  // first: it depends on the angle
  for (const auto& arm : arms_) arm->servo.power_off();
  for (const auto& stack : stacks_) stack->power_off();
  if (modes_) modes_->power_off();
  aau_.power_off();
  if (channel_arbiter_) channel_arbiter_->power_off();
  translation_.power_off();
}

void DiskMechanism::power_on() {
  for (const auto& arm : arms_) arm->servo.power_on();
  for (const auto& stack : stacks_) stack->power_on();
}

void DiskMechanism::restart() {
  for (const auto& channel : channels_) channel->channel.power_off();
  for (const auto& arm : arms_) arm->servo.restart();
  for (const auto& stack : stacks_) stack->restart();
  aau_.power_off();
  if (channel_arbiter_) channel_arbiter_->power_off();
  translation_.power_off();
}

unsigned DiskMechanism::away_from_rest() const {
  return static_cast<unsigned>(std::count_if(arms_.begin(), arms_.end(), [](const auto& arm) {
    return arm->servo.motion().ramp() && !arm->servo.parked() && !arm->servo.retracting() && !arm->servo.failed();
  }));
}

bool DiskMechanism::parked() const {
  return std::all_of(arms_.begin(), arms_.end(), [](const auto& arm) { return arm->servo.parked(); });
}

channel::ReadCounters DiskMechanism::reads() const {
  channel::ReadCounters sum;
  for (const auto& one : channels_) sum += one->channel.counters();
  return sum;
}

Ps DiskMechanism::last_at_work() const {
  Ps last = last_speed_change();
  for (const auto& path : channels_) last = std::max(last, path->channel.last_at_work());
  return last;
}

Ps DiskMechanism::last_speed_change() const {
  Ps last = 0;
  for (const auto& stack : stacks_) last = std::max(last, stack->last_change());
  return last;
}

void check_disk(const DriveParams& params, unsigned tags, unsigned slots) {
  const media::Geometry geometry(params.layout());
  // The segment table counts sectors of 512 bytes, and the host interface looks up what the host's command says.
  if (params.cache.hardware_hits && params.geometry.logical_sector_bytes != 512)
    throw InputError("cache.hardware_hits: needs geometry.logical_sector_bytes = 512");
  params.arbiter.shape(slots, params.arms.arms());
  check_bandwidth(params, geometry, params.arms.channel_count());
  const fw_jog jog = params.head.jog(params.format, geometry.cylinders());
  check_fixed(params, geometry, jog);
  const std::uint32_t stroke = params.seek_cylinders(geometry) + guard_cylinders(jog);
  const actuator::SeekProfile profile(seek_times(params, stroke), stroke, params.whatif.seek_scale);
  const channel::ReadProcess refuses_what_is_wrong(params.channel, geometry.physical_sector_bytes());
  fw_factory record{};
  describe_disk(params, geometry, profile, tags, slots, record);
  check_disk_faults(params, geometry);
}

}  // namespace armature::drive
