#include "armature/mems/seek_model.h"

#include <cmath>
#include <cstddef>

namespace armature::mems {
namespace {

constexpr int kBisections = 100;
constexpr double kPi = 3.14159265358979323846;

/// A seek cut into pieces of constant acceleration, mirrored so that it goes to larger x.
struct Pieces {
  std::vector<double> ends;           ///< from the beginning on, one more than there are pieces
  std::vector<double> accelerations;  ///< of each piece, along the force: positive
};

/// Cuts anew with another switch; what a search over switches does without new memory.
void cut(Pieces& parts, double from, double change, double to, int pieces) {
  const auto half = static_cast<std::size_t>(pieces);
  parts.ends.resize(2 * half + 1);
  parts.accelerations.resize(2 * half);
  double* const ends = parts.ends.data();
  if ((pieces & (pieces - 1)) == 0) {  // a power of two: the product is the quotient, to the last bit, and is quicker
    const double share = 1.0 / pieces;
    for (int i = 0; i < pieces; ++i) ends[i] = from + (change - from) * i * share;
    for (int i = 0; i <= pieces; ++i) ends[pieces + i] = change + (to - change) * i * share;
    return;
  }
  for (int i = 0; i < pieces; ++i) ends[i] = from + (change - from) * i / pieces;
  for (int i = 0; i <= pieces; ++i) ends[pieces + i] = change + (to - change) * i / pieces;
}

/// +1 in the accelerating phase, -1 in the braking one.
int force_in(std::size_t piece, int pieces) {
  return piece < static_cast<std::size_t>(pieces) ? 1 : -1;
}

/// Speed and time at the ends of the pieces of one phase, walked from its slow end to the switch.
struct Phase {
  double seconds = 0;
  double speed;

  void pass(double acceleration, double length) {
    const double next = std::sqrt(speed * speed + 2 * acceleration * length);
    seconds += (next - speed) / acceleration;
    speed = next;
  }
};

struct Attempt {
  double seconds;
  double before;  ///< speed at the switch by the accelerating phase
  double behind;  ///< and by the braking one
};

/// Speeds at the switch only, equal to those of sum_up(): the two phases' chains of roots, side by side.
Attempt speeds_at_switch(const Pieces& cut, int pieces, double speed, std::size_t shift) {
  const auto half = static_cast<std::size_t>(pieces);
  const double* const ends = cut.ends.data();
  const double* const accelerations = cut.accelerations.data();
  double before = speed, behind = speed;
  for (std::size_t i = 0, j = 2 * half - 1; i < half; ++i, --j) {
    before = std::sqrt(before * before + 2 * accelerations[i] * (ends[i + 1] - ends[i]));
    behind = std::sqrt(behind * behind + 2 * accelerations[j - shift] * (ends[j + 1] - ends[j]));
  }
  return {0, before, behind};
}

/// @param shift  a braking piece is passed with the acceleration of so many pieces before it
Attempt sum_up(const Pieces& cut, int pieces, double speed, std::size_t shift, Path* path) {
  const auto length = [&cut](std::size_t i) { return cut.ends[i + 1] - cut.ends[i]; };
  const auto half = static_cast<std::size_t>(pieces);
  Phase first{0, speed}, second{0, speed};
  if (path) *path = {{0, cut.ends.front(), speed}};
  for (std::size_t i = 0; i < half; ++i) {
    first.pass(cut.accelerations[i], length(i));
    if (path) path->push_back({first.seconds, cut.ends[i + 1], first.speed});
  }
  Path braking;
  for (std::size_t i = 2 * half; i-- > half;) {
    if (path) braking.push_back({second.seconds, cut.ends[i + 1], second.speed});
    second.pass(cut.accelerations[i - shift], length(i));
  }
  const double total = first.seconds + second.seconds;
  for (std::size_t i = braking.size(); i-- > 0;)
    path->push_back({total - braking[i].seconds, braking[i].metres, braking[i].speed});
  return {total, first.speed, second.speed};
}

void mirror(Path* path) {
  if (!path) return;
  for (PathPoint& point : *path) {
    point.metres = -point.metres;
    point.speed = -point.speed;
  }
}

/// The swing under a constant force: position and speed after a time, from `x` and `v`. `damping` below 0 runs
/// backwards in time.
class Swing {
 public:
  Swing(const Axis& axis, double force, double damping, double x, double v) : force_(force), x_(x), v_(v) {
    if (axis.spring == 0) return;
    omega_ = std::sqrt(axis.spring);
    rest_ = force / axis.spring;
    decay_ = damping * omega_;
    ring_ = omega_ * std::sqrt(1 - damping * damping);
  }

  double position(double t) const {
    if (omega_ == 0) return x_ + v_ * t + force_ * t * t / 2;
    return rest_ + std::exp(-decay_ * t) * ((x_ - rest_) * std::cos(ring_ * t) + quarter() * std::sin(ring_ * t));
  }
  double speed(double t) const {
    if (omega_ == 0) return v_ + force_ * t;
    const double cosine = std::cos(ring_ * t), sine = std::sin(ring_ * t);
    return std::exp(-decay_ * t) * (v_ * cosine - (decay_ * quarter() + ring_ * (x_ - rest_)) * sine);
  }
  /// When it is at `x`, to the right of where it began.
  double time_to(double x) const {
    if (x <= x_) return 0;
    double late = 1e-9;
    while (position(late) < x && speed(late) > 0) late *= 2;
    double early = 0;
    for (int i = 0; i < kBisections; ++i) {
      const double middle = (early + late) / 2;
      // Behind the turning point the swing comes back.
      (position(middle) < x && speed(middle) > 0 ? early : late) = middle;
    }
    return late;
  }

 private:
  double quarter() const { return (v_ + decay_ * (x_ - rest_)) / ring_; }

  double force_, x_, v_;
  double omega_ = 0, rest_ = 0, decay_ = 0, ring_ = 0;
};

/// The point at which an undamped sled must change its force: there both phases have the same energy.
double undamped_switch(const Axis& axis, double from, double to) {
  return (from + to) / 2 + axis.spring * (to * to - from * from) / (4 * axis.acceleration);
}

/// Time from (x, v) to (x2, v2) on the circle about `rest` that an undamped swing is, with the speed divided by omega.
double along_circle(double omega, double rest, double x, double v, double x2, double v2) {
  double angle = std::atan2(-v2 / omega, x2 - rest) - std::atan2(-v / omega, x - rest);
  if (angle < 0) angle += 2 * kPi;
  return angle / omega;
}

double undamped_seek(const Axis& axis, double from, double to, double speed) {
  const double a = axis.acceleration, k = axis.spring;
  if (k == 0) return 2 * (std::sqrt(speed * speed + a * (to - from)) - speed) / a;
  const double change = undamped_switch(axis, from, to);
  const double top = std::sqrt(speed * speed + 2 * a * (change - from) - k * (change * change - from * from));
  const double omega = std::sqrt(k);
  return along_circle(omega, a / k, from, speed, change, top) + along_circle(omega, -a / k, change, top, to, speed);
}

/// Of a seek to larger x: the accelerating phase forwards from its beginning, the braking one backwards from its end,
/// where the mirrored sled is at -x with the same speed and the damper feeds it.
struct Swings {
  Swing forward, backward;
  double change;

  Swings(const Axis& axis, double from, double to, double speed)
      : forward(axis, axis.acceleration, axis.damping, from, speed),
        backward(axis, axis.acceleration, -axis.damping, -to, speed),
        change(undamped_switch(axis, from, to)) {
    if (axis.damping == 0) return;
    double low = from, high = to;
    for (int i = 0; i < kBisections; ++i) {
      change = (low + high) / 2;
      const bool early = forward.speed(forward.time_to(change)) < backward.speed(backward.time_to(-change));
      (early ? low : high) = change;
    }
  }
};

}  // namespace

Axis Axis::of(double acceleration, double reach, double factor, double damping) {
  return {acceleration, factor * acceleration / reach, damping};
}

double disksim_seek(const Axis& axis, double from, double to, double speed, int pieces, Path* path) {
  constexpr int kTries = 8;
  constexpr double kStep = 0.05, kStepLess = 0.01;
  if (from == to) return 0;
  if (to < from) {
    const double seconds = disksim_seek(axis, -from, -to, speed, pieces, path);
    mirror(path);
    return seconds;
  }
  const auto accelerate = [&axis, pieces](Pieces& cut) {
    for (std::size_t i = 0; i + 1 < cut.ends.size(); ++i) {
      const double begin = cut.ends[i], end = cut.ends[i + 1];
      const bool crosses = begin < 0 && end > 0;
      const bool helped = crosses ? std::abs(begin) > std::abs(end) : force_in(i, pieces) * (begin + end) <= 0;
      const double pull = axis.spring * (std::abs(begin) + std::abs(end)) / 2;
      cut.accelerations[i] = axis.acceleration + (helped ? pull : -pull);
    }
  };
  double change = from + (to - from) / 2, best = change;
  double nearest = 0;
  thread_local Pieces attempt;
  for (int tried = 1; tried <= kTries; ++tried) {
    cut(attempt, from, change, to, pieces);
    accelerate(attempt);
    const Attempt sum = speeds_at_switch(attempt, pieces, speed, 1);
    const double apart = std::abs(sum.before / sum.behind - 1);
    if (tried == 1 || apart < nearest) {
      nearest = apart;
      best = change;
    }
    if (axis.spring == 0) break;
    const double step = (kStep - kStepLess / (kTries + 1 - tried)) * (to - from);
    change += sum.before > sum.behind ? -step : step;
  }
  cut(attempt, from, best, to, pieces);
  accelerate(attempt);
  return sum_up(attempt, pieces, speed, 1, path).seconds;
}

double piecewise_seek(const Axis& axis, double from, double to, double speed, int pieces, Path* path) {
  if (from == to) return 0;
  if (to < from) {
    const double seconds = piecewise_seek(axis, -from, -to, speed, pieces, path);
    mirror(path);
    return seconds;
  }
  Pieces parts;
  const auto attempt = [&](double change, Path* points) {
    cut(parts, from, change, to, pieces);
    for (std::size_t i = 0; i + 1 < parts.ends.size(); ++i)
      parts.accelerations[i] =
          axis.acceleration - force_in(i, pieces) * axis.spring * (parts.ends[i] + parts.ends[i + 1]) / 2;
    return sum_up(parts, pieces, speed, 0, points);
  };
  double low = from, high = to;
  for (int i = 0; i < kBisections; ++i) {
    const double change = (low + high) / 2;
    const Attempt sum = attempt(change, nullptr);
    (sum.before < sum.behind ? low : high) = change;
  }
  return attempt((low + high) / 2, path).seconds;
}

double exact_seek(const Axis& axis, double from, double to, double speed, Path* path) {
  constexpr int kPoints = 64;  // of each phase
  if (from == to) return 0;
  if (to < from) {
    const double seconds = exact_seek(axis, -from, -to, speed, path);
    mirror(path);
    return seconds;
  }
  if (axis.damping == 0 && !path) return undamped_seek(axis, from, to, speed);
  const Swings swings(axis, from, to, speed);
  const double first = swings.forward.time_to(swings.change), second = swings.backward.time_to(-swings.change);
  if (path) {
    path->clear();
    for (int i = 0; i <= kPoints; ++i) {
      const double t = first * i / kPoints;
      path->push_back({t, swings.forward.position(t), swings.forward.speed(t)});
    }
    for (int i = kPoints - 1; i >= 0; --i) {
      const double t = second * i / kPoints;
      path->push_back({first + second - t, -swings.backward.position(t), swings.backward.speed(t)});
    }
  }
  return axis.damping == 0 ? undamped_seek(axis, from, to, speed) : first + second;
}

double turnaround(const Axis& axis, double at, double speed) {
  const double pull = axis.spring * std::abs(at);
  return 2 * std::abs(speed) / (axis.acceleration + (at * speed < 0 ? -pull : pull));
}

double exact_turnaround(const Axis& axis, double at, double speed) {
  if (axis.spring == 0) return turnaround(axis, at, speed);
  const double omega = std::sqrt(axis.spring), pull = axis.spring * std::abs(at);
  const double braking = axis.acceleration + (at * speed < 0 ? -pull : pull);
  return 2 * std::atan2(std::abs(speed) * omega, braking) / omega;
}

}  // namespace armature::mems
