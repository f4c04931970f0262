// Tensor maps, as cuTensorMapEncodeTiled and its like make them (runtime/tensor_map.h). What they
// require is what CUDA's driver API documents, "Tensor Map Object Management".
#include <bit>
#include <cstring>
#include <span>

#include "api/cuda_api.h"
#include "api/driver.h"
#include "api/error_translation.h"
#include "runtime/tensor_map.h"

namespace emulator::api {
namespace {

using runtime::TensorFill;
using runtime::TensorInterleave;
using runtime::TensorMap;
using runtime::TensorMode;
using runtime::TensorType;

// Throws Refusal where the emulated device has no such type.
TensorType type_of(CUtensorMapDataType type) {
  switch (type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT8:
      return TensorType::u8;
    case CU_TENSOR_MAP_DATA_TYPE_UINT16:
      return TensorType::u16;
    case CU_TENSOR_MAP_DATA_TYPE_UINT32:
      return TensorType::u32;
    case CU_TENSOR_MAP_DATA_TYPE_INT32:
      return TensorType::s32;
    case CU_TENSOR_MAP_DATA_TYPE_UINT64:
      return TensorType::u64;
    case CU_TENSOR_MAP_DATA_TYPE_INT64:
      return TensorType::s64;
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
      return TensorType::f16;
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
      return TensorType::f32;
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
      return TensorType::f64;
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
      return TensorType::bf16;
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ:
      return TensorType::f32_ftz;
    case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32:
      return TensorType::tf32;
    case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ:
      return TensorType::tf32_ftz;
    case CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B:
      return TensorType::u4x16;
    case CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B:
      return TensorType::u4x16_p64;
    case CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B:
      return TensorType::u6x16_p32;
    default:
      throw Refusal(CUDA_ERROR_INVALID_VALUE);
  }
}

bool is_float(TensorType type) {
  return type == TensorType::f16 || (type >= TensorType::f32 && type <= TensorType::tf32_ftz);
}

// How a map says what it swizzles.
void put_swizzle(TensorMap& map, CUtensorMapSwizzle swizzle) {
  constexpr std::uint8_t kLine = 128;
  switch (swizzle) {
    case CU_TENSOR_MAP_SWIZZLE_NONE:
      return;
    case CU_TENSOR_MAP_SWIZZLE_32B:
      map.swizzle = 32;
      return;
    case CU_TENSOR_MAP_SWIZZLE_64B:
      map.swizzle = 64;
      return;
    default:
      break;
  }
  map.swizzle = kLine;
  if (swizzle == CU_TENSOR_MAP_SWIZZLE_128B) return;
  map.atom = swizzle == CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B ? 64 : 32;
  map.flips = swizzle == CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B ? 1 : 0;
}

struct Layout {
  CUtensorMapDataType type;
  cuuint32_t rank;
  void* address;
  const cuuint64_t* dims;
  const cuuint64_t* strides;
  const cuuint32_t* element_strides;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion promotion;
  CUtensorMapFloatOOBfill fill;
};

void require_padded(const Layout& layout, TensorType type) {
  const bool swizzles = layout.swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ||
                        layout.swizzle == CU_TENSOR_MAP_SWIZZLE_128B ||
                        layout.swizzle == CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B;
  const bool sixes = type == TensorType::u6x16_p32;
  require(swizzles || (sixes && layout.swizzle == CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B));
  require(layout.dims[0] % runtime::kPaddedBox == 0);
}

// What tiled and im2col maps have in common.
TensorMap described(const CUtensorMap* map, const Layout& layout) {
  constexpr std::uint64_t kMapAlignment = 64;
  require(map != nullptr && std::bit_cast<std::uint64_t>(map) % kMapAlignment == 0);
  require(layout.rank >= 1 && layout.rank <= runtime::kMostDimensions);
  require(layout.address != nullptr && layout.dims != nullptr && layout.strides != nullptr &&
          layout.element_strides != nullptr);
  const TensorType type = type_of(layout.type);
  require(layout.interleave <= CU_TENSOR_MAP_INTERLEAVE_32B &&
          layout.swizzle <= CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B &&
          layout.promotion <= CU_TENSOR_MAP_L2_PROMOTION_L2_256B &&
          layout.fill <= CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
  require(layout.fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE || is_float(type));
  if (type == TensorType::u4x16) require(layout.dims[0] % 2 == 0);
  if (is_padded(type)) require_padded(layout, type);
  TensorMap made;
  made.magic = TensorMap::kMagic;
  made.rank = static_cast<std::uint8_t>(layout.rank);
  made.type = type;
  made.interleave = static_cast<TensorInterleave>(layout.interleave);
  put_swizzle(made, layout.swizzle);
  made.fill = static_cast<TensorFill>(layout.fill);
  made.address = std::bit_cast<std::uint64_t>(layout.address);
  for (std::size_t i = 0; i < layout.rank; ++i) {
    require(layout.dims[i] != 0);
    require(layout.element_strides[i] >= 1 && layout.element_strides[i] <= 8);
    made.dims.at(i) = layout.dims[i];
    made.element_strides.at(i) = static_cast<std::uint8_t>(layout.element_strides[i]);
    if (i > 0) made.strides.at(i - 1) = layout.strides[i - 1];
  }
  return made;
}

// Requires what copies do (fault_of): alignment, bounds, and what goes together.
void put(CUtensorMap* to, const TensorMap& map) {
  require(fault_of(map) == nullptr);
  std::memcpy(to, &map, sizeof map);
}

}  // namespace
}  // namespace emulator::api

using emulator::api::answer;
using emulator::api::require;
using emulator::runtime::TensorMap;
using emulator::runtime::TensorMode;

static_assert(sizeof(CUtensorMap) == emulator::runtime::kTensorMapBytes);

CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank,
                                void* address, const cuuint64_t* dims, const cuuint64_t* strides,
                                const cuuint32_t* box, const cuuint32_t* element_strides,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  return answer([&] {
    TensorMap made =
        emulator::api::described(map, {type, rank, address, dims, strides, element_strides,
                                       interleave, swizzle, promotion, fill});
    require(box != nullptr);
    for (std::size_t i = 0; i < rank; ++i) {
      require(box[i] >= 1 && box[i] <= 256);
      made.box.at(i) = static_cast<std::uint16_t>(box[i]);
    }
    emulator::api::put(map, made);
  });
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank,
                                 void* address, const cuuint64_t* dims, const cuuint64_t* strides,
                                 const int* lower, const int* upper, cuuint32_t channels,
                                 cuuint32_t pixels, const cuuint32_t* element_strides,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  return answer([&] {
    TensorMap made =
        emulator::api::described(map, {type, rank, address, dims, strides, element_strides,
                                       interleave, swizzle, promotion, fill});
    require(rank >= 3 && lower != nullptr && upper != nullptr);
    require(channels >= 1 && channels <= 256 && pixels >= 1 && pixels <= 1024);
    made.mode = TensorMode::im2col;
    made.channels = static_cast<std::uint16_t>(channels);
    made.pixels = static_cast<std::uint16_t>(pixels);
    const int limit = rank == 3 ? 32768 : rank == 4 ? 128 : 16;
    for (std::size_t i = 0; i + 2 < rank; ++i) {
      require(lower[i] >= -limit && lower[i] < limit && upper[i] >= -limit && upper[i] < limit);
      made.lower.at(i) = static_cast<std::int16_t>(lower[i]);
      made.upper.at(i) = static_cast<std::int16_t>(upper[i]);
      // The bounding box has an area.
      const std::size_t dimension = interleave == CU_TENSOR_MAP_INTERLEAVE_NONE ? i + 1 : i;
      require(static_cast<std::int64_t>(dims[dimension]) + upper[i] > lower[i]);
    }
    emulator::api::put(map, made);
  });
}

CUresult cuTensorMapEncodeIm2colWide(
    CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
    const cuuint64_t* dims, const cuuint64_t* strides, int lower, int upper, cuuint32_t channels,
    cuuint32_t pixels, const cuuint32_t* element_strides, CUtensorMapInterleave interleave,
    CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill) {
  return answer([&] {
    TensorMap made =
        emulator::api::described(map, {type, rank, address, dims, strides, element_strides,
                                       interleave, swizzle, promotion, fill});
    const bool of_128 = mode == CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128;
    require(of_128 || mode == CU_TENSOR_MAP_IM2COL_WIDE_MODE_W);
    require(rank >= 3 && interleave == CU_TENSOR_MAP_INTERLEAVE_NONE);
    require(swizzle == CU_TENSOR_MAP_SWIZZLE_64B || swizzle == CU_TENSOR_MAP_SWIZZLE_128B ||
            swizzle == CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B);
    require(channels >= 1 && channels <= 256 && (of_128 || (pixels >= 1 && pixels <= 1024)));
    constexpr int kLimit = 32768;
    require(lower >= -kLimit && lower < kLimit && upper >= -kLimit && upper < kLimit);
    require(static_cast<std::int64_t>(dims[1]) + upper > lower);
    made.mode = of_128 ? TensorMode::im2col_w_128 : TensorMode::im2col_w;
    made.channels = static_cast<std::uint16_t>(channels);
    made.pixels = static_cast<std::uint16_t>(pixels);
    made.lower[0] = static_cast<std::int16_t>(lower);
    made.upper[0] = static_cast<std::int16_t>(upper);
    emulator::api::put(map, made);
  });
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
  return answer([&] {
    require(map != nullptr && address != nullptr);
    TensorMap changed;
    std::memcpy(static_cast<void*>(&changed), map, sizeof changed);
    changed.address = std::bit_cast<std::uint64_t>(address);
    emulator::api::put(map, changed);
  });
}
