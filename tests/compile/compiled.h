// Sources compiled by NVRTC for a test, at M = 64, N = 32, K = 16.
#pragma once

#include <stdexcept>
#include <string>

#include "autokernel/compile/compiler.h"

namespace autokernel::compile {

inline Compilation compile(const std::string& source) {
  return Compiler::open().compile(
      {{"kernel.cu", source}, "sm_90a", {{"M", 64}, {"N", 32}, {"K", 16}}});
}

// The program; a refusal fails the test with its reason.
inline Program program(const std::string& source) {
  Compilation compilation = compile(source);
  if (const auto* refusal = std::get_if<Refusal>(&compilation))
    throw std::runtime_error(refusal->reason);
  return std::get<Program>(std::move(compilation));
}

// The refusal; a source that compiles fails the test.
inline Refusal refusal(const std::string& source) {
  Compilation compilation = compile(source);
  if (std::holds_alternative<Program>(compilation)) throw std::runtime_error("it compiles");
  return std::get<Refusal>(std::move(compilation));
}

// A whole file around what a test is about: the kernel "f" with one parameter, launched as one
// warp.
inline std::string with_kernel(const std::string& outside, const std::string& body) {
  return "#include <autokernel.cuh>\n" + outside +
         "\nAUTOKERNEL_LAUNCH({.kernel = \"f\", .block = {32}});\n"
         "extern \"C\" __global__ void f(float* x) {\n" +
         body + "\n}\n";
}

}  // namespace autokernel::compile
