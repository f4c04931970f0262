// `.alias name, function;`: a second name for a function. Every mention of the alias becomes one of
// the function, so that nobody after the parser has to know of aliases.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "ptx/parser_state.h"

namespace emulator::ptx {

class Aliases {
 public:
  // Behind `.alias`, up to and including the semicolon.
  void read(Reading& reading);

  // Once the whole module has been read. Throws Error at an alias that has a body or stands for
  // what has none.
  void resolve(Module& module) const;

 private:
  struct Target {
    std::uint32_t function;
    Location where;  // of the alias's own name
  };
  std::unordered_map<std::uint32_t, Target>
      targets_;  // keyed by the alias's index among the functions
};

}  // namespace emulator::ptx
