// Where compiled kernels are kept, by the variables that NVIDIA's driver reads for its own cache.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace emulator::api {

struct CacheSettings {
  std::filesystem::path folder;
  std::uint64_t most_bytes;
};

// CUDA_CACHE_DISABLE: anything but nothing and 0 turns the cache off. CUDA_CACHE_PATH: the folder;
// else autokernel-cpu below XDG_CACHE_HOME, or .cache of HOME. CUDA_CACHE_MAXSIZE: the bytes at
// most, of which 0 turns it off too. Nothing where it is off, or there is no place for it.
[[nodiscard]] std::optional<CacheSettings> cache_settings();

}  // namespace emulator::api
