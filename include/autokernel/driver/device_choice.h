// Which device a run is to use, as --device says it. Only the choice: finding and opening the
// device is the driver's.
#pragma once

#include <cstdint>
#include <string>

namespace autokernel::driver {

// --device [PLACE/]auto|cuda[:N]|cpu.
struct DeviceChoice {
  enum class Kind : std::uint8_t {
    automatic,  // a GPU where there is one, else the emulated device
    cuda,       // GPU number `ordinal`
    cpu,        // the emulated device
  };
  Kind kind = Kind::automatic;
  int ordinal = 0;
  // The machine: "ssh://user@host:2222"; empty: this one.
  std::string place = {};

  friend bool operator==(const DeviceChoice&, const DeviceChoice&) = default;
};

// Throws Error(usage) naming what is allowed.
[[nodiscard]] DeviceChoice parse_device(const std::string& text);
// The text that parse_device reads back as the same choice: "auto", "cuda:0", "cpu",
// "ssh://host/cuda:0".
[[nodiscard]] std::string spelling(const DeviceChoice& choice);

}  // namespace autokernel::driver
