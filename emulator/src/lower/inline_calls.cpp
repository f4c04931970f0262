#include "lower/inline_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lower/call_graph.h"
#include "lower/operands.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::Space;
using ptx::Symbol;

// A call of a function that the module defines; empty where the instruction is anything else.
std::optional<CallParts> call_of_body(const ptx::Module& module, const Instruction& instruction) {
  if (instruction.opcode != Opcode::call) return std::nullopt;
  const CallParts call = parts_of(instruction);
  const bool defined = call.callee && module.functions[*call.callee].defined;
  return defined ? std::optional(call) : std::nullopt;
}

// Which of its parameters a function uses for more than to read them, so that it may write to them.
std::vector<bool> addressed_parameters(const ptx::Function& function) {
  std::vector<bool> addressed(function.parameters.size(), false);
  const auto note = [&](const Symbol* symbol) {
    if (symbol == nullptr || symbol->where != Symbol::Where::parameter) return;
    addressed.at(symbol->index) = true;
  };
  for (const Instruction& instruction : function.body) {
    // Handed on, it is another function's parameter.
    if (instruction.opcode == Opcode::call) continue;
    const bool reads = instruction.opcode == Opcode::ld && instruction.space == Space::param;
    for (const Operand& operand : instruction.operands) {
      note(std::get_if<Symbol>(&operand.value));
      const auto* address = std::get_if<ptx::Address>(&operand.value);
      if (address != nullptr && !reads) note(std::get_if<Symbol>(&address->base));
    }
  }
  return addressed;
}

class Inliner {
 public:
  Inliner(const ptx::Module& module, ptx::Function kernel)
      : module_(module), result_(std::move(kernel)) {
    result_.body.clear();
    result_.registers.clear();
    result_.variables.clear();
  }

  ptx::Function run(const ptx::Function& kernel) {
    append(kernel, {});
    return std::move(result_);
  }

 private:
  // Where a copy's registers begin, and its variables and those that stand for its parameters.
  struct Copy {
    std::uint32_t registers = 0;
    std::vector<std::uint32_t> variables;
    std::vector<std::uint32_t> parameters;
    std::vector<std::uint32_t> returns;
  };

  void append(const ptx::Function& function, Copy copy) {
    const bool is_kernel = chain_.empty();
    chain_.push_back(&function);
    copy.registers = static_cast<std::uint32_t>(result_.registers.size());
    if (names() + function.registers.size() + function.variables.size() > kMostInlinedNames) {
      throw ptx::Error(function.where,
                       fmt::format("the functions this kernel calls come to more than {} registers "
                                   "and variables, which the emulator does not support",
                                   kMostInlinedNames));
    }
    result_.registers.insert(result_.registers.end(), function.registers.begin(),
                             function.registers.end());
    copy.variables = variables_of(function);
    std::vector<std::uint32_t> starts;  // of each instruction's copy
    std::vector<std::uint32_t> own;     // copies whose labels are this function's
    for (const Instruction& original : function.body) {
      starts.push_back(end());
      Instruction instruction = original;
      rename(instruction, copy, is_kernel);
      if (const std::optional<CallParts> found = call_of_body(module_, instruction)) {
        if (instruction.guard) {
          own.push_back(end());
          add(jump(instruction, static_cast<std::uint32_t>(starts.size()), true));
        }
        call(instruction, *found);
      } else if (instruction.opcode == Opcode::ret && !is_kernel) {
        own.push_back(end());
        add(jump(instruction, static_cast<std::uint32_t>(function.body.size()), false));
      } else {
        own.push_back(end());
        add(std::move(instruction));
      }
    }
    starts.push_back(end());
    for (const std::uint32_t index : own) {
      for (Operand& operand : result_.body[index].operands) {
        each_operand(operand, [&](Operand& o) {
          if (auto* label = std::get_if<ptx::LabelReference>(&o.value)) {
            label->instruction = starts.at(label->instruction);
          }
        });
      }
    }
    chain_.pop_back();
  }

  // Those of one copy of the function. What is .shared belongs to the block: there is one of it,
  // however often the function is called.
  std::vector<std::uint32_t> variables_of(const ptx::Function& function) {
    std::vector<std::uint32_t> indices;
    for (const ptx::Variable& variable : function.variables) {
      const auto next = static_cast<std::uint32_t>(result_.variables.size());
      const std::uint32_t index = variable.space == Space::shared
                                      ? shared_.try_emplace(&variable, next).first->second
                                      : next;
      if (index == next) result_.variables.push_back(variable);
      indices.push_back(index);
    }
    return indices;
  }

  [[nodiscard]] std::size_t names() const {
    return result_.registers.size() + result_.variables.size();
  }
  [[nodiscard]] std::uint32_t end() const {
    return static_cast<std::uint32_t>(result_.body.size());
  }
  void add(Instruction instruction) {
    if (result_.body.size() >= kMostInlined) {
      throw ptx::Error(instruction.where,
                       fmt::format("the functions this kernel calls come to more than {} "
                                   "instructions, which the emulator does not support",
                                   kMostInlined));
    }
    result_.body.push_back(std::move(instruction));
  }

  // A branch with the guard of `original`, or the opposite one.
  static Instruction jump(const Instruction& original, std::uint32_t target, bool opposite) {
    Instruction branch;
    branch.opcode = Opcode::bra;
    branch.guard = original.guard;
    if (opposite && branch.guard) branch.guard->negated = !branch.guard->negated;
    branch.operands = {{ptx::LabelReference{target}, false, original.where}};
    branch.where = original.where;
    branch.text = original.text;
    return branch;
  }

  void rename(Instruction& instruction, const Copy& copy, bool is_kernel) const {
    if (instruction.guard) instruction.guard->predicate.index += copy.registers;
    const auto rename_symbol = [&](Symbol& symbol) {
      switch (symbol.where) {
        case Symbol::Where::local_variable:
          symbol.index = copy.variables.at(symbol.index);
          break;
        case Symbol::Where::parameter:
          if (!is_kernel) {
            symbol = {Symbol::Where::local_variable, copy.parameters.at(symbol.index)};
          }
          break;
        case Symbol::Where::return_parameter:
          symbol = {Symbol::Where::local_variable, copy.returns.at(symbol.index)};
          break;
        default:
          break;
      }
    };
    for (Operand& operand : instruction.operands) {
      each_operand(operand, [&](Operand& o) {
        if (auto* reg = std::get_if<ptx::Register>(&o.value)) {
          reg->index += copy.registers;
        } else if (auto* symbol = std::get_if<Symbol>(&o.value)) {
          rename_symbol(*symbol);
        } else if (auto* address = std::get_if<ptx::Address>(&o.value)) {
          if (auto* base = std::get_if<ptx::Register>(&address->base)) {
            base->index += copy.registers;
          } else if (auto* named = std::get_if<Symbol>(&address->base)) {
            rename_symbol(*named);
          }
        }
      });
    }
  }

  void call(const Instruction& instruction, const CallParts& call) {
    const ptx::Function& callee = module_.functions.at(call.callee.value_or(UINT32_MAX));
    if (std::ranges::find(chain_, &callee) != chain_.end()) {
      refuse(instruction, "'" + callee.name + "' calls itself, which is not");
    }
    if (callee.entry) refuse(instruction, "'" + callee.name + "' is a kernel");
    if (call.arguments.size() != callee.parameters.size() ||
        call.results.size() != callee.returns.size()) {
      refuse(instruction, "'" + callee.name + "' has other parameters");
    }
    if (chain_.size() > kDeepestCalls) refuse_depth(instruction.where);
    const auto known = addressed_.find(&callee);
    const std::vector<bool>& addressed =
        known != addressed_.end()
            ? known->second
            : addressed_.emplace(&callee, addressed_parameters(callee)).first->second;
    Copy copy;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const ptx::Variable& formal = callee.parameters[i];
      const Operand& argument = call.arguments[i];
      copy.parameters.push_back(variable_for(instruction, argument, formal));
      if (passes_variable(argument)) {
        // The callee's parameter is another variable than the caller's. Where the callee only reads
        // it, and the call does not write the caller's, nobody can tell.
        if (addressed[i] || is_named(call.results, argument))
          copy.parameters.back() = duplicate(instruction, copy.parameters.back(), formal);
        continue;
      }
      add(transfer(instruction, Opcode::st, formal, copy.parameters.back(), argument));
    }
    for (std::size_t i = 0; i < call.results.size(); ++i) {
      copy.returns.push_back(variable_for(instruction, call.results[i], callee.returns[i]));
    }
    append(callee, copy);
    for (std::size_t i = 0; i < call.results.size(); ++i) {
      if (passes_variable(call.results[i])) continue;
      add(transfer(instruction, Opcode::ld, callee.returns[i], copy.returns[i], call.results[i]));
    }
  }

  static bool passes_variable(const Operand& operand) {
    return std::holds_alternative<Symbol>(operand.value);
  }

  static bool is_named(const std::vector<Operand>& list, const Operand& variable) {
    const auto index = [](const Operand& operand) {
      const auto* symbol = std::get_if<Symbol>(&operand.value);
      return symbol == nullptr ? std::nullopt : std::optional(symbol->index);
    };
    return std::ranges::find(list, index(variable), index) != list.end();
  }

  // A new .param variable with what `variable` holds.
  std::uint32_t duplicate(const Instruction& call, std::uint32_t variable,
                          const ptx::Variable& formal) {
    ptx::Variable piece = formal;
    if (ptx::bits(formal.type) / 8 != formal.size) {
      const std::uint64_t bytes =
          std::gcd(std::gcd(formal.size, std::uint64_t{8}), formal.alignment);
      piece.type = bytes == 8   ? ptx::Type::b64
                   : bytes == 4 ? ptx::Type::b32
                   : bytes == 2 ? ptx::Type::b16
                                : ptx::Type::b8;
    }
    piece.size = ptx::bits(piece.type) / 8;
    result_.variables.push_back(formal);
    result_.variables.back().space = Space::param;
    const auto twin = static_cast<std::uint32_t>(result_.variables.size() - 1);
    const ptx::Register word{static_cast<std::uint32_t>(result_.registers.size())};
    result_.registers.push_back(
        {formal.name, piece.size == 1 ? ptx::Type::b16 : piece.type});  // no register has 8 bits
    const Operand value{word, false, call.where};
    for (std::uint64_t at = 0; at < formal.size; at += piece.size) {
      const auto offset = static_cast<std::int64_t>(at);
      add(transfer(call, Opcode::ld, piece, variable, value, offset));
      add(transfer(call, Opcode::st, piece, twin, value, offset));
    }
    return twin;
  }

  // The .param variable that a call names for a parameter, or a new one for a value passed as such.
  std::uint32_t variable_for(const Instruction& call, const Operand& operand,
                             const ptx::Variable& formal) {
    if (const auto* symbol = std::get_if<Symbol>(&operand.value)) {
      if (symbol->where != Symbol::Where::local_variable) {
        refuse(call, "an argument of this kind is not");
      }
      ptx::Variable& variable = result_.variables[symbol->index];
      if (variable.space != Space::param || variable.size < formal.size) {
        refuse(call, "the argument '" + variable.name + "' is not what the function takes");
      }
      variable.alignment = std::max(variable.alignment, formal.alignment);
      return symbol->index;
    }
    result_.variables.push_back(formal);
    result_.variables.back().space = Space::param;
    return static_cast<std::uint32_t>(result_.variables.size() - 1);
  }

  // st.param or ld.param between a parameter's variable and a register or constant.
  static Instruction transfer(const Instruction& call, Opcode opcode, const ptx::Variable& formal,
                              std::uint32_t variable, const Operand& value,
                              std::int64_t offset = 0) {
    if (ptx::bits(formal.type) / 8 != formal.size) {
      refuse(call, "an array is passed by a register");
    }
    Instruction instruction;
    instruction.opcode = opcode;
    instruction.types = {formal.type};
    instruction.space = Space::param;
    instruction.names_space = true;
    const Operand place{ptx::Address{Symbol{Symbol::Where::local_variable, variable}, offset},
                        false, call.where};
    instruction.operands =
        opcode == Opcode::st ? std::vector{place, value} : std::vector{value, place};
    instruction.where = call.where;
    instruction.text = call.text;
    return instruction;
  }

  [[noreturn]] static void refuse(const Instruction& call, const std::string& why) {
    throw ptx::Error(call.where,
                     fmt::format("'{}' is not supported by the emulator: {}", call.text, why));
  }

  const ptx::Module& module_;
  ptx::Function result_;
  std::vector<const ptx::Function*> chain_;
  std::map<const ptx::Function*, std::vector<bool>> addressed_;  // addressed_parameters
  std::map<const ptx::Variable*, std::uint32_t> shared_;  // of functions, where the result has them
};

// How the .param variables of a body are used, which decides where they are kept.
class ParameterUses {
 public:
  explicit ParameterUses(const ptx::Function& function)
      : accesses_(function.variables.size()), addressed_(function.variables.size(), false) {
    for (const Instruction& instruction : function.body) note(instruction);
  }

  // Whether every access is of a piece that none other overlaps but exactly, and nothing takes the
  // variable's address: then each piece is as good as a register.
  [[nodiscard]] bool in_pieces(std::size_t variable) const {
    if (addressed_[variable]) return false;
    std::int64_t end = INT64_MIN;
    for (const auto& [offset, bytes] : accesses_[variable]) {
      if (offset < end) return false;
      end = offset + bytes;
    }
    return true;
  }

 private:
  void note(const Instruction& instruction) {
    const bool accesses = (instruction.opcode == Opcode::ld || instruction.opcode == Opcode::st) &&
                          instruction.space == Space::param;
    for (Operand operand : instruction.operands) {
      each_operand(operand, [&](const Operand& o) {
        if (const auto* symbol = std::get_if<Symbol>(&o.value)) {
          // The arguments of functions without a body are read where they were written.
          if (instruction.opcode != Opcode::call) note_address(*symbol);
        } else if (const auto* address = std::get_if<ptx::Address>(&o.value)) {
          const auto* named = std::get_if<Symbol>(&address->base);
          if (named == nullptr) return;
          if (!accesses) return note_address(*named);
          note_access(instruction, *named, address->offset);
        }
      });
    }
  }
  void note_address(const Symbol& symbol) {
    if (symbol.where == Symbol::Where::local_variable) addressed_[symbol.index] = true;
  }
  void note_access(const Instruction& instruction, const Symbol& symbol, std::int64_t offset) {
    if (symbol.where != Symbol::Where::local_variable) return;
    const std::int64_t bytes = ptx::bits(instruction.type()) / 8;
    for (unsigned e = 0; e < instruction.vector_width; ++e) {
      accesses_[symbol.index].insert({offset + e * bytes, bytes});
    }
  }

  std::vector<std::set<std::pair<std::int64_t, std::int64_t>>> accesses_;
  std::vector<bool> addressed_;
};

// Moves the .param variables that are not in pieces to local memory, where bytes are bytes.
void move_to_local_memory(ptx::Function& function) {
  const ParameterUses uses(function);
  for (std::size_t v = 0; v < function.variables.size(); ++v) {
    ptx::Variable& variable = function.variables[v];
    if (variable.space == Space::param && !uses.in_pieces(v)) variable.space = Space::local;
  }
  for (Instruction& instruction : function.body) {
    for (const Operand& operand : instruction.operands) {
      const auto* address = std::get_if<ptx::Address>(&operand.value);
      const auto* named = address == nullptr ? nullptr : std::get_if<Symbol>(&address->base);
      if (named == nullptr || named->where != Symbol::Where::local_variable) continue;
      if (instruction.space == Space::param) {
        instruction.space = function.variables[named->index].space;
      }
    }
  }
}

}  // namespace

std::optional<ptx::Function> with_calls_inlined(const ptx::Module& module,
                                                const ptx::Function& kernel) {
  const bool calls = std::ranges::any_of(kernel.body, [&](const Instruction& instruction) {
    return call_of_body(module, instruction).has_value();
  });
  if (!calls) return std::nullopt;
  ptx::Function result = Inliner(module, kernel).run(kernel);
  move_to_local_memory(result);
  return result;
}

}  // namespace emulator::lower
