#include <gmock/gmock.h>

#include "autokernel/base/error.h"
#include "autokernel/cases/case.h"

namespace autokernel::cases {
namespace {

const Sizes kSizes = {{"M", 1024}, {"N", 512}};

auto refuses(const std::string& why) {
  return testing::ThrowsMessage<Error>(testing::HasSubstr(why));
}
auto evaluating(const std::string& formula) {
  return [formula] { static_cast<void>(evaluate(formula, kSizes)); };
}

TEST(Formula, IsArithmeticOfTheSizes) {
  EXPECT_DOUBLE_EQ(evaluate("2*M*N + 4", kSizes), 2.0 * 1024 * 512 + 4);
  EXPECT_DOUBLE_EQ(evaluate("(M+N)/3", kSizes), 512);
  EXPECT_DOUBLE_EQ(evaluate("7", kSizes), 7);
}

TEST(Formula, IsExactForProductsOfThisSize) {
  EXPECT_DOUBLE_EQ(evaluate("2*A*A*A", {{"A", 131072}}), 4503599627370496.0);
}

TEST(Formula, NamesTheSymbolItDoesNotKnow) {
  EXPECT_THAT(evaluating("M*Q"), refuses("\"Q\" is not a size symbol; write M or N"));
}

TEST(Formula, ThatIsMalformedIsAnErrorOfUsage) {
  EXPECT_THAT(evaluating("2*"), refuses("cannot evaluate \"2*\""));
  EXPECT_THAT(evaluating(""), refuses("cannot evaluate \"\""));
  EXPECT_THAT(evaluating("M)("), refuses("cannot evaluate"));
}

TEST(Formula, CannotChangeASize) { EXPECT_THAT(evaluating("M = 3"), refuses("cannot evaluate")); }

TEST(Formula, GivesOneValue) { EXPECT_THAT(evaluating("M, N"), refuses("more than one value")); }

TEST(Formula, GivesAFiniteValue) {
  EXPECT_THAT(evaluating("M/0"), refuses("not a finite number"));
  EXPECT_THAT(evaluating("10^400"), refuses("not a finite number"));
}

TEST(Formula, HasALimitedLength) {
  EXPECT_THAT(evaluating(std::string(1000, '(')), refuses("longer than 500"));
}

}  // namespace
}  // namespace autokernel::cases
