#include "armature/power/ledger.h"

#include "armature/core/kernel_time.h"
#include "armature/power/joint_history.h"

#include "ledger_waves.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::power {
namespace {

constexpr std::size_t index(Mode mode) {
  return static_cast<std::size_t>(mode);
}

void add_component(std::vector<std::string>& components, const std::string& name) {
  if (std::find(components.begin(), components.end(), name) == components.end()) components.push_back(name);
}

[[noreturn]] void fatal(const std::string& what) {
  SC_REPORT_FATAL("power/ledger", what.c_str());
  throw std::logic_error(what);  // if somebody has made fatal reports harmless
}

}  // namespace

Ledger::Ledger(const PowerTable& table, const Options& options)
    : table_(table),
      prefix_(options.drive.empty() ? std::string() : options.drive + "."),
      modes_(table),
      history_(options.windows) {
  table_.check();
  for (const ComponentPower& entry : table_.components)
    for (const StatePower& state : entry.states)
      for (const Load& load : state.loads) add_component(components_, load.component);
  for (const LevelPower& level : table_.levels) add_component(components_, level.component);
  power_.resize(components_.size() * kRails);
  energy_.resize(components_.size() * kRails);
  if (options.probes) waves_ = Waves::make(*this, prefix_, *options.probes);
}

Ledger::~Ledger() = default;

std::uint32_t Ledger::slot_of(const std::string& component, Rail rail) const {
  const auto found = std::find(components_.begin(), components_.end(), component);
  return static_cast<std::uint32_t>((found - components_.begin()) * static_cast<std::ptrdiff_t>(kRails) +
                                    static_cast<std::ptrdiff_t>(rail));
}

bool Ledger::knows(Mode mode) const {
  return power::knows(table_, mode);
}

bool Ledger::draws(const std::string& path) const {
  return std::any_of(table_.components.begin(), table_.components.end(),
                     [&](const ComponentPower& entry) { return prefix_ + entry.path == path; });
}

bool Ledger::wants(const std::string& path) const {
  if (path.compare(0, prefix_.size(), prefix_) != 0) return false;
  return find_role(table_, {path, {}}, prefix_.size()) || draws(path);
}

StateSink::Id Ledger::declare(const StatefulComponent& component) {
  if (component.path.compare(0, prefix_.size(), prefix_) != 0) return kNotMine;
  Source source;
  source.info = component;
  source.role = find_role(table_, component, prefix_.size());
  const std::string path = component.path.substr(prefix_.size());
  if (!source.role && !draws(component.path)) return kNotMine;
  source.times.resize(component.states.size());
  const auto id = static_cast<std::uint32_t>(sources_.size());
  sources_.push_back(std::move(source));
  operate(sources_[id], 0);
  for (const ComponentPower& entry : table_.components)
    if (entry.path == path) add_account(id, entry);
  return id;
}

void Ledger::add_account(std::uint32_t id, const ComponentPower& entry) {
  Source& source = sources_[id];
  Account account;
  account.source = id;
  account.share = entry.share;
  account.number = entry.number;
  std::vector<std::vector<std::uint32_t>> loads(source.info.states.size());
  for (const StatePower& state : entry.states) {
    const auto& names = source.info.states;
    const auto found = std::find(names.begin(), names.end(), state.state);
    if (found == names.end()) fatal(source.info.path + " has no state " + state.state);
    const auto number = static_cast<std::uint32_t>(found - names.begin());
    for (const Load& load : state.loads) {
      loads[number].push_back(static_cast<std::uint32_t>(loads_.size()));
      loads_.push_back({id, number, slot_of(load.component, load.rail), load.steps});
    }
  }
  account.phases.emplace_back();  // before there is a state
  for (const std::vector<std::uint32_t>& of_state : loads) {
    account.first_phases.push_back(static_cast<std::uint32_t>(account.phases.size()));
    for (Phase& phase : phases_of(of_state)) account.phases.push_back(std::move(phase));
  }
  account.group = modes_.group_of(account.share, account.number);
  account.counted = modes_.group(account.group).time;
  source.accounts.push_back(static_cast<std::uint32_t>(accounts_.size()));
  accounts_.push_back(std::move(account));
  draw(source.accounts.back(), source.state, 0);
}

/// A state with these loads, from each step of one of them to the next.
std::vector<Ledger::Phase> Ledger::phases_of(const std::vector<std::uint32_t>& loads) const {
  std::vector<Ps> begins{0};
  for (const std::uint32_t load : loads)
    for (const Step& step : loads_[load].steps) begins.push_back(step.after);
  std::sort(begins.begin(), begins.end());
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  std::vector<Phase> phases(begins.size());
  for (std::size_t i = 0; i < phases.size(); ++i) {
    Phase& phase = phases[i];
    if (i + 1 < phases.size()) phase.ends = begins[i + 1];
    for (const std::uint32_t load : loads) {
      const std::vector<Step>& steps = loads_[load].steps;
      std::size_t step = 0;
      while (step + 1 < steps.size() && steps[step + 1].after <= begins[i]) ++step;
      if (steps[step].power == 0) continue;
      phase.levels.push_back({load, loads_[load].slot, steps[step].power});
      phase.rails[loads_[load].slot % kRails] += steps[step].power;
    }
  }
  return phases;
}

void Ledger::enter(Id id, unsigned state, Ps at) {
  enter(id, state, at, 0, now());
}

void Ledger::enter_late(Id id, unsigned state, Ps at, Ps passed) {
  enter(id, state, at, passed, now());
}

void Ledger::enter(Id id, unsigned state, Ps at, Ps passed, Ps present) {
  if (id == kNotMine) return;
  Source& source = sources_[id];
  if (state >= source.times.size()) fatal(source.info.path + ": no such state");
  announce({at, id, state, passed, Pending::Kind::state}, present);
}

/// A state or a level, which the source enters then.
void Ledger::announce(const Pending& pending, Ps present) {
  Source& source = sources_[pending.source];
  if (!finished_ && present - kept_up_ > ModeShares::kLongest) keep_up(present);
  drain(present);
  if (source.ahead > 0) forget_later(pending.source, pending.at);
  if (pending.at > present) {
    insert(pending);
    ++source.ahead;
  } else {
    if (pending.at < present) fatal(source.info.path + ": a state is entered in the past");
    if (pending.kind == Pending::Kind::level)
      change_level(pending.source, pending.power, pending.at);
    else
      apply(pending.source, pending.state, pending.at, pending.passed);
  }
  if (waves_) waves_->changed(present);
  if (joint_) joint_->limit(present);
}

/// The first of `pending_`, whose next one is the last, that comes at `at` or before: those in front of it come later.
std::vector<Ledger::Pending>::iterator Ledger::end_of_later(Ps at) {
  return std::partition_point(pending_.begin(), pending_.end(),
                              [at](const Pending& pending) { return pending.at > at; });
}

void Ledger::insert(const Pending& pending) {
  pending_.insert(end_of_later(pending.at), pending);
}

void Ledger::forget_later(std::uint32_t id, Ps at) {
  const auto end = end_of_later(at);
  const auto kept = std::remove_if(pending_.begin(), end, [id](const Pending& pending) {
    return pending.kind != Pending::Kind::step && pending.source == id;
  });
  sources_[id].ahead -= static_cast<unsigned>(end - kept);
  pending_.erase(kept, end);
}

void Ledger::drain(Ps until) {
  while (!pending_.empty() && pending_.back().at <= until) {
    const Pending next = pending_.back();
    pending_.pop_back();
    if (next.kind == Pending::Kind::level) {
      --sources_[next.source].ahead;
      change_level(next.source, next.power, next.at);
    } else if (next.kind == Pending::Kind::state) {
      --sources_[next.source].ahead;
      apply(next.source, next.state, next.at, next.passed);
    } else if (accounts_[next.source].visit == next.state) {
      draw(next.source, sources_[accounts_[next.source].source].state, next.at);
    }
  }
}

void Ledger::apply(std::uint32_t id, unsigned state, Ps at, Ps passed) {
  Source& source = sources_[id];
  source.times[source.state] += at - source.entered;
  source.state = state;
  source.entered = at;
  if (source.role) operate(source, at);
  for (const std::uint32_t account : source.accounts) {
    accounts_[account].began = at - passed;
    ++accounts_[account].visit;
    draw(account, state, at);
  }
}

/// The state of an arm, a stack or a channel has changed: for whom others draw.
void Ledger::operate(const Source& source, Ps at) {
  const SourceRole& role = source.role;
  if (!role) return;
  const unsigned meaning = role.meaning[source.state];
  switch (role.kind) {
    case SourceRole::Kind::arm:
      modes_.arm(role.number, static_cast<Mode>(meaning), at);
      break;
    case SourceRole::Kind::stack:
      modes_.stack(role.number, static_cast<StackState>(meaning), at);
      regroup(Share::stack, role.number, at);
      break;
    case SourceRole::Kind::controller:
      supply(meaning != SourceRole::kOff, at);
      if (meaning != SourceRole::kOff) modes_.rest(static_cast<Mode>(meaning), at);
      break;
    default:
      modes_.channel(role.number, meaning);
      regroup(Share::channel, role.number, at);
      break;
  }
}

/// The drive's supply fails or is back: each part draws nothing, or what its state wants.
void Ledger::supply(bool on, Ps at) {
  if (on == supplied_) return;
  supplied_ = on;
  for (Source& source : sources_) {
    if (source.is_level)
      set_level(source, on ? source.level : 0, at);
    else
      for (const std::uint32_t account : source.accounts) draw(account, source.state, at);
  }
}

/// The account's state, or a step of it, begins.
void Ledger::draw(std::uint32_t number, unsigned state, Ps at) {
  Account& account = accounts_[number];
  const Ps passed = at - account.began;
  std::uint32_t next = supplied_ ? account.first_phases[state] : 0;
  while (account.phases[next].ends >= 0 && account.phases[next].ends <= passed) ++next;
  const Phase& before = account.phases[account.phase];
  const Phase& now = account.phases[next];
  if (now.ends >= 0) insert({account.began + now.ends, number, account.visit, 0, Pending::Kind::step});
  if (!before.levels.empty() || !now.levels.empty()) {
    settle(account, at);
    if (!same(now.rails, before.rails)) {
      touch(at);
      for (std::size_t rail = 0; rail < kRails; ++rail) rail_power_[rail] += now.rails[rail] - before.rails[rail];
    }
    if (waves_) {
      for (const Level& level : before.levels) power_[level.slot] -= level.power;
      for (const Level& level : now.levels) power_[level.slot] += level.power;
    }
  }
  account.phase = next;
}

/// Counts the time of the account's phase up to `at`.
void Ledger::settle(Account& account, Ps at) {
  ModeShares::Group& group = modes_.group(account.group);
  group.advance(at);
  if (at == account.since) return;
  Phase& phase = account.phases[account.phase];
  const auto count = [&](std::size_t mode) {
    phase.time[mode] += group.time[mode] - account.counted[mode];
    account.counted[mode] = group.time[mode];
  };
  if (group.only >= 0 && group.only_since <= account.since) {
    count(static_cast<std::size_t>(group.only));
  } else {
    for (std::size_t mode = 0; mode < kModes; ++mode) count(mode);
  }
  phase.stay += at - account.since;
  account.since = at;
}

/// Power times time of each phase, and the times of states: what comes later changes none of these.
void Ledger::sum_up() {
  for (LoadInfo& load : loads_) load.time = sources_[load.source].times[load.state];
  for (Account& account : accounts_)
    for (Phase& phase : account.phases) count_energy(phase);
}

/// What the phase has drawn; its time counts from 0 again.
void Ledger::count_energy(Phase& phase) {
  for (const Level& level : phase.levels) {
    for (std::size_t mode = 0; mode < kModes; ++mode)
      energy_[level.slot][mode] += static_cast<Shares>(level.power) * phase.time[mode];
    loads_[level.load].energy += static_cast<Zeptojoules>(level.power) * phase.stay;
  }
  phase.time = {};
  phase.stay = 0;
}

/// After a long time without anything, in pieces.
void Ledger::keep_up(Ps present) {
  while (present - kept_up_ > ModeShares::kLongest) {
    const Ps until = kept_up_ + ModeShares::kLongest;
    drain(until);
    settle_all(until);
    kept_up_ = until;
  }
}

void Ledger::settle_all(Ps at) {
  for (Account& account : accounts_) settle(account, at);
  modes_.advance_all(at);
}

void Ledger::touch(Ps at) {
  if (joint_) joint_->add(number_in_joint_, power_since_, at, rail_power_);
  if (finished_) {
    for (const Nanowatts power : rail_power_) later_ += static_cast<Zeptojoules>(power) * (at - power_since_);
  } else {
    history_.add(power_since_, at, rail_power_);
  }
  power_since_ = at;
}

void Ledger::regroup(Share share, unsigned number, Ps at) {
  const std::size_t group = modes_.group_of(share, number);
  for (Account& account : accounts_) {
    if (account.share != share || account.number != number || account.group == group) continue;
    settle(account, at);
    account.group = group;
    modes_.group(group).advance(at);
    account.counted = modes_.group(group).time;
  }
}

void Ledger::finish(Ps end) {
  keep_up(end);
  drain(end);
  end_ = end;
  for (Source& source : sources_) {
    source.times[source.state] += end - source.entered;
    source.entered = end;
  }
  settle_all(end);
  sum_up();
  touch(end);
  history_.finish();
  finished_ = true;
}

Zeptojoules Ledger::drawn(Ps present) {
  drain(present);
  Zeptojoules sum = history_.energy() + later_;
  for (const Nanowatts power : rail_power_) sum += static_cast<Zeptojoules>(power) * (present - power_since_);
  return sum;
}

/// Calls `add` with slot, mode and energy: what they add up to is what was drawn up to `present`.
template <class Add>
void Ledger::each_energy(Ps present, const Add& add) {
  if (!finished_) {
    keep_up(present);
    drain(present);
    settle_all(present);
  }
  for (std::size_t slot = 0; slot < energy_.size(); ++slot)
    for (std::size_t mode = 0; mode < kModes; ++mode) add(slot, mode, energy_[slot][mode]);
  for (const Account& account : accounts_)  // not yet in energy_; nothing after finish()
    for (const Phase& phase : account.phases)
      for (const Level& level : phase.levels)
        for (std::size_t mode = 0; mode < kModes; ++mode)
          add(level.slot, mode, static_cast<Shares>(level.power) * phase.time[mode]);
}

Ledger::Sums Ledger::sums(Ps present) {
  Sums sums;
  each_energy(present, [&sums](std::size_t slot, std::size_t mode, Shares energy) {
    sums.energy[slot % kRails][mode] += energy;
  });
  sums.time = modes_.time();
  return sums;
}

std::vector<Shares> Ledger::drawn_by_component(Ps present) {
  std::vector<Shares> drawn(components_.size());
  each_energy(present, [&drawn](std::size_t slot, std::size_t, Shares energy) { drawn[slot / kRails] += energy; });
  return drawn;
}

void Ledger::report_to(JointHistory& joint, std::size_t number) {
  joint_ = &joint;
  number_in_joint_ = number;
}

void Ledger::report(Ps present) {
  if (!finished_) keep_up(present);
  drain(present);
  touch(present);
}

void Ledger::run_on(Ps end) {
  drain(end);
  touch(end);
}

std::vector<std::string> Ledger::unpublished() const {
  std::vector<std::string> paths;
  for (const ComponentPower& entry : table_.components) {
    const bool there = std::any_of(sources_.begin(), sources_.end(),
                                   [&](const Source& source) { return source.info.path == prefix_ + entry.path; });
    if (!there) paths.push_back(entry.path);
  }
  for (const LevelPower& level : table_.levels) {
    const bool there = std::any_of(sources_.begin(), sources_.end(),
                                   [&](const Source& source) { return source.info.path == prefix_ + level.path; });
    if (!there) paths.push_back(level.path);
  }
  return paths;
}

Shares Ledger::energy(std::size_t component, Rail rail, Mode mode) const {
  return energy_.at(component * kRails + static_cast<std::size_t>(rail))[index(mode)];
}

Shares Ledger::energy(std::size_t component) const {
  Shares sum = 0;
  for (std::size_t rail = 0; rail < kRails; ++rail)
    for (const Shares part : energy_.at(component * kRails + rail)) sum += part;
  return sum;
}

Shares Ledger::energy(Rail rail) const {
  Shares sum = 0;
  for (std::size_t slot = static_cast<std::size_t>(rail); slot < energy_.size(); slot += kRails)
    for (const Shares part : energy_[slot]) sum += part;
  return sum;
}

Shares Ledger::energy(Mode mode) const {
  Shares sum = 0;
  for (const auto& modes : energy_) sum += modes[index(mode)];
  return sum;
}

Shares Ledger::energy() const {
  return energy(Rail::v5) + energy(Rail::v12);
}

Shares Ledger::time(Mode mode) const {
  return modes_.time()[index(mode)];
}

std::vector<Ledger::StateEnergy> Ledger::states() const {
  std::vector<StateEnergy> rows;
  for (const LoadInfo& load : loads_) {
    const Source& source = sources_[load.source];
    rows.push_back({source.info.path.substr(prefix_.size()), source.info.states[load.state], load.slot / kRails,
                    static_cast<Rail>(load.slot % kRails), load.time, load.energy});
  }
  return rows;
}

}  // namespace armature::power
