// Page-locked host memory between a device and the memory of the host that a launch is made from
// and held against. A GPU reads and writes it several times as fast as pages that the system may
// move. A kernel can get at it while it runs, so nothing stays in it from before a launch until
// after.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <span>

#include "autokernel/driver/device.h"

namespace autokernel::trial {

class Staging {
 public:
  // `device` must live longer. Throws Error(environment).
  explicit Staging(const driver::Device& device);

  // Copies the parts, one right behind the other, to the device. Nothing may be running.
  void copy_in(driver::Address to, std::initializer_list<std::span<const std::byte>> parts) const;
  // Copies so many bytes from the device, and calls `look` with each piece and where it begins.
  // Nothing may be running.
  using Look = std::function<void(std::span<const std::byte> piece, std::size_t begin)>;
  void copy_out(driver::Address from, std::size_t bytes, const Look& look) const;
  void copy_out(driver::Address from, std::span<std::byte> to) const;
  // Whether the device has these parts, one right behind the other.
  [[nodiscard]] bool holds(driver::Address at,
                           std::initializer_list<std::span<const std::byte>> parts) const;

 private:
  const driver::Device* device_;
  driver::MappedBuffer memory_;
};

}  // namespace autokernel::trial
