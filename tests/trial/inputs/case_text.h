// Cases for tests, as the text of a case.toml.
#pragma once

#include <string>

#include "autokernel/cases/case.h"

namespace autokernel::trial {

// out = left x right, the inputs of one type and the output of another; default and check size
// alike.
[[nodiscard]] inline cases::Case product_case(const std::string& input, const std::string& output,
                                              int rows, int columns, int depth) {
  const std::string sizes = "M = " + std::to_string(rows) + "\nN = " + std::to_string(columns) +
                            "\nK = " + std::to_string(depth) + "\n";
  return cases::parse("name = \"Product\"\nproblem = \"product\"\n[sizes.default]\n" + sizes +
                          "[sizes.check]\n" + sizes +
                          R"(
[[tensor]]
name = "A"
role = "in"
dtype = ")" + input + R"("
shape = ["M", "K"]
fill = "normal"
[[tensor]]
name = "B"
role = "in"
dtype = ")" + input + R"("
shape = ["K", "N"]
fill = "normal"
[[tensor]]
name = "C"
role = "out"
dtype = ")" + output + R"("
shape = ["M", "N"]
[reference]
kind = "cublas_gemm"
left = "A"
right = "B"
output = "C"
[check]
absolute = 1e-2
relative = 1e-2
exact = "sum-of-products"
sum_over = "K"
[cost]
flops = "2*M*N*K"
bytes = "2*M*K + 2*K*N + 2*M*N"
[timing]
samples = 50
)",
                      "/case");
}

// y = f(x) of N elements; `fill` is the line or lines that say how x is filled.
[[nodiscard]] inline cases::Case unary_case(const std::string& dtype, const std::string& fill,
                                            int count) {
  const std::string sizes = "N = " + std::to_string(count) + "\n";
  return cases::parse("name = \"Unary\"\nproblem = \"unary\"\n[sizes.default]\n" + sizes +
                          "[sizes.check]\n" + sizes +
                          R"(
[[tensor]]
name = "x"
role = "in"
dtype = ")" + dtype + R"("
shape = ["N"]
)" + fill + R"(
[[tensor]]
name = "y"
role = "out"
dtype = ")" + dtype + R"("
shape = ["N"]
[reference]
kind = "kernel"
file = "reference.cu"
[check]
absolute = 1e-6
relative = 1e-6
exact = "never"
deterministic = true
[cost]
flops = "N"
bytes = "8*N"
[timing]
samples = 50
)",
                      "/case");
}

}  // namespace autokernel::trial
