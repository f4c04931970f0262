// How one ld or st is carried out: decided from what is known of its address before a line is
// written.
#pragma once

#include "lower/address.h"
#include "lower/lane_values.h"

namespace emulator::lower {

struct AccessWay {
  enum class Kind : std::uint8_t {
    uniform,  // one access for all lanes
    vectors,  // a few wide loads or stores, or gathers: the lanes' offsets are known
    guess,    // the same where the offsets turn out to be as guessed
    lanes,    // by the runtime, lane by lane
  };
  Kind kind = Kind::lanes;
  LaneOffsets offset{};  // vectors and guess: of the lanes
  bool gathers = false;  // the lanes lie too far apart for wide loads
};

class Writer;
[[nodiscard]] AccessWay way_of(const Writer& writer, const ptx::Instruction& instruction,
                               const AccessAddress& address);

// Bytes of one lane, all elements of it.
[[nodiscard]] unsigned lane_bytes(const ptx::Instruction& instruction);
// What LLVM is told of the alignment of an element. An instruction that wants 16 bytes of it would
// end the process where an address that was taken to be aligned is not; with less there is none.
[[nodiscard]] constexpr unsigned told_alignment(unsigned bytes) { return bytes < 8 ? bytes : 8; }

// Whether ld or st may not be left out, merged or widened.
[[nodiscard]] bool is_volatile(const ptx::Instruction& instruction);
// How far apart the accesses of one wide load or store may lie.
[[nodiscard]] std::int64_t bridged_gap(const ptx::Instruction& instruction);

}  // namespace emulator::lower
