#include "golden/cases.h"

#include <fmt/format.h>

#include <iterator>

namespace emulator::golden {

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const auto family : {warpgroup_products, sparse_products, tensor_copies, clusters}) {
    std::vector<Case> cases = family();
    all.insert(all.end(), std::make_move_iterator(cases.begin()),
               std::make_move_iterator(cases.end()));
  }
  return all;
}

std::string outcome_of(const Case& test, Words* words) {
  try {
    const Words left = test.run();
    if (words != nullptr) *words = left;
    return digest(left);
  } catch (const Fault& fault) {
    return fmt::format("fault-{}", fault.result);
  }
}

std::string digest(const Words& words) {
  constexpr std::uint64_t kOffsetBasis = 0xcbf29ce484222325;
  constexpr std::uint64_t kPrime = 0x100000001b3;
  std::uint64_t hash = kOffsetBasis;
  for (const std::uint32_t word : words) {
    for (unsigned bit = 0; bit < 32; bit += 8) hash = (hash ^ (word >> bit & 0xFFU)) * kPrime;
  }
  return fmt::format("{:016x}", hash);
}

std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  std::uint64_t value = state;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111eb;
  return value ^ (value >> 31U);
}

}  // namespace emulator::golden
