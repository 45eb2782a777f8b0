#include "fault_spans.h"

#include "csv_table.h"

#include <algorithm>

namespace armature::observe {

std::vector<FaultSpan> read_fault_spans(const std::filesystem::path& file) {
  std::vector<FaultSpan> spans;
  if (!std::filesystem::exists(file)) return spans;
  Table table(file);
  const std::size_t time = table.column("time_us"), fault = table.column("fault"), what = table.column("what"),
                    event = table.column("event"), request = table.column("request");
  while (table.next()) {
    const std::uint64_t number = table.number(fault);
    const Ps at = table.time(time);
    const std::string& kind = table.text(event);
    if (kind == "begins") {
      spans.push_back({number, table.text(what), at});
      continue;
    }
    const auto span = std::find_if(spans.rbegin(), spans.rend(), [&](const auto& one) { return one.number == number; });
    if (span == spans.rend()) continue;
    if (kind == "ends")
      span->end = at;
    else if (!table.text(request).empty())
      span->touched.emplace_back(table.number(request), at);
  }
  return spans;
}

}  // namespace armature::observe
