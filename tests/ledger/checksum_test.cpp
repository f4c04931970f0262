#include "ledger/checksum.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace autokernel::ledger {
namespace {

const std::string kText = "A row of the index, say, with its 43 bytes.";

TEST(Checksum, IsTheSameForTheSameBytes) {
  EXPECT_EQ(checksum(kText), checksum(std::string(kText)));
}

TEST(Checksum, ChangesWithEveryBit) {
  std::set<std::uint64_t> sums = {checksum(kText)};
  for (std::size_t at = 0; at < kText.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string text = kText;
      text[at] = static_cast<char>(text[at] ^ (1 << bit));
      sums.insert(checksum(text));
    }
  }
  EXPECT_EQ(sums.size(), 1 + kText.size() * 8);
}

TEST(Checksum, ChangesWithEveryCut) {
  std::set<std::uint64_t> sums;
  for (std::size_t length = 0; length <= kText.size(); ++length) {
    sums.insert(checksum(std::string_view(kText).substr(0, length)));
  }
  EXPECT_EQ(sums.size(), kText.size() + 1);
}

TEST(Checksum, TellsZerosByTheirNumber) {
  EXPECT_NE(checksum(std::string(8, '\0')), checksum(std::string(9, '\0')));
  EXPECT_NE(checksum(""), checksum(std::string(1, '\0')));
}

}  // namespace
}  // namespace autokernel::ledger
