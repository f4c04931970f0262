#include "autokernel/base/line_buffer.h"

#include <gtest/gtest.h>

#include <string>

namespace autokernel {
namespace {

TEST(LineBuffer, HandsOutLinesHoweverTheyArrive) {
  LineBuffer buffer;
  buffer.add("one\ntw");
  EXPECT_EQ(buffer.next(), "one\n");
  EXPECT_EQ(buffer.next(), std::nullopt);
  buffer.add("o\n\nthr");
  EXPECT_EQ(buffer.next(), "two\n");
  EXPECT_EQ(buffer.next(), "\n");
  EXPECT_EQ(buffer.next(), std::nullopt);
  buffer.add("ee\n");
  EXPECT_EQ(buffer.next(), "three\n");
  EXPECT_EQ(buffer.next(), std::nullopt);
}

TEST(LineBuffer, KnowsWhatWaits) {
  LineBuffer buffer;
  buffer.add("one\ntw");
  EXPECT_EQ(buffer.waiting(), 6U);
  EXPECT_EQ(buffer.unfinished(), 2U);
  buffer.add("o");
  EXPECT_EQ(buffer.unfinished(), 3U);
  static_cast<void>(buffer.next());
  EXPECT_EQ(buffer.waiting(), 3U);
  buffer.add("\n");
  EXPECT_EQ(buffer.unfinished(), 0U);
  static_cast<void>(buffer.next());
  EXPECT_EQ(buffer.waiting(), 0U);
}

// What is moved for each line would be minutes here.
TEST(LineBuffer, HandsOutAMillionLinesAtOnce) {
  LineBuffer buffer;
  std::string lines;
  for (int i = 0; i < 1'000'000; ++i) lines += "a line\n";
  buffer.add(lines);
  int handed = 0;
  while (buffer.next()) ++handed;
  EXPECT_EQ(handed, 1'000'000);
}

}  // namespace
}  // namespace autokernel
