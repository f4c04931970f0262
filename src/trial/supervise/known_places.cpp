#include "autokernel/trial/known_places.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "autokernel/base/cache_folder.h"
#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/sha256.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/driver/device_choice.h"

namespace autokernel::trial {
namespace {

namespace fs = std::filesystem;
using driver::PlaceKind;

[[nodiscard]] fs::path file_of(const std::string& place) {
  return cache_folder() / "places" / sha256(place);
}

[[nodiscard]] bool is_known(const std::string& place) {
  const PlaceKind kind = driver::kind_of_place(place);
  if (kind == PlaceKind::here || kind == PlaceKind::judge) return true;
  std::error_code unreadable;
  return is_cache_folder_own() && fs::exists(file_of(place), unreadable);
}

}  // namespace

void remember_place(const std::string& place) {
  if (is_known(place)) return;
  const fs::path file = file_of(place);
  make_folders(file.parent_path());
  if (!is_cache_folder_own()) {
    throw Error(Stop::environment,
                fmt::format("cannot remember {} in {}: others can write there; set HOME or "
                            "XDG_CACHE_HOME to a folder of yours",
                            visible_line(place), cache_folder().string()));
  }
  write_file_atomically(file, place + "\n");
}

void require_known_place(const std::string& place, const std::string& device) {
  if (is_known(place)) return;
  const std::string address = visible_line(driver::address_of(place));
  if (driver::kind_of_place(place) == PlaceKind::launcher) {
    throw Error(Stop::usage,
                fmt::format("cannot measure by the launcher '{}': the record of the run names it, "
                            "and nobody has on this machine; to let it run, name it once, by "
                            "--launcher",
                            address));
  }
  throw Error(Stop::usage,
              fmt::format("cannot measure at {}: the record of the run names it, and nobody has "
                          "on this machine; to let this program go there, name it once, by "
                          "--device {}",
                          visible_line(place), visible_line(device.empty() ? place : device)));
}

}  // namespace autokernel::trial
