#include "loop/folders.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "autokernel/base/files.h"
#include "autokernel/base/system_error.h"

namespace autokernel::loop {
namespace {

// What `autokernel plot` draws into where it is not told otherwise.
constexpr std::array<std::string_view, 3> kPlots = {"progress.png", "progress.svg",
                                                    "progress.html"};

}  // namespace

void Folders::make() const {
  std::error_code failed;
  std::filesystem::create_directories(own(), failed);
  if (failed) {
    throw system_failure(Stop::environment, "cannot make the folder " + own().string(), "mkdir",
                         failed.value());
  }
  const std::filesystem::path ignore = own() / ".gitignore";
  if (!std::filesystem::exists(ignore, failed)) write_file_atomically(ignore, "*\n");
}

bool Folders::are_own(const std::string& path) {
  return path == kResults || std::ranges::find(kPlots, path) != kPlots.end() ||
         path.starts_with(std::string(kOwn) + "/");
}

}  // namespace autokernel::loop
