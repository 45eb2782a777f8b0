#include "placement.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::workload {

Concatenation::Concatenation(std::unique_ptr<Source> inner, std::vector<Range> ranges)
    : Decorator(std::move(inner)), ranges_(std::move(ranges)) {
  std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.device < b.device; });
}

Source::Next Concatenation::next(Request& request) {
  const Next result = inner().next(request);
  if (result != Next::request || request.operation == Operation::flush) return result;
  const auto range = std::lower_bound(ranges_.begin(), ranges_.end(), request.device,
                                      [](const Range& r, std::uint32_t device) { return r.device < device; });
  if (range == ranges_.end() || range->device != request.device) {
    throw InputError(place(), fmt::format("device {} has no place on the drive: device_sectors or device_offsets name "
                                          "{} device{}",
                                          request.device, ranges_.size(), ranges_.size() == 1 ? "" : "s"));
  }
  if (range->sectors != 0 && request.lbn + request.sectors > range->sectors) {
    throw InputError(place(), fmt::format("LBN {} and {} sectors are outside device {}, which device_sectors gives {}",
                                          request.lbn.value(), request.sectors, request.device, range->sectors));
  }
  request.lbn += range->offset;
  return result;
}

AddressRange::AddressRange(std::unique_ptr<Source> inner, WorkloadParams::OutOfRange policy,
                           std::uint64_t source_sectors, std::uint64_t drive_sectors)
    : Decorator(std::move(inner)), policy_(policy), source_sectors_(source_sectors), drive_sectors_(drive_sectors) {}

Source::Next AddressRange::next(Request& request) {
  for (;;) {
    Request candidate;
    const Next result = inner().next(candidate);
    if (result != Next::request) return result;
    if (candidate.operation != Operation::flush) {
      if (policy_ == WorkloadParams::scale) scale(candidate);
      if (candidate.lbn + candidate.sectors > drive_sectors_) {
        if (policy_ == WorkloadParams::drop) {
          ++dropped_;
          inner().completed(candidate, candidate.arrival);  // a closed loop goes on as if it took no time
          continue;
        }
        if (policy_ != WorkloadParams::wrap) outside(candidate, drive_sectors_, "the drive");
        wrap(candidate);
      }
    }
    candidate.id = taken_++;
    request = candidate;
    return result;
  }
}

void AddressRange::scale(Request& request) const {
  if (request.lbn + request.sectors > source_sectors_) outside(request, source_sectors_, "the traced device");
  if (source_sectors_ == drive_sectors_) return;
  const std::uint64_t pieces = (source_sectors_ + kPiece - 1) / kPiece;
  const std::uint64_t piece = static_cast<std::uint64_t>(static_cast<unsigned __int128>(request.lbn / kPiece) *
                                                         (drive_sectors_ / kPiece) / pieces);
  request.lbn = piece * kPiece + request.lbn % kPiece;
  if (request.sectors <= drive_sectors_) request.lbn = std::min(request.lbn.value(), drive_sectors_ - request.sectors);
}

void AddressRange::wrap(Request& request) const {
  if (request.sectors > drive_sectors_) outside(request, drive_sectors_, "the drive");
  request.lbn = std::min(request.lbn % drive_sectors_, drive_sectors_ - request.sectors);
}

void AddressRange::outside(const Request& request, std::uint64_t sectors, std::string_view whose) const {
  throw InputError(place(), fmt::format("LBN {} and {} sectors are outside {} of {} sectors{}", request.lbn.value(),
                                        request.sectors, whose, sectors,
                                        policy_ == WorkloadParams::fail
                                            ? " (out_of_range = \"wrap\", \"scale\" or \"drop\" would take the trace)"
                                            : ""));
}

}  // namespace armature::workload
