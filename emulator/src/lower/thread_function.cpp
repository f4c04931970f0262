#include "lower/thread_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lower/effects.h"
#include "lower/operands.h"
#include "lower/writer.h"
#include "ptx/opcode_facts.h"
#include "runtime/abi.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::Space;
using ptx::Symbol;

// Parameters become the first variables of the body.
void own_parameters(ptx::Function& function) {
  const auto parameters = static_cast<std::uint32_t>(function.parameters.size());
  const auto moved = parameters + static_cast<std::uint32_t>(function.returns.size());
  std::vector<ptx::Variable> variables = std::exchange(function.parameters, {});
  std::ranges::move(std::exchange(function.returns, {}), std::back_inserter(variables));
  for (ptx::Variable& variable : variables) variable.space = Space::param;
  std::ranges::move(function.variables, std::back_inserter(variables));
  function.variables = std::move(variables);

  const auto rename = [&](Symbol& symbol) {
    switch (symbol.where) {
      case Symbol::Where::parameter:
        symbol.where = Symbol::Where::local_variable;
        break;
      case Symbol::Where::return_parameter:
        symbol = {Symbol::Where::local_variable, parameters + symbol.index};
        break;
      case Symbol::Where::local_variable:
        symbol.index += moved;
        break;
      default:
        break;
    }
  };
  for (Instruction& instruction : function.body) {
    for (Operand& operand : instruction.operands) {
      each_operand(operand, [&](Operand& o) {
        if (auto* symbol = std::get_if<Symbol>(&o.value)) rename(*symbol);
        if (auto* address = std::get_if<ptx::Address>(&o.value)) {
          if (auto* named = std::get_if<Symbol>(&address->base)) rename(*named);
        }
      });
    }
  }
}

// Of a kernel's .param accesses only those of its own parameters stay.
bool accesses_frame(const ptx::Function& function, const Instruction& instruction) {
  if (instruction.space != Space::param) return false;
  if (!function.entry) return true;
  return std::ranges::any_of(instruction.operands, [](const Operand& operand) {
    const auto* address = std::get_if<ptx::Address>(&operand.value);
    const auto* named = address == nullptr ? nullptr : std::get_if<Symbol>(&address->base);
    return named != nullptr && named->where == Symbol::Where::local_variable;
  });
}

void move_parameters_to_frame(ptx::Function& function) {
  for (Instruction& instruction : function.body) {
    if (accesses_frame(function, instruction)) instruction.space = Space::local;
  }
  for (ptx::Variable& variable : function.variables) {
    if (variable.space != Space::param) continue;
    variable.space = Space::local;
    // They are written and read in other pieces than they are declared in.
    variable.alignment = runtime::kLocalFrameAlignment;
  }
}

bool is_collective(const Instruction& instruction) {
  const ptx::LaneRule::When together = ptx::facts_of(instruction.opcode).lanes.together;
  return together == ptx::LaneRule::When::with_warp ? instruction.has(Modifier::warp)
                                                    : together == ptx::LaneRule::When::always;
}

class Gatherer {
 public:
  Gatherer(ptx::Function& function, std::uint32_t index)
      : function_(function), original_(function.body[index]) {
    result_.gathered = original_;
    // Lanes may come to two instructions of a kind, in branches of their own, unless these are
    // .aligned.
    result_.kind =
        is_aligned() ? fmt::format("{}:{}", function.name, index) : kind_without_operands();
    const auto members = members_operand(original_);
    if (members && *members >= original_.operands.size()) {
      unsupported(original_, "it does not name the lanes");
    }
    result_.members = members ? original_.operands.at(*members)
                              : Operand{ptx::Immediate{0xffffffff, ptx::Immediate::Form::integer},
                                        false, original_.where};
    for (std::size_t i = 0; i < original_.operands.size(); ++i) {
      Operand& operand = result_.gathered.operands[i];
      const bool is_result = i == 0 && has_result(original_);
      if (is_result || i == members) continue;
      each_operand(operand, [&](Operand& part) { gather(part); });
    }
  }

  Collective take() { return std::move(result_); }

 private:
  // Those on matrices are, as early versions of PTX did not have to write.
  [[nodiscard]] bool is_aligned() const {
    return is_of_matrices(original_.opcode) || original_.has(Modifier::aligned);
  }

  // From what the parser read: the text has names in it that the program chose.
  [[nodiscard]] std::string kind_without_operands() const {
    std::string kind(ptx::spelling(original_.opcode));
    for (const Modifier modifier : original_.modifiers) {
      kind += '.';
      kind += ptx::spelling(modifier);
    }
    for (const ptx::Type type : original_.types)
      kind += fmt::format(" {}", static_cast<unsigned>(type));
    const bool two_results = std::holds_alternative<ptx::Pair>(original_.operands.at(0).value);
    return kind + (two_results ? " d|p" : "");
  }

  void gather(Operand& part) {
    if (const auto* reg = std::get_if<ptx::Register>(&part.value)) {
      replace(part, function_.registers.at(reg->index).type, ptx::Register{});
    } else if (std::holds_alternative<ptx::SpecialRegister>(part.value)) {
      replace(part, ptx::Type::b64, ptx::Register{});
    } else if (const auto* immediate = std::get_if<ptx::Immediate>(&part.value)) {
      // A constant may stand where another branch's instruction has a register.
      if (is_aligned()) return;
      const bool integer = immediate->form == ptx::Immediate::Form::integer;
      replace(part, integer ? constant_type() : original_.type(), ptx::Register{});
    } else if (std::holds_alternative<ptx::Address>(part.value)) {
      replace(part, ptx::Type::u64, ptx::Address{});
    }
  }
  [[nodiscard]] ptx::Type constant_type() const {
    return original_.opcode == Opcode::vote ? ptx::Type::pred : ptx::Type::b64;
  }

  void replace(Operand& part, ptx::Type type, std::variant<ptx::Register, ptx::Address> as) {
    const auto index = static_cast<std::uint32_t>(function_.registers.size());
    function_.registers.push_back({fmt::format("gathered {}", index), type});
    result_.sources.push_back({part, index});
    part.negated = false;
    if (auto* address = std::get_if<ptx::Address>(&as)) {
      address->base = ptx::Register{index};
      part.value = *address;
    } else {
      part.value = ptx::Register{index};
    }
  }

  ptx::Function& function_;
  const Instruction& original_;
  Collective result_;
};

ThreadFunction prepared(const ptx::Function& original) {
  ThreadFunction result;
  result.function = original;
  if (!original.entry) own_parameters(result.function);
  move_parameters_to_frame(result.function);
  for (std::uint32_t i = 0; i < result.function.body.size(); ++i) {
    if (!is_collective(result.function.body[i])) continue;
    result.collectives.emplace(i, Gatherer(result.function, i).take());
  }
  return result;
}

ptx::Function without_body(const ptx::Function& function) {
  ptx::Function rest = function;
  rest.body.clear();
  return rest;
}

// Frames are each function's own. Shared memory is one for all, and so are the module's .local
// variables, with which the kernel's frame begins.
void lay_out_together(const ptx::Module& module, const std::vector<ThreadFunction*>& functions) {
  ptx::Function all;
  for (const ThreadFunction* each : functions) {
    std::ranges::copy(each->function.body, std::back_inserter(all.body));
  }
  const std::uint64_t module_bytes = lay_out(module, all).local_bytes;
  for (const ThreadFunction* each : functions) {
    std::ranges::copy(each->function.variables, std::back_inserter(all.variables));
  }
  const Layout together = lay_out(module, all);
  std::size_t first = 0;
  for (ThreadFunction* each : functions) {
    const std::vector<ptx::Variable>& variables = each->function.variables;
    Layout& layout = each->layout;
    layout = lay_out(module, without_body(each->function));
    layout.module_offsets = together.module_offsets;
    layout.reserved_begin = together.reserved_begin;
    layout.reserved_end = together.reserved_end;
    layout.static_shared_bytes = together.static_shared_bytes;
    layout.local_stride = 0;
    for (std::size_t v = 0; v < variables.size(); ++v) {
      if (variables[v].space == Space::shared) {
        layout.function_offsets[v] = together.function_offsets[first + v];
      } else if (each->function.entry) {
        layout.function_offsets[v] += module_bytes;
      }
    }
    if (each->function.entry) layout.local_bytes += module_bytes;
    first += variables.size();
  }
}

std::vector<std::uint64_t> sizes_of(const std::vector<ptx::Variable>& variables) {
  std::vector<std::uint64_t> sizes;
  sizes.reserve(variables.size());
  for (const ptx::Variable& variable : variables) sizes.push_back(variable.size);
  return sizes;
}

}  // namespace

ThreadProgram thread_program(const ptx::Module& module, const ptx::Function& kernel,
                             const CallGraph& graph) {
  ThreadProgram program;
  program.kernel = prepared(kernel);
  std::vector<ThreadFunction*> all{&program.kernel};
  for (const std::uint32_t index : graph.functions) {
    ThreadFunction& function = program.functions[index];
    function = prepared(module.functions[index]);
    // An activation takes a piece of the stack even where it has no variables, so that recursion
    // without end comes to one.
    all.push_back(&function);
  }
  lay_out_together(module, all);
  for (auto& [index, function] : program.functions) {
    Layout& layout = function.layout;
    layout.local_bytes = std::max(layout.local_bytes, runtime::kLocalFrameAlignment);
    program.local_bytes += layout.local_bytes;
  }
  program.local_bytes += program.kernel.layout.local_bytes;
  program.addressed = graph.addressed;
  program.grows = graph.recurses || graph.through_pointers || graph.allocates;
  return program;
}

CallArea call_area(const std::vector<std::uint64_t>& argument_bytes,
                   const std::vector<std::uint64_t>& result_bytes) {
  constexpr std::uint64_t kAlignment = runtime::kLocalFrameAlignment;
  CallArea area;
  const auto place = [&](const std::vector<std::uint64_t>& sizes) {
    for (const std::uint64_t size : sizes) {
      area.offsets.push_back(area.bytes);
      area.bytes += (size + kAlignment - 1) / kAlignment * kAlignment;
    }
    area.signature += fmt::format("({})", fmt::join(sizes, ","));
  };
  place(argument_bytes);
  place(result_bytes);
  return area;
}

CallArea call_area(const ptx::Function& function) {
  return call_area(sizes_of(function.parameters), sizes_of(function.returns));
}

}  // namespace emulator::lower
