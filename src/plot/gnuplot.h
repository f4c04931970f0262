// gnuplot as a child process.
#pragma once

#include <filesystem>
#include <string>

namespace autokernel::plot {

// What it printed for a script. Throws Error(environment) where it cannot be run, does not end, or
// reports a mistake.
[[nodiscard]] std::string run_gnuplot(const std::filesystem::path& program,
                                      const std::string& script);

}  // namespace autokernel::plot
