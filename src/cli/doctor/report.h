// What doctor prints.
#pragma once

#include <string>

#include "cli/doctor/checks.h"

namespace autokernel::cli::doctor {

// Per line of the report: how it stands, what was looked at, what was found; below it, where it is
// not ok, the command that fixes it. Ends with what bench can do.
[[nodiscard]] std::string text_report(const Facts& facts, const Lines& lines);

// One JSON object:
//   schema_version  1
//   version         of autokernel
//   device          as requested: "auto", "cuda:0", "cpu"
//   takes           what bench would take: "gpu" or "emulator"
//   can_bench       whether bench can run on it
//   checks          one object per line: name, status (ok, missing, wrong), found, fix (null where
//                   it is ok), required (whether bench needs it)
[[nodiscard]] std::string json_report(const Facts& facts, const Lines& lines);

}  // namespace autokernel::cli::doctor
