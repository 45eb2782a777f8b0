#define SC_INCLUDE_DYNAMIC_PROCESSES
#include "ledger_waves.h"

#include "armature/core/kernel_time.h"

#include <systemc>

#include <algorithm>

namespace armature::power {

std::unique_ptr<Ledger::Waves> Ledger::Waves::make(Ledger& ledger, const std::string& prefix, ProbeSink& probes) {
  std::unique_ptr<Waves> waves(new Waves(ledger));
  const std::string scope = prefix + "power.";
  bool any = false;
  const auto declare = [&](Curve& curve, const std::string& name, const std::string& meaning) {
    curve.probe.declare(&probes, scope + name, "W", meaning, true);
    any = any || curve.probe.traced();
  };
  declare(waves->total_, "total", "What the drive draws");
  declare(waves->rails_[0], "rail_5v", "What the drive draws from 5 V");
  declare(waves->rails_[1], "rail_12v", "What the drive draws from 12 V");
  waves->components_.resize(ledger.components_.size());
  for (std::size_t i = 0; i < ledger.components_.size(); ++i)
    declare(waves->components_[i], ledger.components_[i], "What it draws");
  if (!any) return nullptr;
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.set_sensitivity(&waves->due_);
  const std::string name = "power_waves_" + prefix.substr(0, prefix.find('.'));
  sc_core::sc_spawn(
      [&ledger, curves = waves.get()] {
        if (!ledger.finished_) ledger.keep_up(now());
        ledger.drain(now());
        curves->changed(now());
      },
      sc_core::sc_gen_unique_name(name.c_str()), &options);
  return waves;
}

void Ledger::Waves::changed(Ps present) {
  if (sc_core::sc_get_status() < sc_core::SC_RUNNING) return;  // the process shows what is there at time 0
  Nanowatts total = 0;
  for (std::size_t rail = 0; rail < kRails; ++rail) {
    rails_[rail].show(ledger_.rail_power_[rail]);
    total += ledger_.rail_power_[rail];
  }
  total_.show(total);
  for (std::size_t i = 0; i < components_.size(); ++i) {
    Nanowatts power = 0;
    for (std::size_t rail = 0; rail < kRails; ++rail) power += ledger_.power_[i * kRails + rail];
    components_[i].show(power);
  }
  due_.cancel();
  if (!ledger_.pending_.empty()) due_.notify(to_sc_time(std::max<Ps>(ledger_.pending_.back().at - present, 0)));
}

}  // namespace armature::power
