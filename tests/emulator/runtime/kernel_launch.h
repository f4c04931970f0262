// Launches warp functions written in C++ as if they had been compiled from PTX.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "emulator/runtime/engine.h"
#include "emulator/runtime/memory.h"

namespace emulator::runtime {

class KernelLaunch {
 public:
  explicit KernelLaunch(unsigned workers = 2) : engine_(workers) {}

  Memory memory;
  PrintBuffer prints;
  Launch launch;
  std::vector<Site> sites;
  std::vector<std::uint8_t> parameters;

  // Appends a pointer or an integer to the parameters.
  void pass(std::uint64_t value) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&value);
    parameters.insert(parameters.end(), bytes, bytes + sizeof value);
  }

  std::optional<Fault> run(WarpFunction function) {
    const std::shared_ptr<const AddressMap> addresses = memory.snapshot();
    launch.function = function;
    launch.sites = sites;
    launch.parameters = parameters;
    launch.addresses = addresses.get();
    launch.prints = &prints;
    return engine_.run(launch);
  }

 private:
  Engine engine_;
};

template <typename T>
T parameter(const WarpContext& context, unsigned index) {
  T value;
  std::memcpy(&value, context.params + index * sizeof(std::uint64_t), sizeof value);
  return value;
}

// Fault text, or "none".
inline std::string text_of(const std::optional<Fault>& fault) {
  return fault ? fault->text : "none";
}

}  // namespace emulator::runtime
