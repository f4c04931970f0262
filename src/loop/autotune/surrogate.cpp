#include "loop/autotune/surrogate.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace autokernel::loop {
namespace {

// In units of the cube's side.
constexpr double kLengths[] = {0.25, 0.5, 1, 2};
// Of the variance of what is observed: two measurements of one kernel differ by a percent, where
// configurations differ by tens.
constexpr double kNoise = 1e-3;

[[nodiscard]] double correlation(const std::vector<double>& one, const std::vector<double>& other,
                                 double length) {
  double squares = 0;
  for (std::size_t i = 0; i < one.size(); ++i) squares += (one[i] - other[i]) * (one[i] - other[i]);
  const double far = std::sqrt(5 * squares) / length;
  return (1 + far + far * far / 3) * std::exp(-far);
}

// Of one length scale, on values with mean 0 and variance 1.
struct Fit {
  double length = 1;
  Eigen::LLT<Eigen::MatrixXd> factor;
  Eigen::VectorXd weights;
  double log_likelihood = 0;
};

[[nodiscard]] Fit fitted(const std::vector<std::vector<double>>& points,
                         const Eigen::VectorXd& values, double length) {
  const auto count = static_cast<Eigen::Index>(points.size());
  Eigen::MatrixXd covariance(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) {
      covariance(i, j) = correlation(points[static_cast<std::size_t>(i)],
                                     points[static_cast<std::size_t>(j)], length);
      covariance(j, i) = covariance(i, j);
    }
    covariance(i, i) += kNoise;
  }
  Fit fit{.length = length, .factor = covariance.llt(), .weights = {}, .log_likelihood = 0};
  fit.weights = fit.factor.solve(values);
  const Eigen::MatrixXd lower = fit.factor.matrixL();
  fit.log_likelihood = -0.5 * values.dot(fit.weights) - lower.diagonal().array().log().sum();
  return fit;
}

[[nodiscard]] double normal_density(double x) {
  return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}
[[nodiscard]] double normal_distribution(double x) {
  return std::erfc(-x / std::numbers::sqrt2) / 2;
}

}  // namespace

Places::Places(const std::vector<std::vector<double>>& values) {
  for (const std::vector<double>& of_parameter : values) {
    std::vector<double>& ranks = ranks_.emplace_back();
    const auto last = static_cast<double>(std::max<std::size_t>(of_parameter.size(), 2) - 1);
    for (const double value : of_parameter) {
      const auto below =
          std::ranges::count_if(of_parameter, [&](double other) { return other < value; });
      ranks.push_back(static_cast<double>(below) / last);
    }
  }
}

std::vector<double> Places::of(const Configuration& configuration) const {
  std::vector<double> place;
  place.reserve(configuration.size());
  for (std::size_t i = 0; i < configuration.size(); ++i)
    place.push_back(ranks_[i][configuration[i]]);
  return place;
}

void Surrogate::add(std::vector<double> point, std::optional<double> time_us) {
  points_.push_back(std::move(point));
  logarithms_.push_back(time_us && *time_us > 0 ? std::optional(std::log(*time_us)) : std::nullopt);
}

std::size_t Surrogate::most_promising(const std::vector<std::vector<double>>& points) const {
  std::optional<double> slowest;
  for (const auto& value : logarithms_)
    if (value) slowest = std::max(slowest.value_or(*value), *value);
  if (!slowest) return 0;
  Eigen::VectorXd values(static_cast<Eigen::Index>(logarithms_.size()));
  for (Eigen::Index i = 0; i < values.size(); ++i)
    values(i) = logarithms_[static_cast<std::size_t>(i)].value_or(*slowest);
  const double mean = values.mean();
  const double deviation =
      std::max(1e-9, std::sqrt((values.array() - mean).square().mean()));  // all the same
  values = (values.array() - mean) / deviation;
  const double best = values.minCoeff();

  Fit fit = fitted(points_, values, kLengths[0]);
  for (const double length : kLengths) {
    Fit other = fitted(points_, values, length);
    if (other.log_likelihood > fit.log_likelihood) fit = std::move(other);
  }
  std::size_t chosen = 0;
  double greatest = -1;
  Eigen::VectorXd near(values.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (Eigen::Index j = 0; j < near.size(); ++j)
      near(j) = correlation(points[i], points_[static_cast<std::size_t>(j)], fit.length);
    const double expected = near.dot(fit.weights);
    const double variance = 1 - fit.factor.matrixL().solve(near).squaredNorm();
    const double spread = std::sqrt(std::max(variance, 1e-12));
    const double better = (best - expected) / spread;
    const double improvement =
        spread * (better * normal_distribution(better) + normal_density(better));
    if (improvement <= greatest) continue;
    greatest = improvement;
    chosen = i;
  }
  return chosen;
}

}  // namespace autokernel::loop
