// A random program on the emulator against the same walked over, and the smallest part of it that
// still differs.
#pragma once

#include <optional>
#include <string>

#include "jit/compiler.h"
#include "lower/kernel.h"
#include "random/program.h"
#include "support/outcome.h"

namespace emulator::testing::random {

[[nodiscard]] Grid launch_of(const Program& program);

// What differs first, in words; nothing where the emulator does what PTX says. Where
// EMULATOR_TESTS_DRIVER names a CUDA driver, that one runs the program instead.
[[nodiscard]] std::optional<std::string> difference(const Program& program,
                                                    lower::EngineChoice engine,
                                                    jit::Compilation compilation);

// The program without the statements that a difference does not need.
[[nodiscard]] Program shrunk(Program program, lower::EngineChoice engine,
                             jit::Compilation compilation);

}  // namespace emulator::testing::random
