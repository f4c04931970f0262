#include "lower/layout.h"

#include <algorithm>
#include <set>

#include "runtime/abi.h"

namespace emulator::lower {
namespace {

// Dynamic shared memory starts at this boundary at least: what cudaMalloc-like code expects of
// extern __shared__.
constexpr std::uint64_t kDynamicSharedAlignment = 16;

std::uint64_t align(std::uint64_t offset, std::uint64_t alignment) {
  alignment = std::max<std::uint64_t>(alignment, 1);
  return (offset + alignment - 1) / alignment * alignment;
}

// Offsets in shared memory, and how far the frames of lanes lie apart, are numbers of 32 bits. Half
// of what they can hold leaves room for alignment and is far beyond every device.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 31U;

// Where a variable lies behind others that end at `end`, which is then where it ends.
std::uint64_t place(const ptx::Variable& variable, std::uint64_t& end) {
  const std::uint64_t begin = align(end, variable.alignment);
  if (begin > kMostBytes || variable.size > kMostBytes - begin) {
    throw ptx::Error(variable.where, "with '" + variable.name +
                                         "' the variables of its kind come to more than " +
                                         std::to_string(kMostBytes) +
                                         " bytes, which is not supported by the emulator");
  }
  end = begin + variable.size;
  return begin;
}

// What devices of compute capability 8.0 and later keep of each block's shared memory for the
// system (CUDA C++ Programming Guide, "Compute Capability 8.x").
constexpr std::uint64_t kReservedShared = 1024;

bool is_reserved_shared(const ptx::Operand& operand) {
  const auto* special = std::get_if<ptx::SpecialRegister>(&operand.value);
  if (special == nullptr) return false;
  switch (special->which) {
    case ptx::Special::reserved_smem_offset_begin:
    case ptx::Special::reserved_smem_offset_end:
    case ptx::Special::reserved_smem_offset_cap:
    case ptx::Special::reserved_smem_offset:
      return true;
    default:
      return false;
  }
}

void find_module_variables(const ptx::Operand& operand, std::set<std::uint32_t>& used) {
  const auto note = [&](const ptx::Symbol& symbol) {
    if (symbol.where == ptx::Symbol::Where::module_variable) used.insert(symbol.index);
  };
  if (const auto* symbol = std::get_if<ptx::Symbol>(&operand.value)) note(*symbol);
  if (const auto* address = std::get_if<ptx::Address>(&operand.value)) {
    if (const auto* symbol = std::get_if<ptx::Symbol>(&address->base)) note(*symbol);
  }
  if (const auto* vector = std::get_if<ptx::Vector>(&operand.value)) {
    for (const ptx::Operand& element : vector->elements) find_module_variables(element, used);
  }
}

std::vector<SharedVariable> shared_variables(const ptx::Module& module,
                                             const ptx::Function& function, const Layout& layout,
                                             const std::set<std::uint32_t>& used) {
  std::vector<SharedVariable> variables;
  const auto add = [&](const ptx::Variable& variable, std::uint64_t offset) {
    if (variable.space != ptx::Space::shared) return;
    variables.push_back({variable.name, offset, variable.size});
  };
  for (const std::uint32_t index : used) add(module.variables[index], layout.module_offsets[index]);
  for (std::size_t i = 0; i < function.variables.size(); ++i) {
    add(function.variables[i], layout.function_offsets[i]);
  }
  std::ranges::sort(variables, {}, &SharedVariable::offset);
  return variables;
}

}  // namespace

Layout lay_out(const ptx::Module& module, const ptx::Function& function) {
  Layout layout;
  for (const ptx::Variable& parameter : function.parameters) {
    layout.parameters.push_back(place(parameter, layout.parameter_bytes));
  }

  std::set<std::uint32_t> used;
  bool asks_for_reserved = false;
  for (const ptx::Instruction& instruction : function.body) {
    for (const ptx::Operand& operand : instruction.operands) {
      find_module_variables(operand, used);
      asks_for_reserved = asks_for_reserved || is_reserved_shared(operand);
    }
  }
  std::uint64_t shared = 0;
  if (asks_for_reserved) {
    shared = kReservedShared;
    layout.reserved_end = static_cast<std::uint32_t>(shared);
  }
  std::uint64_t dynamic_alignment = kDynamicSharedAlignment;
  layout.module_offsets.assign(module.variables.size(), 0);
  for (const std::uint32_t index : used) {
    const ptx::Variable& variable = module.variables[index];
    if (variable.space != ptx::Space::shared && variable.space != ptx::Space::local) continue;
    if (variable.external && variable.size == 0) {
      dynamic_alignment = std::max<std::uint64_t>(dynamic_alignment, variable.alignment);
      continue;
    }
    std::uint64_t& end = variable.space == ptx::Space::shared ? shared : layout.local_bytes;
    layout.module_offsets[index] = place(variable, end);
  }
  layout.function_offsets.assign(function.variables.size(), 0);
  for (std::size_t i = 0; i < function.variables.size(); ++i) {
    const ptx::Variable& variable = function.variables[i];
    std::uint64_t& end = variable.space == ptx::Space::shared ? shared : layout.local_bytes;
    if (variable.space != ptx::Space::shared && variable.space != ptx::Space::local) continue;
    if (variable.external && variable.size == 0) {
      dynamic_alignment = std::max<std::uint64_t>(dynamic_alignment, variable.alignment);
      continue;
    }
    layout.function_offsets[i] = place(variable, end);
  }
  shared = align(shared, dynamic_alignment);
  for (const std::uint32_t index : used) {
    const ptx::Variable& variable = module.variables[index];
    if (variable.space == ptx::Space::shared && variable.external && variable.size == 0) {
      layout.module_offsets[index] = shared;
    }
  }
  for (std::size_t i = 0; i < function.variables.size(); ++i) {
    const ptx::Variable& variable = function.variables[i];
    if (variable.space == ptx::Space::shared && variable.external && variable.size == 0) {
      layout.function_offsets[i] = shared;
    }
  }
  layout.static_shared_bytes = static_cast<std::uint32_t>(shared);
  layout.shared = shared_variables(module, function, layout, used);
  layout.local_bytes = align(layout.local_bytes, runtime::kLocalFrameAlignment);
  layout.local_stride = layout.local_bytes;
  return layout;
}

std::optional<std::uint64_t> address_of(const ptx::Module& module, const ptx::Function& function,
                                        const Layout& layout, const SymbolAddresses& symbols,
                                        const ptx::Symbol& symbol, ptx::Location where) {
  using Where = ptx::Symbol::Where;
  if (symbol.where == Where::function) {
    const ptx::Function& named = module.functions[symbol.index];
    if (named.defined && !named.entry) return function_address(symbol.index);
    throw ptx::Error(where, "the address of '" + named.name +
                                "', which the module does not define as a function, is not "
                                "supported by the emulator");
  }
  if (symbol.where != Where::module_variable && symbol.where != Where::local_variable)
    return std::nullopt;
  const bool of_module = symbol.where == Where::module_variable;
  const ptx::Variable& variable =
      of_module ? module.variables[symbol.index] : function.variables[symbol.index];
  switch (variable.space) {
    case ptx::Space::shared:
      if (layout.clustered) return std::nullopt;
      return offset_in_window(module, function, layout, symbol);
    case ptx::Space::local:
      if (!of_module && !function.entry) return std::nullopt;
      return of_module ? layout.module_offsets[symbol.index]
                       : layout.function_offsets[symbol.index];
    case ptx::Space::global:
    case ptx::Space::constant: {
      const auto found = symbols.find(variable.name);
      if (found == symbols.end()) {
        throw ptx::Error(where,
                         "the variable '" + variable.name + "' is declared but defined nowhere");
      }
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> offset_in_window(const ptx::Module& module,
                                              const ptx::Function& function, const Layout& layout,
                                              const ptx::Symbol& symbol) {
  using Where = ptx::Symbol::Where;
  if (symbol.where == Where::module_variable &&
      module.variables[symbol.index].space == ptx::Space::shared) {
    return layout.module_offsets[symbol.index];
  }
  if (symbol.where == Where::local_variable &&
      function.variables[symbol.index].space == ptx::Space::shared) {
    return layout.function_offsets[symbol.index];
  }
  return std::nullopt;
}

const ptx::Variable* linked_variable(const ptx::Module& module, const ptx::Symbol& symbol) {
  if (symbol.where != ptx::Symbol::Where::module_variable) return nullptr;
  const ptx::Variable& variable = module.variables[symbol.index];
  const bool linked =
      variable.space == ptx::Space::global || variable.space == ptx::Space::constant;
  return linked ? &variable : nullptr;
}

// With a prefix that no entry point of the runtime has.
std::string link_name(const std::string& variable) { return "var." + variable; }

}  // namespace emulator::lower
