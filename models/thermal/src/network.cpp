#include "armature/thermal/network.h"

#include <Eigen/Eigenvalues>

#include <cmath>
#include <stdexcept>

namespace armature::thermal {

/// With y = sqrt(C) (T - T_air) the equations are dy/dt = p - A y, where A = C^-1/2 G C^-1/2 is symmetric: its
/// eigenvectors separate them.
struct Network::Solution {
  double air_c;
  std::vector<double> temperatures_c;
  Eigen::VectorXd root_of_capacity;
  Eigen::MatrixXd modes;  ///< columns: eigenvectors
  Eigen::VectorXd rates;  ///< 1/s

  Eigen::VectorXd drives(const std::vector<double>& watts) const {
    const Eigen::Map<const Eigen::VectorXd> p(watts.data(), static_cast<Eigen::Index>(watts.size()));
    return modes.transpose() * p.cwiseQuotient(root_of_capacity);
  }
  std::vector<double> temperatures(const Eigen::VectorXd& amounts) const {
    const Eigen::VectorXd rise = (modes * amounts).cwiseQuotient(root_of_capacity);
    std::vector<double> out(temperatures_c.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = air_c + rise[static_cast<Eigen::Index>(i)];
    return out;
  }
};

Network::Network(const std::vector<Body>& bodies, const std::vector<Path>& paths, double air_c)
    : solution_(std::make_unique<Solution>()) {
  const auto count = static_cast<Eigen::Index>(bodies.size());
  solution_->air_c = air_c;
  solution_->temperatures_c.assign(bodies.size(), air_c);
  solution_->root_of_capacity.resize(count);
  for (Eigen::Index i = 0; i < count; ++i)
    solution_->root_of_capacity[i] = std::sqrt(bodies[static_cast<std::size_t>(i)].capacity_j_k);
  Eigen::MatrixXd conductance = Eigen::MatrixXd::Zero(count, count);
  for (const Path& path : paths) {
    const auto from = static_cast<Eigen::Index>(path.from);
    conductance(from, from) += path.w_k;
    if (path.to == kAir) continue;
    const auto to = static_cast<Eigen::Index>(path.to);
    conductance(to, to) += path.w_k;
    conductance(from, to) -= path.w_k;
    conductance(to, from) -= path.w_k;
  }
  const Eigen::VectorXd scale = solution_->root_of_capacity.cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(scale.asDiagonal() * conductance * scale.asDiagonal());
  solution_->modes = solver.eigenvectors();
  solution_->rates = solver.eigenvalues();
  if (solution_->rates.minCoeff() <= solution_->rates.maxCoeff() * 1e-12)
    throw std::logic_error("a body has no way to give its heat to the air");
}

Network::~Network() = default;
Network::Network(Network&&) noexcept = default;
Network& Network::operator=(Network&&) noexcept = default;

const std::vector<double>& Network::temperatures_c() const {
  return solution_->temperatures_c;
}

void Network::set_temperatures_c(const std::vector<double>& by_body) {
  solution_->temperatures_c = by_body;
}

void Network::advance(double seconds, const std::vector<double>& watts) {
  Solution& s = *solution_;
  Eigen::VectorXd y(s.rates.size());
  for (Eigen::Index i = 0; i < y.size(); ++i)
    y[i] = s.root_of_capacity[i] * (s.temperatures_c[static_cast<std::size_t>(i)] - s.air_c);
  Eigen::VectorXd amounts = s.modes.transpose() * y;
  const Eigen::VectorXd drives = s.drives(watts);
  for (Eigen::Index i = 0; i < amounts.size(); ++i) {
    const double left = std::exp(-s.rates[i] * seconds);
    amounts[i] = amounts[i] * left - drives[i] / s.rates[i] * std::expm1(-s.rates[i] * seconds);
  }
  s.temperatures_c = s.temperatures(amounts);
}

std::vector<double> Network::steady_c(const std::vector<double>& watts) const {
  return solution_->temperatures(solution_->drives(watts).cwiseQuotient(solution_->rates));
}

double Network::time_constant_s() const {
  return 1 / solution_->rates.minCoeff();
}

}  // namespace armature::thermal
