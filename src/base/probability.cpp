#include "autokernel/base/probability.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numbers>
#include <numeric>

namespace autokernel {

double student_t_upper_tail(double degrees_of_freedom, double t) {
  return cdf(complement(boost::math::students_t(degrees_of_freedom), t));
}

double student_t_quantile(double degrees_of_freedom, double upper_tail) {
  return quantile(complement(boost::math::students_t(degrees_of_freedom), upper_tail));
}

std::optional<double> student_half_width(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  constexpr double kTail = 0.025;  // on each side
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double error = std::sqrt(squares / (count - 1) / count);
  return student_t_quantile(count - 1, kTail) * error;
}

double fair_binomial_upper_tail(double trials, double successes) {
  constexpr double kEven = 0.5;
  return cdf(complement(boost::math::binomial_distribution<double>(trials, kEven), successes));
}

double poisson_upper_tail(double events, double mean) { return boost::math::gamma_p(events, mean); }

double normal_quantile(double share) {
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * share);
}

}  // namespace autokernel
