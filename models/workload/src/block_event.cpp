#include "block_event.h"

#include <fmt/format.h>

namespace armature::workload {

bool BlockEventSource::take_event(const BlockEvent& event, Request& request) {
  const std::optional<AskedFor> asked = parse_rwbs(event.letters);
  if (!asked) {
    fail(event.letters, event.letters.empty()
                            ? std::string("what is asked for (R, W, ...) is missing")
                            : fmt::format("{} is not made of the letters of an operation (R, W, D, F, ...)",
                                          in_quotes(event.letters)));
  }
  // A flush alone may also be printed as one before no sectors: "FWS 0 () 18446744073709551615 + 0".
  const bool none = asked->flush_before && event.size == "0";
  const bool has_extent =
      !none && !event.packet && !event.sector.empty() && event.sector[0] >= '0' && event.sector[0] <= '9';
  const bool data = asked->operation && *asked->operation != Operation::flush && has_extent;
  // A flush stands for itself, or before the data of its own line: then it comes first, and what had been written
  // before is safe before the data are written.
  const bool flush = asked->flush_before || asked->operation == Operation::flush;
  if (!data && !flush) {
    if (asked->operation && !event.packet && event.sector.empty())
      fail(event.letters, "a sector is missing: sector + sectors");
    leave_out(asked->operation ? "SCSI command" : "operation " + printable(event.letters));
    return false;
  }
  request.device = device(event.device);
  if (!data) {
    request.operation = Operation::flush;
    return true;
  }
  request.operation = *asked->operation;
  request.fua = asked->fua;
  const std::uint64_t first = whole(event.sector, "sector");
  const std::uint64_t size = whole(event.size, "size");
  if (!event.size_in_bytes) {
    extent(event.sector, first, event.size, size, request);
  } else {
    if (first >= std::uint64_t{1} << 54)
      fail(event.sector, fmt::format("sector {} is too large", in_quotes(event.sector)));
    extent_bytes(event.sector, first * 512, event.size, size, request);
  }
  if (flush) flush_before();
  return true;
}

}  // namespace armature::workload
