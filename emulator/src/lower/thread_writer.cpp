// What only the code of a thread that runs by itself has: a lane and a stack of its own, results
// that are dealt out.
#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "lower/writer.h"

namespace emulator::lower {

using ptx::Special;
using runtime::WarpContext;

Value Writer::local_window_bytes() {
  if (!by_thread()) return Ir::constant(layout_.local_bytes * kLanes, "i64", 1);
  const Value stride = ir.load(context_field(offsetof(WarpContext, local_stride)), "i32", 1, 4);
  return ir.resize(stride, "i64", false);
}

Value Writer::stack_top() {
  if (top_slot_) return ir.load(*top_slot_, "i64", 1, 8);
  return ir.binary("add", frame_, layout_.local_bytes);
}
void Writer::set_stack_top(const Value& top) {
  if (top_slot_) ir.store(top, *top_slot_, 8);  // elsewhere nothing moves it
}

// The special registers that differ from lane to lane, of the thread's own lane; empty for others.
Value Writer::read_lane_register(const ptx::SpecialRegister& special) {
  const auto bit = [&] { return ir.binary("shl", Ir::constant(1, "i32", 1), lane_); };
  const auto below = [&] { return ir.binary("sub", bit(), 1); };
  const auto inverted = [&](const Value& mask) {
    return ir.binary("xor", mask, ~std::uint64_t{0});
  };
  switch (special.which) {
    case Special::tid: {
      const Value row = context_field(offsetof(WarpContext, tid) +
                                      sizeof(std::uint32_t) * kLanes * special.dimension);
      const Value place = ir.binary("shl", ir.resize(lane_, "i64", false), 2);
      return ir.load(ir.pointer_add(row, place), "i32", 1, 4);
    }
    case Special::laneid:
      return lane_;
    case Special::lanemask_eq:
      return bit();
    case Special::lanemask_le:
      return ir.binary("or", bit(), below());
    case Special::lanemask_lt:
      return below();
    case Special::lanemask_ge:
      return inverted(below());
    case Special::lanemask_gt:
      return inverted(ir.binary("or", bit(), below()));
    default:
      return {};
  }
}

Value Writer::own_lane(const Value& lanes) { return ir.extract(lanes, lane_); }

void Writer::begin_dealing(const Value& lanes) {
  deals_ = true;
  dealt_lanes_ = lanes;
}

std::vector<ptx::Operand> Writer::end_dealing() {
  deals_ = false;
  return std::exchange(dealt_, {});
}

void Writer::deal(const ptx::Operand& destination, const Value& value) {
  const std::size_t index = dealt_.size();
  if (index >= runtime::kMeetingResults)
    throw ptx::Error(destination.where, "so many results are not supported by the emulator");
  dealt_.push_back(destination);
  const Value bits = ir.bitcast(value, fmt::format("i{}", bits_of(value.element)));
  const Value gathering = ir.load(context_field(offsetof(WarpContext, gathering)), "ptr", 1, 8);
  ir.store(ir.splat(ir.resize(bits, "i64", false), kLanes),
           ir.pointer_offset(gathering, offsetof(runtime::Gathering, result) +
                                            index * kLanes * sizeof(std::uint64_t)),
           64);
}

}  // namespace emulator::lower
