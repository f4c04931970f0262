// A user's repository with a [command] case: a script that puts out a text and a number.
#pragma once

#include <string>
#include <vector>

#include "e2e/authoring_workplace.h"

namespace autokernel::test {

class CommandWorkplace : public AuthoringWorkplace {
 protected:
  static constexpr const char* kProgram = "case/program.sh";
  static constexpr const char* kCase = "case/case.toml";

  // Committed: a program whose value is 100, of which less is better.
  CommandWorkplace();

  // The script that leaves the right output and says that value; `before` is run before.
  [[nodiscard]] static std::string program(const std::string& value,
                                           const std::string& before = {});
  // case.toml with a piece of its text replaced, which must be in it; committed.
  void change_case(const std::string& piece, const std::string& instead) const;
  // The same with lines behind it.
  void extend_case(const std::string& lines) const;

  [[nodiscard]] Outcome bench(const std::vector<std::string>& more = {}) const;
  // Writes the program, commits it as the case's own, and measures it.
  [[nodiscard]] Outcome bench_of(const std::string& program) const;
  // `loop start demo`, which must succeed.
  void start() const;
  [[nodiscard]] Outcome step(const std::string& program, const std::string& idea = "an idea",
                             const std::vector<std::string>& more = {}) const;
  [[nodiscard]] std::string program_now() const { return repository_.read(kProgram); }
};

}  // namespace autokernel::test
