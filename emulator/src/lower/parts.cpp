#include "lower/parts.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "lower/effects.h"

namespace emulator::lower {
namespace {

// Of a kernel that is cut because it is long. LLVM's schedulers compare every access of a block to
// memory, and so to the frame, with every other: with parts of 400 they took most of the time.
constexpr std::uint32_t kPart = 100;
// Of one that is cut to see that this changes nothing.
constexpr std::uint32_t kShortPart = 16;

// The blocks from the first to the last one in which a register's value must not get lost.
struct Stretch {
  std::uint32_t first = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t last = 0;

  void reach(std::uint32_t block) {
    first = std::min(first, block);
    last = std::max(last, block);
  }
};

std::vector<Stretch> stretches(const ptx::Function& function, const ControlFlow& flow,
                               const Analysis& analysis) {
  std::vector<Stretch> all(function.registers.size());
  for (std::uint32_t b = 0; b < flow.exit(); ++b) {
    IndexSet needed = flow.live_in[b];
    needed.merge(analysis.kept[b]);
    for (const std::uint32_t r : needed.items()) all[r].reach(b);
    for (std::uint32_t i = flow.blocks[b].first; i < flow.blocks[b].last; ++i) {
      for (const std::uint32_t r : effects_of(function.body[i]).writes) all[r].reach(b);
    }
  }
  return all;
}

std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + PartsFrame::kAlignment - 1) / PartsFrame::kAlignment * PartsFrame::kAlignment;
}

std::uint64_t bytes_of(ptx::Type type, const LaneValues& lane_values) {
  const std::uint64_t lanes = lane_values.is_vector() ? runtime::kWarpSize : 1;
  return aligned((ptx::bits(type) * lanes + 7) / 8);
}

}  // namespace

std::uint32_t part_length(const ptx::Function& function, PartsChoice choice) {
  const bool is_long = function.body.size() > kLongKernel;
  if (choice == PartsChoice::never || (choice == PartsChoice::automatic && !is_long)) {
    return std::numeric_limits<std::uint32_t>::max();
  }
  return is_long ? kPart : kShortPart;
}

std::uint64_t PartsFrame::reserve(std::uint64_t wanted) {
  const std::uint64_t at = bytes;
  bytes += aligned(wanted);
  return at;
}

PartsFrame parts_frame(const ptx::Function& function, const ControlFlow& flow,
                       const Analysis& analysis) {
  PartsFrame frame;
  frame.registers.resize(function.registers.size());
  frame.waiting = frame.reserve(std::uint64_t{flow.exit()} * 4);
  const auto bytes = [&](std::uint32_t r) {
    return bytes_of(function.registers[r].type, analysis.register_values[r]);
  };
  // Those that may be read before they are written have a place of their own, and are zero.
  for (const std::uint32_t r : flow.live_in[0].items())
    frame.registers[r] = frame.reserve(bytes(r));
  frame.zeros = frame.bytes;
  frame.running = frame.reserve(std::uint64_t{flow.exit()} * 4);

  IndexSet left(function.registers.size());  // by one block for another
  for (const IndexSet& live : flow.live_in) left.merge(live);
  // The runtime copies fragments of matrices from and to the frame (register_copies.h).
  for (const ptx::Instruction& instruction : function.body) {
    if (!is_of_matrices(instruction.opcode)) continue;
    const Effects effects = effects_of(instruction);
    for (const std::uint32_t r : effects.reads) left.insert(r);
    for (const std::uint32_t r : effects.writes) left.insert(r);
  }
  const std::vector<Stretch> needed = stretches(function, flow, analysis);
  std::vector<std::uint32_t> order;
  for (const std::uint32_t r : left.items()) {
    if (!frame.registers[r]) order.push_back(r);
  }
  std::ranges::sort(order, {}, [&](std::uint32_t r) { return std::pair(needed[r].first, r); });
  // By the bytes of a place: which are taken, by the last block that needs them, and free ones.
  std::multimap<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> taken;
  std::map<std::uint64_t, std::vector<std::uint64_t>> free;
  for (const std::uint32_t r : order) {
    while (!taken.empty() && taken.begin()->first < needed[r].first) {
      const auto [size, place] = taken.begin()->second;
      free[size].push_back(place);
      taken.erase(taken.begin());
    }
    std::vector<std::uint64_t>& places = free[bytes(r)];
    if (places.empty()) places.push_back(frame.reserve(bytes(r)));
    frame.registers[r] = places.back();
    taken.emplace(needed[r].last, std::pair(bytes(r), places.back()));
    places.pop_back();
  }
  return frame;
}

std::vector<std::uint32_t> first_blocks(const ControlFlow& flow, std::uint32_t part_length) {
  std::vector<std::uint32_t> firsts{0};
  std::uint32_t length = 0;
  for (std::uint32_t b = 0; b < flow.exit(); ++b) {
    // A branch at its end counts, and so does one that only falls through.
    const std::uint32_t block = flow.blocks[b].last - flow.blocks[b].first + 1;
    if (length != 0 && length + block > part_length) {
      firsts.push_back(b);
      length = 0;
    }
    length += block;
  }
  return firsts;
}

}  // namespace emulator::lower
