// The fat binaries of tests/fatbin/data.
#pragma once

#include <cstdint>
#include <cstring>
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

// A fat binary of PTX for one architecture, 90 for compute_90, not compressed;
// src/fatbin/fatbin.cpp has the layout.
inline std::string fatbin_of(std::string ptx, std::uint32_t architecture) {
  ptx.resize((ptx.size() + 8) / 8 * 8, '\0');
  std::string entry(64, '\0');
  std::string container(16, '\0');
  const auto put = [](std::string& to, std::size_t at, auto number) {
    std::memcpy(to.data() + at, &number, sizeof number);
  };
  put(entry, 0, std::uint16_t{1});
  put(entry, 4, std::uint32_t{64});
  put(entry, 8, std::uint64_t{ptx.size()});
  put(entry, 28, architecture);
  put(container, 0, std::uint32_t{0xba55ed50});
  put(container, 4, std::uint16_t{1});
  put(container, 6, std::uint16_t{16});
  put(container, 8, std::uint64_t{entry.size() + ptx.size()});
  return container + entry + ptx;
}

inline std::span<const std::byte> bytes_of(const std::string& image) {
  return std::as_bytes(std::span(image));
}

}  // namespace emulator::fatbin::testing
