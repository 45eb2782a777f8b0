#include "probe_signals.h"

#include "armature/core/error.h"
#include "armature/core/kernel_time.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace armature {

ProbeSignals::ProbeSignals(sc_core::sc_module_name name, std::string prefix, const std::vector<std::string>& paths)
    : sc_module(name), prefix_(std::move(prefix)) {
  for (const std::string& path : paths) {
    if (std::any_of(shown_.begin(), shown_.end(), [&path](const Shown& other) { return other.path == path; })) continue;
    Shown& shown = shown_.emplace_back();
    shown.path = path;
    std::string signal = path;
    std::replace(signal.begin(), signal.end(), '.', '_');
    shown.signal = std::make_unique<Signal>(signal.c_str());
  }
  SC_HAS_PROCESS(ProbeSignals);
  SC_METHOD(write_due);
  sensitive << due_;
  dont_initialize();
}

void ProbeSignals::check() const {
  for (const Shown& shown : shown_) {
    if (!shown.declared)
      throw InputError("probes: the drive has no probe \"" + shown.path + "\" (docs/guide/waves.md)");
    if (shown.text) throw InputError("probes: \"" + shown.path + "\" is a text, and no number");
  }
}

const sc_core::sc_signal_in_if<double>& ProbeSignals::signal(std::string_view path) const {
  for (const Shown& shown : shown_)
    if (shown.path == path) return *shown.signal;
  throw InputError("probe: \"" + std::string(path) + "\" is not one of DriveOptions::probes");
}

ProbeSink::Id ProbeSignals::declare(const ProbeInfo& info) {
  if (info.path.compare(0, prefix_.size(), prefix_) != 0) return kNotTraced;
  const std::string_view path = std::string_view(info.path).substr(prefix_.size());
  const auto found = std::find_if(shown_.begin(), shown_.end(), [path](const Shown& s) { return s.path == path; });
  if (found == shown_.end()) return kNotTraced;
  found->declared = true;
  found->text = info.kind == ProbeInfo::Kind::text;
  return static_cast<Id>(found - shown_.begin());
}

void ProbeSignals::change(Id id, std::uint64_t value) {
  change(id, static_cast<double>(value));
}

void ProbeSignals::change(Id id, double value) {
  shown_[id].signal->write(value);
}

void ProbeSignals::schedule(Id id, Ps at, double value) {
  if (at <= now()) return change(id, value);
  shown_[id].later.emplace(at, value);
  set_next();
}

void ProbeSignals::rotate(Id id, const Rotation*) {
  shown_[id].signal->write(std::numeric_limits<double>::quiet_NaN());
}

void ProbeSignals::cancel(Id id) {
  shown_[id].later.clear();
}

void ProbeSignals::write_due() {
  for (Shown& shown : shown_) {
    const auto end = shown.later.upper_bound(now());
    if (end == shown.later.begin()) continue;
    shown.signal->write(std::prev(end)->second);
    shown.later.erase(shown.later.begin(), end);
  }
  set_next();
}

void ProbeSignals::set_next() {
  Ps next = -1;
  for (const Shown& shown : shown_)
    if (!shown.later.empty() && (next < 0 || shown.later.begin()->first < next)) next = shown.later.begin()->first;
  due_.cancel();
  if (next >= 0) due_.notify(to_sc_time(next - now()));
}

}  // namespace armature
