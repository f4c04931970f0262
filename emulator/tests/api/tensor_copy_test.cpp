// Copies of tensors that sm_100 added: four rows of a matrix, pixels of one row of images with a
// halo, elements of 4 and 6 bits, and swizzles that keep more than 16 bytes together; against plain
// loops over the tables and rules of the PTX ISA.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <set>

#include "emulated_device.h"

namespace emulator::api {
namespace {

using ::testing::HasSubstr;
using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kShared = 20480;
constexpr std::uint8_t kUntouched = 0xEE;  // what shared memory holds before

// A kernel of one warp that fills its shared memory, or reads it from `in`, carries out `copy` by
// one thread and leaves the shared memory in `out`. A load completes `bytes` bytes at the barrier.
// The map is at %rd1, the shared memory is s, the barrier is bar.
std::string kernel_of(const std::string& copy, std::optional<std::size_t> bytes) {
  const std::string end =
      bytes ? "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra WAIT;\n"
            : "@%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0;\n";
  return fmt::format(R"(
.visible .entry k(.param .u64 map, .param .u64 in, .param .u64 out) {{
  .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .b16 %h<4>;
  .shared .align 1024 .b8 s[{0}]; .shared .align 8 .b64 bar;
  ld.param.u64 %rd1, [map]; ld.param.u64 %rd2, [in]; ld.param.u64 %rd3, [out];
  mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r3, %r3, %r2;
  cvt.u64.u32 %rd4, %r2; add.u64 %rd5, %rd2, %rd4; add.u64 %rd6, %rd3, %rd4; mov.u32 %r4, 0;
FILL: ld.global.u32 %r5, [%rd5]; st.shared.u32 [%r3], %r5;
  add.u64 %rd5, %rd5, 128; add.u32 %r3, %r3, 128; add.u32 %r4, %r4, 128;
  setp.lt.u32 %p3, %r4, {0}; @%p3 bra FILL;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared.b64 [bar], 1;
  bar.sync 0; fence.proxy.async;
  @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], {1};
  @!%p1 bra DONE;
  {2}
DONE: {3}
  bar.sync 0; mov.u32 %r4, 0; mov.u32 %r3, s; add.u32 %r3, %r3, %r2;
LEAVE: ld.shared.u32 %r5, [%r3]; st.global.u32 [%rd6], %r5;
  add.u64 %rd6, %rd6, 128; add.u32 %r3, %r3, 128; add.u32 %r4, %r4, 128;
  setp.lt.u32 %p3, %r4, {0}; @%p3 bra LEAVE;
  ret;
}})",
                     kShared, bytes.value_or(0), copy, end);
}

std::string load_of(const std::string& words) { return "cp.async.bulk.tensor." + words; }

class TensorCopy : public EmulatedDevice {
 protected:
  void SetUp() override {
    EmulatedDevice::SetUp();
    random_.seed(3);
  }

  // A tensor of random bytes, and its map.
  struct Tensor {
    Bytes bytes;
    CUdeviceptr address = 0;
    CUtensorMap map = {};
  };
  Tensor tensor_of(std::size_t rows, std::size_t row_bytes) {
    const std::size_t bytes = rows * row_bytes;
    Tensor tensor;
    tensor.bytes.resize(bytes);
    std::ranges::generate(tensor.bytes, [&] { return static_cast<std::uint8_t>(random_()); });
    tensor.address = allocate(bytes);
    EXPECT_EQ(cuMemcpyHtoD(tensor.address, tensor.bytes.data(), bytes), CUDA_SUCCESS);
    return tensor;
  }

  struct Tiling {
    CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_UINT32;
    std::array<std::uint64_t, 2> dims = {32, 32};
    std::uint64_t stride = 128;
    std::array<std::uint32_t, 2> box = {32, 8};
    CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
    CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
    CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
    std::uint64_t offset = 0;  // of the tensor in its memory
  };
  static CUresult encode(Tensor& tensor, const Tiling& tiling) {
    const std::array<std::uint32_t, 2> apart = {1, 1};
    return cuTensorMapEncodeTiled(
        &tensor.map, tiling.type, 2, std::bit_cast<void*>(tensor.address + tiling.offset),
        tiling.dims.data(), &tiling.stride, tiling.box.data(), apart.data(), tiling.interleave,
        tiling.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, tiling.fill);
  }

  // Images of N x H x W x C words.
  struct Images {
    std::array<std::uint64_t, 4> dims = {32, 9, 3, 6};
    int lower = 0;
    int upper = 0;
    std::uint32_t pixels = 16;
    std::uint32_t stride = 1;  // along W
    CUtensorMapIm2ColWideMode mode = CU_TENSOR_MAP_IM2COL_WIDE_MODE_W;
    CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
    CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;

    [[nodiscard]] std::size_t bytes() const { return dims[0] * dims[1] * dims[2] * dims[3] * 4; }
    [[nodiscard]] std::size_t place(std::int64_t w, std::int64_t h, std::int64_t n) const {
      return static_cast<std::size_t>((n * static_cast<std::int64_t>(dims[2]) + h) *
                                          static_cast<std::int64_t>(dims[1]) +
                                      w) *
             dims[0] * 4;
    }
  };
  static CUresult encode(Tensor& tensor, const Images& images) {
    const std::array<std::uint64_t, 3> strides = {
        images.dims[0] * 4, images.dims[0] * images.dims[1] * 4,
        images.dims[0] * images.dims[1] * images.dims[2] * 4};
    const std::array<std::uint32_t, 4> apart = {1, images.stride, 1, 1};
    return cuTensorMapEncodeIm2colWide(
        &tensor.map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, std::bit_cast<void*>(tensor.address),
        images.dims.data(), strides.data(), images.lower, images.upper,
        static_cast<cuuint32_t>(images.dims[0]), images.pixels, apart.data(), images.interleave,
        images.mode, images.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  }

  // What the copy leaves in shared memory; `shared` is there before.
  Bytes run(const Tensor& tensor, const std::string& copy, std::optional<std::size_t> bytes,
            Bytes shared = {}) {
    shared.resize(kShared, kUntouched);
    const CUdeviceptr in = allocate(kShared);
    const CUdeviceptr out = allocate(kShared);
    const CUdeviceptr map = allocate(sizeof tensor.map);
    EXPECT_EQ(cuMemcpyHtoD(in, shared.data(), kShared), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyHtoD(map, &tensor.map, sizeof tensor.map), CUDA_SUCCESS);
    EXPECT_EQ(launch(kernel(kernel_of(copy, bytes)), {}, map, in, out), CUDA_SUCCESS);
    result_ = cuCtxSynchronize();
    if (result_ != CUDA_SUCCESS) return {};
    Bytes left(kShared);
    EXPECT_EQ(cuMemcpyDtoH(left.data(), out, kShared), CUDA_SUCCESS);
    return left;
  }
  static Bytes bytes_of(const Tensor& tensor) {
    Bytes bytes(tensor.bytes.size());
    EXPECT_EQ(cuMemcpyDtoH(bytes.data(), tensor.address, bytes.size()), CUDA_SUCCESS);
    return bytes;
  }

  std::mt19937 random_;
  CUresult result_ = CUDA_SUCCESS;
};

const std::string kGather =
    "2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [s], [%rd1, ";
const std::string kTile = "2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [s], [%rd1, ";

TEST_F(TensorCopy, GathersFourRowsInTheOrderOfTheirNumbers) {
  Tensor tensor = tensor_of(32, 128);
  ASSERT_EQ(encode(tensor, Tiling{.box = {8, 1}}), CUDA_SUCCESS);
  const Bytes left = run(tensor, load_of(kGather + "{12, 9, 31, 0, 9}], [bar];"), 128);
  ASSERT_EQ(result_, CUDA_SUCCESS) << emuFaultReport();
  Bytes expected(kShared, kUntouched);
  const std::array<std::size_t, 4> rows = {9, 31, 0, 9};
  for (std::size_t i = 0; i < 4; ++i)
    std::memcpy(&expected[i * 32], &tensor.bytes[rows.at(i) * 128 + std::size_t{12} * 4], 32);
  EXPECT_EQ(left, expected);
}

TEST_F(TensorCopy, FillsGatheredRowsAndColumnsOutsideTheTensor) {
  Tensor tensor = tensor_of(32, 128);
  ASSERT_EQ(encode(tensor, Tiling{.box = {8, 1}}), CUDA_SUCCESS);
  const Bytes left = run(tensor, load_of(kGather + "{28, 5, -1, 32, 6}], [bar];"), 128);
  ASSERT_EQ(result_, CUDA_SUCCESS) << emuFaultReport();
  Bytes expected(kShared, kUntouched);
  std::fill_n(expected.begin(), 128, 0);
  std::memcpy(&expected[0], &tensor.bytes[5 * 128 + 112], 16);
  std::memcpy(&expected[96], &tensor.bytes[6 * 128 + 112], 16);
  EXPECT_EQ(left, expected);
}

TEST_F(TensorCopy, SwizzlesGatheredRows) {
  Tensor tensor = tensor_of(32, 128);
  ASSERT_EQ(encode(tensor, Tiling{.box = {32, 1}, .swizzle = CU_TENSOR_MAP_SWIZZLE_128B}),
            CUDA_SUCCESS);
  const Bytes left = run(tensor, load_of(kGather + "{0, 1, 2, 3, 30}], [bar];"), 512);
  ASSERT_EQ(result_, CUDA_SUCCESS) << emuFaultReport();
  const std::array<std::size_t, 4> rows = {1, 2, 3, 30};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t chunk = 0; chunk < 8; ++chunk) {
      EXPECT_EQ(std::memcmp(&left[i * 128 + (chunk ^ i) * 16],
                            &tensor.bytes[rows.at(i) * 128 + chunk * 16], 16),
                0);
    }
  }
}

TEST_F(TensorCopy, ScattersFourRowsAndLeavesOutThoseOutside) {
  Tensor tensor = tensor_of(32, 128);
  ASSERT_EQ(encode(tensor, Tiling{.box = {8, 1}}), CUDA_SUCCESS);
  Bytes shared(128);
  std::ranges::generate(shared, [&] { return static_cast<std::uint8_t>(random_()); });
  run(tensor,
      "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd1, {4, 7, 40, 0, "
      "31}], [s];",
      std::nullopt, shared);
  ASSERT_EQ(result_, CUDA_SUCCESS) << emuFaultReport();
  Bytes expected = tensor.bytes;
  std::memcpy(&expected[7 * 128 + 16], &shared[0], 32);
  std::memcpy(&expected[16], &shared[64], 32);
  std::memcpy(&expected[31 * 128 + 16], &shared[96], 32);
  EXPECT_EQ(bytes_of(tensor), expected);
}

TEST_F(TensorCopy, ReducesIntoScatteredRows) {
  Tensor tensor = tensor_of(32, 128);
  ASSERT_EQ(encode(tensor, Tiling{.box = {4, 1}}), CUDA_SUCCESS);
  const Bytes shared(64, 1);  // words of 0x01010101
  run(tensor,
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile::scatter4.bulk_group [%rd1, {0, "
      "3, 5, 3, 8}], [s];",
      std::nullopt, shared);
  ASSERT_EQ(result_, CUDA_SUCCESS) << emuFaultReport();
  Bytes expected = tensor.bytes;
  for (const std::size_t row : {3U, 5U, 3U, 8U}) {
    for (std::size_t i = 0; i < 4; ++i) {
      std::uint32_t word = 0;
      std::memcpy(&word, &expected[row * 128 + i * 4], 4);
      word += 0x01010101;
      std::memcpy(&expected[row * 128 + i * 4], &word, 4);
    }
  }
  EXPECT_EQ(bytes_of(tensor), expected);
}

TEST_F(TensorCopy, OfFourRowsByABoxOfTwoIsAFault) {
  Tensor tensor = tensor_of(32, 128);
  ASSERT_EQ(encode(tensor, Tiling{.box = {8, 2}}), CUDA_SUCCESS);
  run(tensor, load_of(kGather + "{0, 1, 2, 3, 4}], [bar];"), 256);
  EXPECT_EQ(result_, CUDA_ERROR_ILLEGAL_INSTRUCTION);
  EXPECT_THAT(emuFaultReport(), HasSubstr("whose box is more than one row"));
}

// The pixels that im2col::w takes, in order: along W within the bounding box, then the next image.
struct Pixel {
  std::int64_t w;
  std::int64_t n;
};
std::vector<Pixel> pixels_from(std::int64_t w, std::int64_t n, std::int64_t lower, std::int64_t end,
                               std::int64_t stride, std::size_t count) {
  std::vector<Pixel> all;
  while (all.size() < count) {
    all.push_back({w, n});
    w += stride;
    if (w < end) continue;
    w = lower;
    ++n;
  }
  return all;
}

// Every pixel is a line of 128 bytes, swizzled.
void expect_pixels(const Bytes& left, const Bytes& tensor, const std::vector<Pixel>& pixels,
                   std::int64_t width, std::int64_t images,
                   const std::function<std::size_t(std::int64_t, std::int64_t)>& place) {
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const auto [w, n] = pixels[i];
    const bool inside = w >= 0 && w < width && n >= 0 && n < images;
    for (std::size_t byte = 0; byte < 128; ++byte) {
      const std::uint8_t expected = inside ? tensor.at(place(w, n) + byte) : 0;
      ASSERT_EQ(left[i * 128 + (byte / 16 ^ i % 8) * 16 + byte % 16], expected)
          << "pixel " << i << " byte " << byte;
    }
  }
  EXPECT_EQ(left[pixels.size() * 128], kUntouched);
}

const std::string kRow =
    "4d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [s], [%rd1, ";

TEST_F(TensorCopy, TakesPixelsOfOneRowOfEachImageAndAHalo) {
  const Images images{.lower = -1, .upper = -1, .pixels = 24};
  Tensor tensor = tensor_of(1, images.bytes());
  ASSERT_EQ(encode(tensor, images), CUDA_SUCCESS);
  // From w = 3 of row 1 of image 1 on, moved by 1; two pixels of a halo.
  const Bytes left = run(tensor, load_of(kRow + "{0, 3, 1, 1}], [bar], {2, 1};"), 26 * 128);
  ASSERT_EQ(result_, CUDA_SUCCESS) << emuFaultReport();
  std::vector<Pixel> pixels = pixels_from(3, 1, -1, 9 - 1, 1, 24);
  pixels.push_back({pixels[23].w + 1, pixels[23].n});
  pixels.push_back({pixels[23].w + 2, pixels[23].n});
  for (Pixel& pixel : pixels) ++pixel.w;
  expect_pixels(left, tensor.bytes, pixels, 9, 6,
                [&](auto w, auto n) { return images.place(w, 1, n); });
}

TEST_F(TensorCopy, StridesAlongTheRowAndFillsBehindTheLastImage) {
  const Images images{.lower = -1, .upper = 0, .pixels = 40, .stride = 2};
  Tensor tensor = tensor_of(1, images.bytes());
  ASSERT_EQ(encode(tensor, images), CUDA_SUCCESS);
  const Bytes left = run(tensor, load_of(kRow + "{0, -1, 2, 0}], [bar], {0, 0};"), 40 * 128);
  ASSERT_EQ(result_, CUDA_SUCCESS) << emuFaultReport();
  expect_pixels(left, tensor.bytes, pixels_from(-1, 0, -1, 9, 2, 40), 9, 6,
                [&](auto w, auto n) { return images.place(w, 2, n); });
}

TEST_F(TensorCopy, Takes128PixelsWithAHaloBehindEvery32) {
  const Images images{
      .dims = {32, 40, 2, 8}, .pixels = 1, .mode = CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128};
  Tensor tensor = tensor_of(1, images.bytes());
  ASSERT_EQ(encode(tensor, images), CUDA_SUCCESS);
  const Bytes left = run(tensor,
                         load_of("4d.shared::cta.global.im2col::w::128.mbarrier::complete_tx::"
                                 "bytes [s], [%rd1, {0, 0, 1, 2}], "
                                 "[bar], {2, 0};"),
                         136 * 128);
  ASSERT_EQ(result_, CUDA_SUCCESS) << emuFaultReport();
  const std::vector<Pixel> main = pixels_from(0, 2, 0, 40, 1, 128);
  std::vector<Pixel> pixels;
  for (std::size_t i = 0; i < main.size(); ++i) {
    pixels.push_back(main[i]);
    if (i % 32 != 31) continue;
    pixels.push_back({main[i].w + 1, main[i].n});
    pixels.push_back({main[i].w + 2, main[i].n});
  }
  expect_pixels(left, tensor.bytes, pixels, 40, 8,
                [&](auto w, auto n) { return images.place(w, 1, n); });
}

TEST_F(TensorCopy, OfAHaloBeyondItsBoundingBoxIsAFault) {
  const Images images{.pixels = 9};
  Tensor tensor = tensor_of(1, images.bytes());
  ASSERT_EQ(encode(tensor, images), CUDA_SUCCESS);
  run(tensor, load_of(kRow + "{0, 0, 0, 0}], [bar], {1, 0};"), 10 * 128);
  EXPECT_EQ(result_, CUDA_ERROR_ILLEGAL_INSTRUCTION);
  EXPECT_THAT(emuFaultReport(), HasSubstr("halo crosses the end of its bounding box"));
}

TEST_F(TensorCopy, ByAMapOfAnotherModeIsAFault) {
  const Images images{};
  Tensor tensor = tensor_of(1, images.bytes());
  ASSERT_EQ(encode(tensor, images), CUDA_SUCCESS);
  run(tensor,
      load_of("4d.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes [s], [%rd1, {0, "
              "0, 0, 0}], "
              "[bar], {0, 0};"),
      128);
  EXPECT_EQ(result_, CUDA_ERROR_ILLEGAL_INSTRUCTION);
  EXPECT_THAT(emuFaultReport(), HasSubstr("whose map is of another mode"));
}

TEST_F(TensorCopy, OfTooLargeAHaloIsAFault) {
  const Images images{};
  Tensor tensor = tensor_of(1, images.bytes());
  ASSERT_EQ(encode(tensor, images), CUDA_SUCCESS);
  run(tensor, load_of(kRow + "{0, 0, 0, 0}], [bar], {512, 0};"), 128);
  EXPECT_EQ(result_, CUDA_ERROR_ILLEGAL_INSTRUCTION);
  EXPECT_THAT(emuFaultReport(), HasSubstr("whose halo or offset is too large"));
}

TEST_F(TensorCopy, KeepsPackedFourBitElementsAsTheyAre) {
  Tensor tensor = tensor_of(8, 64);
  ASSERT_EQ(encode(tensor, Tiling{.type = CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B,
                                  .dims = {126, 8},
                                  .stride = 64,
                                  .box = {64, 2}}),
            CUDA_SUCCESS);
  const Bytes left = run(tensor, load_of(kTile + "{96, 5}], [bar];"), 64);
  ASSERT_EQ(result_, CUDA_SUCCESS) << emuFaultReport();
  Bytes expected(kShared, kUntouched);
  std::fill_n(expected.begin(), 64, 0);
  for (std::size_t row = 0; row < 2; ++row)  // 30 of 64 elements are inside
    std::memcpy(&expected[row * 32], &tensor.bytes[(5 + row) * 64 + 48], 15);
  EXPECT_EQ(left, expected);
}

// Of each sixteen elements `data` bytes, with a gap up to the next sixteen bytes.
void expect_spread(const Bytes& left, const Bytes& tensor, std::size_t data, std::size_t stride) {
  Bytes expected(kShared, kUntouched);
  for (std::size_t row = 0; row < 2; ++row) {
    for (std::size_t group = 0; group < 8; ++group) {
      std::memcpy(&expected[row * 128 + group * 16],
                  &tensor[(1 + row) * stride + (8 + group) * data], data);
    }
  }
  EXPECT_EQ(left, expected);
}

TEST_F(TensorCopy, SpreadsFourBitElements) {
  Tensor tensor = tensor_of(4, 128);
  ASSERT_EQ(encode(tensor, Tiling{.type = CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B,
                                  .dims = {256, 4},
                                  .stride = 128,
                                  .box = {128, 2}}),
            CUDA_SUCCESS);
  const Bytes left = run(tensor, load_of(kTile + "{128, 1}], [bar];"), 128);
  ASSERT_EQ(result_, CUDA_SUCCESS) << emuFaultReport();
  expect_spread(left, tensor.bytes, 8, 128);
}

TEST_F(TensorCopy, SpreadsSixBitElements) {
  Tensor tensor = tensor_of(4, 192);
  ASSERT_EQ(encode(tensor, Tiling{.type = CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B,
                                  .dims = {256, 4},
                                  .stride = 192,
                                  .box = {128, 2}}),
            CUDA_SUCCESS);
  const Bytes left = run(tensor, load_of(kTile + "{128, 1}], [bar];"), 192);
  ASSERT_EQ(result_, CUDA_SUCCESS) << emuFaultReport();
  expect_spread(left, tensor.bytes, 12, 192);
}

TEST_F(TensorCopy, PacksTheLowerSixBitsOfBytes) {
  Tensor tensor = tensor_of(4, 192);
  ASSERT_EQ(encode(tensor, Tiling{.type = CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B,
                                  .dims = {256, 4},
                                  .stride = 192,
                                  .box = {128, 2}}),
            CUDA_SUCCESS);
  Bytes shared(256);
  std::ranges::generate(shared, [&] { return static_cast<std::uint8_t>(random_()); });
  run(tensor, "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {128, 2}], [s];",
      std::nullopt, shared);
  ASSERT_EQ(result_, CUDA_SUCCESS) << emuFaultReport();
  Bytes expected = tensor.bytes;
  for (std::size_t row = 0; row < 2; ++row) {
    for (std::size_t bit = 0; bit < std::size_t{128} * 6; ++bit) {
      const unsigned value = shared[row * 128 + bit / 6] >> (bit % 6) & 1U;
      std::uint8_t& byte = expected[(2 + row) * 192 + 96 + bit / 8];
      byte = static_cast<std::uint8_t>((byte & ~(1U << (bit % 8))) | value << (bit % 8));
    }
  }
  EXPECT_EQ(bytes_of(tensor), expected);
}

TEST_F(TensorCopy, OfSpreadElementsFromTheirMiddleIsAFault) {
  Tensor tensor = tensor_of(4, 192);
  ASSERT_EQ(encode(tensor, Tiling{.type = CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B,
                                  .dims = {256, 4},
                                  .stride = 192,
                                  .box = {128, 2}}),
            CUDA_SUCCESS);
  run(tensor, load_of(kTile + "{64, 1}], [bar];"), 192);
  EXPECT_EQ(result_, CUDA_ERROR_ILLEGAL_INSTRUCTION);
  EXPECT_THAT(emuFaultReport(), HasSubstr("multiple of 128 elements"));
}

TEST_F(TensorCopy, OfSpreadFourBitElementsToATensorIsAFault) {
  Tensor tensor = tensor_of(4, 128);
  ASSERT_EQ(encode(tensor, Tiling{.type = CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B,
                                  .dims = {256, 4},
                                  .stride = 128,
                                  .box = {128, 2}}),
            CUDA_SUCCESS);
  run(tensor, "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {0, 0}], [s];",
      std::nullopt);
  EXPECT_EQ(result_, CUDA_ERROR_ILLEGAL_INSTRUCTION);
  EXPECT_THAT(emuFaultReport(), HasSubstr("4-bit elements that lie apart"));
}

// PTX ISA, "Swizzling Modes": which 16 bytes of a line lie where, line by line.
using Table = std::vector<std::array<std::size_t, 8>>;
const Table kKeeps32 = {{0, 1, 2, 3, 4, 5, 6, 7},
                        {2, 3, 0, 1, 6, 7, 4, 5},
                        {4, 5, 6, 7, 0, 1, 2, 3},
                        {6, 7, 4, 5, 2, 3, 0, 1}};
const Table kKeeps64 = {{0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 6, 7, 0, 1, 2, 3}};

Bytes swizzled(const Bytes& tensor, const Table& table, bool flips) {
  Bytes expected(kShared, kUntouched);
  for (std::size_t row = 0; row < 8; ++row) {
    for (std::size_t byte = 0; byte < 128; ++byte) {
      const std::size_t chunk = table[row % table.size()].at(byte / 16);
      const std::size_t within = flips && row % 2 == 1 ? byte % 16 ^ 8 : byte % 16;
      expected[row * 128 + byte] = tensor[row * 128 + chunk * 16 + within];
    }
  }
  return expected;
}

TEST_F(TensorCopy, SwizzlesStretchesOf32Bytes) {
  Tensor tensor = tensor_of(32, 128);
  ASSERT_EQ(encode(tensor, Tiling{.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B}), CUDA_SUCCESS);
  EXPECT_EQ(run(tensor, load_of(kTile + "{0, 0}], [bar];"), 1024),
            swizzled(tensor.bytes, kKeeps32, false));
}

TEST_F(TensorCopy, FlipsTheHalvesOf16BytesInEverySecondLine) {
  Tensor tensor = tensor_of(32, 128);
  ASSERT_EQ(encode(tensor, Tiling{.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B}),
            CUDA_SUCCESS);
  EXPECT_EQ(run(tensor, load_of(kTile + "{0, 0}], [bar];"), 1024),
            swizzled(tensor.bytes, kKeeps32, true));
}

TEST_F(TensorCopy, SwizzlesStretchesOf64Bytes) {
  Tensor tensor = tensor_of(32, 128);
  ASSERT_EQ(encode(tensor, Tiling{.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B}), CUDA_SUCCESS);
  EXPECT_EQ(run(tensor, load_of(kTile + "{0, 0}], [bar];"), 1024),
            swizzled(tensor.bytes, kKeeps64, false));
}

TEST_F(TensorCopy, UndoesASwizzleOnTheWayBack) {
  Tensor tensor = tensor_of(32, 128);
  ASSERT_EQ(encode(tensor, Tiling{.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B}), CUDA_SUCCESS);
  const Bytes shared = swizzled(tensor.bytes, kKeeps32, false);
  EXPECT_EQ(cuMemsetD8(tensor.address, 0, 1024), CUDA_SUCCESS);
  run(tensor, "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {0, 0}], [s];",
      std::nullopt, shared);
  ASSERT_EQ(result_, CUDA_SUCCESS) << emuFaultReport();
  EXPECT_EQ(bytes_of(tensor), tensor.bytes);
}

TEST_F(TensorCopy, ToATensorBySwizzleThatFlipsIsAFault) {
  Tensor tensor = tensor_of(32, 128);
  ASSERT_EQ(encode(tensor, Tiling{.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B}),
            CUDA_SUCCESS);
  run(tensor, "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {0, 0}], [s];",
      std::nullopt);
  EXPECT_EQ(result_, CUDA_ERROR_ILLEGAL_INSTRUCTION);
  EXPECT_THAT(emuFaultReport(), HasSubstr("swizzle that flips 8 bytes"));
}

TEST_F(TensorCopy, FollowsAMapWhoseSwizzleAndTypeTheKernelReplaced) {
  Tensor tensor = tensor_of(32, 128);
  ASSERT_EQ(encode(tensor, Tiling{.swizzle = CU_TENSOR_MAP_SWIZZLE_128B}), CUDA_SUCCESS);
  EXPECT_EQ(run(tensor,
                "tensormap.replace.tile.swizzle_atomicity.global.b1024.b32 [%rd1], 3;" +
                    load_of(kTile + "{0, 0}], [bar];"),
                1024),
            swizzled(tensor.bytes, kKeeps64, false));
  ASSERT_EQ(encode(tensor, Tiling{.type = CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B,
                                  .dims = {256, 4},
                                  .stride = 128,
                                  .box = {128, 2}}),
            CUDA_SUCCESS);
  const Bytes left = run(tensor,
                         "tensormap.replace.tile.elemtype.global.b1024.b32 [%rd1], 14;" +
                             load_of(kTile + "{128, 1}], [bar];"),
                         128);
  expect_spread(left, tensor.bytes, 8, 128);
}

TEST_F(TensorCopy, ByAReplacedSwizzleThatPtxHasNotIsAFault) {
  Tensor tensor = tensor_of(32, 128);
  ASSERT_EQ(encode(tensor, Tiling{.box = {16, 8}, .swizzle = CU_TENSOR_MAP_SWIZZLE_64B}),
            CUDA_SUCCESS);
  run(tensor,
      "tensormap.replace.tile.swizzle_atomicity.global.b1024.b32 [%rd1], 3;" +
          load_of(kTile + "{0, 0}], [bar];"),
      512);
  EXPECT_EQ(result_, CUDA_ERROR_ILLEGAL_INSTRUCTION);
  EXPECT_THAT(emuFaultReport(), HasSubstr("does not fit its map"));
}

TEST_F(TensorCopy, ByReplacedRowsWiderThanTheSwizzleIsAFault) {
  Tensor tensor = tensor_of(32, 128);
  ASSERT_EQ(encode(tensor, Tiling{.swizzle = CU_TENSOR_MAP_SWIZZLE_128B}), CUDA_SUCCESS);
  run(tensor,
      "tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 0, 68;" +
          load_of(kTile + "{0, 0}], [bar];"),
      2176);
  EXPECT_EQ(result_, CUDA_ERROR_ILLEGAL_INSTRUCTION);
  EXPECT_THAT(emuFaultReport(), HasSubstr("wider than its swizzle"));
}

TEST_F(TensorCopy, ByAReplacedLayoutOfTwoDimensionsIsAFault) {
  Tensor tensor = tensor_of(32, 128);
  ASSERT_EQ(encode(tensor, Tiling{.swizzle = CU_TENSOR_MAP_SWIZZLE_128B}), CUDA_SUCCESS);
  run(tensor,
      "tensormap.replace.tile.interleave_layout.global.b1024.b32 [%rd1], 1;" +
          load_of(kTile + "{0, 0}], [bar];"),
      512);
  EXPECT_EQ(result_, CUDA_ERROR_ILLEGAL_INSTRUCTION);
  EXPECT_THAT(emuFaultReport(), HasSubstr("interleaved tensor of less than three dimensions"));
}

TEST_F(TensorCopy, ByAReplacedTypeOfAnotherBoxIsAFault) {
  Tensor tensor = tensor_of(32, 128);
  ASSERT_EQ(encode(tensor, Tiling{}), CUDA_SUCCESS);
  run(tensor,
      "tensormap.replace.tile.elemtype.global.b1024.b32 [%rd1], 15;" +
          load_of(kTile + "{0, 0}], [bar];"),
      192);
  EXPECT_EQ(result_, CUDA_ERROR_ILLEGAL_INSTRUCTION);
  EXPECT_THAT(emuFaultReport(), HasSubstr("does not fit its map"));
}

TEST_F(TensorCopy, OfPackedElementsHasItsRules) {
  Tensor tensor = tensor_of(4, 192);
  const Tiling good{.type = CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B,
                    .dims = {256, 4},
                    .stride = 192,
                    .box = {128, 2}};
  ASSERT_EQ(encode(tensor, good), CUDA_SUCCESS);
  const auto refused = [&](auto change) {
    Tiling tiling = good;
    change(tiling);
    return encode(tensor, tiling) == CUDA_ERROR_INVALID_VALUE;
  };
  EXPECT_TRUE(refused([](Tiling& t) { t.dims[0] = 192; }));
  EXPECT_TRUE(refused([](Tiling& t) { t.box[0] = 64; }));
  EXPECT_TRUE(refused([](Tiling& t) { t.stride = 208; }));
  EXPECT_TRUE(refused([](Tiling& t) { t.offset = 16; }));
  EXPECT_TRUE(refused([](Tiling& t) { t.swizzle = CU_TENSOR_MAP_SWIZZLE_64B; }));
  EXPECT_TRUE(refused([](Tiling& t) { t.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B; }));
  EXPECT_TRUE(
      refused([](Tiling& t) { t.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA; }));
  EXPECT_FALSE(refused([](Tiling& t) { t.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B; }));
  EXPECT_TRUE(refused([](Tiling& t) {
    t.type = CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B;
    t.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B;
  }));
  EXPECT_TRUE(refused([](Tiling& t) {
    t.type = CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B;
    t.dims[0] = 255;
  }));
}

TEST_F(TensorCopy, OfRowsOfImagesHasItsRules) {
  Tensor tensor = tensor_of(1, Images{}.bytes());
  ASSERT_EQ(encode(tensor, Images{}), CUDA_SUCCESS);
  const auto refused = [&](auto change) {
    Images images{};
    change(images);
    return encode(tensor, images) == CUDA_ERROR_INVALID_VALUE;
  };
  EXPECT_TRUE(refused([](Images& i) { i.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE; }));
  EXPECT_TRUE(refused([](Images& i) { i.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B; }));
  EXPECT_TRUE(refused([](Images& i) { i.interleave = CU_TENSOR_MAP_INTERLEAVE_16B; }));
  EXPECT_TRUE(refused([](Images& i) { i.pixels = 1025; }));
  EXPECT_TRUE(refused([](Images& i) { i.lower = 9; }));
  EXPECT_TRUE(refused([](Images& i) { i.upper = -32769; }));
  EXPECT_TRUE(refused([](Images& i) { i.dims[0] = 36; }));  // 144 bytes of channels
}

TEST_F(TensorCopy, HasItsMapsFoundByName) {
  std::set<void*> found;
  for (const char* name : {"cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col",
                           "cuTensorMapEncodeIm2colWide", "cuTensorMapReplaceAddress"}) {
    void* function = nullptr;
    EXPECT_EQ(cuGetProcAddress(name, &function, 13000, 0, nullptr), CUDA_SUCCESS) << name;
    found.insert(function);
  }
  EXPECT_EQ(found.size(), 4U);
  void* function = nullptr;
  EXPECT_EQ(cuGetProcAddress("cuTensorMapEncodeIm2colWide", &function, 12070, 0, nullptr),
            CUDA_ERROR_NOT_FOUND);
}

}  // namespace
}  // namespace emulator::api
