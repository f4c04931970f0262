#include "e2e/faulty_gpu.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <system_error>
#include <variant>

#include "autokernel/compile/compiler.h"
#include "trial/check/device_judge.h"
#include "trial/time/gpu_tools.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kArchitecture = "sm_90a";  // the emulated device's

constexpr const char* kCase = R"(name = "Elementwise"
problem = "2x + y, {N} elements float32"
[sizes.default]
N = 4096
[sizes.check]
N = 4096
[[tensor]]
name = "x"
role = "in"
dtype = "f32"
shape = ["N"]
fill = "normal"
[[tensor]]
name = "y"
role = "in"
dtype = "f32"
shape = ["N"]
fill = "normal"
[[tensor]]
name = "z"
role = "out"
dtype = "f32"
shape = ["N"]
[reference]
kind = "kernel"
file = "reference.cu"
[check]
absolute = 0.0
relative = 0.0
exact = "always"
deterministic = true
[cost]
flops = "2*N"
bytes = "3*4*N"
[timing]
samples = 5
warmups = 2
cap_seconds = 10
)";

// Zeros in the workspace and more shared memory than is there unasked each take a call of their
// own.
constexpr const char* kKernel = R"(#include <autokernel.cuh>
constexpr int THREADS = 128;
AUTOKERNEL_LAUNCH({.kernel = "combine", .grid = {N / THREADS}, .block = {THREADS}, .shared_bytes = 50 * 1024});
AUTOKERNEL_ZEROED_WORKSPACE(N * sizeof(float));

extern "C" __global__ void combine(const float* x, const float* y, float* z, const float* zeros) {
  extern __shared__ float tile[];
  const int i = blockIdx.x * THREADS + threadIdx.x;
  tile[threadIdx.x] = 2 * x[i] + zeros[i];
  z[i] = tile[threadIdx.x] + y[i];
}
)";

constexpr const char* kReference = R"(#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "reference", .grid = {N / 128}, .block = {128}});

extern "C" __global__ void reference(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  z[i] = 2 * x[i] + y[i];
}
)";

[[nodiscard]] std::string ptx_of(const compile::Compiler& compiler,
                                 const compile::Request& request) {
  const compile::Compilation compilation = compiler.compile(request);
  if (const auto* refusal = std::get_if<compile::Refusal>(&compilation)) {
    throw std::runtime_error(refusal->reason);
  }
  return std::get<compile::Program>(compilation).ptx;
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  if (!stream.flush()) throw std::runtime_error("cannot write " + file.string());
}

void write_images(const compile::Compiler& compiler, const fs::path& folder) {
  const std::map<std::string, std::int64_t> sizes = {{"N", 4096}};
  const auto image = [&](const char* kernel, const compile::Request& request) {
    write(folder / (std::string(kernel) + ".ptx"), ptx_of(compiler, request));
  };
  image("combine", {{"kernel.cu", kKernel}, kArchitecture, sizes});
  image("reference", {{"reference.cu", kReference}, kArchitecture, sizes});
  image("harness_empty", trial::gpu_tools_source(kArchitecture));
  image("harness_comparison", trial::device_judge_source(kArchitecture));
}

// What stands for the images of these kernels, which take a second to compile: once for each
// program of tests that is built and each NVRTC.
[[nodiscard]] fs::path images() {
  const compile::Compiler compiler = compile::Compiler::open();
  std::string key;
  for (const fs::path& file : {fs::path("/proc/self/exe"), compiler.library()})
    key += "-" + std::to_string(fs::last_write_time(file).time_since_epoch().count());
  const fs::path folder = fs::path(AUTOKERNEL_FAULTY_DRIVER).parent_path() / ("images" + key);
  if (!fs::exists(folder)) {
    const ScratchFolder fresh;
    const fs::path beside = folder.string() + "-" + fresh.path().filename().string();
    fs::create_directory(beside);
    write_images(compiler, beside);
    // Another test may have been faster, with the same.
    std::error_code ignored;
    fs::rename(beside, folder, ignored);
    if (ignored) fs::remove_all(beside);
  }
  return folder;
}

}  // namespace

FaultyGpu::FaultyGpu() {
  scratch_.write("case/case.toml", kCase);
  scratch_.write("case/kernel.cu", kKernel);
  scratch_.write("case/reference.cu", kReference);
  fs::create_symlink(AUTOKERNEL_FAULTY_DRIVER, scratch_.folder("driver") / "libcuda.so.1");

  fs::create_directory_symlink(images(), scratch_.path() / "images");
}

Invocation FaultyGpu::on_gpu(const std::string& fault, const std::vector<std::string>& more) const {
  std::vector<std::string> arguments = {"bench", "--case", "case", "--device", "cuda"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Invocation invocation = autokernel(arguments);
  invocation.environment["LD_LIBRARY_PATH"] = (scratch_.path() / "driver").string();
  invocation.environment["AUTOKERNEL_TEST_GPU"] = (scratch_.path() / "images").string();
  if (!fault.empty()) invocation.environment["AUTOKERNEL_TEST_FAULT"] = fault;
  return invocation;
}

Outcome FaultyGpu::bench_with_in_launcher(const std::string& fault,
                                          const std::vector<std::string>& more) const {
  Invocation invocation = on_gpu(fault, more);
  invocation.environment["AUTOKERNEL_TEST_FAULT_IN"] = "autokernel-laun";
  return test::run(invocation);
}

Outcome FaultyGpu::bench_on_driver(const std::string& library) const {
  fs::remove(scratch_.path() / "driver" / "libcuda.so.1");
  fs::create_symlink(library, scratch_.path() / "driver" / "libcuda.so.1");
  return bench_with("");
}

void FaultyGpu::expect_sound_next_bench() const {
  const Outcome next = bench_with("");
  EXPECT_EQ(next.code, 0) << next.out << next.err;
  EXPECT_EQ(value_of("timing", next.out), "gpu");
}

std::string of_the_kernel(const std::string& call) {
  static const std::map<std::string, int> harness = {
      {"cuModuleLoadDataEx", 1}, {"cuModuleGetFunction", 1},
      {"cuFuncGetParamInfo", 4},  // of three parameters, and where they end
      {"cuMemAlloc_v2", 1},      {"cuLaunchKernelEx", 1},
  };
  const auto found = harness.find(call);
  return call + ":" + std::to_string(found == harness.end() ? 1 : found->second + 1);
}

// The first two are for the operands.
std::string of_the_gate() { return "cuMemHostAlloc:3"; }

std::string plain_name(const std::string& call) { return call.substr(0, call.find("_v")); }

}  // namespace autokernel::test
