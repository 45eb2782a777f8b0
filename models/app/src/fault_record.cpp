#include "armature/app/fault_record.h"

#include "armature/core/error.h"
#include "armature/core/kernel_time.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::app {

using F = drive::FaultParams;

namespace {

constexpr std::size_t kWritesKept = 1u << 16;  // more than a drive's cache has
constexpr std::uint8_t kUncorrectable = 0x40;  // UNC of the error register

/// Whatever is at the drive waits for the fault's end.
bool stops_all(const F& fault) {
  return fault.kind == F::hung_firmware || fault.kind == F::power_cut;
}

}  // namespace

FaultRecord::FaultRecord(drive::FaultInjector& faults, sata::Link& link, const RequestObserver* requests,
                         const std::filesystem::path& folder)
    : faults_(faults), begun_(F::kKinds) {
  faults_.on_change = [this](unsigned number, const F& fault, bool begins, std::uint64_t) {
    if (begins) ++begun_[static_cast<std::size_t>(fault.kind)];
    if (begins && fault.kind == F::link_crc) damage_.push_back({number, fault.count});
    row(number, begins ? "begins" : "ends", -1);
    if (begins && stops_all(fault))
      for (const std::int64_t request : at_drive_) touched(number, request);
    if (begins && fault.kind == F::power_cut) marks_.push_back({number, 0, order_});
    if (fault.kind == F::power_cut && on_supply) on_supply(!begins, fault.for_ms > 0);
  };
  faults_.on_touched = [this, requests](unsigned number, std::int32_t tag) {
    touched(number, tag >= 0 && requests ? requests->request_of(static_cast<std::uint32_t>(tag)) : -1);
  };
  link.damages = [this](const sata::Frame& frame, bool from_host) { return damages(frame, from_host); };
  if (folder.empty()) return;
  rows_.open(folder / "faults.csv", std::ios::binary);
  rows_ << "time_us,fault,kind,what,event,request\n";
  rows_.flush();
  if (!rows_) throw InputError(Place{(folder / "faults.csv").string()}, "cannot be written");
}

void FaultRecord::sent(const observe::Arrival& request) {
  const auto id = static_cast<std::int64_t>(request.id);
  at_drive_.insert(id);
  if (request.operation == Operation::write) {
    writes_.push_back({request.id, request.lbn, request.lbn + request.sectors, ++order_});
    if (writes_.size() > kWritesKept) writes_.pop_front();
  }
  for (unsigned i = 0; i < faults_.faults().size(); ++i)
    if (faults_.at_work(i) && stops_all(faults_.faults()[i])) touched(i, id);
  faults_.request_sent(request.id, request.lbn, request.sectors);
}

/// A request that has failed without a block that told why: what is broken is to blame.
void FaultRecord::ended(std::uint64_t request, const host::CommandStatus& status) {
  const auto id = static_cast<std::int64_t>(request);
  at_drive_.erase(id);
  if (!status.ok && (status.error & kUncorrectable) != 0) blame(request, status.lbn.value());
  if (!status.ok && touched_.count(id) == 0)
    for (unsigned i = 0; i < faults_.faults().size(); ++i)
      if (faults_.at_work(i) && !spent(i)) touched(i, id);
  faults_.request_ended(request);
}

/// A fault that may have spoiled the write.
void FaultRecord::mark(unsigned number, std::int64_t request) {
  for (const Write& write : writes_)
    if (write.request == static_cast<std::uint64_t>(request)) marks_.push_back({number, write.order, write.order});
}

/// A sector that cannot be read: it is defect, or a fault has spoiled what was written there last.
void FaultRecord::blame(std::uint64_t request, std::uint64_t lbn) {
  for (unsigned i = 0; i < faults_.faults().size(); ++i) {
    const F& fault = faults_.faults()[i];
    const auto first = static_cast<std::uint64_t>(fault.lbn);
    if (fault.kind == F::media_defect && faults_.at_work(i) && first <= lbn &&
        lbn < first + static_cast<std::uint64_t>(fault.sectors))
      touched(i, static_cast<std::int64_t>(request));
  }
  const auto last = std::find_if(writes_.rbegin(), writes_.rend(),
                                 [lbn](const Write& write) { return write.first <= lbn && lbn < write.end; });
  if (last == writes_.rend()) return;
  for (const Mark& mark : marks_)
    if (mark.first_order <= last->order && last->order <= mark.last_order)
      touched(mark.fault, static_cast<std::int64_t>(request));
}

/// All the frames that the fault damages have been.
bool FaultRecord::spent(unsigned number) const {
  return faults_.faults()[number].kind == F::link_crc &&
         std::none_of(damage_.begin(), damage_.end(), [number](const Damage& one) { return one.fault == number; });
}

bool FaultRecord::damages(const sata::Frame& frame, bool from_host) {
  const bool data = frame.data_bytes > 0;
  for (std::size_t i = 0; i < damage_.size(); ++i) {
    const F::Frames frames = faults_.faults()[damage_[i].fault].frames;
    const bool hit = frames == F::any_frame || (frames == F::data_frames && data) ||
                     (frames == F::control_frames && !data) || (frames == F::drive_data && data && !from_host) ||
                     (frames == F::host_data && data && from_host);
    if (!hit) continue;
    const unsigned fault = damage_[i].fault;
    if (--damage_[i].left == 0) damage_.erase(damage_.begin() + static_cast<std::ptrdiff_t>(i));
    faults_.touched(fault, frame.trace_tag);
    return true;
  }
  return false;
}

void FaultRecord::touched(unsigned number, std::int64_t request) {
  if (request >= 0) touched_.insert(request);
  if (!known_.insert({number, request}).second) return;
  row(number, "touches", request);
  if (request >= 0 && faults_.faults()[number].kind == F::buffer_flip) mark(number, request);
}

void FaultRecord::row(unsigned number, const char* event, std::int64_t request) {
  if (!rows_.is_open()) return;
  const F& fault = faults_.faults()[number];
  const Ps at = now();
  rows_ << fmt::format("{}.{:06},{},{},{},{},{}\n", at / kPsPerUs, at % kPsPerUs, number, drive::name_of(fault.kind),
                       fault.text(), event, request < 0 ? std::string() : std::to_string(request))
        << std::flush;
}

void FaultRecord::add_counters(std::vector<observe::Counter>& counted) const {
  const auto value = [](auto n) { return static_cast<double>(n); };
  counted.push_back({"faults", "faults", "of [[faults]] that began", value(faults_.begun())});
  for (std::size_t kind = 0; kind < begun_.size(); ++kind) {
    if (begun_[kind] == 0) continue;
    const std::string name = drive::name_of(static_cast<F::Kind>(kind));
    counted.push_back({"faults_" + name, "faults", "of kind " + name + " that began", value(begun_[kind])});
  }
  counted.push_back({"requests_touched_by_faults", "requests", "that a fault has delayed, failed or changed the way of",
                     value(touched_.size())});
}

}  // namespace armature::app
