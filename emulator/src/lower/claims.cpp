#include "lower/claims.h"

#include <fmt/format.h>

#include <algorithm>

#include "lower/effects.h"
#include "lower/writer.h"
#include "runtime/claims.h"

namespace emulator::lower {
namespace {

// Whether they say anything that may turn out to be wrong of a register of this type: of a
// thread alone, not that its lanes are alike.
bool says_something(const LaneValues& lane_values, ptx::Type type, bool by_thread) {
  if (lane_values.kind != LaneValues::Kind::affine || ptx::bits(type) > 64) return false;
  const bool any_number =
      lane_values.range == full_range(ptx::bits(type)) && lane_values.trailing_zeros == 0;
  return !by_thread || !any_number;
}

// In the order of runtime::Claim.
std::vector<std::uint64_t> words_of(const LaneValues& lane_values, ptx::Type type,
                                    std::uint32_t index, std::uint32_t line) {
  std::vector<std::uint64_t> words = {ptx::bits(type),
                                      static_cast<std::uint64_t>(lane_values.range.low),
                                      static_cast<std::uint64_t>(lane_values.range.high),
                                      lane_values.trailing_zeros,
                                      index,
                                      line};
  for (const std::int64_t offset : lane_values.offset)
    words.push_back(static_cast<std::uint64_t>(offset));
  return words;
}

void compare(Writer& writer, const std::vector<LaneValues>& register_values,
             const ptx::Instruction& instruction, const std::vector<std::uint32_t>& registers) {
  Ir& ir = writer.ir;
  for (const std::uint32_t r : registers) {
    const ptx::Type type = writer.function().registers.at(r).type;
    // Registers that only the code of a meeting has are not the program's.
    if (r >= register_values.size() ||
        !says_something(register_values[r], type, writer.by_thread()))
      continue;
    const unsigned lanes = writer.analysis().register_values[r].is_vector() ? kLanes : 1;
    const Value value = writer.read_register(r, lanes);
    const Value bits = ir.bitcast(value, fmt::format("i{}", bits_of(value.element)));
    ir.store(ir.splat(ir.resize(bits, "i64", false), kLanes), writer.value_area(0), 64);
    const Value claim = ir.table(words_of(register_values[r], type, r, instruction.where.line));
    writer.call("emu_claim", {writer.mask(), claim});
  }
}

}  // namespace

void compare_read(Writer& writer, const std::vector<LaneValues>& register_values,
                  const ptx::Instruction& instruction) {
  writer.expect_bits_of(instruction);
  compare(writer, register_values, instruction, effects_of(instruction).reads);
}

void compare_written(Writer& writer, const std::vector<LaneValues>& register_values,
                     const ptx::Instruction& instruction) {
  compare(writer, register_values, instruction, effects_of(instruction).writes);
}

}  // namespace emulator::lower
