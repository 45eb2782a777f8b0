#include "armature/drive/hard_disk.h"

#include "arm_modes.h"
#include "armature/actuator/seek_profile.h"
#include "armature/actuator/servo.h"
#include "armature/arbiter/arm_arbitration_unit.h"
#include "armature/arbiter/channel_arbiter.h"
#include "armature/channel/data_channel.h"
#include "armature/controller/buffer_memory.h"
#include "armature/controller/debug_port.h"
#include "armature/controller/factory_memory.h"
#include "armature/controller/host_interface.h"
#include "armature/controller/interrupt_controller.h"
#include "armature/controller/native_processor.h"
#include "armature/controller/power_unit.h"
#include "armature/controller/soc_bus.h"
#include "armature/controller/timer.h"
#include "armature/core/error.h"
#include "armature/regs/soc.h"
#include "factory_record.h"
#include "mechanics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace armature::drive {
namespace {

constexpr std::uint32_t kBlockBytes = 0x1000;
constexpr std::uint32_t kAauBytes = 0x8000;
constexpr std::uint32_t kLeastLines = 16;
constexpr std::uint32_t kLineSectors = 8;
constexpr std::uint32_t kNvmBytes = 0x2000;

/// A write cache needs room for what was written, and so do physical sectors that are written in part.
controller::BufferParams with_lines(const DriveParams& params) {
  controller::BufferParams buffer = params.buffer;
  const bool needed = params.cache.write || params.geometry.physical_sector_bytes > 512;
  if (needed && buffer.write_share == 0) buffer.write_share = 0.25;
  if (needed && buffer.lines() < kLeastLines)
    throw InputError("buffer.write_share: leaves room for fewer than 16 lines of 4 KiB of written data");
  if (params.geometry.physical_sector_bytes > 512 && buffer.segment_sectors() < 8)
    throw InputError("buffer.segments: a segment has no room for a physical sector of 4096 bytes");
  return buffer;
}

/// A disk does not wait for the RAM: what all channels move on the fastest track must fit in.
void check_bandwidth(const DriveParams& params, const media::Geometry& geometry, unsigned channels) {
  const std::int64_t limit = params.buffer.bytes_per_second();
  if (limit == 0) return;
  std::uint32_t most = 0;
  for (std::uint32_t cylinder = 0; cylinder < geometry.cylinders(); ++cylinder)
    most = std::max(most, geometry.sectors_per_track(cylinder));
  const double demand = channels * 512.0 * most * params.spindle.rpm / 60;
  if (demand > static_cast<double>(limit))
    throw InputError(
        fmt::format("buffer.bandwidth_mb_s: the media alone need {:.1f} MB/s ({} sectors a track at {} "
                    "rpm, {} channel{})",
                    demand / 1e6, most, params.spindle.rpm, channels, channels == 1 ? "" : "s"));
}

/// The channel's port of the buffer RAM.
class BufferWindow final : public channel::BufferPort {
 public:
  explicit BufferWindow(unsigned channel) : channel_(channel) {}
  void bind(controller::BufferMemory& ram) { ram_ = &ram; }
  void media_moves(Ps begin, Ps end, std::int64_t bytes_per_second) override {
    ram_->bandwidth().media_moves(channel_, begin, end, bytes_per_second);
    ram_->activity().media_moves(channel_, begin, end);
  }
  void media_stops(Ps end) override {
    ram_->bandwidth().media_stops(channel_, end);
    ram_->activity().media_stops(channel_, end);
  }
  std::uint8_t* bytes(std::uint32_t address, std::uint32_t count) override {
    const bool inside = address <= ram_->bytes() && count <= ram_->bytes() - address;
    return inside ? ram_->data() + address : nullptr;
  }

 private:
  const unsigned channel_;
  controller::BufferMemory* ram_ = nullptr;
};

/// Firmware keeps written data in lines: in a share of the RAM, or in a segment that it takes for them (segment.c).
bool has_lines(const DriveParams& params, unsigned tags) {
  const controller::BufferParams buffer = with_lines(params);
  if (buffer.lines() > 0) return true;
  const bool room = buffer.segments > 1 && buffer.segment_sectors() >= FW_LEAST_LINES * kLineSectors;
  return room && tags + FW_MAX_WRITEBACK_SLOTS <= params.arbiter.most_slots();
}

/// Slots of the arbitration unit that firmware uses.
unsigned slots(const DriveParams& params, unsigned tags) {
  const bool ahead = params.cache.read_ahead_on_hit;
  const bool background = ahead || params.background.on();
  const bool write_back = background || has_lines(params, tags);
  return tags + (write_back ? FW_MAX_WRITEBACK_SLOTS : 0) + (background ? FW_BACKGROUND_SLOTS : 0) +
         (ahead ? FW_AHEAD_SLOTS : 0);
}

/// The defects of the configuration, at the places where their blocks lie when the drive is new.
std::vector<media::Defect> defects(const DriveParams& params, const media::Geometry& geometry) {
  std::vector<media::Defect> found;
  const std::uint32_t unit = geometry.physical_sector_bytes() / 512;
  for (std::size_t i = 0; i < params.media.defects.size(); ++i) {
    const auto& row = params.media.defects[i];
    if (row.size() != 2) throw InputError("media.defects row " + std::to_string(i + 1) + ": needs 2 numbers");
    if (!(row[0] >= 0 && row[0] < static_cast<double>(geometry.sectors())) || row[0] != std::floor(row[0]))
      throw InputError("media.defects row " + std::to_string(i + 1) + ": the disk has only blocks 0 to " +
                       std::to_string(geometry.sectors() - 1));
    const auto lbn = static_cast<std::uint64_t>(row[0]);
    found.push_back({geometry.physical(lbn - lbn % unit), unit, from_ms(row[1] * 1000)});
  }
  return found;
}

// Blocks of the chip, arm-arbitration unit and channel arbiter; of each arm a stack, a servo and a channel at the most.
static_assert(controller::SocBus::kMostBlocks >= 8 + 2 + 3 * ArmsParams::kMost, "the bus has a socket for each block");

/// The controller chip: processor, bus and the blocks that are no mechanics.
class Soc : public sc_core::sc_module {
 public:
  Soc(sc_core::sc_module_name name, const DriveParams& params, const fw_factory& record, const BlockContext& context)
      : sc_module(name),
        ram("buf", with_lines(params), context),
        hif("hif", ram, context, {params.controller.cpu_period(), params.controller.look_up_cycles}),
        irq("irq", context),
        cpu("cpu", params.controller, params.firmware, irq, context),
        dbg("dbg", context),
        nvm("nvm", record),
        pmu("pmu", context) {
    namespace soc = regs::soc;
    cpu.bus.bind(bus.cpu);
    irq.bind(cpu);
    bus.map(soc::kHifBase, kBlockBytes).bind(hif.regs);
    bus.map(soc::kBufBase, kBlockBytes).bind(ram.regs);
    bus.map(soc::kRamBase, ram.window()).bind(ram.ram);
    bus.map(soc::kTmrBase, kBlockBytes).bind(tmr.regs);
    bus.map(soc::kIrqBase, kBlockBytes).bind(irq.regs);
    bus.map(soc::kDbgBase, kBlockBytes).bind(dbg.regs);
    bus.map(soc::kNvmBase, kNvmBytes).bind(nvm.regs);
    bus.map(soc::kPmuBase, kBlockBytes).bind(pmu.regs);
    hif.irq_read.bind(irq, FW_IRQ_HIF_READ);
    hif.irq_write.bind(irq, FW_IRQ_HIF_WRITE);
    hif.irq_other.bind(irq, FW_IRQ_HIF_OTHER);
    hif.irq_dma.bind(irq, FW_IRQ_HIF_DMA);
    hif.irq_error.bind(irq, FW_IRQ_HIF_ERROR);
    tmr.irq.bind(irq, FW_IRQ_TMR);
    ram.irq.bind(irq, FW_IRQ_BUF);
  }

  controller::SocBus bus{"bus"};
  controller::BufferMemory ram;
  controller::HostInterface hif;
  controller::InterruptController irq;
  controller::NativeProcessor cpu;
  controller::Timer tmr{"tmr"};
  controller::DebugPort dbg;
  controller::FactoryMemory nvm;
  controller::PowerUnit pmu;
};

}  // namespace

struct HardDisk::Blocks {
  Blocks(std::string name, const DriveParams& params, unsigned tags, const BlockContext& context)
      : path(std::move(name)),
        geometry(params.layout()),
        contents(params.media, geometry.physical_sectors(), defects(params, geometry)),
        jog(params.head.jog(params.format, geometry.cylinders())),
        profile(params.seek, geometry.cylinders() + guard_cylinders(jog), params.whatif.seek_scale),
        modes(build_modes(params, context)),
        stacks(build_stacks(params, context)),
        heads{params.arms.head_offsets(geometry.cylinders()), params.arms.head_angle_ticks(), jog},
        arms(mount(params, context)),
        channels(build_channels(params, context)),
        aau(
            "aau", params.arbiter, params.arbiter.shape(slots(params, tags), params.arms.arms()),
            params.arms.stack_count(), [this](unsigned stack) { return rotation(stack); }, context),
        channel_arbiter(build_channel_arbiter(params, context)),
        soc("soc", params, factory_record(params, geometry, profile, tags, slots(params, tags)), context),
        cpu_period(params.controller.cpu_period()),
        firmware(params.firmware),
        overheads(params.overheads),
        decision(params.arbiter.decision_time(1, 1, params.arms.heads)),
        rotation_scale(params.whatif.rotation_scale),
        preamplifier(from_us(std::max(params.channel.select_us, params.channel.write_to_read_us))) {
    for (const media::Reallocation& moved : contents.earlier_reallocations())
      if (!geometry.reallocate(moved.lbn, moved.place))
        throw InputError("media.contents_file: " + params.media.contents_file +
                         " holds reallocated sectors of another layout");
    if (modes) aau.on_arm_idle = [this](unsigned arm) { modes->idle(arm); };
    namespace map = regs::soc;
    soc.bus.map(map::kAauBase, kAauBytes).bind(aau.regs);
    aau.irq.bind(soc.irq, FW_IRQ_AAU);
    spindles_line.bind(soc.irq, FW_IRQ_SPN);
    for (unsigned i = 0; i < stacks.size(); ++i) {
      soc.bus.map(map::kSpnBase + i * map::kSpnStride, kBlockBytes).bind(stacks[i]->regs);
      stacks[i]->irq.bind(spindles_line, i);
    }
    for (unsigned i = 0; i < arms.size(); ++i) {
      soc.bus.map(map::kSrvBase + i * map::kSrvStride, kBlockBytes).bind(arms[i]->servo.regs);
      arms[i]->servo.irq.bind(soc.irq, FW_IRQ_SRV0 + i);
    }
    if (channel_arbiter) {
      soc.bus.map(map::kChaBase, kBlockBytes).bind(channel_arbiter->regs);
      channel_arbiter->irq.bind(soc.irq, FW_IRQ_CHA);
    }
    for (const auto& failure : params.arms.failures)
      arms.at(static_cast<std::size_t>(failure[1]))->servo.fail_at(from_ms(failure[0] * 1000));
    for (const ArmsParams::HeadFailure& failure : params.arms.failing_heads(geometry.heads()))
      arms.at(failure.arm)->servo.fail_head_at(from_ms(failure.time_s * 1000), failure.surface, failure.head);
    for (unsigned i = 0; i < channels.size(); ++i) {
      channels[i]->window.bind(soc.ram);
      soc.bus.map(map::kChnBase + i * map::kChnStride, kBlockBytes).bind(channels[i]->channel.regs);
      channels[i]->channel.irq.bind(soc.irq, FW_IRQ_CHN0 + i);
    }
  }

  /// A positioner, which is an arm assembly or a part of one: "srv0", "srv1", ...
  struct Arm {
    Arm(unsigned number, const Blocks& blocks, const DriveParams& params, std::uint32_t angle,
        const BlockContext& context)
        : servo(numbered("srv", number).c_str(), blocks.profile, head_stack(number, blocks, params),
                {context.probes, blocks.modes ? blocks.modes->servo(number) : context.states, context.requests},
                !params.spindle.initially_spinning),
          position(servo, *blocks.stacks[params.arms.stack_of(number)], angle, blocks.heads, blocks.aau, number) {}
    static actuator::HeadStack head_stack(unsigned number, const Blocks& blocks, const DriveParams& params) {
      const ArmsParams::Surfaces reach = params.arms.reach(number, blocks.geometry.heads());
      return {reach.first, reach.count, params.arms.head_count()};
    }
    actuator::Servo servo;
    const ServoPosition position;
  };
  /// A data channel, which works with any arm: "chn0", "chn1", ...
  struct Channel {
    Channel(unsigned number, Blocks& blocks, const std::vector<const channel::ArmPosition*>& positions,
            const DriveParams& params, const BlockContext& context)
        : window(number),
          channel(numbered("chn", number).c_str(), blocks.geometry, positions,
                  {context.probes, blocks.modes ? blocks.modes->channel(number) : context.states, context.requests},
                  {&blocks.contents, &window, &blocks.geometry,
                   params.format.sync_share(params.geometry.physical_sector_bytes)},
                  params.whatif.rotation_scale, params.channel) {}
    BufferWindow window;
    channel::DataChannel channel;
  };

  std::unique_ptr<ArmModes> build_modes(const DriveParams& params, const BlockContext& context) const {
    if (!context.states || !context.states->wants(path + ".arm0")) return nullptr;
    std::vector<unsigned> stack_of(params.arms.arms());
    for (unsigned arm = 0; arm < stack_of.size(); ++arm) stack_of[arm] = params.arms.stack_of(arm);
    return std::make_unique<ArmModes>(*context.states, path, stack_of, params.arms.channel_count(),
                                      params.spindle.initially_spinning,
                                      [this](unsigned channel) { return channels[channel]->channel.at_work_for(); });
  }

  static std::string numbered(const char* block, unsigned number) { return block + std::to_string(number); }

  std::vector<std::unique_ptr<spindle::Spindle>> build_stacks(const DriveParams& params,
                                                              const BlockContext& context) const {
    std::vector<std::unique_ptr<spindle::Spindle>> built;
    const std::vector<double> phases = params.arms.stack_phases();
    for (unsigned i = 0; i < params.arms.stack_count(); ++i) {
      spindle::SpindleParams one = params.spindle;
      if (phases[i] > 0) one.index_phase_rev = std::fmod(one.index_phase_rev + phases[i], 1);
      const std::string name = params.arms.stack_count() == 1 ? "spn" : numbered("spn", i);
      const BlockContext heard{context.probes, modes ? modes->stack(i) : context.states, context.requests};
      built.push_back(std::make_unique<spindle::Spindle>(name.c_str(), one, heard));
    }
    return built;
  }

  /// Null for a stack that is not at speed, or not there.
  const Rotation* rotation(unsigned stack) const { return stack < stacks.size() ? stacks[stack]->rotation() : nullptr; }

  std::vector<std::unique_ptr<Arm>> mount(const DriveParams& params, const BlockContext& context) const {
    const std::vector<std::uint32_t> angles = params.arms.angle_ticks();
    std::vector<std::unique_ptr<Arm>> mounted;
    for (unsigned i = 0; i < params.arms.arms(); ++i)
      mounted.push_back(std::make_unique<Arm>(i, *this, params, angles[i], context));
    return mounted;
  }

  std::vector<std::unique_ptr<Channel>> build_channels(const DriveParams& params, const BlockContext& context) {
    std::vector<const channel::ArmPosition*> positions;
    for (const auto& arm : arms) positions.push_back(&arm->position);
    std::vector<std::unique_ptr<Channel>> built;
    for (unsigned i = 0; i < params.arms.channel_count(); ++i)
      built.push_back(std::make_unique<Channel>(i, *this, positions, params, context));
    return built;
  }

  /// Of a drive with fewer channels than arms.
  std::unique_ptr<arbiter::ChannelArbiter> build_channel_arbiter(const DriveParams& params,
                                                                 const BlockContext& context) const {
    if (channels.size() >= arms.size()) return nullptr;
    return std::make_unique<arbiter::ChannelArbiter>(
        "cha", params.arbiter, static_cast<unsigned>(arms.size()), static_cast<unsigned>(channels.size()),
        params.arms.stack_count(), [this](unsigned stack) { return rotation(stack); }, context);
  }

  /// It neither moves nor transfers.
  bool idle(unsigned arm) const {
    if (arms[arm]->servo.moving()) return false;
    return std::none_of(channels.begin(), channels.end(),
                        [&](const auto& channel) { return channel->channel.at_work_for() == arm; });
  }

  /// Duration of the handler of `cause` on an idle processor that is interrupted on a clock edge.
  Ps handler(unsigned cause) const { return firmware.handler_cycles(cause) * cpu_period; }

  const std::string path;
  media::Geometry geometry;
  media::Contents contents;
  const fw_jog jog;
  const actuator::SeekProfile profile;
  SharedLine spindles_line;
  const std::unique_ptr<ArmModes> modes;  ///< null: nobody wants to know
  const std::vector<std::unique_ptr<spindle::Spindle>> stacks;
  const HeadPlaces heads;
  const std::vector<std::unique_ptr<Arm>> arms;
  const std::vector<std::unique_ptr<Channel>> channels;
  arbiter::ArmArbitrationUnit aau;
  const std::unique_ptr<arbiter::ChannelArbiter> channel_arbiter;
  Soc soc;
  const Ps cpu_period;
  const controller::FirmwareParams firmware;
  const controller::OverheadParams overheads;
  const Ps decision;
  const double rotation_scale;
  const Ps preamplifier;  ///< the longest that a channel waits for it, which the arbitration unit reckons with too
};

void HardDisk::check(const DriveParams& params, unsigned tags) {
  if (tags < 1 || tags > FW_MAX_TAGS) throw InputError("host.tags: must be 1 to 1024");
  if (params.background.on() && tags + FW_MAX_WRITEBACK_SLOTS + FW_BACKGROUND_SLOTS > FW_MAX_TAGS)
    throw InputError("host.tags: with background work at most " +
                     std::to_string(FW_MAX_TAGS - FW_MAX_WRITEBACK_SLOTS - FW_BACKGROUND_SLOTS));
  constexpr unsigned kBehindTags = FW_MAX_WRITEBACK_SLOTS + FW_BACKGROUND_SLOTS + FW_AHEAD_SLOTS;
  if (params.cache.read_ahead_on_hit && tags + kBehindTags > FW_MAX_TAGS)
    throw InputError(fmt::format("host.tags: with cache.read_ahead_on_hit at most {}", FW_MAX_TAGS - kBehindTags));
  if (with_lines(params).lines() > 0 && tags + FW_MAX_WRITEBACK_SLOTS > FW_MAX_TAGS)
    throw InputError("host.tags: with a write cache at most " + std::to_string(FW_MAX_TAGS - FW_MAX_WRITEBACK_SLOTS) +
                     ", because de-staging takes slots of the arbitration unit too");
  const media::Geometry geometry(params.layout());
  // The segment table counts sectors of 512 bytes, and the host interface looks up what the host's command says.
  if (params.cache.hardware_hits && params.geometry.logical_sector_bytes != 512)
    throw InputError("cache.hardware_hits: needs geometry.logical_sector_bytes = 512");
  params.arms.failing_heads(geometry.heads());
  params.arbiter.shape(slots(params, tags), params.arms.arms());
  check_bandwidth(params, geometry, params.arms.channel_count());
  const fw_jog jog = params.head.jog(params.format, geometry.cylinders());
  const actuator::SeekProfile profile(params.seek, geometry.cylinders() + guard_cylinders(jog),
                                      params.whatif.seek_scale);
  const channel::ReadProcess refuses_what_is_wrong(params.channel, geometry.physical_sector_bytes());
  factory_record(params, geometry, profile, tags, slots(params, tags));
  defects(params, geometry);
}

HardDisk::HardDisk(sc_core::sc_module_name name, const DriveParams& params, unsigned tags, const BlockContext& context)
    : sc_module(name) {
  check(params, tags);
  blocks_ = std::make_unique<Blocks>(this->name(), params, tags, context);
}

HardDisk::~HardDisk() = default;

sata::FrameTargetSocket& HardDisk::from_link() {
  return blocks_->soc.hif.from_link;
}
sata::FrameInitiatorSocket& HardDisk::to_link() {
  return blocks_->soc.hif.to_link;
}

std::uint64_t HardDisk::sectors() const {
  return blocks_->geometry.sectors();
}
const media::Geometry& HardDisk::geometry() const {
  return blocks_->geometry;
}
const media::Contents& HardDisk::contents() const {
  return blocks_->contents;
}
std::uint32_t HardDisk::cylinders() const {
  return blocks_->geometry.cylinders();
}
std::uint32_t HardDisk::cylinder_of(std::uint64_t lbn) const {
  return blocks_->geometry.locate(lbn).cylinder;
}

media::Location HardDisk::locate(std::uint64_t lbn) const {
  return blocks_->geometry.locate(lbn);
}
unsigned HardDisk::arms() const {
  return static_cast<unsigned>(blocks_->arms.size() * blocks_->heads.offsets.size());
}
std::uint32_t HardDisk::arm_cylinder(unsigned arm) const {
  const std::vector<std::uint32_t>& offsets = blocks_->heads.offsets;
  return blocks_->arms.at(arm / offsets.size())->servo.cylinder() + offsets[arm % offsets.size()];
}
bool HardDisk::arm_reaches(unsigned arm, std::uint32_t surface) const {
  return blocks_->arms.at(arm / blocks_->heads.offsets.size())->servo.reaches(surface);
}

Ps HardDisk::positioning_time(std::uint32_t cylinder, std::uint32_t head, TrackAngle angle, Operation operation,
                              Ps start) const {
  const Blocks& b = *blocks_;
  constexpr Ps kNever = std::numeric_limits<Ps>::max();
  const bool write = operation == Operation::write;
  if (write) {
    angle = later(angle, static_cast<std::uint32_t>(fw_jog_later(&b.jog, cylinder)) & 0xFFFFu);
    cylinder += static_cast<std::uint32_t>(fw_jog_tracks(&b.jog, cylinder));
  }
  Ps least = kNever, least_of_idle = kNever;
  for (unsigned i = 0; i < b.arms.size(); ++i) {
    const actuator::Servo& servo = b.arms[i]->servo;
    if (servo.failed() || !servo.reaches(head)) continue;
    const bool idle = b.idle(i);
    for (std::uint32_t sub_head = 0; sub_head < b.heads.offsets.size(); ++sub_head) {
      const std::uint32_t offset = b.heads.offsets[sub_head];
      if (servo.head_failed(head, sub_head) || cylinder < offset) continue;
      const Ps ready = start + servo.positioning(cylinder - offset, head, write, true, start);
      const Ps channel_starts = clock_edge(ready, b.cpu_period) + b.handler(FW_IRQ_SRV0) + b.preamplifier;
      const Rotation* const rotation = b.arms[i]->position.spindle().rotation();
      Ps wait = 0;
      if (rotation)
        wait = rotation->next_passage(later(angle, b.arms[i]->position.angle_ticks(sub_head)), channel_starts) -
               channel_starts;
      if (b.rotation_scale < 1) wait = std::llround(static_cast<double>(wait) * b.rotation_scale);
      least = std::min(least, channel_starts + wait - start);
      if (idle) least_of_idle = std::min(least_of_idle, channel_starts + wait - start);
    }
  }
  return least_of_idle != kNever ? least_of_idle : least;
}

Ps HardDisk::least_positioning_time(std::uint32_t distance) const {
  const Blocks& b = *blocks_;
  // To write, an arm need not go as far.
  const std::uint32_t jog = static_cast<std::uint32_t>(
      std::max(std::abs(fw_jog_tracks(&b.jog, 0)), std::abs(fw_jog_tracks(&b.jog, b.jog.last))));
  return b.profile.least_seek(distance - std::min(distance, jog)) + blocks_->handler(FW_IRQ_SRV0);
}

Ps HardDisk::command_lead_time(Operation operation) const {
  const Blocks& b = *blocks_;
  const bool write = operation == Operation::write;
  const Ps overhead = from_us(write ? b.overheads.write_miss_us : b.overheads.read_miss_us);
  return b.handler(write ? FW_IRQ_HIF_WRITE : FW_IRQ_HIF_READ) +
         (overhead != 0 ? overhead + b.handler(FW_IRQ_TMR) : 0) + b.decision + b.handler(FW_IRQ_AAU);
}

void HardDisk::start_of_simulation() {
  if (blocks_->modes) blocks_->modes->start();
}

void HardDisk::power_off() {
  for (const auto& channel : blocks_->channels) channel->channel.power_off();  // first: it depends on the angle
  for (const auto& arm : blocks_->arms) arm->servo.power_off();
  for (const auto& stack : blocks_->stacks) stack->power_off();
  if (blocks_->modes) blocks_->modes->power_off();
  blocks_->soc.pmu.power_off();
}

bool HardDisk::parked() const {
  return std::all_of(blocks_->arms.begin(), blocks_->arms.end(), [](const auto& arm) { return arm->servo.parked(); });
}

std::uint32_t HardDisk::hardware_hits() const {
  return blocks_->soc.ram.hits();
}

HardDisk::Counters HardDisk::counters() const {
  const controller::DebugPort& port = blocks_->soc.dbg;
  const std::uint64_t background_us =
      port.counter(FW_COUNTER_BACKGROUND_US_LO) | std::uint64_t{port.counter(FW_COUNTER_BACKGROUND_US_HI)} << 32;
  return {port.counter(FW_COUNTER_REALLOCATED),
          port.counter(FW_COUNTER_PENDING),
          port.counter(FW_COUNTER_LOST),
          port.counter(FW_COUNTER_SCANNED),
          port.counter(FW_COUNTER_SCAN_PASSES),
          port.counter(FW_COUNTER_RECALIBRATIONS),
          static_cast<Ps>(background_us) * kPsPerUs,
          port.counter(FW_COUNTER_FAILED_ARMS),
          port.counter(FW_COUNTER_FAILED_HEADS),
          port.counter(FW_COUNTER_READ_FAILURES),
          port.counter(FW_COUNTER_RECOVERED_READS),
          port.counter(FW_COUNTER_UNREADABLE_READS)};
}

channel::DataChannel::Counters HardDisk::reads() const {
  channel::DataChannel::Counters sum;
  for (const auto& one : blocks_->channels) {
    const channel::DataChannel::Counters& counted = one->channel.counters();
    sum.reads += counted.reads;
    sum.failed += counted.failed;
    sum.recovered += counted.recovered;
    sum.unreadable += counted.unreadable;
    sum.iterations += counted.iterations;
    for (std::size_t i = 0; i < sum.retries.size(); ++i) sum.retries[i] += counted.retries[i];
  }
  return sum;
}

Ps HardDisk::last_at_work() const {
  Ps last = 0;
  for (const auto& path : blocks_->channels) last = std::max(last, path->channel.last_at_work());
  for (const auto& stack : blocks_->stacks) last = std::max(last, stack->last_change());
  return std::max(last, blocks_->soc.cpu.last_at_work());
}

void HardDisk::catch_up() {
  blocks_->aau.catch_up();
}

bool HardDisk::failed() const {
  return blocks_->soc.dbg.failed();
}

}  // namespace armature::drive
