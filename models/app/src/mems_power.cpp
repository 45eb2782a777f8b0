#include "mems_power.h"

#include "armature/mems/layout.h"

#include <string>
#include <utility>
#include <vector>

namespace armature::app {

power::PowerTable mems_power_table(const mems::MemsParams& params) {
  using power::Load;
  const mems::Layout layout(params);
  const mems::PowerParams& draws = params.power;
  const auto load = [](const std::string& component, double mw) {
    return std::vector<Load>{Load::constant(component, power::Rail::v5, mw * 1e-3)};
  };
  power::PowerTable table;
  table.arms = table.channels = layout.sleds();
  for (unsigned i = 0; i < layout.sleds(); ++i) {
    const std::string number = std::to_string(i);
    power::ComponentPower sled{"disk.sld" + number, power::Share::arm, i, {}};
    sled.states.push_back({"inactive", load("sled" + number, draws.inactive_mw)});
    for (const char* const state : {"starting", "sweep", "seek", "access"})
      sled.states.push_back({state, load("sled" + number, draws.sled_mw)});
    power::ComponentPower tips{"disk.tip" + number, power::Share::common, i, {{"idle", {}}}};
    for (std::uint32_t blocks = 1; blocks <= layout.cells(); ++blocks)
      tips.states.push_back(
          {"blocks" + std::to_string(blocks),
           load("tips" + number, draws.tip_mw * static_cast<double>(blocks) * layout.tips_per_block())});
    table.components.push_back(std::move(sled));
    table.components.push_back(std::move(tips));
    if (params.refresh.on())
      table.components.push_back(
          {"disk.rfr" + number,
           power::Share::common,
           i,
           {{"idle", {}},
            {"refresh", load("refresh" + number, draws.tip_mw * static_cast<double>(layout.active_tips()))}}});
  }
  table.components.push_back({"disk.soc.pmu",
                              power::Share::common,
                              0,
                              {{"active", load("electronics", draws.electronics_mw)},
                               {"idle", load("electronics", draws.electronics_idle_mw)},
                               {"standby", load("electronics", draws.electronics_standby_mw)},
                               {"sleep", load("electronics", draws.electronics_standby_mw)}}});
  table.components.push_back(
      {"link", power::Share::common, 0, {{"idle", {}}, {"busy", load("interface", draws.interface_mw)}}});
  return table;
}

}  // namespace armature::app
