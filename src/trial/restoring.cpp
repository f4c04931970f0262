#include "trial/restoring.h"

#include <algorithm>

namespace autokernel::trial {
namespace {

// A copy reads as many bytes as it writes: it is charged as so many times as many zeros. A real one
// would need the bytes on the device, where the kernel could get at them.
constexpr std::size_t kBytesOfACopy = 2;

[[nodiscard]] bool is_zero(const Bytes& bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

}  // namespace

Restoring::Restoring(const driver::Device& device, std::span<const ModuleObject> objects)
    : device_(&device) {
  for (const ModuleObject& object : objects) {
    if (!object.initial.empty()) objects_.push_back({&object, is_zero(object.initial)});
  }
}

std::optional<driver::Fault> Restoring::queue(const driver::Stream& stream) const {
  for (const Known& known : objects_) {
    if (!known.changes) continue;
    const std::size_t bytes = known.object->initial.size();
    auto fault = known.is_zero ? stream.zero(known.object->address, bytes)
                               : stream.zero(scratch_.address(), kBytesOfACopy * bytes);
    if (fault) return fault;
  }
  return std::nullopt;
}

std::size_t Restoring::queued() const {
  return static_cast<std::size_t>(std::ranges::count_if(objects_, &Known::changes));
}

bool Restoring::note_changes() {
  bool found_new = false;
  for (Known& known : objects_) {
    if (known.changes) continue;
    const Bytes& initial = known.object->initial;
    found_.resize(initial.size());
    device_->copy_out(found_, known.object->address);
    known.changes = !same_bytes(found_, initial);
    if (!known.changes) continue;
    found_new = true;
    const std::size_t bytes = known.is_zero ? 0 : kBytesOfACopy * initial.size();
    if (scratch_.bytes() < bytes) scratch_ = device_->allocate(bytes);
  }
  return found_new;
}

}  // namespace autokernel::trial
