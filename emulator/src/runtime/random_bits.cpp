#include "runtime/random_bits.h"

#include <cstring>

namespace emulator::runtime {
namespace {

// splitmix64: each word depends on its position alone, so that the loop has no carried dependence
// but an addition.
std::uint64_t mix(std::uint64_t state) {
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9U;
  state = (state ^ (state >> 27)) * 0x94d049bb133111ebU;
  return state ^ (state >> 31);
}

}  // namespace

void fill_with_random_bits(void* memory, std::size_t bytes, std::uint64_t seed) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;
  auto* out = static_cast<std::uint8_t*>(memory);
  std::uint64_t state = mix(seed + kGolden);
  for (; bytes >= sizeof(std::uint64_t); bytes -= sizeof(std::uint64_t)) {
    state += kGolden;
    const std::uint64_t word = mix(state);
    std::memcpy(out, &word, sizeof word);
    out += sizeof word;
  }
  const std::uint64_t word = mix(state + kGolden);
  std::memcpy(out, &word, bytes);
}

}  // namespace emulator::runtime
