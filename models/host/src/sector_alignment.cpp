#include "armature/host/sector_alignment.h"

#include "armature/core/block_address.h"

#include <fmt/format.h>

namespace armature::host {

workload::Source::Next SectorAlignment::next(workload::Request& request) {
  const Next next = source_->next(request);
  if (next != Next::request || (request.lbn % sectors_ == 0 && request.sectors % sectors_ == 0)) return next;
  if (!widen_)
    throw InputError(source_->place(),
                     fmt::format("request {} of {} sectors at LBN {} does not lie on whole logical sectors of {} bytes "
                                 "(host.unaligned = \"widen\" would take it)",
                                 request.id, request.sectors, request.lbn.value(), sectors_ * kSectorBytes));
  const std::uint64_t end = (request.lbn + request.sectors + sectors_ - 1) / sectors_ * sectors_;
  request.lbn -= request.lbn % sectors_;
  request.sectors = static_cast<std::uint32_t>(end - request.lbn);
  return next;
}

}  // namespace armature::host
