#include "trial/time/gpu_tools.h"

#include <algorithm>
#include <atomic>

#include "trial/launch/device_operands.h"

namespace autokernel::trial {
namespace {

// The gate waits for a flag in host memory. It gives up by the device's own clock: a host that
// never opens it, as when queueing itself waits for the device, must not hang. Nothing waits that
// long in a sound run.
const std::string kHarnessSource = R"(
#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "harness_empty", .grid = {1}, .block = {1}});

__device__ inline unsigned long long now_ns() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

extern "C" __global__ void harness_empty() {}

extern "C" __global__ void harness_shift(unsigned) {}

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
constexpr std::size_t kLineBytes = 16;  // of a uint4

}  // namespace

compile::Request gpu_tools_source(const std::string& architecture) {
  return {{"harness.cu", kHarnessSource + operand_kernel()}, architecture, {}};
}

GpuTools::GpuTools(const driver::Device& device, const compile::Program& program)
    : module_(device, program),
      gate_(module_.kernel("harness_gate")),
      write_(module_.kernel("harness_write")),
      read_(module_.kernel("harness_read")),
      empty_(module_.kernel("harness_empty")),
      shift_(module_.kernel("harness_shift")),
      flags_(device.allocate_mapped(2 * sizeof(std::uint32_t))),
      lines_(
          device.allocate(std::max<std::size_t>(kL2Multiple * device.info().l2_bytes, kLineBytes))),
      sink_(device.allocate(sizeof(std::uint32_t))),
      shape_(filling_shape(device)) {
  // Once each, unblocked: a kernel may be loaded only at its first launch.
  const driver::Stream stream = device.make_stream();
  close_gate(stream);
  open_gate();
  flush(stream);
  nothing(stream);
  queue(stream, shift_, {}, std::uint32_t{0});
  expect_queued(stream.wait());
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
  const std::uint64_t count = lines_.bytes() / kLineBytes;
  queue(stream, write_, shape_, lines_.address(), count, ++value_);
  queue(stream, read_, shape_, lines_.address(), count, sink_.address());
}

void GpuTools::shift(const driver::Stream& stream) {
  constexpr std::uint32_t kPlaces = 8;
  for (std::uint32_t left = places_() % kPlaces; left > 0; --left) queue(stream, shift_, {}, left);
}

void GpuTools::nothing(const driver::Stream& stream) const {
  expect_queued(stream.launch(empty_, {}, {}));
}

}  // namespace autokernel::trial
