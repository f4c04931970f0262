#include "autokernel/trial/readiness.h"

#include <array>
#include <cstring>
#include <span>
#include <string_view>
#include <variant>

#include "autokernel/compile/compiler.h"
#include "autokernel/driver/device.h"
#include "autokernel/trial/ready_kernel.h"
#include "trial/blas/cublas.h"
#include "trial/blas/openblas.h"
#include "trial/runner/compilations.h"

namespace autokernel::trial {
namespace {

// Two lines, one of which needs CUDA's headers, since kernels do.
constexpr const char* kReadinessSource = R"(#include <autokernel.cuh>
#include <cuda_bf16.h>
AUTOKERNEL_LAUNCH({.kernel = "readiness", .grid = {2}, .block = {32}});
extern "C" __global__ void readiness(unsigned* out) { out[blockIdx.x * 32 + threadIdx.x] = blockIdx.x * 32 + threadIdx.x; }
)";

// The same for the emulated device, which must be found sound where there is no compiler.
constexpr std::string_view kPtx = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry readiness(.param .u64 out)
{
  .reg .b32 %r<5>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.s32 %r3, %r1, 32, %r2;
  mul.wide.u32 %rd2, %r3, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r3;
  ret;
}
)";

constexpr std::uint32_t kBlocks = 2;
constexpr std::uint32_t kReadinessThreads = 32;

// An architecture that every NVRTC from 12.4 on compiles for.
constexpr const char* kCommonArchitecture = "sm_80";

[[nodiscard]] compile::Compilation compiled(const compile::FrontEnd& front_end,
                                            const std::string& architecture) {
  return front_end.compile({{"readiness.cu", kReadinessSource}, architecture, {}});
}

[[nodiscard]] std::string words(const driver::Fault& fault) {
  return fault.text + " (" + fault.name + ", " + std::to_string(fault.code) + ")";
}

// Runs it, and says what went wrong.
[[nodiscard]] std::string run_image(const driver::Device& device,
                                    std::span<const std::byte> image) {
  const driver::Loading loading = device.load(image);
  if (const auto* fault = std::get_if<driver::Fault>(&loading)) {
    return "the driver refuses the code: " + words(*fault) + " [cuModuleLoadDataEx]";
  }
  const auto kernel = std::get<driver::Module>(loading).kernel("readiness");
  if (!kernel) return "the driver loses a kernel of the code it loaded [cuModuleGetFunction]";
  std::array<std::uint32_t, std::size_t{kBlocks} * kReadinessThreads> numbers{};
  const driver::Buffer out = device.allocate(sizeof numbers);
  device.copy_in(out.address(), std::as_bytes(std::span(numbers)));
  const driver::Stream stream = device.make_stream();
  driver::Address address = out.address();
  std::array<void*, 1> parameters = {static_cast<void*>(&address)};
  const driver::Shape shape{
      .grid = {kBlocks, 1, 1}, .block = {kReadinessThreads, 1, 1}, .shared_bytes = 0};
  auto fault = stream.launch(*kernel, shape, parameters);
  if (!fault) fault = stream.wait();
  if (fault) return "a sound kernel fails: " + words(*fault) + " [cuLaunchKernel]";
  device.copy_out(std::as_writable_bytes(std::span(numbers)), out.address());
  for (std::uint32_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == i) continue;
    return "a sound kernel writes " + std::to_string(numbers[i]) + " where it should write " +
           std::to_string(i);
  }
  return {};
}

[[nodiscard]] std::string run_compiled(const driver::Device& device) {
  const auto& info = device.info();
  const compile::Compilation compilation =
      compiled(compile::Compiler::open(), architecture_of(info.major, info.minor));
  if (const auto* refusal = std::get_if<compile::Refusal>(&compilation)) return refusal->reason;
  return run_image(device, std::get<compile::Program>(compilation).cubin);
}

[[nodiscard]] std::string run_ptx(const driver::Device& device) {
  // The zero byte at the end is the text's end to a driver.
  return run_image(device, std::as_bytes(std::span(kPtx.data(), kPtx.size() + 1)));
}

}  // namespace

CompilerReadiness try_compiler() {
  const compile::Compiler compiler = compile::Compiler::open();
  CompilerReadiness readiness{
      .version = compiler.version(), .library = compiler.library(), .headers = {}, .refusal = {}};
  if (!compiler.include_directories().empty()) {
    readiness.headers = compiler.include_directories().front();
  }
  const compile::Compilation compilation = compiled(compiler, kCommonArchitecture);
  if (const auto* refusal = std::get_if<compile::Refusal>(&compilation)) {
    readiness.refusal = refusal->reason;
  }
  return readiness;
}

DeviceReadiness try_device(const driver::DeviceChoice& choice) {
  const driver::Driver driver = driver::Driver::open(choice);
  const driver::Device device(driver);
  return {driver.info(), driver.info().emulated ? run_ptx(device) : run_compiled(device)};
}

std::string try_library(const driver::DeviceChoice& choice) {
  if (choice.kind == driver::DeviceChoice::Kind::cpu) return OpenBlas::open()->version();
  const driver::Driver driver = driver::Driver::open(choice);
  const driver::Device device(driver);
  return Cublas::open(device)->version();
}

}  // namespace autokernel::trial
