// What nvcc packs into an executable: a "fat binary" with code of one program for several devices.
// This reads the container; which entry to run, and running it, is for others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace emulator::fatbin {

// The container is damaged, or made in a way that is not known.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The kinds that nvcc writes; others are read over.
enum class Kind : std::uint16_t { ptx = 1, elf = 2, nvvm = 8 };
enum class Compression : std::uint8_t { none, lz4, zstd };
// sm_90: also on later devices; sm_90a: on that device alone; sm_100f: on its family.
enum class Reach : std::uint8_t { forward, exact, family };

struct Entry {
  Kind kind;
  std::uint32_t architecture;  // 90 for sm_90
  Reach reach;
  Compression compression;
  std::uint64_t bytes;                 // once decompressed
  std::span<const std::byte> payload;  // a part of the image
};

// "sm_90a", or "compute_90a" for PTX.
[[nodiscard]] std::string name_of(const Entry& entry);

// Whether the bytes begin as a fat binary does.
[[nodiscard]] bool is_fatbin(std::span<const std::byte> image);

// Bytes of the fat binary that begins with these kHeaderBytes, as its header says. Throws Error.
inline constexpr std::size_t kHeaderBytes = 16;
[[nodiscard]] std::size_t size_of(std::span<const std::byte> header);

// In the order of the image. Throws Error.
[[nodiscard]] std::vector<Entry> entries(std::span<const std::byte> image);

// The text of an entry of PTX. Throws Error.
[[nodiscard]] std::string text_of(const Entry& entry);

}  // namespace emulator::fatbin
