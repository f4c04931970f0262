#include "trial/launch/offset_pointers.h"

#include <fmt/format.h>

#include "trial/launch/buffers.h"

namespace autokernel::trial {

std::variant<ResolvedPointer, std::string> resolve(const compile::OffsetPointer& pointer,
                                                   const SizedCase& sized,
                                                   std::uint64_t workspace_bytes) {
  const auto buffer = buffer_called(pointer.buffer, sized, workspace_bytes);
  if (!buffer) {
    return fmt::format("a launch asks for a pointer into \"{}\", which is no tensor of the case",
                       pointer.buffer);
  }
  if (pointer.offset >= buffer->bytes) {
    return fmt::format("a launch asks for a pointer to byte {} of {}, which has {}", pointer.offset,
                       pointer.buffer, buffer->bytes);
  }
  return ResolvedPointer{buffer->index, pointer.offset};
}

}  // namespace autokernel::trial
