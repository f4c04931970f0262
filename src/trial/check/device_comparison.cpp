#include "trial/check/device_comparison.h"

#include <array>
#include <bit>
#include <cmath>

namespace autokernel::trial {
namespace {

// The numbers of types are those of operand_kernel(). Positive doubles are ordered like their bits,
// and the bits of NaN come last.
constexpr const char* kSource = R"(
struct ComparisonJob {
  unsigned long long got, reference, right;
  unsigned long long count;
  double absolute, relative, floor;
  unsigned dtype, bytes, same_bits, same_value;
};
struct ComparisonFound {
  unsigned long long differing, not_finite, disagreeing;
  unsigned long long max_abs, max_rel, reference_error;
  double got_squares, reference_squares, rounding_squares;
};

// From `special` on bits are those of infinities and NaN.
__device__ inline double small_value(unsigned bits, unsigned shift, unsigned bias, unsigned special) {
  const unsigned magnitude = bits & 0x7fu;
  // Moving the exponent also normalises what was subnormal.
  const float value = __fmul_rn(__uint_as_float(magnitude << shift), __uint_as_float(127 + bias << 23));
  if (magnitude >= special) return __longlong_as_double(0x7ff8000000000000ll);
  return bits & 0x80u ? -value : value;
}
__device__ inline double e4m3_value(unsigned bits) { return small_value(bits, 20, 120, 0x7fu); }
__device__ inline double e5m2_value(unsigned bits) { return small_value(bits, 21, 112, 0x7cu); }
__device__ inline double half_value(unsigned bits) {
  const unsigned magnitude = bits & 0x7fffu;
  const float scaled = __fmul_rn(__uint_as_float(magnitude << 13), 0x1p112f);
  const unsigned infinite = magnitude >= 0x7c00u ? 0x7f800000u : 0u;
  return __uint_as_float(__float_as_uint(scaled) | infinite | (bits & 0x8000u) << 16);
}
template <typename T>
__device__ inline T at(unsigned long long address, unsigned long long i) {
  return reinterpret_cast<const T*>(address)[i];
}
__device__ inline double value_of(unsigned long long address, unsigned dtype, unsigned long long i) {
  switch (dtype) {
    case 0: return at<float>(address, i);
    case 1: return half_value(at<unsigned short>(address, i));
    case 2: return __uint_as_float(static_cast<unsigned>(at<unsigned short>(address, i)) << 16);
    case 3: return at<int>(address, i);
    case 5: return at<double>(address, i);
    case 6: return static_cast<double>(at<long long>(address, i));
    case 7: return at<unsigned>(address, i);
    case 8: return at<short>(address, i);
    case 9: return at<signed char>(address, i);
    case 11: return e4m3_value(at<unsigned char>(address, i));
    case 12: return e5m2_value(at<unsigned char>(address, i));
    default: return at<unsigned char>(address, i);
  }
}
// The nearest value of the type.
__device__ inline double rounded_to(double value, unsigned dtype) {
  const float single = static_cast<float>(value);
  switch (dtype) {
    case 1: return half_value(to_f16(single));
    case 2: return __uint_as_float(to_bf16(single) << 16);
    case 11: return e4m3_value(to_small(single, 20, 120, 0x7eu));
    case 12: return e5m2_value(to_small(single, 21, 112, 0x7bu));
    default: return single;
  }
}
__device__ inline bool has_same_bits(const ComparisonJob& job, unsigned long long i) {
  if (job.bytes == 8) return at<unsigned long long>(job.got, i) == at<unsigned long long>(job.reference, i);
  if (job.bytes == 4) return at<unsigned>(job.got, i) == at<unsigned>(job.reference, i);
  if (job.bytes == 2) return at<unsigned short>(job.got, i) == at<unsigned short>(job.reference, i);
  return at<unsigned char>(job.got, i) == at<unsigned char>(job.reference, i);
}

__device__ inline unsigned long long bits_of(double value) { return static_cast<unsigned long long>(__double_as_longlong(value)); }
__device__ inline void keep_largest(unsigned long long* most, unsigned long long value) {
  if (value > *most) *most = value;
}
// Over the warp; valid in its first lane.
template <typename T>
__device__ inline T sum_of(T value) {
#pragma unroll 1
  for (int lane = 16; lane > 0; lane /= 2) value += __shfl_down_sync(0xffffffffu, value, lane);
  return value;
}
__device__ inline unsigned long long largest_of(unsigned long long value) {
#pragma unroll 1
  for (int lane = 16; lane > 0; lane /= 2) keep_largest(&value, __shfl_down_sync(0xffffffffu, value, lane));
  return value;
}
template <typename T>
__device__ inline void add(T* all, T value) {
  value = sum_of(value);
  if (threadIdx.x % 32 == 0 && value != 0) atomicAdd(all, value);
}
__device__ inline void raise(unsigned long long* all, unsigned long long value) {
  value = largest_of(value);
  if (threadIdx.x % 32 == 0 && value != 0) atomicMax(all, value);
}

extern "C" __global__ void harness_comparison(const __grid_constant__ ComparisonJob job, ComparisonFound* all) {
  ComparisonFound found = {};
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x; i < job.count;
       i += stride) {
    if (job.same_bits) {
      found.differing += has_same_bits(job, i) ? 0 : 1;
      continue;
    }
    const double got = value_of(job.got, job.dtype, i);
    const double reference = value_of(job.reference, job.dtype, i);
    double expected = reference;
    if (job.right != 0) {
      const double right = at<double>(job.right, i);
      expected = rounded_to(right, job.dtype);
      const double error = fabs(reference - right);
      keep_largest(&found.reference_error, bits_of(error));
      if (!(error <= job.absolute + job.relative * fabs(right)) || !isfinite(right)) ++found.disagreeing;
      found.got_squares += (got - right) * (got - right);
      found.reference_squares += error * error;
      found.rounding_squares += (expected - right) * (expected - right);
    }
    const double difference = fabs(got - expected);
    if (!isfinite(expected)) ++found.not_finite;
    if (isfinite(difference)) {
      keep_largest(&found.max_abs, bits_of(difference));
      const double against = fmax(fabs(expected), job.floor);
      if (against > 0) keep_largest(&found.max_rel, bits_of(difference / against));
    }
    const bool is_close = job.same_value ? got == expected : difference <= job.absolute + job.relative * fabs(expected);
    if (!is_close || !isfinite(got) || !isfinite(expected)) ++found.differing;
  }
  add(&all->differing, found.differing);
  add(&all->not_finite, found.not_finite);
  add(&all->disagreeing, found.disagreeing);
  raise(&all->max_abs, found.max_abs);
  raise(&all->max_rel, found.max_rel);
  raise(&all->reference_error, found.reference_error);
  add(&all->got_squares, found.got_squares);
  add(&all->reference_squares, found.reference_squares);
  add(&all->rounding_squares, found.rounding_squares);
}
)";

}  // namespace

// As in the source above.
struct DeviceComparison::Job {
  std::uint64_t got = 0;
  std::uint64_t reference = 0;
  std::uint64_t right = 0;
  std::uint64_t count = 0;
  double absolute = 0;
  double relative = 0;
  double floor = 0;
  std::uint32_t dtype = 0;
  std::uint32_t bytes = 1;
  std::uint32_t same_bits = 0;
  std::uint32_t same_value = 0;
};
struct DeviceComparison::Found {
  std::uint64_t differing = 0;
  std::uint64_t not_finite = 0;
  std::uint64_t disagreeing = 0;
  std::uint64_t max_abs = 0;
  std::uint64_t max_rel = 0;
  std::uint64_t reference_error = 0;
  double got_squares = 0;
  double reference_squares = 0;
  double rounding_squares = 0;
};

std::string comparison_kernel() { return kSource; }

DeviceComparison::DeviceComparison(const driver::Device& device, const compile::Program& program)
    : device_(&device),
      module_(device, program),
      kernel_(module_.kernel("harness_comparison")),
      found_(device.allocate(sizeof(Found))) {}

bool DeviceComparison::knows(cases::DType dtype, bool is_right_known) {
  // The host rounds right values by way of a float.
  return !is_right_known || (cases::is_floating(dtype) && dtype != cases::DType::f64);
}

DeviceComparison::Found DeviceComparison::run(const Job& job, const driver::Stream& stream) const {
  expect_queued(stream.zero(found_.address(), sizeof(Found)));
  queue(stream, kernel_, filling_shape(*device_), job, found_.address());
  expect_queued(stream.wait());
  std::array<std::byte, sizeof(Found)> bytes{};
  device_->copy_out(bytes, found_.address());
  return std::bit_cast<Found>(bytes);
}

DeviceFindings DeviceComparison::compare(const ComparedOnDevice& tensor, const Closeness& closeness,
                                         const driver::Stream& stream) const {
  Job job;
  job.got = tensor.got;
  job.reference = tensor.reference;
  job.right = tensor.right;
  job.count = tensor.count;
  job.dtype = static_cast<std::uint32_t>(tensor.dtype);
  job.bytes = static_cast<std::uint32_t>(cases::size_of(tensor.dtype));
  job.absolute = closeness.tolerance.absolute;
  job.relative = closeness.tolerance.relative;
  const bool is_exact = closeness.kind == Closeness::Kind::bits;
  job.same_bits = is_exact && !cases::is_floating(tensor.dtype) ? 1 : 0;
  job.same_value = is_exact ? 1 : 0;
  const auto set_floor = [&] {
    if (job.relative > 0) job.floor = job.absolute / job.relative;  // as compare_tensors.cpp has it
  };
  set_floor();
  Found found = run(job, stream);

  DeviceFindings findings;
  findings.disagreeing = found.disagreeing;
  findings.reference_error = std::bit_cast<double>(found.reference_error);
  const auto root = [&](double sum) { return std::sqrt(sum / static_cast<double>(job.count)); };
  findings.rms = {root(found.got_squares), root(found.reference_squares),
                  root(found.rounding_squares)};
  if (job.right != 0 && !is_exact && findings.reference_error > 0) {
    job.absolute += findings.reference_error;
    set_floor();
    found = run(job, stream);
  }
  findings.differing = found.differing;
  findings.not_finite = found.not_finite;
  findings.differences = {std::bit_cast<double>(found.max_abs),
                          std::bit_cast<double>(found.max_rel)};
  return findings;
}

bool DeviceComparison::are_same(driver::Address one, driver::Address other, std::size_t bytes,
                                const driver::Stream& stream) const {
  Job job;
  job.got = one;
  job.reference = other;
  job.bytes = bytes % 8 == 0 && one % 8 == 0 && other % 8 == 0 ? 8 : 1;
  job.count = bytes / job.bytes;
  job.same_bits = 1;
  return run(job, stream).differing == 0;
}

}  // namespace autokernel::trial
