// What kernels print until the program synchronises: a bounded buffer that loses the oldest text
// first, as CUDA's does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <mutex>
#include <string>

namespace emulator::runtime {

class PrintBuffer {
 public:
  static constexpr std::size_t kDefaultBytes = std::size_t{1} << 20;

  explicit PrintBuffer(std::size_t capacity = kDefaultBytes) : capacity_(capacity) {}

  // Appends what one thread printed in one call, whole.
  void append(std::string text);
  // Writes everything to `out`, and to `notes` how much was lost, if any was.
  void flush(std::FILE* out, std::FILE* notes);
  [[nodiscard]] std::size_t capacity() const;
  void set_capacity(std::size_t bytes);

 private:
  void shrink();

  mutable std::mutex mutex_;
  std::deque<std::string> texts_;
  std::size_t bytes_ = 0;
  std::size_t capacity_;
  std::uint64_t lost_ = 0;
};

}  // namespace emulator::runtime
