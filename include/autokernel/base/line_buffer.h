// Bytes that arrive in pieces, handed on line by line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace autokernel {

class LineBuffer {
 public:
  void add(std::string_view piece);
  // The next line with its newline; none where no other has arrived whole.
  [[nodiscard]] std::optional<std::string> next();

  // Bytes that have not been handed on.
  [[nodiscard]] std::size_t waiting() const { return bytes_.size() - begin_; }
  // Those of them that follow the last newline.
  [[nodiscard]] std::size_t unfinished() const { return unfinished_; }

 private:
  std::string bytes_;
  std::size_t begin_ = 0;  // of what was not handed on: moved to the front once, not for each line
  std::size_t searched_ = 0;  // no newline lies between begin_ and here
  std::size_t unfinished_ = 0;
};

}  // namespace autokernel
