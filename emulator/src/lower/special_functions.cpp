#include "lower/special_functions.h"

#include <span>

namespace emulator::lower {
namespace {

constexpr std::uint64_t kOne = 0x3f800000;
constexpr std::uint64_t kHalf = 0x3f000000;
constexpr std::uint64_t kInfinity = 0x7f800000;
constexpr std::uint64_t kNanOfFloat = 0x7fffffff;
constexpr unsigned kFractionBits = 23;
constexpr std::uint64_t kBias = 127;

class Function {
 public:
  Function(Ir& ir, const Value& x) : ir_(ir), x_(x) {}

  // 2^x = 2^n * 2^f, n the integer next to x: by a polynomial for 2^f, and twice a power of two,
  // since n may be that of a subnormal or one too large for a float's exponent.
  Value power_of_two(bool flushes) {
    constexpr std::uint64_t kSmallestNormal = 0xc2fc0000;  // -126
    constexpr std::uint64_t kSmallest = 0xc3180000;        // -152: its result is 0
    constexpr std::uint64_t kLargest = 0x43010000;         // 129: its result is infinite
    // Added to a float this small, it leaves the integer next to that in the lowest bits.
    constexpr std::uint64_t kRounder = 0x4b400000;  // 1.5 * 2^23
    // (2^f - 1) / f on [-0.5, 0.5], interpolated at the zeros of the Chebyshev polynomial of
    // degree 6: with exact arithmetic its error would be 0.09 * 2^-24 of 2^f.
    static constexpr std::uint64_t kTerms[] = {0x3f317218, 0x3e75fdf0, 0x3d6357b6,
                                               0x3c1d952a, 0x3aaf8448, 0x392209c5};
    // Comparisons that a NaN passes over: it goes through all that follows.
    Value x = ir_.select(ir_.compare("fcmp olt", x_, number(kSmallest)), number(kSmallest), x_);
    x = ir_.select(ir_.compare("fcmp ogt", x, number(kLargest)), number(kLargest), x);
    const Value shifted = ir_.binary("fadd", x, number(kRounder));
    const Value fraction = ir_.binary("fsub", x, ir_.binary("fsub", shifted, number(kRounder)));
    const Value power = fused(fraction, polynomial(kTerms, fraction), number(kOne));
    // About half of n the same way, with the bias already in it. The first product is exact,
    // whatever that half is, so that only the second rounds.
    const Value half = ir_.bitcast(fused(x, number(kHalf), number(kRounder + kBias)), "i32");
    const Value rest = ir_.binary("sub", ir_.bitcast(shifted, "i32"), half);
    Value scale = with_exponent(ir_.binary("add", rest, 2 * kBias));
    // The result is subnormal where x is below -126, and only there. That is known long before it.
    if (flushes) {
      scale = ir_.select(ir_.compare("fcmp olt", x, number(kSmallestNormal)), number(0), scale);
    }
    return ir_.binary("fmul", ir_.binary("fmul", power, with_exponent(half)), scale);
  }

  // log2(x) = e + log2(1 + t), 1 + t between the roots of 1/2 and 2.
  Value binary_logarithm() {
    constexpr std::uint64_t kSmallestNormal = 0x00800000;
    constexpr std::uint64_t kTwoTo23 = 0x4b000000;
    constexpr std::uint64_t kRootOfHalf = 0x3f3504f3;
    // log2(1 + t) / t there, interpolated at the zeros of the Chebyshev polynomial of degree 10:
    // with exact arithmetic its error would be 0.08 * 2^-24 of the value.
    static constexpr std::uint64_t kTerms[] = {0x3fb8aa3b, 0xbf38aa38, 0x3ef63855, 0xbeb8ad38,
                                               0x3e93bd29, 0xbe755bd5, 0x3e51c634, 0xbe43fb51,
                                               0x3e3d31d0, 0xbddc27db};
    const Value subnormal = ir_.compare("fcmp olt", x_, number(kSmallestNormal));
    const Value scaled = ir_.select(subnormal, ir_.binary("fmul", x_, number(kTwoTo23)), x_);
    const Value above = ir_.binary("sub", ir_.bitcast(scaled, "i32"), kRootOfHalf);
    const Value exponent = ir_.binary("ashr", above, kFractionBits);
    const Value significand = ir_.bitcast(
        ir_.binary("sub", ir_.bitcast(scaled, "i32"), ir_.binary("shl", exponent, kFractionBits)),
        "float");
    const Value t = ir_.binary("fsub", significand, number(kOne));
    const Value whole =
        ir_.binary("sub", exponent, ir_.select(subnormal, integer(kFractionBits), integer(0)));
    const Value sum = fused(t, polynomial(kTerms, t), ir_.cast("sitofp", whole, "float"));
    return with_limits(sum);
  }

 private:
  // Of operands that are zero, infinite, negative or NaN.
  Value with_limits(const Value& logarithm) {
    constexpr std::uint64_t kMinusInfinity = 0xff800000;
    const Value zero = number(0);
    const Value finite = ir_.compare("fcmp olt", x_, number(kInfinity));
    // Infinity, or NaN.
    Value result = ir_.select(finite, logarithm, x_);
    result = ir_.select(ir_.compare("fcmp oeq", x_, zero), number(kMinusInfinity), result);
    return ir_.select(ir_.compare("fcmp olt", x_, zero), number(kNanOfFloat), result);
  }

  Value number(std::uint64_t bits) { return ir_.float_constant(bits, "float", x_.lanes); }
  [[nodiscard]] Value integer(std::uint64_t value) const {
    return Ir::constant(value, "i32", x_.lanes);
  }
  Value fused(const Value& a, const Value& b, const Value& c) {
    return ir_.intrinsic("fma", {a, b, c}, "float", x_.lanes);
  }
  // The terms' coefficients from the constant on.
  Value polynomial(std::span<const std::uint64_t> terms, const Value& x) {
    Value sum = number(terms.back());
    for (std::size_t i = terms.size() - 1; i-- > 0;) sum = fused(sum, x, number(terms[i]));
    return sum;
  }
  // The power of two whose biased exponent is in the lowest bits. What is above them is lost.
  Value with_exponent(const Value& biased) {
    return ir_.bitcast(ir_.binary("shl", biased, kFractionBits), "float");
  }

  Ir& ir_;
  const Value& x_;
};

}  // namespace

Value power_of_two(Ir& ir, const Value& x, bool flushes) {
  return Function(ir, x).power_of_two(flushes);
}
Value binary_logarithm(Ir& ir, const Value& x) { return Function(ir, x).binary_logarithm(); }

// tanh(x) = 1 - 2 / (exp(2x) + 1), which keeps its relative error small except near 0, where
// x - x^3 / 3 is used.
Value hyperbolic_tangent(Ir& ir, const Value& x) {
  constexpr std::uint64_t kTwoLog2E = 0x4038aa3b;  // 2 / ln 2
  constexpr std::uint64_t kThird = 0x3eaaaaab;     // 1 / 3
  constexpr std::uint64_t kSmall =
      0x3d000000;  // 2^-5: the cubic's error is below 2^-21 of the result there
  const auto constant = [&](std::uint64_t bits) {
    return ir.float_constant(bits, "float", x.lanes);
  };
  const Value one = constant(0x3f800000);
  const Value grown = power_of_two(ir, ir.binary("fmul", x, constant(kTwoLog2E)));
  const Value large = ir.binary(
      "fsub", one, ir.binary("fdiv", constant(0x40000000), ir.binary("fadd", grown, one)));
  const Value cubic =
      ir.binary("fmul", ir.binary("fmul", x, x), ir.binary("fmul", x, constant(kThird)));
  const Value magnitude = ir.intrinsic("fabs", {x}, "float", x.lanes);
  const Value small = ir.compare("fcmp olt", magnitude, constant(kSmall));
  return ir.select(small, ir.binary("fsub", x, cubic), large);
}

}  // namespace emulator::lower
