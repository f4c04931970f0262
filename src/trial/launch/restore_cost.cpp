#include "trial/launch/restore_cost.h"

#include <algorithm>

namespace autokernel::trial {
namespace {

// A copy reads as many bytes as it writes: it is charged as so many times as many zeros. A real one
// would need the bytes on the device, where the kernel could get at them.
constexpr std::size_t kBytesOfACopy = 2;

// Zeros are written in place, as those of a workspace are, and for large objects a share once more:
// on an H100 a launch with a table of 16 MiB in the module takes 6 % less than one with a workspace
// of that size, and where the table lies should gain nothing. What is below the limit is written
// in less time than a launch takes to begin, where nothing is gained either.
constexpr std::size_t kLargeObject = std::size_t{64} << 10U;
constexpr std::size_t kShareOfZeros = 4;

// Bytes written to scratch memory for an object that changes.
[[nodiscard]] std::size_t scratch_bytes(std::size_t bytes, bool is_zero) {
  if (!is_zero) return kBytesOfACopy * bytes;
  return bytes < kLargeObject ? 0 : bytes / kShareOfZeros;
}

[[nodiscard]] bool is_zero(const Bytes& bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

}  // namespace

RestoreCost::RestoreCost(const driver::Device& device, std::span<const ModuleObject> objects)
    : device_(&device) {
  for (const ModuleObject& object : objects) {
    if (!object.initial.empty()) objects_.push_back({&object, is_zero(object.initial)});
  }
}

std::optional<driver::Fault> RestoreCost::queue(const driver::Stream& stream) const {
  for (const Known& known : objects_) {
    if (!known.changes) continue;
    const std::size_t bytes = known.object->initial.size();
    if (known.is_zero) {
      if (auto fault = stream.zero(known.object->address, bytes)) return fault;
    }
    if (const std::size_t more = scratch_bytes(bytes, known.is_zero); more > 0) {
      if (auto fault = stream.zero(scratch_.address(), more)) return fault;
    }
  }
  return std::nullopt;
}

std::size_t RestoreCost::queued() const {
  std::size_t queued = 0;
  for (const Known& known : objects_) {
    if (!known.changes) continue;
    queued += known.is_zero ? 1 : 0;
    queued += scratch_bytes(known.object->initial.size(), known.is_zero) > 0 ? 1 : 0;
  }
  return queued;
}

bool RestoreCost::note_changes() {
  bool found_new = false;
  for (Known& known : objects_) {
    if (known.changes) continue;
    const Bytes& initial = known.object->initial;
    found_.resize(initial.size());
    device_->copy_out(found_, known.object->address);
    known.changes = !same_bytes(found_, initial);
    if (!known.changes) continue;
    found_new = true;
    const std::size_t bytes = scratch_bytes(initial.size(), known.is_zero);
    if (scratch_.bytes() < bytes) scratch_ = device_->allocate(bytes);
  }
  return found_new;
}

}  // namespace autokernel::trial
