// Launches warp functions written in C++ as if they had been compiled from PTX.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "runtime/engine.h"
#include "runtime/host_pointer.h"
#include "runtime/memory.h"

namespace emulator::runtime {

// How a launch ended.
struct Outcome {
  std::optional<FaultKind> fault;
  std::string text = "none";
};

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

  Outcome run(WarpFunction function) {
    const std::shared_ptr<const AddressMap> addresses = memory.snapshot();
    launch.function = function;
    launch.sites = sites;
    launch.parameters = parameters;
    launch.addresses = addresses.get();
    launch.prints = &prints;
    const std::optional<Fault> fault = engine_.run(launch);
    return fault ? Outcome{fault->kind, fault->text} : Outcome();
  }

 private:
  Engine engine_;
};

// The parameters of a kernel.
inline std::uint64_t parameter(const WarpContext& context, std::size_t index) {
  std::uint64_t value = 0;
  std::memcpy(&value, context.params + index * sizeof value, sizeof value);
  return value;
}
template <typename T>
T* pointer_parameter(const WarpContext& context, std::size_t index) {
  return host_pointer<T>(parameter(context, index));
}

// A lane's value in the area where vectors are handed to entry points.
template <typename T>
void put(WarpContext& context, std::size_t element, std::size_t lane, T value) {
  std::memcpy(context.value[element] + lane * sizeof value, &value, sizeof value);
}
template <typename T>
T get(const WarpContext& context, std::size_t element, std::size_t lane) {
  T value{};
  std::memcpy(&value, context.value[element] + lane * sizeof value, sizeof value);
  return value;
}

}  // namespace emulator::runtime
