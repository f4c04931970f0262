#include "api/launch_request.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "api/driver.h"
#include "api/error_translation.h"
#include "api/limits.h"
#include "api/occupancy.h"
#include "runtime/host_pointer.h"
#include "runtime/launch.h"

namespace emulator::api {
namespace {

std::uint32_t threads_of(const std::array<std::uint32_t, 3>& block) {
  return block[0] * block[1] * block[2];
}

void require_shape(const LaunchRequest& request, const Kernel& kernel) {
  const auto& [gx, gy, gz] = request.grid;
  const auto& [bx, by, bz] = request.block;
  require(gx != 0 && gy != 0 && gz != 0 && bx != 0 && by != 0 && bz != 0);
  require(gx <= kGridX && gy <= kGridYZ && gz <= kGridYZ);
  require(bx <= kBlockX && by <= kBlockY && bz <= kBlockZ);
  const std::uint64_t threads = std::uint64_t{bx} * by * bz;
  require(threads <= kThreadsPerBlock && threads <= kernel.max_threads());
  const auto& required = kernel.function().required_threads;
  require(!required || *required == request.block);
  require(request.dynamic_shared_bytes <=
          static_cast<std::uint32_t>(kernel.max_dynamic_shared_bytes.load()));
}

// The blocks of a cluster: as the launch says, or the kernel.
std::array<std::uint32_t, 3> cluster_of(const LaunchRequest& request, const Kernel& kernel) {
  const auto& required = kernel.function().required_cluster;
  const bool asked = request.cluster != std::array<std::uint32_t, 3>{0, 0, 0};
  if (!asked && !required) return {1, 1, 1};
  const std::array<std::uint32_t, 3> cluster = asked ? request.cluster : *required;
  require(cluster[0] != 0 && cluster[1] != 0 && cluster[2] != 0);
  require(!asked || !required || request.cluster == *required, CUDA_ERROR_INVALID_CLUSTER_SIZE);
  const std::uint64_t blocks = std::uint64_t{cluster[0]} * cluster[1] * cluster[2];
  require(blocks <= (kernel.non_portable_clusters ? kLargestCluster : kLargestPortableCluster),
          CUDA_ERROR_INVALID_CLUSTER_SIZE);
  for (std::size_t i = 0; i < cluster.size(); ++i)
    require(request.grid.at(i) % cluster.at(i) == 0, CUDA_ERROR_INVALID_CLUSTER_SIZE);
  return cluster;
}

KernelParameters copy_parameters(const LaunchRequest& request, const jit::KernelLayout& layout) {
  KernelParameters copied(layout.parameter_bytes);
  require(request.parameters == nullptr || request.extra == nullptr);
  if (request.parameters != nullptr) {
    for (std::size_t i = 0; i < layout.parameters.size(); ++i) {
      require(request.parameters[i] != nullptr);
      std::memcpy(copied.data() + layout.parameters[i].offset, request.parameters[i],
                  layout.parameters[i].size);
    }
    return copied;
  }
  const void* buffer = nullptr;
  std::optional<std::size_t> bytes;
  for (void** option = request.extra; option != nullptr && *option != CU_LAUNCH_PARAM_END;
       option += 2) {
    if (option[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      buffer = option[1];
    } else {
      require(option[0] == CU_LAUNCH_PARAM_BUFFER_SIZE && option[1] != nullptr);
      bytes = *static_cast<const std::size_t*>(option[1]);
    }
  }
  require(layout.parameters.empty() || (buffer != nullptr && bytes));
  if (buffer != nullptr && bytes) {
    std::memcpy(copied.data(), buffer, std::min<std::uint64_t>(*bytes, layout.parameter_bytes));
  }
  return copied;
}

// A launch that has been compiled and waits for its turn.
struct Pending {
  std::shared_ptr<Kernel> kernel;
  std::shared_ptr<const jit::CompiledKernel> code;
  KernelParameters parameters;
  runtime::Launch launch;

  void run(Context& context) {
    // Each launch has the printf buffer to itself, as in CUDA, where a launch empties it first.
    context.flush_prints();
    const std::shared_ptr<const runtime::AddressMap> addresses = context.memory.snapshot();
    launch.function = code->function;
    launch.sites = code->sites;
    launch.parameters = parameters.span();
    launch.addresses = addresses.get();
    launch.prints = &context.prints;
    launch.heap = context.heap();
    launch.lines = &kernel->names();
    launch.order = context.engine().order();
    if (launch.grid_workspace != 0) {
      *runtime::host_pointer<GridWorkspace>(launch.grid_workspace) = {sizeof(GridWorkspace), 0};
    }
    const std::optional<runtime::Fault> fault = context.engine().run(launch);
    if (!fault) return;
    context.fail(result_of(fault->kind),
                 std::make_unique<FaultRecord>(*fault, kernel->names(), kernel->layout().shared));
  }
};

// How many stacks a worker keeps from launch to launch, whatever it ran: what one kernel leaves
// must not decide whether the next one has to make its own. In all as many as warps fit on the
// device, and for each worker those of one block, so that only launches whose threads run by
// themselves, or most of whose blocks wait, have to make any.
std::uint64_t kept_stacks(unsigned workers) {
  constexpr std::uint64_t kWarps =
      std::uint64_t{kMultiprocessors} * kThreadsPerMultiprocessor / runtime::kWarpSize;
  constexpr std::uint64_t kWarpsOfBlock = kThreadsPerBlock / runtime::kWarpSize;
  return std::max(kWarps / workers, kWarpsOfBlock);
}

// Where threads run by themselves, each has a stack, which is two mappings of memory; Linux allows
// a process 65,530 (vm.max_map_count), of which the workers that take no part keep up to 17,000.
void limit_stacks(runtime::Launch& launch, unsigned workers) {
  constexpr std::uint64_t kMostStacks = 20'000;
  const std::uint64_t blocks = std::max<std::uint64_t>(kMostStacks / launch.thread_count(), 1);
  launch.most_workers = blocks;
  launch.blocks_per_worker =
      std::clamp<std::uint64_t>(blocks / workers, 1, launch.blocks_per_worker);
}

}  // namespace

CUresult result_of(runtime::FaultKind kind) {
  switch (kind) {
    case runtime::FaultKind::out_of_bounds:
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    case runtime::FaultKind::misaligned:
      return CUDA_ERROR_MISALIGNED_ADDRESS;
    case runtime::FaultKind::assertion:
      return CUDA_ERROR_ASSERT;
    case runtime::FaultKind::bad_instruction:
    case runtime::FaultKind::bad_call:
      return CUDA_ERROR_ILLEGAL_INSTRUCTION;
    case runtime::FaultKind::trap:
    case runtime::FaultKind::barrier:
    case runtime::FaultKind::stack:
      break;
  }
  return CUDA_ERROR_LAUNCH_FAILED;
}

KernelOperation read_request(Context& context, const LaunchRequest& request) {
  std::shared_ptr<Kernel> kernel = context.kernel(request.function);
  require_shape(request, *kernel);
  if (request.cooperation == Cooperation::whole_grid) {
    const std::uint64_t blocks = std::uint64_t{request.grid[0]} * request.grid[1] * request.grid[2];
    const std::uint64_t resident =
        blocks_per_multiprocessor(*kernel, threads_of(request.block), request.dynamic_shared_bytes);
    require(blocks <= resident * Driver::get().device().workers,
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  }
  const std::array<std::uint32_t, 3> cluster = cluster_of(request, *kernel);
  KernelParameters parameters = copy_parameters(request, kernel->layout());
  return {std::move(kernel),     request.grid,        request.block, request.dynamic_shared_bytes,
          std::move(parameters), request.cooperation, cluster};
}

std::function<void()> launching(Context& context, const KernelOperation& kernel) {
  std::shared_ptr<const jit::CompiledKernel> code;
  try {
    const bool clustered = kernel.cluster != std::array<std::uint32_t, 3>{1, 1, 1};
    code =
        kernel.kernel->compile({kernel.block, kernel.grid, kernel.dynamic_shared_bytes, clustered});
  } catch (const ptx::Error& error) {
    note_refusal(std::make_unique<FaultRecord>(error, kernel.kernel->names()));
    throw Refusal(CUDA_ERROR_INVALID_PTX);
  }
  runtime::Launch launch;
  launch.grid = kernel.grid;
  launch.block = kernel.block;
  launch.cluster = kernel.cluster;
  launch.shared_bytes = code->static_shared_bytes + kernel.dynamic_shared_bytes;
  launch.dynamic_shared_bytes = kernel.dynamic_shared_bytes;
  launch.unit = code->unit;
  launch.local_bytes_per_thread = code->local_bytes_per_thread;
  if (code->grows_stack) {
    launch.local_bytes_per_thread += context.limits.get(CU_LIMIT_STACK_SIZE);
  }
  const DeviceProperties& device = Driver::get().device();
  const bool cooperative = kernel.cooperation == Cooperation::whole_grid;
  const std::uint32_t threads = threads_of(kernel.block);
  launch.blocks_per_worker = blocks_per_worker(
      blocks_per_multiprocessor(*kernel.kernel, threads, kernel.dynamic_shared_bytes),
      launch.local_bytes_per_thread * threads, device);
  // A worker runs whole clusters.
  launch.blocks_per_worker =
      std::max<std::uint64_t>(launch.blocks_per_worker / launch.cluster_size(), 1);
  launch.kept_stacks = kept_stacks(device.workers);
  if (launch.unit == runtime::Unit::thread) {
    limit_stacks(launch, device.workers);
    const std::uint64_t workers = std::min<std::uint64_t>(device.workers, launch.most_workers);
    require(!cooperative || launch.block_count() <= launch.blocks_per_worker * workers,
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  }
  if (kernel.kernel->has_heap_calls()) context.open_heap();
  if (cooperative) launch.grid_workspace = context.grid_workspace();
  auto pending =
      std::make_shared<Pending>(kernel.kernel, std::move(code), kernel.parameters, launch);
  return [pending = std::move(pending), &context] { pending->run(context); };
}

void launch(Context& context, const LaunchRequest& request) {
  enqueue(context, request.stream, read_request(context, request));
}

}  // namespace emulator::api
