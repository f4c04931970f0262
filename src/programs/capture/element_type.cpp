#include "programs/capture/element_type.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>

namespace autokernel::programs {
namespace {

using cases::DType;

// As many as tell a type; the rest of a large tensor is like them.
constexpr std::size_t kMostLookedAt = std::size_t{1} << 16U;
// Of numbers that are taken for a type, nearly all have to look like it.
constexpr double kNearlyAll = 0.99;

struct NamedType {
  std::string_view name;
  DType dtype;
};
constexpr auto kTypes = std::to_array<NamedType>({
    {"float", DType::f32},
    {"double", DType::f64},
    {"__half", DType::f16},
    {"half", DType::f16},
    {"__half2", DType::f16},
    {"c10::Half", DType::f16},
    {"cutlass::half_t", DType::f16},
    {"__nv_bfloat16", DType::bf16},
    {"__nv_bfloat162", DType::bf16},
    {"c10::BFloat16", DType::bf16},
    {"cutlass::bfloat16_t", DType::bf16},
    {"__nv_fp8_e4m3", DType::e4m3},
    {"c10::Float8_e4m3fn", DType::e4m3},
    {"__nv_fp8_e5m2", DType::e5m2},
    {"c10::Float8_e5m2", DType::e5m2},
    {"int", DType::i32},
    {"unsigned int", DType::u32},
    {"unsigned", DType::u32},
    {"long", DType::i64},
    {"long long", DType::i64},
    {"unsigned long", DType::i64},
    {"unsigned long long", DType::i64},
    {"short", DType::i16},
    {"unsigned short", DType::i16},
    {"char", DType::i8},
    {"signed char", DType::i8},
    {"unsigned char", DType::u8},
    {"bool", DType::boolean},
    {"float2", DType::f32},
    {"float4", DType::f32},
    {"int4", DType::i32},
    {"uint4", DType::u32},
});

// The share of all words of that size that look like it.
template <typename Word>
[[nodiscard]] double share(std::span<const std::byte> bytes,
                           const std::function<bool(Word)>& looks_like) {
  const std::size_t count = std::min(bytes.size() / sizeof(Word), kMostLookedAt);
  if (count == 0) return 0;
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Word word{};
    std::memcpy(&word, bytes.data() + i * sizeof word, sizeof word);
    found += looks_like(word) ? 1U : 0U;
  }
  return static_cast<double>(found) / static_cast<double>(count);
}

// Magnitudes that numbers in programs have; zero is one of them.
[[nodiscard]] bool is_usual(double value) {
  constexpr double kLeast = 1e-12;
  constexpr double kMost = 1e12;
  const double magnitude = std::fabs(value);
  return magnitude == 0 || (magnitude > kLeast && magnitude < kMost);
}

[[nodiscard]] float of_bf16(std::uint16_t word) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(word) << 16U);
}

// Neither very small nor near the end of the type, as normalised values are.
[[nodiscard]] bool is_usual_f16(std::uint16_t word) {
  constexpr unsigned kExponent = 0x1f;
  constexpr unsigned kLeast = 3;  // 2^-12
  constexpr unsigned kMost = 22;  // 2^7
  const unsigned exponent = (word >> 10U) & kExponent;
  return (word & 0x7fffU) == 0 || (exponent >= kLeast && exponent <= kMost);
}

// Words that could be of either 16-bit type: the leading digits of f16 are spread evenly, and lie
// where bf16 has the lowest bits of its exponent, of which a few occur.
[[nodiscard]] HalfType half_type_of(std::span<const std::byte> bytes) {
  std::array<std::size_t, 8> counts{};
  std::size_t count = 0;
  for (std::size_t i = 0; i + 1 < std::min(bytes.size(), kMostLookedAt); i += 2) {
    std::uint16_t word = 0;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    if ((word & 0x7fffU) == 0) continue;
    ++counts.at((word >> 7U) & 7U);
    ++count;
  }
  constexpr std::size_t kFew = 64;
  if (count < kFew) return HalfType::unknown;
  std::ranges::sort(counts, std::greater());
  // Of f16, a third by Benford's law; of normal bf16 values, 57 %.
  constexpr double kOfBf16 = 0.45;
  const double share = static_cast<double>(counts[0] + counts[1]) / static_cast<double>(count);
  return share > kOfBf16 ? HalfType::bf16 : HalfType::f16;
}

[[nodiscard]] bool is_all_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

[[nodiscard]] bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

std::vector<std::string> parameter_types(std::string_view demangled) {
  std::vector<std::string> types;
  if (!demangled.ends_with(')')) return types;
  std::size_t begin = demangled.size() - 1;
  int depth = 1;
  while (depth > 0 && begin > 0) {
    --begin;
    if (demangled[begin] == ')') ++depth;
    if (demangled[begin] == '(') --depth;
  }
  const std::string_view inside = demangled.substr(begin + 1, demangled.size() - begin - 2);
  std::string type;
  depth = 0;
  const auto finish = [&] {
    for (const std::string_view word : {"const", "*", "&", "__restrict__", "volatile"}) {
      for (std::size_t at = type.find(word); at != std::string::npos; at = type.find(word)) {
        type.erase(at, word.size());
      }
    }
    while (type.starts_with(' ')) type.erase(0, 1);
    while (type.ends_with(' ')) type.pop_back();
    types.push_back(std::exchange(type, {}));
  };
  for (const char letter : inside) {
    if (letter == '<' || letter == '(') ++depth;
    if (letter == '>' || letter == ')') --depth;
    if (letter == ',' && depth == 0) {
      finish();
    } else {
      type += letter;
    }
  }
  if (!inside.empty()) finish();
  return types;
}

std::optional<DType> dtype_of(std::string_view cpp_type) {
  const auto* found = std::ranges::find(kTypes, cpp_type, &NamedType::name);
  if (found == kTypes.end()) return std::nullopt;
  return found->dtype;
}

HalfType half_type(std::string_view demangled, const PtxHints& hints) {
  const bool names_bf16 = has(demangled, "BFloat16") || has(demangled, "bfloat16");
  const bool names_f16 =
      has(demangled, "c10::Half") || has(demangled, "__half") || has(demangled, "half_t");
  if (names_bf16 != names_f16) return names_bf16 ? HalfType::bf16 : HalfType::f16;
  if (hints.has_bf16 != hints.has_f16) return hints.has_bf16 ? HalfType::bf16 : HalfType::f16;
  return HalfType::unknown;
}

DType guessed_dtype(std::span<const std::byte> bytes, std::string_view name, HalfType half) {
  const bool of_words = bytes.size() % sizeof(std::uint32_t) == 0;
  const bool of_long_words = bytes.size() % sizeof(std::uint64_t) == 0;
  const bool of_short_words = bytes.size() % sizeof(std::uint16_t) == 0;
  if (is_all_zero(bytes)) {
    if (half == HalfType::bf16 && of_short_words) return DType::bf16;
    if (half == HalfType::f16 && of_short_words) return DType::f16;
    if (has(name, "double") && of_long_words) return DType::f64;
    if (has(name, "float") && of_words) return DType::f32;
    // Compared bit for bit, whatever they are.
    return of_words ? DType::i32 : DType::u8;
  }
  // Small whole numbers are indices, lengths, masks: as numbers of any floating type they would be
  // next to nothing.
  constexpr std::int64_t kLargestIndex = 1LL << 31;
  if (of_long_words && share<std::int64_t>(bytes, [](std::int64_t value) {
                         return value > -kLargestIndex && value < kLargestIndex;
                       }) == 1) {
    // Of two that lie side by side the second would have to be 0, or -1, each time.
    return DType::i64;
  }
  constexpr std::int32_t kSmall = 1 << 22;
  if (of_words && share<std::int32_t>(bytes, [](std::int32_t value) {
                    return value > -kSmall && value < kSmall;
                  }) == 1) {
    return DType::i32;
  }
  // Few numbers of a kernel of doubles alone would pass for twice as many floats.
  if (has(name, "double") && !has(name, "float") && of_long_words &&
      share<double>(bytes, is_usual) > kNearlyAll) {
    return DType::f64;
  }
  const double as_bf16 = !of_short_words ? 0 : share<std::uint16_t>(bytes, [](std::uint16_t word) {
    return is_usual(static_cast<double>(of_bf16(word)));
  });
  // Numbers of fp32 that bf16 holds exactly have nothing in every other half word.
  const double low_halves = !of_words ? 0 : share<std::uint32_t>(bytes, [](std::uint32_t word) {
    return (word & 0xffffU) == 0;
  });
  const bool are_f16 = of_short_words && share<std::uint16_t>(bytes, is_usual_f16) > kNearlyAll;
  if (half == HalfType::bf16 && as_bf16 > kNearlyAll) return DType::bf16;
  if (half == HalfType::f16 && are_f16) return DType::f16;
  if (half == HalfType::unknown && as_bf16 > kNearlyAll && low_halves < kNearlyAll &&
      half_type_of(bytes) == HalfType::bf16) {
    return DType::bf16;
  }
  if (of_words && share<float>(bytes, [](float value) {
                    return is_usual(static_cast<double>(value));
                  }) > kNearlyAll) {
    return DType::f32;
  }
  if (of_long_words && share<double>(bytes, is_usual) > kNearlyAll) return DType::f64;
  if (half == HalfType::unknown && are_f16 && half_type_of(bytes) == HalfType::f16) {
    return DType::f16;
  }
  return DType::u8;
}

}  // namespace autokernel::programs
