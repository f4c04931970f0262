#include "programs/profile/enclosing_operations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace autokernel::programs {
namespace {

using testing::Field;
using testing::IsNull;
using testing::Pointee;

constexpr Nanoseconds kMicrosecond = 1000;

OperationSpan span(std::uint32_t operation, Nanoseconds start_us, Nanoseconds end_us,
                   std::int64_t number = 0, bool has_shapes = true) {
  return {.operation = operation,
          .has_shapes = has_shapes,
          .thread = 1,
          .start = start_us * kMicrosecond,
          .end = end_us * kMicrosecond,
          .number = number};
}
Call call_at(Nanoseconds microsecond, std::int64_t operation = 0) {
  return {.thread = 1, .start = microsecond * kMicrosecond, .operation = operation};
}
auto is(std::uint32_t operation) { return Pointee(Field(&OperationSpan::operation, operation)); }

TEST(EnclosingOperations, AreTheInnermostOfTheirThread) {
  const EnclosingOperations operations(
      {span(1, 0, 100), span(2, 10, 50), span(3, 20, 30), span(4, 60, 70)});
  EXPECT_THAT(operations.around(call_at(25)), is(3));
  EXPECT_THAT(operations.around(call_at(40)), is(2));
  EXPECT_THAT(operations.around(call_at(55)), is(1));
  EXPECT_THAT(operations.around(call_at(65)), is(4));
  EXPECT_THAT(operations.around(call_at(101)), IsNull());
}

TEST(EnclosingOperations, OfAnotherThreadAreNone) {
  const EnclosingOperations operations({span(1, 0, 100)});
  EXPECT_THAT(operations.around({.thread = 2, .start = 50 * kMicrosecond}), IsNull());
  EXPECT_THAT(operations.around({.process = 1, .thread = 1, .start = 50 * kMicrosecond}), IsNull());
}

TEST(EnclosingOperations, AreTheInnermostWithShapes) {
  const EnclosingOperations operations(
      {span(1, 0, 100, 0, false), span(2, 10, 50), span(3, 20, 30, 0, false)});
  EXPECT_THAT(operations.around(call_at(25)), is(2));
  EXPECT_THAT(operations.around(call_at(60)), is(1));
}

TEST(EnclosingOperations, AreThoseOfTheNumber) {
  const EnclosingOperations operations({span(1, 0, 100, 11), span(2, 10, 50, 12)});
  EXPECT_THAT(operations.around(call_at(25, 11)), is(1));
  EXPECT_THAT(operations.around(call_at(25, 99)), is(2));
}

TEST(EnclosingOperations, OfANumberThatMeansSomethingElseAreNotBelieved) {
  const EnclosingOperations operations({span(1, 0, 100, 11), span(2, 10, 50, 12)});
  EXPECT_THAT(operations.around(call_at(60, 12)), is(1));
}

TEST(EnclosingOperations, AreFoundByNumberAloneWhereTheCallIsUnknown) {
  const EnclosingOperations operations({span(1, 0, 100, 11)});
  EXPECT_THAT(operations.numbered(11, 200 * kMicrosecond), is(1));
  EXPECT_THAT(operations.numbered(12, 200 * kMicrosecond), IsNull());
  EXPECT_THAT(operations.numbered(0, 200 * kMicrosecond), IsNull());
}

}  // namespace
}  // namespace autokernel::programs
