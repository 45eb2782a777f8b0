#include "armature/servo/wake.h"

#include <cmath>

namespace armature::servo {

Wake::Wake(const ServoParams& servo, const std::vector<Mount>& mounts) {
  const CouplingParams& coupling = servo.coupling;
  const double share = coupling.wake_percent / 100;
  for (const Mount& mount : mounts) {
    sources_.push_back({mount.on_disk, mount.on_disk, 0});
    std::vector<double>& powers = power_.emplace_back();
    for (const Mount& other : mounts) {
      const double gap = mount.turns - other.turns - std::floor(mount.turns - other.turns);
      const bool upstream = &other != &mount && other.stack == mount.stack;
      // Two arms at the same angle stand side by side: neither is in the other's wake.
      powers.push_back(upstream && gap > 0 ? share * share * coupling.wake_deg / (360 * gap) : 0);
    }
  }
}

void Wake::put(unsigned arm, bool on_disk, double at_s) {
  Source& source = sources_[arm];
  if (at_s > source.since) source.before = source.on_disk;
  source.on_disk = on_disk;
  source.since = at_s;
}

double Wake::growth(unsigned arm, double at_s) const {
  double sum = 1;
  for (std::size_t other = 0; other < sources_.size(); ++other) {
    const Source& source = sources_[other];
    if (at_s > source.since ? source.on_disk : source.before) sum += power_[arm][other];
  }
  return std::sqrt(sum);
}

}  // namespace armature::servo
