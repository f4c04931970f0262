// The blocks of a kernel, or of a function it calls, and the ways between them (analysis.h says how
// lanes wait for each other).
#pragma once

#include <cstdint>
#include <map>

#include "emulator/lower/thread_function.h"

namespace emulator::lower {

class Writer;

// `collectives`, by index into the body, are written as such.
void write_body(Writer& writer, const std::map<std::uint32_t, Collective>& collectives);

}  // namespace emulator::lower
