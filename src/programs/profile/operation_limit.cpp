#include "programs/profile/operation_limit.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "autokernel/driver/units.h"

namespace autokernel::programs {
namespace {

struct Type {
  std::string_view name;  // as library_types.h has it, or PyTorch
  double bytes;
  driver::Unit unit;  // that multiplies it
};
constexpr auto kTypes = std::to_array<Type>({
    {"R_16BF", 2, driver::Unit::tensor_bf16},
    {"R_16F", 2, driver::Unit::tensor_fp16},
    {"R_32F", 4, driver::Unit::fp32},
    {"R_64F", 8, driver::Unit::tensor_fp64},
    {"R_8F_E4M3", 1, driver::Unit::tensor_fp8},
    {"R_8F_E5M2", 1, driver::Unit::tensor_fp8},
    {"R_8I", 1, driver::Unit::tensor_int8},
    {"R_32I", 4, driver::Unit::tensor_int8},
    {"c10::BFloat16", 2, driver::Unit::tensor_bf16},
    {"c10::Half", 2, driver::Unit::tensor_fp16},
    {"float", 4, driver::Unit::fp32},
    {"double", 8, driver::Unit::tensor_fp64},
});

[[nodiscard]] const Type* type_called(std::string_view name) {
  const auto* found = std::ranges::find(kTypes, name, &Type::name);
  return found == kTypes.end() ? nullptr : found;
}

}  // namespace

std::optional<Limit> limit_of(const Operation& operation, const driver::DeviceInfo& device) {
  if (!operation.product) return std::nullopt;
  const Product& product = *operation.product;
  const Type* a = type_called(product.a_type);
  const Type* b = type_called(product.b_type);
  const Type* d = type_called(product.d_type.empty() ? product.c_type : product.d_type);
  const auto bandwidth = driver::peak_gbytes_s(device);
  if (a == nullptr || b == nullptr || d == nullptr || !bandwidth) return std::nullopt;
  // fp32 inputs may be multiplied as TF32.
  const bool tf32 =
      a->unit == driver::Unit::fp32 && product.compute_type.find("TF32") != std::string::npos;
  const auto peak = driver::peak_tflops(device, tf32 ? driver::Unit::tensor_tf32 : a->unit);
  if (!peak) return std::nullopt;

  Limit limit;
  limit.flops = product.flops();
  const auto m = static_cast<double>(product.m);
  const auto n = static_cast<double>(product.n);
  const auto k = static_cast<double>(product.k);
  const bool reads_c = product.beta != 0;
  limit.bytes = static_cast<double>(product.batch) *
                (m * k * a->bytes + k * n * b->bytes + m * n * d->bytes * (reads_c ? 2 : 1));
  const double compute_us = limit.flops / (*peak * 1e6);      // 10^12 a second
  const double memory_us = limit.bytes / (*bandwidth * 1e3);  // 10^9 a second
  limit.bound = compute_us > memory_us ? "compute" : "memory";
  limit.least_us = std::max(compute_us, memory_us);
  return limit;
}

}  // namespace autokernel::programs
