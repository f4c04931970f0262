// clusterlaunchcontrol: a kernel takes clusters of its own launch that nobody has begun, and does
// their work itself. The runtime does it at once (runtime/cluster.h).
#include "lower/address.h"
#include "lower/operand_types.h"
#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Space;
using ptx::Type;

// An address of shared memory, also of one that is generic.
Value shared_address(Writer& writer, const Instruction& instruction, std::size_t operand) {
  Value address =
      AccessAddress(writer, instruction.operands.at(operand), instruction.space).lanes();
  if (instruction.space == Space::shared) return address;
  const Value base = writer.ir.cast("ptrtoint", writer.shared_base(), "i64");
  return writer.ir.binary("sub", address, writer.ir.splat(base, kLanes));
}

// clusterlaunchcontrol.try_cancel [response], [mbarrier]
void try_cancel(Writer& writer, const Instruction& instruction) {
  if (instruction.names_space && !instruction.cta_shared) {
    unsupported(instruction, "its memory is '.shared::cta'");
  }
  if (instruction.operands.size() != 2) unsupported(instruction, "it has 2 operands");
  const bool multicast = instruction.has(Modifier::multicast_cluster_all);
  Instruction sent = instruction;
  sent.cluster_shared = multicast;
  const std::uint32_t store =
      writer.add_site(sent, runtime::AccessKind::store, Space::shared, 16, 1);
  const std::uint32_t barrier =
      writer.add_site(sent, runtime::AccessKind::atomic, Space::shared, 8, 1);
  writer.ir.store(shared_address(writer, instruction, 0), writer.address_area(), 64);
  writer.ir.store(shared_address(writer, instruction, 1), writer.value_area(0), 64);
  writer.call("emu_try_cancel",
              {number(store), number(barrier), writer.mask(), number(multicast ? 1 : 0)});
}

// The response, which may be given as two halves.
Value response_of(Writer& writer, const Instruction& instruction, unsigned lanes) {
  const ptx::Operand& operand = instruction.operands.at(1);
  if (!std::holds_alternative<ptx::Vector>(operand.value)) {
    require_operand(writer, instruction, 1, Type::b128);
    return writer.read(operand, "i128", lanes);
  }
  require_vector(writer, instruction, 1, Type::b64, 2);
  const std::vector<ptx::Operand> halves = elements_of(operand);
  Ir& ir = writer.ir;
  const auto half = [&](std::size_t i) {
    return ir.resize(writer.read(halves[i], "i64", lanes), "i128", false);
  };
  return ir.binary("or", half(0), ir.binary("shl", half(1), 64));
}

// A word of runtime::CancelResponse.
Value word(Writer& writer, const Value& response, std::uint64_t i) {
  return writer.ir.resize(writer.ir.binary("lshr", response, 32 * i), "i32", false);
}

void require_result(const Writer& writer, const Instruction& instruction) {
  constexpr std::uint64_t kDimensions = 4;  // of which the last is undefined
  const bool all = instruction.has(Modifier::get_first_ctaid);
  if (instruction.operands.size() != 2) unsupported(instruction, "it has 2 operands");
  if (instruction.vector_width != (all ? kDimensions : 1)) {
    unsupported(instruction, "'.v4' goes with '.get_first_ctaid'");
  }
  if (all) return;
  const auto* reg = std::get_if<ptx::Register>(&instruction.operands[0].value);
  const Type type = reg == nullptr ? Type::none : writer.function().registers[reg->index].type;
  const bool fits =
      instruction.has(Modifier::is_canceled) ? type == Type::pred : ptx::bits(type) == 32;
  if (!fits) unsupported(instruction, "operand 1 is not of its type");
}

void write_dimensions(Writer& writer, const Instruction& instruction, const Value& response) {
  const std::vector<ptx::Operand> results = elements_of(instruction.operands[0]);
  bool some = false;
  for (const ptx::Operand& result : results) {
    some = some || std::holds_alternative<ptx::Register>(result.value);
  }
  if (results.size() != 4 || !some) unsupported(instruction, "operand 1 is not of its type");
  const LaneValues known = writer.result(instruction);
  for (std::uint64_t i = 0; i < 3; ++i) writer.write(results[i], word(writer, response, i), known);
  writer.write(results[3], Ir::constant(0, "i32", response.lanes), known);
}

// clusterlaunchcontrol.query_cancel result, response
void query_cancel(Writer& writer, const Instruction& instruction) {
  require_result(writer, instruction);
  const Value response = response_of(writer, instruction, writer.lanes_of(instruction));
  if (instruction.has(Modifier::get_first_ctaid)) {
    return write_dimensions(writer, instruction, response);
  }
  if (instruction.has(Modifier::is_canceled)) {
    const Value canceled = word(writer, response, 3);
    return writer.write_result(instruction, writer.ir.compare("icmp ne", canceled, 0));
  }
  const std::uint64_t dimension = instruction.has(Modifier::get_first_ctaid_x)   ? 0
                                  : instruction.has(Modifier::get_first_ctaid_y) ? 1
                                                                                 : 2;
  writer.write_result(instruction, word(writer, response, dimension));
}

}  // namespace

void lower_clusterlaunchcontrol(Writer& writer, const Instruction& instruction) {
  if (instruction.has(Modifier::try_cancel)) return try_cancel(writer, instruction);
  query_cancel(writer, instruction);
}

}  // namespace emulator::lower
