// The functions themselves, in double. A file of its own, since it is compiled for speed: what it
// is called with are numbers and infinities, never NaN.
#pragma once

#include <span>

namespace emulator::testing::numerics {

using Numbers = std::span<const double>;
using Values = std::span<double>;

void reciprocal(Numbers a, Numbers, Values values);
void root(Numbers a, Numbers, Values values);
void reciprocal_root(Numbers a, Numbers, Values values);
void sine(Numbers a, Numbers, Values values);
void cosine(Numbers a, Numbers, Values values);
void logarithm(Numbers a, Numbers, Values values);
void exponential(Numbers a, Numbers, Values values);
void tangent(Numbers a, Numbers, Values values);
void quotient(Numbers a, Numbers b, Values values);

}  // namespace emulator::testing::numerics
