#include "numerics/exact.h"

#include <cmath>

namespace emulator::testing::numerics {
namespace {

template <typename Function>
void each(Numbers a, Values values, Function function) {
  const double* from = a.data();
  double* to = values.data();
  for (std::size_t i = 0; i < values.size(); ++i) to[i] = function(from[i]);
}

}  // namespace

void reciprocal(Numbers a, Numbers, Values values) {
  each(a, values, [](double x) { return 1 / x; });
}
void root(Numbers a, Numbers, Values values) {
  each(a, values, [](double x) { return std::sqrt(x); });
}
void reciprocal_root(Numbers a, Numbers, Values values) {
  each(a, values, [](double x) { return 1 / std::sqrt(x); });
}
void sine(Numbers a, Numbers, Values values) {
  each(a, values, [](double x) { return std::sin(x); });
}
void cosine(Numbers a, Numbers, Values values) {
  each(a, values, [](double x) { return std::cos(x); });
}
void logarithm(Numbers a, Numbers, Values values) {
  each(a, values, [](double x) { return std::log2(x); });
}
void exponential(Numbers a, Numbers, Values values) {
  each(a, values, [](double x) { return std::exp2(x); });
}
void tangent(Numbers a, Numbers, Values values) {
  each(a, values, [](double x) { return std::tanh(x); });
}
void quotient(Numbers a, Numbers b, Values values) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = a[i] / b[i];
}

}  // namespace emulator::testing::numerics
