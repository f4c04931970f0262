// Runs a test's kernel by a CUDA driver instead of the emulator, so that the tests' expectations
// can be checked on a GPU: EMULATOR_TESTS_DRIVER=libcuda.so.1 emulator_lower_test. The tests of
// faults and refusals are about the emulator alone and fail there.
#pragma once

#include <string>
#include <vector>

#include "support/outcome.h"

namespace emulator::testing {

// The driver library to run kernels with; null: the emulator itself.
[[nodiscard]] const char* driver_to_test();

// As run_kernel() (kernel_run.h), in a context of its own. A call that fails ends up in `fault`, by
// its number. Throws std::runtime_error where the library has no such call.
[[nodiscard]] Outcome run_on_driver(const char* driver, const std::string& ptx,
                                    const std::vector<std::uint32_t>& input,
                                    std::size_t output_words, const Grid& launch);

}  // namespace emulator::testing
