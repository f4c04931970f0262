#include "bridge/exported/scalar_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace autokernel::bridge {
namespace {

template <typename Number>
[[nodiscard]] Number number_in(const std::vector<std::byte>& bytes) {
  Number number{};
  std::memcpy(&number, bytes.data(), std::min(bytes.size(), sizeof number));
  return number;
}

// IEEE 754's binary16.
[[nodiscard]] float float_of_half(std::uint16_t bits) {
  constexpr int kFractionBits = 10;
  constexpr int kBias = 15;
  const int exponent = (bits >> kFractionBits) & 0x1F;
  const int fraction = bits & 0x3FF;
  const int whole = exponent == 0 ? fraction : fraction + (1 << kFractionBits);
  const float magnitude =
      std::ldexp(static_cast<float>(whole), std::max(exponent, 1) - kBias - kFractionBits);
  return (bits & 0x8000U) != 0 ? -magnitude : magnitude;
}

[[nodiscard]] std::string text_of(cases::DType dtype, const std::vector<std::byte>& bytes) {
  using cases::DType;
  switch (dtype) {
    case DType::f64:
      return fmt::format("{:.17g}", number_in<double>(bytes));
    case DType::bf16: {
      const std::uint32_t bits = std::uint32_t{number_in<std::uint16_t>(bytes)} << 16U;
      return fmt::format("{:.9g}", std::bit_cast<float>(bits));
    }
    case DType::f16:
      return fmt::format("{:.9g}", float_of_half(number_in<std::uint16_t>(bytes)));
    case DType::f32:
      return fmt::format("{:.9g}", number_in<float>(bytes));
    case DType::i64:
      return fmt::format("{}", number_in<std::int64_t>(bytes));
    case DType::i32:
      return fmt::format("{}", number_in<std::int32_t>(bytes));
    case DType::i16:
      return fmt::format("{}", number_in<std::int16_t>(bytes));
    case DType::i8:
      return fmt::format("{}", static_cast<int>(number_in<std::int8_t>(bytes)));
    default:
      return fmt::format("{}", number_in<std::uint32_t>(bytes));
  }
}

}  // namespace

const ExportedCode& code_of(const KernelToShip& kernel, const std::string& size) {
  return *std::ranges::find(kernel.codes, size, &ExportedCode::size);
}

std::vector<std::string> scalar_texts(const KernelToShip& kernel, const Signature& signature,
                                      const ExportedExample& example) {
  std::vector<std::string> texts;
  std::size_t value = 0;
  for (std::size_t i = 0; i < kernel.problem->tensors.size(); ++i) {
    const cases::Tensor& tensor = kernel.problem->tensors[i];
    if (!tensor.is_scalar || signature.scalar_of_value.at(value++) < 0) continue;
    texts.push_back(text_of(tensor.dtype, example.values.inputs.at(i)));
  }
  return texts;
}

}  // namespace autokernel::bridge
