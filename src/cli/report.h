// What bench prints for a result, and the exit code that goes with it.
#pragma once

#include <string>

#include "autokernel/trial/result.h"

namespace autokernel::cli {

// The lines of standard output. Two lines on the device and "---", then one "key: value" a line,
// the value in column 18; the first twelve keys, their order and their number formats are those of
// the harnesses people already parse. A value that does not exist has no line; a failed run has no
// times, whatever was measured. `log` is the path of the full texts, empty where there are none.
[[nodiscard]] std::string text_block(const trial::Result& result, const std::string& log);

// What kind of clock the times are of: "gpu" or "emulated".
[[nodiscard]] const char* timing(const trial::DeviceReport& device);

// 0, or 11 to 14 by verdict.
[[nodiscard]] int exit_code(trial::Verdict verdict);

}  // namespace autokernel::cli
