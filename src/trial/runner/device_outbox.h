// Device memory that a launcher and its runner share, in which outputs travel from one to the other
// without leaving the device. As with the Outbox, the runner copies what it finds at once.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/driver/device.h"
#include "trial/inputs/sized_case.h"
#include "trial/launch/operands.h"

namespace autokernel::trial {

// The launcher's side.
class DeviceOutbox {
 public:
  // Room for that many bytes. The device must live longer. Throws Error(environment).
  DeviceOutbox(const driver::Device& device, std::size_t bytes);
  // For the runner; empty where memory cannot be shared.
  [[nodiscard]] std::string name() const { return device_->share(room_); }
  // Copies the tensors that are written, one after the other.
  void put(const Operands& operands, const SizedCase& sized) const;
  // Nothing stays that a later launch could find.
  void clear(const SizedCase& sized) const;

 private:
  const driver::Device* device_;
  driver::Buffer room_;
  driver::Stream stream_;
};

// The runner's side.
class DeviceInbox {
 public:
  // None where what has that name cannot be mapped, or has less room. The device must live longer.
  [[nodiscard]] static std::optional<DeviceInbox> open(const driver::Device& device,
                                                       const std::string& name, std::size_t bytes);
  // The outputs of a launch at that size, indexed like the tensors; inputs are empty.
  [[nodiscard]] std::vector<driver::Buffer> take(const SizedCase& sized) const;

 private:
  DeviceInbox(const driver::Device& device, driver::Buffer room);

  const driver::Device* device_;
  driver::Buffer room_;
  driver::Stream stream_;
};

}  // namespace autokernel::trial
