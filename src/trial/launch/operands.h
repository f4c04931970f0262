// The device memory one run of a kernel works on: its tensors and its workspace, surrounded by
// bytes that must not change.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "autokernel/driver/device.h"
#include "autokernel/trial/result.h"
#include "trial/inputs/philox.h"
#include "trial/inputs/sized_case.h"
#include "trial/launch/device_memory.h"
#include "trial/launch/fault_text.h"
#include "trial/launch/offset_pointers.h"
#include "trial/launch/staging.h"
#include "trial/launch/tensor_maps.h"

namespace autokernel::trial {

// What a kernel's declaration asks for beside the tensors.
struct Extras {
  std::uint64_t workspace_bytes = 0;  // 0: none
  std::vector<ResolvedMap> maps;
  std::vector<Bytes> constants = {};
  std::vector<ResolvedPointer> pointers = {};
};

// What a launch changed that it must not.
struct Disturbance {
  std::string what;  // "it changed its input A[0,1] = 2 to 3"
  Cause cause = Cause::unknown;
};

// The host's side of a set of operands while a kernel runs on it. All that are used in turn share
// one, as memory that is written for the first time is slow.
struct HostSide {
  Bytes noise;                     // for what is no input
  std::vector<Bytes> guards;       // before and after each buffer, as written
  std::optional<Staging> staging;  // once it has been used

  [[nodiscard]] const Staging& staging_on(const driver::Device& device) {
    return staging ? *staging : staging.emplace(device);
  }
};

class Operands {
 public:
  // `device`, `sized` and `memory`, which has required_bytes() of room, must live longer. Throws
  // Error(internal) where the device refuses a map, which Candidate::load would have noticed.
  Operands(const driver::Device& device, const SizedCase& sized, const Extras& extras,
           DeviceMemory& memory);
  [[nodiscard]] static std::size_t required_bytes(const driver::Device& device,
                                                  const SizedCase& sized, const Extras& extras);

  // Writes the inputs, and random bits into everything else: outputs, workspace, guard bands.
  // Nothing may be running. `inputs` is indexed like the tensors; it and the guards of `host` must
  // stay as they are until `disturbed` has been asked.
  void load(const std::vector<Bytes>& inputs, const Key& key, HostSide& host);

  // The part of it that the host keeps: the guard bands, as they are written for that key.
  void make_guards(const Key& key, HostSide& host) const;
  // Gives the scalars their values; `inputs` is indexed like the tensors, and none but the scalars
  // are looked at.
  void set_scalars(const std::vector<Bytes>& inputs);

  // Where each argument lies, in the order of compile::arguments_of: tensors, scalars, the
  // workspace, tensor maps, sizes, constants, pointers into the middle of a buffer.
  [[nodiscard]] std::span<void* const> arguments() const { return arguments_; }
  // The buffers, as messages name them.
  [[nodiscard]] std::vector<NamedBuffer> named() const;
  // Without the scalars.
  [[nodiscard]] std::size_t tensor_count() const;
  // Buffers: the tensors and, behind the last, the workspace.
  [[nodiscard]] std::size_t buffer_count() const { return addresses_.size(); }
  [[nodiscard]] driver::Address address(std::size_t buffer) const { return addresses_[buffer]; }
  [[nodiscard]] std::size_t bytes(std::size_t buffer) const { return sizes_[buffer]; }
  // Whether it is a tensor that is read, and whether it must be left as it is.
  [[nodiscard]] bool is_read(std::size_t buffer) const;
  [[nodiscard]] bool is_input(std::size_t buffer) const;
  // Before each buffer and behind it.
  [[nodiscard]] std::size_t guard_bytes() const { return guard_bytes_; }

  // The tensors that are written, copied to the host; the others are empty. Nothing may be running.
  [[nodiscard]] std::vector<Bytes> outputs() const;
  // The same, one after the other into memory that has room for them.
  void copy_outputs(std::span<std::byte> to, const Staging& staging) const;
  // What a launch changed that it must not: an input, or bytes around a buffer. Empty where all is
  // as it was.
  [[nodiscard]] std::optional<Disturbance> disturbed(const std::vector<Bytes>& inputs,
                                                     HostSide& host) const;

 private:
  // The guard band before a buffer, or behind it, as written.
  enum class Side : std::uint8_t { before, behind };
  [[nodiscard]] std::span<const std::byte> guard(std::size_t buffer, Side side,
                                                 const HostSide& host) const;
  [[nodiscard]] bool is_undisturbed(std::size_t buffer, const std::vector<Bytes>& inputs,
                                    HostSide& host) const;
  [[nodiscard]] std::optional<Disturbance> disturbed_guard(std::size_t buffer,
                                                           const HostSide& host) const;
  [[nodiscard]] std::optional<Disturbance> changed_input(std::size_t buffer,
                                                         const Bytes& input) const;
  [[nodiscard]] std::string name_of(std::size_t buffer) const;

  const driver::Device* device_;
  const SizedCase* sized_;
  std::size_t guard_bytes_;
  std::vector<driver::Address> addresses_;  // what the kernel sees; the workspace comes last
  std::vector<std::size_t> sizes_;
  std::vector<Bytes> scalars_;  // in the first bytes of each
  std::vector<driver::TensorMap> maps_;
  std::vector<std::int64_t> values_;  // of the sizes; the first four bytes are those of an int
  std::vector<Bytes> constants_;
  std::vector<driver::Address> pointers_;
  std::vector<void*> arguments_;  // into the six above
};

}  // namespace autokernel::trial
