#include "ptx/instructions.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "ptx/dotted_words.h"
#include "ptx/opcode_facts.h"
#include "ptx/operands.h"

namespace emulator::ptx {
namespace {

// Whether there is room for one more.
bool add_space(Instruction& instruction, SpaceWord word) {
  instruction.cluster_shared = instruction.cluster_shared || word.cluster;
  instruction.cta_shared = instruction.cta_shared || word.cta;
  if (!instruction.names_space) {
    instruction.names_space = true;
    instruction.space = word.space;
  } else if (instruction.second_space == Space::generic) {
    instruction.second_space = word.space;
  } else {
    return false;
  }
  return true;
}

// How many it takes, with the words it has.
OperandRule::Range operands_of(const Instruction& instruction) {
  const OperandRule& rule = facts_of(instruction.opcode).operands;
  OperandRule::Range range = rule.range;
  for (const auto& form : rule.forms) {
    if (!form || !instruction.has(form->word)) continue;
    range = form->range;
    break;
  }
  for (const std::optional<Modifier>& word : rule.one_more_each) {
    if (!word || !instruction.has(*word)) continue;
    ++range.fewest;
    ++range.most;
  }
  return range;
}

void require_operands(const Instruction& instruction) {
  const auto [fewest, most] = operands_of(instruction);
  const std::size_t given = instruction.operands.size();
  if (given >= fewest && given <= most) return;
  const std::string wanted =
      (fewest == most ? "" : std::to_string(fewest) + " to ") + std::to_string(most);
  throw Error(instruction.where, "'" + instruction.text + "' takes " + wanted +
                                     (most == 1 ? " operand" : " operands") + ", and has " +
                                     std::to_string(given));
}

class InstructionReader {
 public:
  InstructionReader(Reading& reading, Labels& labels, std::uint32_t index)
      : reading_(reading), tokens_(reading.tokens), labels_(labels), index_(index) {}

  Instruction read() {
    begin_ = tokens_.peek().begin;
    const Location where = tokens_.peek().where;
    const std::optional<Guard> guard = read_guard();
    const Token name = tokens_.expect_identifier("an instruction");
    const std::optional<Opcode> opcode = opcode_of(name.text);
    if (!opcode) refuse(name, "unknown opcode");
    instruction_.opcode = *opcode;
    instruction_.guard = guard;
    instruction_.where = where;
    while (tokens_.peek().kind == TokenKind::dotted) add_word(tokens_.take());
    read_operands();
    if (!tokens_.at(";")) {
      tokens_.fail_expecting(instruction_.operands.empty() ? "an operand or ';'" : "',' or ';'");
    }
    const Token end = tokens_.take();
    instruction_.text = tokens_.folded(begin_, end.begin);
    require_operands(instruction_);
    // What is added to is what is written: the tree has it as a source as well, the last one.
    if (instruction_.opcode == Opcode::wgmma && instruction_.has(Modifier::mma_async)) {
      add(Operand(instruction_.operands.front()));
    }
    return std::move(instruction_);
  }

 private:
  void add_word(const Token& token) {
    if (const auto type = type_of(token.text)) {
      instruction_.types.push_back(*type);
    } else if (const auto space = space_of(token.text)) {
      if (!add_space(instruction_, *space)) refuse(token, "a third state space");
    } else if (const auto width = vector_width_of(token.text)) {
      instruction_.vector_width = *width;
    } else if (const auto modifier = modifier_of(token.text)) {
      instruction_.modifiers.push_back(*modifier);
    } else {
      refuse(token, "unknown modifier");
    }
  }

  // Names the instruction as well, up to its end, or to where the text is none.
  [[noreturn]] void refuse(const Token& token, const std::string& what) {
    std::size_t end = token.end;
    try {
      while (tokens_.peek().kind != TokenKind::end && !tokens_.at(";")) end = tokens_.take().end;
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): what is wrong there comes later
    }
    throw Error(token.where,
                what + " " + in_quotes(token) + " in " + in_quotes(tokens_.folded(begin_, end)));
  }

  std::optional<Guard> read_guard() {
    if (!tokens_.take_if("@")) return std::nullopt;
    const bool negated = tokens_.take_if("!");
    const Token name = tokens_.expect_identifier("a predicate register");
    return Guard{find_register(reading_, name), negated};
  }

  void read_operands() {
    if (tokens_.at(";") && instruction_.opcode != Opcode::call) return;
    switch (instruction_.opcode) {
      case Opcode::bra:
        return read_label(LabelKind::code);
      case Opcode::brx:
        add(read_operand(reading_));
        tokens_.expect(",");
        return read_label(LabelKind::branch_targets);
      case Opcode::call:
        return read_call();
      default:
        break;
    }
    do {
      add(read_operand(reading_));
    } while (tokens_.take_if(","));
  }

  void add(Operand operand) { instruction_.operands.push_back(std::move(operand)); }

  void read_label(LabelKind wanted) {
    const Token name = tokens_.expect_identifier("a label");
    const auto element = static_cast<std::uint32_t>(instruction_.operands.size());
    labels_.use(name, {wanted, LabelUse::Holder::instruction, index_, element});
    add({LabelReference{0}, false, name.where});
  }

  // (returns), function, (arguments), prototype: all but the function may be absent.
  void read_call() {
    const bool has_returns = tokens_.at("(");
    add(read_optional_list());
    if (has_returns) tokens_.expect(",");
    const Location where = tokens_.peek().where;
    Operand callee = read_operand(reading_);
    const auto* const symbol = std::get_if<Symbol>(&callee.value);
    const bool is_function = symbol != nullptr && symbol->where == Symbol::Where::function;
    if (!is_function && !std::holds_alternative<Register>(callee.value)) {
      throw Error(where, "what is called has to be a function or a register");
    }
    add(std::move(callee));
    bool more = tokens_.take_if(",");
    const bool has_arguments = more && tokens_.at("(");
    add(has_arguments ? read_optional_list() : Operand{Vector{}, false, tokens_.peek().where});
    if (has_arguments) more = tokens_.take_if(",");
    if (!more) return;
    const Token prototype = tokens_.expect_identifier("a prototype");
    labels_.use(prototype, {LabelKind::call_targets, LabelUse::Holder::none, 0, 0});
  }

  Operand read_optional_list() {
    const Location where = tokens_.peek().where;
    if (!tokens_.take_if("(")) return {Vector{}, false, where};
    return without_nesting(read_list(reading_, ")", where));
  }

  // A vector register is handed over component by component, as it is taken (declarations.h).
  static Operand without_nesting(Operand list) {
    Vector flat;
    for (Operand& element : std::get<Vector>(list.value).elements) {
      auto* const vector = std::get_if<Vector>(&element.value);
      if (vector == nullptr) {
        flat.elements.push_back(std::move(element));
      } else {
        std::ranges::move(vector->elements, std::back_inserter(flat.elements));
      }
    }
    list.value = std::move(flat);
    return list;
  }

  Reading& reading_;
  TokenStream& tokens_;
  Labels& labels_;
  std::uint32_t index_;
  std::size_t begin_ = 0;  // where its text begins
  Instruction instruction_{};
};

}  // namespace

Instruction read_instruction(Reading& reading, Labels& labels, std::uint32_t index) {
  return InstructionReader(reading, labels, index).read();
}

}  // namespace emulator::ptx
