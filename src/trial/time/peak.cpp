#include "trial/time/peak.h"

#include <algorithm>

#include "trial/time/unit_in_ptx.h"

namespace autokernel::trial {

std::optional<double> peak_tflops(const driver::DeviceInfo& device, const cases::Case& problem) {
  const auto input = std::ranges::find_if(
      problem.tensors, [](const cases::Tensor& tensor) { return tensor.role != cases::Role::out; });
  if (input == problem.tensors.end()) return std::nullopt;
  switch (input->dtype) {
    case cases::DType::f16:
      return driver::peak_tflops(device, driver::Arithmetic::f16);
    case cases::DType::bf16:
      return driver::peak_tflops(device, driver::Arithmetic::bf16);
    case cases::DType::f32:
      // Not tf32: a case in f32 is judged on inputs that tf32 gets wrong.
      return driver::peak_tflops(device, driver::Arithmetic::f32);
    default:
      return std::nullopt;
  }
}

namespace {

// What bounds belief rather than what is aimed at: products of f32 can be put together from tf32
// ones, exactly enough.
std::optional<double> fastest_tflops(const driver::DeviceInfo& device, const cases::Case& problem) {
  const auto peak = peak_tflops(device, problem);
  const bool has_f32 = std::ranges::any_of(problem.tensors, [](const cases::Tensor& tensor) {
    return tensor.role != cases::Role::out && tensor.dtype == cases::DType::f32;
  });
  const auto tf32 = driver::peak_tflops(device, driver::Arithmetic::tf32);
  return peak && has_f32 && tf32 ? std::max(*peak, *tf32) : peak;
}

}  // namespace

std::optional<driver::Unit> unit_of(const std::string& ptx, const cases::Case& problem) {
  const bool is_floating = std::ranges::any_of(problem.tensors, [](const cases::Tensor& tensor) {
    return cases::is_floating(tensor.dtype);
  });
  return unit_in_ptx(ptx, is_floating ? Integers::are_indices : Integers::are_computed);
}

double floor_microseconds(const driver::DeviceInfo& device, const SizedCase& sized) {
  constexpr double kMicro = 1e6;
  double floor = 0;
  if (const auto tflops = fastest_tflops(device, *sized.problem)) {
    floor = cases::flops_at(*sized.problem, sized.size_name) / (*tflops * 1e12) * kMicro;
  }
  if (const auto gbytes_s = driver::peak_gbytes_s(device)) {
    double moved = 0;
    double written = 0;
    for (const SizedTensor& tensor : sized.tensors) {
      moved += tensor.is_read() ? static_cast<double>(tensor.bytes) : 0;
      written += tensor.is_written() ? static_cast<double>(tensor.bytes) : 0;
    }
    moved += std::max(0.0, written - static_cast<double>(device.l2_bytes));
    // Of a table in which rows are looked up not all is read.
    moved = std::min(moved, cases::bytes_at(*sized.problem, sized.size_name));
    floor = std::max(floor, moved / (*gbytes_s * 1e9) * kMicro);
  }
  return floor;
}

}  // namespace autokernel::trial
