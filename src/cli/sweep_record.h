// A sweep as one JSON object, around the records of its trials.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autokernel/base/interrupts.h"
#include "cli/sweep.h"

namespace autokernel::cli {

// One line. docs/json.md has the fields. With what ended the sweep before it was through.
[[nodiscard]] std::string sweep_record(const std::vector<SweepRow>& rows,
                                       const std::optional<Interrupted>& interrupted);

}  // namespace autokernel::cli
