#include "lower/collective.h"

#include <fmt/format.h>

#include <cstddef>

namespace emulator::lower {
namespace {

constexpr std::size_t kValueBytes = sizeof(std::uint64_t);

std::string bits_element(const std::string& element) {
  return fmt::format("i{}", bits_of(element));
}

// The lane's own value of an operand; of an address, where it points.
Value own_value(Writer& writer, const ptx::Operand& operand, const std::string& element) {
  const auto* address = std::get_if<ptx::Address>(&operand.value);
  if (address == nullptr) return writer.read(operand, element, 1);
  Value base = Ir::constant(0, "i64", 1);
  if (const auto* reg = std::get_if<ptx::Register>(&address->base)) {
    base = writer.read({.value = *reg, .where = operand.where}, "i64", 1);
  } else if (const auto* symbol = std::get_if<ptx::Symbol>(&address->base)) {
    base = writer.read({.value = *symbol, .where = operand.where}, "i64", 1);
  }
  return writer.ir.binary("add", base, static_cast<std::uint64_t>(address->offset));
}

}  // namespace

void Meeting::hand_over() {
  Ir& ir = writer_.ir;
  const Value own =
      ir.load(writer_.context_field(offsetof(runtime::WarpContext, own)), "ptr", 1, 8);
  for (std::size_t i = 0; i < collective_.sources.size(); ++i) {
    const Collective::Source& source = collective_.sources[i];
    const std::string element = element_of(writer_.function().registers.at(source.gathered).type);
    const Value bits =
        ir.bitcast(own_value(writer_, source.operand, element), bits_element(element));
    ir.store(ir.resize(bits, "i64", false),
             ir.pointer_offset(own, offsetof(runtime::ThreadValues, operand) + i * kValueBytes), 8);
  }
}

void Meeting::take_from_all() {
  Ir& ir = writer_.ir;
  const Value gathering =
      ir.load(writer_.context_field(offsetof(runtime::WarpContext, gathering)), "ptr", 1, 8);
  for (std::size_t i = 0; i < collective_.sources.size(); ++i) {
    const std::uint32_t reg = collective_.sources[i].gathered;
    const std::string element = element_of(writer_.function().registers.at(reg).type);
    const Value bits = ir.load(ir.pointer_offset(gathering, offsetof(runtime::Gathering, operand) +
                                                                i * kLanes * kValueBytes),
                               "i64", kLanes, 64);
    ir.store(ir.bitcast(ir.resize(bits, bits_element(element), false), element),
             writer_.register_slot(reg), 64);
  }
}

void Meeting::begin() {
  Ir& ir = writer_.ir;
  const ptx::Instruction& instruction = collective_.gathered;
  if (collective_.sources.size() > runtime::kMeetingOperands) {
    unsupported(instruction, "so many operands are not");
  }
  writer_.note_suspension();
  writer_.expect_bits_of(instruction);
  hand_over();
  const Value members = writer_.read(collective_.members, "i32", 1);
  lanes_ = writer_.call("emu_meet",
                        {number(writer_.scope().kinds.of(collective_.kind)), members,
                         number(collective_.sources.size()), number(instruction.where.line)},
                        "i32");
  const std::string lead = ir.label("lead");
  met_ = ir.label("met");
  ir.branch(ir.compare("icmp ne", lanes_, 0), lead, met_);
  ir.begin_block(lead);
  take_from_all();
  writer_.begin_dealing(lanes_);
}

void Meeting::end() {
  Ir& ir = writer_.ir;
  const std::vector<ptx::Operand> destinations = writer_.end_dealing();
  writer_.call("emu_deal", {lanes_, number(destinations.size())});
  ir.jump(met_);
  ir.begin_block(met_);
  if (destinations.empty()) return;
  const Value own =
      ir.load(writer_.context_field(offsetof(runtime::WarpContext, own)), "ptr", 1, 8);
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    const Value bits =
        ir.load(ir.pointer_offset(own, offsetof(runtime::ThreadValues, result) + i * kValueBytes),
                "i64", 1, 8);
    writer_.write(destinations[i], bits, LaneValues::uniform(64));
  }
}

}  // namespace emulator::lower
