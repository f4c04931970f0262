// The record of a measurement: the JSON object that `bench --json` prints and `bench --replay`
// reads back. docs/json.md describes every field for those who read it with other programs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/trial/result.h"

namespace autokernel::trial {

// One object and a newline. A value that does not exist is null. `log` is the path of the full
// texts, empty where there are none.
[[nodiscard]] std::string record(const Request& request, const Result& result,
                                 const std::string& log);

// The same where no verdict was reached: the object has nothing but schema_version, exit_code and
// error.
[[nodiscard]] std::string record(const Error& error);
// The same for a bench that a signal has ended.
[[nodiscard]] std::string record(const Interrupted& interrupted);

// What was requested, source and keys of the launches included. Throws Error(usage) naming the file
// and what is wrong with it.
[[nodiscard]] Request recorded_request(const std::filesystem::path& file);

// The conditions in a record; none where it has none, or is damaged.
[[nodiscard]] std::optional<Conditions> recorded_conditions(const std::string& record);

}  // namespace autokernel::trial
