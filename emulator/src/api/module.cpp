#include "api/module.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "api/limits.h"
#include "runtime/host_pointer.h"

namespace emulator::api {
namespace {

int target_number(const std::string& target) {
  int number = 0;
  const std::size_t digits = target.find_first_of("0123456789");
  if (digits != std::string::npos) {
    std::from_chars(target.data() + digits, target.data() + target.size(), number);
  }
  return number;
}

// A module names them where it calls them.
bool is_of_heap(const ptx::Function& function) {
  return !function.defined && (function.name == "malloc" || function.name == "free");
}

bool launches_dependents(const ptx::Function& function) {
  return std::ranges::any_of(function.body, [](const ptx::Instruction& instruction) {
    return instruction.opcode == ptx::Opcode::griddepcontrol &&
           instruction.has(ptx::Modifier::launch_dependents);
  });
}

// Whether the kernel does, or a function that it may call.
bool may_launch_dependents(const ptx::Module& module, const ptx::Function& kernel) {
  return std::ranges::any_of(module.functions, [&](const ptx::Function& function) {
    return (&function == &kernel || !function.entry) && launches_dependents(function);
  });
}

}  // namespace

Kernel::Kernel(const ptx::Module& module, const ptx::Function& function,
               std::shared_ptr<jit::Compiler> compiler, lower::EngineChoice engine,
               std::shared_ptr<const SourceNames> names)
    : max_dynamic_shared_bytes(0),
      function_(function),
      compiler_(std::move(compiler)),
      layout_(jit::layout_of(module, function, engine)),
      has_heap_calls_(std::ranges::any_of(module.functions, is_of_heap)),
      launches_dependents_(may_launch_dependents(module, function)),
      target_(target_number(module.target)),
      names_(std::move(names)) {
  if (layout_.static_shared_bytes > kStaticSharedBytes) {
    throw ptx::Error(function.where, "kernel " + function.name + " uses " +
                                         std::to_string(layout_.static_shared_bytes) +
                                         " bytes of static shared memory; at most " +
                                         std::to_string(kStaticSharedBytes) + " are allowed");
  }
  max_dynamic_shared_bytes = static_cast<int>(kStaticSharedBytes - layout_.static_shared_bytes);
}

std::uint32_t Kernel::max_threads() const {
  std::uint32_t threads = kThreadsPerBlock;
  for (const auto& limit : {function_.max_threads, function_.required_threads}) {
    if (limit) threads = std::min(threads, (*limit)[0] * (*limit)[1] * (*limit)[2]);
  }
  return threads;
}

std::array<std::uint32_t, 3> Kernel::required_cluster() const {
  if (function_.required_cluster) return *function_.required_cluster;
  return {program_cluster[0], program_cluster[1], program_cluster[2]};
}

Module::Module(ptx::Module text, runtime::Memory& memory, jit::KeptCode kept,
               const std::shared_ptr<const SourceNames>& names)
    : text_(std::make_shared<const ptx::Module>(std::move(text))) {
  try {
    place_variables(memory);
    initialize_variables();
    const lower::EngineChoice engine = jit::engine_of_environment();
    jit::SymbolAddresses addresses;
    for (const auto& [name, variable] : variables_) addresses[name] = variable.address;
    compiler_ = std::make_shared<jit::Compiler>(text_, std::move(addresses), engine,
                                                std::move(kept), jit::compilation_of_environment());
    compiler_->check();
    for (const ptx::Function& function : text_->functions) {
      if (!function.entry) continue;
      kernels_.push_back(std::make_shared<Kernel>(*text_, function, compiler_, engine, names));
    }
  } catch (...) {
    unload(memory);
    throw;
  }
}

void Module::place_variables(runtime::Memory& memory) {
  for (const ptx::Variable& variable : text_->variables) {
    const bool constant = variable.space == ptx::Space::constant;
    if (!constant && variable.space != ptx::Space::global) continue;
    if (variable.external) {
      throw ptx::Error(variable.where, "variable " + variable.name +
                                           " is declared .extern but defined nowhere: link the "
                                           "module that defines it, with cuLinkAddData");
    }
    const runtime::AllocationKind kind = constant ? runtime::AllocationKind::constant_variable
                                                  : runtime::AllocationKind::global_variable;
    const std::uint64_t address = memory.allocate(variable.size, kind, variable.name);
    variables_[variable.name] = {address, variable.size, kind};
  }
}

void Module::initialize_variables() {
  for (const ptx::Variable& variable : text_->variables) {
    const Variable* placed = find_variable(variable.name);
    if (placed == nullptr) continue;
    auto* memory = runtime::host_pointer<std::uint8_t>(placed->address);
    std::memset(memory, 0, variable.size);
    std::copy_n(variable.initial.begin(),
                std::min<std::size_t>(variable.initial.size(), variable.size), memory);
    for (const ptx::Relocation& relocation : variable.relocations) {
      const std::optional<std::uint64_t> target = find_address(relocation.symbol);
      if (!target || relocation.offset + sizeof(std::uint64_t) > variable.size) {
        throw ptx::Error(variable.where,
                         "variable " + variable.name + " is initialised with the address of " +
                             relocation.symbol +
                             ", which is no .global or .const variable and no function of the "
                             "module");
      }
      const std::uint64_t value = *target + static_cast<std::uint64_t>(relocation.addend);
      std::memcpy(memory + relocation.offset, &value, sizeof value);
    }
  }
}

std::optional<std::uint64_t> Module::find_address(const std::string& name) const {
  if (const Variable* variable = find_variable(name)) return variable->address;
  const ptx::Function* function = text_->find_function(name);
  if (function == nullptr || !function->defined) return std::nullopt;
  // A kernel has one as well; nothing can be called by it.
  return lower::function_address(static_cast<std::size_t>(function - text_->functions.data()));
}

void Module::unload(runtime::Memory& memory) {
  for (const auto& [name, variable] : variables_) {
    (void)memory.release(variable.address, variable.kind);
  }
  variables_.clear();
}

std::shared_ptr<Kernel> Module::find_kernel(const std::string& name) const {
  const auto found = std::ranges::find_if(
      kernels_, [&](const auto& kernel) { return kernel->function().name == name; });
  return found == kernels_.end() ? nullptr : *found;
}

const Module::Variable* Module::find_variable(const std::string& name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? nullptr : &found->second;
}

}  // namespace emulator::api
