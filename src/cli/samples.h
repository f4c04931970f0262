// The samples in a record (record.h), for those who want to see each.
#pragma once

#include <string>

namespace autokernel::cli {

// A heading, then a line for each timed launch: its number, the kernel's time, the incumbent's and
// the library's where they were timed beside it, microseconds, separated by tabs. Throws
// Error(usage) where the record holds no times.
[[nodiscard]] std::string samples_text(const std::string& record);

}  // namespace autokernel::cli
