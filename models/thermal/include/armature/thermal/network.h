#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace armature::thermal {

/// Bodies of one temperature each, joined by paths of constant conductance, some of them to the air around:
///
///     C_i dT_i/dt = P_i - sum over paths G_ij (T_i - T_j)
///
/// While the powers P are constant the solution is a sum of exponentials. It is computed in closed form, so a step may
/// be as long as the powers stay.
class Network {
 public:
  static constexpr std::size_t kAir = ~std::size_t{0};  ///< the air around, as the other end of a path

  struct Body {
    double capacity_j_k;  ///< above 0
  };
  struct Path {
    std::size_t from;
    std::size_t to;  ///< number of a body, or kAir
    double w_k;      ///< conductance, above 0
  };

  /// All bodies have the air's temperature. @throws std::logic_error if a body has no way to the air
  Network(const std::vector<Body>& bodies, const std::vector<Path>& paths, double air_c);
  ~Network();
  Network(Network&&) noexcept;
  Network& operator=(Network&&) noexcept;

  const std::vector<double>& temperatures_c() const;  ///< by body
  void set_temperatures_c(const std::vector<double>& by_body);

  /// `seconds` pass while each body gets its power, W.
  void advance(double seconds, const std::vector<double>& watts);
  /// Where the temperatures end if each body gets this power for ever.
  std::vector<double> steady_c(const std::vector<double>& watts) const;
  /// The slowest exponential, s: after five of them a step of power has had all of its effect but 1 %.
  double time_constant_s() const;

 private:
  struct Solution;
  std::unique_ptr<Solution> solution_;
};

}  // namespace armature::thermal
