#include "autokernel/cases/captured_values.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "autokernel/base/error.h"
#include "trial/inputs/captured_case.h"
#include "trial/inputs/inputs.h"

namespace autokernel::trial {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

constexpr int kCount = 1000;
constexpr int kSets = 3;

class CapturedValues : public testing::Test {
 protected:
  // The input of a launch.
  [[nodiscard]] static std::string made(const cases::Case& problem, InputKind kind, Key key) {
    const SizedCase sized(problem, "default");
    InputMaker maker;
    maker.read_captured(problem);
    std::vector<Bytes> inputs;
    maker.make(sized, kind, key, inputs);
    return {reinterpret_cast<const char*>(inputs[0].data()), inputs[0].size()};
  }
  template <typename Word>
  [[nodiscard]] static std::vector<Word> words_of(const std::string& bytes) {
    std::vector<Word> words(bytes.size() / sizeof(Word));
    std::memcpy(words.data(), bytes.data(), bytes.size());
    return words;
  }

  test::ScratchFolder scratch_;
};

TEST_F(CapturedValues, ThatAreDrawnLieNearThoseThatWereCaptured) {
  std::vector<float> captured;
  for (int i = 0; i < kCount * kSets; ++i) {
    captured.push_back(i % 7 == 0 ? 0.0F : std::ldexp(1.5F, i % 40 - 20) * (i % 2 == 0 ? 1 : -1));
  }
  captured[1] = INFINITY;
  const std::string bytes(reinterpret_cast<const char*>(captured.data()),
                          captured.size() * sizeof(float));
  const cases::Case problem = captured_case(scratch_, "f32", "drawn", kCount, bytes);
  const std::set<float> known(captured.begin(), captured.end());

  const std::string first = made(problem, InputKind::declared, Key{{1, 2}});
  int same = 0;
  for (const float value : words_of<float>(first)) {
    if (value == 0 || std::isinf(value)) continue;
    same += known.contains(value) ? 1 : 0;
    const auto near = known.lower_bound(value - std::fabs(value) * 0x1p-11F);
    ASSERT_NE(near, known.end()) << value;
    EXPECT_LE(std::fabs(*near - value), std::fabs(value) * 0x1p-11F) << value;
  }
  EXPECT_LE(same, 10);  // of 857, each with a chance of 1 in 2048
  EXPECT_NE(first, made(problem, InputKind::declared, Key{{1, 3}}));
}

TEST_F(CapturedValues, OfIntegersChangePlacesAndNothingElse) {
  const std::string bytes = random_values(kCount * kSets * sizeof(std::int32_t));
  const cases::Case problem = captured_case(scratch_, "i32", "drawn", kCount, bytes);
  const auto captured = words_of<std::int32_t>(bytes);
  const std::set<std::int32_t> known(captured.begin(), captured.end());

  const std::string first = made(problem, InputKind::declared, Key{{1, 2}});
  for (const std::int32_t value : words_of<std::int32_t>(first)) {
    EXPECT_TRUE(known.contains(value)) << value;
  }
  EXPECT_NE(first, bytes.substr(0, first.size()));
  EXPECT_NE(first, made(problem, InputKind::declared, Key{{1, 3}}));
}

TEST_F(CapturedValues, ThatArePerturbedDifferInTheLowestBitOfEachElement) {
  const std::string bytes = random_values(kCount * kSets);
  const cases::Case problem = captured_case(scratch_, "u8", "perturbed", kCount, bytes);
  const std::string first = made(problem, InputKind::declared, Key{{1, 1}});
  const std::string set = bytes.substr(1 * kCount, kCount);
  int changed = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i] & ~1, set[i] & ~1) << i;
    changed += first[i] != set[i] ? 1 : 0;
  }
  EXPECT_NEAR(changed, 0.5 * kCount, 100);  // standard deviation 16
  EXPECT_EQ(made(problem, InputKind::zeros, Key{{1, 1}}), set);
}

TEST_F(CapturedValues, StandAsTheyWereWhereTheyAreKeptAndInPlaceOfStress) {
  const std::string bytes = random_values(kCount * kSets * sizeof(float));
  const std::size_t one = bytes.size() / kSets;
  const auto is_set = AnyOf(bytes.substr(0, one), bytes.substr(one, one), bytes.substr(2 * one));
  const cases::Case kept = captured_case(scratch_, "f32", "kept", kCount, bytes);
  const cases::Case drawn = captured_case(scratch_, "f32", "drawn", kCount, bytes);
  std::set<std::string> seen;
  for (std::uint32_t key = 0; key < 32; ++key) {
    EXPECT_THAT(made(kept, InputKind::declared, Key{{key, key}}), is_set);
    seen.insert(made(drawn, InputKind::very_large, Key{{key, key}}));
    EXPECT_THAT(*seen.rbegin(), is_set);
  }
  EXPECT_EQ(seen.size(), kSets);
  EXPECT_TRUE(has_known_inputs(kept));
  EXPECT_FALSE(has_known_inputs(drawn));
  EXPECT_FALSE(is_stress(drawn, InputKind::very_large));
}

TEST_F(CapturedValues, AreRefusedWhereTheyAreOthersOrTooMany) {
  const std::string bytes = random_values(kCount * sizeof(float));
  const cases::Case problem = captured_case(scratch_, "f32", "drawn", kCount, bytes);
  const auto complaint = [&] {
    try {
      InputMaker().read_captured(problem);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(complaint(), "none");
  scratch_.write("capture/x.bin", bytes.substr(1) + "x");
  EXPECT_THAT(complaint(), HasSubstr("other values than were captured"));
  scratch_.write("capture/x.bin", std::string(17 * bytes.size(), 'x'));
  EXPECT_THAT(complaint(), HasSubstr("x.bin"));
  std::filesystem::remove(scratch_.path() / "capture/x.bin");
  EXPECT_THAT(complaint(), HasSubstr("extract the case again"));
}

TEST(NearCaptured, KeepsWhatIsNoUsualNumber) {
  constexpr std::uint32_t kRandom = ~0U;
  const std::map<cases::DType, std::vector<std::uint64_t>> special = {
      {cases::DType::f32, {0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 1}},
      {cases::DType::f16, {0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 1}},
      {cases::DType::bf16, {0, 0x8000, 0x7f80, 0xff80, 0x7fc0, 1}},
      {cases::DType::f64, {0, 0x7ff0000000000000, 0x7ff8000000000000}},
      {cases::DType::e4m3, {0, 0x80, 0x7f, 0xff, 1}},
      {cases::DType::e5m2, {0, 0x7c, 0x7e, 1}},
      {cases::DType::i32, {0, 1, 77, 0xffffffff}}};
  for (const auto& [dtype, words] : special) {
    for (const std::uint64_t word : words) {
      EXPECT_EQ(cases::near_captured(dtype, word, kRandom), word) << spelling(dtype);
    }
  }
  EXPECT_EQ(cases::near_captured(cases::DType::f32, 0x3f800000, kRandom), 0x3f8007ff);
  EXPECT_EQ(cases::near_captured(cases::DType::f32, 0x3f8fffff, 0), 0x3f8ff800);
  EXPECT_EQ(cases::near_captured(cases::DType::bf16, 0x3f80, kRandom), 0x3f87);
}

}  // namespace
}  // namespace autokernel::trial
