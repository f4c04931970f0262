// Runs one instruction on many triples of 64-bit operands, edges first.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/kernel_run.h"

namespace emulator::testing {

using Triple = std::array<std::uint64_t, 3>;

// All pairs of `edges` (at most 32) with a third in turn, then as many random ones, of which half
// have neighbouring exponents when read as numbers of `bits` bits.
[[nodiscard]] inline std::vector<Triple> triples(const std::vector<std::uint64_t>& edges,
                                                 unsigned bits) {
  constexpr std::size_t kRandom = 1024;
  std::vector<Triple> all;
  for (std::size_t i = 0; i < edges.size() * edges.size(); ++i) {
    const std::size_t j = i / edges.size();
    all.push_back({edges[j], edges[i % edges.size()], edges[(i * 5 + j) % edges.size()]});
  }
  std::mt19937_64 random(bits);
  const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  // The sign and the upper bits of the exponent are kept, what is below varies.
  const std::uint64_t low = mask >> (bits == 64 ? 8 : 5);
  for (std::size_t i = 0; i < kRandom; ++i) {
    const std::uint64_t a = random() & mask;
    if (i % 2 == 0) {
      all.push_back({a, random() & mask, random() & mask});
    } else {
      all.push_back({a, (a & ~low) | (random() & low), (a & ~low) | (random() & low)});
    }
  }
  while (all.size() % 256 != 0) all.push_back(all.front());
  return all;
}

enum class Spread : std::uint8_t {
  lanes,   // a triple per thread
  blocks,  // a triple per block: the warp computes with scalars
};

// One launch over the operands.
[[nodiscard]] inline std::vector<std::uint64_t> run_spread(const std::string& body,
                                                           const std::vector<Triple>& operands,
                                                           Spread spread) {
  const bool by_lane = spread == Spread::lanes;
  const std::string index = by_lane ? "%r0" : "%r60";  // kernel_of() leaves %ctaid.x in %r60
  std::string code = "mul.wide.u32 %rd4, " + index + ", 24; add.s64 %rd5, %rd2, %rd4;\n";
  for (unsigned i = 0; i < 3; ++i) {
    code += fmt::format(
        "ld.global.u64 %rd1{0}, [%rd5+{1}]; cvt.u32.u64 %r1{0}, %rd1{0}; mov.b32 %f1{0}, %r1{0};\n"
        "mov.b64 %d1{0}, %rd1{0}; cvt.u16.u64 %h1{0}, %rd1{0};\n",
        i, 8 * i);
  }
  code += "mul.wide.u32 %rd6, " + index + ", 8; add.s64 %rd7, %rd3, %rd6;\n" + body +
          "\nst.global.u64 [%rd7], %rd20;";
  std::vector<std::uint32_t> words;
  for (const Triple& triple : operands) {
    for (const std::uint64_t operand : triple) {
      words.push_back(static_cast<std::uint32_t>(operand));
      words.push_back(static_cast<std::uint32_t>(operand >> 32));
    }
  }
  const std::size_t per_block = by_lane ? 256 : 1;
  const auto blocks = static_cast<std::uint32_t>(operands.size() / per_block);
  const std::uint32_t threads = by_lane ? 256 : 32;
  words.resize(std::max(words.size(), std::size_t{blocks} * threads));  // kernel_of() reads them
  const Outcome outcome = run_kernel(kernel_of(code), words, operands.size() * 2,
                                     {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}});
  EXPECT_EQ(outcome.fault, "") << body;
  std::vector<std::uint64_t> results;
  results.reserve(operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    results.push_back(outcome.words[2 * i] | std::uint64_t{outcome.words[2 * i + 1]} << 32);
  }
  return results;
}

// The 64-bit results of `body`, which finds the operands in %rd10 to %rd12, their lower halves in
// %r10 to %r12 and %f10 to %f12, whole ones in %d10 to %d12, the lowest 16 bits in %h10 to %h12,
// and leaves its result in %rd20. The same comes out where a warp's lanes all have the same
// operands.
[[nodiscard]] inline std::vector<std::uint64_t> run_on(const std::string& body,
                                                       const std::vector<Triple>& operands) {
  const auto results = run_spread(body, operands, Spread::lanes);
  EXPECT_EQ(run_spread(body, operands, Spread::blocks), results) << body;
  return results;
}

}  // namespace emulator::testing
