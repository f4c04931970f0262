// What a kernel did wrong on the device: a value, since a bad kernel is a result. What else a
// driver may report is an Error(environment).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace autokernel::driver {

// What was under way when it came to light.
enum class Occasion : std::uint8_t {
  load,    // the driver refused the code
  launch,  // the driver refused the launch: its shape is impossible on this device
  run,     // the kernel ran; the device can be used no more by this process
};

enum class FaultKind : std::uint8_t {
  unknown,
  out_of_bounds,
  misaligned,
  trap,
  assertion,
  barrier,  // one that can never fill, or that a part of a warp reaches
  bad_instruction,
  stack,
  unsupported,  // nothing ran: the emulated device cannot carry the code out
  bad_call,     // through a pointer that is no function of that type
};

// A line of the source.
struct SourceLine {
  std::string file;  // without its folder
  std::uint32_t line = 0;
};

enum class AccessKind : std::uint8_t { load, store, atomic };

// What an access went to, or missed by little.
enum class MemoryKind : std::uint8_t {
  unknown,
  device,
  variable,
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
  std::uint64_t begin = 0;  // [begin, end): the memory; both 0 where it is unknown
  std::uint64_t end = 0;
  // Of a variable, as the PTX calls it, and where it lies; empty where there is none.
  std::string variable;
  std::uint64_t variable_begin = 0;
  std::uint64_t variable_end = 0;
};

struct FaultThread {
  std::array<std::uint32_t, 3> thread;
  std::array<std::uint32_t, 3> block;
};

// What the emulated device knows of a fault.
struct FaultDetail {
  std::string instruction;     // the PTX statement; empty: unknown
  std::uint32_t ptx_line = 0;  // 0: unknown
  // The line of the source, then the lines that called it where it was inlined; may be empty.
  std::vector<SourceLine> lines;
  std::size_t line_to_look_at = 0;  // the innermost of the kernel's own file
  // The line of that file on which an access's address was computed; 0: the same, or unknown.
  std::uint32_t address_line = 0;
  std::optional<FaultThread> thread;
  std::optional<FaultedAccess> access;
};

struct Fault {
  int code = 0;  // the CUresult, 700
  std::string
      name;  // "CUDA_ERROR_ILLEGAL_ADDRESS", or the number where the driver has no name for it
  std::string text;  // the driver's own words; on the emulated device: which thread, which
                     // instruction, which address
  Occasion occasion = Occasion::run;
  std::string call;  // "cuStreamSynchronize"
  FaultKind kind = FaultKind::unknown;
  std::optional<FaultDetail> detail = std::nullopt;
};

}  // namespace autokernel::driver
