#include "runtime/tensor_copy.h"

namespace emulator::runtime {

std::uint32_t number_of(const TensorCopy& copy) {
  return static_cast<std::uint32_t>(copy.kind) | copy.rank << 2U |
         static_cast<std::uint32_t>(copy.mode) << 5U | (copy.multicast ? 1U << 7U : 0U) |
         (copy.gathers ? 1U << 8U : 0U) | static_cast<std::uint32_t>(copy.operation) << 9U;
}

TensorCopy tensor_copy_of(std::uint32_t number) {
  return {.kind = static_cast<TensorCopy::Kind>(number & 3U),
          .rank = number >> 2U & 7U,
          .mode = static_cast<TensorMode>(number >> 5U & 3U),
          .gathers = (number >> 8U & 1U) != 0,
          .multicast = (number >> 7U & 1U) != 0,
          .operation = static_cast<AtomicOp>(number >> 9U)};
}

std::optional<AtomicType> atomic_type_of(TensorType type, AtomicOp operation) {
  const bool extreme = operation == AtomicOp::min || operation == AtomicOp::max;
  const bool logic =
      operation == AtomicOp::and_ || operation == AtomicOp::or_ || operation == AtomicOp::xor_;
  const bool counts = operation == AtomicOp::inc || operation == AtomicOp::dec;
  const bool adds = operation == AtomicOp::add;
  switch (type) {
    case TensorType::u32:
      return AtomicType::u32;
    case TensorType::s32:
      return adds || extreme || logic ? std::optional(AtomicType::s32) : std::nullopt;
    case TensorType::u64:
      return counts ? std::nullopt : std::optional(AtomicType::u64);
    case TensorType::s64:
      return extreme ? std::optional(AtomicType::s64) : std::nullopt;
    case TensorType::f16:
      return adds || extreme ? std::optional(AtomicType::f16) : std::nullopt;
    case TensorType::bf16:
      return adds || extreme ? std::optional(AtomicType::bf16) : std::nullopt;
    case TensorType::f32:
    case TensorType::f32_ftz:
      return adds ? std::optional(AtomicType::f32_flushed) : std::nullopt;
    default:
      return std::nullopt;
  }
}

// To the nearest of the numbers with ten bits of mantissa, of two the even one; NaN is one number.
// As an H100 does (tests/golden).
std::uint64_t converted(const TensorMap& map, std::uint64_t element) {
  constexpr std::uint64_t kInfinity = 0x7F800000;
  constexpr std::uint64_t kNan = 0x7FFFE000;
  constexpr std::uint64_t kDropped = 0x1FFF;
  if (map.type != TensorType::tf32 && map.type != TensorType::tf32_ftz) return element;
  if ((element & 0x7FFFFFFF) > kInfinity) return kNan;
  const std::uint64_t odd = element >> 13U & 1U;
  return (element + kDropped / 2 + odd) & ~kDropped;
}

}  // namespace emulator::runtime
