#include "emulator/api/launch_request.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "emulator/api/answer.h"
#include "emulator/api/driver.h"
#include "emulator/api/limits.h"
#include "emulator/api/occupancy.h"
#include "emulator/runtime/host_pointer.h"
#include "emulator/runtime/launch.h"

namespace emulator::api {
namespace {

// Parameters of a tensor map's alignment lie at it.
struct alignas(64) ParameterLine {
  std::array<std::uint8_t, 64> bytes;
};

class Parameters {
 public:
  explicit Parameters(std::uint64_t bytes)
      : lines_((bytes + sizeof(ParameterLine) - 1) / sizeof(ParameterLine) + 1), bytes_(bytes) {}
  [[nodiscard]] std::uint8_t* data() { return lines_.front().bytes.data(); }
  [[nodiscard]] std::span<const std::uint8_t> span() const {
    return {lines_.front().bytes.data(), bytes_};
  }

 private:
  std::vector<ParameterLine> lines_;
  std::uint64_t bytes_;
};

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

Parameters copy_parameters(const LaunchRequest& request, const jit::KernelLayout& layout) {
  Parameters copied(layout.parameter_bytes);
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
  std::shared_ptr<const jit::CompiledKernel> code;
  Parameters parameters;
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
    if (launch.grid_workspace != 0) {
      *runtime::host_pointer<GridWorkspace>(launch.grid_workspace) = {sizeof(GridWorkspace), 0};
    }
    const std::optional<runtime::Fault> fault = context.engine().run(launch);
    if (fault) context.fail(result_of(fault->kind), fault->text);
  }
};

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
      return CUDA_ERROR_ILLEGAL_INSTRUCTION;
    case runtime::FaultKind::trap:
    case runtime::FaultKind::barrier:
    case runtime::FaultKind::stack:
      break;
  }
  return CUDA_ERROR_LAUNCH_FAILED;
}

void launch(Context& context, const LaunchRequest& request) {
  const std::shared_ptr<Kernel> kernel = context.kernel(request.function);
  const std::shared_ptr<Stream> stream = context.stream(request.stream);
  require_shape(request, *kernel);
  const std::uint32_t threads = request.block[0] * request.block[1] * request.block[2];
  const std::uint32_t resident =
      blocks_per_multiprocessor(*kernel, threads, request.dynamic_shared_bytes);
  const DeviceProperties& device = Driver::get().device();
  const bool cooperative = request.cooperation == Cooperation::whole_grid;
  if (cooperative) {
    const std::uint64_t blocks = std::uint64_t{request.grid[0]} * request.grid[1] * request.grid[2];
    require(blocks <= std::uint64_t{resident} * device.workers,
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  }
  Parameters parameters = copy_parameters(request, kernel->layout());
  std::shared_ptr<const jit::CompiledKernel> code;
  try {
    code = kernel->compile({request.block, request.grid, request.dynamic_shared_bytes});
  } catch (const ptx::Error&) {
    throw Refusal(CUDA_ERROR_INVALID_PTX);
  }
  runtime::Launch launch;
  launch.grid = request.grid;
  launch.block = request.block;
  launch.shared_bytes = code->static_shared_bytes + request.dynamic_shared_bytes;
  launch.dynamic_shared_bytes = request.dynamic_shared_bytes;
  launch.unit = code->unit;
  launch.local_bytes_per_thread = code->local_bytes_per_thread;
  if (code->grows_stack) {
    launch.local_bytes_per_thread += context.limits.get(CU_LIMIT_STACK_SIZE);
  }
  launch.blocks_per_worker =
      blocks_per_worker(resident, launch.local_bytes_per_thread * threads, device);
  if (cooperative) launch.grid_workspace = context.grid_workspace();
  auto pending = std::make_shared<Pending>(std::move(code), std::move(parameters), launch);
  context.submit(*stream, [pending = std::move(pending), &context] { pending->run(context); });
}

}  // namespace emulator::api
