// LZ4 blocks and Zstandard frames, as fat binaries hold them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "fatbin/fatbin.h"

namespace emulator::fatbin {

// Exactly `bytes` bytes. Throws Error where the payload does not give them.
[[nodiscard]] std::string decompress(std::span<const std::byte> payload, Compression compression,
                                     std::uint64_t bytes);

}  // namespace emulator::fatbin
