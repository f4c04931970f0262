// wgmma: every combination of types, every width, and every way in which a tile may lie in shared
// memory.
#include <fmt/format.h>

#include "golden/cases.h"
#include "golden/elements.h"

namespace emulator::golden {
namespace {

// Shared memory: the tiles of A and of B lie in a region each, all of it random, so that an element
// read from a wrong place counts.
constexpr std::uint32_t kRegionA = 32 << 10;
constexpr std::uint32_t kRegionB = 64 << 10;
constexpr unsigned kThreads = 128;
constexpr unsigned kRegistersOfA = 4;

// How a tile lies there, as the matrix descriptor says it. Offsets are bytes.
struct Tile {
  unsigned swizzle = 128;   // bytes: 0, 32, 64, 128
  bool transposed = false;  // along M or N, not along K
  std::uint32_t leading = 16;
  std::uint32_t stride = 1024;
  std::uint32_t start = 0;
  unsigned base_offset = 0;
};

struct Product {
  Element d, a, b;
  unsigned n = 64;
  Tile tile_a{};
  Tile tile_b{};
  bool a_in_registers = false;
  bool sparse = false;
  unsigned selector = 0;
  bool adds = true;  // scale-d
  bool negates_a = false;
  bool negates_b = false;
  bool saturates = false;

  [[nodiscard]] bool is_integer() const { return d == Element::s32; }
  [[nodiscard]] unsigned depth() const { return (sparse ? 2 : 1) * 256 / bits_of(a); }
  [[nodiscard]] unsigned registers() const { return d == Element::f16 ? n / 4 : n / 2; }
};

std::uint64_t descriptor(const Tile& tile, std::uint32_t region) {
  const std::uint64_t layout = tile.swizzle == 128  ? 1
                               : tile.swizzle == 64 ? 2
                               : tile.swizzle == 32 ? 3
                                                    : 0;
  return (region + tile.start) >> 4U | std::uint64_t{tile.leading >> 4U} << 16U |
         std::uint64_t{tile.stride >> 4U} << 32U | std::uint64_t{tile.base_offset} << 49U |
         layout << 62U;
}

std::string list(const char* stem, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i) text += fmt::format("{}%{}{}", i == 0 ? "" : ", ", stem, i);
  return text + "}";
}

std::string statement(const Product& product) {
  std::string text = fmt::format(
      "wgmma.mma_async{}.sync.aligned.m64n{}k{}{}.{}.{}.{}{} {}, ", product.sparse ? ".sp" : "",
      product.n, product.depth(), product.saturates ? ".satfinite" : "", spelling(product.d),
      spelling(product.a), spelling(product.b), product.a == Element::b1 ? ".and.popc" : "",
      list("d", product.registers()));
  text += product.a_in_registers ? list("a", kRegistersOfA) : "%da";
  text += ", %db";
  if (product.sparse) text += fmt::format(", %meta, {}", product.selector);
  text += ", %adds";
  if (product.is_integer()) return text + ";";
  text += fmt::format(", {}, {}", product.negates_a ? -1 : 1, product.negates_b ? -1 : 1);
  if (bits_of(product.a) == 16) {
    if (!product.a_in_registers) text += fmt::format(", {}", product.tile_a.transposed ? 1 : 0);
    text += fmt::format(", {}", product.tile_b.transposed ? 1 : 0);
  }
  return text + ";";
}

// What an accumulator begins with: a small number that differs from thread to thread.
std::string start_value(const Product& product, unsigned index) {
  std::string text =
      fmt::format("  mad.lo.s32 %r3, %r1, 7, {};\n  and.b32 %r3, %r3, 63;\n", index * 3);
  switch (product.d) {
    case Element::f32:
      return text + fmt::format("  cvt.rn.f32.s32 %f, %r3;\n  mov.b32 %d{}, %f;\n", index);
    case Element::f16:
      return text +
             fmt::format(
                 "  cvt.rn.f16.s32 %h0, %r3;\n  neg.f16 %h1, %h0;\n  mov.b32 %d{}, {{%h0, %h1}};\n",
                 index);
    default:
      return text + fmt::format("  mov.b32 %d{}, %r3;\n", index);
  }
}

std::string kernel(const Product& product) {
  const unsigned registers = product.registers();
  std::string text = fmt::format(R"(.version 8.4
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 tiles[];
.visible .entry k(.param .u64 in, .param .u64 operands, .param .u64 out) {{
  .reg .b32 %d<{0}>; .reg .b32 %a<4>; .reg .b32 %r<8>; .reg .b32 %meta; .reg .b64 %rd<8>;
  .reg .b64 %da; .reg .b64 %db; .reg .f32 %f; .reg .b16 %h<2>; .reg .pred %p; .reg .pred %adds;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [operands];
  ld.param.u64 %rd3, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, tiles;
  shl.b32 %r4, %r1, 4;
FILL:
  cvt.u64.u32 %rd4, %r4;
  add.u64 %rd4, %rd1, %rd4;
  ld.global.v4.b32 {{%a0, %a1, %a2, %a3}}, [%rd4];
  add.u32 %r5, %r2, %r4;
  st.shared.v4.b32 [%r5], {{%a0, %a1, %a2, %a3}};
  add.u32 %r4, %r4, {1};
  setp.lt.u32 %p, %r4, {2};
  @%p bra FILL;
  mul.wide.u32 %rd5, %r1, 20;
  add.u64 %rd5, %rd2, %rd5;
  ld.global.b32 %a0, [%rd5];
  ld.global.b32 %a1, [%rd5+4];
  ld.global.b32 %a2, [%rd5+8];
  ld.global.b32 %a3, [%rd5+12];
  ld.global.b32 %meta, [%rd5+16];
)",
                                 registers, kThreads * 16, kRegionA + kRegionB);
  for (unsigned i = 0; i < registers; ++i) text += start_value(product, i);
  // Only the address in a descriptor is not known here.
  text += fmt::format(R"(  shr.u32 %r5, %r2, 4;
  cvt.u64.u32 %rd6, %r5;
  add.u64 %da, %rd6, {};
  add.u64 %db, %rd6, {};
  setp.{}.u32 %adds, %r1, {};
  fence.proxy.async;
  bar.sync 0;
  wgmma.fence.sync.aligned;
  {}
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  shl.b32 %r4, %r1, 2;
  cvt.u64.u32 %rd4, %r4;
  add.u64 %rd4, %rd3, %rd4;
)",
                      descriptor(product.tile_a, 0), descriptor(product.tile_b, kRegionA),
                      product.adds ? "lt" : "gt", kThreads, statement(product));
  for (unsigned i = 0; i < registers; ++i)
    text += fmt::format("  st.global.b32 [%rd4+{}], %d{};\n", i * kThreads * 4, i);
  return text + "  ret;\n}\n";
}

// Which two of four elements, or which of two, a sparse row keeps: four bits each.
std::uint32_t random_metadata(Element type, std::uint64_t& state) {
  static constexpr std::array<std::uint32_t, 6> kPairs = {0x4, 0x8, 0x9, 0xC, 0xD, 0xE};
  static constexpr std::array<std::uint32_t, 2> kOnes = {0x4, 0xE};
  std::uint32_t word = 0;
  for (unsigned bit = 0; bit < 32; bit += 4) {
    const std::uint64_t random = next_random(state) >> 8U;
    word |= (type == Element::tf32 ? kOnes.at(random % 2) : kPairs.at(random % 6)) << bit;
  }
  return word;
}

Words run_product(const Product& product) {
  std::uint64_t seed = 17;
  Words tiles = random_words(product.a, kRegionA / 4, 1);
  const Words of_b = random_words(product.b, kRegionB / 4, 2);
  tiles.insert(tiles.end(), of_b.begin(), of_b.end());
  Words operands;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    for (unsigned i = 0; i < kRegistersOfA; ++i) operands.push_back(random_word(product.a, seed));
    operands.push_back(random_metadata(product.a, seed));
  }
  const Memory in(tiles);
  const Memory of_threads(operands);
  const Memory out(std::size_t{product.registers()} * kThreads * 4);
  run(kernel(product), {.threads = kThreads, .shared_bytes = kRegionA + kRegionB}, {},
      std::array{in.address(), of_threads.address(), out.address()});
  return out.read();
}

std::string name_of(const Tile& tile) {
  return fmt::format("{}{}/{}/{}+{}b{}", tile.transposed ? "t" : "", tile.swizzle, tile.leading,
                     tile.stride, tile.start, tile.base_offset);
}

std::string name_of(const Product& product) {
  std::string name =
      fmt::format("wgmma.{}m64n{}k{}.{}.{}.{}", product.sparse ? "sp." : "", product.n,
                  product.depth(), spelling(product.d), spelling(product.a), spelling(product.b));
  name += " A:" + (product.a_in_registers ? "registers" : name_of(product.tile_a));
  name += " B:" + name_of(product.tile_b);
  if (product.sparse) name += fmt::format(" selector:{}", product.selector);
  if (!product.adds) name += " zeroed";
  if (product.negates_a) name += " -A";
  if (product.negates_b) name += " -B";
  if (product.saturates) name += " satfinite";
  return name;
}

// Along K, in rows of so many bytes as the swizzle; and with strides that nobody would choose.
const std::vector<Tile>& tiles_along_k() {
  static const std::vector<Tile> kAll = {
      {.swizzle = 0, .leading = 128, .stride = 256},
      {.swizzle = 0, .leading = 1168, .stride = 144},
      {.swizzle = 0, .leading = 4096, .stride = 128, .start = 48},
      {.swizzle = 32, .stride = 256},
      {.swizzle = 32, .stride = 512, .start = 256},
      {.swizzle = 64, .stride = 512},
      {.swizzle = 64, .stride = 512, .start = 32},
      {.swizzle = 64, .leading = 64, .stride = 1536, .start = 512},
      {.swizzle = 128, .stride = 1024},
      {.swizzle = 128, .stride = 1024, .start = 32},
      {.swizzle = 128, .stride = 1024, .start = 64},
      {.swizzle = 128, .stride = 1024, .start = 96},
      {.swizzle = 128, .leading = 2048, .stride = 2048, .start = 1024},
      {.swizzle = 128, .stride = 1024, .start = 384, .base_offset = 3},
  };
  return kAll;
}

std::vector<Tile> tiles_along_rows() {
  return {
      {.swizzle = 0, .transposed = true, .leading = 128, .stride = 256},
      {.swizzle = 0, .transposed = true, .leading = 2176, .stride = 144},
      {.swizzle = 32, .transposed = true, .leading = 512, .stride = 256},
      {.swizzle = 32, .transposed = true, .leading = 1024, .stride = 4096},
      {.swizzle = 64, .transposed = true, .leading = 1024, .stride = 512},
      {.swizzle = 64, .transposed = true, .leading = 2048, .stride = 512, .start = 512},
      {.swizzle = 128, .transposed = true, .leading = 2048, .stride = 1024},
      {.swizzle = 128, .transposed = true, .leading = 1024, .stride = 4096},
      {.swizzle = 128, .transposed = true, .leading = 4096, .stride = 1024, .start = 2048},
  };
}

struct Types {
  Element d, a, b;
};
const std::vector<Types>& types() {
  using enum Element;
  static const std::vector<Types> kAll = {
      {f32, f16, f16},   {f16, f16, f16},   {f32, bf16, bf16}, {f32, tf32, tf32}, {f32, e4m3, e4m3},
      {f32, e4m3, e5m2}, {f32, e5m2, e4m3}, {f32, e5m2, e5m2}, {f16, e4m3, e4m3}, {f16, e4m3, e5m2},
      {f16, e5m2, e4m3}, {f16, e5m2, e5m2}, {s32, s8, s8},     {s32, s8, u8},     {s32, u8, s8},
      {s32, u8, u8},     {s32, b1, b1},
  };
  return kAll;
}

bool has_width(const Types& types, unsigned n) {
  return types.d != Element::s32 || n == 8 || n == 24 || n % 16 == 0;
}

std::vector<Product> all_products() {
  std::vector<Product> all;
  // Every width of two families, three of the others.
  for (const Types& t : types()) {
    const bool every = t.a == Element::bf16 || (t.a == Element::s8 && t.b == Element::u8);
    for (unsigned n = 8; n <= 256; n += 8) {
      if (has_width(t, n) && (every || n == 8 || n == 96 || n == 256))
        all.push_back({.d = t.d, .a = t.a, .b = t.b, .n = n});
    }
    all.push_back({.d = t.d, .a = t.a, .b = t.b, .n = 32, .a_in_registers = true});
    all.push_back({.d = t.d, .a = t.a, .b = t.b, .n = 16, .adds = false});
    if (t.d != Element::s32) {
      all.push_back({.d = t.d, .a = t.a, .b = t.b, .n = 16, .negates_a = true});
      all.push_back({.d = t.d, .a = t.a, .b = t.b, .n = 16, .negates_b = true});
      all.push_back({.d = t.d,
                     .a = t.a,
                     .b = t.b,
                     .n = 16,
                     .adds = false,
                     .negates_a = true,
                     .negates_b = true});
    } else if (t.a != Element::b1) {
      all.push_back({.d = t.d, .a = t.a, .b = t.b, .n = 16, .saturates = true});
    }
  }
  // Every layout, of A and of B.
  using enum Element;
  for (const Types& t : {Types{f32, f16, f16}, Types{f32, tf32, tf32}, Types{f32, e4m3, e4m3},
                         Types{s32, s8, s8}, Types{s32, b1, b1}}) {
    for (const Tile& tile : tiles_along_k()) {
      all.push_back({.d = t.d, .a = t.a, .b = t.b, .n = 64, .tile_a = tile});
      all.push_back({.d = t.d, .a = t.a, .b = t.b, .n = 64, .tile_b = tile});
    }
  }
  for (const Tile& tile : tiles_along_rows()) {
    for (const unsigned n : {8U, 64U, 160U, 256U})
      all.push_back({.d = f32, .a = bf16, .b = bf16, .n = n, .tile_b = tile});
    all.push_back({.d = f32, .a = f16, .b = f16, .n = 64, .tile_a = tile});
    all.push_back({.d = f16, .a = f16, .b = f16, .n = 64, .tile_a = tile, .tile_b = tile});
    all.push_back({.d = f32, .a = f16, .b = f16, .n = 64, .tile_b = tile, .a_in_registers = true});
  }
  // One factor sparse.
  for (const Types& t : types()) {
    if (t.a == b1) continue;
    for (const unsigned n : {8U, 64U, 256U}) {
      const Tile wide = {.swizzle = 128, .stride = 1024};
      const unsigned selectors = bits_of(t.a) == 8 ? 1 : 2;
      for (unsigned selector = 0; selector < selectors; ++selector) {
        all.push_back({.d = t.d,
                       .a = t.a,
                       .b = t.b,
                       .n = n,
                       .tile_b = wide,
                       .sparse = true,
                       .selector = selector});
        all.push_back({.d = t.d,
                       .a = t.a,
                       .b = t.b,
                       .n = n,
                       .tile_b = wide,
                       .a_in_registers = true,
                       .sparse = true,
                       .selector = selector});
      }
    }
  }
  for (const Tile& tile : tiles_along_rows())
    all.push_back({.d = f32, .a = f16, .b = f16, .n = 64, .tile_b = tile, .sparse = true});
  for (const Tile& tile : tiles_along_k())
    all.push_back({.d = f32, .a = f16, .b = f16, .n = 64, .tile_b = tile, .sparse = true});
  return all;
}

}  // namespace

std::vector<Case> warpgroup_products() {
  std::vector<Case> cases;
  for (const Product& product : all_products())
    cases.push_back({name_of(product), [product] { return run_product(product); }});
  return cases;
}

}  // namespace emulator::golden
