// How far results are from the right ones on the whole. A bound for each element must leave room
// for the worst honest one, and so lets arithmetic pass that is a little worse everywhere; the root
// mean square of all errors does not.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "autokernel/cases/case.h"
#include "trial/inputs/sized_case.h"

namespace autokernel::trial {

// The error a result may have, as a multiple of that of the fp32 reference. Honest kernels sum in
// another order than the reference, mostly a better one; what is left is chance.
inline constexpr double kRmsFactor = 1.5;

// Root mean squares of the distance to `right`, over all elements.
struct RmsErrors {
  double got = 0;
  double reference = 0;
  double rounding = 0;  // of `right` itself, rounded once to the tensor's type

  // Where the reference happens to be exact, rounding the right value is still no fault.
  [[nodiscard]] double allowed() const;
  [[nodiscard]] bool acceptable() const { return got <= allowed(); }
};

// All of one tensor of a floating type.
[[nodiscard]] RmsErrors rms_errors(cases::DType dtype, std::span<const std::byte> got,
                                   std::span<const std::byte> reference,
                                   std::span<const double> right);

// What elements are compared with where the right values are known in fp64: these, rounded once,
// and not the fp32 reference, whose own error can be larger than that of an honest kernel. A sum of
// constants, one after the other, is rounded the same way at every step.
struct RightValues {
  Bytes rounded;
  double reference_error = 0;  // largest distance of the fp32 reference, which any kernel may have
};
[[nodiscard]] RightValues right_values(cases::DType dtype, std::span<const std::byte> reference,
                                       std::span<const double> right);

// The first element where the fp32 reference is further from the one in fp64 than the tolerance, or
// either is not finite: then one of the two computes something else.
[[nodiscard]] std::optional<std::uint64_t> first_disagreement(cases::DType dtype,
                                                              std::span<const std::byte> reference,
                                                              std::span<const double> right,
                                                              const cases::Tolerance& tolerance);

}  // namespace autokernel::trial
