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

template <typename Stored>
Stored cast_to(float value) {
  return static_cast<Stored>(value);
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
  const auto plainly = []<typename Stored>(Stored value) { return static_cast<float>(value); };
  switch (dtype) {
    case cases::DType::f32:
      std::memcpy(to.data(), from.data(), to.size_bytes());
      return;
    case cases::DType::f16:
      return read_all<std::uint16_t>(from, to, f16_to_float);
    case cases::DType::bf16:
      return read_all<std::uint16_t>(from, to, bf16_to_float);
    case cases::DType::i32:
      return read_all<std::int32_t>(from, to, plainly);
    case cases::DType::u8:
    case cases::DType::boolean:
      return read_all<std::uint8_t>(from, to, plainly);
    case cases::DType::f64:
      return read_all<double>(from, to, plainly);
    case cases::DType::i64:
      return read_all<std::int64_t>(from, to, plainly);
    case cases::DType::u32:
      return read_all<std::uint32_t>(from, to, plainly);
    case cases::DType::i16:
      return read_all<std::int16_t>(from, to, plainly);
    case cases::DType::i8:
      return read_all<std::int8_t>(from, to, plainly);
    case cases::DType::e4m3:
      return read_all<std::uint8_t>(from, to, e4m3_to_float);
    case cases::DType::e5m2:
      return read_all<std::uint8_t>(from, to, e5m2_to_float);
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
      return write_all<std::int32_t>(from, to, cast_to<std::int32_t>);
    case cases::DType::u8:
    case cases::DType::boolean:
      return write_all<std::uint8_t>(from, to, cast_to<std::uint8_t>);
    case cases::DType::f64:
      return write_all<double>(from, to, cast_to<double>);
    case cases::DType::i64:
      return write_all<std::int64_t>(from, to, cast_to<std::int64_t>);
    case cases::DType::u32:
      return write_all<std::uint32_t>(from, to, cast_to<std::uint32_t>);
    case cases::DType::i16:
      return write_all<std::int16_t>(from, to, cast_to<std::int16_t>);
    case cases::DType::i8:
      return write_all<std::int8_t>(from, to, cast_to<std::int8_t>);
    case cases::DType::e4m3:
      return write_all<std::uint8_t>(from, to, float_to_small<kE4m3>);
    case cases::DType::e5m2:
      return write_all<std::uint8_t>(from, to, float_to_small<kE5m2>);
  }
}

void from_integers(cases::DType dtype, std::span<const std::int64_t> from,
                   std::span<std::byte> to) {
  const std::size_t bytes = cases::size_of(dtype);
  static_assert(std::endian::native == std::endian::little);
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::memcpy(to.data() + i * bytes, &from[i], bytes);
  }
}

}  // namespace autokernel::trial
