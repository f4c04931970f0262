#include "ptx/aliases.h"

#include <string>

#include "ptx/symbols.h"

namespace emulator::ptx {
namespace {

std::uint32_t read_function_name(Reading& reading) {
  const Token name = reading.tokens.expect_identifier("the name of a function");
  const Meaning* const meaning = reading.names.find(name.text);
  const auto* const named = meaning == nullptr ? nullptr : std::get_if<NamedSymbol>(meaning);
  if (named == nullptr || named->symbol.where != Symbol::Where::function) {
    throw Error(name.where, in_quotes(name) + " is not a function");
  }
  return named->symbol.index;
}

}  // namespace

void Aliases::read(Reading& reading) {
  const Location where = reading.tokens.peek().where;
  const std::uint32_t alias = read_function_name(reading);
  reading.tokens.expect(",");
  const std::uint32_t function = read_function_name(reading);
  reading.tokens.expect(";");
  if (!targets_.emplace(alias, Target{function, where}).second) {
    throw Error(where, in_quotes(reading.module.functions[alias].name) + " is already an alias");
  }
}

void Aliases::resolve(Module& module) const {
  if (targets_.empty()) return;
  std::unordered_map<std::string, std::string> names;
  for (const auto& [alias, target] : targets_) {
    const Function& own = module.functions[alias];
    const Function& function = module.functions[target.function];
    if (own.defined) throw Error(target.where, in_quotes(own.name) + " is an alias but has a body");
    if (!function.defined) {
      throw Error(target.where, in_quotes(own.name) + " is an alias of " +
                                    in_quotes(function.name) + ", which has no body");
    }
    names.emplace(own.name, function.name);
  }
  const auto change = [this](Symbol& symbol) {
    if (symbol.where != Symbol::Where::function) return;
    const auto found = targets_.find(symbol.index);
    if (found != targets_.end()) symbol.index = found->second.function;
  };
  for (Function& function : module.functions) {
    for (Instruction& instruction : function.body) {
      for (Operand& operand : instruction.operands) change_symbols(operand, change);
    }
  }
  for (Variable& variable : module.variables) {
    for (Relocation& relocation : variable.relocations) {
      const auto found = names.find(relocation.symbol);
      if (found != names.end()) relocation.symbol = found->second;
    }
  }
}

}  // namespace emulator::ptx
