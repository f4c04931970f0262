// What becomes of a CUresult: an Error where the machine is at fault, a Fault where the kernel is.
#pragma once

#include <optional>
#include <string>

#include "autokernel/driver/fault.h"
#include "driver/api.h"

namespace autokernel::driver {

// "CUDA_ERROR_OUT_OF_MEMORY"; the bare number where the driver has no name for it or asking fails.
[[nodiscard]] std::string name_of(const Api& api, CUresult status);

// Throws Error(environment) unless all went well: "cannot <attempted>: <text> (<name>, <number>);
// <remedy> [<call>]".
void check(const Api& api, CUresult status, const char* call, const std::string& attempted,
           const std::string& remedy = "");

// The status as a fault, with what the emulated device has to say about it.
[[nodiscard]] Fault fault(const Api& api, CUresult status, Occasion occasion, const char* call);

// Nothing where all went well; a fault where an earlier launch went wrong; else throws as check
// does.
[[nodiscard]] std::optional<Fault> check_after_launch(const Api& api, CUresult status,
                                                      const char* call,
                                                      const std::string& attempted);

// The same for a call that a candidate's own declaration may make impossible (too many threads, too
// much memory).
[[nodiscard]] std::optional<Fault> check_launch(const Api& api, CUresult status, const char* call,
                                                const std::string& attempted);

// The same for code that the driver may refuse.
[[nodiscard]] std::optional<Fault> check_code(const Api& api, CUresult status, const char* call,
                                              const std::string& attempted);

// Throws Error(environment) where this driver lacks a function that only some have.
template <typename Function>
void require(Function function, const char* call);

[[noreturn]] void lacking(const char* call);

template <typename Function>
void require(Function function, const char* call) {
  if (function == nullptr) lacking(call);
}

}  // namespace autokernel::driver
