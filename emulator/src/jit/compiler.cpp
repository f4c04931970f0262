#include "jit/compiler.h"

#include <bit>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>

#include "jit/linker.h"
#include "jit/modules.h"
#include "lower/kernel.h"
#include "runtime/engine.h"

namespace emulator::jit {
namespace {

constexpr const char* kFunctionName = "warp";

// Grids whose extents round up to the same powers of two share their code.
lower::LaunchShape rounded(const Shape& shape) {
  lower::LaunchShape launch{
      shape.block, {}, shape.dynamic_shared_bytes, shape.clustered, shape.explicit_cluster};
  for (std::size_t d = 0; d < 3; ++d)
    launch.grid[d] = std::bit_ceil(std::min(shape.grid[d], 1U << 31U));
  return launch;
}

// What a compiled kernel keeps alive.
struct Owner {
  std::shared_ptr<const MachineCode> code;
  std::vector<std::string> texts;
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

lower::PartsChoice parts_of(Compilation compilation) {
  switch (compilation) {
    case Compilation::whole:
    case Compilation::plain:
      return lower::PartsChoice::never;
    case Compilation::parts:
      return lower::PartsChoice::always;
    default:
      return lower::PartsChoice::automatic;
  }
}

bool is_quick(Compilation compilation) {
  return compilation == Compilation::plain || compilation == Compilation::comparing;
}

KernelObject compile_anew(const ptx::Module& module, const ptx::Function& entry,
                          const lower::LaunchShape& shape, const SymbolAddresses& globals,
                          lower::EngineChoice engine, Compilation compilation,
                          CompileTimes& times) {
  const auto begin = Clock::now();
  const auto claims = compilation == Compilation::comparing ? lower::ClaimsChoice::compared
                                                            : lower::ClaimsChoice::used;
  lower::LoweredKernel lowered = lower::lower_kernel(module, entry, shape, globals, kFunctionName,
                                                     engine, parts_of(compilation), claims);
  times.lower_seconds = seconds_since(begin);
  Objects code =
      compile_modules(lowered.modules, runtime::default_workers(),
                      is_quick(compilation) ? Optimisation::none : Optimisation::standard);
  times.optimise_seconds = code.optimise_seconds;
  times.generate_seconds = code.generate_seconds;
  return {.objects = std::move(code.objects),
          .sites = std::move(lowered.sites),
          .site_texts = std::move(lowered.site_texts),
          .local_bytes_per_thread = lowered.local_bytes,
          .parameter_bytes = lowered.layout.parameter_bytes,
          .static_shared_bytes = lowered.layout.static_shared_bytes,
          .unit = lowered.unit,
          .grows_stack = lowered.grows_stack,
          .uses_barriers = lowered.may_suspend};
}

std::shared_ptr<CompiledKernel> linked(KernelObject object, const SymbolAddresses& globals) {
  const auto begin = Clock::now();
  std::map<std::string, std::uint64_t> variables;
  for (const auto& [name, address] : globals) variables[lower::link_name(name)] = address;
  auto owner = std::make_shared<Owner>();
  owner->code = link(object.objects, variables);
  owner->texts = std::move(object.site_texts);
  auto kernel = std::make_shared<CompiledKernel>();
  kernel->function = std::bit_cast<runtime::WarpFunction>(owner->code->address(kFunctionName));
  kernel->sites = std::move(object.sites);
  for (std::size_t i = 0; i < kernel->sites.size(); ++i)
    kernel->sites[i].text = owner->texts[i].c_str();
  kernel->local_bytes_per_thread = object.local_bytes_per_thread;
  kernel->unit = object.unit;
  kernel->grows_stack = object.grows_stack;
  kernel->static_shared_bytes = object.static_shared_bytes;
  kernel->parameter_bytes = object.parameter_bytes;
  kernel->uses_barriers = object.uses_barriers;
  kernel->code = std::move(owner);
  kernel->times.link_seconds = seconds_since(begin);
  return kernel;
}

}  // namespace

struct Compiler::State {
  using Key = std::tuple<const ptx::Function*, std::array<std::uint32_t, 3>,
                         std::array<std::uint32_t, 3>, std::uint32_t, bool, bool>;

  std::shared_ptr<const ptx::Module> module;
  SymbolAddresses globals;
  lower::EngineChoice engine = lower::EngineChoice::automatic;
  KeptCode kept;
  Compilation compilation = Compilation::automatic;
  std::mutex mutex;
  std::map<Key, std::shared_ptr<const CompiledKernel>> kernels;

  // What an earlier process compiled; null where there is nothing that can be linked.
  [[nodiscard]] std::shared_ptr<const CompiledKernel> find(const ptx::Function& entry,
                                                           const lower::LaunchShape& shape) const {
    if (kept.cache == nullptr) return nullptr;
    std::optional<KernelObject> object = kept.cache->find(kept.text, entry.name, shape, engine);
    if (!object) return nullptr;
    try {
      const auto kernel = linked(std::move(*object), globals);
      kernel->from_cache = true;
      return kernel;
    } catch (const std::runtime_error&) {
      return nullptr;
    }
  }

  [[nodiscard]] std::shared_ptr<const CompiledKernel> build(const ptx::Function& entry,
                                                            const lower::LaunchShape& shape) const {
    if (auto found = find(entry, shape)) return found;
    CompileTimes times;
    KernelObject object = compile_anew(*module, entry, shape, globals, engine, compilation, times);
    if (kept.cache != nullptr) kept.cache->keep(kept.text, entry.name, shape, engine, object);
    const auto kernel = linked(std::move(object), globals);
    times.link_seconds = kernel->times.link_seconds;
    kernel->times = times;
    return kernel;
  }
};

Compiler::Compiler(std::shared_ptr<const ptx::Module> module, SymbolAddresses globals,
                   lower::EngineChoice engine, KeptCode kept, Compilation compilation)
    : state_(std::make_unique<State>()) {
  state_->module = std::move(module);
  state_->globals = std::move(globals);
  state_->engine = engine;
  // What is kept is what is made otherwise.
  if (compilation == Compilation::automatic) state_->kept = std::move(kept);
  state_->compilation = compilation;
}

Compiler::~Compiler() = default;

void Compiler::check() const {
  const KeptCode& kept = state_->kept;
  if (kept.cache != nullptr && kept.cache->is_sound(kept.text, state_->engine)) return;
  // Which shape it is does not matter: what is supported does not depend on it.
  const lower::LaunchShape shape{{runtime::kWarpSize, 1, 1}, {1, 1, 1}, 0};
  for (const ptx::Function& function : state_->module->functions) {
    if (!function.entry || !function.defined) continue;
    static_cast<void>(lower::lower_kernel(*state_->module, function, shape, state_->globals,
                                          kFunctionName, state_->engine,
                                          parts_of(state_->compilation)));
  }
  if (kept.cache != nullptr) kept.cache->note_sound(kept.text, state_->engine);
}

std::shared_ptr<const CompiledKernel> Compiler::compile(const ptx::Function& entry,
                                                        const Shape& shape) {
  const lower::LaunchShape launch = rounded(shape);
  const State::Key key{&entry,           launch.block,
                       launch.grid,      launch.dynamic_shared_bytes,
                       launch.clustered, launch.explicit_cluster};
  const std::scoped_lock lock(state_->mutex);
  auto& kernel = state_->kernels[key];
  if (!kernel) kernel = state_->build(entry, launch);
  return kernel;
}

lower::EngineChoice engine_of_environment() {
  const char* wanted = std::getenv("EMULATED_CUDA_ENGINE");
  const std::string_view name = wanted == nullptr ? "" : wanted;
  if (name == "warps") return lower::EngineChoice::warps;
  if (name == "threads") return lower::EngineChoice::threads;
  return lower::EngineChoice::automatic;
}

Compilation compilation_of_environment() {
  const char* wanted = std::getenv("EMULATED_CUDA_COMPILE");
  const std::string_view name = wanted == nullptr ? "" : wanted;
  if (name == "whole") return Compilation::whole;
  if (name == "parts") return Compilation::parts;
  if (name == "plain") return Compilation::plain;
  return Compilation::automatic;
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
  result.shared = layout.shared;
  for (const ptx::Variable& variable : module.variables) {
    if (variable.space == ptx::Space::constant) result.constant_bytes += variable.size;
  }
  return result;
}

}  // namespace emulator::jit
