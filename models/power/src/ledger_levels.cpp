// Parts of a drive whose power is a level that changes as it likes, and not a matter of states.
#include "armature/power/ledger.h"

#include "armature/core/kernel_time.h"

#include <systemc>

#include <algorithm>
#include <stdexcept>

namespace armature::power {

/// An account with one phase, whose power changes; what it has drawn is counted at each change.
StateSink::Id Ledger::declare_level(const PowerLevelInfo& info) {
  const auto named = [&](const LevelPower& level) { return prefix_ + level.path == info.path; };
  const auto found = std::find_if(table_.levels.begin(), table_.levels.end(), named);
  if (found == table_.levels.end()) return kNotMine;
  const auto id = static_cast<std::uint32_t>(sources_.size());
  Source source;
  source.info = {info.path, {"level"}};
  source.times.resize(1);
  source.is_level = true;
  source.accounts.push_back(static_cast<std::uint32_t>(accounts_.size()));
  sources_.push_back(std::move(source));
  const std::uint32_t slot = slot_of(found->component, info.rail);
  const auto load = static_cast<std::uint32_t>(loads_.size());
  loads_.push_back({id, 0, slot, {}});
  Account account;
  account.source = id;
  account.share = found->share;
  account.number = found->number;
  account.phases.emplace_back();
  account.phases.back().levels.push_back({load, slot, 0});
  account.group = modes_.group_of(account.share, account.number);
  account.counted = modes_.group(account.group).time;
  accounts_.push_back(std::move(account));
  return id;
}

void Ledger::level(Id id, Nanowatts power, Ps at) {
  level(id, power, at, now());
}

void Ledger::level(Id id, Nanowatts power, Ps at, Ps present) {
  if (id == kNotMine) return;
  if (power < 0) {
    SC_REPORT_FATAL("power/ledger", (sources_[id].info.path + ": a power is negative").c_str());
    throw std::logic_error("negative power");
  }
  announce({at, id, 0, 0, Pending::Kind::level, power}, present);
}

void Ledger::change_level(std::uint32_t source, Nanowatts power, Ps at) {
  sources_[source].level = power;
  if (supplied_) set_level(sources_[source], power, at);
}

void Ledger::set_level(const Source& source, Nanowatts power, Ps at) {
  Account& account = accounts_[source.accounts.front()];
  Phase& phase = account.phases.front();
  Level& level = phase.levels.front();
  if (level.power == power) return;
  settle(account, at);
  if (!finished_) count_energy(phase);
  touch(at);
  const Nanowatts more = power - level.power;
  rail_power_[level.slot % kRails] += more;
  if (waves_) power_[level.slot] += more;
  level.power = power;
}

}  // namespace armature::power
