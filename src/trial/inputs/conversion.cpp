#include "trial/inputs/conversion.h"

#include <cstring>

namespace autokernel::trial {
namespace {

// Tensors are untyped bytes; memcpy of one element is how the language lets them be read, and costs
// nothing.
template <typename Stored, typename Convert>
void read_all(std::span<const std::byte> from, std::span<float> to, Convert convert) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, from.data() + i * sizeof(Stored), sizeof(Stored));
    to[i] = convert(stored);
  }
}

template <typename Stored, typename Convert>
void write_all(std::span<const float> from, std::span<std::byte> to, Convert convert) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Stored stored = convert(from[i]);
    std::memcpy(to.data() + i * sizeof(Stored), &stored, sizeof(Stored));
  }
}

}  // namespace

void to_floats(cases::DType dtype, std::span<const std::byte> from, std::span<float> to) {
  switch (dtype) {
    case cases::DType::f32:
      std::memcpy(to.data(), from.data(), to.size_bytes());
      return;
    case cases::DType::f16:
      return read_all<std::uint16_t>(from, to, f16_to_float);
    case cases::DType::bf16:
      return read_all<std::uint16_t>(from, to, bf16_to_float);
    case cases::DType::i32:
      return read_all<std::int32_t>(from, to, [](std::int32_t v) { return static_cast<float>(v); });
    case cases::DType::u8:
      return read_all<std::uint8_t>(from, to, [](std::uint8_t v) { return static_cast<float>(v); });
  }
}

void from_floats(cases::DType dtype, std::span<const float> from, std::span<std::byte> to) {
  switch (dtype) {
    case cases::DType::f32:
      std::memcpy(to.data(), from.data(), from.size_bytes());
      return;
    case cases::DType::f16:
      return write_all<std::uint16_t>(from, to, float_to_f16);
    case cases::DType::bf16:
      return write_all<std::uint16_t>(from, to, float_to_bf16);
    case cases::DType::i32:
      return write_all<std::int32_t>(from, to,
                                     [](float v) { return static_cast<std::int32_t>(v); });
    case cases::DType::u8:
      return write_all<std::uint8_t>(from, to,
                                     [](float v) { return static_cast<std::uint8_t>(v); });
  }
}

}  // namespace autokernel::trial
