#include "lower/address.h"

#include <algorithm>
#include <bit>
#include <string>

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
  LaneValues base = LaneValues::constant(0);
  const unsigned bits = base_bits();
  if (const auto* reg = std::get_if<ptx::Register>(&address_.base)) {
    base = writer.lane_values({.value = *reg, .where = operand.where}, bits);
  } else if (const auto* symbol = std::get_if<ptx::Symbol>(&address_.base)) {
    base = writer.lane_values({.value = *symbol, .where = operand.where}, bits);
  }
  lane_values_ =
      resize(add(base, LaneValues::constant(address_.offset), bits), bits, 64, Extension::zeros);
  window_values_ = lane_values_;
  if (const auto offset = offset_in_frame()) {
    window_values_ = add(LaneValues::constant(*offset), LaneValues::constant(address_.offset), 64);
  }
  if (space_ == ptx::Space::local) {
    LaneValues frames = LaneValues::uniform(64);
    frames.offset = frame_offsets(writer.layout());
    lane_values_ = add(window_values_, frames, 64);
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

// A 32-bit register and its offset are added as 32 bits: a sum that wraps around is where a GPU
// finds it, and compilers count on that.
unsigned AccessAddress::base_bits() const {
  const auto* reg = std::get_if<ptx::Register>(&address_.base);
  return reg == nullptr ? 64 : ptx::bits(writer_.function().registers[reg->index].type);
}

Value AccessAddress::sum(unsigned lanes) {
  const std::string element = "i" + std::to_string(base_bits());
  Value address = Ir::constant(0, element, lanes);
  if (const auto* reg = std::get_if<ptx::Register>(&address_.base)) {
    address = writer_.read({.value = *reg, .where = operand_.where}, element, lanes);
  } else if (const auto* symbol = std::get_if<ptx::Symbol>(&address_.base)) {
    address = writer_.read({.value = *symbol, .where = operand_.where}, element, lanes);
  }
  if (address_.offset != 0) {
    address = writer_.ir.binary("add", address, static_cast<std::uint64_t>(address_.offset));
  }
  return writer_.ir.resize(address, "i64", false);
}

Value AccessAddress::scalar() { return based(sum(1)); }
Value AccessAddress::lanes() { return based(sum(kLanes)); }

std::uint64_t AccessAddress::window_bytes() const {
  if (space_ == ptx::Space::local) return writer_.layout().local_bytes;
  return std::uint64_t{writer_.layout().static_shared_bytes} + writer_.shape().dynamic_shared_bytes;
}

AccessAddress::Inside AccessAddress::inside(unsigned bytes) const {
  if (window_values_.is_vector()) return Inside::unknown;
  // A register may point into the frame of another function.
  const bool own_frame = space_ == ptx::Space::local && (!writer_.by_thread() || offset_in_frame());
  const bool own_window = space_ == ptx::Space::shared && !writer_.layout().clustered;
  if (!own_window && !own_frame) return Inside::unknown;
  const Range range = window_values_.range;
  const auto end = static_cast<std::int64_t>(window_bytes());
  // No bound is near the ends of its type here, so the sums cannot overflow.
  const bool within =
      range.low >= 0 && range.high <= end && window_values_.lowest_offset() >= -end &&
      window_values_.highest_offset() <= end && range.low + window_values_.lowest_offset() >= 0 &&
      range.high + window_values_.highest_offset() + bytes <= end;
  if (!within) return Inside::unknown;
  return std::holds_alternative<ptx::Register>(address_.base) ? Inside::claimed : Inside::known;
}

bool AccessAddress::surely_aligned(unsigned bytes) const {
  if (bytes == 1) return true;
  if (window_values_.is_vector()) return false;
  const bool offsets = std::ranges::all_of(window_values_.offset,
                                           [bytes](std::int64_t o) { return o % bytes == 0; });
  // Windows begin at boundaries larger than any access.
  return offsets && window_values_.trailing_zeros >= static_cast<unsigned>(std::countr_zero(bytes));
}

}  // namespace emulator::lower
