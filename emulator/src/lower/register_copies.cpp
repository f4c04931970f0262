#include "lower/register_copies.h"

#include <algorithm>
#include <optional>
#include <span>

namespace emulator::lower {
namespace {

enum class Way : std::uint8_t { to_context, from_context };

constexpr std::uint64_t kCopiedBits = 8 * runtime::kCopiedBytes / kLanes;

// A register of any other width has less room in the frame, or is to be extended.
bool is_as_wide(const Writer& writer, const ptx::Operand& operand) {
  const auto& reg = std::get<ptx::Register>(operand.value);
  return ptx::bits(writer.function().registers.at(reg.index).type) == kCopiedBits;
}

// Where in the frame they all lie as they are; nothing where one does not.
std::optional<std::vector<std::uint64_t>> places(const Writer& writer,
                                                 std::span<const RegisterCopy> copies, Way way) {
  std::vector<std::uint64_t> found;
  for (const RegisterCopy& copy : copies) {
    const auto place = way == Way::to_context ? writer.place_to_read(copy.operand)
                                              : writer.place_to_write(copy.operand);
    if (!place || ptx::bits(copy.type) != kCopiedBits || !is_as_wide(writer, copy.operand)) {
      return std::nullopt;
    }
    found.push_back(*place);
  }
  return found;
}

void copy(Writer& writer, std::span<const RegisterCopy> copies,
          const std::vector<std::uint64_t>& places, Way way) {
  std::vector<std::uint64_t> table;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const bool reads = way == Way::to_context;
    table.push_back(reads ? places[i] : copies[i].offset);
    table.push_back(reads ? copies[i].offset : places[i]);
  }
  const Value from = way == Way::to_context ? PartsFrame::pointer() : Writer::context();
  const Value to = way == Way::to_context ? Writer::context() : PartsFrame::pointer();
  writer.call("emu_move", {from, to, writer.ir.table(table), number(copies.size())});
}

}  // namespace

void hand_over(Writer& writer, const std::vector<RegisterCopy>& copies) {
  if (const auto from = places(writer, copies, Way::to_context)) {
    return copy(writer, copies, *from, Way::to_context);
  }
  for (const RegisterCopy& each : copies) {
    writer.ir.store(writer.read_bits(each.operand, each.type, kLanes),
                    writer.context_field(each.offset), 64);
  }
}

void take_back(Writer& writer, const std::vector<RegisterCopy>& copies) {
  if (const auto to = places(writer, copies, Way::from_context)) {
    return copy(writer, copies, *to, Way::from_context);
  }
  std::vector<Value> values;
  values.reserve(copies.size());
  for (const RegisterCopy& each : copies) {
    values.push_back(
        writer.ir.load(writer.context_field(each.offset), integer_of(each.type), kLanes, 64));
  }
  for (std::size_t i = 0; i < copies.size(); ++i) {
    writer.write(copies[i].operand, values[i], LaneValues::any());
  }
}

}  // namespace emulator::lower
