// The addresses of one memory access: what is known of them, and how to compute them.
#pragma once

#include <optional>
#include <vector>

#include "lower/writer.h"

namespace emulator::lower {

// A stretch of memory that holds the accesses of some lanes.
struct Run {
  std::int64_t start;  // bytes, in terms of the lane offsets
  std::int64_t end;
  [[nodiscard]] std::int64_t bytes() const { return end - start; }
  [[nodiscard]] bool holds(std::int64_t offset) const { return offset >= start && offset < end; }
};
// The memory that accesses of `bytes` each at these offsets touch, as runs in ascending order; gaps
// of up to `gap` bytes are bridged.
[[nodiscard]] std::vector<Run> runs_of(const LaneOffsets& offset, unsigned bytes, std::int64_t gap);

// The address operand of a ld, st, atom or red, offset included. Addresses are i64: host addresses,
// or offsets into the block's shared memory.
class AccessAddress {
 public:
  enum class Inside : std::uint8_t {
    unknown,
    // By the ranges of registers. Not every step from which they follow can be seen to be right
    // from here, so the access is still compared with the end of the memory, once.
    claimed,
    known,  // a variable and constants: the layout says so
  };

  AccessAddress(Writer& writer, const ptx::Operand& operand, ptx::Space space);

  // Affine: scalar() + lane_values().offset; else lanes() only. A guess of the offsets is there
  // too.
  [[nodiscard]] const LaneValues& lane_values() const { return lane_values_; }
  Value scalar();
  Value lanes();
  // Whether every lane's [address, address + bytes) lies in the block's shared memory or in the
  // thread's local frame.
  [[nodiscard]] Inside inside(unsigned bytes) const;
  // For what the ranges claim: the scalar as an offset into that memory, whose size is
  // window_bytes(), and the lanes' offsets from it.
  Value window_scalar() { return sum(1); }
  [[nodiscard]] const LaneOffsets& window_offsets() const { return window_values_.offset; }
  [[nodiscard]] std::uint64_t window_bytes() const;
  // Whether every lane's address is known to be a multiple of `bytes`.
  [[nodiscard]] bool surely_aligned(unsigned bytes) const;

 private:
  [[nodiscard]] unsigned base_bits() const;
  Value sum(unsigned lanes);
  Value based(const Value& address);  // local: window offset to host address
  [[nodiscard]] std::optional<std::int64_t> offset_in_frame() const;

  Writer& writer_;
  const ptx::Operand& operand_;
  const ptx::Address& address_;
  ptx::Space space_;
  LaneValues window_values_;  // before the local frames' base is added; from the frame on where it
                              // is known
  LaneValues lane_values_;
};

}  // namespace emulator::lower
