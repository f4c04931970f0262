// A case whose one input has values that were captured at several launches.
#pragma once

#include <fmt/format.h>

#include <random>
#include <string>

#include "autokernel/base/sha256.h"
#include "support/scratch_folder.h"
#include "trial/inputs/case_text.h"

namespace autokernel::trial {

// `values` is "drawn" or "kept"; `bytes` hold `count` elements for each launch.
inline cases::Case captured_case(const test::ScratchFolder& scratch, const std::string& dtype,
                                 const std::string& values, int count, const std::string& bytes) {
  scratch.write("capture/x.bin", bytes);
  cases::Case problem = unary_case(
      dtype,
      fmt::format("fill = \"captured\"\nfile = \"capture/x.bin\"\nsha256 = \"{}\"\nvalues = "
                  "\"{}\"",
                  sha256(bytes), values),
      count);
  problem.directory = scratch.path();
  return problem;
}

// Of any bits.
inline std::string random_values(std::size_t bytes) {
  std::mt19937 random(1);
  std::string text(bytes, '\0');
  for (char& byte : text) byte = static_cast<char>(random());
  return text;
}

}  // namespace autokernel::trial
