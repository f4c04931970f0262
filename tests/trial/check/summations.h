// Ways to sum products, as kernels do: honest ones in fp32, in every order, and ones that are
// narrower than fp32 or leave something out. Of one element each, on the host.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "autokernel/cases/case.h"

namespace autokernel::trial {

// The factors of the products, of one row and one column.
using Summation = std::function<float(std::span<const float> left, std::span<const float> right)>;
struct NamedSummation {
  std::string name;
  Summation sum;
};

// For inputs of that type; sums of f32 on tensor cores are no sums in fp32.
[[nodiscard]] std::vector<NamedSummation> honest_summations(cases::DType inputs);
// `mean` is that of one product, which a kernel may know of the case.
[[nodiscard]] std::vector<NamedSummation> reduced_summations(cases::DType inputs, double mean);

}  // namespace autokernel::trial
