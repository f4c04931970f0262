#include "trial/time/gpu_tools.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "autokernel/base/error.h"

namespace autokernel::trial {
namespace {

// The gate waits for a flag in host memory. It gives up by the device's own clock: a host that
// never opens it, as when queueing itself waits for the device, must not hang. Nothing waits that
// long in a sound run.
constexpr const char* kHarnessSource = R"(
#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "harness_empty", .grid = {1}, .block = {1}});

__device__ inline unsigned long long now_ns() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

extern "C" __global__ void harness_empty() {}

extern "C" __global__ void harness_gate(volatile unsigned* flags, unsigned long long limit_ns) {
  const unsigned long long begin = now_ns();
  while (flags[0] == 0) {
    if (now_ns() - begin > limit_ns) {
      flags[1] = 1;
      return;
    }
  }
}

extern "C" __global__ void harness_write(uint4* lines, unsigned long long count, unsigned value) {
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x; i < count;
       i += stride) {
    lines[i] = make_uint4(value, value, value, value);
  }
}

extern "C" __global__ void harness_read(const uint4* lines, unsigned long long count, unsigned* sink) {
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  unsigned sum = 0;
  for (unsigned long long i = blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x; i < count;
       i += stride) {
    const uint4 line = lines[i];
    sum += line.x ^ line.y ^ line.z ^ line.w;
  }
  if (sum == 0x9e3779b9u) *sink = sum;
}
)";

constexpr std::uint64_t kGateNanoseconds = 2'000'000'000;
constexpr std::uint64_t kL2Multiple = 2;
constexpr std::uint32_t kHarnessThreads = 256;
constexpr std::uint32_t kBlocksPerMultiprocessor = 8;
constexpr std::size_t kLineBytes = 16;  // of a uint4

driver::Module loaded(const driver::Device& device, const compile::Program& program) {
  driver::Loading loading = device.load(program.cubin);
  if (const auto* fault = std::get_if<driver::Fault>(&loading)) {
    throw Error(Stop::environment,
                "cannot load the harness's own kernels on " + device.info().name + ": " +
                    fault->text + " (" + fault->name + "); the driver is for CUDA " +
                    device.info().driver_version +
                    ": install one that is no older than the toolkit, or set CUDA_HOME to an older"
                    " toolkit [cuModuleLoadDataEx]");
  }
  return std::get<driver::Module>(std::move(loading));
}

// The harness's kernels cannot fault by themselves; a fault here is that of a launch before.
void expect_sound(const std::optional<driver::Fault>& fault) {
  if (fault) {
    throw Error(Stop::environment, "cannot queue the harness's own kernels: " + fault->text + " (" +
                                       fault->name + ") [cuLaunchKernel]");
  }
}

template <typename... Parameters>
void queue(const driver::Stream& stream, const driver::Kernel& kernel, const driver::Shape& shape,
           Parameters... parameters) {
  std::array<void*, sizeof...(Parameters)> addresses = {static_cast<void*>(&parameters)...};
  expect_sound(stream.launch(kernel, shape, addresses));
}

}  // namespace

compile::Request gpu_tools_source(const std::string& architecture) {
  return {{"harness.cu", kHarnessSource}, architecture, {}};
}

void require_loadable(const driver::Device& device, const compile::Program& program) {
  static_cast<void>(loaded(device, program));
}

GpuTools::GpuTools(const driver::Device& device, const compile::Program& program)
    : module_(loaded(device, program)),
      gate_(find("harness_gate")),
      write_(find("harness_write")),
      read_(find("harness_read")),
      empty_(find("harness_empty")),
      flags_(device.allocate_mapped(2 * sizeof(std::uint32_t))),
      lines_(
          device.allocate(std::max<std::size_t>(kL2Multiple * device.info().l2_bytes, kLineBytes))),
      sink_(device.allocate(sizeof(std::uint32_t))),
      multiprocessors_(device.info().multiprocessors) {
  // Once each, unblocked: a kernel may be loaded only at its first launch.
  const driver::Stream stream = device.make_stream();
  close_gate(stream);
  open_gate();
  flush(stream);
  nothing(stream);
  expect_sound(stream.wait());
}

driver::Kernel GpuTools::find(const char* name) const {
  const auto kernel = module_.kernel(name);
  if (!kernel)
    throw Error(Stop::internal, std::string("the harness's own program has no kernel ") + name);
  return *kernel;
}

void GpuTools::close_gate(const driver::Stream& stream) {
  auto* flags = static_cast<std::uint32_t*>(flags_.host());
  std::atomic_ref<std::uint32_t>(flags[0]).store(0);
  std::atomic_ref<std::uint32_t>(flags[1]).store(0);
  queue(stream, gate_, {}, flags_.device(), kGateNanoseconds);
}

void GpuTools::open_gate() {
  std::atomic_ref<std::uint32_t>(*static_cast<std::uint32_t*>(flags_.host())).store(1);
}

bool GpuTools::gate_gave_up() const {
  return std::atomic_ref<std::uint32_t>(static_cast<std::uint32_t*>(flags_.host())[1]).load() != 0;
}

void GpuTools::flush(const driver::Stream& stream) {
  driver::Shape shape;
  shape.grid[0] =
      kBlocksPerMultiprocessor * static_cast<std::uint32_t>(std::max(1, multiprocessors_));
  shape.block[0] = kHarnessThreads;
  const std::uint64_t count = lines_.bytes() / kLineBytes;
  queue(stream, write_, shape, lines_.address(), count, ++value_);
  queue(stream, read_, shape, lines_.address(), count, sink_.address());
}

void GpuTools::nothing(const driver::Stream& stream) const {
  expect_sound(stream.launch(empty_, {}, {}));
}

}  // namespace autokernel::trial
