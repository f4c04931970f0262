#include "activity_buffers.h"

#include <cstdlib>
#include <new>

namespace recording {

std::uint8_t* ActivityBuffers::take() {
  const Locked held{lock_};
  if (!held) return nullptr;
  if (free_ != nullptr) {
    Free* const first = free_;
    free_ = first->next;
    return reinterpret_cast<std::uint8_t*>(first);
  }
  if (made_ == kMost) return nullptr;
  auto* const buffer = static_cast<std::uint8_t*>(std::malloc(kBytes));
  if (buffer != nullptr) ++made_;
  return buffer;
}

void ActivityBuffers::give_back(std::uint8_t* buffer) {
  const Locked held{lock_};
  if (held) free_ = new (buffer) Free{free_};
}

std::size_t ActivityBuffers::keep(Filled filled) {
  const Locked held{lock_};
  if (!held) return 0;
  filled_[(first_filled_ + filled_count_++) % kMost] = filled;
  return filled_count_;
}

ActivityBuffers::Filled ActivityBuffers::next() {
  const Locked held{lock_};
  if (!held || filled_count_ == 0) return {};
  --filled_count_;
  return filled_[first_filled_++ % kMost];
}

}  // namespace recording
