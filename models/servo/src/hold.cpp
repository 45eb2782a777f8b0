#include "hold.h"

#include <Eigen/Cholesky>
#include <Eigen/Dense>
#include <unsupported/Eigen/MatrixFunctions>

namespace armature::servo {
namespace {

using Matrix = Eigen::MatrixXd;
using ByRows = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

Matrix matrix(const std::vector<double>& values, std::size_t rows, std::size_t columns) {
  return ByRows(values.data(), static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
}

std::vector<double> by_rows(const Matrix& m) {
  std::vector<double> values;
  for (Eigen::Index i = 0; i < m.rows(); ++i)
    for (Eigen::Index j = 0; j < m.cols(); ++j) values.push_back(m(i, j));
  return values;
}

}  // namespace

Held hold(const std::vector<double>& a, const std::vector<double>& b, std::size_t inputs, double h) {
  Held held;
  held.inputs = inputs;
  held.order = b.size() / inputs;
  const auto n = static_cast<Eigen::Index>(held.order);
  const auto m = static_cast<Eigen::Index>(inputs);
  Matrix all = Matrix::Zero(n + m, n + m);
  all.topLeftCorner(n, n) = matrix(a, held.order, held.order) * h;
  all.topRightCorner(n, m) = matrix(b, held.order, inputs) * h;
  const Matrix exponential = all.exp();
  held.transition = by_rows(exponential.topLeftCorner(n, n));
  held.input = by_rows(exponential.topRightCorner(n, m));
  return held;
}

std::vector<double> noise_factor(const std::vector<double>& a, const std::vector<double>& b, double h) {
  const auto n = static_cast<Eigen::Index>(b.size());
  const Matrix state = matrix(a, b.size(), b.size());
  const Matrix input = matrix(b, b.size(), 1);
  Matrix all = Matrix::Zero(2 * n, 2 * n);
  all.topLeftCorner(n, n) = -state * h;
  all.topRightCorner(n, n) = input * input.transpose() * h;
  all.bottomRightCorner(n, n) = state.transpose() * h;
  const Matrix exponential = all.exp();
  const Matrix covariance = exponential.bottomRightCorner(n, n).transpose() * exponential.topRightCorner(n, n);
  // Scaled to unit variances first: positions and velocities differ by the frequency.
  const Eigen::VectorXd scale = covariance.diagonal().cwiseSqrt();
  const Matrix unit = scale.cwiseInverse().asDiagonal() * (0.5 * (covariance + covariance.transpose())) *
                      scale.cwiseInverse().asDiagonal();
  const Matrix factor = scale.asDiagonal() * Matrix(unit.llt().matrixL());
  return by_rows(factor);
}

}  // namespace armature::servo
