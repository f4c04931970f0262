// What the emulated driver offers beyond the CUDA driver API, declared here as it declares it
// (emulator/include/emulated_cuda.h): it is a product of its own, and a driver that is found at run
// time brings no headers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace autokernel::driver::emulator {

struct SourceLine {
  const char* file;
  std::uint32_t line;
};

// EmuFault: texts are never null.
struct Fault {
  std::uint32_t size;  // as the library knows it; of another one nothing is taken
  std::uint32_t kind;
  const char* text;
  const char* instruction;
  std::uint32_t ptx_line;
  std::uint32_t line_count;
  const SourceLine* lines;
  std::uint32_t line_to_look_at;
  std::uint32_t has_thread;
  std::uint32_t thread[3];
  std::uint32_t block[3];
  std::uint32_t access;
  std::uint32_t memory;
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint64_t alignment;
  std::uint64_t begin;
  std::uint64_t end;
  const char* variable;
  std::uint64_t variable_begin;
  std::uint64_t variable_end;
  std::uint32_t address_line;
};

using FaultReport = const Fault* (*)();
using Whereabouts = void (*)(char* text, std::size_t bytes);
using WarpOrder = void (*)(std::uint32_t order);  // 0: ascending, 1: descending

}  // namespace autokernel::driver::emulator
