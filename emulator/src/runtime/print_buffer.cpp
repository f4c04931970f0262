#include "runtime/print_buffer.h"

#include <cinttypes>
#include <utility>

namespace emulator::runtime {

void PrintBuffer::append(std::string text) {
  const std::lock_guard lock(mutex_);
  bytes_ += text.size();
  texts_.push_back(std::move(text));
  shrink();
}

void PrintBuffer::shrink() {
  while (bytes_ > capacity_ && !texts_.empty()) {
    lost_ += texts_.front().size();
    bytes_ -= texts_.front().size();
    texts_.pop_front();
  }
}

void PrintBuffer::flush(std::FILE* out, std::FILE* notes) {
  // The lock is held while writing, so that two threads that synchronise at once cannot swap the
  // order.
  const std::lock_guard lock(mutex_);
  if (lost_ != 0) {
    std::fprintf(notes,
                 "emulated CUDA driver: %" PRIu64
                 " bytes of printf output were dropped: the buffer holds %zu bytes between two "
                 "synchronisations (CU_LIMIT_PRINTF_FIFO_SIZE)\n",
                 lost_, capacity_);
    lost_ = 0;
  }
  if (texts_.empty()) return;
  for (const std::string& text : texts_) std::fwrite(text.data(), 1, text.size(), out);
  std::fflush(out);
  texts_.clear();
  bytes_ = 0;
}

std::size_t PrintBuffer::capacity() const {
  const std::lock_guard lock(mutex_);
  return capacity_;
}

void PrintBuffer::set_capacity(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  capacity_ = bytes;
  shrink();
}

}  // namespace emulator::runtime
