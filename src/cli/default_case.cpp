#include "cli/default_case.h"

#include <system_error>

#include "autokernel/base/error.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

[[nodiscard]] bool is_case(const fs::path& directory) {
  std::error_code unreadable;
  return fs::exists(directory / "case.toml", unreadable);
}

}  // namespace

fs::path installed_case() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  return program.parent_path().parent_path() / "share" / "autokernel" / "kernels";
}

fs::path default_case(const fs::path& here) {
  if (is_case(here)) return here;
  if (is_case(here / "kernels")) return here / "kernels";
  if (is_case(installed_case())) return installed_case();
  throw Error(Stop::usage,
              "no case found: neither " + here.string() + " nor " + (here / "kernels").string() +
                  " has a case.toml; name a folder that has one with --case DIR, or make one: "
                  "autokernel init");
}

fs::path existing_case(const fs::path& directory) {
  if (is_case(directory)) return directory;
  std::error_code unreadable;
  if (!fs::exists(directory, unreadable)) {
    const fs::path meant = fs::path("kernels") / directory;
    throw Error(Stop::usage, "no such case: there is no folder " + directory.string() +
                                 (is_case(meant) ? "; did you mean " + meant.string() + "?" : ""));
  }
  const fs::path above = directory.parent_path();
  if (directory.filename() == "case.toml") {
    throw Error(Stop::usage,
                "a case is a folder: --case " + (above.empty() ? "." : above.string()));
  }
  throw Error(Stop::usage, "no such case: " + directory.string() + " has no case.toml");
}

}  // namespace autokernel::cli
