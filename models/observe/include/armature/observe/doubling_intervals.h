#pragma once

#include "armature/core/time.h"

#include <cstddef>
#include <vector>

namespace armature::observe {

/// What is summed up over time, in at most `Most` (even) equal intervals from time zero on. They begin with a
/// millisecond each and double in length when the run outgrows them: then every second one is added to the one before
/// it, with Interval::operator+=.
template <class Interval, std::size_t Most>
class DoublingIntervals {
 public:
  Ps width() const { return width_; }                        ///< of each, ps
  const std::vector<Interval>& all() const { return all_; }  ///< up to the last one used
  std::vector<Interval>& all() { return all_; }

  /// Makes the intervals so long that one may hold `t`. Returns its number.
  std::size_t fit(Ps t) {
    while (t / width_ >= static_cast<Ps>(Most)) double_width();  // a product would not hold all of time
    return static_cast<std::size_t>(t / width_);
  }
  /// The interval that holds `t`; those before it that are not there yet are empty.
  Interval& at(Ps t) {
    const std::size_t number = fit(t);
    if (all_.size() <= number) all_.resize(number + 1);
    return all_[number];
  }

 private:
  void double_width() {
    width_ *= 2;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (i % 2 == 0)
        all_[i / 2] = all_[i];
      else
        all_[i / 2] += all_[i];
    }
    all_.resize((all_.size() + 1) / 2);
  }

  Ps width_ = kPsPerMs;
  std::vector<Interval> all_;
};

}  // namespace armature::observe
