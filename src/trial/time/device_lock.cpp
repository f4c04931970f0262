#include "trial/time/device_lock.h"

#include <algorithm>
#include <utility>

#include "autokernel/base/cache_folder.h"
#include "autokernel/base/error.h"
#include "autokernel/base/files.h"

namespace autokernel::trial {
namespace {

// "0000:1b:00.0" without what no file name should hold.
[[nodiscard]] std::string file_name(const driver::DeviceInfo& device) {
  if (device.emulated) return "emulated.lock";
  std::string name = device.address.empty() ? "gpu" : "gpu-" + device.address;
  std::ranges::replace(name, ':', '-');
  return name + ".lock";
}

}  // namespace

std::optional<FileLock> lock_device(const driver::DeviceInfo& device,
                                    const std::function<void()>& waiting) {
  const std::filesystem::path folder = cache_folder() / "devices";
  const std::filesystem::path file = folder / file_name(device);
  try {
    make_folders(folder);
    auto taken = FileLock::take(file, "an autokernel trial");
    if (auto* lock = std::get_if<FileLock>(&taken)) return std::move(*lock);
    waiting();
    return FileLock::wait(file, "an autokernel trial");
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace autokernel::trial
