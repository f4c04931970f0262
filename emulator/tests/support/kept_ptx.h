// Keeps what the tests run, so that NVIDIA's assembler can say whether it is PTX at all:
// EMULATOR_TESTS_KEEP_PTX=FOLDER, as tests/gpu/assembles.sh sets it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace emulator::testing {

// Writes the module into the folder of the environment, if there is one, in a file named by its
// text: one file however often it runs.
inline void keep_ptx(const std::string& ptx) {
  const char* folder = std::getenv("EMULATOR_TESTS_KEEP_PTX");
  if (folder == nullptr) return;
  const std::string name = std::to_string(std::hash<std::string>{}(ptx)) + ".ptx";
  std::ofstream(std::filesystem::path(folder) / name) << ptx;
}

}  // namespace emulator::testing
