#include "trial/inputs/exact_inputs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "autokernel/base/parallel.h"
#include "trial/inputs/conversion.h"

namespace autokernel::trial {
namespace {

constexpr std::int64_t kExactInFloat = 1 << 24;

// The widest whole number used in each type: all its bits but one, so that no narrower type holds
// them. For f32 they are wider than tf32's and bf16's 11 and 8 bits, and leave room for the other
// side and for the sum.
std::int64_t widest(cases::DType dtype) {
  if (dtype == cases::DType::bf16) return 127;
  return dtype == cases::DType::f16 ? 1023 : 8191;
}

std::vector<float> powers(const Key& key, std::uint32_t tensor, ExponentRange range,
                          std::size_t count) {
  std::vector<std::uint32_t> words((count + kGroupWords - 1) / kGroupWords * kGroupWords);
  random_words({key, tensor, Purpose::exponents}, 0, words);
  const auto span = static_cast<std::uint32_t>(range.high - range.low + 1);
  std::vector<float> powers(count);
  for (std::size_t i = 0; i < count; ++i) {
    powers[i] = std::ldexp(1.0F, range.low + static_cast<int>(words[i] % span));
  }
  return powers;
}

// The top 16 bits of a word as a whole number in [-limit, limit].
inline float whole_number(std::uint32_t word, std::uint32_t values, float limit) {
  return static_cast<float>(static_cast<std::int32_t>(((word >> 16U) * values) >> 16U)) - limit;
}

}  // namespace

void fill_whole(const SizedTensor& tensor, std::uint32_t index, const WholeNumbers& numbers,
                const Key& key, std::span<std::byte> bytes) {
  constexpr std::size_t kChunk = 16 * kGroupWords;
  const std::size_t count = tensor.count;
  const std::size_t row_length = numbers.row_length;
  const bool by_columns = numbers.along == Along::columns;
  const std::vector<float> power =
      powers(key, index, numbers.range, by_columns ? row_length : count / row_length);
  const auto values = static_cast<std::uint32_t>(2 * numbers.limit + 1);
  const auto offset = static_cast<float>(numbers.limit);
  const std::size_t element = cases::size_of(tensor.tensor->dtype);
  in_parallel((count + kChunk - 1) / kChunk, 2 * kChunk, [&](std::size_t first, std::size_t end) {
    std::array<std::uint32_t, kChunk> words{};
    std::array<float, kChunk> floats{};
    for (std::size_t chunk = first; chunk < end; ++chunk) {
      random_words({key, index, Purpose::values}, chunk * (kChunk / kGroupWords), words);
      const std::size_t begin = chunk * kChunk;
      const std::size_t length = std::min(kChunk, count - begin);
      for (std::size_t i = 0; i < length;) {
        const std::size_t row = (begin + i) / row_length;
        const std::size_t column = (begin + i) % row_length;
        const std::size_t run = std::min(row_length - column, length - i);
        if (by_columns) {
          const float* const by_column = power.data() + column;
          for (std::size_t j = 0; j < run; ++j) {
            floats[i + j] = whole_number(words[i + j], values, offset) * by_column[j];
          }
        } else {
          const float by_row = power[row];
          for (std::size_t j = 0; j < run; ++j)
            floats[i + j] = whole_number(words[i + j], values, offset) * by_row;
        }
        i += run;
      }
      from_floats(tensor.tensor->dtype, std::span(floats).first(length),
                  bytes.subspan(begin * element, length * element));
    }
  });
}

WholeLimits whole_limits(cases::DType left, cases::DType right, std::int64_t summed, Wider wider) {
  const std::int64_t sum_of_one =
      (kExactInFloat - 1) / summed;  // the largest product of two entries
  const cases::DType first = wider == Wider::left ? left : right;
  const cases::DType second = wider == Wider::left ? right : left;
  const std::int64_t wide = std::max<std::int64_t>(1, std::min(widest(first), sum_of_one));
  const std::int64_t narrow = std::clamp<std::int64_t>(sum_of_one / wide, 1, widest(second));
  return wider == Wider::left ? WholeLimits{wide, narrow} : WholeLimits{narrow, wide};
}

Exponents exponents(cases::DType input, cases::DType output) {
  if (input == cases::DType::f16 || output == cases::DType::f16) {
    // Sums stay below 2^24 * 2^-9 = 2^15, and the smallest one above zero is 2^-15: subnormal in
    // f16, but exact.
    return {{-7, -4}, {-8, -5}};
  }
  return {{-6, 6}, {-6, 6}};
}

Factors factors(const SizedCase& sized, const cases::SumOfProducts& product, const Key& key) {
  const SizedTensor& a = sized.tensors[sized.index_of(product.left)];
  const SizedTensor& b = sized.tensors[sized.index_of(product.right)];
  const cases::DType output = sized.problem->tensor(product.output).dtype;
  const std::int64_t summed = a.extents.back();
  const Wider wider =
      philox({0, 0, 0, static_cast<std::uint32_t>(Purpose::choices)}, key)[0] % 2 == 0
          ? Wider::left
          : Wider::right;
  const WholeLimits limits = whole_limits(a.tensor->dtype, b.tensor->dtype, summed, wider);
  const Exponents range = exponents(a.tensor->dtype, output);
  const auto depth = static_cast<std::size_t>(summed);
  return {{limits.left, Along::rows, depth, range.left},
          {limits.right, Along::columns, b.count / depth, range.right}};
}

}  // namespace autokernel::trial
