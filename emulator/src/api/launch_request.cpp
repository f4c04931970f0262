#include "api/launch_request.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "api/capture.h"
#include "api/driver.h"
#include "api/error_translation.h"
#include "api/limits.h"
#include "api/occupancy.h"
#include "runtime/launch.h"

namespace emulator::api {
namespace {

// The cluster of a block that forms none with others.
constexpr Extents kAlone = {1, 1, 1};

std::uint64_t volume_of(const Extents& extents) {
  return std::uint64_t{extents[0]} * extents[1] * extents[2];
}

// What runs, of what the program says: a block of one thread stands for what .reqntid says.
Extents block_of(const Kernel& kernel, const Extents& asked) {
  const auto& required = kernel.function().required_threads;
  return required && asked == Extents{1, 1, 1} ? *required : asked;
}

// The same: the grid of a kernel with .blocksareclusters counts clusters.
Extents grid_of(const Kernel& kernel, const Extents& asked, const Extents& cluster) {
  if (!kernel.function().blocks_are_clusters) return asked;
  Extents grid{};
  for (std::size_t d = 0; d < grid.size(); ++d) {
    const std::uint64_t blocks = std::uint64_t{asked.at(d)} * cluster.at(d);
    require(blocks <= kGridX);
    grid.at(d) = static_cast<std::uint32_t>(blocks);
  }
  return grid;
}

void require_block(const Extents& block, const LaunchRequest& request, const Kernel& kernel) {
  const auto& [x, y, z] = block;
  require(x != 0 && y != 0 && z != 0 && x <= kBlockX && y <= kBlockY && z <= kBlockZ);
  require(volume_of(block) <= std::min(kThreadsPerBlock, kernel.max_threads()));
  const auto& required = kernel.function().required_threads;
  require(!required || *required == block);
  require(request.dynamic_shared_bytes <=
          static_cast<std::uint32_t>(kernel.max_dynamic_shared_bytes.load()));
}

void require_grid(const Extents& grid, const Extents& cluster) {
  const auto& [x, y, z] = grid;
  require(x != 0 && y != 0 && z != 0 && x <= kGridX && y <= kGridYZ && z <= kGridYZ);
  for (std::size_t d = 0; d < grid.size(); ++d)
    require(grid.at(d) % cluster.at(d) == 0, CUDA_ERROR_INVALID_CLUSTER_SIZE);
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

std::vector<std::shared_ptr<Event>> events_of(const Context& context,
                                              const LaunchRequest& request) {
  std::vector<std::shared_ptr<Event>> events;
  for (CUevent handle : request.events) {
    events.push_back(context.event(handle));
    const unsigned flags = events.back()->flags();
    require((flags & CU_EVENT_DISABLE_TIMING) != 0 && (flags & CU_EVENT_INTERPROCESS) == 0);
  }
  return events;
}

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

KernelOperation read_request(Context& context, const LaunchRequest& request) {
  std::shared_ptr<Kernel> kernel = context.kernel(request.function);
  const Extents block = block_of(*kernel, request.block);
  require_block(block, request, *kernel);
  const std::optional<Extents> cluster = cluster_of(*kernel, request.cluster);
  const Extents grid = grid_of(*kernel, request.grid, cluster.value_or(kAlone));
  require_grid(grid, cluster.value_or(kAlone));
  if (request.cooperation == Cooperation::whole_grid) {
    const auto threads = static_cast<std::uint32_t>(volume_of(block));
    const std::uint64_t resident =
        blocks_per_multiprocessor(*kernel, threads, request.dynamic_shared_bytes);
    // Grids are written for GPUs, whatever this device says of itself.
    const std::uint64_t multiprocessors =
        std::max(Driver::get().device().workers, kMultiprocessors);
    require(volume_of(grid) <= resident * multiprocessors, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  }
  KernelParameters parameters = copy_parameters(request, kernel->layout());
  return {std::move(kernel),     request.grid,        request.block, request.dynamic_shared_bytes,
          std::move(parameters), request.cooperation, cluster,       request.order};
}

std::shared_ptr<PreparedLaunch> prepare_launch(Context& context, const KernelOperation& kernel) {
  const Extents cluster = kernel.cluster.value_or(kAlone);
  const Extents grid = grid_of(*kernel.kernel, kernel.grid, cluster);
  const Extents block = block_of(*kernel.kernel, kernel.block);
  std::shared_ptr<const jit::CompiledKernel> code;
  try {
    code = kernel.kernel->compile(
        {block, grid, kernel.dynamic_shared_bytes, cluster != kAlone, kernel.cluster.has_value()});
  } catch (const ptx::Error& error) {
    note_refusal(std::make_unique<FaultRecord>(error, kernel.kernel->names()));
    throw Refusal(CUDA_ERROR_INVALID_PTX);
  }
  runtime::Launch launch;
  launch.function = code->function;
  launch.sites = code->sites;
  launch.grid = grid;
  launch.block = block;
  launch.cluster = cluster;
  launch.shared_bytes = code->static_shared_bytes + kernel.dynamic_shared_bytes;
  launch.dynamic_shared_bytes = kernel.dynamic_shared_bytes;
  launch.unit = code->unit;
  launch.may_suspend = code->uses_barriers;
  launch.local_bytes_per_thread = code->local_bytes_per_thread;
  if (code->grows_stack) {
    launch.local_bytes_per_thread += context.limits.get(CU_LIMIT_STACK_SIZE);
  }
  const DeviceProperties& device = Driver::get().device();
  const bool cooperative = kernel.cooperation == Cooperation::whole_grid;
  const auto threads = static_cast<std::uint32_t>(volume_of(block));
  launch.blocks_per_worker = blocks_per_worker(
      blocks_per_multiprocessor(*kernel.kernel, threads, kernel.dynamic_shared_bytes),
      launch.local_bytes_per_thread * threads, device);
  // A worker runs whole clusters.
  launch.blocks_per_worker =
      std::max<std::uint64_t>(launch.blocks_per_worker / launch.cluster_size(), 1);
  launch.kept_stacks = kept_stacks(device.workers);
  if (launch.unit == runtime::Unit::thread) limit_stacks(launch, device.workers);
  const std::uint64_t workers = std::min<std::uint64_t>(device.workers, launch.most_workers);
  require(!cooperative || launch.cluster_count() <= launch.blocks_per_worker * workers,
          CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  if (kernel.kernel->has_heap_calls()) context.open_heap();
  if (cooperative) launch.grid_workspace = context.grid_workspace();
  // All cooperative launches meet in one place.
  const bool joins = kernel.order == StreamOrder::programmatic && !cooperative;
  auto prepared = std::make_shared<PreparedLaunch>(kernel.kernel, std::move(code),
                                                   kernel.parameters, launch, joins);
  prepared->launch.parameters = prepared->parameters.span();
  return prepared;
}

void launch(Context& context, const LaunchRequest& request) {
  const bool joins = request.order == StreamOrder::programmatic;
  const LaunchToCome announced(joins ? &context : nullptr);
  const std::vector<std::shared_ptr<Event>> events = events_of(context, request);
  enqueue(context, request.stream, read_request(context, request));
  for (const std::shared_ptr<Event>& event : events) {
    const std::shared_ptr<Stream> stream = context.stream(request.stream);
    if (!capture_record(context, *stream, *event)) record_with_launch(context, *stream, event);
  }
}

}  // namespace emulator::api
