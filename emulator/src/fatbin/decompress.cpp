#include "fatbin/decompress.h"

#include <lz4.h>
#include <zstd.h>

namespace emulator::fatbin {
namespace {

// PTX larger than this does not exist, but damaged sizes do, and what they ask for would be
// allocated. (All kernels of cuBLAS together are smaller.)
constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;
// No byte of a block of LZ4 stands for more than this many.
constexpr std::uint64_t kMostLz4Growth = 255;

void require(bool condition) {
  if (!condition) throw Error("damaged fat binary: an entry cannot be decompressed");
}

std::string from_lz4(std::span<const std::byte> payload, std::uint64_t bytes) {
  require(payload.size() <= kMostBytes && bytes <= payload.size() * kMostLz4Growth);
  std::string text(bytes, '\0');
  const int written =
      LZ4_decompress_safe(reinterpret_cast<const char*>(payload.data()), text.data(),
                          static_cast<int>(payload.size()), static_cast<int>(text.size()));
  require(written >= 0 && static_cast<std::uint64_t>(written) == bytes);
  return text;
}

std::string from_zstd(std::span<const std::byte> payload, std::uint64_t bytes) {
  require(ZSTD_getFrameContentSize(payload.data(), payload.size()) == bytes);
  std::string text(bytes, '\0');
  const std::size_t written =
      ZSTD_decompress(text.data(), text.size(), payload.data(), payload.size());
  require(ZSTD_isError(written) == 0 && written == bytes);
  return text;
}

}  // namespace

std::string decompress(std::span<const std::byte> payload, Compression compression,
                       std::uint64_t bytes) {
  require(bytes <= kMostBytes);
  switch (compression) {
    case Compression::lz4:
      return from_lz4(payload, bytes);
    case Compression::zstd:
      return from_zstd(payload, bytes);
    case Compression::none:
      break;
  }
  require(bytes <= payload.size());
  return {reinterpret_cast<const char*>(payload.data()), bytes};
}

}  // namespace emulator::fatbin
