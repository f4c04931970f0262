#include "ptx/function_bodies.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ptx/constants.h"
#include "ptx/debug_directives.h"
#include "ptx/dotted_words.h"
#include "ptx/instructions.h"
#include "ptx/labels.h"
#include "ptx/local_declarations.h"
#include "ptx/opcode_facts.h"
#include "ptx/operands.h"
#include "ptx/register_parameters.h"
#include "ptx/skipped.h"

namespace emulator::ptx {
namespace {

class BodyReader {
 public:
  BodyReader(Reading& reading, Function& function, const std::vector<Instruction>& before_return)
      : reading_(reading),
        tokens_(reading.tokens),
        function_(function),
        before_return_(before_return) {}

  void read() {
    do {
      read_statement();
    } while (!open_braces_.empty());
    leave_results(std::nullopt);  // the end of the body returns too
    bind_labels();
  }

 private:
  void read_statement() {
    const Token& next = tokens_.peek();
    switch (next.kind) {
      case TokenKind::dotted:
        return read_directive();
      case TokenKind::identifier:
        if (tokens_.peek_second().text == ":" &&
            tokens_.peek_second().kind == TokenKind::punctuation) {
          return read_label();
        }
        return read_one_instruction();
      case TokenKind::end:
        throw Error(open_braces_.back(), "'{' is not closed");
      default:
        break;
    }
    if (tokens_.at("{")) return open_scope();
    if (tokens_.at("}")) return close_scope();
    if (tokens_.at("@")) return read_one_instruction();
    tokens_.fail_expecting("a statement");
  }

  // Scopes are counted rather than recursed into: their depth is the text's choice.
  void open_scope() {
    // The outermost braces open no scope of names: what they hold lies in one with the parameters.
    if (!open_braces_.empty()) reading_.names.open_scope();
    open_braces_.push_back(tokens_.take().where);
    labels_.open_scope();
  }

  void close_scope() {
    tokens_.take();
    open_braces_.pop_back();
    if (!open_braces_.empty()) reading_.names.close_scope();
    labels_.close_scope();
  }

  void read_one_instruction() {
    const auto index = static_cast<std::uint32_t>(function_.body.size());
    Instruction instruction = read_instruction(reading_, labels_, index);
    require_predicate(instruction);
    if (instruction.opcode == Opcode::ret) leave_results(instruction.guard);
    if (instruction.opcode == Opcode::call) return add_call(reading_, function_, instruction);
    take_space_of_variable(instruction);
    function_.body.push_back(std::move(instruction));
  }

  void require_predicate(const Instruction& instruction) const {
    if (!instruction.guard) return;
    if (function_.registers[instruction.guard->predicate.index].type == Type::pred) return;
    throw Error(instruction.where,
                "the guard is no predicate register in '" + instruction.text + "'");
  }

  // ld.u32 %r1, [variable] names no state space, and means the one that the variable lies in.
  void take_space_of_variable(Instruction& instruction) const {
    constexpr std::array kAccesses = {Effect::loads, Effect::stores, Effect::updates,
                                      Effect::mbarrier, Effect::fragments};
    const Effect effect = facts_of(instruction.opcode).effect;
    if (instruction.names_space || std::ranges::find(kAccesses, effect) == kAccesses.end()) return;
    for (const Operand& operand : instruction.operands) {
      const auto* const address = std::get_if<Address>(&operand.value);
      const auto* const symbol = address == nullptr ? nullptr : std::get_if<Symbol>(&address->base);
      if (symbol == nullptr) continue;
      if (symbol->where == Symbol::Where::module_variable) {
        instruction.space = reading_.module.variables[symbol->index].space;
      } else if (symbol->where == Symbol::Where::local_variable) {
        instruction.space = function_.variables[symbol->index].space;
      }
    }
  }

  void leave_results(const std::optional<Guard>& guard) {
    for (Instruction move : before_return_) {
      move.guard = guard;
      function_.body.push_back(std::move(move));
    }
  }

  void read_directive() {
    const Token word = tokens_.take();
    if (word.text == "loc") return static_cast<void>(read_loc(tokens_));
    if (word.text == "pragma") return skip_pragma(tokens_);
    if (word.text == "file") return static_cast<void>(read_file(tokens_));
    if (word.text == "reg") return declare_registers(reading_, function_);
    const auto space = space_of(word.text);
    if (!space) throw Error(word.where, "unknown directive " + in_quotes(word) + " in a function");
    declare_local_variables(reading_, function_, space->space);
  }

  void read_label() {
    const Token name = tokens_.take();
    tokens_.take();
    if (!reading_.names.add(name.text, LabelName{})) {
      throw Error(name.where, in_quotes(name) + " is already defined");
    }
    if (tokens_.take_if_dotted("branchtargets")) return read_branch_targets(name);
    if (tokens_.take_if_dotted("calltargets")) return read_call_targets(name);
    if (tokens_.take_if_dotted("callprototype")) return read_prototype(name);
    const auto target = static_cast<std::uint32_t>(function_.body.size());
    labels_.define(name.text, {LabelKind::code, target});
  }

  void read_branch_targets(const Token& name) {
    const auto list = static_cast<std::uint32_t>(target_lists_.size());
    labels_.define(name.text, {LabelKind::branch_targets, list});
    Vector targets;
    do {
      const Token target = tokens_.expect_identifier("a label");
      const auto element = static_cast<std::uint32_t>(targets.elements.size());
      labels_.use(target, {LabelKind::code, LabelUse::Holder::target_list, list, element});
      targets.elements.push_back({LabelReference{0}, false, target.where});
    } while (tokens_.take_if(","));
    tokens_.expect(";");
    target_lists_.push_back(std::move(targets));
  }

  // Neither the targets nor the signature of an indirect call are kept: the register says what is
  // called.
  void read_call_targets(const Token& name) {
    labels_.define(name.text, {LabelKind::call_targets, 0});
    do {
      const Token target = tokens_.peek();
      const Operand operand = read_operand(reading_);
      const auto* const symbol = std::get_if<Symbol>(&operand.value);
      if (symbol == nullptr || symbol->where != Symbol::Where::function) {
        throw Error(target.where, in_quotes(target) + " is not a function");
      }
    } while (tokens_.take_if(","));
    tokens_.expect(";");
  }

  void read_prototype(const Token& name) {
    labels_.define(name.text, {LabelKind::call_targets, 0});
    skip_prototype(reading_);
  }

  // Targets of lists first, since each brx gets a copy of its list.
  void bind_labels() {
    for (const Labels::Bound& bound : labels_.bound()) {
      if (bound.use.wanted != LabelKind::code) continue;
      operand_of(bound.use).value = LabelReference{bound.target};
    }
    for (const Labels::Bound& bound : labels_.bound()) {
      if (bound.use.wanted != LabelKind::branch_targets) continue;
      const Vector& targets = target_lists_[bound.target];
      Operand& operand = operand_of(bound.use);
      Allowance::spend(reading_.allowance.branch_targets, targets.elements.size(), operand.where,
                       "branch targets");
      operand.value = targets;
    }
  }

  Operand& operand_of(const LabelUse& use) {
    if (use.holder == LabelUse::Holder::target_list) {
      return target_lists_[use.index].elements[use.element];
    }
    return function_.body[use.index].operands[use.element];
  }

  Reading& reading_;
  TokenStream& tokens_;
  Function& function_;
  const std::vector<Instruction>& before_return_;
  Labels labels_;
  std::vector<Vector> target_lists_;  // of .branchtargets
  std::vector<Location> open_braces_;
};

}  // namespace

void read_body(Reading& reading, Function& function,
               const std::vector<Instruction>& before_return) {
  BodyReader(reading, function, before_return).read();
}

}  // namespace emulator::ptx
