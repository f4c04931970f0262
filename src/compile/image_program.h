// What the harness must know of a compiled image, put into a program whose declaration is known.
#pragma once

#include "autokernel/compile/front_end.h"
#include "compile/elf.h"

namespace autokernel::compile {

// Objects, resources and parameters, and whether the launches fit them. Throws Refused where they
// do not, or the image does what a kernel must not; BadElf.
void read_image(const Elf& elf, const Request& request, Program& program);

// The same of the program's own cubin and PTX, whose declaration is known: parameters and variables
// are those of the cubin, or of the PTX where there is none. Throws Refused, which begins with
// `place`, where they cannot be read, or do not have the same variables: the device loads one of
// the two, and what is restored between launches must be all of either.
void read_images(const Request& request, Program& program, const std::string& place);

}  // namespace autokernel::compile
