#include "emulator/lower/address.h"

#include <algorithm>
#include <bit>

namespace emulator::lower {
namespace {

LaneOffsets frame_offsets(const Layout& layout) {
  LaneOffsets frames{};
  for (std::size_t lane = 0; lane < frames.size(); ++lane) {
    frames[lane] = static_cast<std::int64_t>(lane * layout.local_stride);
  }
  return frames;
}

const ptx::Address& address_in(const ptx::Operand& operand) {
  const auto* address = std::get_if<ptx::Address>(&operand.value);
  if (address == nullptr) throw ptx::Error(operand.where, "an address in brackets is needed here");
  return *address;
}

}  // namespace

std::vector<Run> runs_of(const LaneOffsets& offset, unsigned bytes, std::int64_t gap) {
  std::vector<std::int64_t> sorted(offset.begin(), offset.end());
  std::ranges::sort(sorted);
  std::vector<Run> runs;
  for (const std::int64_t o : sorted) {
    if (runs.empty() || o > runs.back().end + gap) {
      runs.push_back({o, o + bytes});
    } else {
      runs.back().end = std::max(runs.back().end, o + bytes);
    }
  }
  return runs;
}

AccessAddress::AccessAddress(Writer& writer, const ptx::Operand& operand, ptx::Space space)
    : writer_(writer), operand_(operand), address_(address_in(operand)), space_(space) {
  Form base = Form::constant(0);
  if (const auto* reg = std::get_if<ptx::Register>(&address_.base)) {
    const unsigned bits = ptx::bits(writer.function().registers[reg->index].type);
    base = extend(writer.form({.value = *reg, .where = operand.where}, bits), bits, 64, false);
  } else if (const auto* symbol = std::get_if<ptx::Symbol>(&address_.base)) {
    base = writer.form({.value = *symbol, .where = operand.where}, 64);
  }
  form_ = add(base, Form::constant(address_.offset), 64);
  window_form_ = form_;
  if (const auto offset = offset_in_frame()) {
    window_form_ = add(Form::constant(*offset), Form::constant(address_.offset), 64);
  }
  if (space_ == ptx::Space::local) {
    Form frames = Form::uniform(64);
    frames.offset = frame_offsets(writer.layout());
    form_ = add(window_form_, frames, 64);
  }
}

// Of a local variable that is named: it lies in the frame, wherever that is.
std::optional<std::int64_t> AccessAddress::offset_in_frame() const {
  const auto* symbol = std::get_if<ptx::Symbol>(&address_.base);
  if (space_ != ptx::Space::local || symbol == nullptr ||
      symbol->where != ptx::Symbol::Where::local_variable) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(writer_.layout().function_offsets.at(symbol->index));
}

Value AccessAddress::based(const Value& address) {
  if (space_ != ptx::Space::local) return address;
  const Value base = writer_.ir.cast("ptrtoint", writer_.local_base(), "i64");
  if (address.lanes == 1) return writer_.ir.binary("add", address, base);
  const Value frames =
      writer_.ir.binary("add", writer_.ir.splat(base, kLanes),
                        Ir::lane_constants(frame_offsets(writer_.layout()), "i64"));
  return writer_.ir.binary("add", address, frames);
}

Value AccessAddress::scalar() {
  Value address = Ir::constant(0, "i64", 1);
  if (const auto* reg = std::get_if<ptx::Register>(&address_.base)) {
    address = writer_.read({.value = *reg, .where = operand_.where}, "i64", 1);
  } else if (const auto* symbol = std::get_if<ptx::Symbol>(&address_.base)) {
    address = writer_.read({.value = *symbol, .where = operand_.where}, "i64", 1);
  }
  if (address_.offset != 0) {
    address = writer_.ir.binary("add", address, static_cast<std::uint64_t>(address_.offset));
  }
  return based(address);
}

Value AccessAddress::lanes() {
  Value address = Ir::constant(0, "i64", kLanes);
  if (const auto* reg = std::get_if<ptx::Register>(&address_.base)) {
    address = writer_.read({.value = *reg, .where = operand_.where}, "i64", kLanes);
  } else if (const auto* symbol = std::get_if<ptx::Symbol>(&address_.base)) {
    address = writer_.read({.value = *symbol, .where = operand_.where}, "i64", kLanes);
  }
  if (address_.offset != 0) {
    address = writer_.ir.binary("add", address, static_cast<std::uint64_t>(address_.offset));
  }
  return based(address);
}

bool AccessAddress::surely_inside(unsigned bytes) const {
  if (window_form_.is_vector()) return false;
  const auto within = [&](std::uint64_t limit) {
    const Range range = window_form_.range;
    const auto end = static_cast<std::int64_t>(limit);
    // No bound is near the ends of its type here, so the sums cannot overflow.
    return range.low >= 0 && range.high <= end && window_form_.lowest_offset() >= -end &&
           window_form_.highest_offset() <= end && range.low + window_form_.lowest_offset() >= 0 &&
           range.high + window_form_.highest_offset() + bytes <= end;
  };
  if (space_ == ptx::Space::shared)
    return within(std::uint64_t{writer_.layout().static_shared_bytes} +
                  writer_.shape().dynamic_shared_bytes);
  // A register may point into the frame of another function.
  const bool own_frame = !writer_.by_thread() || offset_in_frame();
  if (space_ == ptx::Space::local && own_frame) return within(writer_.layout().local_bytes);
  return false;
}

bool AccessAddress::surely_aligned(unsigned bytes) const {
  if (bytes == 1) return true;
  if (window_form_.is_vector()) return false;
  const bool offsets =
      std::ranges::all_of(window_form_.offset, [bytes](std::int64_t o) { return o % bytes == 0; });
  // Windows begin at boundaries larger than any access.
  return offsets && window_form_.trailing_zeros >= static_cast<unsigned>(std::countr_zero(bytes));
}

}  // namespace emulator::lower
