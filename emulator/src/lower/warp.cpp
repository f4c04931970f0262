// What lanes and warps do together: barriers, votes, shuffles, matches, reductions, fences; and
// trap.
#include "lower/warp.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "lower/effects.h"
#include "lower/numeric.h"
#include "lower/operand_types.h"
#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;

class Together {
 public:
  Together(Writer& writer, const Instruction& instruction)
      : writer_(writer), ir_(writer.ir), instruction_(instruction) {}

  void barrier() {
    if (instruction_.has(Modifier::warp)) return require_members(instruction_.operands.at(0));
    writer_.note_suspension();
    if (instruction_.has(Modifier::cluster)) return cluster_barrier();
    const bool reduces = instruction_.has(Modifier::red);
    const std::size_t first = reduces ? 1 : 0;
    const std::size_t predicate = instruction_.operands.size() - 1;
    const std::size_t end = reduces ? predicate : instruction_.operands.size();
    const Value id = end > first ? agreed(instruction_.operands.at(first)) : number(0);
    const Value threads = end > first + 1 ? agreed(instruction_.operands.at(first + 1)) : number(0);
    const Value line = number(instruction_.where.line);
    if (!reduces) {
      const Value arrive = number(instruction_.has(Modifier::arrive) ? 1 : 0);
      return writer_.call("emu_barrier", {writer_.mask(), id, threads, line, arrive});
    }
    const Value bits = ir_.to_mask(writer_.read(instruction_.operands.at(predicate), "i1", kLanes));
    const unsigned operation =
        instruction_.has(Modifier::popc) ? 0 : (instruction_.has(Modifier::and_) ? 1 : 2);
    Value result = writer_.call(
        "emu_barrier_reduce", {writer_.mask(), id, threads, line, bits, number(operation)}, "i32");
    if (operation != 0) result = ir_.compare("icmp ne", result, 0);
    writer_.write_result(instruction_, result);
  }

  void cluster_barrier() {
    const bool waits = instruction_.has(Modifier::wait);
    if (waits == instruction_.has(Modifier::arrive)) unsupported(instruction_);
    writer_.call("emu_cluster_barrier",
                 {writer_.mask(), number(instruction_.where.line), number(waits ? 1 : 0)});
  }

  void vote() {
    const bool sync = instruction_.has(Modifier::sync);
    if (sync) require_members(instruction_.operands.at(2));
    const Value group = sync ? group_of(instruction_.operands.at(2)) : writer_.mask();
    const Value yes = ir_.to_mask(writer_.read(instruction_.operands.at(1), "i1", kLanes));
    const Value bits = ir_.binary("and", ir_.splat(yes, group.lanes), group);
    if (instruction_.has(Modifier::ballot)) return writer_.write_result(instruction_, bits);
    const Value any = ir_.compare("icmp ne", bits, 0);
    const Value all = ir_.compare("icmp eq", bits, group);
    if (instruction_.has(Modifier::any)) return writer_.write_result(instruction_, any);
    if (instruction_.has(Modifier::all)) return writer_.write_result(instruction_, all);
    writer_.write_result(instruction_, ir_.binary("or", all, ir_.binary("xor", any, 1)));
  }

  // shfl.sync.mode d|p, a, b, c, members: lane l takes a from lane j(l), or its own where j is
  // outside the segment that c describes (PTX ISA, shfl).
  void shuffle() {
    if (instruction_.has(Modifier::sync)) require_members(instruction_.operands.at(4));
    const Value lane = lane_numbers();
    const Value b = ir_.binary("and", vector32(2), 31);
    const Value c = vector32(3);
    const Value segment = ir_.binary("and", ir_.binary("lshr", c, 8), 31);
    const Value outside_segment = ir_.binary("xor", segment, 31);
    const Value lowest = ir_.binary("and", lane, segment);
    const Value limit =
        ir_.binary("or", lowest, ir_.binary("and", ir_.binary("and", c, 31), outside_segment));
    Value source;
    Value in_range;
    if (instruction_.has(Modifier::up)) {
      source = ir_.binary("sub", lane, b);
      in_range = ir_.compare("icmp sge", source, limit);
    } else {
      if (instruction_.has(Modifier::down)) {
        source = ir_.binary("add", lane, b);
      } else if (instruction_.has(Modifier::bfly)) {
        source = ir_.binary("xor", lane, b);
      } else {
        source = ir_.binary("or", lowest, ir_.binary("and", b, outside_segment));
      }
      in_range = ir_.compare("icmp sle", source, limit);
    }
    source = ir_.select(in_range, source, lane);
    const Value a = vector32(1);
    Value result;
    if (const auto picks = constant_sources()) {
      result = ir_.shuffle(a, {"poison", a.element, a.lanes}, *picks);
    } else {
      ir_.store(a, writer_.value_area(0), 64);
      result = gather(writer_.value_area(0), source);
    }
    const ptx::Operand& destination = instruction_.operands.at(0);
    if (const auto* pair = std::get_if<ptx::Pair>(&destination.value)) {
      writer_.write(pair->both.at(0), result, LaneValues::any());
      writer_.write(pair->both.at(1), in_range, LaneValues::any());
    } else {
      writer_.write(destination, result, LaneValues::any());
    }
  }

  // The lanes whose value equals this lane's (any), or all of them if all are equal (all).
  void match() {
    require_members(instruction_.operands.at(2));
    const std::string element = integer_of(instruction_.type());
    const Value a = writer_.read(instruction_.operands.at(1), element, kLanes);
    Value equal_lanes = Ir::constant(0, "i32", kLanes);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const Value same = ir_.compare("icmp eq", a, ir_.splat(ir_.extract(a, lane), kLanes));
      const Value bit = Ir::constant(std::uint64_t{1} << lane, "i32", kLanes);
      equal_lanes =
          ir_.binary("or", equal_lanes, ir_.select(same, bit, Ir::constant(0, "i32", kLanes)));
    }
    const Value members = ir_.splat(group_of(instruction_.operands.at(2)), kLanes);
    equal_lanes = ir_.binary("and", equal_lanes, members);
    const ptx::Operand& destination = instruction_.operands.at(0);
    if (instruction_.has(Modifier::any))
      return writer_.write(destination, equal_lanes, LaneValues::any());
    const Value all = ir_.compare("icmp eq", equal_lanes, members);
    const Value result = ir_.select(all, members, Ir::constant(0, "i32", kLanes));
    if (const auto* pair = std::get_if<ptx::Pair>(&destination.value)) {
      writer_.write(pair->both.at(0), result, LaneValues::any());
      writer_.write(pair->both.at(1), all, LaneValues::any());
    } else {
      writer_.write(destination, result, LaneValues::any());
    }
  }

  void reduce() {
    require_members(instruction_.operands.at(2));
    const bool is_signed = ptx::is_signed(instruction_.type());
    const char* operation = nullptr;
    std::uint64_t identity = 0;
    if (instruction_.has(Modifier::add)) operation = "add";
    if (instruction_.has(Modifier::or_)) operation = "or";
    if (instruction_.has(Modifier::xor_)) operation = "xor";
    if (instruction_.has(Modifier::and_)) operation = "and", identity = 0xffffffff;
    if (instruction_.has(Modifier::min)) {
      operation = is_signed ? "smin" : "umin";
      identity = is_signed ? 0x7fffffff : 0xffffffff;
    }
    if (instruction_.has(Modifier::max)) {
      operation = is_signed ? "smax" : "umax";
      identity = is_signed ? 0x80000000 : 0;
    }
    if (operation == nullptr) unsupported(instruction_);
    const Value a = vector32(1);
    write_for_groups([&](const Value& lanes) {
      return reduced(operation,
                     ir_.select(ir_.from_mask(lanes), a, Ir::constant(identity, "i32", kLanes)));
    });
  }

  // redux.sync.{min,max}{.abs}{.NaN}.f32, by integers that are ordered as the numbers are.
  void reduce_floats() {
    using ptx::Type;
    require_operands(writer_, instruction_, {Type::f32, Type::f32, Type::u32});
    require_members(instruction_.operands.at(2));
    const bool maximum = instruction_.has(Modifier::max);
    Value bits = vector32(1);
    if (instruction_.has(Modifier::abs)) bits = ir_.binary("and", bits, 0x7fffffff);
    const Value keys = extreme_key(ir_, bits, maximum, instruction_.has(Modifier::NaN));
    const Value identity = Ir::constant(maximum ? 0x80000000 : 0x7fffffff, "i32", kLanes);
    write_for_groups([&](const Value& lanes) {
      const Value key =
          reduced(maximum ? "smax" : "smin", ir_.select(ir_.from_mask(lanes), keys, identity));
      return float_of_key(ir_, key);
    });
  }

  void elect() {
    require_members(instruction_.operands.at(1));
    const Value group = ir_.splat(group_of(instruction_.operands.at(1)), kLanes);
    ir_.declare("declare <32 x i32> @llvm.cttz.v32i32(<32 x i32>, i1)");
    const Value lowest =
        ir_.define(fmt::format("call <32 x i32> @llvm.cttz.v32i32({}, i1 false)", group.typed()),
                   "i32", kLanes);
    const Value elected = ir_.compare("icmp eq", lane_numbers(), lowest);
    if (const auto* pair = std::get_if<ptx::Pair>(&instruction_.operands.at(0).value)) {
      writer_.write(pair->both.at(0), lowest, LaneValues::any());
      writer_.write(pair->both.at(1), elected, LaneValues::any());
    } else {
      unsupported(instruction_);
    }
  }

  Value named_by_any(const Value& lanes) {
    Value those = lanes;
    if (instruction_.guard) {
      const Value holds = writer_.read_register(instruction_.guard->predicate.index, kLanes);
      const Value mask = ir_.to_mask(holds);
      those = ir_.binary(
          "and", those,
          instruction_.guard->negated ? ir_.binary("xor", mask, ~std::uint64_t{0}) : mask);
    }
    const auto operand = members_operand(instruction_);
    const Value members = operand ? writer_.read(instruction_.operands.at(*operand), "i32", kLanes)
                                  : Ir::constant(0xffffffff, "i32", kLanes);
    return reduced("or", ir_.select(ir_.from_mask(those), members, Ir::constant(0, "i32", kLanes)));
  }

  void stop(runtime::FaultKind kind) {
    writer_.call("emu_fault", {number(static_cast<std::uint64_t>(kind)), writer_.mask(),
                               number(instruction_.where.line)});
  }

 private:
  Value vector32(std::size_t operand) {
    return writer_.read(instruction_.operands.at(operand), "i32", kLanes);
  }
  static Value lane_numbers() {
    LaneOffsets lanes{};
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
      lanes[lane] = static_cast<std::int64_t>(lane);
    return Ir::lane_constants(lanes, "i32");
  }
  // All 32 values as one.
  Value reduced(const std::string& operation, const Value& values) {
    const std::string name = fmt::format("@llvm.vector.reduce.{}.v32i32", operation);
    ir_.declare(fmt::format("declare i32 {}(<32 x i32>)", name));
    return ir_.define(fmt::format("call i32 {}({})", name, values.typed()), "i32", 1);
  }

  // Lanes that name different members carry an instruction out in groups, at the same time: tiles
  // of cooperative_groups do that. Whether all are known to name the same; threads that run by
  // themselves meet group by group.
  [[nodiscard]] bool one_group(const ptx::Operand& members) const {
    return writer_.by_thread() || writer_.lane_values(members, 32).is_uniform();
  }
  // The lanes that each lane carries it out with: one mask, or 32 of them.
  Value group_of(const ptx::Operand& members) {
    if (one_group(members)) return writer_.mask();
    return ir_.binary("and", writer_.read(members, "i32", kLanes),
                      ir_.splat(writer_.mask(), kLanes));
  }
  // What `result` of its group's mask is, for each lane.
  template <typename Result>
  Value group_by_group(const Result& result) {
    const Value groups = group_of(instruction_.operands.at(2));
    const Value rest = ir_.slot("i32", 1);
    const Value results = writer_.value_area(0);
    ir_.store(writer_.mask(), rest, 4);
    const std::string next = ir_.label("group.next");
    const std::string done = ir_.label("group.done");
    ir_.jump(next);
    ir_.begin_block(next);
    const Value left = ir_.load(rest, "i32", 1, 4);
    const Value lowest = ir_.lowest_lane(left);
    const Value itself = ir_.binary("shl", number(1), lowest);
    const Value group = ir_.binary("or", ir_.extract(groups, lowest), itself);
    const Value each = ir_.splat(result(group), kLanes);
    ir_.store(ir_.select(ir_.from_mask(group), each, ir_.load(results, "i32", kLanes, 64)), results,
              64);
    const Value after = ir_.binary("and", left, ir_.binary("xor", group, ~std::uint64_t{0}));
    ir_.store(after, rest, 4);
    ir_.branch(ir_.compare("icmp ne", after, 0), next, done);
    ir_.begin_block(done);
    return ir_.load(results, "i32", kLanes, 64);
  }

  // What `result` of the mask of operand 2 is, of one group or of several.
  template <typename Result>
  void write_for_groups(const Result& result) {
    if (one_group(instruction_.operands.at(2))) {
      return writer_.write_result(instruction_, result(writer_.mask()));
    }
    writer_.write_result(instruction_, group_by_group(result));
  }

  // An operand on which all lanes agree, as one scalar: the lowest running lane's.
  Value agreed(const ptx::Operand& operand) {
    if (writer_.lane_values(operand, 32).is_uniform()) return writer_.read(operand, "i32", 1);
    return ir_.extract(writer_.read(operand, "i32", kLanes), ir_.lowest_lane(writer_.mask()));
  }

  // All lanes named in the mask that have not exited must be running here, and no others: an
  // operation among lanes of which some are elsewhere would take values that are not theirs, and
  // what a lane gets that its own mask leaves out is undefined.
  void require_members(const ptx::Operand& members) {
    // Threads that run by themselves meet first, and emu_meet looks at both.
    if (writer_.by_thread()) return;
    const Value live =
        ir_.load(writer_.context_field(offsetof(runtime::WarpContext, live)), "i32", 1, 4);
    const Value named = ir_.binary("and", named_by(members), live);
    const Value outside = outside_their_mask(members, named);
    const Value absent =
        ir_.binary("and", named, ir_.binary("xor", writer_.mask(), ~std::uint64_t{0}));
    const std::string bad = ir_.label("members.wrong");
    const std::string good = ir_.label("members.right");
    ir_.branch(ir_.compare("icmp ne", ir_.binary("or", outside, absent), 0), bad, good, true);
    ir_.begin_block(bad);
    report_members(outside, absent);
    ir_.jump(good);
    ir_.begin_block(good);
  }

  void report_members(const Value& outside, const Value& absent) {
    const Value line = number(instruction_.where.line);
    const std::string not_named = ir_.label("members.outside");
    const std::string not_here = ir_.label("members.absent");
    ir_.branch(ir_.compare("icmp ne", outside, 0), not_named, not_here);
    ir_.begin_block(not_named);
    writer_.call("emu_outside_mask", {outside, line});
    ir_.jump(not_here);
    ir_.begin_block(not_here);
    writer_.call("emu_fault",
                 {number(static_cast<std::uint64_t>(runtime::FaultKind::barrier)), absent, line});
  }

  // The lanes that any of those running here names.
  Value named_by(const ptx::Operand& members) {
    if (one_group(members)) return agreed(members);
    return reduced("or",
                   ir_.select(ir_.from_mask(writer_.mask()), writer_.read(members, "i32", kLanes),
                              Ir::constant(0, "i32", kLanes)));
  }
  // The lanes running here that their own mask leaves out; `named` is of the whole group.
  Value outside_their_mask(const ptx::Operand& members, const Value& named) {
    if (one_group(members))
      return ir_.binary("and", writer_.mask(), ir_.binary("xor", named, ~std::uint64_t{0}));
    const Value own = ir_.binary("shl", ir_.splat(number(1), kLanes), lane_numbers());
    const Value lacking =
        ir_.compare("icmp eq", ir_.binary("and", writer_.read(members, "i32", kLanes), own), 0);
    return ir_.binary("and", writer_.mask(), ir_.to_mask(lacking));
  }

  // The source lanes of a shuffle whose b and c are constants.
  std::optional<std::vector<int>> constant_sources() {
    const LaneValues b = writer_.lane_values(instruction_.operands.at(2), 32);
    const LaneValues c = writer_.lane_values(instruction_.operands.at(3), 32);
    if (!b.is_constant() || !c.is_constant()) return std::nullopt;
    const int distance = static_cast<int>(b.range.low) & 31;
    const int segment = (static_cast<int>(c.range.low) >> 8) & 31;
    const int clamp = static_cast<int>(c.range.low) & 31;
    std::vector<int> picks;
    for (int lane = 0; lane < static_cast<int>(kLanes); ++lane) {
      const int lowest = lane & segment;
      const int limit = lowest | (clamp & ~segment);
      int source = 0;
      bool in_range = false;
      if (instruction_.has(Modifier::up)) {
        source = lane - distance;
        in_range = source >= limit;
      } else {
        source = instruction_.has(Modifier::down)   ? lane + distance
                 : instruction_.has(Modifier::bfly) ? lane ^ distance
                                                    : lowest | (distance & ~segment & 31);
        in_range = source <= limit;
      }
      picks.push_back(in_range ? source & 31 : lane);
    }
    return picks;
  }

  // 32-bit elements from an array by index.
  Value gather(const Value& array, const Value& index) {
    const Value pointers = ir_.define(
        fmt::format("getelementptr i32, {}, {}", array.typed(), index.typed()), "ptr", kLanes);
    ir_.declare(
        "declare <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr>, i32, <32 x i1>, <32 x "
        "i32>)");
    return ir_.define(
        fmt::format(
            "call <32 x i32> @llvm.masked.gather.v32i32.v32p0({}, i32 4, {}, <32 x i32> poison)",
            pointers.typed(), Ir::constant(1, "i1", kLanes).typed()),
        "i32", kLanes);
  }

  Writer& writer_;
  Ir& ir_;
  const Instruction& instruction_;
};

// PTX ISA, fence: what acquires a tensor map names its address and its size, and nothing else does.
void require_tensor_map(const Instruction& instruction) {
  const bool acquires =
      instruction.has(Modifier::tensormap_generic) && instruction.has(Modifier::acquire);
  if (acquires == instruction.operands.empty()) {
    unsupported(instruction, acquires ? "it has 2 operands" : "it has no operands");
  }
  if (!acquires) return;
  constexpr std::uint64_t kBytes = 128;
  const auto* size = std::get_if<ptx::Immediate>(&instruction.operands[1].value);
  if (size == nullptr || size->bits != kBytes) unsupported(instruction, "its size is 128");
}

}  // namespace

Value lanes_named_by(Writer& writer, const Instruction& instruction, const Value& lanes) {
  return Together(writer, instruction).named_by_any(lanes);
}

void lower_barrier(Writer& writer, const Instruction& instruction) {
  Together(writer, instruction).barrier();
}
void lower_vote(Writer& writer, const Instruction& instruction) {
  Together(writer, instruction).vote();
}
void lower_shfl(Writer& writer, const Instruction& instruction) {
  Together(writer, instruction).shuffle();
}
void lower_match(Writer& writer, const Instruction& instruction) {
  Together(writer, instruction).match();
}
void lower_redux(Writer& writer, const Instruction& instruction) {
  if (instruction.type() == ptx::Type::f32) return Together(writer, instruction).reduce_floats();
  Together(writer, instruction).reduce();
}
void lower_elect(Writer& writer, const Instruction& instruction) {
  Together(writer, instruction).elect();
}
void lower_activemask(Writer& writer, const Instruction& instruction) {
  writer.write_result(instruction, writer.mask());
}
void lower_fence(Writer& writer, const Instruction& instruction) {
  require_tensor_map(instruction);
  writer.ir.line("fence seq_cst");
}
void lower_nanosleep(Writer& writer, const Instruction& /*instruction*/) {
  writer.note_suspension();
  writer.call("emu_yield", {});
}
void lower_griddepcontrol(Writer& writer, const Instruction& instruction) {
  writer.note_suspension();
  if (instruction.has(Modifier::wait)) {
    writer.call("emu_await_launches", {number(instruction.where.line)});
  } else {
    writer.call("emu_trigger", {});
  }
}
void lower_trap(Writer& writer, const Instruction& instruction) {
  Together(writer, instruction).stop(runtime::FaultKind::trap);
}
void lower_brkpt(Writer& writer, const Instruction& instruction) {
  Together(writer, instruction).stop(runtime::FaultKind::bad_instruction);
}

}  // namespace emulator::lower
