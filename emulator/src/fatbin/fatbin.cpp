// NVIDIA documents the wrapper (fatbinary_section.h) but not the container. What is read here was
// found by comparing the output of nvcc 13.0 for known inputs and options; all numbers are
// little-endian:
//
//   container  0 u32 magic, 4 u16 version, 6 u16 bytes of this header, 8 u64 bytes of all entries
//   entry      0 u16 kind, 2 u16 version, 4 u32 bytes of this header, 8 u64 bytes of the payload,
//             16 u32 of these, bytes that are compressed, 28 u32 architecture, 40 u64 flags,
//             56 u64 bytes once decompressed; both 0 where nothing is compressed
#include "fatbin/fatbin.h"

#include <algorithm>
#include <cstring>

#include "fatbin/decompress.h"

namespace emulator::fatbin {
namespace {

constexpr std::uint32_t kMagic = 0xba55ed50;
constexpr std::uint16_t kVersion = 1;
constexpr std::size_t kEntryHeaderBytes = 64;

constexpr std::uint64_t kFlagLz4 = 0x2000;   // nvcc --compress-mode=speed
constexpr std::uint64_t kFlagZstd = 0x8000;  // --compress-mode=default, balance and size
constexpr std::uint64_t kFlagExact = 0x100000;
constexpr std::uint64_t kFlagFamily = 0x200000;

template <typename T>
T read(std::span<const std::byte> from, std::size_t offset) {
  T value;
  std::memcpy(&value, from.subspan(offset, sizeof value).data(), sizeof value);
  return value;
}

void require(bool condition, const char* otherwise) {
  if (!condition) throw Error(std::string("damaged fat binary: ") + otherwise);
}

Compression compression_of(std::uint64_t flags) {
  if ((flags & kFlagLz4) != 0) return Compression::lz4;
  if ((flags & kFlagZstd) != 0) return Compression::zstd;
  return Compression::none;
}

Reach reach_of(std::uint64_t flags) {
  if ((flags & kFlagExact) != 0) return Reach::exact;
  if ((flags & kFlagFamily) != 0) return Reach::family;
  return Reach::forward;
}

struct Range {
  std::size_t header;
  std::size_t end;
};

// Where the entries lie.
Range range_of(std::span<const std::byte> header) {
  require(header.size() >= kHeaderBytes, "its header is cut off");
  require(read<std::uint32_t>(header, 0) == kMagic, "the magic number is missing");
  require(read<std::uint16_t>(header, 4) == kVersion, "a version that is not known");
  const std::size_t bytes = read<std::uint16_t>(header, 6);
  const auto entries = read<std::uint64_t>(header, 8);
  require(bytes >= kHeaderBytes && entries <= SIZE_MAX - bytes, "impossible sizes");
  return {bytes, bytes + entries};
}

// The entry at the front of `rest`, which is made shorter by it.
Entry take_entry(std::span<const std::byte>& rest) {
  require(rest.size() >= kEntryHeaderBytes, "the header of an entry is cut off");
  const std::size_t header = read<std::uint32_t>(rest, 4);
  const auto padded = read<std::uint64_t>(rest, 8);
  const std::uint64_t compressed = read<std::uint32_t>(rest, 16);
  const auto flags = read<std::uint64_t>(rest, 40);
  require(header >= kEntryHeaderBytes && header <= rest.size(), "the size of an entry's header");
  require(padded <= rest.size() - header, "an entry is cut off");
  require(compressed <= padded, "an entry is larger than the room it has");

  Entry entry{};
  entry.kind = static_cast<Kind>(read<std::uint16_t>(rest, 0));
  entry.architecture = read<std::uint32_t>(rest, 28);
  entry.reach = reach_of(flags);
  entry.compression = compression_of(flags);
  const bool is_plain = entry.compression == Compression::none;
  entry.payload = rest.subspan(header, is_plain ? padded : compressed);
  entry.bytes = is_plain ? padded : read<std::uint64_t>(rest, 56);
  rest = rest.subspan(header + padded);
  return entry;
}

}  // namespace

std::string name_of(const Entry& entry) {
  std::string name = entry.kind == Kind::elf ? "sm_" : "compute_";
  name += std::to_string(entry.architecture);
  if (entry.reach == Reach::exact) name += 'a';
  if (entry.reach == Reach::family) name += 'f';
  return name;
}

bool is_fatbin(std::span<const std::byte> image) {
  return image.size() >= sizeof kMagic && read<std::uint32_t>(image, 0) == kMagic;
}

std::size_t size_of(std::span<const std::byte> header) { return range_of(header).end; }

std::vector<Entry> entries(std::span<const std::byte> image) {
  const Range range = range_of(image);
  require(range.header <= range.end && range.end <= image.size(), "it is cut off");
  std::span<const std::byte> rest = image.subspan(range.header, range.end - range.header);
  std::vector<Entry> found;
  while (!rest.empty()) found.push_back(take_entry(rest));
  return found;
}

std::string text_of(const Entry& entry) {
  if (entry.kind != Kind::ptx) throw Error("an entry that is not PTX has no text");
  std::string text = decompress(entry.payload, entry.compression, entry.bytes);
  // Padded with NULs to a multiple of eight bytes.
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

}  // namespace emulator::fatbin
