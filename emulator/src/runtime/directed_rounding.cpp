// f64 arithmetic in a rounding direction, by the processor's own rounding mode.
#include <cfenv>
#include <cmath>
#include <cstring>

#include "runtime/abi.h"

namespace emulator::runtime {
namespace {

int mode_of(Direction direction) {
  switch (direction) {
    case Direction::zero:
      return FE_TOWARDZERO;
    case Direction::down:
      return FE_DOWNWARD;
    case Direction::up:
      return FE_UPWARD;
  }
  return FE_TONEAREST;
}

// The compiler knows nothing of rounding modes. Memory it cannot see through on both sides keeps it
// from moving a computation out of the stretch where the mode is set.
void fence_computations() { __asm__ volatile("" ::: "memory"); }

template <typename Compute>
void each_lane(WarpContext& context, Compute compute) {
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    double operand[3];
    for (unsigned i = 0; i < 3; ++i) {
      std::memcpy(&operand[i], context.value[i] + lane * sizeof(double), sizeof(double));
    }
    const double result = compute(operand[0], operand[1], operand[2]);
    std::memcpy(context.value[3] + lane * sizeof(double), &result, sizeof(double));
  }
}

[[gnu::noinline]] void compute_all(WarpContext& context, DirectedOp operation) {
  switch (operation) {
    case DirectedOp::add:
      return each_lane(context, [](double a, double b, double) { return a + b; });
    case DirectedOp::sub:
      return each_lane(context, [](double a, double b, double) { return a - b; });
    case DirectedOp::mul:
      return each_lane(context, [](double a, double b, double) { return a * b; });
    case DirectedOp::div:
      return each_lane(context, [](double a, double b, double) { return a / b; });
    case DirectedOp::fma:
      return each_lane(context, [](double a, double b, double c) { return std::fma(a, b, c); });
    case DirectedOp::sqrt:
      return each_lane(context, [](double a, double, double) { return std::sqrt(a); });
  }
}

}  // namespace

extern "C" void emu_directed(WarpContext* context, std::uint32_t operation,
                             std::uint32_t direction) {
  const int before = std::fegetround();
  std::fesetround(mode_of(static_cast<Direction>(direction)));
  fence_computations();
  compute_all(*context, static_cast<DirectedOp>(operation));
  fence_computations();
  std::fesetround(before);
}

}  // namespace emulator::runtime
