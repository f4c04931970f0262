#include "ledger/checksum.h"

#include <algorithm>
#include <cstring>

namespace autokernel::ledger {
namespace {

// Those of FNV-1a, which takes a byte where this takes eight: a status reads and checks megabytes.
constexpr std::uint64_t kStart = 0xcbf29ce484222325U;
constexpr std::uint64_t kPrime = 0x100000001b3U;

}  // namespace

std::uint64_t checksum(std::string_view text) {
  // Each step can be undone, so what once differs stays different. The length tells a text from the
  // same one with zeros behind it.
  std::uint64_t sum = kStart ^ text.size();
  while (!text.empty()) {
    std::uint64_t group = 0;
    const std::size_t count = std::min(text.size(), sizeof group);
    std::memcpy(&group, text.data(), count);
    sum = (sum ^ group) * kPrime;
    sum ^= sum >> 32U;
    text.remove_prefix(count);
  }
  return sum;
}

}  // namespace autokernel::ledger
