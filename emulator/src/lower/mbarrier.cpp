// mbarrier: barriers in shared memory that count arrivals and bytes. The runtime keeps them
// (runtime/mbarrier.h).
#include "lower/mbarrier.h"

#include <optional>

#include "lower/address.h"
#include "runtime/mbarrier.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Space;
using runtime::MbarrierOp;

// One instruction's object: its address is computed once, before the first operation.
class Object {
 public:
  Object(Writer& writer, const Instruction& instruction, const ptx::Operand& address, Space space)
      : writer_(writer),
        site_(writer.add_site(instruction, runtime::AccessKind::atomic, space, 8, 1)) {
    if (space != Space::shared && space != Space::generic) unsupported(instruction);
    writer.ir.store(AccessAddress(writer, address, space).lanes(), writer.address_area(), 64);
  }

  // With an operand of 64 bits per lane.
  void operate(MbarrierOp op, const Value& operand) {
    writer_.ir.store(operand, writer_.value_area(0), 64);
    writer_.call("emu_mbarrier",
                 {number(site_), writer_.mask(), number(static_cast<std::uint64_t>(op))});
  }
  Value result() { return writer_.ir.load(writer_.value_area(1), "i64", kLanes, 64); }

 private:
  Writer& writer_;
  std::uint32_t site_;
};

Value count_of(Writer& writer, const ptx::Operand& operand) {
  return writer.ir.resize(writer.read(operand, "i32", kLanes), "i64", false);
}
Value constant(std::uint64_t value) { return Ir::constant(value, "i64", kLanes); }

// mbarrier.arrive and arrive_drop: {state,} [address] {, count or bytes}
void arrive(Writer& writer, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const bool gives_state = !std::holds_alternative<ptx::Address>(operands.at(0).value);
  const std::size_t at = gives_state ? 1 : 0;
  const bool expects = instruction.has(Modifier::expect_tx);
  const bool counted = operands.size() > at + 1;
  if (operands.size() > at + 2 || (expects && !counted) ||
      (instruction.has(Modifier::noComplete) && !counted)) {
    unsupported(instruction);
  }
  const Value given = counted ? count_of(writer, operands[at + 1]) : constant(1);
  Object object(writer, instruction, operands.at(at), instruction.space);
  if (expects) object.operate(MbarrierOp::expect_tx, given);
  const bool drops = instruction.has(Modifier::arrive_drop);
  object.operate(drops ? MbarrierOp::arrive_drop : MbarrierOp::arrive,
                 expects ? constant(1) : given);
  if (gives_state) writer.write(operands[0], object.result(), LaneValues::any());
}

// mbarrier.test_wait and try_wait: complete, [address], state or parity {, time}
void wait(Writer& writer, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const bool tries = instruction.has(Modifier::try_wait);
  const bool by_parity = instruction.has(Modifier::parity);
  if (operands.size() < 3 || operands.size() > (tries ? 4 : 3)) unsupported(instruction);
  const Value phase =
      by_parity ? count_of(writer, operands[2]) : writer.read(operands[2], "i64", kLanes);
  Object object(writer, instruction, operands[1], instruction.space);
  if (tries) {
    writer.note_suspension();
    object.operate(by_parity ? MbarrierOp::try_wait_parity : MbarrierOp::try_wait, phase);
  } else {
    object.operate(by_parity ? MbarrierOp::test_wait_parity : MbarrierOp::test_wait, phase);
  }
  writer.write(operands[0], writer.ir.compare("icmp ne", object.result(), 0), LaneValues::any());
}

void pending_count(Writer& writer, const Instruction& instruction) {
  const unsigned lanes = kLanes;
  const Value state = writer.read(instruction.operands.at(1), "i64", lanes);
  const Value shifted = writer.ir.binary("lshr", state, runtime::kPendingShift);
  const std::uint64_t field = (std::uint64_t{1} << runtime::kPendingBits) - 1;
  const Value count = writer.ir.resize(writer.ir.binary("and", shifted, field), "i32", false);
  writer.write(instruction.operands.at(0), count, LaneValues::any());
}

// The operation of those that take an address and at most a number; empty for all others.
std::optional<MbarrierOp> plain_operation(const Instruction& instruction) {
  if (instruction.has(Modifier::init)) return MbarrierOp::init;
  if (instruction.has(Modifier::inval)) return MbarrierOp::inval;
  const bool arrives = instruction.has(Modifier::arrive) || instruction.has(Modifier::arrive_drop);
  if (instruction.has(Modifier::expect_tx) && !arrives) return MbarrierOp::expect_tx;
  if (instruction.has(Modifier::complete_tx)) return MbarrierOp::complete_tx;
  return std::nullopt;
}

}  // namespace

void lower_mbarrier(Writer& writer, const Instruction& instruction) {
  if (instruction.type() != ptx::Type::b64) unsupported(instruction);
  if (const auto operation = plain_operation(instruction)) {
    const std::size_t operands = *operation == MbarrierOp::inval ? 1 : 2;
    if (instruction.operands.size() != operands) unsupported(instruction);
    const Value given = operands == 2 ? count_of(writer, instruction.operands[1]) : constant(0);
    Object(writer, instruction, instruction.operands[0], instruction.space)
        .operate(*operation, given);
  } else if (instruction.has(Modifier::arrive) || instruction.has(Modifier::arrive_drop)) {
    arrive(writer, instruction);
  } else if (instruction.has(Modifier::test_wait) || instruction.has(Modifier::try_wait)) {
    wait(writer, instruction);
  } else if (instruction.has(Modifier::pending_count)) {
    pending_count(writer, instruction);
  } else {
    unsupported(instruction);
  }
}

void arrive_after_copies(Writer& writer, const Instruction& instruction) {
  // The copies have arrived already. Without .noinc the arrival is one more than the phase expects,
  // so that nothing changes; the object has to be an mbarrier all the same.
  const bool counts = instruction.has(Modifier::noinc);
  Object(writer, instruction, instruction.operands.at(0), instruction.space)
      .operate(counts ? MbarrierOp::arrive : MbarrierOp::expect_tx, constant(counts ? 1 : 0));
}

void complete_transaction(Writer& writer, const Instruction& instruction,
                          const ptx::Operand& barrier, const Value& bytes) {
  Object(writer, instruction, barrier, Space::shared)
      .operate(MbarrierOp::complete_tx, writer.ir.resize(bytes, "i64", false));
}

// In a cluster of one block PTX leaves open what st.async and red.async do (PTX ISA, "Conditions"
// of both), and an H200 stops with an illegal instruction.
bool requires_cluster(Writer& writer, const Instruction& instruction) {
  if (writer.layout().clustered) return true;
  writer.call("emu_fault", {number(static_cast<std::uint64_t>(runtime::FaultKind::bad_instruction)),
                            writer.mask(), number(instruction.where.line)});
  return false;
}

}  // namespace emulator::lower
