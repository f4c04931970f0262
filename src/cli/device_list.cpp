#include "cli/device_list.h"

#include <algorithm>
#include <charconv>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/trial/known_places.h"

namespace autokernel::cli {
namespace {

// More than the largest machines of today have.
constexpr int kMostDevices = 100'000;

struct Several {
  int count = 1;
  std::string device;
};

[[nodiscard]] Several several(const std::string& text) {
  const std::size_t star = text.find('*');
  int count = 0;
  const auto [end, failed] =
      std::from_chars(text.data(), text.data() + std::min(star, text.size()), count);
  // A star may also be a part of what names the device.
  if (star == std::string::npos || end != text.data() + star || failed != std::errc{})
    return {.count = 1, .device = text};
  if (count < 1 || count > kMostDevices)
    throw Error(Stop::usage, "no number of devices: '" + visible_line(text) + "'");
  return {.count = count, .device = text.substr(star + 1)};
}

}  // namespace

std::vector<driver::DeviceChoice> devices_in(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string part = list.substr(begin, end - begin);
    // Commas also part what Slurm is asked for ("slurm:gpus,gres=gpu:1/cuda"): a device begins anew
    // with each part that has no '='.
    if (!names.empty() && names.back().find("slurm:") != std::string::npos &&
        part.find('=') != std::string::npos) {
      names.back() += "," + part;
    } else {
      names.push_back(part);
    }
    begin = end + 1;
  }
  std::vector<driver::DeviceChoice> devices;
  for (const std::string& name : names) {
    const auto [count, device] = several(name);
    devices.insert(devices.end(), static_cast<std::size_t>(count), driver::parse_device(device));
    trial::remember_place(devices.back().place);
  }
  return devices;
}

}  // namespace autokernel::cli
