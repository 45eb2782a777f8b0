#include "armature/array/array_controller.h"

#include "armature/core/error.h"
#include "array.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::array {

std::uint32_t Array::whole_rows(std::uint64_t wanted, std::uint64_t row) {
  constexpr std::uint64_t kMostSectors = 65'536;  // of one command
  if (row == 0) return static_cast<std::uint32_t>(std::min(wanted, kMostSectors));
  const std::uint64_t rows = std::min((wanted + row - 1) / row, kMostSectors / row);
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(rows, 1) * row);
}

Array::Array(const ArrayParams& keys, const Layout& blocks, unsigned spares, bool with_data)
    : params(keys),
      layout(blocks),
      data(with_data),
      part_sectors(whole_rows(keys.rebuild_sectors(), blocks.row_sectors())),
      operations(*this),
      buses("buses", *this, blocks.members() + spares),
      deferred("deferred", *this),
      members("members", *this, spares),
      commands(*this),
      rebuild("rebuild", *this),
      resync("resync", *this),
      scrub("scrub", *this),
      end(*this) {}

void Array::lock(Job& job, std::uint64_t first, std::uint64_t last, bool exclusive) {
  job.has_lock = true;
  if (locks_.acquire(&job, first, last, exclusive)) job.task.locked(job);
}

void Array::lock(StretchJob& job) {
  const std::uint64_t row = std::max<std::uint64_t>(layout.row_sectors(), 1);
  lock(job, job.lbn / row, (job.end() - 1) / row, /*exclusive=*/true);
}

void Array::release(Job& job) {
  if (!job.has_lock) return;
  job.has_lock = false;
  for (Job* const next : locks_.release(&job)) next->task.locked(*next);
}

ArrayController::ArrayController(sc_core::sc_module_name name, const ArrayParams& params, const Layout& layout,
                                 unsigned spares, bool data)
    : sc_module(name) {
  if (params.scrub_mb_s > 0 && !layout.redundant())
    throw InputError("array.scrub_mb_s: the level has no redundancy, from which a scrub could make anything anew");
  if (params.deferred.after_s > 0) params.check_deferred();
  array_ = std::make_unique<Array>(params, layout, spares, data);
  SC_HAS_PROCESS(ArrayController);
  SC_METHOD(settle);
  sensitive << array_->settle;
  dont_initialize();
}

ArrayController::~ArrayController() = default;

void ArrayController::settle() {
  array_->commands.answer();
  array_->operations.settle();
  array_->commands.settle();
}

host::RequestFeed::Owner& ArrayController::owner(unsigned device) {
  return array_->members.devices().at(device);
}
void ArrayController::set_feed(unsigned device, host::RequestFeed& feed) {
  array_->members.devices().at(device).feed = &feed;
}
void ArrayController::set_listener(OperationListener& listener) {
  array_->operations.set_listener(listener);
}
void ArrayController::set_client(host::BlockClient& client) {
  array_->commands.set_client(client);
}
void ArrayController::issue(unsigned tag, const host::BlockCommand& command) {
  array_->commands.issue(tag, command);
}
void ArrayController::identify() {
  array_->commands.identify();
}
const sata::IdentifyData& ArrayController::identity() const {
  return array_->commands.identity();
}
void ArrayController::control(const host::ControlCommand&) {
  array_->commands.control();
}
void ArrayController::close() {
  array_->end.close();
}
std::vector<ArrayController::Stretch> ArrayController::under_way() const {
  return array_->resync.under_way();
}
void ArrayController::recover(const std::vector<Stretch>& dirty, const std::vector<DeferredWrite>& deferred) {
  array_->deferred.restore(deferred);
  array_->resync.recover(dirty);
}
void ArrayController::supply_is_back() {
  array_->resync.supply_is_back();
}
void ArrayController::supply_lost(unsigned device) {
  std::vector<Device>& devices = array_->members.devices();
  if (device < devices.size()) devices[device].lost_cache = true;
}
void ArrayController::expect_loss_of_supply() {
  array_->resync.expect_loss_of_supply();
}
std::size_t ArrayController::unflushed_stretches() const {
  return array_->resync.unflushed_stretches();
}
std::vector<ArrayController::DeferredWrite> ArrayController::deferred() const {
  return array_->deferred.log();
}
const Layout& ArrayController::layout() const {
  return array_->layout;
}
const ArrayController::Counters& ArrayController::counters() const {
  return array_->counters;
}
bool ArrayController::rebuilding() const {
  return array_->rebuild.wanted();
}
std::vector<Ps> ArrayController::bus_busy() const {
  return array_->buses.busy();
}

std::string ArrayController::diagnosis() const {
  std::string text;
  for (const Device& device : array_->members.devices())
    text += fmt::format("{}{} has {} operations out{}", text.empty() ? "    drive " : "; drive ", device.number,
                        device.out, device.failed ? " and is out of service" : "");
  return text + '\n';
}

}  // namespace armature::array
