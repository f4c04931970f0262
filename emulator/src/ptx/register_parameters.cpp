#include "ptx/register_parameters.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace emulator::ptx {
namespace {

Operand register_operand(Register place, Location where) { return {place, false, where}; }

Register new_register(Reading& reading, Function& function, std::string name, Type type,
                      Location where) {
  Allowance::spend(reading.allowance.registers, 1, where, "registers");
  const Register place{static_cast<std::uint32_t>(function.registers.size())};
  function.registers.push_back({std::move(name), type});
  return place;
}

// An instruction that nobody wrote: messages name what it was made for.
Instruction made_for(Opcode opcode, Type type, Location where, const std::string& text) {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.types = {type};
  instruction.where = where;
  instruction.text = text;
  return instruction;
}

Instruction word_from_predicate(Register word, const Operand& predicate, const std::string& text) {
  const Location where = predicate.where;
  Instruction select = made_for(Opcode::selp, kPredicateWord, where, text);
  const auto number = [&](std::uint64_t bits) {
    return Operand{Immediate{bits, Immediate::Form::integer}, false, where};
  };
  select.operands = {register_operand(word, where), number(1), number(0), predicate};
  return select;
}

Instruction predicate_from_word(Register word, const Operand& predicate, const std::string& text) {
  const Location where = predicate.where;
  Instruction compare = made_for(Opcode::setp, kPredicateWord, where, text);
  compare.modifiers = {Modifier::ne};
  compare.operands = {predicate, register_operand(word, where),
                      Operand{Immediate{0, Immediate::Form::integer}, false, where}};
  return compare;
}

// What brings one parameter from its variable to its register, or there from the register.
class Parameter {
 public:
  Parameter(Reading& reading, Function& function, const Declared& declared, Symbol variable)
      : reading_(reading), function_(function), declared_(declared), variable_(variable) {}

  void move(Register place, std::vector<Instruction>& moves) {
    const Operand value = register_operand(place, declared_.name.where);
    if (!declared_.is_predicate) return moves.push_back(transfer(value));
    const Register word = new_register(reading_, function_, declared_.variable.name, kPredicateWord,
                                       declared_.name.where);
    if (comes_in()) {
      moves.push_back(transfer(register_operand(word, declared_.name.where)));
      moves.push_back(predicate_from_word(word, value, text()));
    } else {
      moves.push_back(word_from_predicate(word, value, text()));
      moves.push_back(transfer(register_operand(word, declared_.name.where)));
    }
  }

 private:
  [[nodiscard]] bool comes_in() const { return variable_.where == Symbol::Where::parameter; }
  [[nodiscard]] std::string text() const { return "parameter " + declared_.variable.name; }

  [[nodiscard]] Instruction transfer(const Operand& value) const {
    Instruction move = made_for(comes_in() ? Opcode::ld : Opcode::st, declared_.variable.type,
                                declared_.name.where, text());
    const Operand variable{Address{variable_, 0}, false, declared_.name.where};
    move.space = Space::param;
    move.names_space = true;
    move.operands = comes_in() ? std::vector{value, variable} : std::vector{variable, value};
    return move;
  }

  Reading& reading_;
  Function& function_;
  const Declared& declared_;
  Symbol variable_;
};

}  // namespace

std::vector<Instruction> name_registers(Reading& reading, Function& function,
                                        const std::vector<Declared>& parameters,
                                        Symbol::Where where) {
  std::vector<Instruction> moves;
  std::uint32_t index = 0;
  for (const Declared& declared : parameters) {
    const std::uint32_t first = std::exchange(index, index + declared.components);
    if (!declared.in_register) continue;
    const Type type = declared.is_predicate ? Type::pred : declared.variable.type;
    const auto place = static_cast<std::uint32_t>(function.registers.size());
    const Meaning meaning = declared.components > 1
                                ? Meaning(VectorRegister{place, declared.components})
                                : Meaning(Register{place});
    if (!reading.names.add(declared.name.text, meaning)) {
      throw Error(declared.name.where, in_quotes(declared.name) + " is already defined");
    }
    for (std::uint32_t i = 0; i < declared.components; ++i) {
      static_cast<void>(
          new_register(reading, function, declared.variable.name, type, declared.name.where));
    }
    for (std::uint32_t i = 0; i < declared.components; ++i) {
      Parameter(reading, function, declared, {where, first + i}).move({place + i}, moves);
    }
  }
  return moves;
}

void add_call(Reading& reading, Function& function, Instruction call) {
  std::vector<Instruction> before;
  std::vector<Instruction> after;
  // Puts words in the place of the list's predicates, and what `move` makes of each pair to
  // `moves`.
  const auto replace = [&](Operand& list, auto move, std::vector<Instruction>& moves) {
    for (Operand& operand : std::get<Vector>(list.value).elements) {
      const auto* const place = std::get_if<Register>(&operand.value);
      if (place == nullptr || function.registers[place->index].type != Type::pred) continue;
      const Register word = new_register(reading, function, function.registers[place->index].name,
                                         kPredicateWord, operand.where);
      moves.push_back(move(word, operand, call.text));
      moves.back().guard = call.guard;
      operand = register_operand(word, operand.where);
    }
  };
  replace(call.operands.front(), predicate_from_word, after);
  replace(call.operands.back(), word_from_predicate, before);
  std::ranges::move(before, std::back_inserter(function.body));
  function.body.push_back(std::move(call));
  std::ranges::move(after, std::back_inserter(function.body));
}

}  // namespace emulator::ptx
