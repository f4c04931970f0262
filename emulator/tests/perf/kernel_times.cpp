#include "perf/kernel_times.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "jit/compiler.h"
#include "lower/kernel.h"
#include "perf/prepared_kernel.h"
#include "ptx/ast.h"
#include "runtime/memory.h"
#include "support/scratch_folder.h"

namespace emulator::perf {
namespace {

constexpr std::uint64_t kMostCached = std::uint64_t{1} << 30U;
constexpr int kFromCache = 5;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

const ptx::Function& entry_of(const ptx::Module& module, const std::string& name) {
  const auto found = std::ranges::find_if(module.functions, [&](const ptx::Function& function) {
    return function.entry && function.name == name;
  });
  if (found == module.functions.end()) throw std::runtime_error("there is no kernel " + name);
  return *found;
}

jit::SymbolAddresses place_variables(const ptx::Module& module, runtime::Memory& memory) {
  jit::SymbolAddresses globals;
  for (const ptx::Variable& variable : module.variables) {
    if (variable.space != ptx::Space::global && variable.space != ptx::Space::constant) continue;
    globals[variable.name] =
        memory.allocate(variable.size, runtime::AllocationKind::global_variable, variable.name);
  }
  return globals;
}

double from_cache(const Program& program, runtime::Memory& memory) {
  const emulator::testing::ScratchFolder folder;
  const auto cache = std::make_shared<const jit::CodeCache>(folder.path(), kMostCached);
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= kFromCache; ++i) {
    const auto begin = Clock::now();
    const auto module = std::make_shared<const ptx::Module>(ptx::parse(program.ptx));
    jit::Compiler compiler(module, place_variables(*module, memory), lower::EngineChoice::automatic,
                           {cache, program.ptx});
    compiler.check();
    const auto kernel =
        compiler.compile(entry_of(*module, program.kernel),
                         {program.block, program.grid, program.dynamic_shared_bytes});
    if (i > 0 && !kernel->from_cache) throw std::runtime_error(program.name + " is not cached");
    if (i > 0) best = std::min(best, seconds_since(begin));
  }
  return best;
}

double median_launch(const Program& program, const jit::CompiledKernel& kernel,
                     runtime::Memory& memory, int launches) {
  PreparedKernel prepared(program, kernel, memory);
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(launches));
  for (int i = 0; i < launches; ++i) times.push_back(prepared.launch());
  std::ranges::sort(times);
  return times[times.size() / 2];
}

}  // namespace

Compiled compile(const Program& program, runtime::Memory& memory) {
  Compiled result;
  Times& times = result.times;
  auto begin = Clock::now();
  const auto module = std::make_shared<const ptx::Module>(ptx::parse(program.ptx));
  times.parse = seconds_since(begin);
  const ptx::Function& entry = entry_of(*module, program.kernel);
  times.instructions = entry.body.size();
  jit::Compiler compiler(module, place_variables(*module, memory));
  begin = Clock::now();
  compiler.check();
  times.check = seconds_since(begin);
  result.kernel =
      compiler.compile(entry, {program.block, program.grid, program.dynamic_shared_bytes});
  times.lower = result.kernel->times.lower_seconds;
  times.optimise = result.kernel->times.optimise_seconds;
  times.generate = result.kernel->times.generate_seconds;
  times.link = result.kernel->times.link_seconds;
  return result;
}

Times measure(const Program& program, int compiles, int launches) {
  runtime::Memory memory;
  Compiled best = compile(program, memory);
  for (int i = 1; i < compiles; ++i) {
    Compiled other = compile(program, memory);
    if (other.times.compile() < best.times.compile()) best = std::move(other);
  }
  best.times.from_cache = from_cache(program, memory);
  if (launches > 0) best.times.launch = median_launch(program, *best.kernel, memory, launches);
  return best.times;
}

std::string ir_of(const Program& program) {
  runtime::Memory memory;
  const ptx::Module module = ptx::parse(program.ptx);
  const lower::LaunchShape shape{program.block, program.grid, program.dynamic_shared_bytes};
  std::string text;
  for (const std::string& ir : lower::lower_kernel(module, entry_of(module, program.kernel), shape,
                                                   place_variables(module, memory), "warp")
                                   .modules) {
    text += ir;
  }
  return text;
}

}  // namespace emulator::perf
