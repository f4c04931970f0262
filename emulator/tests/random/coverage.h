// Which of the operations, accesses and collective instructions programs contain, and how often.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "random/program.h"

namespace emulator::testing::random {

class Coverage {
 public:
  Coverage();
  void add(const Program& program) { add(program.body); }

  struct Count {
    std::string form;
    std::size_t times = 0;
  };
  [[nodiscard]] const std::vector<Count>& counts() const { return counts_; }
  [[nodiscard]] std::vector<std::string> missing() const;

 private:
  void add(const Statements& statements);

  std::vector<Count> counts_;
};

}  // namespace emulator::testing::random
