#include "runtime/atomics.h"

#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "runtime/half.h"

namespace emulator::runtime {
namespace {

template <typename T>
T read(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Replaces the bits at `target` by function(bits) and returns those replaced.
template <typename Bits, typename Function>
Bits update(void* target, Function function) {
  std::atomic_ref<Bits> place(*static_cast<Bits*>(target));
  Bits seen = place.load(std::memory_order_relaxed);
  while (!place.compare_exchange_weak(seen, function(seen))) {
  }
  return seen;
}

template <typename T>
bool apply_integer(AtomicOp op, void* target, const void* operand_pointer, const void* swap,
                   void* old_pointer) {
  using Bits = std::make_unsigned_t<T>;
  const T operand = read<T>(operand_pointer);
  const auto bits = static_cast<Bits>(operand);
  std::atomic_ref<Bits> place(*static_cast<Bits*>(target));
  Bits old = 0;
  switch (op) {
    case AtomicOp::add:
      old = place.fetch_add(bits);
      break;
    case AtomicOp::min:
      old = update<Bits>(target,
                         [&](Bits seen) { return static_cast<T>(seen) < operand ? seen : bits; });
      break;
    case AtomicOp::max:
      old = update<Bits>(target,
                         [&](Bits seen) { return static_cast<T>(seen) > operand ? seen : bits; });
      break;
    case AtomicOp::inc:
      old = update<Bits>(
          target, [&](Bits seen) { return seen >= bits ? Bits{0} : static_cast<Bits>(seen + 1); });
      break;
    case AtomicOp::dec:
      old = update<Bits>(target, [&](Bits seen) {
        return seen == 0 || seen > bits ? bits : static_cast<Bits>(seen - 1);
      });
      break;
    case AtomicOp::and_:
      old = place.fetch_and(bits);
      break;
    case AtomicOp::or_:
      old = place.fetch_or(bits);
      break;
    case AtomicOp::xor_:
      old = place.fetch_xor(bits);
      break;
    case AtomicOp::exch:
      old = place.exchange(bits);
      break;
    case AtomicOp::cas:
      old = bits;
      place.compare_exchange_strong(old, read<Bits>(swap));
      break;
  }
  std::memcpy(old_pointer, &old, sizeof old);
  return true;
}

// min and max of PTX: the other operand where one is NaN, and -0 below +0.
template <typename T>
T smaller(T a, T b) {
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return std::fmin(a, b);
}
template <typename T>
T larger(T a, T b) {
  if (a == 0 && b == 0) return std::signbit(a) ? b : a;
  return std::fmax(a, b);
}

float flushed(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0F, value) : value;
}

// As a GPU gives it, whose sums have one NaN.
std::uint32_t float_bits(float value) {
  constexpr std::uint32_t kNan = 0x7fffffff;
  return std::isnan(value) ? kNan : std::bit_cast<std::uint32_t>(value);
}

// Types that are computed in T but live in memory as Bits.
template <typename T, typename Bits, typename Decode, typename Encode>
bool apply_float(AtomicOp op, void* target, const void* operand_pointer, const void* swap,
                 void* old_pointer, Decode decode, Encode encode) {
  const Bits operand_bits = read<Bits>(operand_pointer);
  if (op == AtomicOp::exch || op == AtomicOp::cas) {
    return apply_integer<Bits>(op, target, operand_pointer, swap, old_pointer);
  }
  const T operand = decode(operand_bits);
  Bits old = 0;
  switch (op) {
    case AtomicOp::add:
      old = update<Bits>(target, [&](Bits seen) { return encode(decode(seen) + operand); });
      break;
    case AtomicOp::min:
      old = update<Bits>(target, [&](Bits seen) { return encode(smaller(decode(seen), operand)); });
      break;
    case AtomicOp::max:
      old = update<Bits>(target, [&](Bits seen) { return encode(larger(decode(seen), operand)); });
      break;
    default:
      return false;
  }
  std::memcpy(old_pointer, &old, sizeof old);
  return true;
}

// Two 16-bit floats in one word.
template <typename Decode, typename Encode>
bool apply_pair(AtomicOp op, void* target, const void* operand_pointer, const void* swap,
                void* old_pointer, Decode decode, Encode encode) {
  if (op == AtomicOp::exch || op == AtomicOp::cas) {
    return apply_integer<std::uint32_t>(op, target, operand_pointer, swap, old_pointer);
  }
  if (op != AtomicOp::add && op != AtomicOp::min && op != AtomicOp::max) return false;
  const auto operand = read<std::uint32_t>(operand_pointer);
  const auto combine = [&](std::uint32_t a, std::uint32_t b) -> std::uint32_t {
    const float x = decode(static_cast<std::uint16_t>(a));
    const float y = decode(static_cast<std::uint16_t>(b));
    if (op == AtomicOp::add) return encode(x + y);
    return encode(op == AtomicOp::min ? smaller(x, y) : larger(x, y));
  };
  const auto old = update<std::uint32_t>(target, [&](std::uint32_t seen) {
    return combine(seen & 0xffffU, operand & 0xffffU) | combine(seen >> 16, operand >> 16) << 16;
  });
  std::memcpy(old_pointer, &old, sizeof old);
  return true;
}

__extension__ using Wide = unsigned __int128;

// The builtin, since std::atomic_ref of 16 bytes calls a library that the emulator would have to
// bring along.
__attribute__((target("cx16"))) bool apply_wide(AtomicOp op, void* target, const void* operand,
                                                const void* swap, void* old_pointer) {
  if (op != AtomicOp::exch && op != AtomicOp::cas) return false;
  auto* place = static_cast<Wide*>(target);
  Wide seen = op == AtomicOp::cas ? read<Wide>(operand) : Wide{0};
  const Wide wanted = read<Wide>(op == AtomicOp::cas ? swap : operand);
  Wide found = __sync_val_compare_and_swap(place, seen, wanted);
  while (op == AtomicOp::exch && found != seen) {
    seen = found;
    found = __sync_val_compare_and_swap(place, seen, wanted);
  }
  std::memcpy(old_pointer, &found, sizeof found);
  return true;
}

}  // namespace

bool apply_atomic(AtomicOp op, AtomicType type, void* target, const void* operand, const void* swap,
                  void* old) {
  switch (type) {
    case AtomicType::u32:
      return apply_integer<std::uint32_t>(op, target, operand, swap, old);
    case AtomicType::s32:
      return apply_integer<std::int32_t>(op, target, operand, swap, old);
    case AtomicType::u64:
      return apply_integer<std::uint64_t>(op, target, operand, swap, old);
    case AtomicType::s64:
      return apply_integer<std::int64_t>(op, target, operand, swap, old);
    case AtomicType::b16:
      return apply_integer<std::uint16_t>(op, target, operand, swap, old);
    case AtomicType::f32:
      return apply_float<float, std::uint32_t>(
          op, target, operand, swap, old, [](std::uint32_t b) { return std::bit_cast<float>(b); },
          float_bits);
    case AtomicType::f32_flushed:
      return apply_float<float, std::uint32_t>(
          op, target, operand, swap, old,
          [](std::uint32_t b) { return flushed(std::bit_cast<float>(b)); },
          [](float v) { return float_bits(flushed(v)); });
    case AtomicType::f64:
      return apply_float<double, std::uint64_t>(
          op, target, operand, swap, old, [](std::uint64_t b) { return std::bit_cast<double>(b); },
          [](double v) { return std::bit_cast<std::uint64_t>(v); });
    case AtomicType::f16:
      return apply_float<float, std::uint16_t>(op, target, operand, swap, old, half_to_float,
                                               float_to_half);
    case AtomicType::bf16:
      return apply_float<float, std::uint16_t>(op, target, operand, swap, old, bfloat_to_float,
                                               float_to_bfloat);
    case AtomicType::f16x2:
      return apply_pair(op, target, operand, swap, old, half_to_float, float_to_half);
    case AtomicType::bf16x2:
      return apply_pair(op, target, operand, swap, old, bfloat_to_float, float_to_bfloat);
    case AtomicType::b128:
      return apply_wide(op, target, operand, swap, old);
  }
  return false;
}

std::uint32_t bytes_of(AtomicType type) {
  switch (type) {
    case AtomicType::f16:
    case AtomicType::bf16:
    case AtomicType::b16:
      return 2;
    case AtomicType::u64:
    case AtomicType::s64:
    case AtomicType::f64:
      return 8;
    case AtomicType::b128:
      return 16;
    default:
      return 4;
  }
}

}  // namespace emulator::runtime
