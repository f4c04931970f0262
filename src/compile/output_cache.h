// What NVRTC made of a source, kept for the next time: an experiment compiles the reference and the
// harness's kernels again, and often the kernel too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "compile/nvrtc.h"

namespace autokernel::compile {

// One file for each compile, named by a hash of its key. Every file holds its whole key, so that no
// two compiles are ever taken for each other, and a checksum, so that a damaged file is none. Any
// number of processes may use one folder: files appear whole, by a rename. The longest unused are
// removed when all together are larger than `most_bytes`.
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
  [[nodiscard]] std::filesystem::path file_of(const std::string& key) const;
  void remove_the_longest_unused() const;

  std::filesystem::path folder_;
  std::uint64_t most_bytes_;
};

}  // namespace autokernel::compile
