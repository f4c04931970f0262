// Video instructions in random forms, against the PTX ISA's description in plain integers.
#include <gtest/gtest.h>

#include <ranges>

#include "lower/triples.h"

namespace emulator::testing {
namespace {

__extension__ using Wide = __int128;

// .b2 or .h1 of a register; of no bits where there is none.
struct Part {
  unsigned bits = 0;
  unsigned index = 0;
  [[nodiscard]] std::string text() const {
    return bits == 0 ? "" : fmt::format(".{}{}", bits == 8 ? 'b' : 'h', index);
  }
};

std::int64_t extended(std::uint32_t word, unsigned bits, unsigned index, bool is_signed) {
  const std::uint64_t field = (std::uint64_t{word} >> (bits * index)) & ((1ULL << bits) - 1);
  const bool negative = is_signed && (field >> (bits - 1)) != 0;
  return static_cast<std::int64_t>(field) - (negative ? std::int64_t{1} << bits : 0);
}
std::int64_t taken(std::uint32_t word, const Part& part, bool is_signed) {
  return extended(word, part.bits == 0 ? 32 : part.bits, part.index, is_signed);
}

Wide clamped(Wide value, unsigned bits, bool is_signed) {
  const Wide high = (Wide{1} << (is_signed ? bits - 1 : bits)) - 1;
  const Wide low = is_signed ? -high - 1 : 0;
  return std::min(std::max(value, low), high);
}

const char* type_name(bool is_signed) { return is_signed ? "s32" : "u32"; }

// One scalar instruction in one form. The primary operation is given by the PTX ISA's pseudo-code.
struct Scalar {
  std::string operation;
  bool d_signed = false;
  bool a_signed = false;
  bool b_signed = false;
  bool saturates = false;
  bool wraps = false;      // shifts
  std::string comparison;  // vset
  std::string secondary;   // add, min, max or none
  Part d, a, b;

  [[nodiscard]] bool shifts() const { return operation == "vshl" || operation == "vshr"; }
  [[nodiscard]] bool compares() const { return operation == "vset"; }

  [[nodiscard]] std::string text(unsigned destination) const {
    std::string word = operation;
    if (!compares()) word += std::string(".") + type_name(d_signed);
    word += std::string(".") + type_name(a_signed) + "." + type_name(b_signed);
    if (saturates) word += ".sat";
    if (shifts()) word += wraps ? ".wrap" : ".clamp";
    if (compares()) word += "." + comparison;
    if (!secondary.empty()) word += "." + secondary;
    const bool third = !secondary.empty() || d.bits != 0;
    return fmt::format("{} %r{}{}, %r10{}, %r11{}{};", word, destination, d.text(), a.text(),
                       b.text(), third ? ", %r12" : "");
  }

  [[nodiscard]] Wide primary(std::int64_t ta, std::int64_t tb) const {
    if (operation == "vadd") return ta + tb;
    if (operation == "vsub") return ta - tb;
    if (operation == "vabsdiff") return ta < tb ? tb - ta : ta - tb;
    if (operation == "vmin") return std::min(ta, tb);
    if (operation == "vmax") return std::max(ta, tb);
    if (compares()) {
      if (comparison == "eq") return ta == tb ? 1 : 0;
      if (comparison == "ne") return ta != tb ? 1 : 0;
      if (comparison == "lt") return ta < tb ? 1 : 0;
      if (comparison == "le") return ta <= tb ? 1 : 0;
      if (comparison == "gt") return ta > tb ? 1 : 0;
      return ta >= tb ? 1 : 0;
    }
    const auto amount = wraps ? tb & 31 : std::min<std::int64_t>(tb, 32);
    return operation == "vshl" ? Wide{ta} * (Wide{1} << amount) : Wide{ta} >> amount;
  }

  [[nodiscard]] std::uint32_t expected(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    Wide result = primary(taken(x, a, a_signed), taken(y, b, b_signed));
    if (saturates) result = clamped(result, d.bits == 0 ? 32 : d.bits, d_signed);
    const std::int64_t c = extended(z, 32, 0, d_signed && !compares());
    if (secondary == "add") result += c;
    if (secondary == "min") result = std::min<Wide>(result, c);
    if (secondary == "max") result = std::max<Wide>(result, c);
    const auto word = static_cast<std::uint32_t>(result);
    if (d.bits == 0) return word;
    const std::uint32_t mask = ((1U << d.bits) - 1) << (d.bits * d.index);
    return (z & ~mask) | (word << (d.bits * d.index) & mask);
  }
};

std::vector<Triple> operands() {
  return triples({0,          1,          2,          31,         32,         33,        0x7f,
                  0x80,       0xff,       0x7fff,     0x8000,     0xffff,     0x10000,   0x7f80ff01,
                  0x7fffffff, 0x80000000, 0x80000001, 0xffffff80, 0xffff8000, 0xffffffff},
                 32);
}

// Two instructions at a time: their results are the halves of the kernel's.
template <typename Form>
void check(const Form& first, const Form& second) {
  const std::string body = "mov.u32 %r30, %r12; mov.u32 %r31, %r12;" + first.text(30) +
                           second.text(31) + "mov.b64 %rd20, {%r30, %r31};";
  const auto all = operands();
  const auto got = run_on(body, all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto x = static_cast<std::uint32_t>(all[i][0]);
    const auto y = static_cast<std::uint32_t>(all[i][1]);
    const auto z = static_cast<std::uint32_t>(all[i][2]);
    ASSERT_EQ(static_cast<std::uint32_t>(got[i]), first.expected(x, y, z))
        << fmt::format("{} {:x} {:x} {:x}", first.text(30), x, y, z);
    ASSERT_EQ(got[i] >> 32, second.expected(x, y, z))
        << fmt::format("{} {:x} {:x} {:x}", second.text(31), x, y, z);
  }
}

class ScalarVideo : public ::testing::TestWithParam<const char*> {
 protected:
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }
  bool flip() { return below(2) == 0; }
  Part part() { return below(3) == 0 ? Part{} : flip() ? Part{8, below(4)} : Part{16, below(2)}; }

  // With nothing done to the result but a sum, or a merge into a part that is not the upper half.
  Scalar plain_form() {
    Scalar s;
    s.operation = GetParam();
    s.d_signed = flip();
    s.a_signed = flip();
    s.b_signed = !s.shifts() && flip();
    s.wraps = flip();
    s.comparison = std::array{"eq", "ne", "lt", "le", "gt", "ge"}[below(6)];
    s.a = part();
    s.b = part();
    if (flip()) s.d = flip() ? Part{8, below(4)} : Part{16, 0};
    if (s.d.bits == 0) s.secondary = std::array{"", "add"}[below(2)];
    return s;
  }
  Scalar form() {
    Scalar s = plain_form();
    if (s.d.bits != 0) s.d = part();
    if (s.d.bits == 0) s.secondary = std::array{"", "add", "min", "max"}[below(4)];
    // Sums beyond 33 bits are clamped before they are compared with c.
    s.saturates = !s.compares() && (flip() || s.secondary == "min" || s.secondary == "max");
    return s;
  }

 private:
  std::mt19937 random_{5};
};
TEST_P(ScalarVideo, DoesWhatThePtxIsaSays) {
  for (int i = 0; i < 5; ++i) check(plain_form(), plain_form());
}
// NVIDIA's assembler for sm_90 (13.0) has no machine instructions for these and does otherwise:
// .sat into a part clamps from above only, as if the result had no sign; .h1 takes the upper half
// of the result; .min and .max compare numbers from 2^31 on as if they were greater than all of c.
TEST_P(ScalarVideo, ClampsComparesAndMergesAsThePtxIsaSays) {
  for (int i = 0; i < 5; ++i) check(form(), form());
}
INSTANTIATE_TEST_SUITE_P(Each, ScalarVideo,
                         ::testing::Values("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl",
                                           "vshr", "vset"),
                         [](const auto& test) { return std::string(test.param); });

struct Product {
  bool a_signed = false;
  bool b_signed = false;
  bool negates_a = false;
  bool negates_b = false;
  bool negates_c = false;
  bool plus_one = false;
  bool saturates = false;
  unsigned scale = 0;
  Part a, b;

  [[nodiscard]] std::string text(unsigned destination) const {
    return fmt::format("vmad.s32.{}.{}{}{}{} %r{}, {}%r10{}, {}%r11{}, {}%r12;",
                       type_name(a_signed), type_name(b_signed), plus_one ? ".po" : "",
                       saturates ? ".sat" : "", scale == 0 ? "" : fmt::format(".shr{}", scale),
                       destination, negates_a ? "-" : "", a.text(), negates_b ? "-" : "", b.text(),
                       negates_c ? "-" : "");
  }
  [[nodiscard]] std::uint32_t expected(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    const bool is_signed = a_signed || b_signed || negates_a != negates_b || negates_c;
    Wide sum = Wide{taken(x, a, a_signed)} * taken(y, b, b_signed);
    if (negates_a != negates_b) sum = -sum;
    const Wide c = extended(z, 32, 0, is_signed);
    sum += (negates_c ? -c : c) + (plus_one ? 1 : 0);
    sum >>= scale;
    return static_cast<std::uint32_t>(saturates ? clamped(sum, 32, is_signed) : sum);
  }
};

TEST(VideoProduct, DoesWhatThePtxIsaSays) {
  const Part none;
  const Part byte{8, 3};
  const Part half{16, 1};
  check(Product{.a = none, .b = none}, Product{.b_signed = true, .a = byte, .b = half});
  check(Product{.a_signed = true, .negates_b = true, .a = half, .b = none},
        Product{.negates_c = true, .a = none, .b = byte});
  check(Product{.plus_one = true, .a = byte, .b = half},
        Product{.a_signed = true, .b_signed = true, .plus_one = true, .a = none, .b = none});
}
// As above: the assembler extends c by a sign here that it does not have.
TEST(VideoProduct, IsScaledAndClampedAsThePtxIsaSays) {
  const Part none;
  const Part byte{8, 3};
  const Part half{16, 1};
  check(Product{.a = none, .b = none}, Product{.saturates = true, .a = none, .b = none});
  check(Product{.a_signed = true, .saturates = true, .scale = 7, .a = half, .b = none},
        Product{.b_signed = true, .saturates = true, .scale = 15, .a = none, .b = none});
  check(Product{.negates_a = true, .saturates = true, .a = byte, .b = half},
        Product{.negates_c = true, .saturates = true, .scale = 15, .a = none, .b = none});
  check(
      Product{
          .a_signed = true, .b_signed = true, .negates_b = true, .scale = 7, .a = half, .b = byte},
      Product{.plus_one = true, .saturates = true, .scale = 7, .a = byte, .b = half});
  check(
      Product{.a_signed = true,
              .b_signed = true,
              .negates_a = true,
              .negates_b = true,
              .saturates = true,
              .a = none,
              .b = none},
      Product{
          .a_signed = true, .b_signed = true, .plus_one = true, .scale = 15, .a = none, .b = none});
}

// vadd2, vadd4 and their kind.
struct Parts {
  std::string operation;
  unsigned count = 2;
  bool d_signed = false;
  bool a_signed = false;
  bool b_signed = false;
  bool saturates = false;
  bool accumulates = false;
  std::string comparison;
  std::vector<unsigned> mask;  // ascending; none: all
  std::vector<unsigned> a, b;  // the lowest first; none: the operand's own

  [[nodiscard]] unsigned bits() const { return 32 / count; }
  [[nodiscard]] std::string selector(const std::vector<unsigned>& digits) const {
    if (digits.empty()) return "";
    std::string word = count == 2 ? ".h" : ".b";
    for (const unsigned digit : std::ranges::reverse_view(digits)) word += std::to_string(digit);
    return word;
  }
  [[nodiscard]] std::string text(unsigned destination) const {
    const bool compares = operation == "vset";
    return fmt::format("{}{}{}.{}.{}{}{}{} %r{}{}, %r10{}, %r11{}, %r12;", operation, count,
                       compares ? "" : std::string(".") + type_name(d_signed), type_name(a_signed),
                       type_name(b_signed), compares ? "." + comparison : "",
                       saturates ? ".sat" : "", accumulates ? ".add" : "", destination,
                       selector(mask), selector(a), selector(b));
  }
  [[nodiscard]] std::int64_t operate(std::int64_t x, std::int64_t y) const {
    if (operation == "vadd") return x + y;
    if (operation == "vsub") return x - y;
    if (operation == "vavrg") return x + y >= 0 ? (x + y + 1) >> 1 : (x + y) >> 1;
    if (operation == "vabsdiff") return x < y ? y - x : x - y;
    if (operation == "vmin") return std::min(x, y);
    if (operation == "vmax") return std::max(x, y);
    if (comparison == "ne") return x != y ? 1 : 0;
    return (comparison == "lt" ? x < y : x >= y) ? 1 : 0;
  }
  [[nodiscard]] std::uint32_t expected(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    const auto source = [&](const std::vector<unsigned>& digits, unsigned i, unsigned own,
                            bool is_signed) {
      const unsigned part = digits.empty() ? own + i : digits[i];
      return extended(part < count ? x : y, bits(), part % count, is_signed);
    };
    std::uint32_t result = z;
    for (unsigned i = 0; i < count; ++i) {
      if (!mask.empty() && std::ranges::find(mask, i) == mask.end()) continue;
      std::int64_t t = operate(source(a, i, 0, a_signed), source(b, i, count, b_signed));
      if (saturates) t = static_cast<std::int64_t>(clamped(t, bits(), d_signed));
      if (accumulates) {
        result += static_cast<std::uint32_t>(t);
      } else {
        const std::uint32_t field = ((1U << bits()) - 1) << (bits() * i);
        result = (result & ~field) | (static_cast<std::uint32_t>(t) << (bits() * i) & field);
      }
    }
    return result;
  }
};

class VideoParts : public ::testing::TestWithParam<const char*> {};
TEST_P(VideoParts, DoWhatThePtxIsaSays) {
  std::mt19937 random(9);
  const auto below = [&](unsigned end) { return static_cast<unsigned>(random() % end); };
  const auto flip = [&] { return below(2) == 0; };
  const auto form = [&](unsigned count) {
    Parts p;
    p.operation = GetParam();
    p.count = count;
    p.d_signed = flip();
    p.a_signed = flip();
    p.b_signed = flip();
    p.comparison = std::array{"ne", "lt", "ge"}[below(3)];
    p.accumulates = flip();
    p.saturates = p.operation != "vset" && !p.accumulates && flip();
    for (unsigned i = 0; i < count; ++i) {
      if (flip()) p.mask.push_back(i);
    }
    const bool picks = flip();
    for (unsigned i = 0; picks && i < count; ++i) {
      p.a.push_back(below(2 * count));
      p.b.push_back(below(2 * count));
    }
    return p;
  };
  for (int i = 0; i < 4; ++i) check(form(2), form(4));
}
INSTANTIATE_TEST_SUITE_P(Each, VideoParts,
                         ::testing::Values("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax",
                                           "vset"),
                         [](const auto& test) { return std::string(test.param); });

// cvt.pack: both operands clamped, a above b, and below what is left of c.
struct Packed {
  const char* type;
  unsigned bits;
  bool is_signed;

  [[nodiscard]] std::string text(unsigned destination) const {
    return fmt::format("cvt.pack.sat.{}.s32{} %r{}, %r10, %r11{};", type, bits < 16 ? ".b32" : "",
                       destination, bits < 16 ? ", %r12" : "");
  }
  [[nodiscard]] std::uint32_t expected(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    const std::uint64_t mask = (1U << bits) - 1;
    const auto narrow = [&](std::uint32_t v) {
      return static_cast<std::uint64_t>(clamped(static_cast<std::int32_t>(v), bits, is_signed)) &
             mask;
    };
    const std::uint64_t above = bits < 16 ? std::uint64_t{z} << (2 * bits) : 0;
    return static_cast<std::uint32_t>(above | narrow(x) << bits | narrow(y));
  }
};
TEST(Pack, ClampsAndPutsSideBySide) {
  check(Packed{"u8", 8, false}, Packed{"s8", 8, true});
  check(Packed{"u16", 16, false}, Packed{"s16", 16, true});
  check(Packed{"u4", 4, false}, Packed{"s4", 4, true});
  check(Packed{"u2", 2, false}, Packed{"s2", 2, true});
}

}  // namespace
}  // namespace emulator::testing
