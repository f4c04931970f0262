#include "autokernel/trial/launchers.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "autokernel/base/cache_folder.h"
#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/sha256.h"
#include "autokernel/base/visible_text.h"

namespace autokernel::trial {
namespace {

namespace fs = std::filesystem;

[[nodiscard]] fs::path file_of(const std::string& command) {
  return cache_folder() / "launchers" / sha256(command);
}

}  // namespace

void remember_launcher(const std::string& command) {
  const fs::path file = file_of(command);
  std::error_code unreadable;
  if (fs::exists(file, unreadable)) return;
  make_folders(file.parent_path());
  write_file_atomically(file, command + "\n");
}

void require_known_launcher(const std::string& command) {
  std::error_code unreadable;
  if (fs::exists(file_of(command), unreadable)) return;
  throw Error(
      Stop::usage,
      fmt::format("cannot measure by the launcher '{}': the record of the run names it, and "
                  "nobody has on this machine; to let it run, name it once, by --launcher",
                  visible_line(command)));
}

}  // namespace autokernel::trial
