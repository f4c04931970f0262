// Why a candidate is not accepted, on its way into a Result.
#pragma once

#include <span>
#include <string>

#include "autokernel/driver/fault.h"
#include "autokernel/trial/result.h"
#include "trial/launch/fault_text.h"

namespace autokernel::trial {

struct Rejection {
  Verdict verdict = Verdict::incorrect;
  std::string reason;  // one to three lines
  std::string detail;  // all there is to say, for the log file
  Cause cause = Cause::unknown;
};

// A fault of the device as a rejection. `launches` says what was launched ("matmul, grid
// (32,128,1), ..."), `occasion` when ("exact inputs, timed launch 4"), `buffers` what the kernel
// was given.
[[nodiscard]] Rejection rejection(const driver::Fault& fault, const std::string& launches,
                                  const std::string& occasion,
                                  std::span<const NamedBuffer> buffers = {});

// At most that many lines of a text, for a reason.
[[nodiscard]] std::string first_lines(const std::string& text, int lines);

}  // namespace autokernel::trial
