#include <gmock/gmock.h>

#include "autokernel/base/error.h"
#include "loop/autotune/integer_condition.h"
#include "loop/autotune/parameters.h"

namespace autokernel::loop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

constexpr const char* kKernel = R"cu(#include <autokernel.cuh>
// AUTOKERNEL_TUNE(COMMENT, 1, 2);
AUTOKERNEL_TUNE(BM, 64, 0x100, 1'28 /* of rows */);
AUTOKERNEL_TUNE ( STAGES ,
                  3u, 2u);  // of the pipeline
AUTOKERNEL_TUNE(SWIZZLE, false, true);
AUTOKERNEL_TUNE_IF(BM * STAGES <= 512);
AUTOKERNEL_TUNE_IF((M % BM) == 0 && (SWIZZLE || BM < 200));
const char* text = "AUTOKERNEL_TUNE(LITERAL, 1, 2)";
)cu";

TEST(TuneParameters, AreReadFromDeclarations) {
  const TuneSpace space = tune_space_of(kKernel, "kernel.cu");
  ASSERT_THAT(space.parameters, SizeIs(3));
  EXPECT_EQ(space.parameters[0].name, "BM");
  EXPECT_THAT(space.parameters[0].values, ElementsAre("64", "0x100", "1'28"));
  EXPECT_EQ(space.parameters[1].name, "STAGES");
  EXPECT_THAT(space.parameters[1].values, ElementsAre("3u", "2u"));
  EXPECT_THAT(space.parameters[2].values, ElementsAre("false", "true"));
  EXPECT_THAT(space.conditions,
              ElementsAre("BM * STAGES <= 512", "(M % BM) == 0 && (SWIZZLE || BM < 200)"));
  EXPECT_THAT(tune_space_of("int main() {}", "kernel.cu").parameters, IsEmpty());
}

TEST(TuneParameters, AConfigurationHasOneTextWhateverWasTriedBefore) {
  const TuneSpace space = tune_space_of(kKernel, "kernel.cu");
  const std::string third = with_configuration(kKernel, space, {2, 1, 1});
  EXPECT_THAT(third, HasSubstr("AUTOKERNEL_TUNE(BM, 1'28, 64, 0x100);"));
  EXPECT_THAT(third, HasSubstr("AUTOKERNEL_TUNE ( STAGES , 2u, 3u);  // of the pipeline"));
  EXPECT_THAT(third, HasSubstr("AUTOKERNEL_TUNE(SWIZZLE, true, false);"));
  const TuneSpace of_third = tune_space_of(third, "kernel.cu");
  EXPECT_THAT(configuration_of(of_third, space), ElementsAre(2, 1, 1));
  const std::string first = with_configuration(third, of_third, {1, 1, 1});
  EXPECT_EQ(with_configuration(first, tune_space_of(first, ""),
                               configuration_of(of_third, tune_space_of(first, ""))),
            third);
  EXPECT_EQ(without_values(kKernel, space), without_values(third, of_third));
  EXPECT_EQ(configuration_text(space, {1, 0, 0}), "BM = 0x100, STAGES = 3u, SWIZZLE = false");
}

TEST(TuneParameters, OfAnotherKernelAreNone) {
  const TuneSpace space = tune_space_of(kKernel, "");
  const std::string other = std::string(kKernel) + "int more;\n";
  EXPECT_NE(without_values(other, tune_space_of(other, "")), without_values(kKernel, space));
  const TuneSpace fewer = tune_space_of("AUTOKERNEL_TUNE(BM, 64);", "");
  EXPECT_THAT(configuration_of(fewer, space), IsEmpty());
  const TuneSpace unknown = tune_space_of(
      "AUTOKERNEL_TUNE(BM, 65);AUTOKERNEL_TUNE(STAGES, 3);"
      "AUTOKERNEL_TUNE(SWIZZLE, 0);",
      "");
  EXPECT_THAT(configuration_of(unknown, space), IsEmpty());
}

TEST(TuneParameters, ThatCannotBeUnderstoodAreNamedWithTheirLine) {
  const auto refused = [](const std::string& text, const char* why) {
    EXPECT_THAT([&] { static_cast<void>(tune_space_of("\n" + text, "kernel.cu")); },
                ThrowsMessage<Error>(AllOf(HasSubstr("cannot tune kernel.cu:2: "), HasSubstr(why))))
        << text;
  };
  refused("AUTOKERNEL_TUNE(BM, 1.5);", "'1.5'; write numbers that an int holds");
  refused("AUTOKERNEL_TUNE(BM, N);", "'N'; write numbers that an int holds");
  refused("AUTOKERNEL_TUNE(BM, 64, );", "''; write numbers that an int holds");
  refused("AUTOKERNEL_TUNE(BM, 1, 0x1);", "0x1 twice");
  refused("AUTOKERNEL_TUNE(BM);", "BM has no value");
  refused("AUTOKERNEL_TUNE();", "write AUTOKERNEL_TUNE(NAME");
  refused("AUTOKERNEL_TUNE(B M, 1);", "write AUTOKERNEL_TUNE(NAME");
  refused("AUTOKERNEL_TUNE(BM, 1);AUTOKERNEL_TUNE(BM, 2);", "BM is declared twice");
  refused("AUTOKERNEL_TUNE(BM, 1", "its bracket is not closed");
  refused("AUTOKERNEL_TUNE BM;", "write it with brackets");
  std::string many = "AUTOKERNEL_TUNE(BM, 0";
  for (int i = 1; i < 300; ++i) many += ", " + std::to_string(i);
  refused(many + ");", "more than 256 values");
}

TEST(TuneParameters, AreReadOrRefusedWhereverTheTextIsCut) {
  const std::string whole = kKernel;
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    try {
      EXPECT_LE(tune_space_of(whole.substr(0, length), "k").parameters.size(), 3U);
    } catch (const Error& error) {
      EXPECT_EQ(error.stop(), Stop::usage);
    }
  }
}

TEST(TuneConditions, AreThoseOfTheSizeAndTheParameters) {
  const TuneSpace space = tune_space_of(kKernel, "kernel.cu");
  TuneConditions conditions(space, {{"M", 1024}});
  EXPECT_THAT(conditions.left(), IsEmpty());
  EXPECT_TRUE(conditions.hold({0, 0, 0}));
  EXPECT_FALSE(conditions.hold({1, 0, 1}));  // 256 * 3
  EXPECT_TRUE(conditions.hold({1, 1, 1}));   // 256 * 2
  EXPECT_FALSE(conditions.hold({1, 1, 0}));  // neither swizzled nor below 200
}

TEST(TuneConditions, ThatCannotBeReadAreLeftToTheCompiler) {
  const TuneSpace space = tune_space_of(
      "AUTOKERNEL_TUNE(BM, 64, 128); AUTOKERNEL_TUNE_IF(BM * sizeof(float) < 300);"
      "AUTOKERNEL_TUNE_IF(BM < 100); AUTOKERNEL_TUNE_IF(7 / (BM - 128) < 9);"
      "AUTOKERNEL_TUNE_IF(BM > 100);",
      "kernel.cu");
  TuneConditions conditions(space, {});
  ASSERT_THAT(conditions.left(), SizeIs(2));
  EXPECT_EQ(conditions.left()[0].condition, "BM * sizeof(float) < 300");
  EXPECT_EQ(conditions.left()[1].why, "it would exclude the values that the kernel has");
  EXPECT_TRUE(conditions.hold({0}));
  EXPECT_FALSE(conditions.hold({1}));
}

// As C++ has it: what the macro's second argument is, the compiler evaluates.
#define EXPECT_AS_COMPILED(expression)                                                   \
  EXPECT_EQ(IntegerCondition(#expression, place_of).holds({A, B, Q}), (expression) != 0) \
      << #expression

TEST(IntegerCondition, HoldsAsTheCompilerSays) {
  const auto place_of = [](std::string_view name) -> std::optional<std::size_t> {
    if (name.size() != 1 || std::string_view("ABQ").find(name[0]) == std::string_view::npos)
      return {};
    return std::string_view("ABQ").find(name[0]);
  };
  for (const int A : {-3, 1, 64, 128}) {
    for (const int B : {1, 2, 7}) {
      for (const int Q : {0, 1, 5}) {
        // What compilers warn of is what people get wrong.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wbool-compare"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
        EXPECT_AS_COMPILED(A <= 64 || B <= 64 && Q == 1);
        EXPECT_AS_COMPILED(A > 64 == B > 1);
        EXPECT_AS_COMPILED((A ^ B) == 0);
        EXPECT_AS_COMPILED(A ^ B == 0);
        EXPECT_AS_COMPILED(A & B - 1);
        EXPECT_AS_COMPILED(A + B * 3 - Q % 3 / 2 == 60);
        EXPECT_AS_COMPILED(A / B * B + A % B == A);
        EXPECT_AS_COMPILED(B + Q << 1 <= 8);
        EXPECT_AS_COMPILED(1 << B + Q > 0x20);
        EXPECT_AS_COMPILED(!(A == Q) ? B : A < 3);
        EXPECT_AS_COMPILED(Q ? A ? 1 : 0 : B > 1 ? 0 : 1);
        EXPECT_AS_COMPILED(-A - -B != ~Q);
        EXPECT_AS_COMPILED(A | B & Q ^ 1'0);
        EXPECT_AS_COMPILED(A == 0b1000000 || A == 0100 || false);
        EXPECT_AS_COMPILED(Q != 0 && A / Q > 1);
#pragma GCC diagnostic pop
      }
    }
  }
  const auto value = [&](const std::string& text, std::int64_t a) {
    return IntegerCondition(text, place_of).holds({a, 1, 0});
  };
  EXPECT_EQ(value("A * A > 5", 100'000), std::nullopt);  // no int
  EXPECT_EQ(value("A > 5", 1LL << 40), std::nullopt);
  EXPECT_EQ(value("1 / Q == A", 1), std::nullopt);
  EXPECT_EQ(value("B || 1 / Q == A", 1), true);
  EXPECT_EQ(value("1 << A", 40), std::nullopt);
}

TEST(IntegerCondition, ThatIsNotReadIsRefusedWhereverItIsCut) {
  const auto no_names = [](std::string_view) { return std::optional<std::size_t>(0); };
  const std::string whole = "(A + 0x1'0u) * 3 << 2 <= -B ? !(C == 1) && ~D : E % 7 | 4 ^ F";
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    try {
      EXPECT_TRUE(IntegerCondition(whole.substr(0, length), no_names).holds({1}).has_value());
    } catch (const UnreadableCondition&) {
    }
  }
  for (const std::string& wrong :
       {std::string("sizeof(int)"), std::string("A B"), std::string("A,"), std::string("1.5"),
        std::string("A = 1"), std::string("99999999999"), std::string("08"), std::string("A ? 1"),
        std::string(5000, '('), std::string(5000, '-') + "1", std::string(9000, '1')}) {
    EXPECT_THROW(IntegerCondition(wrong, no_names), UnreadableCondition) << wrong.substr(0, 30);
  }
  std::string chain = "1";
  for (int i = 0; i < 5000; ++i) chain += "+1";
  EXPECT_THROW(IntegerCondition(chain, no_names), UnreadableCondition);
}

}  // namespace
}  // namespace autokernel::loop
