#include "armature/observe/request_lines.h"

#include "armature/core/conversions.h"

#include <array>

namespace armature::observe {
namespace {

template <class Request>
std::string title(const Request& request) {
  static constexpr std::array<const char*, 3> kOperations = {"read", "write", "flush"};
  return fmt::format("request {}: {} of {} sectors at LBN {}", request.id,
                     kOperations[static_cast<std::size_t>(request.operation)], request.sectors, request.lbn);
}

}  // namespace

void RequestLines::arrived(const Arrival& arrival) {
  log_.trace("{} arrived", title(arrival));
}

void RequestLines::completed(const CompletedRequest& request) {
  const RequestRecord& record = request.record;
  const bool notable = !record.ok || record.missed_revolutions > 0;
  if (!log_.enabled(notable ? LogLevel::info : LogLevel::debug)) return;
  std::string phases;
  for (std::size_t i = 0; i < kPhases; ++i)
    if (record.phases[i] > 0)
      phases += fmt::format("{}{} {:.3f}", phases.empty() ? "" : ", ", kPhaseNames[i], to_ms(record.phases[i]));
  std::string text = fmt::format("{} took {:.3f} ms ({})", title(record), to_ms(record.response()), phases);
  if (!record.ok) text += ", failed: " + status_of(record);
  if (record.missed_revolutions > 0)
    text += fmt::format(", missed {} revolution{}: {}", record.missed_revolutions,
                        record.missed_revolutions == 1 ? "" : "s", name_of(record.miss_cause));
  if (notable)
    log_.info("{}", text);
  else
    log_.debug("{}", text);
}

}  // namespace armature::observe
