// CUDA_VISIBLE_DEVICES, which hides GPUs without a word.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "autokernel/base/number.h"
#include "cli/doctor/checks.h"

namespace autokernel::cli::doctor {
namespace {

constexpr const char* kName = "CUDA_VISIBLE_DEVICES";
constexpr const char* kUnset = "unset CUDA_VISIBLE_DEVICES";

[[nodiscard]] std::vector<std::string> entries(const std::string& value) {
  std::vector<std::string> entries;
  std::string_view rest = value;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string entry(rest.substr(0, comma));
    std::erase(entry, ' ');
    entries.push_back(entry);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return entries;
}

// An entry is a number in the order of the driver's own count, or the beginning of a UUID.
[[nodiscard]] bool names_a_gpu(const std::string& entry, const Watched& watched) {
  if (entry.starts_with("MIG-") || entry.starts_with("GPU-")) {
    return std::ranges::any_of(watched.gpus, [&](const WatchedGpu& gpu) {
      const auto& mig = gpu.settings.mig;
      return gpu.identity.uuid.starts_with(entry) ||
             // The older form of the name: MIG-GPU-<uuid>/<instance>/<instance>.
             entry.starts_with("MIG-" + gpu.identity.uuid) ||
             (mig && std::ranges::any_of(mig->instances, [&](const std::string& instance) {
                return instance.starts_with(entry);
              }));
    });
  }
  unsigned index = 0;
  return read_number(entry, index) && index < watched.gpus.size();
}

}  // namespace

Lines check_visible_devices(const Facts& facts) {
  if (!facts.host.answer || !facts.host.answer->visible_devices) return {};
  const std::string& value = *facts.host.answer->visible_devices;
  const std::vector<std::string> named = entries(value);
  // Without NVML it is unknown which GPUs there are.
  const bool known = facts.watched.answer && !facts.watched.answer->gpus.empty();
  if (!known) return {{kName, Standing::ok, fmt::format(R"("{}")", value)}};
  const auto wrong = std::ranges::find_if_not(
      named, [&](const auto& e) { return names_a_gpu(e, *facts.watched.answer); });
  if (named.empty() || wrong == named.begin()) {
    return {{kName, Standing::wrong,
             fmt::format(R"("{}" hides every GPU of this machine ({}))", value,
                         facts.watched.answer->gpus.size()),
             kUnset}};
  }
  if (wrong != named.end()) {
    return {{kName, Standing::wrong,
             fmt::format(R"("{}": there is no GPU "{}", and all named after it are hidden)", value,
                         *wrong),
             kUnset}};
  }
  return {{kName, Standing::ok, fmt::format(R"("{}")", value)}};
}

}  // namespace autokernel::cli::doctor
