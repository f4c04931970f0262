#include "bridge/cuda_source/element_types.h"

#include <map>

namespace autokernel::bridge {

std::optional<ElementType> element_type(const Source& source, const std::string& type, int depth) {
  constexpr int kDeepest = 8;  // of structs in structs
  if (depth > kDeepest) return std::nullopt;
  static const std::map<std::string, ElementType> kTypes = {{"float", {"f32", 4}},
                                                            {"float2", {"f32", 4, 2}},
                                                            {"float3", {"f32", 4, 3}},
                                                            {"float4", {"f32", 4, 4}},
                                                            {"double", {"f64", 8}},
                                                            {"double2", {"f64", 8, 2}},
                                                            {"double4", {"f64", 8, 4}},
                                                            {"half", {"f16", 2}},
                                                            {"__half", {"f16", 2}},
                                                            {"half2", {"f16", 2, 2}},
                                                            {"__half2", {"f16", 2, 2}},
                                                            {"at::Half", {"f16", 2}},
                                                            {"nv_half", {"f16", 2}},
                                                            {"c10::Half", {"f16", 2}},
                                                            {"nv_bfloat16", {"bf16", 2}},
                                                            {"__nv_bfloat16", {"bf16", 2}},
                                                            {"nv_bfloat162", {"bf16", 2, 2}},
                                                            {"__nv_bfloat162", {"bf16", 2, 2}},
                                                            {"at::BFloat16", {"bf16", 2}},
                                                            {"c10::BFloat16", {"bf16", 2}},
                                                            {"__nv_fp8_e4m3", {"e4m3", 1}},
                                                            {"__nv_fp8_e5m2", {"e5m2", 1}},
                                                            {"__nv_fp8_storage_t", {"u8", 1}},
                                                            {"int", {"i32", 4}},
                                                            {"int32_t", {"i32", 4}},
                                                            {"signed", {"i32", 4}},
                                                            {"signed int", {"i32", 4}},
                                                            {"int2", {"i32", 4, 2}},
                                                            {"int3", {"i32", 4, 3}},
                                                            {"int4", {"i32", 4, 4}},
                                                            {"unsigned", {"u32", 4}},
                                                            {"unsigned int", {"u32", 4}},
                                                            {"uint", {"u32", 4}},
                                                            {"uint32_t", {"u32", 4}},
                                                            {"uint2", {"u32", 4, 2}},
                                                            {"uint4", {"u32", 4, 4}},
                                                            {"short", {"i16", 2}},
                                                            {"int16_t", {"i16", 2}},
                                                            {"unsigned short", {"i16", 2}},
                                                            {"uint16_t", {"i16", 2}},
                                                            {"char", {"i8", 1}},
                                                            {"signed char", {"i8", 1}},
                                                            {"int8_t", {"i8", 1}},
                                                            {"unsigned char", {"u8", 1}},
                                                            {"uint8_t", {"u8", 1}},
                                                            {"uchar", {"u8", 1}},
                                                            {"uchar3", {"u8", 1, 3}},
                                                            {"uchar4", {"u8", 1, 4}},
                                                            {"char4", {"i8", 1, 4}},
                                                            {"bool", {"bool", 1}},
                                                            {"long", {"i64", 8}},
                                                            {"long long", {"i64", 8}},
                                                            {"long int", {"i64", 8}},
                                                            {"long long int", {"i64", 8}},
                                                            {"int64_t", {"i64", 8}},
                                                            {"unsigned long", {"i64", 8}},
                                                            {"unsigned long long", {"i64", 8}},
                                                            {"unsigned long long int", {"i64", 8}},
                                                            {"uint64_t", {"i64", 8}},
                                                            {"size_t", {"i64", 8}},
                                                            {"ptrdiff_t", {"i64", 8}},
                                                            {"cuComplex", {"f32", 4, 2}},
                                                            {"cuFloatComplex", {"f32", 4, 2}},
                                                            {"cuDoubleComplex", {"f64", 8, 2}}};
  const std::string resolved = source.resolved_type(type);
  const auto known = kTypes.find(resolved);
  if (known != kTypes.end()) return known->second;
  std::optional<ElementType> all;
  for (const Node& field : source.struct_called(resolved).field("body").children()) {
    if (!field.is("field_declaration")) continue;
    const std::string inner = type_of(field);
    const auto each = inner == resolved ? std::nullopt : element_type(source, inner, depth + 1);
    if (!each || (all && all->dtype != each->dtype)) return std::nullopt;
    for (const Node& declarator : field.fields("declarator")) {
      std::int64_t count = each->count;
      Node at = declarator;
      for (; at.is("array_declarator"); at = at.field("declarator")) {
        HostValues values(source);
        const Value size = values.value(at.field("size"), nullptr);
        const auto extent = size ? size->value() : std::nullopt;
        if (!extent) return std::nullopt;
        constexpr double kMostExtent = 1 << 20;
        if (*extent < 1 || *extent > kMostExtent || count > (1LL << 30U)) return std::nullopt;
        count *= static_cast<std::int64_t>(*extent);
      }
      if (!at.is("field_identifier")) return std::nullopt;
      if (!all) all = ElementType{.dtype = each->dtype, .bytes = each->bytes, .count = 0};
      all->count += count;
    }
  }
  return all;
}

}  // namespace autokernel::bridge
