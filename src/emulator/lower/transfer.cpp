#include "emulator/lower/transfer.h"

#include <algorithm>
#include <bit>
#include <variant>

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

unsigned width(const Instruction& instruction) {
  return std::max(ptx::bits(instruction.type()), 1U);
}

Form combine(const Form& a, const Form& b) {
  if (a.kind == Form::Kind::unset || b.kind == Form::Kind::unset) return {};
  return a.is_uniform() && b.is_uniform() ? Form::uniform(64) : Form::any();
}

// Uniform where every source is.
Form elementwise(const TransferContext& context, const Instruction& instruction) {
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
  if (result.kind != Form::Kind::affine) return result;
  return Form::uniform(width(instruction));
}

Form loaded(const TransferContext& context, const Instruction& instruction) {
  const auto* address = std::get_if<ptx::Address>(&instruction.operands.at(1).value);
  if (address == nullptr) return Form::any();
  const auto* symbol = std::get_if<ptx::Symbol>(&address->base);
  // Slots of a call's arguments and results hold a value per lane, as does local memory.
  const bool call_slot = symbol != nullptr && instruction.space == Space::param &&
                         symbol->where == ptx::Symbol::Where::local_variable;
  if (call_slot || instruction.space == Space::local) return Form::any();
  if (const auto* base = std::get_if<ptx::Register>(&address->base)) {
    const Form& form = context.forms[base->index];
    if (form.kind == Form::Kind::unset) return {};
    if (!form.is_uniform()) return Form::any();
  }
  const Type type = instruction.type();
  const unsigned bits = ptx::bits(type);
  if (bits >= 64 || ptx::is_signed(type)) return Form::uniform(std::min(bits, 64U));
  return Form::uniform(Range{0, (std::int64_t{1} << bits) - 1});  // zero-extended
}

// What a generic address is made of: an offset into a window of the warp's, or the address itself.
Form converted_address(const TransferContext& context, const Instruction& instruction) {
  const Form source = form_of(context, instruction.operands.at(1), 64);
  if (source.kind == Form::Kind::unset) return source;
  switch (instruction.space) {
    case Space::shared:
      return add(source, Form::uniform(64), 64);
    case Space::local: {
      Form frames = Form::uniform(64);
      for (std::size_t lane = 0; lane < frames.offset.size(); ++lane) {
        frames.offset[lane] = static_cast<std::int64_t>(lane * context.layout.local_stride);
      }
      return instruction.has(Modifier::to) ? subtract(source, frames, 64) : add(source, frames, 64);
    }
    default:
      return source;
  }
}

Form converted(const TransferContext& context, const Instruction& instruction) {
  const Type to = instruction.types.at(0);
  const Type from = instruction.types.size() > 1 ? instruction.types[1] : to;
  if (ptx::is_float(to) || ptx::is_float(from) || instruction.has(Modifier::sat)) {
    return elementwise(context, instruction);
  }
  const Form source =
      truncate(form_of(context, instruction.operands.at(1), ptx::bits(from)), ptx::bits(from));
  if (ptx::bits(to) < ptx::bits(from)) return truncate(source, ptx::bits(to));
  return extend(source, ptx::bits(from), ptx::bits(to), ptx::is_signed(from));
}

Form moved(const TransferContext& context, const Instruction& instruction) {
  const Operand& source = instruction.operands.at(1);
  const bool packs = std::holds_alternative<ptx::Vector>(source.value) ||
                     std::holds_alternative<ptx::Vector>(instruction.operands[0].value);
  return packs ? elementwise(context, instruction) : form_of(context, source, width(instruction));
}

// One result for all lanes that name the same members.
Form among_members(const TransferContext& context, const Instruction& instruction) {
  constexpr std::size_t kMembers = 2;
  if (instruction.operands.size() <= kMembers) return Form::uniform(32);
  const Form members = form_of(context, instruction.operands[kMembers], 32);
  if (members.kind == Form::Kind::unset) return {};
  return members.is_uniform() ? Form::uniform(32) : Form::any();
}

Form selected(const TransferContext& context, const Instruction& instruction) {
  const Form a = form_of(context, instruction.operands.at(1), width(instruction));
  const Form b = form_of(context, instruction.operands.at(2), width(instruction));
  const Form predicate = form_of(context, instruction.operands.at(3), 1);
  if (predicate.kind == Form::Kind::unset) return {};
  if (!predicate.is_uniform()) return Form::any();
  return join(a, b);
}

Form multiplied(const TransferContext& context, const Instruction& instruction) {
  const unsigned bits = width(instruction);
  Form a = form_of(context, instruction.operands.at(1), bits);
  Form b = form_of(context, instruction.operands.at(2), bits);
  unsigned result_bits = bits;
  if (instruction.has(Modifier::wide)) {
    result_bits = 2 * bits;
    const bool is_signed = ptx::is_signed(instruction.type());
    a = extend(a, bits, result_bits, is_signed);
    b = extend(b, bits, result_bits, is_signed);
  } else if (!instruction.has(Modifier::lo)) {
    return elementwise(context, instruction);
  }
  const Form product = multiply(a, b, result_bits);
  if (instruction.opcode == Opcode::mul) return product;
  return add(product, form_of(context, instruction.operands.at(3), result_bits), result_bits);
}

Form form_of_result(const TransferContext& context, const Instruction& instruction) {
  const auto operand = [&](std::size_t i) {
    return form_of(context, instruction.operands.at(i), width(instruction));
  };
  const unsigned bits = width(instruction);
  const bool integer = !ptx::is_float(instruction.type());
  const bool plain = integer && !instruction.has(Modifier::sat) && !instruction.has(Modifier::cc);
  switch (instruction.opcode) {
    case Opcode::mov:
      return moved(context, instruction);
    case Opcode::cvta:
      return converted_address(context, instruction);
    case Opcode::cvt:
      return converted(context, instruction);
    case Opcode::add:
      if (plain) return add(operand(1), operand(2), bits);
      break;
    case Opcode::sub:
      if (plain) return subtract(operand(1), operand(2), bits);
      break;
    case Opcode::mul:
    case Opcode::mad:
      if (plain) return multiplied(context, instruction);
      break;
    case Opcode::shl:
      return shift_left(operand(1), form_of(context, instruction.operands.at(2), 32), bits);
    case Opcode::shr:
      return shift_right(operand(1), form_of(context, instruction.operands.at(2), 32), bits,
                         ptx::is_signed(instruction.type()));
    case Opcode::and_:
      if (bits > 1) return bit_and(operand(1), operand(2), bits);
      break;
    case Opcode::or_:
      if (bits > 1) return bit_or(operand(1), operand(2), bits);
      break;
    case Opcode::selp:
      return selected(context, instruction);
    case Opcode::ld:
    case Opcode::ldu:
      return loaded(context, instruction);
    case Opcode::vote:
    case Opcode::redux:
      return among_members(context, instruction);
    case Opcode::activemask:
      return Form::uniform(32);
    case Opcode::atom:
    case Opcode::shfl:
    case Opcode::match:
    case Opcode::call:
    case Opcode::ldmatrix:
    case Opcode::movmatrix:
    case Opcode::mma:
    case Opcode::wmma:
    case Opcode::wgmma:
    case Opcode::elect:
    case Opcode::mbarrier:
    case Opcode::addc:
    case Opcode::subc:
    case Opcode::madc:
      return Form::any();
    case Opcode::bar:
    case Opcode::barrier:
      return Form::uniform(32);
    default:
      break;
  }
  return elementwise(context, instruction);
}

}  // namespace

Form form_of(const TransferContext& context, const Operand& operand, unsigned bits) {
  if (const auto* reg = std::get_if<ptx::Register>(&operand.value)) {
    if (operand.negated) return combine(context.forms[reg->index], Form::constant(0));
    return context.forms[reg->index];
  }
  if (const auto* immediate = std::get_if<ptx::Immediate>(&operand.value)) {
    auto value = static_cast<std::int64_t>(immediate->bits);
    if (operand.negated) return Form::uniform(bits);
    return truncate(Form::constant(value), std::max(bits, 1U));
  }
  if (const auto* special = std::get_if<ptx::SpecialRegister>(&operand.value)) {
    return form_of(*special, context.shape);
  }
  if (const auto* symbol = std::get_if<ptx::Symbol>(&operand.value)) {
    const auto address = address_of(context.module, context.function, context.layout,
                                    context.symbols, *symbol, operand.where);
    if (address) return Form::constant(static_cast<std::int64_t>(*address));
    if (linked_variable(context.module, *symbol) != nullptr) {
      return Form::uniform(full_range(64), std::countr_zero(runtime::kAllocationAlignment));
    }
  }
  if (const auto* address = std::get_if<ptx::Address>(&operand.value)) {
    if (const auto* base = std::get_if<ptx::Register>(&address->base)) {
      const unsigned width = ptx::bits(context.function.registers[base->index].type);
      return add(context.forms[base->index], Form::constant(address->offset), width);
    }
  }
  return Form::uniform(64);  // sinks, labels, addresses known only when the kernel runs
}

Form result_form(const TransferContext& context, const Instruction& instruction) {
  const Form form = form_of_result(context, instruction);
  // What may differ from lane to lane is one value for a thread.
  return context.shape.by_thread() && form.is_vector() ? Form::uniform(64) : form;
}

}  // namespace emulator::lower
