#include "armature/mems/seek_model.h"

#include "armature/core/angle.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace armature::mems {
namespace {

constexpr int kBisections = 100;

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

/// As DiskSim has them: a piece that crosses the middle counts for the side on which more of it lies.
void disksim_accelerations(Pieces& cut, const Axis& axis, int pieces) {
  for (std::size_t i = 0; i + 1 < cut.ends.size(); ++i) {
    const double begin = cut.ends[i], end = cut.ends[i + 1];
    const bool crosses = begin < 0 && end > 0;
    const bool helped = crosses ? std::abs(begin) > std::abs(end) : force_in(i, pieces) * (begin + end) <= 0;
    const double pull = axis.spring * (std::abs(begin) + std::abs(end)) / 2;
    cut.accelerations[i] = axis.acceleration + (helped ? pull : -pull);
  }
}

/// DiskSim's search for the switch, from the middle of the way on: of eight, that at which the speeds of the two phases
/// differ least.
class SwitchSearch {
 public:
  static constexpr int kTries = 8;

  SwitchSearch(const Axis& axis, double from, double to)
      : springs_(axis.spring != 0), way_(to - from), change_(from + (to - from) / 2) {}

  bool goes_on() const { return tried_ == 0 || (springs_ && tried_ < kTries); }
  double change() const { return change_; }  ///< to try next
  /// The one after that, if the sled is too fast where it changes, or too slow.
  double after(bool too_fast) const {
    const double step = (kStep - kStepLess / (kTries - tried_)) * way_;
    return change_ + (too_fast ? -step : step);
  }
  /// What has come of change(). Is it the best so far?
  bool tried(const Attempt& sum) {
    const double apart = std::abs(sum.before / sum.behind - 1);
    const bool better = tried_ == 0 || apart < nearest_;
    if (better) nearest_ = apart;
    change_ = after(sum.before > sum.behind);
    ++tried_;
    return better;
  }

 private:
  static constexpr double kStep = 0.05, kStepLess = 0.01;
  const bool springs_;
  const double way_;
  double change_, nearest_ = 0;
  int tried_ = 0;
};

/// disksim_seek() with the usual number of pieces, to the same bits but quicker: the chains of roots of three switches
/// go side by side, the next one and the two that may come after it.
class EightPieces {
 public:
  EightPieces(const Axis& axis, double from, double to, double speed)
      : axis_(axis), from_(from), to_(to), speed_(speed) {}

  double seconds() {
    SwitchSearch search(axis_, from_, to_);
    double best = 0;
    while (search.goes_on()) {
      const double here = search.change(), faster = search.after(true), slower = search.after(false);
      const double changes[kLanes] = {here, faster, slower};
      roots(changes);
      if (search.tried(sum(0))) best = seconds(0);
      const std::size_t next = search.change() == faster ? 1 : 2;
      if (search.goes_on() && search.tried(sum(next))) best = seconds(next);
    }
    return best;
  }

  static constexpr int kPieces = 8;

 private:
  static constexpr std::size_t kHalf = kPieces, kLanes = 3;

  /// One switch: ends and accelerations of the pieces, and what the speed's square gains in them.
  void cut(double change, std::size_t lane) {
    double ends[2 * kHalf + 1], length[2 * kHalf], gains[2 * kHalf];
    for (std::size_t i = 0; i < kHalf; ++i) ends[i] = from_ + (change - from_) * kShares[i];
    for (std::size_t i = 0; i < kHalf; ++i) ends[kHalf + i] = change + (to_ - change) * kShares[i];
    ends[2 * kHalf] = change + (to_ - change);
    double* const acceleration = accelerations_[lane];
    const double a = axis_.acceleration, k = axis_.spring;
    // The spring helps in an accelerating piece before the middle, and in a braking one behind it.
    for (std::size_t i = 0; i < kHalf; ++i) acceleration[i] = a - k * (ends[i] + ends[i + 1]) / 2;
    for (std::size_t i = kHalf; i < 2 * kHalf; ++i) acceleration[i] = a + k * (ends[i] + ends[i + 1]) / 2;
    for (std::size_t i = 0; i < 2 * kHalf; ++i) length[i] = ends[i + 1] - ends[i];
    if (from_ < 0 && to_ > 0) {
      std::size_t i = 0;
      for (std::size_t end = 1; end < 2 * kHalf; ++end) i += ends[end] < 0 ? 1 : 0;
      const double pull = k * length[i] / 2;
      // Of the piece that crosses the middle the longer part counts.
      if (ends[i + 1] > 0) acceleration[i] = a + (-ends[i] > ends[i + 1] ? pull : -pull);
    }
    for (std::size_t i = 0; i < kHalf; ++i) gains[i] = 2 * acceleration[i] * length[i];
    for (std::size_t i = kHalf; i < 2 * kHalf; ++i) gains[i] = 2 * acceleration[i - 1] * length[i];
    for (std::size_t i = 0; i < kHalf; ++i) {
      gains_[i][2 * lane] = gains[i];
      gains_[i][2 * lane + 1] = gains[2 * kHalf - 1 - i];
    }
  }

  /// Speeds at the ends of the pieces, from the slow ends of both phases to the switch.
  void roots(const double (&changes)[kLanes]) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) cut(changes[lane], lane);
    for (std::size_t i = 0; i < 2 * kLanes; ++i) speeds_[0][i] = speed_;
    for (std::size_t piece = 0; piece < kHalf; ++piece) {
      const double* const at = speeds_[piece];
      double* const next = speeds_[piece + 1];
      for (std::size_t i = 0; i < 2 * kLanes; ++i) next[i] = std::sqrt(at[i] * at[i] + gains_[piece][i]);
    }
  }

  Attempt sum(std::size_t lane) const { return {0, speeds_[kHalf][2 * lane], speeds_[kHalf][2 * lane + 1]}; }

  double seconds(std::size_t lane) const {
    double first = 0, second = 0;
    for (std::size_t i = 0; i < kHalf; ++i) {
      first += (speeds_[i + 1][2 * lane] - speeds_[i][2 * lane]) / accelerations_[lane][i];
      second += (speeds_[i + 1][2 * lane + 1] - speeds_[i][2 * lane + 1]) / accelerations_[lane][2 * kHalf - 2 - i];
    }
    return first + second;
  }

  static constexpr double kShares[kHalf + 1] = {0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1};
  const Axis axis_;
  const double from_, to_, speed_;
  double accelerations_[kLanes][2 * kHalf];
  double gains_[kHalf][2 * kLanes];       ///< of both phases of each switch
  double speeds_[kHalf + 1][2 * kLanes];  ///< the same
};

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
  double acceleration(double position, double speed) const {
    return force_ - omega_ * omega_ * position - 2 * decay_ * speed;
  }
  /// When it is at `x`, to the right of where it began; if it turns before, when it does.
  double time_to(double x) const {
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

/// Of a seek, seconds.
struct Phases {
  double accelerating, braking;

  double sum() const { return accelerating + braking; }
};

/// Time from (x, v) to (x2, v2) on the circle about `rest` that an undamped swing is, with the speed divided by omega.
double along_circle(double omega, double rest, double x, double v, double x2, double v2) {
  double angle = std::atan2(-v2 / omega, x2 - rest) - std::atan2(-v / omega, x - rest);
  if (angle < 0) angle += kTwoPi;
  return angle / omega;
}

Phases undamped_phases(const Axis& axis, double from, double to, double speed) {
  const double a = axis.acceleration, k = axis.spring;
  if (k == 0) {
    const double half = (std::sqrt(speed * speed + a * (to - from)) - speed) / a;
    return {half, half};
  }
  // The force changes where both phases have the same energy.
  const double change = (from + to) / 2 + k * (to * to - from * from) / (4 * a);
  const double top = std::sqrt(speed * speed + 2 * a * (change - from) - k * (change * change - from * from));
  const double omega = std::sqrt(k);
  return {along_circle(omega, a / k, from, speed, change, top), along_circle(omega, -a / k, change, top, to, speed)};
}

/// Of a seek to larger x: the accelerating phase forwards from its beginning, the braking one backwards from its end,
/// where the mirrored sled is at -x with the same speed and the damper feeds it.
struct Swings {
  Swing forward, backward;

  Swings(const Axis& axis, double from, double to, double speed)
      : forward(axis, axis.acceleration, axis.damping, from, speed),
        backward(axis, axis.acceleration, -axis.damping, -to, speed) {}
};

/// Both swings are known at any time, so the two times after which they meet, in place and speed, are found by Newton's
/// method, from the undamped ones on. The last step is so short that what is left, its square, is nothing. A sled that
/// the damper slows below `speed` cannot arrive with it: it accelerates all the way.
Phases damped_phases(const Swings& swings, double to, Phases times) {
  constexpr int kMostSteps = 60;
  constexpr double kShort = 1e-8;  // of the seek
  for (int step = 0; step < kMostSteps; ++step) {
    const double x = swings.forward.position(times.accelerating), v = swings.forward.speed(times.accelerating);
    const double y = swings.backward.position(times.braking), w = swings.backward.speed(times.braking);
    const double a = swings.forward.acceleration(x, v), b = swings.backward.acceleration(y, w);
    // (x + y, v - w) = 0; its derivatives by the two times are (v, a) and (w, -b).
    const double apart = x + y, faster = v - w, determinant = -v * b - w * a;
    const double first = (-apart * -b + faster * w) / determinant, second = (-faster * v + apart * a) / determinant;
    if (!std::isfinite(first) || !std::isfinite(second)) break;
    const bool last = std::abs(first) + std::abs(second) <= kShort * times.sum();
    times.accelerating = std::max(times.accelerating + first, times.accelerating / 2);
    times.braking = std::max(times.braking + second, times.braking / 2);
    if (last) return times;
  }
  const double there = swings.forward.time_to(to);
  return swings.forward.speed(there) <= swings.backward.speed(0) ? Phases{there, 0} : times;
}

}  // namespace

Axis Axis::of(double acceleration, double reach, double factor, double damping) {
  return {acceleration, factor * acceleration / reach, damping};
}

double disksim_seek(const Axis& axis, double from, double to, double speed, int pieces, Path* path) {
  if (from == to) return 0;
  if (to < from) {
    const double seconds = disksim_seek(axis, -from, -to, speed, pieces, path);
    mirror(path);
    return seconds;
  }
  if (pieces == EightPieces::kPieces && !path) return EightPieces(axis, from, to, speed).seconds();
  thread_local Pieces attempt;
  double best = from;
  for (SwitchSearch search(axis, from, to); search.goes_on();) {
    const double change = search.change();
    cut(attempt, from, change, to, pieces);
    disksim_accelerations(attempt, axis, pieces);
    if (search.tried(speeds_at_switch(attempt, pieces, speed, 1))) best = change;
  }
  cut(attempt, from, best, to, pieces);
  disksim_accelerations(attempt, axis, pieces);
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
  Phases times = undamped_phases(axis, from, to, speed);
  if (axis.damping == 0 && !path) return times.sum();
  const Swings swings(axis, from, to, speed);
  if (axis.damping > 0) times = damped_phases(swings, to, times);
  if (path) {
    path->clear();
    for (int i = 0; i <= kPoints; ++i) {
      const double t = times.accelerating * i / kPoints;
      path->push_back({t, swings.forward.position(t), swings.forward.speed(t)});
    }
    for (int i = kPoints - 1; i >= 0; --i) {
      const double t = times.braking * i / kPoints;
      path->push_back({times.sum() - t, -swings.backward.position(t), swings.backward.speed(t)});
    }
  }
  return times.sum();
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
