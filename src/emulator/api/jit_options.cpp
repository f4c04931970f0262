#include "emulator/api/jit_options.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "emulator/api/answer.h"
#include "emulator/runtime/host_pointer.h"

namespace emulator::api {

JitLogs::JitLogs(unsigned count, CUjit_option* options, void** values) {
  require(count == 0 || (options != nullptr && values != nullptr));
  for (unsigned i = 0; i < count; ++i) {
    switch (options[i]) {
      case CU_JIT_ERROR_LOG_BUFFER:
        error_.buffer = static_cast<char*>(values[i]);
        break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        error_.size = &values[i];
        break;
      case CU_JIT_INFO_LOG_BUFFER:
        info_.buffer = static_cast<char*>(values[i]);
        break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        info_.size = &values[i];
        break;
      default:
        break;
    }
  }
}

void JitLogs::write(const std::string& text, const Log& log) {
  if (log.size == nullptr) return;
  // The size travels in the pointer itself, both ways; in CUDA it is an unsigned int.
  const std::size_t room = reinterpret_cast<std::uintptr_t>(*log.size) & 0xffffffffU;
  std::size_t written = 0;
  if (log.buffer != nullptr && room != 0) {
    written = std::min(text.size(), room - 1);
    std::memcpy(log.buffer, text.data(), written);
    log.buffer[written] = '\0';
  }
  *log.size = runtime::host_pointer(written);
}

}  // namespace emulator::api
