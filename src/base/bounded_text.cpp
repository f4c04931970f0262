#include "autokernel/base/bounded_text.h"

#include <algorithm>

namespace autokernel {

void BoundedText::add(std::string_view piece) {
  const std::size_t fits = std::min(piece.size(), half_ - head_.size());
  head_.append(piece.substr(0, fits));
  piece.remove_prefix(fits);
  tail_.append(piece);
  if (tail_.size() > 2 * half_) {
    dropped_ += tail_.size() - half_;
    tail_.erase(0, tail_.size() - half_);
  }
}

std::string BoundedText::text() const {
  const std::size_t surplus = tail_.size() > half_ ? tail_.size() - half_ : 0;
  const std::size_t dropped = dropped_ + surplus;
  if (dropped == 0) return head_ + tail_;
  return head_ + "\n[... " + std::to_string(dropped) + " bytes left out ...]\n" +
         tail_.substr(surplus);
}

}  // namespace autokernel
