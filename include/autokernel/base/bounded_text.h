// Text of unknown length from somebody who may never stop writing: the beginning and the end are
// kept.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace autokernel {

// Keeps the first and the last `limit`/2 bytes of what is added; in between it says how much was
// left out. What a program prints first names the cause, what it prints last names the end.
class BoundedText {
 public:
  explicit BoundedText(std::size_t limit) : half_(limit / 2) {}

  void add(std::string_view piece);
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool empty() const noexcept { return head_.empty(); }

 private:
  std::size_t half_;
  std::string head_;
  std::string tail_;  // up to twice half_ before it is cut, so that adding stays cheap
  std::size_t dropped_ = 0;
};

}  // namespace autokernel
