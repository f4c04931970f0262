// The modules of one kernel, compiled side by side.
#pragma once

#include <string>
#include <vector>

#include "jit/engine.h"

namespace emulator::jit {

struct Objects {
  std::vector<std::string> objects;  // of each module, in their order
  // From the first to the last of them, divided as the time of all threads was.
  double optimise_seconds = 0;
  double generate_seconds = 0;
};

// On up to so many threads. Throws as compile_ir does.
[[nodiscard]] Objects compile_modules(const std::vector<std::string>& modules, unsigned threads,
                                      Optimisation optimisation);

}  // namespace emulator::jit
