// A small case that is right in every line, for tests to break in one place.
#pragma once

#include <stdexcept>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/cases/case.h"

namespace autokernel::cases {

inline std::string sample() {
  return R"(name = "MatMul"
problem = "MatMul [{M},{K}] x [{K},{N}]"
[sizes.default]
M = 64
N = 32
K = 16
[sizes.check]
M = 8
N = 8
K = 8
[[tensor]]
name = "A"
role = "in"
dtype = "f16"
shape = ["M", "K"]
fill = "normal"
[[tensor]]
name = "B"
role = "in"
dtype = "f16"
shape = ["K", "N"]
fill = "uniform"
low = 0
high = 2.5
[[tensor]]
name = "C"
role = "out"
dtype = "f32"
shape = ["M", "N"]
[reference]
kind = "cublas_gemm"
left = "A"
right = "B"
output = "C"
[check]
absolute = 0.01
relative = 0.001
exact = "sum-of-products"
sum_over = "K"
[cost]
flops = "2*M*N*K"
bytes = "2*(M*K + K*N) + 4*M*N"
)";
}

// A case of whole numbers with a reference of its own.
inline std::string kernel_sample() {
  return R"(name = "Count"
problem = "{N} numbers"
[sizes.default]
N = 64
[sizes.check]
N = 8
[[tensor]]
name = "x"
role = "in"
dtype = "u8"
shape = ["N"]
fill = "integers"
low = 0
high = 255
[[tensor]]
name = "y"
role = "inout"
dtype = "i32"
shape = ["N"]
fill = "integers"
low = -100
high = 100
[reference]
kind = "kernel"
file = "reference.cu"
[check]
exact = "always"
[cost]
flops = "N"
bytes = "9*N"
)";
}

// `text` with one part of it replaced; a test that names a part that is not there is wrong.
inline std::string with(std::string text, const std::string& part, const std::string& replacement) {
  const std::size_t at = text.find(part);
  if (at == std::string::npos) throw std::logic_error("the sample has no " + part);
  return text.replace(at, part.size(), replacement);
}

// The sample with one part replaced.
inline std::string sample_with(const std::string& text, const std::string& replacement) {
  return with(sample(), text, replacement);
}

// What the Error(usage) says that reading `text` throws; says so where it throws none or another.
inline std::string complaint_about(const std::string& text) {
  try {
    static_cast<void>(parse(text, "some/case"));
  } catch (const Error& error) {
    return error.stop() == Stop::usage ? error.what() : "an Error that is not about usage";
  }
  return "no Error";
}

}  // namespace autokernel::cases
