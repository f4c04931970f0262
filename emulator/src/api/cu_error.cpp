// Names and descriptions of results.
#include <array>

#include "api/cuda_api.h"

namespace {

struct Words {
  CUresult result;
  const char* name;
  const char* description;
};

#define EMULATOR_RESULT(name, description) {name, #name, description}
constexpr std::array kWords = {
    Words EMULATOR_RESULT(CUDA_SUCCESS, "no error"),
    Words EMULATOR_RESULT(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
    Words EMULATOR_RESULT(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
    Words EMULATOR_RESULT(CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
    Words EMULATOR_RESULT(CUDA_ERROR_DEINITIALIZED, "driver shutting down"),
    Words EMULATOR_RESULT(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
    Words EMULATOR_RESULT(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
    Words EMULATOR_RESULT(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"),
    Words EMULATOR_RESULT(CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
    Words EMULATOR_RESULT(CUDA_ERROR_NO_BINARY_FOR_GPU,
                          "no kernel image is available for execution on the device"),
    Words EMULATOR_RESULT(CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed"),
    Words EMULATOR_RESULT(CUDA_ERROR_UNSUPPORTED_LIMIT,
                          "limit is not supported on this architecture"),
    Words EMULATOR_RESULT(CUDA_ERROR_FILE_NOT_FOUND, "file not found"),
    Words EMULATOR_RESULT(CUDA_ERROR_OPERATING_SYSTEM,
                          "OS call failed or operation not supported on this OS"),
    Words EMULATOR_RESULT(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
    Words EMULATOR_RESULT(CUDA_ERROR_NOT_FOUND, "named symbol not found"),
    Words EMULATOR_RESULT(CUDA_ERROR_ILLEGAL_STATE,
                          "the operation cannot be performed in the present state"),
    Words EMULATOR_RESULT(CUDA_ERROR_NOT_READY, "device not ready"),
    Words EMULATOR_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"),
    Words EMULATOR_RESULT(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                          "too many resources requested for launch"),
    Words EMULATOR_RESULT(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE,
                          "cannot set while device is active in this process"),
    Words EMULATOR_RESULT(CUDA_ERROR_CONTEXT_IS_DESTROYED, "context is destroyed"),
    Words EMULATOR_RESULT(CUDA_ERROR_ASSERT, "device-side assert triggered"),
    Words EMULATOR_RESULT(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
                          "part or all of the requested memory range is already mapped"),
    Words EMULATOR_RESULT(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
                          "pointer does not correspond to a registered memory region"),
    Words EMULATOR_RESULT(CUDA_ERROR_ILLEGAL_INSTRUCTION, "an illegal instruction was encountered"),
    Words EMULATOR_RESULT(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address"),
    Words EMULATOR_RESULT(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
    Words EMULATOR_RESULT(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
                          "too many blocks in cooperative launch"),
    Words EMULATOR_RESULT(CUDA_ERROR_NOT_PERMITTED, "operation not permitted"),
    Words EMULATOR_RESULT(CUDA_ERROR_NOT_SUPPORTED, "operation not supported"),
    Words EMULATOR_RESULT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                          "operation not permitted when stream is capturing"),
    Words EMULATOR_RESULT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                          "operation failed due to a previous error during capture"),
    Words EMULATOR_RESULT(CUDA_ERROR_STREAM_CAPTURE_MERGE,
                          "operation would result in a merge of separate capture sequences"),
    Words EMULATOR_RESULT(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
                          "capture was not ended in the same stream as it began"),
    Words EMULATOR_RESULT(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "capturing stream has unjoined work"),
    Words EMULATOR_RESULT(CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
                          "dependency created on uncaptured work in another stream"),
    Words EMULATOR_RESULT(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
                          "operation would make the legacy stream depend on a capturing stream"),
    Words EMULATOR_RESULT(CUDA_ERROR_CAPTURED_EVENT,
                          "operation not permitted on an event last recorded in a capturing "
                          "stream"),
    Words EMULATOR_RESULT(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
                          "capture was not ended by the thread that began it"),
    Words EMULATOR_RESULT(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
                          "the graph update was not performed because it included changes which "
                          "violated constraints specific to instantiated graph update"),
    Words EMULATOR_RESULT(CUDA_ERROR_UNKNOWN, "unknown error"),
};
#undef EMULATOR_RESULT

const Words* find(CUresult result) {
  for (const Words& words : kWords) {
    if (words.result == result) return &words;
  }
  return nullptr;
}

}  // namespace

CUresult cuGetErrorName(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Words* words = find(error);
  *text = words == nullptr ? nullptr : words->name;
  return words == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Words* words = find(error);
  *text = words == nullptr ? nullptr : words->description;
  return words == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
