// The way into a CUDA device, be it a GPU or the emulated one: everything above this layer is the
// same for both.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "autokernel/base/owned.h"
#include "autokernel/driver/device_choice.h"
#include "autokernel/driver/device_info.h"
#include "autokernel/driver/memory.h"
#include "autokernel/driver/module.h"
#include "autokernel/driver/stream.h"
#include "autokernel/driver/tensor_map.h"

struct CUctx_st;

namespace autokernel::driver {

struct Api;

enum class WarpOrder : std::uint8_t { ascending, descending };

// Whether a table belongs to a GPU's driver or to the emulated one.
enum class Origin : std::uint8_t { gpu, emulator };

// The file that the emulated driver is opened from; empty where only the loader knows it.
[[nodiscard]] std::filesystem::path emulator_file();

// Loads what a GPU's driver compiles PTX with, which it would otherwise open when it meets the
// first module without machine code: a process that is confined by then has no files. Nothing
// happens where there is none.
void load_ptx_compiler();

// A CUDA driver that has been found, loaded and initialised, with one of its devices chosen. Cheap:
// no context yet.
class Driver {
 public:
  // Throws Error(environment) saying what is missing and what to do.
  [[nodiscard]] static Driver open(const DeviceChoice& choice);
  // The same on a table of functions that is already filled (src/driver/api.h).
  Driver(std::shared_ptr<const Api> api, Origin origin, int ordinal);

  [[nodiscard]] const DeviceInfo& info() const { return info_; }
  [[nodiscard]] const Api& api() const { return *api_; }

 private:
  std::shared_ptr<const Api> api_;
  DeviceInfo info_;
};

// The device with its context, current on the thread that made it. Must outlive everything it hands
// out, and the driver must outlive it.
class Device {
 public:
  explicit Device(const Driver& driver);

  // On the calling thread, too.
  void make_current() const;

  [[nodiscard]] const DeviceInfo& info() const { return *info_; }

  [[nodiscard]] Buffer allocate(std::size_t bytes) const;
  [[nodiscard]] MappedBuffer allocate_mapped(std::size_t bytes) const;
  // Whether the driver has what it takes to share memory between processes.
  [[nodiscard]] bool can_share() const;
  // A name by which another process can map all of a buffer, and what has that name. Empty, or
  // none, where that is impossible: on the emulated device, and where processes are kept apart.
  [[nodiscard]] std::string share(const Buffer& buffer) const;
  [[nodiscard]] std::optional<Buffer> map_shared(const std::string& name) const;
  [[nodiscard]] Stream make_stream() const;
  [[nodiscard]] Event make_event() const;
  // Loads PTX (ending in a zero byte) or a cubin.
  [[nodiscard]] Loading load(std::span<const std::byte> image) const;
  // Lets the kernel be launched in a shape that it has to ask for: with more than 48 KiB of dynamic
  // shared memory, or more than 8 blocks in a cluster. A fault where the device has less.
  [[nodiscard]] std::optional<Fault> allow(const Kernel& kernel, const Shape& shape) const;

  // A map of the tensor at `address`. A fault where the driver does not take the layout; throws
  // Error(environment) where it has no tensor maps.
  [[nodiscard]] std::variant<TensorMap, Fault> encode(const TensorMapLayout& layout,
                                                      Address address) const;

  // Copies that are done when they come back. No launch may be under way.
  void copy_in(Address to, std::span<const std::byte> from) const;
  void copy_out(std::span<std::byte> to, Address from) const;

  // Gives lines that a kernel asked to keep in the L2 back to everyone. Nothing may be running.
  void reset_persisting_l2() const;
  // Where the warps of the kernel under way stand, in words, for who wants to know why it does not
  // end; empty where the device does not say, as a GPU does not. Any thread may ask.
  [[nodiscard]] std::string whereabouts() const;
  // In which order the warps of a block begin in launches from now on, where the device lets anyone
  // say so, as only the emulated one does.
  void order_warps(WarpOrder order) const;
  // Leaves device-side malloc as little memory as the device allows.
  void refuse_device_malloc() const;

 private:
  const Api* api_;
  const DeviceInfo* info_;
  Owned<CUctx_st*> context_;
};

// One-dimensional, of so many threads that a kernel which strides over its elements fills the
// device.
[[nodiscard]] Shape filling_shape(const Device& device);

}  // namespace autokernel::driver
