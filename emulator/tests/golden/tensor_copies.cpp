// cp.async.bulk.tensor and cp.reduce.async.bulk.tensor: boxes of tensors of one to five dimensions,
// and the pixels of an im2col map, to shared memory and back.
#include <fmt/format.h>

#include <cstring>
#include <numeric>
#include <optional>

#include "golden/cases.h"
#include "golden/elements.h"

namespace emulator::golden {
namespace {

constexpr unsigned kThreads = 128;
// What of shared memory is shown: a box and what lies behind it.
constexpr std::uint32_t kShown = 32 << 10;

struct Copy {
  std::string name;
  TensorMap map;
  std::vector<int> at;           // coordinates, the innermost first
  std::vector<int> offsets;      // of an im2col load
  std::string operation;         // empty: load; "store"; or that of a reduction
  Element values = Element::b1;  // of memory and, for a store, of shared memory
  unsigned element_bytes = 4;
  bool special = false;  // memory holds numbers at which rounding may differ
  // The map lies in global memory, where the kernel changes these fields of it first: "field" or
  // "field, index", type and value.
  struct Replacement {
    std::string field;
    std::string type;
    std::string value;
  };
  std::vector<Replacement> replacements{};
  std::uint64_t bytes = 0;  // of a load by a map that was changed
  bool of_zeros = false;    // what is changed is no map to begin with, but zeros
};

// f32 that lie half-way between two of tf32, are subnormal, infinite, NaN, or the largest.
Words special_words(std::size_t count) {
  static constexpr std::array<std::uint32_t, 20> kNumbers = {
      0x3F801000, 0x3F803000, 0xBF801000, 0x3F800FFF, 0x3F801001, 0x00000001, 0x007FFFFF,
      0x80000001, 0x00001000, 0x00801000, 0x7F800000, 0xFF800000, 0x7F800001, 0x7FC01234,
      0xFF801000, 0x7FFFFFFF, 0x7F7FFFFF, 0x7F7FF000, 0x00000000, 0x80000000};
  Words words(count);
  for (std::size_t i = 0; i < count; ++i) words[i] = kNumbers.at(i % kNumbers.size());
  return words;
}

std::uint64_t box_bytes(const Copy& copy) {
  if (copy.bytes != 0) return copy.bytes;
  const TensorMap& map = copy.map;
  const bool interleaved = map.interleave != CU_TENSOR_MAP_INTERLEAVE_NONE;
  const std::uint64_t slice = map.interleave == CU_TENSOR_MAP_INTERLEAVE_16B ? 16 : 32;
  if (map.box.empty())
    return map.pixels * (interleaved ? slice : std::uint64_t{map.channels} * copy.element_bytes);
  std::uint64_t bytes = interleaved ? slice : copy.element_bytes;
  for (std::size_t i = 0; i < map.box.size(); ++i) {
    // Slices are copied one at a time; without them the innermost dimension has no stride.
    if (interleaved && i + 2 == map.box.size()) continue;
    const std::uint32_t stride = i == 0 && !interleaved ? 1 : map.element_strides.at(i);
    bytes *= (map.box.at(i) + stride - 1) / stride;
  }
  return bytes;
}

std::uint64_t tensor_bytes(const Copy& copy) {
  return copy.map.strides.empty() ? copy.map.dims.at(0) * copy.element_bytes
                                  : copy.map.strides.back() * copy.map.dims.back();
}

std::string joined(const char* stem, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += fmt::format("{}%{}{}", i == 0 ? "" : ", ", stem, i);
  return text;
}

std::string statement(const Copy& copy) {
  const std::size_t rank = copy.at.size();
  const bool tiled = !copy.map.box.empty();
  const std::string coordinates = joined("c", rank);
  if (copy.operation.empty()) {
    const std::string offsets =
        copy.offsets.empty() ? "" : fmt::format(", {{{}}}", joined("o", copy.offsets.size()));
    return fmt::format(
        "cp.async.bulk.tensor.{}d.shared::cluster.global.{}.mbarrier::complete_tx::bytes [%r2], "
        "[%rd2, {{{}}}], "
        "[%r3]{};",
        rank, tiled ? "tile" : "im2col", coordinates, offsets);
  }
  const bool stores = copy.operation == "store";
  return fmt::format(
      "cp.{}async.bulk.tensor.{}d.global.shared::cta.{}{}.bulk_group [%rd2, {{{}}}], [%r2];",
      stores ? "" : "reduce.", rank, stores ? "" : copy.operation + ".",
      tiled ? "tile" : "im2col_no_offs", coordinates);
}

// From here on %rd2 is the map in global memory.
std::string replaced(const Copy& copy) {
  if (copy.replacements.empty()) return "";
  std::string text = "  ld.param.u64 %rd2, [kept];\n";
  for (const Copy::Replacement& each : copy.replacements) {
    const std::size_t comma = each.field.find(',');
    const std::string index = comma == std::string::npos ? "" : each.field.substr(comma + 1) + ",";
    text += fmt::format("  tensormap.replace.tile.{}.global.b1024.{} [%rd2],{} {};\n",
                        each.field.substr(0, comma), each.type, index, each.value);
  }
  return text +
         "  fence.proxy.tensormap::generic.release.gpu;\n"
         "  fence.proxy.tensormap::generic.acquire.gpu [%rd2], 128;\n";
}

// Shared memory begins as `words` in memory say; what it holds in the end goes back to them.
std::string kernel(const Copy& copy) {
  const bool loads = copy.operation.empty();
  std::string text = fmt::format(R"(.version 8.4
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 box[];
.shared .align 8 .b64 barrier;
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 words, .param .u64 kept, .param .u64 tensor) {{
  .reg .b32 %r<10>; .reg .b32 %v; .reg .b64 %rd<8>; .reg .pred %p<4>; .reg .b32 %c<5>; .reg .b16 %o<3>;
  mov.b64 %rd1, map;
  cvta.param.u64 %rd2, %rd1;
  ld.param.u64 %rd3, [words];
  ld.param.u64 %rd7, [tensor];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, box;
  mov.u32 %r3, barrier;
  shl.b32 %r4, %r1, 2;
  mov.u32 %r5, %r4;
FILL:
  cvt.u64.u32 %rd4, %r5;
  add.u64 %rd4, %rd3, %rd4;
  ld.global.b32 %v, [%rd4];
  add.u32 %r6, %r2, %r5;
  st.shared.b32 [%r6], %v;
  add.u32 %r5, %r5, {0};
  setp.lt.u32 %p0, %r5, {1};
  @%p0 bra FILL;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra READY;
  mbarrier.init.shared.b64 [%r3], 1;
  fence.mbarrier_init.release.cluster;
READY:
  fence.proxy.async;
  bar.sync 0;
)",
                                 kThreads * 4, kShown);
  for (std::size_t i = 0; i < copy.at.size(); ++i)
    text += fmt::format("  mov.b32 %c{}, {};\n", i, copy.at[i]);
  for (std::size_t i = 0; i < copy.offsets.size(); ++i)
    text += fmt::format("  mov.b16 %o{}, {};\n", i, copy.offsets[i]);
  text += "  @%p1 bra ISSUED;\n" + replaced(copy);
  if (loads) {
    text += fmt::format("  mbarrier.arrive.expect_tx.shared.b64 _, [%r3], {};\n  {}\n",
                        box_bytes(copy), statement(copy));
  } else {
    text += fmt::format("  {}\n  cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group 0;\n",
                        statement(copy));
  }
  text += "ISSUED:\n";
  if (loads) {
    // Not for ever: of a load whose bytes were miscounted the kernel says so.
    text += R"(  mov.u32 %r7, 0;
WAIT:
  mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0;
  @%p2 bra DONE;
  add.u32 %r7, %r7, 1;
  setp.lt.u32 %p3, %r7, 100000;
  @%p3 bra WAIT;
  mov.b32 %v, 0xdead;
  st.global.b32 [%rd3], %v;
  ret;
DONE:
)";
  }
  return text + fmt::format(R"(  bar.sync 0;
  mov.u32 %r5, %r4;
SHOW:
  cvt.u64.u32 %rd4, %r5;
  add.u64 %rd4, %rd3, %rd4;
  add.u32 %r6, %r2, %r5;
  ld.shared.b32 %v, [%r6];
  st.global.b32 [%rd4], %v;
  add.u32 %r5, %r5, {0};
  setp.lt.u32 %p0, %r5, {1};
  @%p0 bra SHOW;
  ret;
}}
)",
                            kThreads * 4, kShown);
}

Words run_copy(const Copy& copy) {
  const std::size_t count = tensor_bytes(copy) / 4;
  const Memory tensor(copy.special ? special_words(count) : random_words(copy.values, count, 3));
  const Memory shared(random_words(copy.values, kShown / 4, 4));
  const CUtensorMap map = copy.map.over(tensor.address());
  Words of_map(sizeof map / sizeof(std::uint32_t));
  if (!copy.of_zeros) std::memcpy(of_map.data(), &map, sizeof map);
  const Memory kept(of_map);
  run(kernel(copy), {.threads = kThreads, .shared_bytes = kShown}, std::array{map},
      std::array{shared.address(), kept.address(), tensor.address()});
  return copy.operation.empty() ? shared.read() : tensor.read();
}

struct Kind {
  CUtensorMapDataType type;
  const char* name;
  unsigned bytes;
  Element values;
};
constexpr Kind kU8 = {CU_TENSOR_MAP_DATA_TYPE_UINT8, "u8", 1, Element::b1};
constexpr Kind kU32 = {CU_TENSOR_MAP_DATA_TYPE_UINT32, "u32", 4, Element::b1};
constexpr Kind kS32 = {CU_TENSOR_MAP_DATA_TYPE_INT32, "s32", 4, Element::b1};
constexpr Kind kU64 = {CU_TENSOR_MAP_DATA_TYPE_UINT64, "u64", 8, Element::b1};
constexpr Kind kS64 = {CU_TENSOR_MAP_DATA_TYPE_INT64, "s64", 8, Element::b1};
constexpr Kind kF16 = {CU_TENSOR_MAP_DATA_TYPE_FLOAT16, "f16", 2, Element::f16};
constexpr Kind kBf16 = {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, "bf16", 2, Element::bf16};
constexpr Kind kF32 = {CU_TENSOR_MAP_DATA_TYPE_FLOAT32, "f32", 4, Element::f32};
constexpr Kind kF32Ftz = {CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, "f32ftz", 4, Element::f32};
constexpr Kind kTf32 = {CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, "tf32", 4, Element::f32};
constexpr Kind kTf32Ftz = {CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, "tf32ftz", 4, Element::f32};
constexpr Kind kF64 = {CU_TENSOR_MAP_DATA_TYPE_FLOAT64, "f64", 8, Element::b1};

// Its rows a multiple of `granule` bytes apart.
TensorMap tensor(const Kind& kind, const std::vector<std::uint64_t>& dims,
                 const std::vector<std::uint32_t>& box, unsigned granule = 16) {
  TensorMap map = {.type = kind.type,
                   .dims = dims,
                   .strides = {},
                   .box = box,
                   .element_strides = std::vector<std::uint32_t>(dims.size(), 1)};
  std::uint64_t bytes = dims[0] * kind.bytes;
  for (std::size_t i = 1; i < dims.size(); ++i) {
    bytes = (bytes + granule - 1) / granule * granule;
    map.strides.push_back(bytes);
    bytes *= dims[i];
  }
  return map;
}

std::string text_of(const std::vector<int>& numbers) {
  return fmt::format("({})", fmt::join(numbers, ","));
}

class Copies {
 public:
  void add(const std::string& name, const Kind& kind, const TensorMap& map,
           const std::vector<int>& at, const std::string& operation = "",
           const std::vector<int>& offsets = {}, bool any_bits = false, bool special = false) {
    all.push_back({fmt::format("tensor.{} {} {}d {} at {}{}",
                               operation.empty() ? "load" : operation, kind.name, at.size(), name,
                               text_of(at), offsets.empty() ? "" : " offset " + text_of(offsets)),
                   map, at, offsets, operation, any_bits ? Element::b1 : kind.values, kind.bytes,
                   special});
  }
  std::vector<Copy> all;
};

// A box begins at a multiple of 16 bytes of the innermost dimension: anything else is a fault.
int aligned(int coordinate, const Kind& kind) {
  return coordinate * static_cast<int>(16 / kind.bytes);
}

void add_ranks(Copies& copies) {
  const std::vector<std::vector<std::uint64_t>> dims = {
      {300}, {70, 30}, {40, 12, 7}, {24, 10, 6, 5}, {20, 6, 5, 4, 3}};
  const std::vector<std::vector<std::uint32_t>> boxes = {
      {64}, {32, 8}, {16, 4, 4}, {16, 4, 3, 2}, {8, 3, 3, 2, 2}};
  const std::vector<std::vector<std::vector<int>>> places = {
      {{0}, {1}, {17}, {70}, {-1}, {-40}, {90}},
      {{0, 0}, {1, 5}, {3, 25}, {4, 2}, {13, 28}, {-1, -3}, {-1, 3}, {0, -3}, {40, 2}, {1, 40}},
      {{0, 0, 0}, {1, 3, 2}, {2, 10, 5}, {-1, -2, -1}, {0, -2, 0}, {0, 0, -1}, {0, 20, 0}},
      {{0, 0, 0, 0}, {1, 3, 2, 1}, {1, 8, 5, 4}, {0, 0, -2, 0}, {0, 0, 0, -1}, {-1, -2, -1, -1}},
      {{0, 0, 0, 0, 0}, {1, 2, 1, 1, 1}, {1, 5, 4, 3, 2}, {0, 0, 0, 0, -1}, {-1, -1, -2, -1, -1}}};
  for (const Kind& kind : {kU8, kBf16, kF32, kU64}) {
    for (std::size_t rank = 0; rank < dims.size(); ++rank) {
      std::vector<std::uint32_t> box = boxes[rank];
      box[0] = std::max(box[0], 16 / kind.bytes);
      for (std::vector<int> at : places[rank]) {
        at[0] = aligned(at[0], kind);
        copies.add("", kind, tensor(kind, dims[rank], box), at);
        copies.add("", kind, tensor(kind, dims[rank], box), at, "store");
      }
    }
  }
  for (const Kind& kind : {kU8, kBf16, kF32, kU64}) {
    for (const char* operation : {"", "store"}) {
      copies.add("", kind, tensor(kind, dims[1], boxes[1]), {1, 5}, operation);
      copies.add("", kind, tensor(kind, dims[1], boxes[1]), {-1, 5}, operation);
    }
  }
}

void add_swizzles(Copies& copies) {
  struct Swizzle {
    CUtensorMapSwizzle mode;
    unsigned bytes;
  };
  for (const auto& [mode, bytes] :
       {Swizzle{CU_TENSOR_MAP_SWIZZLE_32B, 32}, Swizzle{CU_TENSOR_MAP_SWIZZLE_64B, 64},
        Swizzle{CU_TENSOR_MAP_SWIZZLE_128B, 128}}) {
    for (const Kind& kind : {kU8, kBf16, kF32, kU64}) {
      for (const unsigned row : {bytes, bytes / 2}) {
        TensorMap map = tensor(kind, {200, 50}, {row / kind.bytes, 20});
        map.swizzle = mode;
        const std::string name = fmt::format("swizzle {} rows of {}", bytes, row);
        const int last = static_cast<int>(200 * kind.bytes / 16) - 1;
        copies.add(name, kind, map, {aligned(1, kind), 3});
        copies.add(name, kind, map, {aligned(last, kind), 40});
        copies.add(name, kind, map, {aligned(1, kind), 3}, "store");
        TensorMap cube = tensor(kind, {200, 9, 8}, {row / kind.bytes, 3, 5});
        cube.swizzle = mode;
        copies.add(name, kind, cube, {aligned(3, kind), 2, 3});
      }
    }
  }
}

void add_strides(Copies& copies) {
  for (const Kind& kind : {kBf16, kF32}) {
    for (const std::vector<std::uint32_t>& strides :
         {std::vector<std::uint32_t>{1, 2}, {1, 3}, {2, 1}, {4, 2}, {8, 8}, {3, 1}}) {
      TensorMap map = tensor(kind, {100, 40}, {32, 16});
      map.element_strides = strides;
      const std::string name = fmt::format("stride {}", fmt::join(strides, ","));
      copies.add(name, kind, map, {aligned(1, kind), 2});
      copies.add(name, kind, map, {aligned(10, kind), 33});
      copies.add(name, kind, map, {aligned(-1, kind), -5});
      copies.add(name, kind, map, {aligned(1, kind), 2}, "store");
    }
  }
}

// Slices of 16 or 32 bytes of the channels of a pixel lie beside those of the next pixel of a line:
// the dimensions are pixels, lines .., slices, images.
// So many slices of channels of each pixel, slice after slice: the images' last dimension but one.
TensorMap interleaved_tensor(const Kind& kind, bool wide, std::size_t rank) {
  TensorMap map = {.type = kind.type};
  const std::vector<std::uint64_t> sides = {20, 6, 5};
  map.dims.assign(sides.begin(), sides.begin() + static_cast<int>(rank) - 2);
  map.dims.push_back(4);  // slices
  map.dims.push_back(3);  // images
  std::uint64_t bytes = wide ? 32 : 16;
  for (std::size_t i = 0; i + 1 < rank; ++i) map.strides.push_back(bytes *= map.dims[i]);
  map.element_strides.assign(rank, 1);
  map.interleave = wide ? CU_TENSOR_MAP_INTERLEAVE_32B : CU_TENSOR_MAP_INTERLEAVE_16B;
  if (wide) map.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
  return map;
}

void add_interleaved(Copies& copies) {
  for (const Kind& kind : {kU8, kBf16, kF32}) {
    for (const bool wide : {false, true}) {
      for (std::size_t rank = 3; rank <= 5; ++rank) {
        TensorMap map = interleaved_tensor(kind, wide, rank);
        map.box.assign(rank, 3);
        map.box[0] = 16;
        map.box[rank - 1] = 2;
        const std::string name = fmt::format("interleave {}", wide ? 32 : 16);
        std::vector<int> at(rank, 0);
        copies.add(name, kind, map, at);
        copies.add(name, kind, map, at, "store");
        at.assign(rank, 1);
        copies.add(name, kind, map, at);
        at[0] = 15;
        at[rank - 2] = 3;
        at[rank - 1] = 2;
        copies.add(name, kind, map, at);
        copies.add(name, kind, map, at, "store");
        at.assign(rank, -1);
        at[rank - 2] = 2;
        copies.add(name, kind, map, at);
        map.element_strides[0] = 2;
        if (rank > 3) map.element_strides[1] = 3;
        at.assign(rank, 1);
        copies.add(name + " stride 2,3", kind, map, at);
      }
    }
  }
}

void add_fills(Copies& copies) {
  for (const Kind& kind : {kF16, kBf16, kF32, kF32Ftz, kTf32, kTf32Ftz, kF64}) {
    TensorMap map = tensor(kind, {70, 30}, {32, 8});
    // What the conversions of tf32 and of flushed f32 do to any bits, and to subnormal ones.
    copies.add("any bits", kind, map, {aligned(1, kind), 5}, "", {}, true);
    copies.add("any bits", kind, map, {aligned(1, kind), 5}, "store", {}, true);
    if (kind.bytes == 4)
      copies.add("special numbers", kind, map, {aligned(1, kind), 5}, "", {}, false, true);
    if (kind.type == CU_TENSOR_MAP_DATA_TYPE_FLOAT64) continue;
    map.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
    copies.add("filled with NaN", kind, map, {aligned(kind.bytes == 2 ? 7 : 15, kind), 25});
    copies.add("filled with NaN", kind, map, {aligned(-1, kind), -3});
  }
}

void add_reductions(Copies& copies) {
  struct Reduction {
    const char* name;
    std::vector<Kind> kinds;
  };
  const std::vector<Reduction> reductions = {{"add", {kU32, kS32, kU64, kF16, kBf16, kF32}},
                                             {"min", {kU32, kS32, kU64, kS64, kF16, kBf16}},
                                             {"max", {kU32, kS32, kU64, kS64, kF16, kBf16}},
                                             {"inc", {kU32}},
                                             {"dec", {kU32}},
                                             {"and", {kU32, kU64}},
                                             {"or", {kU32, kU64}},
                                             {"xor", {kU32, kU64}}};
  for (const auto& [name, kinds] : reductions) {
    for (const Kind& kind : kinds) {
      copies.add("", kind, tensor(kind, {70, 30}, {32, 8}), {48, 25}, name);
      copies.add("", kind, tensor(kind, {70, 30}, {32, 8}), {aligned(-1, kind), -2}, name);
    }
  }
  copies.add("", kF32, tensor(kF32, {20, 6, 5, 4, 3}, {8, 3, 3, 2, 2}), {16, 5, 4, 3, 2}, "add");
}

// A map of one tensor becomes one of another, field by field.
void add_replacements(Copies& copies) {
  using Replacement = Copy::Replacement;
  const TensorMap map = tensor(kF32, {70, 30}, {32, 8});
  const auto add = [&](const std::string& name, std::uint64_t bytes,
                       const std::vector<Replacement>& replacements) {
    copies.all.push_back({.name = "tensor.load replaced " + name,
                          .map = map,
                          .at = {4, 3},
                          .offsets = {},
                          .operation = "",
                          .replacements = replacements,
                          .bytes = bytes});
  };
  constexpr std::uint64_t kBytes = std::uint64_t{32} * 8 * 4;
  add("global_address", kBytes, {{"global_address", "b64", "%rd7"}});
  add("global_dim", kBytes, {{"global_dim, 0", "b32", "20"}, {"global_dim, 1", "b32", "6"}});
  add("global_stride", kBytes, {{"global_stride, 0", "b64", "576"}});
  add("box_dim", std::uint64_t{16} * 5 * 4,
      {{"box_dim, 0", "b32", "16"}, {"box_dim, 1", "b32", "5"}});
  add("element_stride", std::uint64_t{32} * 4 * 4, {{"element_stride, 1", "b32", "2"}});
  add("swizzle_mode", kBytes, {{"swizzle_mode", "b32", "3"}});
  add("fill_mode", kBytes, {{"fill_mode", "b32", "1"}, {"global_dim, 0", "b32", "20"}});
  for (const char* type : {"1", "2", "3", "6", "7", "8", "10", "11", "12"}) {
    const bool half =
        std::string(type) == "1" || std::string(type) == "6" || std::string(type) == "10";
    add(fmt::format("elemtype {}", type), half ? kBytes / 2 : kBytes,
        {{"elemtype", "b32", type},
         {"fill_mode", "b32", type[0] > '5' || type[1] != 0 ? "1" : "0"},
         {"global_dim, 0", "b32", "20"}});
  }
  add("elemtype 9", std::uint64_t{16} * 8 * 8,
      {{"elemtype", "b32", "9"}, {"box_dim, 0", "b32", "16"}});
}

// Compilers make maps in a kernel from nothing but zeros: all fields, or all but one. What stays
// zero has a meaning too.
void add_maps_of_zeros(Copies& copies) {
  using Replacement = Copy::Replacement;
  struct Made {
    Kind kind;
    const char* type;
    const char* swizzle;
    std::uint32_t width;  // of the box: so many bytes that the swizzle takes them
  };
  const auto add = [&](const std::string& name, const Kind& kind, std::uint64_t bytes,
                       const std::vector<Replacement>& fields, std::size_t rank = 2) {
    std::vector<int> at = {aligned(4, kind), 3};
    at.resize(rank);
    copies.all.push_back({.name = "tensor.load by a map of zeros, " + name,
                          .map = tensor(kind, {70, 30}, {16, 8}),
                          .at = at,
                          .offsets = {},
                          .operation = "",
                          .replacements = fields,
                          .bytes = bytes,
                          .of_zeros = true});
  };
  const auto fields_of = [](const Made& made) {
    const std::uint64_t pitch = (std::uint64_t{70} * made.kind.bytes + 15) / 16 * 16;
    return std::vector<Replacement>{{"global_address", "b64", "%rd7"},
                                    {"rank", "b32", "1"},
                                    {"global_dim, 0", "b32", "70"},
                                    {"global_dim, 1", "b32", "30"},
                                    {"global_stride, 0", "b64", fmt::format("{}", pitch)},
                                    {"box_dim, 0", "b32", fmt::format("{}", made.width)},
                                    {"box_dim, 1", "b32", "8"},
                                    {"element_stride, 0", "b32", "1"},
                                    {"element_stride, 1", "b32", "1"},
                                    {"elemtype", "b32", made.type},
                                    {"interleave_layout", "b32", "0"},
                                    {"swizzle_mode", "b32", made.swizzle},
                                    {"fill_mode", "b32", "0"}};
  };
  for (const Made& made : {Made{kU8, "0", "0", 64}, Made{kF16, "6", "3", 64},
                           Made{kBf16, "10", "2", 32}, Made{kF32, "7", "1", 8}}) {
    const std::uint64_t bytes = std::uint64_t{made.width} * 8 * made.kind.bytes;
    add(fmt::format("{} swizzle {}", made.kind.name, made.swizzle), made.kind, bytes,
        fields_of(made));
  }
  const Made made = {kF32, "7", "0", 16};
  const auto without = [&](const std::string& left_out, std::uint64_t elements,
                           std::size_t rank = 2) {
    std::vector<Replacement> fields = fields_of(made);
    std::erase_if(fields, [&](const Replacement& each) { return each.field == left_out; });
    add("without " + left_out, made.kind, elements * 4, fields, rank);
  };
  without("rank", 16, 1);
  without("global_dim, 0", 128);
  without("global_dim, 1", 128);
  without("global_stride, 0", 128);
  without("box_dim, 0", 8);
  without("box_dim, 1", 16);
  without("element_stride, 0", 128);
  without("element_stride, 1", 128);
  without("interleave_layout", 128);
  without("swizzle_mode", 128);
  without("fill_mode", 128);
  without("elemtype", 32);
}

void add_im2col(Copies& copies) {
  for (const Kind& kind : {kU8, kBf16, kF32}) {
    const std::uint32_t channels = 64 / kind.bytes;
    for (std::size_t rank = 3; rank <= 5; ++rank) {
      for (const CUtensorMapSwizzle swizzle :
           {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_64B}) {
        std::vector<std::uint64_t> dims = {80, 11, 9, 7};
        dims.resize(rank - 1);
        dims.push_back(3);  // images
        TensorMap map = tensor(kind, dims, {});
        map.channels = channels;
        map.pixels = 40;
        map.swizzle = swizzle;
        map.lower.assign(rank - 2, -1);
        map.upper.assign(rank - 2, -1);
        const std::string name =
            swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ? "im2col" : "im2col swizzle 64";
        std::vector<int> at(rank, 0);
        const std::vector<int> none(rank - 2, 0);
        const std::vector<int> some = rank == 3   ? std::vector<int>{2}
                                      : rank == 4 ? std::vector<int>{2, 1}
                                                  : std::vector<int>{1, 2, 0};
        at[1] = -1;
        copies.add(name, kind, map, at, "", none);
        copies.add(name, kind, map, at, "", some);
        at.assign(rank, 2);
        at[0] = 16;
        at[rank - 1] = 1;
        copies.add(name, kind, map, at, "", some);
        at[0] = 80 - static_cast<int>(16 / kind.bytes);
        copies.add(name, kind, map, at, "", some);
        TensorMap strided = map;
        strided.element_strides.assign(rank, 2);
        strided.element_strides[0] = strided.element_strides[rank - 1] = 1;
        copies.add(name + " stride 2", kind, strided, at, "", some);
        TensorMap other = map;
        other.lower.assign(rank - 2, 1);
        other.upper.assign(rank - 2, -2);
        at.assign(rank, 1);
        at[0] = 0;
        copies.add(name + " corners 1 and -2", kind, other, at, "", some);
        at.assign(rank, 1);
        at[0] = aligned(1, kind);
        TensorMap flat = map;
        flat.lower.assign(rank - 2, 0);
        flat.upper.assign(rank - 2, 0);
        copies.add(name, kind, flat, at, "store");
      }
    }
  }
}

void add_interleaved_im2col(Copies& copies) {
  for (const Kind& kind : {kU8, kBf16, kF32}) {
    for (const bool wide : {false, true}) {
      for (std::size_t rank = 3; rank <= 5; ++rank) {
        TensorMap map = interleaved_tensor(kind, wide, rank);
        const std::uint32_t slice = (wide ? 32 : 16) / kind.bytes;
        map.channels = slice;
        map.pixels = 24;
        map.lower.assign(rank - 2, 0);
        map.upper.assign(rank - 2, 0);
        const std::string name = fmt::format("im2col interleave {}", wide ? 32 : 16);
        std::vector<int> at(rank, 0);
        const std::vector<int> none(rank - 2, 0);
        const std::vector<int> some = rank == 3   ? std::vector<int>{2}
                                      : rank == 4 ? std::vector<int>{2, 1}
                                                  : std::vector<int>{1, 2, 3};
        copies.add(name, kind, map, at, "", none);
        at[0] = 5;
        at[rank - 2] = at[rank - 1] = 1;
        copies.add(name, kind, map, at, "", some);
        copies.add(name, kind, map, at, "store");
        TensorMap strided = map;
        strided.element_strides[0] = 2;
        if (rank > 3) strided.element_strides[1] = 3;
        copies.add(name + " stride 2,3", kind, strided, at, "", some);
        TensorMap several = map;
        several.channels = 2 * slice;
        copies.add(name + " of two slices", kind, several, at, "", none);
        TensorMap other = map;
        other.lower.assign(rank - 2, -1);
        other.upper.assign(rank - 2, -2);
        at.assign(rank, -1);
        at[rank - 2] = 3;
        at[rank - 1] = 1;
        copies.add(name + " corners -1 and -2", kind, other, at, "", none);
        at[rank - 2] = 4;  // beyond the last slice
        copies.add(name + " corners -1 and -2", kind, other, at, "", some);
      }
    }
  }
}

}  // namespace

std::vector<Case> tensor_copies() {
  Copies copies;
  add_ranks(copies);
  add_swizzles(copies);
  add_strides(copies);
  add_interleaved(copies);
  add_fills(copies);
  add_reductions(copies);
  add_replacements(copies);
  add_maps_of_zeros(copies);
  add_im2col(copies);
  add_interleaved_im2col(copies);
  std::vector<Case> cases;
  cases.reserve(copies.all.size());
  for (const Copy& copy : copies.all)
    cases.push_back({copy.name, [copy] { return run_copy(copy); }});
  return cases;
}

}  // namespace emulator::golden
