#include "trial/command/command_gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/driver/telemetry.h"

namespace autokernel::trial {
namespace {

namespace fs = std::filesystem;

// A GPU, or an instance of one that is cut into such.
struct Usable {
  std::string uuid;
  std::string name;
};

[[nodiscard]] std::vector<Usable> usable_gpus(const driver::Telemetry& telemetry) {
  std::vector<Usable> usable;
  for (const driver::GpuIdentity& gpu : telemetry.gpus()) {
    const auto mig = telemetry.settings(gpu.index).mig;
    if (mig && mig->on) {
      for (const std::string& instance : mig->instances)
        usable.push_back({.uuid = instance, .name = gpu.name + " (MIG)"});
    } else {
      usable.push_back({.uuid = gpu.uuid, .name = gpu.name});
    }
  }
  return usable;
}

// As CUDA reads it: up to the first entry that names none.
[[nodiscard]] std::vector<Usable> named_by(const std::string& list,
                                           const std::vector<Usable>& all) {
  std::vector<Usable> named;
  std::istringstream entries(list);
  for (std::string entry; std::getline(entries, entry, ',');) {
    const auto found = std::ranges::find_if(all, [&](const Usable& gpu) {
      const bool is_number = !entry.empty() && std::ranges::all_of(entry, [](unsigned char c) {
        return std::isdigit(c) != 0;
      });
      return is_number ? entry == std::to_string(&gpu - all.data())
                       : !entry.empty() && gpu.uuid.starts_with(entry);
    });
    if (found == all.end()) break;
    named.push_back(*found);
  }
  return named;
}

[[nodiscard]] std::string described(const std::vector<Usable>& gpus) {
  std::string all;
  for (std::size_t begin = 0; begin < gpus.size();) {
    std::size_t end = begin;
    while (end < gpus.size() && gpus[end].name == gpus[begin].name) ++end;
    all += fmt::format("{}{} x {}", all.empty() ? "" : ", ", end - begin, gpus[begin].name);
    begin = end;
  }
  return all;
}

[[nodiscard]] std::vector<fs::path> device_files() {
  std::vector<fs::path> files;
  std::error_code none;
  for (fs::directory_iterator entry("/dev", none), end; !none && entry != end;
       entry.increment(none)) {
    if (entry->path().filename().string().starts_with("nvidia")) files.push_back(entry->path());
  }
  return files;
}

}  // namespace

CommandGpus gpus_for_commands(int count) {
  const std::string attempt = fmt::format("cannot give the commands {} GPU{} ([command] gpus)",
                                          count, count == 1 ? "" : "s");
  std::string why;
  const auto telemetry = driver::Telemetry::open(why);
  if (!telemetry)
    throw Error(Stop::environment, fmt::format("{}: {}; see autokernel doctor", attempt, why));
  std::vector<Usable> usable = usable_gpus(*telemetry);
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible != nullptr) usable = named_by(visible, usable);
  if (usable.size() < static_cast<std::size_t>(count))
    throw Error(
        Stop::environment,
        fmt::format("{}: {} {}; write another number in case.toml, or use a machine that "
                    "has them",
                    attempt, visible != nullptr ? "CUDA_VISIBLE_DEVICES names" : "this machine has",
                    usable.size()));
  usable.resize(static_cast<std::size_t>(count));
  CommandGpus gpus{
      .uuids = {},
      .description = described(usable),
      .driver_version = telemetry->driver_version(),
      .devices = device_files(),
      .readable = {"/proc/driver/nvidia", "/proc/devices", "/proc/sys/vm/mmap_min_addr",
                   "/sys/bus/pci/devices", "/sys/devices", "/sys/module", "/etc/nvidia"}};
  for (Usable& gpu : usable) gpus.uuids.push_back(std::move(gpu.uuid));
  return gpus;
}

}  // namespace autokernel::trial
