#include "trial/inputs/inputs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <variant>

#include "autokernel/base/defences.h"
#include "trial/inputs/conversion.h"
#include "trial/inputs/exact_inputs.h"
#include "trial/inputs/parallel.h"

namespace autokernel::trial {
namespace {

constexpr std::size_t kChunk = 16 * kGroupWords;

// Words to values of the declared distribution.
struct Declared {
  const NormalTable& normal;
  const cases::Fill& fill;

  void values(std::span<const std::uint32_t> words, std::span<float> to) const {
    constexpr float kPerWord = 0x1p-24F;
    const auto low = static_cast<float>(fill.low);
    switch (fill.distribution) {
      case cases::Distribution::normal:
        for (std::size_t i = 0; i < to.size(); ++i) to[i] = normal.value(words[i]);
        return;
      case cases::Distribution::uniform: {
        const float width = static_cast<float>(fill.high) - low;
        for (std::size_t i = 0; i < to.size(); ++i) {
          to[i] = low + width * (static_cast<float>(static_cast<std::int32_t>(words[i] >> 8U)) *
                                 kPerWord);
        }
        return;
      }
      case cases::Distribution::integers:
        for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<float>(integer(words[i]));
        return;
    }
  }

  // Of i32, whose values a float does not all hold.
  void values(std::span<const std::uint32_t> words, std::span<std::int32_t> to) const {
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = static_cast<std::int32_t>(integer(words[i]));
  }

  [[nodiscard]] std::int64_t integer(std::uint32_t word) const {
    const auto first = static_cast<std::int64_t>(fill.low);
    const auto choices =
        static_cast<std::uint64_t>(static_cast<std::int64_t>(fill.high) - first + 1);
    return first + static_cast<std::int64_t>((word * choices) >> 32U);
  }
};

// 2^exponent, of a normal float, without the call that std::ldexp is.
inline float power_of_two(int exponent) {
  constexpr int kBias = 127;
  return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + kBias) << 23U);
}

// Multiplies each value as that kind of inputs says. `words` have given the values too; their
// lowest bits hardly show in them.
void scale(InputKind input_kind, const Scaling& by, float constant,
           std::span<const std::uint32_t> words, std::span<float> values) {
  switch (input_kind) {
    case InputKind::declared:
    case InputKind::exact:
      return;
    case InputKind::very_large:
    case InputKind::very_small: {
      const float factor =
          std::ldexp(1.0F, input_kind == InputKind::very_large ? by.large : -by.small);
      for (float& value : values) value *= factor;
      return;
    }
    case InputKind::mixed: {
      const auto steps = static_cast<std::uint32_t>(2 * by.spread + 1);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint32_t step = ((words[i] & 0xffU) * steps) >> 8U;
        values[i] *= power_of_two(static_cast<int>(step) - by.spread);
      }
      return;
    }
    case InputKind::zeros:
      std::ranges::fill(values, 0.0F);
      return;
    case InputKind::constant:
      std::ranges::fill(values, constant);
      return;
  }
}

// One tensor of inputs of that kind. Its words come from the sequence of its own index.
void fill_tensor(const SizedTensor& tensor, std::uint32_t index, const Declared& declared,
                 InputKind input_kind, const Scaling& by, const Key& key,
                 std::span<std::byte> bytes) {
  // An integer tensor has its declared range and no other, which may not even hold zero. A scalar
  // is what the problem is about: with another one it would be another problem.
  const bool is_stressed = is_floating(tensor.tensor->dtype) && !tensor.tensor->is_scalar;
  const InputKind applied = is_stressed ? input_kind : InputKind::declared;
  const std::uint32_t choice =
      philox({0, 0, index, static_cast<std::uint32_t>(Purpose::choices)}, key)[0];
  const float constant = 0.5F + static_cast<float>(choice >> 9U) * 0x1p-24F;  // [0.5, 1)
  const std::size_t element = cases::size_of(tensor.tensor->dtype);
  const std::size_t chunks = (tensor.count + kChunk - 1) / kChunk;
  in_parallel(chunks, 2 * kChunk, [&](std::size_t first, std::size_t end) {
    std::array<std::uint32_t, kChunk> words{};
    std::array<float, kChunk> floats{};
    std::array<std::int32_t, kChunk> integers{};
    for (std::size_t chunk = first; chunk < end; ++chunk) {
      random_words({key, index, Purpose::values}, chunk * (kChunk / kGroupWords), words);
      const std::size_t begin = chunk * kChunk;
      const std::size_t length = std::min<std::size_t>(kChunk, tensor.count - begin);
      const auto to = bytes.subspan(begin * element, length * element);
      if (tensor.tensor->dtype == cases::DType::i32) {
        const auto made = std::span(integers).first(length);
        declared.values(words, made);
        std::memcpy(to.data(), made.data(), made.size_bytes());
        continue;
      }
      const auto made = std::span(floats).first(length);
      declared.values(words, made);
      scale(applied, by, constant, words, made);
      from_floats(tensor.tensor->dtype, made, to);
    }
  });
}

}  // namespace

bool is_exact(const cases::Case& problem, InputKind input_kind) {
  return std::holds_alternative<cases::ExactAlways>(problem.exactness) ||
         input_kind == InputKind::exact;
}

InputKind timed_input_kind(const cases::Case& problem) {
  const bool has_exact = std::holds_alternative<cases::SumOfProducts>(problem.exactness) &&
                         stands(Defence::exact_inputs);
  return has_exact ? InputKind::exact : InputKind::declared;
}

InputKind sampled_input_kind(const cases::Case& problem, int sample) {
  const bool declared = sample % 2 != 0 && stands(Defence::case_inputs);
  return declared ? InputKind::declared : timed_input_kind(problem);
}

std::string description(const cases::Case& problem, InputKind input_kind) {
  switch (input_kind) {
    case InputKind::declared:
      for (const cases::Tensor& tensor : problem.tensors) {
        if (tensor.role == cases::Role::out) continue;
        switch (tensor.fill.distribution) {
          case cases::Distribution::normal:
            return "normal inputs";
          case cases::Distribution::uniform:
            return "uniform inputs";
          case cases::Distribution::integers:
            return "integer inputs";
        }
      }
      return "no inputs";
    case InputKind::exact:
      return "exact inputs";
    case InputKind::very_large:
      return "stress inputs: very large";
    case InputKind::very_small:
      return "stress inputs: very small";
    case InputKind::mixed:
      return "stress inputs: mixed scale";
    case InputKind::zeros:
      return "stress inputs: zeros";
    case InputKind::constant:
      return "stress inputs: constants";
  }
  return "inputs";
}

Scaling scaling(const SizedCase& sized) {
  const bool narrow_range = std::ranges::any_of(sized.tensors, [](const SizedTensor& tensor) {
    return tensor.tensor->dtype == cases::DType::f16;
  });
  const auto* product = std::get_if<cases::SumOfProducts>(&sized.problem->exactness);
  // Of a function nothing is known about: far enough to find what only works near 1, near enough
  // that its square, its cube and its sums stay finite.
  if (product == nullptr) return narrow_range ? Scaling{4, 6, 3} : Scaling{10, 10, 5};
  // Products of two entries go up to 2^80, sums of 2^30 of them stay finite in fp32 and bf16.
  if (!narrow_range) return Scaling{40, 40, 10};
  // f16 ends at 65504: normal entries are below 4.5, so sums of K products below 2^(2 * large)
  // * 20.25 * K.
  const auto summed =
      static_cast<double>(sized.problem->tensor(product->left).shape.empty()
                              ? 1
                              : sized.tensors[sized.index_of(product->left)].extents.back());
  const int headroom = static_cast<int>(std::floor(std::log2(65504 / (20.25 * summed)) / 2));
  const int large = std::clamp(headroom, 0, 6);
  return Scaling{large, 6, std::min(large, 3)};
}

void InputMaker::make(const SizedCase& sized, InputKind input_kind, const Key& key,
                      std::vector<Bytes>& inputs) const {
  const Scaling by = scaling(sized);
  const auto* product = std::get_if<cases::SumOfProducts>(&sized.problem->exactness);
  inputs.resize(sized.tensors.size());
  for (std::size_t t = 0; t < sized.tensors.size(); ++t) {
    const SizedTensor& tensor = sized.tensors[t];
    if (!tensor.is_read()) {
      inputs[t].clear();
      continue;
    }
    inputs[t].resize(tensor.bytes);
    const std::string& name = tensor.tensor->name;
    const bool is_factor = product != nullptr && (name == product->left || name == product->right);
    if (input_kind == InputKind::exact && is_factor) continue;
    fill_tensor(tensor, static_cast<std::uint32_t>(t), {normal_, tensor.tensor->fill}, input_kind,
                by, key, inputs[t]);
  }
  if (input_kind == InputKind::exact && product != nullptr)
    fill_exact(sized, *product, key, inputs);
}

}  // namespace autokernel::trial
