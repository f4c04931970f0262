// How a test's kernel is launched, and what came of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/abi.h"

namespace emulator::testing {

// A tensor of 32-bit words, whose rows follow each other, and the boxes that are taken of it.
struct TensorOfWords {
  std::array<std::uint32_t, 2> dims;
  std::array<std::uint32_t, 2> box;
};

struct Grid {
  std::array<std::uint32_t, 3> grid = {1, 1, 1};
  std::array<std::uint32_t, 3> block = {32, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint64_t stack_bytes = 1024;  // of a thread, where its functions call themselves
  std::array<std::uint32_t, 3> cluster = {1, 1, 1};
  std::optional<TensorOfWords> map = std::nullopt;  // of the input: a third parameter
};

struct Outcome {
  std::vector<std::uint32_t> words;  // what the kernel left in its output
  std::string fault;                 // its report; empty where there was none
  runtime::FaultKind kind{};
  std::optional<runtime::Unit> unit;  // what the emulator ran
  // Of a kernel that compares what was claimed of its registers.
  std::uint64_t claims_compared = 0;
  std::uint64_t claims_wrong = 0;
  std::vector<std::string> wrong_claims;  // the first of them
};

}  // namespace emulator::testing
