#include "trial/launch/buffers.h"

namespace autokernel::trial {

std::optional<Buffer> buffer_called(const std::string& name, const SizedCase& sized,
                                    std::uint64_t workspace_bytes) {
  std::size_t index = 0;
  for (const SizedTensor& each : sized.tensors) {
    if (each.tensor->is_scalar) continue;
    if (each.tensor->name == name) return Buffer{index, each.bytes, &each};
    ++index;
  }
  if (name == kWorkspace) return Buffer{index, workspace_bytes, nullptr};
  return std::nullopt;
}

}  // namespace autokernel::trial
