// What NVRTC made of a source, kept for the next time: an experiment compiles the reference and the
// harness's kernels again, and often the kernel too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "autokernel/base/file_cache.h"
#include "compile/nvrtc.h"

namespace autokernel::compile {

// Any number of processes may use one folder (base/file_cache.h).
class OutputCache {
 public:
  // About two thousand compiles of kernels of the usual size.
  static constexpr std::uint64_t kMostBytes = 128ULL << 20U;

  explicit OutputCache(std::filesystem::path folder, std::uint64_t most_bytes = kMostBytes);

  // `key` is everything the output depends on.
  [[nodiscard]] std::optional<Nvrtc::Output> find(const std::string& key) const;
  // Does nothing where the folder cannot be written: nothing is lost but time.
  void keep(const std::string& key, const Nvrtc::Output& output) const;

 private:
  FileCache files_;
};

}  // namespace autokernel::compile
