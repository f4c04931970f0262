#include "lower/call_graph.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>

#include "lower/writer.h"
#include "ptx/opcode_facts.h"

namespace emulator::lower {
namespace {

using ptx::Opcode;
using ptx::Symbol;

const Symbol* function_in(const ptx::Operand& operand) {
  const auto* symbol = std::get_if<Symbol>(&operand.value);
  return symbol != nullptr && symbol->where == Symbol::Where::function ? symbol : nullptr;
}

// Those that every program may call without defining them, which call.cpp carries out.
bool is_of_device(const ptx::Function& function) {
  constexpr std::array<std::string_view, 4> kNames = {"vprintf", "__assertfail", "malloc", "free"};
  return std::ranges::find(kNames, function.name) != kNames.end();
}

// The functions whose addresses are values somewhere in the module.
std::vector<std::uint32_t> addressed_functions(const ptx::Module& module) {
  std::vector<bool> found(module.functions.size(), false);
  for (const ptx::Function& function : module.functions) {
    for (const ptx::Instruction& instruction : function.body) {
      if (instruction.opcode == Opcode::call) continue;
      for (const ptx::Operand& operand : instruction.operands) {
        if (const Symbol* symbol = function_in(operand)) found[symbol->index] = true;
      }
    }
  }
  for (const ptx::Variable& variable : module.variables) {
    for (const ptx::Relocation& relocation : variable.relocations) {
      if (const ptx::Function* function = module.find_function(relocation.symbol)) {
        found[static_cast<std::size_t>(function - module.functions.data())] = true;
      }
    }
  }
  std::vector<std::uint32_t> list;
  for (std::uint32_t f = 0; f < found.size(); ++f) {
    if (found[f] && module.functions[f].defined && !module.functions[f].entry) list.push_back(f);
  }
  return list;
}

// What a function comes to with all it calls in their places. Never overflows.
struct Extent {
  std::size_t instructions = 0;
  std::size_t names = 0;  // registers and variables

  void add(const Extent& other) {
    constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() / 2;
    instructions = std::min(instructions, kMost) + std::min(other.instructions, kMost);
    names = std::min(names, kMost) + std::min(other.names, kMost);
  }
};

class Walk {
 public:
  Walk(const ptx::Module& module, CallGraph& graph)
      : module_(module), graph_(graph), state_(module.functions.size()) {}

  Extent visit(const ptx::Function& function) {
    Extent total{function.body.size(), function.registers.size() + function.variables.size()};
    for (const ptx::Instruction& instruction : function.body) {
      const Opcode opcode = instruction.opcode;
      const bool of_stack = ptx::facts_of(opcode).group == ptx::Group::stack;
      graph_.allocates = graph_.allocates || of_stack;
      if (opcode != Opcode::call) continue;
      const CallParts call = parts_of(instruction);
      if (call.pointer) graph_.through_pointers = true;
      if (!call.callee) continue;
      const ptx::Function& callee = module_.functions[*call.callee];
      if (!callee.defined && !is_of_device(callee)) {
        unsupported(instruction, "'" + callee.name + "' is defined nowhere");
      }
      total.add(enter(*call.callee));
    }
    return total;
  }

  Extent enter(std::uint32_t index) {
    const ptx::Function& function = module_.functions[index];
    State& state = state_[index];
    if (!function.defined) return {};
    if (state.active) {
      graph_.recurses = true;
      return {};
    }
    if (!state.seen) {
      if (depth_ >= kDeepestCalls) refuse_depth(function.where);
      ++depth_;
      state.seen = true;
      state.active = true;
      graph_.functions.push_back(index);
      state.extent = visit(function);
      state.active = false;
      --depth_;
    }
    return state.extent;
  }

 private:
  struct State {
    bool seen = false;
    bool active = false;
    Extent extent;
  };

  const ptx::Module& module_;
  CallGraph& graph_;
  std::vector<State> state_;
  std::size_t depth_ = 0;
};

}  // namespace

CallParts parts_of(const ptx::Instruction& call) {
  CallParts parts;
  // Results, what is called, arguments: the parser leaves none of the three out.
  if (const auto* list = std::get_if<ptx::Vector>(&call.operands.at(0).value)) {
    parts.results = list->elements;
  }
  if (const Symbol* symbol = function_in(call.operands.at(1))) parts.callee = symbol->index;
  if (const auto* reg = std::get_if<ptx::Register>(&call.operands.at(1).value)) {
    parts.pointer = *reg;
  }
  if (const auto* list = std::get_if<ptx::Vector>(&call.operands.at(2).value)) {
    parts.arguments = list->elements;
  }
  return parts;
}

bool calls_code(const ptx::Module& module, const ptx::Instruction& instruction) {
  if (instruction.opcode != Opcode::call) return false;
  const CallParts call = parts_of(instruction);
  return call.pointer || (call.callee && module.functions[*call.callee].defined);
}

void refuse_depth(ptx::Location where) {
  throw ptx::Error(where, "calls nest deeper than " + std::to_string(kDeepestCalls) +
                              ", which the emulator does not support");
}

CallGraph call_graph(const ptx::Module& module, const ptx::Function& kernel) {
  CallGraph graph;
  Walk walk(module, graph);
  const Extent extent = walk.visit(kernel);
  graph.inlined = extent.instructions;
  graph.inlined_names = extent.names;
  if (graph.through_pointers) {
    graph.addressed = addressed_functions(module);
    for (const std::uint32_t function : graph.addressed) walk.enter(function);
  }
  std::ranges::sort(graph.functions);
  return graph;
}

}  // namespace emulator::lower
