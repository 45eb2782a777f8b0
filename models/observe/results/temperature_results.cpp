#include "temperature_results.h"

#include "armature/core/conversions.h"

namespace armature::observe {

using Json = nlohmann::ordered_json;
using thermal::kPartNames;
using thermal::kParts;

Json temperature_summary(const thermal::DriveTemperatures& temperatures) {
  Json json = {{"ambient_c", temperatures.ambient_c()},
               {"limit_c", temperatures.limit_c()},
               {"headroom_c", temperatures.headroom_c()},
               {"above_limit_s", to_seconds(temperatures.above_limit())},
               {"time_constant_s", temperatures.time_constant_s()}};
  const auto end = temperatures.now_c(), most = temperatures.most_c(), steady = temperatures.steady_c();
  for (std::size_t i = 0; i < kParts; ++i)
    json["parts"][kPartNames[i]] = {{"end_c", end[i]}, {"most_c", most[i]}, {"steady_c", steady[i]}};
  return json;
}

Json temperature_series(const thermal::DriveTemperatures& temperatures) {
  Json rows = Json::array();
  for (const thermal::DriveTemperatures::Sample& sample : temperatures.samples()) {
    Json row = {to_seconds(sample.at)};
    for (const double c : sample.c) row.push_back(c);
    rows.push_back(std::move(row));
  }
  return {{"parts", kPartNames}, {"limit_c", temperatures.limit_c()}, {"rows", std::move(rows)}};
}

}  // namespace armature::observe
