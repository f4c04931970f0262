// mov, selp, slct, cvta, isspacep: values from one place to another.
#include <cstddef>

#include "lower/numeric.h"
#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Space;
using ptx::Vector;

void pack(Writer& writer, const Instruction& instruction, const Vector& parts) {
  const unsigned lanes = writer.lanes_of(instruction);
  const unsigned bits = ptx::bits(instruction.type());
  const auto count = static_cast<unsigned>(parts.elements.size());
  if (count == 0 || bits % count != 0) unsupported(instruction);
  const std::string whole = integer_of(instruction.type());
  const std::string part = "i" + std::to_string(bits / count);
  Value packed = Ir::constant(0, whole, lanes);
  for (unsigned i = 0; i < count; ++i) {
    const Value piece = writer.ir.resize(writer.read(parts.elements[i], part, lanes), whole, false);
    packed = writer.ir.binary("or", packed,
                              writer.ir.binary("shl", piece, std::uint64_t{i} * (bits / count)));
  }
  writer.write_result(instruction, packed);
}

void unpack(Writer& writer, const Instruction& instruction, const Vector& parts) {
  const unsigned lanes = writer.lanes_of(instruction);
  const unsigned bits = ptx::bits(instruction.type());
  const auto count = static_cast<unsigned>(parts.elements.size());
  if (count == 0 || bits % count != 0) unsupported(instruction);
  const Value whole =
      writer.read(instruction.operands.at(1), integer_of(instruction.type()), lanes);
  for (unsigned i = 0; i < count; ++i) {
    const Value shifted = writer.ir.binary("lshr", whole, std::uint64_t{i} * (bits / count));
    const Value piece = writer.ir.resize(shifted, "i" + std::to_string(bits / count), false);
    writer.write(parts.elements[i], piece, writer.result(instruction));
  }
}

// mov.v2 and mov.v4: all elements are read before the first is written.
void move_vector(Writer& writer, const Instruction& instruction) {
  const auto to = elements_of(instruction.operands.at(0));
  const auto from = elements_of(instruction.operands.at(1));
  if (to.size() != instruction.vector_width || from.size() != to.size()) unsupported(instruction);
  const std::string element = element_of(instruction.type());
  std::vector<Value> values;
  values.reserve(from.size());
  for (const ptx::Operand& source : from)
    values.push_back(writer.read(source, element, writer.lanes_of(instruction)));
  for (std::size_t i = 0; i < to.size(); ++i)
    writer.write(to[i], values[i], writer.result(instruction));
}

void move(Writer& writer, const Instruction& instruction) {
  if (instruction.vector_width > 1) return move_vector(writer, instruction);
  if (const auto* to = std::get_if<Vector>(&instruction.operands.at(0).value)) {
    return unpack(writer, instruction, *to);
  }
  if (const auto* from = std::get_if<Vector>(&instruction.operands.at(1).value)) {
    return pack(writer, instruction, *from);
  }
  const std::string element = element_of(instruction.type());
  writer.write_result(instruction,
                      writer.read(instruction.operands[1], element, writer.lanes_of(instruction)));
}

Value window_base(Writer& writer, Space space) {
  return writer.ir.cast("ptrtoint",
                        space == Space::shared ? writer.shared_base() : writer.local_base(), "i64");
}

// Generic addresses are host addresses; shared and local ones are offsets into a window.
void convert_address(Writer& writer, const Instruction& instruction) {
  const unsigned lanes = writer.lanes_of(instruction);
  Value address = writer.read(instruction.operands.at(1), "i64", lanes);
  if (instruction.space == Space::shared || instruction.space == Space::local) {
    Value base = window_base(writer, instruction.space);
    if (lanes != 1) {
      base = writer.ir.splat(base, lanes);
      if (instruction.space == Space::local) {
        LaneOffsets frames{};
        for (std::size_t lane = 0; lane < frames.size(); ++lane) {
          frames[lane] = static_cast<std::int64_t>(lane * writer.layout().local_stride);
        }
        base = writer.ir.binary("add", base, Ir::lane_constants(frames, "i64"));
      }
    }
    address = writer.ir.binary(instruction.has(Modifier::to) ? "sub" : "add", address, base);
  }
  writer.write_result(instruction, address);
}

// In the shared memory of one of the cluster's blocks.
Value in_cluster(Writer& writer, const Value& address) {
  Ir& ir = writer.ir;
  const Value blocks =
      ir.load(writer.context_field(offsetof(runtime::WarpContext, cluster_size)), "i32", 1, 4);
  const Value windows = ir.binary("mul", ir.resize(blocks, "i64", false), runtime::kSharedWindow);
  const Value distance =
      ir.binary("sub", address, ir.splat(window_base(writer, Space::shared), address.lanes));
  const Value offset = ir.binary("and", distance, runtime::kSharedWindow - 1);
  return ir.binary("and", ir.compare("icmp ult", distance, ir.splat(windows, address.lanes)),
                   ir.compare("icmp ult", offset, ir.splat(writer.shared_bytes(), address.lanes)));
}

// Constant variables lie one by one among the host's memory.
Value in_constant_variable(Writer& writer, const Value& address) {
  Ir& ir = writer.ir;
  Value found = Ir::constant(0, "i1", address.lanes);
  const auto& variables = writer.module().variables;
  for (std::uint32_t i = 0; i < variables.size(); ++i) {
    if (variables[i].space != Space::constant) continue;
    const ptx::Symbol symbol{ptx::Symbol::Where::module_variable, i};
    const Value base =
        writer.read({.value = symbol, .negated = false, .where = {}}, "i64", address.lanes);
    const Value offset = ir.binary("sub", address, base);
    found = ir.binary("or", found, ir.compare("icmp ult", offset, variables[i].size));
  }
  return found;
}

void is_in_space(Writer& writer, const Instruction& instruction) {
  const unsigned lanes = writer.lanes_of(instruction);
  const Value address = writer.read(instruction.operands.at(1), "i64", lanes);
  const auto within_of = [&](const Value& begin, const Value& bytes) {
    const Value offset = writer.ir.binary("sub", address, writer.ir.splat(begin, lanes));
    return writer.ir.compare("icmp ult", offset, writer.ir.splat(bytes, lanes));
  };
  const auto within = [&](Space space, const Value& bytes) {
    return within_of(window_base(writer, space), bytes);
  };
  Value own = window_base(writer, Space::shared);
  if (writer.layout().clustered) own = writer.ir.binary("add", own, writer.shared_begin());
  Value in_shared = within_of(own, writer.shared_bytes());
  const bool elsewhere_too = instruction.space != Space::shared || instruction.cluster_shared;
  if (writer.layout().clustered && elsewhere_too) in_shared = in_cluster(writer, address);
  const Value in_local = within(Space::local, writer.local_window_bytes());
  switch (instruction.space) {
    case Space::shared:
      return writer.write_result(instruction, in_shared);
    case Space::local:
      return writer.write_result(instruction, in_local);
    case Space::constant:
      return writer.write_result(instruction, in_constant_variable(writer, address));
    case Space::global: {
      const Value elsewhere = writer.ir.binary("or", writer.ir.binary("or", in_shared, in_local),
                                               in_constant_variable(writer, address));
      return writer.write_result(instruction, writer.ir.binary("xor", elsewhere, 1));
    }
    case Space::param: {
      const Value base = writer.ir.cast("ptrtoint", writer.parameters(), "i64");
      const Value offset = writer.ir.binary("sub", address, writer.ir.splat(base, lanes));
      return writer.write_result(
          instruction, writer.ir.compare("icmp ult", offset, writer.layout().parameter_bytes));
    }
    default:
      unsupported(instruction);
  }
}

}  // namespace

void lower_mov(Writer& writer, const Instruction& instruction) { move(writer, instruction); }
void lower_cvta(Writer& writer, const Instruction& instruction) {
  convert_address(writer, instruction);
}
void lower_isspacep(Writer& writer, const Instruction& instruction) {
  is_in_space(writer, instruction);
}
void lower_selp(Writer& writer, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const unsigned lanes = writer.lanes_of(instruction);
  const std::string element = element_of(instruction.type());
  const Value a = writer.read(operands.at(1), element, lanes);
  const Value b = writer.read(operands.at(2), element, lanes);
  const Value predicate = writer.read(operands.at(3), "i1", lanes);
  writer.write_result(instruction, writer.ir.select(predicate, a, b));
}
void lower_slct(Writer& writer, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const unsigned lanes = writer.lanes_of(instruction);
  const std::string element = element_of(instruction.types.at(0));
  const bool by_float = instruction.types.at(1) == ptx::Type::f32;
  Value c = writer.read(operands.at(3), by_float ? "float" : "i32", lanes);
  if (by_float && instruction.has(Modifier::ftz)) c = flush_subnormals(writer.ir, c);
  const Value not_negative =
      by_float ? writer.ir.compare("fcmp oge", c, writer.ir.float_constant(0, "float", lanes))
               : writer.ir.compare("icmp sge", c, 0);
  writer.write_result(instruction,
                      writer.ir.select(not_negative, writer.read(operands.at(1), element, lanes),
                                       writer.read(operands.at(2), element, lanes)));
}

}  // namespace emulator::lower
