// A program whose work is matrix products by a library: y = W x, again and again, with two sizes of
// W. It prints a checksum.
//
//   product_model [STEPS] [padded]    padded: with gaps between the columns of x
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "e2e/programs/driver_calls.h"
#include "e2e/programs/sample_cublas.h"

namespace autokernel::test {
namespace {

constexpr int kWide = 40;
constexpr int kDeep = 50;
constexpr int kTokens = 24;

class Products {
 public:
  explicit Products(const DriverCalls& driver) : driver_(driver) {
    driver_.check(driver_.make_stream(&handle_.stream, CU_STREAM_NON_BLOCKING), "make a stream");
    weights_ = filled(kWide * kDeep);
    back_ = filled(kWide * kDeep);
    x_ = filled(kDeep * kTokens);
    y_ = filled(kWide * kTokens);
  }

  // y = W^T x, as a linear layer has it, and x = V y.
  void step(bool padded) {
    product(true, kWide, kTokens, kDeep, weights_, x_, padded ? kDeep + 1 : kDeep, y_);
    product(false, kDeep, kTokens, kWide, back_, y_, kWide, x_);
  }

  void print_checksum() const {
    driver_.check(driver_.wait_for(handle_.stream), "wait for a stream");
    std::vector<float> values(std::size_t{kDeep} * kTokens);
    driver_.check(driver_.copy_to_host(values.data(), x_, values.size() * sizeof(float)), "copy");
    double sum = 0;
    for (const float value : values) sum += static_cast<double>(value);
    std::printf("sum %.3f\n", sum);
  }

 private:
  [[nodiscard]] CUdeviceptr filled(int count) const {
    std::vector<float> values;
    values.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      values.push_back(static_cast<float>(i * 37 % 64) / 256 - 0.12F);
    }
    CUdeviceptr memory = 0;
    driver_.check(driver_.allocate(&memory, values.size() * sizeof(float)), "allocate memory");
    driver_.check(driver_.copy_to_device(memory, values.data(), values.size() * sizeof(float)),
                  "copy to the device");
    return memory;
  }

  void product(bool transposed, int m, int n, int k, CUdeviceptr a, CUdeviceptr b, int ldb,
               CUdeviceptr d) {
    const float one = 1;
    const float zero = 0;
    constexpr int kFloat = 0;        // CUDA_R_32F
    constexpr int kSumInFloat = 68;  // CUBLAS_COMPUTE_32F
    const auto pointer = [](CUdeviceptr address) {
      return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): cuBLAS's
    };
    const std::int32_t status = cublasGemmEx(
        &handle_, transposed ? 1 : 0, 0, m, n, k, &one, pointer(a), kFloat, transposed ? k : m,
        pointer(b), kFloat, ldb, &zero, pointer(d), kFloat, m, kSumInFloat, -1);
    if (status == 0) return;
    std::fprintf(stderr, "cannot multiply: %d\n", status);
    std::exit(1);
  }

  const DriverCalls& driver_;
  BlasHandle handle_;
  CUdeviceptr weights_ = 0, back_ = 0, x_ = 0, y_ = 0;
};

}  // namespace
}  // namespace autokernel::test

int main(int count, char** arguments) {
  using namespace autokernel::test;
  const DriverCalls driver;
  CUdevice device = 0;
  CUcontext context = nullptr;
  driver.check(driver.init(0), "start CUDA");
  driver.check(driver.device(&device, 0), "find a device");
  driver.check(driver.retain_context(&context, device), "make a context");
  driver.check(driver.use_context(context), "use a context");
  Products products(driver);
  const int steps = count > 1 ? static_cast<int>(std::strtol(arguments[1], nullptr, 10)) : 3;
  const bool padded = count > 2 && std::string_view(arguments[2]) == "padded";
  for (int i = 0; i < steps; ++i) products.step(padded);
  products.print_checksum();
  return 0;
}
