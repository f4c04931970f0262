#include "emulator/lower/check_groups.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <tuple>
#include <utility>

#include "emulator/lower/access_way.h"
#include "emulator/lower/effects.h"
#include "emulator/lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Opcode;

// Offsets in PTX are 32 bits wide; the sums below do not overflow.
constexpr std::int64_t kFarthest = std::int64_t{1} << 32U;

// Behind these, other instructions may have been seen to act before the launch failed.
bool is_seen_outside(Opcode opcode) {
  switch (opcode) {
    case Opcode::atom:
    case Opcode::red:
    case Opcode::bar:
    case Opcode::barrier:
    case Opcode::mbarrier:
    case Opcode::nanosleep:
    case Opcode::call:
    case Opcode::trap:
    case Opcode::brkpt:
    case Opcode::cp:
    case Opcode::alloca:
      return true;
    default:
      return false;
  }
}

class Finder {
 public:
  explicit Finder(Writer& writer) : writer_(writer) {}

  void visit(const Instruction& instruction) {
    if (is_seen_outside(instruction.opcode)) open_.clear();
    const bool loads = instruction.opcode == Opcode::ld || instruction.opcode == Opcode::ldu;
    if (loads || instruction.opcode == Opcode::st) join(instruction, loads);
    for (const std::uint32_t written : effects_of(instruction).writes) {
      std::erase_if(open_,
                    [written](const auto& group) { return std::get<0>(group.first) == written; });
    }
  }

  [[nodiscard]] CheckGroups groups() const {
    CheckGroups all;
    for (const auto& group : groups_) {
      for (const CheckGroup::Member& member : group->members) all[member.instruction] = group;
    }
    return all;
  }

 private:
  void join(const Instruction& instruction, bool loads) {
    const auto* address = std::get_if<ptx::Address>(&instruction.operands.at(loads ? 1 : 0).value);
    const auto* base = address == nullptr ? nullptr : std::get_if<ptx::Register>(&address->base);
    if (base == nullptr || instruction.guard || instruction.vector_width == 0) return;
    const unsigned bytes = lane_bytes(instruction);
    if (bytes == 0) return;
    const AccessAddress found(writer_, instruction.operands.at(loads ? 1 : 0), instruction.space);
    if (found.surely_inside(bytes) && found.surely_aligned(bytes)) return;
    const AccessWay way = way_of(writer_, instruction, found);
    const bool uniform = way.kind == AccessWay::Kind::uniform;
    const bool vectors = loads && way.kind == AccessWay::Kind::vectors && writer_.mask_is_full();
    if (!uniform && !vectors) return;

    auto& group = open_[{base->index, instruction.space, loads}];
    const std::int64_t offset = address->offset;
    if (std::abs(offset) > kFarthest) return;
    if (!group || (offset - first_offset(*group)) % bytes != 0) {
      group = std::make_shared<CheckGroup>();
      groups_.push_back(group);
    }
    const std::int64_t distance = group->members.empty() ? 0 : offset - first_offset(*group);
    const auto [lowest, highest] = std::ranges::minmax(way.offset);
    const std::int64_t low = distance + lowest;
    const std::int64_t high = distance + highest + bytes;
    const bool is_first = group->members.empty();
    group->low = is_first ? low : std::min(group->low, low);
    group->high = is_first ? high : std::max(group->high, high);
    group->alignment = std::max(group->alignment, bytes);
    group->members.push_back({&instruction, distance});
  }

  [[nodiscard]] static std::int64_t first_offset(const CheckGroup& group) {
    const Instruction& first = *group.members.front().instruction;
    const ptx::Operand& operand = first.operands.at(first.opcode == Opcode::st ? 0 : 1);
    return std::get<ptx::Address>(operand.value).offset;
  }

  Writer& writer_;
  std::map<std::tuple<std::uint32_t, ptx::Space, bool>, std::shared_ptr<CheckGroup>> open_;
  std::vector<std::shared_ptr<CheckGroup>> groups_;
};

}  // namespace

CheckGroups check_groups(Writer& writer, std::uint32_t first, std::uint32_t last) {
  if (writer.by_thread()) return {};
  Finder finder(writer);
  for (std::uint32_t i = first; i < last; ++i) finder.visit(writer.function().body[i]);
  return finder.groups();
}

}  // namespace emulator::lower
