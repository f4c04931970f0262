// redux.sync of f32, which sm_100a has: the least or greatest number of a warp, or of groups of its
// lanes, against numbers that are compared one after the other.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "reference_floats.h"
#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

constexpr std::uint32_t kCanonical = 0x7fffffff;

struct Reduction {
  const char* words;
  bool maximum;
  bool magnitudes;
  bool propagates;
};
void PrintTo(const Reduction& r, std::ostream* out) { *out << r.words; }
constexpr Reduction kReductions[] = {
    {"min", false, false, false},       {"max", true, false, false},
    {"min.abs", false, true, false},    {"max.abs", true, true, false},
    {"min.NaN", false, false, true},    {"max.NaN", true, false, true},
    {"min.abs.NaN", false, true, true}, {"max.abs.NaN", true, true, true},
};

// A negative zero is less than a positive one; a NaN is the result only of nothing but NaNs, or
// with .NaN of any.
float of_two(const Reduction& reduction, float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == reduction.propagates ? a : b;
  const bool less = a < b || (a == b && std::signbit(a));
  return less != reduction.maximum ? a : b;
}

using Words = std::vector<std::uint32_t>;

std::uint32_t expected(const Reduction& reduction, const Words& words) {
  const auto number = [&](std::uint32_t bits) {
    const auto x = std::bit_cast<float>(bits);
    return reduction.magnitudes ? std::abs(x) : x;
  };
  float result = number(words.front());
  for (const std::uint32_t word : words) result = of_two(reduction, result, number(word));
  return std::isnan(result) ? kCanonical : std::bit_cast<std::uint32_t>(result);
}

// Warps of edges, of any bits, of nothing but NaNs, of zeros of both signs, and of one NaN.
Words warps() {
  std::mt19937 random(7);
  const auto edges = f32_edges();
  Words all;
  const auto add = [&](const Words& words) { all.insert(all.end(), words.begin(), words.end()); };
  for (unsigned kind = 0; kind < 64; ++kind) {
    Words words;
    for (unsigned lane = 0; lane < 32; ++lane) {
      words.push_back(kind % 2 == 0 ? static_cast<std::uint32_t>(edges[random() % edges.size()])
                                    : static_cast<std::uint32_t>(random()));
    }
    add(words);
  }
  Words nans(32, 0xffc12345);
  nans[3] = 0x7f800001;
  add(nans);
  Words zeros(32, 0);
  zeros[9] = 0x80000000;
  add(zeros);
  Words one(32, 0xbf800000);
  one[30] = 0x7fc00000;
  add(one);
  add(Words(32, 0x00000001));
  return all;
}

class FloatReduction : public ::testing::TestWithParam<Reduction> {};
INSTANTIATE_TEST_SUITE_P(Each, FloatReduction, ::testing::ValuesIn(kReductions),
                         [](const auto& test) {
                           std::string name = test.param.words;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

// Of all warps at once; the lane is in %r2.
Words run(const std::string& body, const Words& input) {
  const Outcome outcome = run_kernel(
      kernel_of("mov.b32 %f1, %r1; mov.u32 %r2, %laneid; " + body + " st.global.f32 [%rd1], %f3;"),
      input, input.size(), {.grid = {static_cast<std::uint32_t>(input.size() / 32), 1, 1}});
  EXPECT_EQ(outcome.fault, "");
  return outcome.words;
}

// What the lanes [begin, end) of each warp get, if that is one result of their numbers.
void expect(const Reduction& reduction, const Words& all, const Words& got, std::size_t begin,
            std::size_t end) {
  for (std::size_t warp = 0; warp < all.size(); warp += 32) {
    const auto part = [&](const Words& words) {
      const auto at = [&](std::size_t lane) {
        return words.begin() + static_cast<std::ptrdiff_t>(warp + lane);
      };
      return Words(at(begin), at(end));
    };
    ASSERT_EQ(part(got), Words(end - begin, expected(reduction, part(all)))) << warp / 32;
  }
}

TEST_P(FloatReduction, GivesEveryLaneTheResultOfItsWarp) {
  const Words all = warps();
  const Words got = run(fmt::format("redux.sync.{}.f32 %f3, %f1, -1;", GetParam().words), all);
  expect(GetParam(), all, got, 0, 32);
}

TEST_P(FloatReduction, IsOfTheLanesThatNameEachOther) {
  const Words all = warps();
  const Words got =
      run(fmt::format("mov.u32 %r9, 0xf; setp.ge.u32 %p8, %r2, 4; @%p8 mov.u32 %r9, 0xfff0; "
                      "setp.ge.u32 %p8, %r2, 16; @%p8 mov.u32 %r9, 0xffff0000; "
                      "redux.sync.{}.f32 %f3, %f1, %r9;",
                      GetParam().words),
          all);
  expect(GetParam(), all, got, 0, 4);
  expect(GetParam(), all, got, 4, 16);
  expect(GetParam(), all, got, 16, 32);
}

TEST_P(FloatReduction, LeavesOutLanesThatTheGuardPassesOver) {
  const Words all = warps();
  const Words got = run(fmt::format("mov.f32 %f3, %f1; setp.lt.u32 %p1, %r2, 11; "
                                    "@%p1 redux.sync.{}.f32 %f3, %f1, 0x7ff;",
                                    GetParam().words),
                        all);
  expect(GetParam(), all, got, 0, 11);
  EXPECT_EQ(got[11], all[11]);
  EXPECT_EQ(got[31], all[31]);
}

TEST(FloatReductions, OfArithmeticTakeItsNaNAsOne) {
  const Words infinities(32, 0x7f800000);
  EXPECT_EQ(run("sub.f32 %f2, %f1, %f1; redux.sync.min.f32 %f3, %f2, -1;", infinities),
            Words(32, kCanonical));
}

TEST(FloatReductions, OfAConstantIsTheConstant) {
  EXPECT_EQ(run("redux.sync.max.abs.f32 %f3, 0fbfc00000, -1;", Words(64, 0)),
            Words(64, 0x3fc00000));
}

TEST(FloatReductions, WithoutANamedLaneAreAFault) {
  const Outcome outcome = run_kernel(
      kernel_of("setp.lt.u32 %p1, %r0, 8; @%p1 bra OUT; mov.b32 %f1, %r1; redux.sync.min.f32 %f3, "
                "%f1, -1; st.global.f32 [%rd1], %f3; OUT: bar.sync 0;"),
      Words(32, 0), 32);
  EXPECT_EQ(outcome.kind, runtime::FaultKind::barrier);
  EXPECT_NE(outcome.fault, "");
}

}  // namespace
}  // namespace emulator::testing
