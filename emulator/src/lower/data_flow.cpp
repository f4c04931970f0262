#include "lower/data_flow.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <optional>
#include <variant>

#include "ptx/opcode_facts.h"

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
  LaneValues lane_values;
  unsigned bits;
};

unsigned width_of(Type type) { return std::max(ptx::bits(type), 1U); }
unsigned width(const Instruction& instruction) { return width_of(instruction.type()); }

// Of these the arithmetic of lane_values.h is that of the numbers.
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

// Any number, the same in all lanes where these are.
LaneValues any_number(const LaneValues& lane_values) {
  if (lane_values.kind == LaneValues::Kind::unset) return {};
  return lane_values.is_uniform() ? LaneValues::uniform(64) : LaneValues::any();
}
LaneValues combine(const LaneValues& a, const LaneValues& b) {
  if (a.kind == LaneValues::Kind::unset || b.kind == LaneValues::Kind::unset) return {};
  return a.is_uniform() && b.is_uniform() ? LaneValues::uniform(64) : LaneValues::any();
}

// Integers whose sums wrap, without a carry: what is known of numbers holds of them.
bool is_plain(const Instruction& instruction) {
  return is_integer(instruction.type()) && !instruction.has(Modifier::sat) &&
         !instruction.has(Modifier::cc);
}

LaneValues source(const DataFlow& context, const Instruction& instruction, std::size_t i) {
  return values_of(context, instruction.operands.at(i), width(instruction));
}
LaneValues amount(const DataFlow& context, const Instruction& instruction) {
  return values_of(context, instruction.operands.at(2), 32);
}

// What opcodes.def calls the values of results.
namespace values {

// Uniform where every source is; nothing is claimed of the number.
Result from_sources(const DataFlow& context, const Instruction& instruction) {
  LaneValues result = LaneValues::uniform(64);
  for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    if (const auto* vector = std::get_if<ptx::Vector>(&operand.value)) {
      for (const Operand& element : vector->elements)
        result = combine(result, values_of(context, element, 64));
    } else {
      result = combine(result, values_of(context, operand, 64));
    }
  }
  return {result, 64};
}

Result loaded(const DataFlow& context, const Instruction& instruction) {
  const Result unknown{LaneValues::any(), 64};
  const auto* address = std::get_if<ptx::Address>(&instruction.operands.at(1).value);
  if (address == nullptr) return unknown;
  const auto* symbol = std::get_if<ptx::Symbol>(&address->base);
  // Slots of a call's arguments and results hold a value per lane, as does local memory.
  const bool call_slot = symbol != nullptr && instruction.space == Space::param &&
                         symbol->where == ptx::Symbol::Where::local_variable;
  if (call_slot || instruction.space == Space::local) return unknown;
  if (const auto* base = std::get_if<ptx::Register>(&address->base)) {
    const LaneValues& lane_values = context.register_values[base->index];
    if (lane_values.kind == LaneValues::Kind::unset) return {{}, 64};
    if (!lane_values.is_uniform()) return unknown;
  }
  // Extended to any width as the type says.
  const Type type = instruction.type();
  const unsigned bits = ptx::bits(type);
  if (bits >= 64 || ptx::is_signed(type)) return {LaneValues::uniform(std::min(bits, 64U)), 64};
  return {LaneValues::uniform(Range{0, (std::int64_t{1} << bits) - 1}), 64};
}

// What a generic address is made of: an offset into a window of the warp's, or the address itself.
Result generic_address(const DataFlow& context, const Instruction& instruction) {
  const LaneValues source = values_of(context, instruction.operands.at(1), 64);
  if (source.kind == LaneValues::Kind::unset) return {{}, 64};
  switch (instruction.space) {
    case Space::shared:
      return {add(source, LaneValues::uniform(64), 64), 64};
    case Space::local: {
      LaneValues frames = LaneValues::uniform(64);
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

Result converted(const DataFlow& context, const Instruction& instruction) {
  const Type to = instruction.types.at(0);
  const Type from = instruction.types.size() > 1 ? instruction.types[1] : to;
  if (!is_integer(to) || !is_integer(from) || instruction.has(Modifier::sat)) {
    return from_sources(context, instruction);
  }
  const Extension how = ptx::is_signed(from) ? Extension::sign : Extension::zeros;
  const LaneValues source = values_of(context, instruction.operands.at(1), ptx::bits(from));
  return {resize(source, ptx::bits(from), ptx::bits(to), how), ptx::bits(to)};
}

Result moved(const DataFlow& context, const Instruction& instruction) {
  const Operand& source = instruction.operands.at(1);
  const bool packs = std::holds_alternative<ptx::Vector>(source.value) ||
                     std::holds_alternative<ptx::Vector>(instruction.operands[0].value);
  const unsigned bits = width(instruction);
  if (packs || bits > 64) return from_sources(context, instruction);
  return {values_of(context, source, bits), bits};
}

// One result for all lanes that name the same members.
Result among_members(const DataFlow& context, const Instruction& instruction) {
  const auto members = ptx::facts_of(instruction.opcode).lanes.members;
  if (!members || instruction.operands.size() <= *members) return {LaneValues::uniform(64), 64};
  return {any_number(values_of(context, instruction.operands[*members], 32)), 64};
}

Result selected(const DataFlow& context, const Instruction& instruction) {
  const unsigned bits = width(instruction);
  const LaneValues a = values_of(context, instruction.operands.at(1), bits);
  const LaneValues b = values_of(context, instruction.operands.at(2), bits);
  const LaneValues predicate = values_of(context, instruction.operands.at(3), 1);
  if (predicate.kind == LaneValues::Kind::unset) return {{}, bits};
  return {predicate.is_uniform() ? join(a, b) : LaneValues::any(), bits};
}

bool is_known_product(const Instruction& instruction) {
  return is_plain(instruction) &&
         (instruction.has(Modifier::wide) || instruction.has(Modifier::lo));
}

Result product(const DataFlow& context, const Instruction& instruction) {
  if (!is_known_product(instruction)) return from_sources(context, instruction);
  const unsigned from = width(instruction);
  const unsigned bits = instruction.has(Modifier::wide) ? 2 * from : from;
  const Extension how = ptx::is_signed(instruction.type()) ? Extension::sign : Extension::zeros;
  const auto factor = [&](std::size_t i) {
    return resize(values_of(context, instruction.operands.at(i), from), from, bits, how);
  };
  return {multiply(factor(1), factor(2), bits), bits};
}

Result product_and_sum(const DataFlow& context, const Instruction& instruction) {
  const auto [of_product, bits] = product(context, instruction);
  if (!is_known_product(instruction)) return {of_product, bits};
  const LaneValues addend = values_of(context, instruction.operands.at(3), bits);
  return {add(of_product, addend, bits), bits};
}

Result sum(const DataFlow& context, const Instruction& instruction) {
  if (!is_plain(instruction)) return from_sources(context, instruction);
  const unsigned bits = width(instruction);
  return {add(source(context, instruction, 1), source(context, instruction, 2), bits), bits};
}

Result difference(const DataFlow& context, const Instruction& instruction) {
  if (!is_plain(instruction)) return from_sources(context, instruction);
  const unsigned bits = width(instruction);
  return {subtract(source(context, instruction, 1), source(context, instruction, 2), bits), bits};
}

Result shifted_left(const DataFlow& context, const Instruction& instruction) {
  if (!is_integer(instruction.type())) return from_sources(context, instruction);
  const unsigned bits = width(instruction);
  return {shift_left(source(context, instruction, 1), amount(context, instruction), bits), bits};
}

Result shifted_right(const DataFlow& context, const Instruction& instruction) {
  if (!is_integer(instruction.type())) return from_sources(context, instruction);
  const unsigned bits = width(instruction);
  return {shift_right(source(context, instruction, 1), amount(context, instruction), bits,
                      ptx::is_signed(instruction.type())),
          bits};
}

Result masked(const DataFlow& context, const Instruction& instruction) {
  if (!is_integer(instruction.type())) return from_sources(context, instruction);
  const unsigned bits = width(instruction);
  return {bit_and(source(context, instruction, 1), source(context, instruction, 2), bits), bits};
}

Result merged(const DataFlow& context, const Instruction& instruction) {
  if (!is_integer(instruction.type())) return from_sources(context, instruction);
  const unsigned bits = width(instruction);
  return {bit_or(source(context, instruction, 1), source(context, instruction, 2), bits), bits};
}

// The same number in all lanes.
Result uniform(const DataFlow& /*context*/, const Instruction& /*instruction*/) {
  return {LaneValues::uniform(64), 64};
}

// Any number in each lane.
Result unknown(const DataFlow& /*context*/, const Instruction& /*instruction*/) {
  return {LaneValues::any(), 64};
}

}  // namespace values

Result result_of(const DataFlow& context, const Instruction& instruction) {
  using Rule = Result (*)(const DataFlow&, const Instruction&);
#define OPCODE(opcode, spelling, operands, group, result, effect, lanes, nans, value, ...) \
  values::value,
  static constexpr auto kRules = std::to_array<Rule>({
#include "ptx/opcodes.def"
  });
  return kRules.at(static_cast<std::size_t>(instruction.opcode))(context, instruction);
}

// The width of the first register that a destination names, if it names one.
std::optional<unsigned> width_of_first(const DataFlow& context, const Operand& destination) {
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
LaneValues values_of_register(const DataFlow& context, std::uint32_t index, std::int64_t offset,
                              unsigned bits) {
  const unsigned own = width_of(context.function.registers[index].type);
  const LaneValues& lane_values = context.register_values[index];
  return resize(offset == 0 ? lane_values : add(lane_values, LaneValues::constant(offset), own),
                own, bits, Extension::zeros);
}

}  // namespace

LaneValues values_of(const DataFlow& context, const Operand& operand, unsigned bits) {
  if (const auto* reg = std::get_if<ptx::Register>(&operand.value)) {
    const LaneValues lane_values = values_of_register(context, reg->index, 0, bits);
    return operand.negated ? truncate(any_number(lane_values), bits) : lane_values;
  }
  if (const auto* immediate = std::get_if<ptx::Immediate>(&operand.value)) {
    const bool number = immediate->form == ptx::Immediate::Form::integer && !operand.negated;
    return number ? truncate(LaneValues::constant(static_cast<std::int64_t>(immediate->bits)), bits)
                  : LaneValues::uniform(bits);
  }
  if (const auto* special = std::get_if<ptx::SpecialRegister>(&operand.value)) {
    return truncate(values_of(*special, context.shape), bits);
  }
  if (const auto* symbol = std::get_if<ptx::Symbol>(&operand.value)) {
    const auto address = address_of(context.module, context.function, context.layout,
                                    context.symbols, *symbol, operand.where);
    if (address) return truncate(LaneValues::constant(static_cast<std::int64_t>(*address)), bits);
    if (linked_variable(context.module, *symbol) != nullptr) {
      return truncate(
          LaneValues::uniform(full_range(64), std::countr_zero(runtime::kAllocationAlignment)),
          bits);
    }
  }
  if (const auto* address = std::get_if<ptx::Address>(&operand.value)) {
    if (const auto* base = std::get_if<ptx::Register>(&address->base)) {
      return values_of_register(context, base->index, address->offset, bits);
    }
  }
  return LaneValues::uniform(bits);  // sinks, labels, addresses known only when the kernel runs
}

LaneValues result_values(const DataFlow& context, const Instruction& instruction, unsigned bits) {
  const Result result = result_of(context, instruction);
  const LaneValues lane_values = resize(result.lane_values, result.bits, bits, Extension::either);
  // What may differ from lane to lane is one value for a thread.
  return context.shape.by_thread() && lane_values.is_vector() ? LaneValues::uniform(bits)
                                                              : lane_values;
}

LaneValues result_values(const DataFlow& context, const Instruction& instruction) {
  const auto bits = instruction.operands.empty()
                        ? std::nullopt
                        : width_of_first(context, instruction.operands.front());
  return result_values(context, instruction, bits.value_or(64));
}

}  // namespace emulator::lower
