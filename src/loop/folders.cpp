#include "loop/folders.h"

#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"

namespace autokernel::loop {

void Folders::make() const {
  std::error_code failed;
  std::filesystem::create_directories(own(), failed);
  if (failed) {
    throw Error(Stop::environment,
                "cannot make the folder " + own().string() + ": " + failed.message() + " [mkdir]");
  }
  const std::filesystem::path ignore = own() / ".gitignore";
  if (!std::filesystem::exists(ignore, failed)) write_file_atomically(ignore, "*\n");
}

bool Folders::are_own(const std::string& path) {
  return path == kResults || path.starts_with(std::string(kOwn) + "/");
}

}  // namespace autokernel::loop
