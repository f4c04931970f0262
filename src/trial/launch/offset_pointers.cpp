#include "trial/launch/offset_pointers.h"

#include <fmt/format.h>

#include <optional>

namespace autokernel::trial {

std::variant<ResolvedPointer, std::string> resolve(const compile::OffsetPointer& pointer,
                                                   const SizedCase& sized,
                                                   std::uint64_t workspace_bytes) {
  std::size_t buffer = 0;
  std::optional<std::uint64_t> bytes;
  for (const SizedTensor& each : sized.tensors) {
    if (each.tensor->is_scalar) continue;
    if (each.tensor->name == pointer.buffer) {
      bytes = each.bytes;
      break;
    }
    ++buffer;
  }
  if (!bytes && pointer.buffer == "workspace") bytes = workspace_bytes;
  if (!bytes) {
    return fmt::format("a launch asks for a pointer into \"{}\", which is no tensor of the case",
                       pointer.buffer);
  }
  if (pointer.offset >= *bytes) {
    return fmt::format("a launch asks for a pointer to byte {} of {}, which has {}", pointer.offset,
                       pointer.buffer, *bytes);
  }
  return ResolvedPointer{buffer, pointer.offset};
}

}  // namespace autokernel::trial
