#include "armature/drive/drive.h"

#include "armature/controller/soc.h"
#include "armature/drive/mechanism.h"
#include "controller_record.h"
#include "controller_setup.h"

#include <algorithm>

#include <fmt/format.h>

namespace armature::drive {
namespace {

controller::Soc::Params chip(const CommonParams& params, unsigned tags, std::uint32_t physical_sector_bytes,
                             const Mechanism& mechanism) {
  controller::Soc::Params chip{
      params.controller, params.firmware, with_lines(params, physical_sector_bytes), {}, params.nvm};
  describe_controller(params, tags, drive::slots(params, physical_sector_bytes, tags), chip.record);
  chip.record.capacity_lo = static_cast<std::uint32_t>(mechanism.sectors());
  chip.record.capacity_hi = static_cast<std::uint32_t>(mechanism.sectors() >> 32);
  mechanism.describe(chip.record);
  return chip;
}

}  // namespace

Drive::Drive(sc_core::sc_module_name name, const CommonParams& params, unsigned tags,
             std::uint32_t physical_sector_bytes, const MechanismFactory& build, const BlockContext& context)
    : sc_module(name),
      firmware_(params.firmware),
      overheads_(params.overheads),
      cpu_period_(params.controller.cpu_period()),
      mechanism_(build(this->name(), drive::slots(params, physical_sector_bytes, tags))),
      soc_(std::make_unique<controller::Soc>("soc", chip(params, tags, physical_sector_bytes, *mechanism_), context)),
      faults_(std::make_unique<FaultInjector>("faults", params.faults, context)) {
  mechanism_->attach(*soc_);
  soc_->on_restart = [this] { restart(); };
  if (!params.faults.empty()) connect_faults();
}

void Drive::connect_faults() {
  const auto heard = [this](unsigned number, std::int32_t tag) { faults_->touched(number, tag); };
  mechanism_->on_fault = heard;
  soc_->ram.on_fault = heard;
  faults_->carry_out = [this](unsigned number, const FaultParams& fault, bool begins, std::uint64_t random) {
    if (fault.kind == FaultParams::buffer_flip)
      soc_->ram.upset(fault.address, static_cast<unsigned>(fault.bits), random, number);
    else if (fault.kind == FaultParams::hung_firmware)
      soc_->cpu->hang(begins);
    else
      mechanism_->fault(number, fault, begins, random);
  };
}

Drive::~Drive() = default;

void Drive::check(const CommonParams& params, unsigned tags, std::uint32_t physical_sector_bytes) {
  check_tags(params, physical_sector_bytes, tags);
  fw_factory record{};
  describe_controller(params, tags, drive::slots(params, physical_sector_bytes, tags), record);
}

unsigned Drive::slots(const CommonParams& params, unsigned tags, std::uint32_t physical_sector_bytes) {
  return drive::slots(params, physical_sector_bytes, tags);
}

sata::FrameTargetSocket& Drive::from_link() {
  return soc_->hif.from_link;
}
sata::FrameInitiatorSocket& Drive::to_link() {
  return soc_->hif.to_link;
}

Ps Drive::handler(unsigned cause) const {
  return firmware_.handler_cycles(cause) * cpu_period_;
}

Ps Drive::command_lead_time(Operation operation) const {
  const bool write = operation == Operation::write;
  const Ps overhead = from_us(write ? overheads_.write_miss_us : overheads_.read_miss_us);
  return handler(write ? FW_IRQ_HIF_WRITE : FW_IRQ_HIF_READ) + (overhead != 0 ? overhead + handler(FW_IRQ_TMR) : 0) +
         mechanism_->decision_time() + handler(FW_IRQ_AAU) + mechanism_->prepare_time();
}

std::uint64_t Drive::sectors() const {
  return mechanism_->sectors();
}

const media::Contents& Drive::contents() const {
  return mechanism_->contents();
}

const PositionModel& Drive::positions() const {
  return mechanism_->positions();
}

channel::ReadCounters Drive::reads() const {
  return mechanism_->reads();
}

bool Drive::parked() const {
  return mechanism_->parked();
}

void Drive::catch_up() {
  mechanism_->catch_up();
}

void Drive::start_of_simulation() {
  mechanism_->start_of_simulation();
}

void Drive::power_off() {
  if (!powered()) return;
  ++power_losses_;
  if (mechanism_->away_from_rest() > 0) ++emergency_retracts_;
  before_ = counters();
  mechanism_->power_off();  // first: what is being written comes from the RAM
  soc_->power_off();
}

void Drive::power_on() {
  if (powered()) return;
  mechanism_->power_on();
  soc_->power_on();
}

void Drive::restart() {
  before_ = counters();
  mechanism_->restart();
  soc_->restart();
}

bool Drive::powered() const {
  return soc_->powered();
}

std::uint32_t Drive::hardware_hits() const {
  return soc_->ram.hits();
}

std::vector<OwnCount> Drive::own_counts() const {
  return mechanism_->own_counts();
}

Drive::Counters Drive::counters() const {
  static_assert(FW_COUNTER_COUNT <= regs::dbg::kCounterCount);
  const controller::DebugPort& port = soc_->dbg;
  const std::uint64_t background_us =
      port.counter(FW_COUNTER_BACKGROUND_US_LO) | std::uint64_t{port.counter(FW_COUNTER_BACKGROUND_US_HI)} << 32;
  const Counters& b = before_;  // firmware counts from power-on
  return {b.reallocated_sectors + port.counter(FW_COUNTER_REALLOCATED),
          port.counter(FW_COUNTER_PENDING),
          b.lost_sectors + port.counter(FW_COUNTER_LOST),
          b.scanned_sectors + port.counter(FW_COUNTER_SCANNED),
          b.scan_passes + port.counter(FW_COUNTER_SCAN_PASSES),
          b.recalibrations + port.counter(FW_COUNTER_RECALIBRATIONS),
          b.placements + port.counter(FW_COUNTER_PLACEMENTS),
          b.background_time + static_cast<Ps>(background_us) * kPsPerUs,
          b.background_added + static_cast<std::int32_t>(port.counter(FW_COUNTER_ADDED_US)) * kPsPerUs,
          port.counter(FW_COUNTER_FAILED_ARMS),
          port.counter(FW_COUNTER_FAILED_HEADS),
          b.cap_shut_time + port.counter(FW_COUNTER_CAP_SHUT_MS) * kPsPerMs,
          b.cap_measures + port.counter(FW_COUNTER_CAP_MEANS),
          std::max(b.cap_debt_uj, port.counter(FW_COUNTER_CAP_DEBT_UJ)),
          b.throttled_time + port.counter(FW_COUNTER_THROTTLED_MS) * kPsPerMs,
          b.throttle_measures + port.counter(FW_COUNTER_THROTTLE_MEANS),
          b.ridden_reads + port.counter(FW_COUNTER_RIDES),
          b.speed_changes + port.counter(FW_COUNTER_SPEED_CHANGES),
          b.governor_steps + port.counter(FW_COUNTER_GOVERNOR_STEPS),
          port.counter(FW_COUNTER_GOVERNOR_SETTING),
          b.read_failures + port.counter(FW_COUNTER_READ_FAILURES),
          b.recovered_reads + port.counter(FW_COUNTER_RECOVERED_READS),
          b.unreadable_reads + port.counter(FW_COUNTER_UNREADABLE_READS)};
}

Ps Drive::last_at_work() const {
  return std::max(mechanism_->last_at_work(), soc_->cpu->last_at_work());
}

Ps Drive::last_away() const {
  return std::max(mechanism_->last_speed_change(), soc_->cpu->last_at_work());
}

bool Drive::failed() const {
  return soc_->dbg.failed();
}

std::vector<controller::HandlerTime> Drive::handler_times() const {
  return soc_->cpu->handler_times();
}

std::string Drive::standing() const {
  return mechanism_->standing();
}

std::string Drive::firmware_fault() const {
  const std::string& mistake = soc_->cpu->mistake();
  if (mistake.empty()) return {};
  return fmt::format("{}, state {}", mistake, failed() ? soc_->dbg.failed_state() : soc_->dbg.state_name());
}

}  // namespace armature::drive
