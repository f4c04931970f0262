#include "lower/data_flow.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <optional>
#include <variant>

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

// What an instruction gives, as a value of so many bits: a register of another width gets it cut
// off or extended.
struct Result {
  Form form;
  unsigned bits;
};

unsigned width_of(Type type) { return std::max(ptx::bits(type), 1U); }
unsigned width(const Instruction& instruction) { return width_of(instruction.type()); }

// Of these the arithmetic below is that of the numbers that forms are of.
bool is_integer(Type type) {
  switch (type) {
    case Type::b8:
    case Type::b16:
    case Type::b32:
    case Type::b64:
    case Type::u8:
    case Type::u16:
    case Type::u32:
    case Type::u64:
    case Type::s8:
    case Type::s16:
    case Type::s32:
    case Type::s64:
      return true;
    default:
      return false;
  }
}

// Any number, the same in all lanes where the form is.
Form any_number(const Form& form) {
  if (form.kind == Form::Kind::unset) return {};
  return form.is_uniform() ? Form::uniform(64) : Form::any();
}
Form combine(const Form& a, const Form& b) {
  if (a.kind == Form::Kind::unset || b.kind == Form::Kind::unset) return {};
  return a.is_uniform() && b.is_uniform() ? Form::uniform(64) : Form::any();
}

// Integers whose sums wrap, without a carry: what is known of numbers holds of them.
bool is_plain(const Instruction& instruction) {
  return is_integer(instruction.type()) && !instruction.has(Modifier::sat) &&
         !instruction.has(Modifier::cc);
}

Form source(const TransferContext& context, const Instruction& instruction, std::size_t i) {
  return form_of(context, instruction.operands.at(i), width(instruction));
}
Form amount(const TransferContext& context, const Instruction& instruction) {
  return form_of(context, instruction.operands.at(2), 32);
}

// What opcodes.def calls the values of results.
namespace values {

// Uniform where every source is; nothing is claimed of the number.
Result from_sources(const TransferContext& context, const Instruction& instruction) {
  Form result = Form::uniform(64);
  for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    if (const auto* vector = std::get_if<ptx::Vector>(&operand.value)) {
      for (const Operand& element : vector->elements)
        result = combine(result, form_of(context, element, 64));
    } else {
      result = combine(result, form_of(context, operand, 64));
    }
  }
  return {result, 64};
}

Result loaded(const TransferContext& context, const Instruction& instruction) {
  const Result unknown{Form::any(), 64};
  const auto* address = std::get_if<ptx::Address>(&instruction.operands.at(1).value);
  if (address == nullptr) return unknown;
  const auto* symbol = std::get_if<ptx::Symbol>(&address->base);
  // Slots of a call's arguments and results hold a value per lane, as does local memory.
  const bool call_slot = symbol != nullptr && instruction.space == Space::param &&
                         symbol->where == ptx::Symbol::Where::local_variable;
  if (call_slot || instruction.space == Space::local) return unknown;
  if (const auto* base = std::get_if<ptx::Register>(&address->base)) {
    const Form& form = context.forms[base->index];
    if (form.kind == Form::Kind::unset) return {{}, 64};
    if (!form.is_uniform()) return unknown;
  }
  // Extended to any width as the type says.
  const Type type = instruction.type();
  const unsigned bits = ptx::bits(type);
  if (bits >= 64 || ptx::is_signed(type)) return {Form::uniform(std::min(bits, 64U)), 64};
  return {Form::uniform(Range{0, (std::int64_t{1} << bits) - 1}), 64};
}

// What a generic address is made of: an offset into a window of the warp's, or the address itself.
Result generic_address(const TransferContext& context, const Instruction& instruction) {
  const Form source = form_of(context, instruction.operands.at(1), 64);
  if (source.kind == Form::Kind::unset) return {{}, 64};
  switch (instruction.space) {
    case Space::shared:
      return {add(source, Form::uniform(64), 64), 64};
    case Space::local: {
      Form frames = Form::uniform(64);
      for (std::size_t lane = 0; lane < frames.offset.size(); ++lane) {
        frames.offset[lane] = static_cast<std::int64_t>(lane * context.layout.local_stride);
      }
      const bool to = instruction.has(Modifier::to);
      return {to ? subtract(source, frames, 64) : add(source, frames, 64), 64};
    }
    default:
      return {source, 64};
  }
}

Result converted(const TransferContext& context, const Instruction& instruction) {
  const Type to = instruction.types.at(0);
  const Type from = instruction.types.size() > 1 ? instruction.types[1] : to;
  if (!is_integer(to) || !is_integer(from) || instruction.has(Modifier::sat)) {
    return from_sources(context, instruction);
  }
  const Extension how = ptx::is_signed(from) ? Extension::sign : Extension::zeros;
  const Form source = form_of(context, instruction.operands.at(1), ptx::bits(from));
  return {resize(source, ptx::bits(from), ptx::bits(to), how), ptx::bits(to)};
}

Result moved(const TransferContext& context, const Instruction& instruction) {
  const Operand& source = instruction.operands.at(1);
  const bool packs = std::holds_alternative<ptx::Vector>(source.value) ||
                     std::holds_alternative<ptx::Vector>(instruction.operands[0].value);
  const unsigned bits = width(instruction);
  if (packs || bits > 64) return from_sources(context, instruction);
  return {form_of(context, source, bits), bits};
}

// One result for all lanes that name the same members.
Result among_members(const TransferContext& context, const Instruction& instruction) {
  constexpr std::size_t kMembers = 2;
  if (instruction.operands.size() <= kMembers) return {Form::uniform(64), 64};
  return {any_number(form_of(context, instruction.operands[kMembers], 32)), 64};
}

Result selected(const TransferContext& context, const Instruction& instruction) {
  const unsigned bits = width(instruction);
  const Form a = form_of(context, instruction.operands.at(1), bits);
  const Form b = form_of(context, instruction.operands.at(2), bits);
  const Form predicate = form_of(context, instruction.operands.at(3), 1);
  if (predicate.kind == Form::Kind::unset) return {{}, bits};
  return {predicate.is_uniform() ? join(a, b) : Form::any(), bits};
}

bool is_known_product(const Instruction& instruction) {
  return is_plain(instruction) &&
         (instruction.has(Modifier::wide) || instruction.has(Modifier::lo));
}

Result product(const TransferContext& context, const Instruction& instruction) {
  if (!is_known_product(instruction)) return from_sources(context, instruction);
  const unsigned from = width(instruction);
  const unsigned bits = instruction.has(Modifier::wide) ? 2 * from : from;
  const Extension how = ptx::is_signed(instruction.type()) ? Extension::sign : Extension::zeros;
  const auto factor = [&](std::size_t i) {
    return resize(form_of(context, instruction.operands.at(i), from), from, bits, how);
  };
  return {multiply(factor(1), factor(2), bits), bits};
}

Result product_and_sum(const TransferContext& context, const Instruction& instruction) {
  const auto [product_form, bits] = product(context, instruction);
  if (!is_known_product(instruction)) return {product_form, bits};
  const Form addend = form_of(context, instruction.operands.at(3), bits);
  return {add(product_form, addend, bits), bits};
}

Result sum(const TransferContext& context, const Instruction& instruction) {
  if (!is_plain(instruction)) return from_sources(context, instruction);
  const unsigned bits = width(instruction);
  return {add(source(context, instruction, 1), source(context, instruction, 2), bits), bits};
}

Result difference(const TransferContext& context, const Instruction& instruction) {
  if (!is_plain(instruction)) return from_sources(context, instruction);
  const unsigned bits = width(instruction);
  return {subtract(source(context, instruction, 1), source(context, instruction, 2), bits), bits};
}

Result shifted_left(const TransferContext& context, const Instruction& instruction) {
  if (!is_integer(instruction.type())) return from_sources(context, instruction);
  const unsigned bits = width(instruction);
  return {shift_left(source(context, instruction, 1), amount(context, instruction), bits), bits};
}

Result shifted_right(const TransferContext& context, const Instruction& instruction) {
  if (!is_integer(instruction.type())) return from_sources(context, instruction);
  const unsigned bits = width(instruction);
  return {shift_right(source(context, instruction, 1), amount(context, instruction), bits,
                      ptx::is_signed(instruction.type())),
          bits};
}

Result masked(const TransferContext& context, const Instruction& instruction) {
  if (!is_integer(instruction.type())) return from_sources(context, instruction);
  const unsigned bits = width(instruction);
  return {bit_and(source(context, instruction, 1), source(context, instruction, 2), bits), bits};
}

Result merged(const TransferContext& context, const Instruction& instruction) {
  if (!is_integer(instruction.type())) return from_sources(context, instruction);
  const unsigned bits = width(instruction);
  return {bit_or(source(context, instruction, 1), source(context, instruction, 2), bits), bits};
}

// The same number in all lanes.
Result uniform(const TransferContext& /*context*/, const Instruction& /*instruction*/) {
  return {Form::uniform(64), 64};
}

// Any number in each lane.
Result unknown(const TransferContext& /*context*/, const Instruction& /*instruction*/) {
  return {Form::any(), 64};
}

}  // namespace values

Result result_of(const TransferContext& context, const Instruction& instruction) {
  using Rule = Result (*)(const TransferContext&, const Instruction&);
#define OPCODE(opcode, spelling, group, result, effect, lanes, nans, value, ...) values::value,
  static constexpr auto kRules = std::to_array<Rule>({
#include "ptx/opcodes.def"
  });
  return kRules.at(static_cast<std::size_t>(instruction.opcode))(context, instruction);
}

// The width of the first register that a destination names, if it names one.
std::optional<unsigned> width_of_first(const TransferContext& context, const Operand& destination) {
  if (const auto* reg = std::get_if<ptx::Register>(&destination.value)) {
    return width_of(context.function.registers[reg->index].type);
  }
  std::optional<unsigned> found;
  const auto look_at = [&](const std::vector<Operand>& operands) {
    for (const Operand& operand : operands) {
      if (!found) found = width_of_first(context, operand);
    }
  };
  if (const auto* vector = std::get_if<ptx::Vector>(&destination.value)) look_at(vector->elements);
  if (const auto* pair = std::get_if<ptx::Pair>(&destination.value)) look_at(pair->both);
  return found;
}

// What is in a register, and a constant, as a value of `bits`.
Form register_form(const TransferContext& context, std::uint32_t index, std::int64_t offset,
                   unsigned bits) {
  const unsigned own = width_of(context.function.registers[index].type);
  const Form& form = context.forms[index];
  return resize(offset == 0 ? form : add(form, Form::constant(offset), own), own, bits,
                Extension::zeros);
}

}  // namespace

Form form_of(const TransferContext& context, const Operand& operand, unsigned bits) {
  if (const auto* reg = std::get_if<ptx::Register>(&operand.value)) {
    const Form form = register_form(context, reg->index, 0, bits);
    return operand.negated ? truncate(any_number(form), bits) : form;
  }
  if (const auto* immediate = std::get_if<ptx::Immediate>(&operand.value)) {
    const bool number = immediate->form == ptx::Immediate::Form::integer && !operand.negated;
    return number ? truncate(Form::constant(static_cast<std::int64_t>(immediate->bits)), bits)
                  : Form::uniform(bits);
  }
  if (const auto* special = std::get_if<ptx::SpecialRegister>(&operand.value)) {
    return truncate(form_of(*special, context.shape), bits);
  }
  if (const auto* symbol = std::get_if<ptx::Symbol>(&operand.value)) {
    const auto address = address_of(context.module, context.function, context.layout,
                                    context.symbols, *symbol, operand.where);
    if (address) return truncate(Form::constant(static_cast<std::int64_t>(*address)), bits);
    if (linked_variable(context.module, *symbol) != nullptr) {
      return truncate(
          Form::uniform(full_range(64), std::countr_zero(runtime::kAllocationAlignment)), bits);
    }
  }
  if (const auto* address = std::get_if<ptx::Address>(&operand.value)) {
    if (const auto* base = std::get_if<ptx::Register>(&address->base)) {
      return register_form(context, base->index, address->offset, bits);
    }
  }
  return Form::uniform(bits);  // sinks, labels, addresses known only when the kernel runs
}

Form result_form(const TransferContext& context, const Instruction& instruction, unsigned bits) {
  const Result result = result_of(context, instruction);
  const Form form = resize(result.form, result.bits, bits, Extension::either);
  // What may differ from lane to lane is one value for a thread.
  return context.shape.by_thread() && form.is_vector() ? Form::uniform(bits) : form;
}

Form result_form(const TransferContext& context, const Instruction& instruction) {
  const auto bits = instruction.operands.empty()
                        ? std::nullopt
                        : width_of_first(context, instruction.operands.front());
  return result_form(context, instruction, bits.value_or(64));
}

}  // namespace emulator::lower
