#include "api/jit_options.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "api/error_translation.h"
#include "runtime/host_pointer.h"

namespace emulator::api {
namespace {

constexpr unsigned kHighestOptimisation = 4;
// CUjit_target counts sm_90a as 90 + 0x10000 and sm_90f as 90 + 0x20000.
constexpr unsigned kTargetNumber = 0xffff;

// A number travels in the pointer itself.
unsigned number(const void* value) {
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(value));
}

}  // namespace

JitOptions::JitOptions(unsigned count, const CUjit_option* options, void** values) {
  require(count == 0 || (options != nullptr && values != nullptr));
  for (unsigned i = 0; i < count; ++i) read(options[i], values[i]);
}

void JitOptions::read(CUjit_option option, void*& value) {
  switch (option) {
    case CU_JIT_ERROR_LOG_BUFFER:
      error_.buffer = static_cast<char*>(value);
      break;
    case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
      error_.size = &value;
      break;
    case CU_JIT_INFO_LOG_BUFFER:
      info_.buffer = static_cast<char*>(value);
      break;
    case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
      info_.size = &value;
      break;
    case CU_JIT_WALL_TIME:
      wall_time_ = &value;
      break;
    case CU_JIT_LOG_VERBOSE:
      verbose_ = number(value) != 0;
      break;
    case CU_JIT_TARGET:
      target_ = static_cast<int>(number(value) & kTargetNumber);
      break;
    case CU_JIT_OPTIMIZATION_LEVEL:
      require(number(value) <= kHighestOptimisation);
      break;
    case CU_JIT_FALLBACK_STRATEGY:
      require(number(value) <= CU_PREFER_BINARY);
      break;
    case CU_JIT_GLOBAL_SYMBOL_NAMES:
    case CU_JIT_GLOBAL_SYMBOL_ADDRESSES:
    case CU_JIT_GLOBAL_SYMBOL_COUNT:
      throw Refusal(CUDA_ERROR_NOT_SUPPORTED);
    default:
      // How many registers, for how many threads, with which caches and debug information.
      require(option >= 0 && option < CU_JIT_NUM_OPTIONS);
      break;
  }
}

void JitOptions::write(const std::string& text, const Log& log) {
  if (log.size == nullptr) return;
  const std::size_t room = number(*log.size);
  std::size_t written = 0;
  if (log.buffer != nullptr && room != 0) {
    written = std::min(text.size(), room - 1);
    std::memcpy(log.buffer, text.data(), written);
    log.buffer[written] = '\0';
  }
  *log.size = runtime::host_pointer(written);
}

void JitOptions::write_wall_time(std::chrono::duration<float, std::milli> time) const {
  if (wall_time_ == nullptr) return;
  const float milliseconds = time.count();
  std::memcpy(static_cast<void*>(wall_time_), &milliseconds, sizeof milliseconds);
}

}  // namespace emulator::api
