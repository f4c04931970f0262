#include "autokernel/base/bounded_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace autokernel {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

TEST(BoundedText, KeepsShortTextAsItIs) {
  BoundedText text(100);
  text.add("one ");
  text.add("two");
  EXPECT_EQ(text.text(), "one two");
}

TEST(BoundedText, OfExactlyTheLimitLosesNothing) {
  BoundedText text(8);
  text.add("12345678");
  EXPECT_EQ(text.text(), "12345678");
}

TEST(BoundedText, KeepsBeginningAndEndOfLongTextAndSaysHowMuchIsMissing) {
  BoundedText text(20);
  text.add("beginning.");
  for (int i = 0; i < 100; ++i) text.add("0123456789");
  text.add("/the end/");
  EXPECT_THAT(text.text(), StartsWith("beginning.\n["));
  EXPECT_THAT(text.text(), HasSubstr("[... 999 bytes left out ...]"));
  EXPECT_THAT(text.text(), EndsWith("\n9/the end/"));
}

TEST(BoundedText, StaysSmallWhateverIsAdded) {
  BoundedText text(1000);
  const std::string piece(100000, 'x');
  for (int i = 0; i < 100; ++i) text.add(piece);
  EXPECT_THAT(text.text(), SizeIs(testing::Lt(1100U)));
}

}  // namespace
}  // namespace autokernel
