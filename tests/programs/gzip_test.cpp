#include "programs/profile/gzip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "autokernel/base/error.h"
#include "programs/compressed.h"

namespace autokernel::programs {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Property;
using testing::Throws;

std::string expanded_from(std::string_view bytes, std::size_t at_once = 7,
                          const ExpansionLimits& limits = {}) {
  const Pieces pieces = expanded(pieces_of(bytes, at_once), "cannot import it", limits);
  std::string text;
  for (std::string_view piece = pieces(); !piece.empty(); piece = pieces()) text += piece;
  return text;
}

auto fails_with(const std::string& what) {
  return Throws<Error>(AllOf(Property(&Error::stop, Stop::usage),
                             Property(&Error::what, HasSubstr("cannot import it: " + what))));
}

TEST(Gzip, IsKnownByItsFirstTwoBytes) {
  EXPECT_TRUE(is_gzip(compressed("text")));
  EXPECT_FALSE(is_gzip("{}"));
  EXPECT_FALSE(is_gzip("\x1f"));
}

TEST(Gzip, IsExpandedInPieces) {
  const std::string text(1'000'000, 'a');
  EXPECT_EQ(expanded_from(compressed(text)), text);
  EXPECT_EQ(expanded_from(compressed("")), "");
}

TEST(Gzip, InSeveralPartsIsOneText) {
  EXPECT_EQ(expanded_from(compressed("one ") + compressed("") + compressed("two")), "one two");
}

TEST(Gzip, MayBeFollowedByZeros) {
  EXPECT_EQ(expanded_from(compressed("text") + std::string(100, '\0')), "text");
}

TEST(Gzip, FollowedByAnythingElseIsDamaged) {
  EXPECT_THAT([] { (void)expanded_from(compressed("text") + "more"); },
              fails_with("its compressed"));
}

TEST(Gzip, ThatIsCutAnywhereIsRefused) {
  const std::string whole = compressed("a text of some length, a text of some length");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    SCOPED_TRACE(length);
    EXPECT_THAT([&] { (void)expanded_from(whole.substr(0, length)); },
                fails_with("it is cut: the compressed data end at byte " + std::to_string(length)));
  }
}

TEST(Gzip, ThatIsDamagedIsRefused) {
  std::string damaged = compressed("a text of some length, a text of some length");
  damaged[damaged.size() - 6] ^= 1;  // of the checksum
  EXPECT_THAT([&] { (void)expanded_from(damaged); }, fails_with("its compressed data are damaged"));
}

TEST(Gzip, ThatExpandsBeyondTheLimitIsRefused) {
  const std::string large = compressed(std::string(2'000'000, 'a'));
  EXPECT_THAT([&] { (void)expanded_from(large, 100, {.most_bytes = 1'000'000}); },
              fails_with("it expands to more than 1000000 bytes"));
}

TEST(Gzip, ThatExpandsAsNoTraceDoesIsRefused) {
  std::string text;
  text.resize(20'000'000, 'a');
  const std::string bomb = compressed(text);
  EXPECT_THAT([&] { (void)expanded_from(bomb, 100, {.unsuspicious = 1'000'000}); },
              fails_with("it expands to more than 500 times its size"));
  EXPECT_EQ(expanded_from(bomb), text);
}

}  // namespace
}  // namespace autokernel::programs
