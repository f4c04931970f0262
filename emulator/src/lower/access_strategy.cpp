#include "lower/access_strategy.h"

#include <algorithm>
#include <vector>

#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Opcode;

// More runs than this and the access is taken lane by lane: each costs a load and a shuffle.
constexpr std::size_t kMostRuns = 8;

// Loads read over gaps up to this size, so that a strided access is one wide load and a shuffle:
// what lies between is inside the span that is checked. A cache line.
constexpr std::int64_t kBridgedGap = 64;

// Where the runs are longer than this many times what the lanes want, each lane is loaded by
// itself: LLVM picks elements out of long vectors by code that grows, and takes time, with the
// square of their length.
constexpr std::int64_t kMostWaste = 4;

// Lanes farther apart than any memory is long are taken one by one: from here on, no sum of offsets
// overflows, and no stretch of addresses goes round the end of the address space.
constexpr std::int64_t kFarthestOffset = std::int64_t{1} << 47U;

[[nodiscard]] bool overflows(const LaneOffsets& offset) {
  return std::ranges::any_of(
      offset, [](std::int64_t o) { return o < -kFarthestOffset || o > kFarthestOffset; });
}

[[nodiscard]] std::size_t distinct(const LaneOffsets& offset) {
  std::vector<std::int64_t> sorted(offset.begin(), offset.end());
  std::ranges::sort(sorted);
  return sorted.size() - std::ranges::unique(sorted).size();
}

[[nodiscard]] LaneOffsets consecutive(unsigned bytes) {
  LaneOffsets offset{};
  for (std::size_t lane = 0; lane < offset.size(); ++lane)
    offset[lane] = static_cast<std::int64_t>(lane * bytes);
  return offset;
}

[[nodiscard]] bool scalars_are_stored(const Writer& writer, const Instruction& instruction) {
  const unsigned bits = ptx::bits(instruction.type());
  return std::ranges::all_of(
      elements_of(instruction.operands.at(1)),
      [&](const ptx::Operand& operand) { return writer.lane_values(operand, bits).is_uniform(); });
}

}  // namespace

unsigned lane_bytes(const Instruction& instruction) {
  return ptx::bits(instruction.type()) / 8 * instruction.vector_width;
}

bool is_volatile(const Instruction& instruction) {
  return instruction.has(Modifier::volatile_) || instruction.has(Modifier::relaxed) ||
         instruction.has(Modifier::acquire) || instruction.has(Modifier::release) ||
         instruction.has(Modifier::mmio);
}

std::int64_t bridged_gap(const Instruction& instruction) {
  return instruction.opcode == Opcode::st ? 0 : kBridgedGap;
}

AccessWay way_of(const Writer& writer, const Instruction& instruction,
                 const AccessAddress& address) {
  const bool stores = instruction.opcode == Opcode::st;
  const unsigned bytes = lane_bytes(instruction);
  const LaneValues& lane_values = address.lane_values();
  AccessWay way;
  if (lane_values.is_uniform() && (stores ? scalars_are_stored(writer, instruction)
                                          : !writer.result(instruction).is_vector())) {
    way.kind = AccessWay::Kind::uniform;
    return way;
  }
  const bool known = !lane_values.is_vector();
  way.offset = known || lane_values.guess ? lane_values.offset : consecutive(bytes);
  if (overflows(way.offset)) return way;
  const bool aligned = std::ranges::all_of(
      way.offset, [&](std::int64_t o) { return (o - way.offset[0]) % bytes == 0; });
  if (!aligned) return way;
  const std::vector<Run> runs = runs_of(way.offset, bytes, bridged_gap(instruction));
  if (stores) {
    if (runs.size() > kMostRuns || distinct(way.offset) != kLanes) return way;
  } else {
    std::int64_t covered = 0;
    for (const Run& run : runs) covered += run.bytes();
    way.gathers = runs.size() > kMostRuns || covered > kMostWaste * kLanes * bytes;
    if (way.gathers && is_volatile(instruction)) return way;
  }
  way.kind = known ? AccessWay::Kind::vectors : AccessWay::Kind::guess;
  return way;
}

}  // namespace emulator::lower
