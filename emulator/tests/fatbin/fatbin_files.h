// The fat binaries of tests/fatbin/data.
#pragma once

#include <fstream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>

namespace emulator::fatbin::testing {

inline std::string fatbin_file(const std::string& name) {
  std::ifstream file(std::string(EMULATOR_FATBIN_TEST_DATA) + "/" + name + ".fatbin",
                     std::ios::binary);
  if (!file) throw std::runtime_error("cannot open test data " + name);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

inline std::span<const std::byte> bytes_of(const std::string& image) {
  return std::as_bytes(std::span(image));
}

}  // namespace emulator::fatbin::testing
