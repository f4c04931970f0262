#include "api/device_properties.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "runtime/engine.h"
#include "runtime/memory.h"
#include "runtime/random_bits.h"

namespace emulator::api {
namespace {

// The first value of a key in /proc/cpuinfo; empty where there is none.
std::string cpuinfo(std::string_view key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t value = line.find_first_not_of(" \t", line.find(':') + 1);
    if (value != std::string::npos) return line.substr(value);
  }
  return {};
}

int clock_khz() {
  long khz = 0;
  if (std::ifstream file("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"); file >> khz) {
    return static_cast<int>(khz);
  }
  double mhz = 0;
  std::istringstream(cpuinfo("cpu MHz")) >> mhz;
  return static_cast<int>(mhz * 1000);
}

int cache_bytes() {
  long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (bytes <= 0) bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return static_cast<int>(std::clamp<long>(bytes, 0, std::numeric_limits<int>::max()));
}

// "8.0" -> {8, 0}; anything else: Hopper.
std::pair<int, int> capability() {
  const std::pair<int, int> hopper = {9, 0};
  const char* wanted = std::getenv("EMULATED_CUDA_ARCH");
  if (wanted == nullptr) return hopper;
  const char* const end = wanted + std::strlen(wanted);
  int major = 0;
  int minor = 0;
  const auto [dot, no_major] = std::from_chars(wanted, end, major);
  if (no_major != std::errc() || dot == end || *dot != '.') return hopper;
  const auto [rest, no_minor] = std::from_chars(dot + 1, end, minor);
  const bool sensible = no_minor == std::errc() && rest == end && major >= 3 && major < 100 &&
                        minor >= 0 && minor < 10;
  return sensible ? std::pair{major, minor} : hopper;
}

}  // namespace

DeviceProperties read_device_properties() {
  DeviceProperties device{};
  device.workers = runtime::default_workers();
  std::string model = cpuinfo("model name");
  if (model.empty()) model = "unknown processor";
  device.name = "CPU, emulated CUDA driver (" + model + ", " + std::to_string(device.workers) +
                (device.workers == 1 ? " thread)" : " threads)");
  std::tie(device.major, device.minor) = capability();
  device.clock_khz = clock_khz();
  device.cache_bytes = cache_bytes();
  device.memory_bytes = runtime::physical_memory().total;
  std::string machine;
  std::ifstream("/etc/machine-id") >> machine;
  runtime::fill_with_random_bits(device.uuid.data(), device.uuid.size(),
                                 std::hash<std::string>()(machine + model));
  return device;
}

}  // namespace emulator::api
