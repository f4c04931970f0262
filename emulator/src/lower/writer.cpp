#include "lower/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <utility>

#include "lower/effects.h"
#include "lower/inline_atomic.h"
#include "lower/products_under_way.h"
#include "ptx/opcode_facts.h"

namespace emulator::lower {

using ptx::Type;
using runtime::WarpContext;

std::string element_of(Type type) {
  if (type == Type::f32 || type == Type::tf32) return "float";
  if (type == Type::f64) return "double";
  return integer_of(type);
}

std::string integer_of(Type type) { return fmt::format("i{}", ptx::bits(type)); }

void unsupported(const ptx::Instruction& instruction, const std::string& why) {
  throw ptx::Error(instruction.where, fmt::format("'{}' is not supported by the emulator{}{}",
                                                  instruction.text, why.empty() ? "" : ": ", why));
}

std::vector<ptx::Operand> elements_of(const ptx::Operand& operand) {
  const auto* vector = std::get_if<ptx::Vector>(&operand.value);
  return vector == nullptr ? std::vector<ptx::Operand>{operand} : vector->elements;
}

Writer::Writer(const ptx::Module& module, const ptx::Function& function, const LaunchShape& shape,
               const Layout& layout, const SymbolAddresses& symbols, const ControlFlow& flow,
               const Analysis& analysis, KernelScope& scope, PartsFrame* frame)
    : module_(module),
      function_(function),
      shape_(shape),
      layout_(layout),
      symbols_(symbols),
      flow_(flow),
      analysis_(analysis),
      scope_(scope),
      parts_frame_(frame),
      registers_(function.registers.size()),
      first_site_(scope.sites),
      has_products_(lower::has_products(module)),
      orders_memory_(InlineAtomic::orders_memory(function)),
      host_nans_(registers_of_host_nans(function)),
      read_(registers_read(function)) {
  for (std::size_t r = 0; frame != nullptr && r < registers_.size(); ++r) {
    registers_[r].offset = frame->registers[r];
  }
  begin_function();
}

Ir Writer::next_part() {
  Ir written = std::exchange(ir, Ir::behind(ir));
  for (Place& place : registers_) place.slot.reset();
  for (CallSlot& slot : call_slots_) slot.place.slot.reset();
  carry_.slot.reset();
  begin_function();
  return written;
}

void Writer::begin_function() {
  bases_.shared = ir.load(context_field(offsetof(WarpContext, shared)), "ptr", 1, 8);
  bases_.shared_bytes = ir.resize(
      ir.load(context_field(offsetof(WarpContext, shared_bytes)), "i32", 1, 4), "i64", false);
  bases_.shared_begin = Ir::constant(0, "i64", 1);
  if (layout_.clustered) {
    const Value rank = ir.load(context_field(offsetof(WarpContext, cluster_rank)), "i32", 1, 4);
    bases_.shared_begin = ir.binary("mul", ir.resize(rank, "i64", false), runtime::kSharedWindow);
  }
  bases_.local = ir.load(context_field(offsetof(WarpContext, local)), "ptr", 1, 8);
  bases_.parameters = ir.load(context_field(offsetof(WarpContext, params)), "ptr", 1, 8);
  bases_.ranges = ir.load(context_field(offsetof(WarpContext, ranges)), "ptr", 1, 8);
  if (!by_thread()) return;
  lane_ = ir.load(context_field(offsetof(WarpContext, lane)), "i32", 1, 4);
  bases_.local = ir.pointer_add(
      bases_.local, ir.binary("mul", ir.resize(lane_, "i64", false), local_window_bytes()));
  frame_ = function_.entry ? Ir::constant(0, "i64", 1) : Value{"%frame", "i64", 1};
  const bool allocates = std::ranges::any_of(function_.body, [](const ptx::Instruction& i) {
    const ptx::Effect effect = ptx::facts_of(i.opcode).effect;
    return effect == ptx::Effect::takes_stack || effect == ptx::Effect::drops_stack;
  });
  if (allocates) {
    const Value end = stack_top();
    top_slot_ = ir.slot("i64", 1);
    set_stack_top(end);
  }
}

Value Writer::slot_at(Place& place, const std::string& element, unsigned lanes) {
  if (!place.slot) {
    place.slot = place.offset ? ir.fixed_offset(PartsFrame::pointer(), *place.offset)
                              : ir.slot(element, lanes);
  }
  return *place.slot;
}

Value Writer::shared_slot_at(Place& place, const std::string& element, unsigned lanes) {
  if (parts_frame_ != nullptr && !place.offset) {
    place.offset = parts_frame_->reserve(std::uint64_t{bits_of(element)} * lanes / 8);
  }
  return slot_at(place, element, lanes);
}

Value Writer::register_slot(std::uint32_t index) {
  return slot_at(registers_.at(index), element_of(function_.registers[index].type),
                 analysis_.register_values[index].is_vector() ? kLanes : 1);
}

std::optional<std::uint64_t> Writer::place_to_read(const ptx::Operand& operand) const {
  const auto* reg = std::get_if<ptx::Register>(&operand.value);
  if (reg == nullptr || operand.negated || !analysis_.register_values[reg->index].is_vector() ||
      (sees_nan_bits_ && host_nans_[reg->index])) {
    return std::nullopt;
  }
  return registers_[reg->index].offset;
}

std::optional<std::uint64_t> Writer::place_to_write(const ptx::Operand& operand) const {
  const auto* reg = std::get_if<ptx::Register>(&operand.value);
  if (reg == nullptr || guard_ || !analysis_.register_values[reg->index].is_vector() ||
      analysis_.kept[block_].contains(reg->index)) {
    return std::nullopt;
  }
  return registers_[reg->index].offset;
}

unsigned Writer::lanes_of(const ptx::Instruction& instruction) const {
  return result(instruction).is_vector() ? kLanes : 1;
}
LaneValues Writer::lane_values(const ptx::Operand& operand, unsigned bits) const {
  return lower::values_of(data_flow(), operand, bits);
}
LaneValues Writer::result(const ptx::Instruction& instruction) const {
  return result_values(data_flow(), instruction);
}

bool Writer::reads_result(const ptx::Instruction& instruction) const {
  const std::vector<ptx::Operand> results = elements_of(instruction.operands.at(0));
  return std::ranges::any_of(results, [&](const ptx::Operand& result) {
    const auto* reg = std::get_if<ptx::Register>(&result.value);
    return reg != nullptr && read_[reg->index];
  });
}

Value Writer::widen(const Value& scalar, const LaneValues& lane_values) {
  if (scalar.lanes != 1) return scalar;
  Value all = ir.splat(scalar, kLanes);
  if (lane_values.is_uniform() || lane_values.kind != LaneValues::Kind::affine) return all;
  return ir.binary("add", all, Ir::lane_constants(lane_values.offset, scalar.element));
}

Value Writer::read_register(std::uint32_t index, unsigned lanes) {
  const LaneValues& known = analysis_.register_values[index];
  Value value = ir.load(register_slot(index), element_of(function_.registers[index].type),
                        known.is_vector() ? kLanes : 1, 64);
  if (sees_nan_bits_ && host_nans_[index]) value = with_canonical_nan(value);
  return lanes == 1 ? value : widen(value, known);
}

Value Writer::with_canonical_nan(const Value& value) {
  const Value number = ir.bitcast(value, "float");
  const Value nan = ir.compare("fcmp uno", number, number);
  const Value canonical = ir.float_constant(kCanonicalNanFloat, "float", value.lanes);
  return ir.bitcast(ir.select(nan, canonical, number), value.element);
}

Value Writer::symbol_address(const ptx::Symbol& symbol, ptx::Location where) {
  const auto fixed = address_of(module_, function_, layout_, symbols_, symbol, where);
  if (fixed) return Ir::constant(*fixed, "i64", 1);
  if (const auto offset = offset_in_window(module_, function_, layout_, symbol)) {
    return ir.binary("add", bases_.shared_begin, *offset);
  }
  const bool in_frame = by_thread() && symbol.where == ptx::Symbol::Where::local_variable &&
                        function_.variables[symbol.index].space == ptx::Space::local;
  if (in_frame) return ir.binary("add", frame_, layout_.function_offsets.at(symbol.index));
  if (const ptx::Variable* variable = linked_variable(module_, symbol)) {
    return ir.cast("ptrtoint",
                   ir.external(link_name(variable->name), runtime::kAllocationAlignment), "i64");
  }
  if (symbol.where == ptx::Symbol::Where::parameter) {
    return ir.cast("ptrtoint",
                   ir.pointer_offset(bases_.parameters, layout_.parameters.at(symbol.index)),
                   "i64");
  }
  throw ptx::Error(where, "the address of this name is not supported by the emulator");
}

Value Writer::read(const ptx::Operand& operand, const std::string& element, unsigned lanes,
                   bool is_signed) {
  const bool to_float = element == "float" || element == "double";
  const std::string integer = fmt::format("i{}", bits_of(element));
  if (const auto* immediate = std::get_if<ptx::Immediate>(&operand.value)) {
    std::uint64_t bits = immediate->bits;
    if (element == "float" && immediate->form == ptx::Immediate::Form::f64) {
      bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
    } else if (element == "double" && immediate->form == ptx::Immediate::Form::f32) {
      bits = std::bit_cast<std::uint64_t>(
          static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
    }
    if (operand.negated && element != "i1") {
      bits = to_float ? bits ^ (std::uint64_t{1} << (bits_of(element) - 1)) : 0 - bits;
    } else if (operand.negated) {
      bits ^= 1U;
    }
    const Value value = Ir::constant(bits, integer, lanes);
    return to_float ? ir.bitcast(value, element) : value;
  }
  Value value;
  LaneValues known = lane_values(operand, bits_of(element));
  if (const auto* reg = std::get_if<ptx::Register>(&operand.value)) {
    value = read_register(reg->index, lanes);
    if (operand.negated) {
      value = value.element == "i1" ? ir.binary("xor", value, 1)
              : to_float            ? ir.define("fneg " + value.typed(), value.element, value.lanes)
                         : ir.binary("sub", Ir::constant(0, value.element, value.lanes), value);
    }
  } else if (const auto* special = std::get_if<ptx::SpecialRegister>(&operand.value)) {
    value = read_special(*special, operand.where);
    if (lanes != 1) value = widen(value, known);
  } else if (const auto* symbol = std::get_if<ptx::Symbol>(&operand.value)) {
    value = symbol_address(*symbol, operand.where);
    if (lanes != 1) value = ir.splat(value, lanes);
  } else if (const auto* sum = std::get_if<ptx::Address>(&operand.value);
             sum != nullptr && std::holds_alternative<ptx::Register>(sum->base) && !to_float) {
    value = read_register(std::get<ptx::Register>(sum->base).index, lanes);
    value = ir.bitcast(value, fmt::format("i{}", bits_of(value.element)));
    value = ir.binary("add", value, static_cast<std::uint64_t>(sum->offset));
  } else if (const auto* address = std::get_if<ptx::Address>(&operand.value);
             address != nullptr && std::holds_alternative<ptx::Symbol>(address->base)) {
    value = symbol_address(std::get<ptx::Symbol>(address->base), operand.where);
    value = ir.binary("add", value, static_cast<std::uint64_t>(address->offset));
    if (lanes != 1) value = ir.splat(value, lanes);
  } else {
    throw ptx::Error(operand.where, "this operand is not a value");
  }
  if (value.element == element) return value;
  if (bits_of(value.element) == bits_of(element)) return ir.bitcast(value, element);
  if (value.element == "float" || value.element == "double") {
    value = ir.bitcast(value, fmt::format("i{}", bits_of(value.element)));
  }
  value = ir.resize(value, integer, is_signed);
  return to_float ? ir.bitcast(value, element) : value;
}

Value Writer::read_bits(const ptx::Operand& operand, ptx::Type type, unsigned lanes) {
  return ir.bitcast(read(operand, element_of(type), lanes), integer_of(type));
}

void Writer::write(const ptx::Operand& destination, const Value& value, const LaneValues& known,
                   bool is_signed) {
  const auto* reg = std::get_if<ptx::Register>(&destination.value);
  if (reg == nullptr) {
    if (std::holds_alternative<ptx::Sink>(destination.value)) {
      if (deals_) dealt_.push_back(destination);
      return;
    }
    throw ptx::Error(destination.where, "a result goes to a register");
  }
  const std::string element = element_of(function_.registers[reg->index].type);
  const Value slot = register_slot(reg->index);
  Value result = value;
  if (bits_of(result.element) == bits_of(element)) {
    result = ir.bitcast(result, element);
  } else {
    const bool is_float_value = result.element == "float" || result.element == "double";
    if (is_float_value) result = ir.bitcast(result, fmt::format("i{}", bits_of(result.element)));
    result = ir.resize(result, fmt::format("i{}", bits_of(element)), is_signed);
    result = ir.bitcast(result, element);
  }
  if (deals_) return deal(destination, result);
  if (by_thread() && result.lanes == kLanes) result = own_lane(result);
  if (!analysis_.register_values[reg->index].is_vector()) {
    if (result.lanes != 1)
      throw ptx::Error(destination.where, "internal: a vector result for a scalar register");
    if (guard_) result = ir.select(guard_->predicate, result, ir.load(slot, element, 1, 64));
    ir.store(result, slot, 64);
    return;
  }
  if (result.lanes == 1) {
    const bool is_float_value = result.element == "float" || result.element == "double";
    result = is_float_value ? ir.splat(result, kLanes) : widen(result, known);
  }
  const bool keeps = analysis_.kept[block_].contains(reg->index);
  if (guard_ || keeps) {
    Value written =
        keeps || guard_->predicate.lanes == 1 ? ir.from_mask(mask()) : guard_->predicate;
    result = ir.select(written, result, ir.load(slot, element, kLanes, 64));
  }
  ir.store(result, slot, 64);
}

void Writer::write_result(const ptx::Instruction& instruction, const Value& value, bool is_signed) {
  const auto* to = std::get_if<ptx::Register>(&instruction.operands.at(0).value);
  const bool mends = makes_host_nans(instruction) && to != nullptr && !host_nans_[to->index];
  write(instruction.operands[0], mends ? with_canonical_nan(value) : value, result(instruction),
        is_signed);
}

Value Writer::mask() {
  if (deals_) return dealt_lanes_;
  return guard_ ? guard_->mask : block_mask_;
}
bool Writer::mask_is_full() const { return !deals_ && !guard_ && block_mask_full_; }

void Writer::enter_block(std::uint32_t block, const Value& mask, bool known_full) {
  block_ = block;
  block_mask_ = mask;
  block_mask_full_ = known_full;
  guard_.reset();
}

void Writer::set_guard(const ptx::Instruction& instruction) {
  guard_.reset();
  if (!instruction.guard) return;
  const std::uint32_t index = instruction.guard->predicate.index;
  const unsigned lanes = analysis_.register_values[index].is_vector() ? kLanes : 1;
  Value predicate = read_register(index, lanes);
  if (instruction.guard->negated) predicate = ir.binary("xor", predicate, 1);
  const Value lanes_mask = lanes == 1 ? ir.cast("sext", predicate, "i32") : ir.to_mask(predicate);
  guard_ = Guard{predicate, ir.binary("and", block_mask_, lanes_mask)};
}

std::uint32_t Writer::add_site(const ptx::Instruction& instruction, runtime::AccessKind kind,
                               ptx::Space space, unsigned bytes, unsigned elements) {
  const auto access_space = [&] {
    switch (space) {
      case ptx::Space::global:
        return runtime::AccessSpace::global;
      case ptx::Space::shared:
        return layout_.clustered && instruction.cluster_shared ? runtime::AccessSpace::cluster
                                                               : runtime::AccessSpace::shared;
      case ptx::Space::local:
        return runtime::AccessSpace::local;
      case ptx::Space::constant:
        return runtime::AccessSpace::constant;
      case ptx::Space::param:
        return runtime::AccessSpace::param;
      default:
        return runtime::AccessSpace::generic;
    }
  }();
  sites_.push_back(
      {runtime::Site{kind, access_space, bytes, elements, instruction.where.line, nullptr},
       instruction.text});
  ++scope_.sites;
  return first_site_ + static_cast<std::uint32_t>(sites_.size() - 1);
}

std::uint32_t Writer::site_of(const ptx::Instruction& instruction, runtime::AccessKind kind,
                              ptx::Space space, unsigned bytes, unsigned elements) {
  const auto found = site_of_.find(&instruction);
  if (found != site_of_.end()) return found->second;
  return site_of_[&instruction] = add_site(instruction, kind, space, bytes, elements);
}

const CheckGroup* Writer::check_group(const ptx::Instruction& instruction) const {
  const auto found = check_groups_.find(&instruction);
  return found == check_groups_.end() ? nullptr : found->second.get();
}

Value Writer::address_area() { return context_field(offsetof(WarpContext, address)); }
Value Writer::value_area(unsigned index) { return context_field(value_offset(index)); }

Value Writer::call_slot(const ptx::Instruction& instruction, std::uint32_t variable,
                        std::int64_t offset, const std::string& element) {
  const auto bytes = static_cast<std::int64_t>(bits_of(element) / 8);
  const auto size = static_cast<std::int64_t>(function_.variables.at(variable).size);
  if (offset < 0 || offset > size || bytes > size - offset) {
    unsupported(instruction, "a piece that the argument does not have is not");
  }
  for (CallSlot& slot : call_slots_) {
    const bool apart = slot.variable != variable || offset >= slot.offset + slot.bytes ||
                       slot.offset >= offset + bytes;
    if (apart) continue;
    if (slot.offset != offset || slot.bytes != bytes) {
      unsupported(instruction, "an argument written and read in different pieces is not");
    }
    return shared_slot_at(slot.place, element, kLanes);
  }
  call_slots_.push_back({variable, offset, bytes, {}});
  return shared_slot_at(call_slots_.back().place, element, kLanes);
}

void Writer::call(const std::string& name, const std::vector<Value>& arguments) {
  std::string types = "ptr";
  std::string values = "ptr %ctx";
  for (const Value& argument : arguments) {
    types += ", " + argument.type();
    values += ", " + argument.typed();
  }
  ir.declare(fmt::format("declare void @{}({})", name, types));
  ir.line(fmt::format("call void @{}({})", name, values));
}

Value Writer::call(const std::string& name, const std::vector<Value>& arguments,
                   const std::string& element) {
  std::string types = "ptr";
  std::string values = "ptr %ctx";
  for (const Value& argument : arguments) {
    types += ", " + argument.type();
    values += ", " + argument.typed();
  }
  ir.declare(fmt::format("declare {} @{}({})", element, name, types));
  return ir.define(fmt::format("call {} @{}({})", element, name, values), element, 1);
}

Value Writer::call_common(const std::string& key, const std::vector<Value>& arguments,
                          const std::string& element,
                          const std::function<void(const std::vector<Value>&)>& write) {
  // With this attribute a function keeps every register that it has not to change, vectors too.
  // LLVM (16 to 22) gets it wrong where the result is returned in memory: the function ends in a
  // vzeroupper, and leaves the result's address in rax, which its caller takes for kept. The C
  // convention has four vector registers for a result, too few for 32 times 64 bits without
  // AVX-512; this one has as many as there are.
  constexpr const char* kKeeps = "\"no_caller_saved_registers\"";
  constexpr const char* kConvention = "x86_regcallcc";
  assert(bits_of(element) <= 64);
  const std::string name = fmt::format("@common.{}", scope_.common_names.of(key));
  const std::string type = type_of(element, kLanes);
  std::string values = "ptr %ctx";
  std::string parameters = "ptr noalias %ctx";
  std::vector<Value> given;
  for (const Value& argument : arguments) {
    given.push_back({fmt::format("%a{}", given.size()), argument.element, argument.lanes});
    values += ", " + argument.typed();
    parameters += ", " + given.back().typed();
  }
  if (!scope_.common.contains(key)) {
    Ir caller = std::exchange(ir, Ir());
    const Bases bases = bases_;
    begin_function();
    write(given);
    ir.declare(ir.function(fmt::format("internal {} {} {}({}) noinline {}", kConvention, type, name,
                                       parameters, kKeeps)));
    scope_.common[key] = std::exchange(ir, std::move(caller));
    bases_ = bases;
  }
  for (const std::string& line : scope_.common[key].declarations()) ir.declare(line);
  return ir.define(fmt::format("call {} {} {}({}) {}", kConvention, type, name, values, kKeeps),
                   element, kLanes);
}

void Writer::cold_call(const std::string& name, const std::vector<Value>& arguments) {
  // The System V convention's registers for integer arguments, behind the context in rdi.
  static constexpr const char* kRegisters[] = {"rsi", "rdx", "rcx", "r8"};
  std::string registers;
  std::string values;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    registers += fmt::format(",{{{}}}", kRegisters[i]);
    values += ", " + arguments[i].typed();
  }
  ir.declare(fmt::format("declare void @{}_kept()", name));
  ir.line(
      fmt::format("call void asm sideeffect \"callq *$0\", "
                  "\"{{rax}},{{rdi}}{},~{{memory}},~{{dirflag}},~{{fpsr}},~{{flags}}\"(ptr "
                  "@{}_kept, ptr %ctx{})",
                  registers, name, values));
}

Value Writer::carry_slot() { return shared_slot_at(carry_, "i1", kLanes); }

}  // namespace emulator::lower
