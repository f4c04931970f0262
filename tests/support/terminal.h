// A terminal that nobody looks at: what a program paints on it can be read afterwards.
#pragma once

#include <string>

#include "autokernel/base/descriptor.h"

namespace autokernel::test {

class Terminal {
 public:
  Terminal();

  // What a program is given as its terminal.
  [[nodiscard]] int end_for_program() const { return program_end_.get(); }
  // Everything painted so far, escape sequences included; a terminal shows a line end as "\r\n".
  [[nodiscard]] std::string painted();

 private:
  Descriptor our_end_;
  Descriptor program_end_;
  std::string painted_;
};

}  // namespace autokernel::test
