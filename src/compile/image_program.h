// What the harness must know of a compiled image, put into a program whose declaration is known.
#pragma once

#include "autokernel/compile/front_end.h"
#include "compile/elf.h"

namespace autokernel::compile {

// Objects, resources and parameters, and whether the launches fit them. Throws Refused where they
// do not, or the image does what a kernel must not; BadElf.
void read_image(const Elf& elf, const Request& request, Program& program);

}  // namespace autokernel::compile
