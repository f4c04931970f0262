#include "autokernel/base/own_library.h"

#include <system_error>

namespace autokernel {

namespace fs = std::filesystem;

std::array<fs::path, 3> own_library_places(const std::string& name) {
  std::error_code failed;
  const fs::path folder = fs::read_symlink("/proc/self/exe", failed).parent_path();
  return {folder.parent_path() / "lib" / name, folder / name, name};
}

fs::path own_library(const std::string& name) {
  for (const fs::path& place : own_library_places(name)) {
    std::error_code failed;
    if (place.has_parent_path() && fs::exists(place, failed)) return place;
  }
  return {};
}

}  // namespace autokernel
