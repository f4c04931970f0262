#include "emulator/jit/compiler.h"

#include <bit>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <tuple>
#include <utility>

#include "emulator/jit/engine.h"
#include "emulator/jit/linker.h"
#include "emulator/lower/kernel.h"

namespace emulator::jit {
namespace {

constexpr const char* kFunctionName = "warp";

// Grids whose extents round up to the same powers of two share their code.
lower::LaunchShape rounded(const Shape& shape) {
  lower::LaunchShape launch{shape.block, {}, shape.dynamic_shared_bytes};
  for (std::size_t d = 0; d < 3; ++d)
    launch.grid[d] = std::bit_ceil(std::min(shape.grid[d], 1U << 31U));
  return launch;
}

// What a compiled kernel keeps alive.
struct Owner {
  std::shared_ptr<const MachineCode> code;
  std::vector<std::string> texts;
};

std::shared_ptr<const CompiledKernel> build(const ptx::Module& module, const ptx::Function& entry,
                                            const lower::LaunchShape& shape,
                                            const SymbolAddresses& globals,
                                            lower::EngineChoice engine) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::duration time) {
    return std::chrono::duration<double>(time).count();
  };
  const auto begin = Clock::now();
  lower::LoweredKernel lowered =
      lower::lower_kernel(module, entry, shape, globals, kFunctionName, engine);
  const auto lowered_at = Clock::now();
  const ObjectCode compiled = compile_ir(lowered.ir);
  const auto compiled_at = Clock::now();
  auto owner = std::make_shared<Owner>();
  owner->code = link(compiled.object, {});
  owner->texts = std::move(lowered.site_texts);
  auto kernel = std::make_shared<CompiledKernel>();
  kernel->function = std::bit_cast<runtime::WarpFunction>(owner->code->address(kFunctionName));
  kernel->sites = std::move(lowered.sites);
  for (std::size_t i = 0; i < kernel->sites.size(); ++i)
    kernel->sites[i].text = owner->texts[i].c_str();
  kernel->local_bytes_per_thread = lowered.local_bytes;
  kernel->unit = lowered.unit;
  kernel->grows_stack = lowered.grows_stack;
  kernel->static_shared_bytes = lowered.layout.static_shared_bytes;
  kernel->parameter_bytes = lowered.layout.parameter_bytes;
  kernel->uses_barriers = lowered.may_suspend;
  kernel->code = std::move(owner);
  kernel->times = {seconds(lowered_at - begin), compiled.optimise_seconds,
                   compiled.generate_seconds, seconds(Clock::now() - compiled_at)};
  return kernel;
}

}  // namespace

struct Compiler::State {
  using Key = std::tuple<const ptx::Function*, std::array<std::uint32_t, 3>,
                         std::array<std::uint32_t, 3>, std::uint32_t>;

  std::shared_ptr<const ptx::Module> module;
  SymbolAddresses globals;
  lower::EngineChoice engine;
  std::mutex mutex;
  std::map<Key, std::shared_ptr<const CompiledKernel>> kernels;
};

Compiler::Compiler(std::shared_ptr<const ptx::Module> module, SymbolAddresses globals,
                   lower::EngineChoice engine)
    : state_(std::make_unique<State>()) {
  state_->module = std::move(module);
  state_->globals = std::move(globals);
  state_->engine = engine;
}

Compiler::~Compiler() = default;

void Compiler::check() const {
  // Which shape it is does not matter: what is supported does not depend on it.
  const lower::LaunchShape shape{{runtime::kWarpSize, 1, 1}, {1, 1, 1}, 0};
  for (const ptx::Function& function : state_->module->functions) {
    if (!function.entry || !function.defined) continue;
    static_cast<void>(lower::lower_kernel(*state_->module, function, shape, state_->globals,
                                          kFunctionName, state_->engine));
  }
}

std::shared_ptr<const CompiledKernel> Compiler::compile(const ptx::Function& entry,
                                                        const Shape& shape) {
  const lower::LaunchShape launch = rounded(shape);
  const State::Key key{&entry, launch.block, launch.grid, launch.dynamic_shared_bytes};
  const std::scoped_lock lock(state_->mutex);
  auto& kernel = state_->kernels[key];
  if (!kernel) kernel = build(*state_->module, entry, launch, state_->globals, state_->engine);
  return kernel;
}

lower::EngineChoice engine_of_environment() {
  const char* wanted = std::getenv("EMULATED_CUDA_ENGINE");
  const std::string_view name = wanted == nullptr ? "" : wanted;
  if (name == "warps") return lower::EngineChoice::warps;
  if (name == "threads") return lower::EngineChoice::threads;
  return lower::EngineChoice::automatic;
}

KernelLayout layout_of(const ptx::Module& module, const ptx::Function& entry,
                       lower::EngineChoice choice) {
  const lower::Layout layout = lower::layout_of(module, entry, choice);
  KernelLayout result;
  for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
    result.parameters.push_back({layout.parameters[i], entry.parameters[i].size});
  }
  result.parameter_bytes = layout.parameter_bytes;
  result.static_shared_bytes = layout.static_shared_bytes;
  result.local_bytes_per_thread = layout.local_bytes;
  for (const ptx::Variable& variable : module.variables) {
    if (variable.space == ptx::Space::constant) result.constant_bytes += variable.size;
  }
  return result;
}

}  // namespace emulator::jit
