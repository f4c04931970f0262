#include "driver/status.h"

#include <algorithm>
#include <array>
#include <span>

#include "autokernel/base/error.h"
#include "driver/emulator_fault.h"

namespace autokernel::driver {
namespace {

// Faults of a running kernel. They stick: every later call in the process reports them again.
constexpr std::array kStickyFaults = {
    CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_MISALIGNED_ADDRESS,    CUDA_ERROR_LAUNCH_FAILED,
    CUDA_ERROR_ASSERT,          CUDA_ERROR_ILLEGAL_INSTRUCTION,   CUDA_ERROR_HARDWARE_STACK_ERROR,
    CUDA_ERROR_INVALID_PC,      CUDA_ERROR_INVALID_ADDRESS_SPACE, CUDA_ERROR_LAUNCH_TIMEOUT,
};

// What a launch may be refused with because of what the candidate declared; its code, where the
// emulated device compiles it no sooner.
constexpr std::array kRefusedLaunch = {
    CUDA_ERROR_INVALID_VALUE,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
    CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
    CUDA_ERROR_INVALID_PTX,
    CUDA_ERROR_INVALID_CLUSTER_SIZE,
};

// What code may be refused with. Out of memory is among them, since module-scope arrays may be of
// any size.
constexpr std::array kRefusedCode = {
    CUDA_ERROR_INVALID_IMAGE,  CUDA_ERROR_NO_BINARY_FOR_GPU,
    CUDA_ERROR_INVALID_PTX,    CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
    CUDA_ERROR_INVALID_SOURCE, CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND,
    CUDA_ERROR_NOT_FOUND,      CUDA_ERROR_NOT_SUPPORTED,
    CUDA_ERROR_OUT_OF_MEMORY,
};

// As far as a code says it.
FaultKind kind_of(CUresult status) {
  switch (status) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
      return FaultKind::out_of_bounds;
    case CUDA_ERROR_MISALIGNED_ADDRESS:
      return FaultKind::misaligned;
    case CUDA_ERROR_ASSERT:
      return FaultKind::assertion;
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
      return FaultKind::bad_instruction;
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
      return FaultKind::stack;
    default:
      return FaultKind::unknown;
  }
}

bool is_one_of(CUresult status, std::span<const CUresult> codes) {
  return std::ranges::find(codes, status) != codes.end();
}

std::string text_of(const Api& api, CUresult status) {
  const char* text = nullptr;
  if (api.get_error_string == nullptr || api.get_error_string(status, &text) != CUDA_SUCCESS ||
      text == nullptr) {
    return "error " + std::to_string(static_cast<int>(status));
  }
  return text;
}

}  // namespace

std::string name_of(const Api& api, CUresult status) {
  const char* name = nullptr;
  if (api.get_error_name == nullptr || api.get_error_name(status, &name) != CUDA_SUCCESS ||
      name == nullptr) {
    return std::to_string(static_cast<int>(status));
  }
  return name;
}

void check(const Api& api, CUresult status, const char* call, const std::string& attempted,
           const std::string& remedy) {
  if (status == CUDA_SUCCESS) return;
  throw Error(Stop::environment, "cannot " + attempted + ": " + text_of(api, status) + " (" +
                                     name_of(api, status) + ", " +
                                     std::to_string(static_cast<int>(status)) + ")" +
                                     (remedy.empty() ? "" : "; " + remedy) + " [" + call + "]");
}

Fault fault(const Api& api, CUresult status, Occasion occasion, const char* call) {
  Fault fault{.code = static_cast<int>(status),
              .name = name_of(api, status),
              .text = text_of(api, status),
              .occasion = occasion,
              .call = call,
              .kind = kind_of(status)};
  if (api.emu_fault_report != nullptr) {
    const char* report = api.emu_fault_report();
    if (report != nullptr && *report != '\0') fault.text = report;
  }
  const auto report = occasion == Occasion::run ? api.emu_fault : api.emu_refusal;
  const EmuFault* reported = report == nullptr ? nullptr : report();
  if (reported != nullptr) take_over(*reported, fault);
  return fault;
}

std::optional<Fault> check_after_launch(const Api& api, CUresult status, const char* call,
                                        const std::string& attempted) {
  if (is_one_of(status, kStickyFaults)) return fault(api, status, Occasion::run, call);
  check(api, status, call, attempted);
  return std::nullopt;
}

std::optional<Fault> check_launch(const Api& api, CUresult status, const char* call,
                                  const std::string& attempted) {
  if (is_one_of(status, kRefusedLaunch)) return fault(api, status, Occasion::launch, call);
  return check_after_launch(api, status, call, attempted);
}

std::optional<Fault> check_code(const Api& api, CUresult status, const char* call,
                                const std::string& attempted) {
  if (is_one_of(status, kRefusedCode)) return fault(api, status, Occasion::load, call);
  check(api, status, call, attempted);
  return std::nullopt;
}

void lacking(const char* call) {
  throw Error(Stop::environment, std::string("this CUDA driver lacks ") + call +
                                     "; install a driver for CUDA 12.4 or later [" + call + "]");
}

}  // namespace autokernel::driver
