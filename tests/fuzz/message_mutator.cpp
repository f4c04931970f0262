// Lets the fuzzer begin with whole messages: from nothing it would take it days to spell one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "fuzz/message_seeds.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t limit);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t limit, unsigned seed) {
  constexpr unsigned kOneIn = 64;
  static const std::vector<std::string> seeds = autokernel::fuzz::message_seeds();
  if (seed % kOneIn == 0) {
    const std::string& chosen = seeds[seed / kOneIn % seeds.size()];
    size = std::min(chosen.size(), limit);
    std::memcpy(data, chosen.data(), size);
  }
  // A message is a line, which mutations forget.
  size = LLVMFuzzerMutate(data, size, limit);
  if (size > 0 && seed % 4 != 1) data[size - 1] = '\n';
  return size;
}
