#include "armature/observe/request_columns.h"

namespace armature::observe {

std::vector<RequestColumn> request_columns() {
  std::vector<RequestColumn> all;
  const auto add = [&all](const auto& column) {
    if (!column.name.empty()) {
      all.push_back({std::string(column.name), column.unit, std::string(column.meaning)});
      return;
    }
    for (std::size_t i = 0; i < kPhases; ++i)
      all.push_back({std::string(kPhaseNames[i]) + "_us", column.unit, std::string(kPhaseMeanings[i])});
  };
  std::apply([&add](const auto&... column) { (add(column), ...); }, kRequestColumns);
  return all;
}

}  // namespace armature::observe
