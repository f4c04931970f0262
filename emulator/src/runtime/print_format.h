// Device printf: a format and the arguments as vprintf finds them packed in memory, to text. Reads
// memory through a function of the caller's, since both come from a kernel.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace emulator::runtime {

// Copies `bytes` bytes at `address` to `to`; false where a thread may not read there.
using ReadMemory = std::function<bool(std::uint64_t address, std::uint64_t bytes, void* to)>;

struct Printed {
  std::string text;
  std::uint32_t arguments;  // that the format used
};
// Nothing where the format, an argument or a string argument could not be read; `bad_address` then
// says where.
[[nodiscard]] std::optional<Printed> format_print(std::uint64_t format, std::uint64_t arguments,
                                                  const ReadMemory& read,
                                                  std::uint64_t& bad_address);

// CUDA's own bound on what one call can print is its buffer; a string that runs on for longer has
// lost its end.
inline constexpr std::size_t kLongestString = std::size_t{1} << 20;

// The string that begins at `address`, up to its NUL or `longest` bytes; nothing where it cannot be
// read.
[[nodiscard]] std::optional<std::string> read_string(std::uint64_t address, const ReadMemory& read,
                                                     std::size_t longest = kLongestString);

}  // namespace emulator::runtime
