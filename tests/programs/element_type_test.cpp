#include "programs/capture/element_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace autokernel::programs {
namespace {

using cases::DType;
using testing::ElementsAre;
using testing::IsEmpty;

template <typename Word>
[[nodiscard]] std::vector<std::byte> bytes_of(const std::vector<Word>& words) {
  std::vector<std::byte> bytes(words.size() * sizeof(Word));
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

[[nodiscard]] std::vector<float> normal_values() {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(4096);
  for (float& value : values) value = normal(random);
  return values;
}

[[nodiscard]] DType guessed(const std::vector<std::byte>& bytes, const std::string& name = "") {
  return guessed_dtype(bytes, name, half_type(name, {}));
}

[[nodiscard]] std::uint16_t half_of(float value) {
  const auto half = static_cast<_Float16>(value);
  std::uint16_t word = 0;
  std::memcpy(&word, &half, sizeof word);
  return word;
}

TEST(ElementType, OfFloatsIsSeen) { EXPECT_EQ(guessed(bytes_of(normal_values())), DType::f32); }

TEST(ElementType, OfFloatsIsSeenWhateverElseTheNameSays) {
  EXPECT_EQ(guessed(bytes_of(normal_values()), "to_half"), DType::f32);
  EXPECT_EQ(guessed(bytes_of(normal_values()), "void to(__half*, float const*)"), DType::f32);
}

TEST(ElementType, OfBfloat16IsSeen) {
  std::vector<std::uint16_t> words;
  for (const float value : normal_values()) {
    words.push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16U));
  }
  EXPECT_EQ(guessed(bytes_of(words)), DType::bf16);
}

TEST(ElementType, OfFloatsThatBfloat16WouldHoldIsFloat) {
  std::vector<float> values;
  for (int i = 0; i < 1000; ++i) values.push_back(static_cast<float>(i % 100) / 4);
  EXPECT_EQ(guessed(bytes_of(values)), DType::f32);
}

TEST(ElementType, OfHalvesIsSeen) {
  std::vector<std::uint16_t> words;
  for (const float value : normal_values()) words.push_back(half_of(value));
  EXPECT_EQ(guessed(bytes_of(words)), DType::f16);
  EXPECT_EQ(guessed(bytes_of(words), "void f<__half>(__half*)"), DType::f16);
}

TEST(ElementType, OfIndicesIsAnInteger) {
  std::vector<std::int32_t> narrow;
  std::vector<std::int64_t> wide;
  for (int i = 0; i < 1000; ++i) {
    narrow.push_back(i * 7 % 1000);
    wide.push_back(i * 7 % 1000);
  }
  EXPECT_EQ(guessed(bytes_of(narrow)), DType::i32);
  EXPECT_EQ(guessed(bytes_of(wide)), DType::i64);
}

TEST(ElementType, OfZerosIsWhatTheKernelsNameSays) {
  const std::vector<std::byte> zeros(64);
  EXPECT_EQ(guessed(zeros), DType::i32);
  EXPECT_EQ(guessed(zeros, "void f<double>()"), DType::f64);
  EXPECT_EQ(guessed(zeros, "void f<c10::BFloat16>()"), DType::bf16);
}

TEST(ElementType, OfNothingThatIsKnownIsBytes) {
  std::mt19937 random(1);
  std::vector<std::uint32_t> words(4096);
  for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random());
  EXPECT_EQ(guessed(bytes_of(words)), DType::u8);
}

TEST(ParameterTypes, AreThoseOfTheDemangledName) {
  EXPECT_THAT(parameter_types("void f<int, 3>(float const*, c10::BFloat16*, int, "
                              "std::array<char*, 2ul>)"),
              ElementsAre("float", "c10::BFloat16", "int", "std::array<char, 2ul>"));
  EXPECT_THAT(parameter_types("scaled_add"), IsEmpty());
  EXPECT_THAT(parameter_types("f()"), IsEmpty());
  EXPECT_THAT(parameter_types(")"), testing::SizeIs(testing::Le(1U)));
}

}  // namespace
}  // namespace autokernel::programs
