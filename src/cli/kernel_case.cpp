#include "cli/kernel_case.h"

#include <fmt/format.h>

#include "autokernel/base/error.h"

namespace autokernel::cli {

void require_kernel(const cases::Case& problem, const std::string& what) {
  if (!problem.command) return;
  throw Error(
      Stop::usage,
      fmt::format("{} is for kernels, and {} is a case of commands ([command]); 'autokernel "
                  "bench' and 'autokernel loop' measure it",
                  what, (problem.directory / "case.toml").string()));
}

}  // namespace autokernel::cli
