// A launch of a program as our forwarding driver wrote it down (docs/capture-format.md): code,
// parameters, and the memory they point to, before and after.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "autokernel/programs/profile.h"

namespace autokernel::programs {

// A part of an allocation that a parameter points into. Addresses are those in the program.
struct CapturedRange {
  std::uint64_t base = 0;  // of the allocation
  std::uint64_t bytes = 0;
  std::uint64_t kept = 0;  // where the part that was written down begins
  std::vector<std::byte> before;
  std::vector<std::byte> after;  // as many
};

struct CapturedParameter {
  std::size_t offset = 0;  // in CapturedLaunch::bytes
  std::size_t bytes = 0;
};

struct CapturedPointer {
  std::size_t offset = 0;     // in CapturedLaunch::bytes
  std::uint64_t address = 0;  // in one of the ranges
};

struct CapturedLaunch {
  std::filesystem::path folder;
  std::string kernel;            // as the driver has it
  std::uint64_t occurrence = 0;  // of such launches in its process, from 0
  Extent grid, block, cluster;
  std::uint32_t dynamic_shared = 0;      // bytes
  std::int64_t most_dynamic_shared = 0;  // bytes that the program has asked for
  bool cooperative = false;
  bool programmatic = false;  // it may begin before the launch before it has ended
  bool default_stream = false;
  int major = 0, minor = 0;  // compute capability of its device
  std::vector<CapturedParameter> parameters;
  std::vector<std::byte> bytes;  // of all parameters
  std::vector<CapturedPointer> pointers;
  std::vector<CapturedRange> ranges;  // by address
  std::vector<std::byte> image;       // PTX, a cubin or a fat binary
  std::string digest;                 // of it, by which the forwarding driver knows it again
  std::string trouble;                // why it is not whole; empty: it is
};

// Reads what is in the folder, without the memory if that is not wanted. Throws Error(usage) where
// it is no such folder, or is damaged.
enum class Memory : std::uint8_t { read, left };
[[nodiscard]] CapturedLaunch read_capture(const std::filesystem::path& folder, Memory memory);

}  // namespace autokernel::programs
