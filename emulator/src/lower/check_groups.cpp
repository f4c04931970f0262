#include "lower/check_groups.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "lower/access_strategy.h"
#include "lower/effects.h"
#include "lower/writer.h"
#include "ptx/opcode_facts.h"

namespace emulator::lower {
namespace {

using ptx::Effect;
using ptx::Instruction;
using ptx::Opcode;

// Offsets in PTX are 32 bits wide; the sums below do not overflow.
constexpr std::int64_t kFarthest = std::int64_t{1} << 32U;

// Behind these, other instructions may have been seen to act before the launch failed.
bool is_seen_outside(Effect effect) {
  switch (effect) {
    case Effect::updates:
    case Effect::copies:
    case Effect::mbarrier:
    case Effect::barrier:
    case Effect::yields:
    case Effect::takes_stack:
    case Effect::calls:
    case Effect::stops:
      return true;
    default:
      return false;
  }
}

class Finder {
 public:
  explicit Finder(Writer& writer) : writer_(writer) {}

  void visit(const Instruction& instruction) {
    const Effect effect = ptx::facts_of(instruction.opcode).effect;
    if (is_seen_outside(effect)) open_.clear();
    const bool loads = effect == Effect::loads;
    if (loads || effect == Effect::stores) join(instruction, loads);
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
    const AccessAddress::Inside inside = found.inside(bytes);
    const bool aligned = found.surely_aligned(bytes);
    if (inside == AccessAddress::Inside::known && aligned) return;
    const bool claimed = inside == AccessAddress::Inside::claimed && aligned;
    const AccessWay way = way_of(writer_, instruction, found);
    const bool uniform = way.kind == AccessWay::Kind::uniform;
    const bool vectors =
        way.kind == AccessWay::Kind::vectors && (claimed || (loads && writer_.mask_is_full()));
    if (!uniform && !vectors) return;
    const std::int64_t offset = address->offset;
    if (offset < -kFarthest || offset > kFarthest || wraps_early(*base, instruction.space)) return;

    auto& group = open_[{base->index, instruction.space, loads, claimed}];
    const LaneOffsets& lanes = claimed ? found.window_offsets() : way.offset;
    const auto most = claimed ? static_cast<std::int64_t>(found.window_bytes()) : kFarthest;
    if (!group || (offset - first_offset(*group)) % bytes != 0 ||
        !add(*group, instruction, lanes, bytes, most)) {
      group = std::make_shared<CheckGroup>();
      group->claimed = claimed;
      groups_.push_back(group);
      add(*group, instruction, lanes, bytes, INT64_MAX);
    }
  }

  // Whether the stretch that is checked stays that short.
  static bool add(CheckGroup& group, const Instruction& instruction, const LaneOffsets& lanes,
                  unsigned bytes, std::int64_t most) {
    const bool is_first = group.members.empty();
    const std::int64_t distance = is_first ? 0 : offset_of(instruction) - first_offset(group);
    const auto [lowest, highest] = std::ranges::minmax(lanes);
    const std::int64_t low = std::min(is_first ? INT64_MAX : group.low, distance + lowest);
    const std::int64_t high =
        std::max(is_first ? INT64_MIN : group.high, distance + highest + bytes);
    if (high - low > most) return false;
    group.low = low;
    group.high = high;
    group.alignment = std::max(group.alignment, bytes);
    group.members.push_back({&instruction, distance});
    return true;
  }

  // A narrow register and its offset are added at its width. Where that wraps around, the accesses
  // are not as far apart as their offsets; in shared memory no such sum passes the check.
  [[nodiscard]] bool wraps_early(ptx::Register base, ptx::Space space) const {
    const unsigned bits = ptx::bits(writer_.function().registers.at(base.index).type);
    return bits < 32 || (bits < 64 && space != ptx::Space::shared && space != ptx::Space::local);
  }

  [[nodiscard]] static std::int64_t offset_of(const Instruction& instruction) {
    const ptx::Operand& operand = instruction.operands.at(instruction.opcode == Opcode::st ? 0 : 1);
    return std::get<ptx::Address>(operand.value).offset;
  }
  [[nodiscard]] static std::int64_t first_offset(const CheckGroup& group) {
    return offset_of(*group.members.front().instruction);
  }

  Writer& writer_;
  // By register, space, whether they load, and whether they are claimed to be inside.
  std::map<std::tuple<std::uint32_t, ptx::Space, bool, bool>, std::shared_ptr<CheckGroup>> open_;
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
