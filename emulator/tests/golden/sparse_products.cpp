// mma.sp: every combination of types and every selector.
#include <fmt/format.h>

#include "golden/cases.h"
#include "golden/elements.h"

namespace emulator::golden {
namespace {

constexpr unsigned kLanes = 32;
constexpr unsigned kWordsOfLane = 13;  // four of A, B and C each, and the metadata

struct Product {
  std::string d, a, b;
  Element values;
  unsigned depth;
  unsigned selector;
  bool ordered;

  [[nodiscard]] bool is_integer() const { return d == "s32"; }
  // Of A and of B: the shorter of two depths has half as many.
  [[nodiscard]] unsigned registers() const {
    const unsigned bits = a == "s4" || a == "u4" ? 4 : bits_of(values);
    return depth * bits == 512 ? 4 : 2;
  }
  [[nodiscard]] unsigned registers_of_d() const { return d == "f16" ? 2 : 4; }
};

std::string list(const char* stem, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i) text += fmt::format("{}%{}{}", i == 0 ? "" : ", ", stem, i);
  return text + "}";
}

std::string kernel(const Product& product) {
  std::string text = R"(.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b32 %a<4>; .reg .b32 %b<4>; .reg .b32 %c<4>; .reg .b32 %d<4>; .reg .b32 %e; .reg .b32 %r<4>; .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
)";
  text +=
      fmt::format("  mul.wide.u32 %rd3, %r1, {};\n  add.u64 %rd3, %rd1, %rd3;\n", kWordsOfLane * 4);
  unsigned at = 0;
  for (const char* stem : {"a", "b", "c"}) {
    for (unsigned i = 0; i < 4; ++i, at += 4)
      text += fmt::format("  ld.global.b32 %{}{}, [%rd3+{}];\n", stem, i, at);
  }
  text += fmt::format("  ld.global.b32 %e, [%rd3+{}];\n", at);
  text += fmt::format(
      "  mma.sp{}.sync.aligned.m16n8k{}.row.col{}.{}.{}.{}.{} {}, {}, {}, {}, %e, {};\n",
      product.ordered ? "::ordered_metadata" : "", product.depth,
      product.is_integer() ? ".satfinite" : "", product.d, product.a, product.b, product.d,
      list("d", product.registers_of_d()), list("a", product.registers()),
      list("b", product.registers()), list("c", product.registers_of_d()), product.selector);
  text += fmt::format("  mul.wide.u32 %rd4, %r1, {};\n  add.u64 %rd4, %rd2, %rd4;\n",
                      product.registers_of_d() * 4);
  for (unsigned i = 0; i < product.registers_of_d(); ++i)
    text += fmt::format("  st.global.b32 [%rd4+{}], %d{};\n", i * 4, i);
  return text + "  ret;\n}\n";
}

std::uint32_t random_metadata(const Product& product, std::uint64_t& state) {
  static constexpr std::array<std::uint32_t, 6> kPairs = {0x4, 0x8, 0x9, 0xC, 0xD, 0xE};
  static constexpr std::array<std::uint32_t, 2> kOnes = {0x4, 0xE};
  std::uint32_t word = 0;
  for (unsigned bit = 0; bit < 32; bit += 4) {
    const std::uint64_t random = next_random(state) >> 8U;
    word |= (product.values == Element::tf32 ? kOnes.at(random % 2) : kPairs.at(random % 6)) << bit;
  }
  return word;
}

Words run_product(const Product& product) {
  std::uint64_t seed = 23;
  const Element of_c = product.d == "f32"   ? Element::f32
                       : product.d == "f16" ? Element::f16
                                            : Element::s32;
  Words in;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned i = 0; i < 8; ++i) in.push_back(random_word(product.values, seed));
    // So small that no sum is clamped.
    for (unsigned i = 0; i < 4; ++i)
      in.push_back(random_word(of_c, seed) & (of_c == Element::s32 ? 0xFFFU : ~0U));
    in.push_back(random_metadata(product, seed));
  }
  const Memory operands(in);
  const Memory out(std::size_t{product.registers_of_d()} * kLanes * 4);
  run(kernel(product), {.threads = kLanes}, {}, std::array{operands.address(), out.address()});
  return out.read();
}

}  // namespace

std::vector<Case> sparse_products() {
  using enum Element;
  struct Family {
    std::vector<std::string> d, a, b;
    Element values;
    unsigned depth;
    unsigned selectors;
  };
  const std::vector<Family> families = {
      {{"f16", "f32"}, {"f16"}, {}, f16, 16, 4},
      {{"f16", "f32"}, {"f16"}, {}, f16, 32, 2},
      {{"f32"}, {"bf16"}, {}, bf16, 16, 4},
      {{"f32"}, {"bf16"}, {}, bf16, 32, 2},
      {{"f32"}, {"tf32"}, {}, tf32, 8, 4},
      {{"f32"}, {"tf32"}, {}, tf32, 16, 2},
      {{"s32"}, {"s8", "u8"}, {"s8", "u8"}, s8, 32, 2},
      {{"s32"}, {"s8", "u8"}, {"s8", "u8"}, s8, 64, 1},
      {{"s32"}, {"s4", "u4"}, {"s4", "u4"}, s8, 64, 2},
      {{"s32"}, {"s4", "u4"}, {"s4", "u4"}, s8, 128, 1},
      {{"f32"}, {"e4m3"}, {"e4m3"}, e4m3, 64, 1},
      {{"f32"}, {"e5m2"}, {"e5m2"}, e5m2, 64, 1},
  };
  std::vector<Case> cases;
  for (const Family& family : families) {
    for (const std::string& d : family.d) {
      for (const std::string& a : family.a) {
        for (const std::string& b : family.b.empty() ? std::vector{a} : family.b) {
          for (unsigned selector = 0; selector < family.selectors; ++selector) {
            for (const bool ordered : {false, true}) {
              const Product product = {d, a, b, family.values, family.depth, selector, ordered};
              cases.push_back({fmt::format("mma.sp{}.m16n8k{}.{}.{}.{} selector:{}",
                                           ordered ? "::ordered_metadata" : "", family.depth, d, a,
                                           b, selector),
                               [product] { return run_product(product); }});
            }
          }
        }
      }
    }
  }
  return cases;
}

}  // namespace emulator::golden
