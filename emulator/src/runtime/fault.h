// What a launch failed with: the kind, which decides the error code, a sentence for people, and
// what the sentence says once more as data, for programs that know what the addresses mean.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "runtime/abi.h"

namespace emulator::runtime {

// What an access went to, or missed by little.
enum class MemoryKind : std::uint8_t {
  unknown,   // near nothing that is known
  device,    // an allocation of the program's
  variable,  // of the module
  shared,
  local,
  parameter,
  heap,
  null,  // near address 0
};

struct FaultedAccess {
  AccessKind kind = AccessKind::load;
  MemoryKind memory = MemoryKind::unknown;
  std::uint64_t address = 0;  // in shared memory the offset in the block's
  std::uint64_t bytes = 0;
  std::uint64_t alignment = 1;
  std::uint64_t begin = 0;  // [begin, end): the memory it went to or missed; both 0 where unknown
  std::uint64_t end = 0;
  std::string name = {};  // of a variable
};

// "1 byte", "16 bytes"
[[nodiscard]] std::string counted_bytes(std::uint64_t count);

struct FaultThread {
  std::array<std::uint32_t, 3> thread;
  std::array<std::uint32_t, 3> block;
};

struct Fault {
  FaultKind kind;
  std::string text;
  std::uint32_t line = 0;                              // of the PTX; 0: unknown
  std::string instruction = {};                        // the PTX statement; empty: unknown
  std::optional<FaultThread> thread = std::nullopt;    // none where it is nobody's alone
  std::optional<FaultedAccess> access = std::nullopt;  // of out_of_bounds and misaligned
};

// The words all faults share; `lane` is a lane of the context's warp.
[[nodiscard]] std::string thread_name(const WarpContext& context,
                                      unsigned lane);              // "thread (5,2,0)"
[[nodiscard]] std::string block_name(const WarpContext& context);  // "block (1,0,0)"
[[nodiscard]] FaultThread fault_thread(const WarpContext& context, unsigned lane);
// What the launch calls a line of its PTX.
[[nodiscard]] std::string line_name(const WarpContext& context, std::uint32_t ptx_line);
// ", by thread (5,2,0) of block (1,0,0), kernel.cu:27 (PTX line 41)"
[[nodiscard]] std::string by_thread(const WarpContext& context, unsigned lane,
                                    std::uint32_t ptx_line);
// "0x7f.."
[[nodiscard]] std::string hex(std::uint64_t value);
// Position in the block of thread `lane` of the warp, linear.
[[nodiscard]] std::uint32_t linear_thread(const WarpContext& context, unsigned lane);

}  // namespace emulator::runtime
