// What exec takes, made before a fork: in the child nothing may allocate.
#pragma once

#include <string>
#include <vector>

#include "autokernel/base/process.h"

namespace autokernel {

// The argument or environment block of exec: pointers into strings that live as long as it does.
class Block {
 public:
  explicit Block(std::vector<std::string> strings) : strings_(std::move(strings)) {
    pointers_.reserve(strings_.size() + 1);
    for (std::string& string : strings_) pointers_.push_back(string.data());
    pointers_.push_back(nullptr);
  }
  [[nodiscard]] char* const* get() const { return pointers_.data(); }

 private:
  std::vector<std::string> strings_;
  std::vector<char*> pointers_;
};

// The program's own name comes first.
[[nodiscard]] std::vector<std::string> arguments_of(const Command& command);
[[nodiscard]] std::vector<std::string> environment_of(const Command& command);

}  // namespace autokernel
