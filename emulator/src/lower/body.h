// The blocks of a kernel, or of a function it calls, and the ways between them (analysis.h says how
// lanes wait for each other).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lower/thread_function.h"

namespace emulator::lower {

class Writer;

struct Code {
  std::string text;
  std::set<std::string> declarations;
};

// One function behind `header`: "void @f(ptr %a)". `collectives`, by index into the body, are
// written as such.
[[nodiscard]] Code write_body(Writer& writer,
                              const std::map<std::uint32_t, Collective>& collectives,
                              const std::string& header);

// A kernel whose writer has a frame for parts, of which each begins with one of these blocks: the
// kernel itself, which calls the parts, and behind it the parts.
[[nodiscard]] std::vector<Code> write_parts(Writer& writer, const std::string& kernel,
                                            const std::vector<std::uint32_t>& firsts);

}  // namespace emulator::lower
