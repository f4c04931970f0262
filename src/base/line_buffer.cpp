#include "autokernel/base/line_buffer.h"

namespace autokernel {

void LineBuffer::add(std::string_view piece) {
  const std::size_t newline = piece.rfind('\n');
  unfinished_ =
      newline == std::string_view::npos ? unfinished_ + piece.size() : piece.size() - newline - 1;
  bytes_ += piece;
}

std::optional<std::string> LineBuffer::next() {
  const std::size_t newline = bytes_.find('\n', searched_);
  if (newline == std::string::npos) {
    bytes_.erase(0, begin_);
    begin_ = 0;
    searched_ = bytes_.size();
    return std::nullopt;
  }
  std::string line = bytes_.substr(begin_, newline + 1 - begin_);
  begin_ = newline + 1;
  searched_ = begin_;
  return line;
}

}  // namespace autokernel
