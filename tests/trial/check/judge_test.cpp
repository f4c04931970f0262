#include "trial/check/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/present.h"
#include "trial/blas/openblas.h"
#include "trial/inputs/case_text.h"
#include "trial/inputs/conversion.h"
#include "trial/inputs/element_text.h"

namespace autokernel::trial {
namespace {

using ::testing::HasSubstr;

// A product judged against OpenBLAS; `alter` may change the outputs of an honest launch before.
class JudgedProduct : public ::testing::Test {
 protected:
  JudgedProduct()
      : problem_(product_case("bf16", "bf16", 16, 32, 64)),
        sized_(problem_, "default"),
        library_(OpenBlas::open()) {}

  LaunchRecord honest(InputKind input_kind) {
    const Key key = draw_key();
    std::vector<Bytes> inputs;
    maker_.make(sized_, input_kind, key, inputs);
    LibraryReference reference(*library_, {"A", "B", "C"});
    return {&sized_, input_kind, key, "timed launch 4", reference.expected(sized_, inputs)};
  }

  std::optional<Rejection> judge(const LaunchRecord& launch) {
    LibraryReference reference(*library_, {"A", "B", "C"});
    Judge judge(reference, library_.get(), maker_);
    return judge.judge({&launch, 1});
  }

  // Multiplies all of C.
  static void scale(LaunchRecord& launch, float factor) {
    const SizedTensor& c = launch.sized->tensors[2];
    std::vector<float> values(c.count);
    to_floats(c.tensor->dtype, launch.outputs[2], values);
    for (float& value : values) value *= factor;
    from_floats(c.tensor->dtype, values, launch.outputs[2]);
  }

  cases::Case problem_;
  SizedCase sized_;
  InputMaker maker_;
  std::unique_ptr<OpenBlas> library_;
};

class EveryInputKind : public JudgedProduct, public ::testing::WithParamInterface<InputKind> {};

TEST_P(EveryInputKind, AcceptsAnHonestProduct) {
  const auto rejected = judge(honest(GetParam()));
  EXPECT_EQ(rejected.value_or(Rejection{}).reason, "");
}

INSTANTIATE_TEST_SUITE_P(Each, EveryInputKind,
                         ::testing::Values(InputKind::declared, InputKind::exact,
                                           InputKind::very_large, InputKind::very_small,
                                           InputKind::mixed, InputKind::zeros,
                                           InputKind::constant));

class ScaledInputKind : public JudgedProduct, public ::testing::WithParamInterface<InputKind> {};

TEST_P(ScaledInputKind, RejectsAProductThatIsAnEighthOff) {
  LaunchRecord launch = honest(GetParam());
  scale(launch, 1.125F);
  EXPECT_TRUE(judge(launch).has_value());
}

INSTANTIATE_TEST_SUITE_P(Each, ScaledInputKind,
                         ::testing::Values(InputKind::declared, InputKind::exact,
                                           InputKind::very_large, InputKind::very_small,
                                           InputKind::mixed, InputKind::constant));

TEST_F(JudgedProduct, RejectsAnythingButZeroFromZeros) {
  LaunchRecord launch = honest(InputKind::zeros);
  launch.outputs[2][10] = std::byte{1};
  EXPECT_TRUE(judge(launch).has_value());
}

TEST_F(JudgedProduct, NamesElementValuesInputsLaunchAndExtent) {
  LaunchRecord launch = honest(InputKind::exact);
  const SizedTensor& c = sized_.tensors[2];
  const std::uint64_t element = 3 * 32 + 17;
  const std::string expected = value_text(c.tensor->dtype, launch.outputs[2], element);
  launch.outputs[2][element * 2] = std::byte{0};
  launch.outputs[2][element * 2 + 1] = std::byte{0x3f};  // 0.5

  const auto rejected = judge(launch);

  EXPECT_EQ(test::present(rejected).verdict, Verdict::incorrect);
  EXPECT_THAT(
      test::present(rejected).reason,
      HasSubstr("C[3,17] = 0.5, expected " + expected +
                " (exact inputs, timed launch 4); 1 of 512 elements differ, largest difference"));
}

TEST_F(JudgedProduct, SaysHowManyElementsWereNeverWritten) {
  LaunchRecord launch = honest(InputKind::exact);
  Bytes noise(launch.outputs[2].size());
  random_bytes({launch.key, 2, Purpose::noise}, noise);
  const auto behind_row_14 = std::ptrdiff_t{15} * 32 * 2;
  std::copy(noise.begin() + behind_row_14, noise.end(), launch.outputs[2].begin() + behind_row_14);

  const Rejection rejected = test::present(judge(launch));

  EXPECT_THAT(rejected.reason, HasSubstr("C[15,0] was never written, expected "));
  EXPECT_THAT(rejected.reason, HasSubstr("; 32 of 512 elements were not"));
  EXPECT_EQ(rejected.cause, Cause::never_written);
}

// One of 128 keys or so fills the memory with what some element is to become.
TEST_F(JudgedProduct, TakesNothingForUnwrittenThatIsRight) {
  LaunchRecord launch = honest(InputKind::exact);
  Bytes noise(launch.outputs[2].size());
  const auto right_by_chance = [&] {
    std::size_t found = 0;
    for (std::size_t at = 2; at < noise.size(); at += 2) {
      found += std::equal(&noise[at], &noise[at] + 2, &launch.outputs[2][at]) ? 1U : 0U;
    }
    return found;
  };
  while (random_bytes({launch.key, 2, Purpose::noise}, noise), right_by_chance() == 0) {
    launch = honest(InputKind::exact);
  }
  std::copy_n(noise.begin(), 2, launch.outputs[2].begin());

  EXPECT_THAT(test::present(judge(launch)).reason, HasSubstr("; 1 of 512 elements were not"));
}

TEST_F(JudgedProduct, TakesNothingForUnwrittenThatHasOtherBits) {
  LaunchRecord launch = honest(InputKind::exact);
  std::ranges::fill(launch.outputs[2], std::byte{0x3f});

  const Rejection rejected = test::present(judge(launch));

  EXPECT_THAT(rejected.reason, testing::Not(HasSubstr("never written")));
  EXPECT_EQ(rejected.cause, Cause::unknown);
}

TEST_F(JudgedProduct, CountsWhatIsNotFiniteInPlaceOfADifference) {
  LaunchRecord launch = honest(InputKind::exact);
  launch.outputs[2][0] = std::byte{0xc0};  // the element is a NaN
  launch.outputs[2][1] = std::byte{0x7f};

  const std::string reason = test::present(judge(launch)).reason;

  EXPECT_THAT(reason, HasSubstr("1 of 512 elements differ, 1 not finite"));
  EXPECT_THAT(reason, testing::Not(HasSubstr("largest difference")));
}

TEST_F(JudgedProduct, ASingleWrongBitOnExactInputsIsEnough) {
  LaunchRecord launch = honest(InputKind::exact);
  launch.outputs[2][200] ^= std::byte{1};
  EXPECT_TRUE(judge(launch).has_value());
}

TEST_F(JudgedProduct, ReportsTheDifferencesOfWhatItAccepts) {
  LaunchRecord launch = honest(InputKind::declared);
  launch.outputs[2][0] ^= std::byte{1};  // the last bit of one element
  LibraryReference reference(*library_, {"A", "B", "C"});
  Judge judge(reference, library_.get(), maker_);
  ASSERT_FALSE(judge.judge({&launch, 1}).has_value());
  EXPECT_GT(judge.differences().max_abs, 0);
  EXPECT_LT(judge.differences().max_rel, 0.01);
}

TEST_F(JudgedProduct, RejectsWhatIsWithinTheTolerancesButNoSumInFp32) {
  LaunchRecord launch = honest(InputKind::declared);
  scale(launch, 1.004F);

  EXPECT_THAT(test::present(judge(launch)).reason,
              HasSubstr("C is not as accurate as a sum in fp32: "));
}

TEST_F(JudgedProduct, RepeatsThatDifferAreRejectedWithBothValues) {
  const LaunchRecord first = honest(InputKind::exact);
  LaunchRecord second = first;
  second.outputs[2][0] ^= std::byte{1};
  const std::vector<LaunchRecord> launches = {first, second};

  const auto rejected = differing_repeats(launches);

  EXPECT_THAT(test::present(rejected).reason, HasSubstr("C[0,0] = "));
  EXPECT_THAT(test::present(rejected).reason, HasSubstr("on the same inputs"));
}

TEST_F(JudgedProduct, LaunchesOnOtherInputsNeedNotRepeat) {
  const std::vector<LaunchRecord> launches = {honest(InputKind::exact), honest(InputKind::exact)};
  EXPECT_FALSE(differing_repeats(launches).has_value());
}

// A reference of one tensor that always expects the same value.
class Constant : public Reference {
 public:
  explicit Constant(float value) : value_(value) {}
  const std::vector<Bytes>& expected(const SizedCase& sized,
                                     const std::vector<Bytes>& /*inputs*/) override {
    const std::vector<float> values(sized.tensors[1].count, value_);
    expected_.resize(2);
    expected_[1].resize(sized.tensors[1].bytes);
    from_floats(sized.tensors[1].tensor->dtype, values, expected_[1]);
    return expected_;
  }

 private:
  float value_;
  std::vector<Bytes> expected_;
};

TEST(Judge, TellsOfAToleranceWithinWhichNothingIsRight) {
  cases::Case problem = unary_case("f32", "fill = \"normal\"", 10);
  problem.tolerance = {.absolute = 1e-4, .relative = 1e-4};
  const SizedCase sized(problem, "default");
  const InputMaker maker;
  const auto notes_of = [&](float expected) {
    Constant reference(expected);
    Judge judge(reference, nullptr, maker);
    const LaunchRecord launch{
        &sized, InputKind::declared, draw_key(), "check launch 1", {{}, Bytes(40)}};
    LaunchRecord right = launch;
    from_floats(cases::DType::f32, std::vector<float>(10, expected), right.outputs[1]);
    EXPECT_FALSE(judge.judge({&right, 1}).has_value());
    return judge.notes();
  };
  EXPECT_THAT(notes_of(5e-6F), testing::ElementsAre(HasSubstr("could be all zeros")));
  EXPECT_THAT(notes_of(0.5F), testing::IsEmpty());
  EXPECT_THAT(notes_of(0), testing::IsEmpty());
}

TEST(Judge, DoesNotJudgeStressInputsOnWhichTheReferenceOverflows) {
  const cases::Case problem = unary_case("f32", "fill = \"normal\"", 10);
  const SizedCase sized(problem, "default");
  const InputMaker maker;
  Constant reference(INFINITY);
  Judge judge(reference, nullptr, maker);
  const LaunchRecord launch{
      &sized, InputKind::very_large, draw_key(), "check launch 2", {{}, Bytes(40)}};

  EXPECT_FALSE(judge.judge({&launch, 1}).has_value());
  ASSERT_EQ(judge.notes().size(), 1U);
  EXPECT_THAT(judge.notes()[0], HasSubstr("not finite"));
}

TEST(Judge, RejectsWhatAReferenceThatOverflowsOnDeclaredInputsCannotConfirm) {
  const cases::Case problem = unary_case("f32", "fill = \"normal\"", 10);
  const SizedCase sized(problem, "default");
  const InputMaker maker;
  Constant reference(INFINITY);
  Judge judge(reference, nullptr, maker);
  const LaunchRecord launch{
      &sized, InputKind::declared, draw_key(), "check launch 1", {{}, Bytes(40)}};

  EXPECT_TRUE(judge.judge({&launch, 1}).has_value());
}

}  // namespace
}  // namespace autokernel::trial
