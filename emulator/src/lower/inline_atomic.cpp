#include "lower/inline_atomic.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>

#include "lower/numeric.h"
#include "ptx/opcode_facts.h"
#include "runtime/gathered_sums.h"

namespace emulator::lower {
namespace {

using ptx::Modifier;
using runtime::AtomicOp;
using runtime::AtomicType;

bool is_float(AtomicType type) { return type == AtomicType::f32 || type == AtomicType::f64; }

// What atomicrmw of LLVM calls it; null where it has no such operation.
const char* name_of(AtomicOp operation, AtomicType type) {
  const bool is_signed = type == AtomicType::s32 || type == AtomicType::s64;
  switch (operation) {
    case AtomicOp::add:
      return "add";
    case AtomicOp::min:
      return is_signed ? "min" : "umin";
    case AtomicOp::max:
      return is_signed ? "max" : "umax";
    case AtomicOp::and_:
      return "and";
    case AtomicOp::or_:
      return "or";
    case AtomicOp::xor_:
      return "xor";
    case AtomicOp::exch:
      return "xchg";
    default:
      return nullptr;
  }
}

// Whether nobody can tell when such an addition is carried out (runtime/gathered_sums.h).
bool may_be_gathered(const Writer& writer, const ptx::Instruction& instruction,
                     InlineAtomic::Form form) {
  return form.operation == AtomicOp::add && !form.gives_old && !is_float(form.type) &&
         instruction.space == ptx::Space::global && !instruction.has(Modifier::sys) &&
         !writer.orders_memory();
}

}  // namespace

InlineAtomic::InlineAtomic(Writer& writer, const ptx::Instruction& instruction, Form form)
    : writer_(writer),
      ir_(writer.ir),
      form_(form),
      element_(integer_of(instruction.type())),
      bytes_(ptx::bits(instruction.type()) / 8),
      shared_(instruction.space == ptx::Space::shared),
      gathers_(may_be_gathered(writer, instruction, form)) {}

bool InlineAtomic::orders_memory(const ptx::Function& function) {
  return std::ranges::any_of(function.body, [](const ptx::Instruction& instruction) {
    switch (ptx::facts_of(instruction.opcode).effect) {
      case ptx::Effect::orders:
      case ptx::Effect::copies:
      case ptx::Effect::mbarrier:
      case ptx::Effect::calls:
        return true;
      default:
        return instruction.has(Modifier::acquire) || instruction.has(Modifier::release) ||
               instruction.has(Modifier::acq_rel) || instruction.has(Modifier::sc);
    }
  });
}

bool InlineAtomic::suits(const Writer& writer, const ptx::Instruction& instruction, Form form) {
  if (writer.by_thread() || writer.parts_frame() != nullptr || instruction.vector_width > 1) {
    return false;
  }
  switch (form.type) {
    case AtomicType::u32:
    case AtomicType::s32:
    case AtomicType::u64:
    case AtomicType::s64:
      break;
    case AtomicType::f32:
      // Whether its subnormals are flushed hangs on where the address leads.
      if (instruction.space == ptx::Space::generic) return false;
      [[fallthrough]];
    case AtomicType::f64:
      if (form.operation != AtomicOp::add) return false;
      break;
    default:
      return false;
  }
  switch (instruction.space) {
    case ptx::Space::global:
      return true;
    case ptx::Space::shared:
      // The runtime knows where another block's is, and looks whether a product is reading there.
      return !writer.layout().clustered && !writer.has_products();
    case ptx::Space::generic:
      return !writer.has_products();
    default:
      return false;
  }
}

void InlineAtomic::write(AccessAddress& address, const Value& lanes, std::uint32_t site) {
  const std::string fast = ir_.label("atomic.fast");
  const std::string slow = ir_.label("atomic.slow");
  const std::string done = ir_.label("atomic.done");
  ir_.branch(some_lane_is_bad(address, lanes, site), slow, fast, true);
  ir_.begin_block(slow);
  call_runtime(site, writer_.mask());
  ir_.jump(done);
  ir_.begin_block(fast);
  if (gathers_) gather(site, done);
  each_lane([&](const Lane& lane) { update(lane); });
  ir_.jump(done);
  ir_.begin_block(done);
}

void InlineAtomic::call_runtime(std::uint32_t site, const Value& lanes) {
  const std::uint32_t gathered = gathers_ ? runtime::kMayBeGathered : 0;
  writer_.cold_call("emu_atomic", {number(site), lanes,
                                   number(static_cast<std::uint32_t>(form_.operation) | gathered),
                                   number(static_cast<std::uint64_t>(form_.type))});
}

// Where the worker gathers such sums: adds to them, and goes on at `done`. What has no entry there
// is the runtime's.
void InlineAtomic::gather(std::uint32_t site, const std::string& done) {
  using runtime::GatheredSums;
  const std::string gathers = ir_.label("atomic.gathers");
  const std::string missed = ir_.label("atomic.missed");
  const std::string locked = ir_.label("atomic.locked");
  const Value sums =
      ir_.load(writer_.context_field(offsetof(runtime::WarpContext, sums)), "ptr", 1, 8);
  const Value taken = ir_.load(ir_.pointer_offset(sums, GatheredSums::bytes_offset()), "i64", 1, 8);
  ir_.branch(ir_.compare("icmp eq", taken, bytes_), gathers, locked);
  ir_.begin_block(gathers);
  const Value warps = ir_.pointer_offset(sums, GatheredSums::warps_offset());
  ir_.store(ir_.binary("add", ir_.load(warps, "i64", 1, 8), 1), warps, 8);
  const Value misses = ir_.slot("i32", 1);
  ir_.store(Ir::constant(0, "i32", 1), misses, 4);
  const Value entries = ir_.pointer_offset(sums, GatheredSums::entries_offset());
  each_lane([&](const Lane& lane) {
    const std::string hit = ir_.label("atomic.hit");
    const std::string miss = ir_.label("atomic.miss");
    const std::string next = ir_.label("atomic.next");
    constexpr std::uint64_t kDistance = sizeof(GatheredSums::Entry) / GatheredSums::kBytesPerIndex;
    constexpr std::uint64_t kMask = (GatheredSums::kEntries - 1) * sizeof(GatheredSums::Entry);
    const Value entry = ir_.pointer_add(
        entries, ir_.binary("and", ir_.binary("mul", lane.address, kDistance), kMask));
    const Value sum = ir_.pointer_offset(entry, offsetof(GatheredSums::Entry, sum));
    ir_.branch(ir_.compare("icmp eq", ir_.load(entry, "i64", 1, 8), lane.address), hit, miss);
    ir_.begin_block(hit);
    ir_.store(ir_.binary("add", ir_.load(sum, element_, 1, 8), lane.operand), sum, 8);
    ir_.jump(next);
    ir_.begin_block(miss);
    const Value bit =
        ir_.binary("shl", Ir::constant(1, "i32", 1), ir_.resize(lane.index, "i32", false));
    ir_.store(ir_.binary("or", ir_.load(misses, "i32", 1, 4), bit), misses, 4);
    ir_.jump(next);
    ir_.begin_block(next);
  });
  const Value lanes = ir_.load(misses, "i32", 1, 4);
  ir_.branch(ir_.compare("icmp ne", lanes, 0), missed, done, true);
  ir_.begin_block(missed);
  call_runtime(site, lanes);
  ir_.jump(done);
  ir_.begin_block(locked);
}

// Rotated to the right, an address that is no multiple of the size is as large as none that is.
Value InlineAtomic::some_lane_is_bad(AccessAddress& address, const Value& lanes,
                                     std::uint32_t site) {
  const auto shift = static_cast<unsigned>(std::countr_zero(bytes_));
  Value distance = lanes;
  Value words;
  if (shared_) {
    words = ir_.binary("lshr", writer_.shared_bytes(), shift);
  } else {
    Value begin;
    words = words_of_range(site, begin);
    distance = ir_.binary("sub", lanes, ir_.splat(begin, kLanes));
  }
  const Value place =
      address.surely_aligned(bytes_)
          ? ir_.binary("lshr", distance, shift)
          : ir_.intrinsic("fshr", {distance, distance, Ir::constant(shift, "i64", kLanes)}, "i64",
                          kLanes);
  const Value outside = ir_.to_mask(ir_.compare("icmp uge", place, ir_.splat(words, kLanes)));
  if (writer_.mask_is_full()) return ir_.compare("icmp ne", outside, 0);
  const Value mask = writer_.mask();
  return ir_.binary("or", ir_.compare("icmp ne", ir_.binary("and", outside, mask), 0),
                    ir_.compare("icmp eq", mask, 0));
}

// How many elements the range holds that the site saw last: none where there is no such range, or
// where it begins between two of them.
Value InlineAtomic::words_of_range(std::uint32_t site, Value& begin) {
  const Value range =
      ir_.pointer_offset(writer_.ranges(), std::uint64_t{site} * sizeof(runtime::Range));
  begin = ir_.load(range, "i64", 1, 8);
  const Value end = ir_.load(ir_.pointer_offset(range, 8), "i64", 1, 8);
  const Value size = ir_.intrinsic("usub.sat", {end, begin}, "i64", 1);
  const Value aligned = ir_.compare("icmp eq", ir_.binary("and", begin, bytes_ - 1), 0);
  return ir_.select(aligned,
                    ir_.binary("lshr", size, static_cast<std::uint64_t>(std::countr_zero(bytes_))),
                    Ir::constant(0, "i64", 1));
}

void InlineAtomic::each_lane(const std::function<void(const Lane&)>& carry_out) {
  const Value rest = ir_.slot("i32", 1);
  const std::string next = ir_.label("atomic.lane");
  const std::string end = ir_.label("atomic.end");
  ir_.store(writer_.mask(), rest, 4);
  ir_.jump(next);
  ir_.begin_block(next);
  const Value left = ir_.load(rest, "i32", 1, 4);
  ir_.declare("declare i32 @llvm.cttz.i32(i32, i1)");
  const Value lane = ir_.cast(
      "zext",
      ir_.define(fmt::format("call i32 @llvm.cttz.i32({}, i1 true)", left.typed()), "i32", 1),
      "i64");
  carry_out({lane,
             ir_.load(at_lane(writer_.address_area(), lane, sizeof(std::uint64_t)), "i64", 1, 8),
             value_of(lane, 0)});
  const Value after = ir_.binary("and", left, ir_.binary("sub", left, 1));
  ir_.store(after, rest, 4);
  ir_.branch(ir_.compare("icmp ne", after, 0), next, end);
  ir_.begin_block(end);
}

void InlineAtomic::update(const Lane& lane) {
  const Value pointer = shared_ ? ir_.pointer_add(writer_.shared_base(), lane.address)
                                : ir_.cast("inttoptr", lane.address, "ptr");
  const Value swap = form_.operation == AtomicOp::cas ? value_of(lane.index, 1) : Value();
  Value old;
  if (shared_) {
    // The block's warps, and all blocks of a cluster, run on one thread of the host, which goes
    // from one to another in calls of the runtime only: nobody comes in between.
    old = ir_.load(pointer, element_, 1, bytes_);
    ir_.store(combined(old, lane.operand, swap), pointer, bytes_);
  } else {
    old = locked(pointer, lane.operand, swap);
  }
  if (form_.gives_old) ir_.store(old, at_lane(writer_.value_area(2), lane.index, bytes_), bytes_);
}

Value InlineAtomic::value_of(const Value& lane, unsigned index) {
  return ir_.load(at_lane(writer_.value_area(index), lane, bytes_), element_, 1, bytes_);
}

Value InlineAtomic::at_lane(const Value& area, const Value& lane, unsigned bytes) {
  return ir_.define(fmt::format("getelementptr i{}, {}, {}", bytes * 8, area.typed(), lane.typed()),
                    "ptr", 1);
}

// The old value, as one step for the host's other threads.
Value InlineAtomic::locked(const Value& pointer, const Value& operand, const Value& swap) {
  if (form_.operation == AtomicOp::cas) {
    const Value pair = ir_.define(fmt::format("cmpxchg {}, {}, {} seq_cst seq_cst", pointer.typed(),
                                              operand.typed(), swap.typed()),
                                  element_, 1);
    return ir_.define(fmt::format("extractvalue {{ {}, i1 }} {}, 0", element_, pair.name), element_,
                      1);
  }
  const char* name = is_float(form_.type) ? nullptr : name_of(form_.operation, form_.type);
  if (name == nullptr) return exchanged(pointer, operand);
  return ir_.define(
      fmt::format("atomicrmw {} {}, {} seq_cst", name, pointer.typed(), operand.typed()), element_,
      1);
}

// Tried again until nobody has come in between.
Value InlineAtomic::exchanged(const Value& pointer, const Value& operand) {
  const Value seen = ir_.slot(element_, 1);
  const std::string again = ir_.label("atomic.again");
  const std::string won = ir_.label("atomic.won");
  const Value first = ir_.define(
      fmt::format("load atomic {}, {} monotonic, align {}", element_, pointer.typed(), bytes_),
      element_, 1);
  ir_.store(first, seen, bytes_);
  ir_.jump(again);
  ir_.begin_block(again);
  const Value old = ir_.load(seen, element_, 1, bytes_);
  const Value pair =
      ir_.define(fmt::format("cmpxchg weak {}, {}, {} seq_cst monotonic", pointer.typed(),
                             old.typed(), combined(old, operand, {}).typed()),
                 element_, 1);
  const auto part = [&](unsigned index, const std::string& element) {
    return ir_.define(fmt::format("extractvalue {{ {}, i1 }} {}, {}", element_, pair.name, index),
                      element, 1);
  };
  ir_.store(part(0, element_), seen, bytes_);
  ir_.branch(part(1, "i1"), won, again);
  ir_.begin_block(won);
  return old;
}

// What takes the old value's place (PTX ISA 9.7.13.5, atom).
Value InlineAtomic::combined(const Value& old, const Value& operand, const Value& swap) {
  const auto chosen = [&](const char* predicate) {
    return ir_.select(ir_.compare(predicate, old, operand), old, operand);
  };
  const bool is_signed = form_.type == AtomicType::s32 || form_.type == AtomicType::s64;
  const Value zero = Ir::constant(0, element_, 1);
  switch (form_.operation) {
    case AtomicOp::add:
      return is_float(form_.type) ? sum_of_floats(old, operand) : ir_.binary("add", old, operand);
    case AtomicOp::min:
      return chosen(is_signed ? "icmp slt" : "icmp ult");
    case AtomicOp::max:
      return chosen(is_signed ? "icmp sgt" : "icmp ugt");
    case AtomicOp::inc:
      return ir_.select(ir_.compare("icmp uge", old, operand), zero, ir_.binary("add", old, 1));
    case AtomicOp::dec:
      return ir_.select(
          ir_.binary("or", ir_.compare("icmp eq", old, 0), ir_.compare("icmp ugt", old, operand)),
          operand, ir_.binary("sub", old, 1));
    case AtomicOp::and_:
      return ir_.binary("and", old, operand);
    case AtomicOp::or_:
      return ir_.binary("or", old, operand);
    case AtomicOp::xor_:
      return ir_.binary("xor", old, operand);
    case AtomicOp::exch:
      return operand;
    case AtomicOp::cas:
      return ir_.select(ir_.compare("icmp eq", old, operand), swap, old);
  }
  return operand;
}

// As on a GPU, f32 sums have one NaN, and flush subnormals everywhere but in shared memory.
Value InlineAtomic::sum_of_floats(const Value& old, const Value& operand) {
  const bool narrow = form_.type == AtomicType::f32;
  const auto number = [&](const Value& bits) {
    const Value value = ir_.bitcast(bits, narrow ? "float" : "double");
    return narrow && !shared_ ? flush_subnormals(ir_, value) : value;
  };
  Value sum = ir_.binary("fadd", number(old), number(operand));
  if (!narrow) return ir_.bitcast(sum, element_);
  if (!shared_) sum = flush_subnormals(ir_, sum);
  return ir_.select(ir_.compare("fcmp uno", sum, sum),
                    Ir::constant(kCanonicalNanFloat, element_, 1), ir_.bitcast(sum, element_));
}

}  // namespace emulator::lower
