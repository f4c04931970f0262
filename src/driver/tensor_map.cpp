#include "autokernel/driver/tensor_map.h"

#include <bit>

#include "autokernel/driver/device.h"
#include "driver/api.h"
#include "driver/status.h"

namespace autokernel::driver {
namespace {

CUtensorMapDataType type_of(TensorType type) {
  switch (type) {
    case TensorType::u8:
      return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    case TensorType::u16:
      return CU_TENSOR_MAP_DATA_TYPE_UINT16;
    case TensorType::u32:
      return CU_TENSOR_MAP_DATA_TYPE_UINT32;
    case TensorType::i32:
      return CU_TENSOR_MAP_DATA_TYPE_INT32;
    case TensorType::u64:
      return CU_TENSOR_MAP_DATA_TYPE_UINT64;
    case TensorType::i64:
      return CU_TENSOR_MAP_DATA_TYPE_INT64;
    case TensorType::f16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case TensorType::f32:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case TensorType::f64:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    case TensorType::bf16:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case TensorType::f32_ftz:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ;
    case TensorType::tf32:
      return CU_TENSOR_MAP_DATA_TYPE_TFLOAT32;
    case TensorType::tf32_ftz:
      return CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ;
  }
  return CU_TENSOR_MAP_DATA_TYPE_UINT8;
}

// By bytes; what is none of these the driver refuses.
CUtensorMapInterleave interleave_of(std::uint32_t bytes) {
  return bytes == 0    ? CU_TENSOR_MAP_INTERLEAVE_NONE
         : bytes == 16 ? CU_TENSOR_MAP_INTERLEAVE_16B
                       : CU_TENSOR_MAP_INTERLEAVE_32B;
}
CUtensorMapSwizzle swizzle_of(std::uint32_t bytes) {
  return bytes == 0    ? CU_TENSOR_MAP_SWIZZLE_NONE
         : bytes == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
         : bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                       : CU_TENSOR_MAP_SWIZZLE_128B;
}
CUtensorMapL2promotion promotion_of(std::uint32_t bytes) {
  return bytes == 0     ? CU_TENSOR_MAP_L2_PROMOTION_NONE
         : bytes == 64  ? CU_TENSOR_MAP_L2_PROMOTION_L2_64B
         : bytes == 128 ? CU_TENSOR_MAP_L2_PROMOTION_L2_128B
                        : CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
}

struct Encoding {
  CUresult status;
  const char* call;
};

Encoding encode_tiled(const Api& api, const TensorMapLayout& layout, void* address,
                      CUtensorMap& map) {
  constexpr const char* kCall = "cuTensorMapEncodeTiled";
  require(api.tensor_map_encode_tiled, kCall);
  return {api.tensor_map_encode_tiled(
              &map, type_of(layout.type), layout.rank, address, layout.dims.data(),
              layout.strides.data(), layout.box.data(), layout.element_strides.data(),
              interleave_of(layout.interleave), swizzle_of(layout.swizzle),
              promotion_of(layout.l2_promotion),
              layout.fills_with_nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
                                    : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
          kCall};
}

Encoding encode_im2col(const Api& api, const TensorMapLayout& layout, const Im2col& im2col,
                       void* address, CUtensorMap& map) {
  constexpr const char* kCall = "cuTensorMapEncodeIm2col";
  require(api.tensor_map_encode_im2col, kCall);
  return {api.tensor_map_encode_im2col(
              &map, type_of(layout.type), layout.rank, address, layout.dims.data(),
              layout.strides.data(), im2col.lower.data(), im2col.upper.data(), im2col.channels,
              im2col.pixels, layout.element_strides.data(), interleave_of(layout.interleave),
              swizzle_of(layout.swizzle), promotion_of(layout.l2_promotion),
              layout.fills_with_nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
                                    : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
          kCall};
}

}  // namespace

std::array<std::uint64_t, kEncodingNumbers> encoding_numbers(const TensorMapLayout& layout) {
  std::array<std::uint64_t, kEncodingNumbers> numbers{};
  auto next = numbers.begin();
  const auto add = [&](auto value) { *next++ = static_cast<std::uint64_t>(value); };
  const auto add_all = [&](const auto& values) {
    for (const auto& value : values) add(value);
  };
  add(layout.im2col.has_value());
  add(type_of(layout.type));
  add(layout.rank);
  add_all(layout.dims);
  add_all(layout.strides);
  if (layout.im2col) {
    add_all(layout.im2col->upper);
    add(layout.im2col->channels);
    add(layout.im2col->pixels);
  } else {
    add_all(layout.box);
  }
  add_all(layout.element_strides);
  add(interleave_of(layout.interleave));
  add(swizzle_of(layout.swizzle));
  add(promotion_of(layout.l2_promotion));
  add(layout.fills_with_nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
                            : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (layout.im2col) add_all(layout.im2col->lower);
  return numbers;
}

std::variant<TensorMap, Fault> Device::encode(const TensorMapLayout& layout,
                                              Address address) const {
  static_assert(sizeof(CUtensorMap) == sizeof(TensorMap) &&
                alignof(CUtensorMap) <= alignof(TensorMap));
  CUtensorMap map{};
  void* const at = reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): CUDA's
  const auto [status, call] = layout.im2col ? encode_im2col(*api_, layout, *layout.im2col, at, map)
                                            : encode_tiled(*api_, layout, at, map);
  if (auto fault = check_launch(*api_, status, call, "encode a tensor map")) return *fault;
  return std::bit_cast<TensorMap>(map);
}

}  // namespace autokernel::driver
