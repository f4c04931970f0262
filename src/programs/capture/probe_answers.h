// Answers to yes-or-no questions that are asked in the same order each time, kept in a file: a
// process that dies of a question is followed by one that knows all answers before it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace autokernel::programs {

class ProbeAnswers {
 public:
  // What the file has is answered first. A question that was begun and never answered counts as a
  // yes. Throws Error(environment) where the file cannot be used.
  explicit ProbeAnswers(std::filesystem::path file);

  // The answer to the next question: as the file has it, or else as `ask` finds it.
  [[nodiscard]] bool next(const std::function<bool()>& ask);

  // Whether a process before this one has begun to ask.
  [[nodiscard]] bool goes_on() const { return goes_on_; }

 private:
  void append(char letter) const;

  std::filesystem::path file_;
  std::string known_;
  bool goes_on_ = false;
  std::size_t asked_ = 0;
};

}  // namespace autokernel::programs
