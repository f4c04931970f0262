#include "autokernel/driver/telemetry.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "autokernel/base/owned.h"
#include "driver/nvml_declarations.h"

namespace autokernel::driver {
namespace {

// NVML's largest buffers, for names, are 96 bytes.
constexpr unsigned kLongestNvmlText = 128;
// More programs than this on one GPU are not worth naming.
constexpr unsigned kMostProcesses = 256;
constexpr double kMilliPerWatt = 1000;

template <typename Function>
void find(void* library, Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

void find_all(void* library, nvml::Functions& functions) {
  find(library, functions.init, "nvmlInit_v2");
  find(library, functions.shutdown, "nvmlShutdown");
  find(library, functions.error_string, "nvmlErrorString");
  find(library, functions.driver_version, "nvmlSystemGetDriverVersion");
  find(library, functions.count, "nvmlDeviceGetCount_v2");
  find(library, functions.handle, "nvmlDeviceGetHandleByIndex_v2");
  find(library, functions.name, "nvmlDeviceGetName");
  find(library, functions.uuid, "nvmlDeviceGetUUID");
  find(library, functions.pci_info, "nvmlDeviceGetPciInfo_v3");
  find(library, functions.mig_mode, "nvmlDeviceGetMigMode");
  find(library, functions.most_mig_devices, "nvmlDeviceGetMaxMigDeviceCount");
  find(library, functions.mig_device, "nvmlDeviceGetMigDeviceHandleByIndex");
  find(library, functions.clock, "nvmlDeviceGetClockInfo");
  find(library, functions.highest_clock, "nvmlDeviceGetMaxClockInfo");
  find(library, functions.persistence, "nvmlDeviceGetPersistenceMode");
  // The name it had before 12.2, which newer ones keep.
  find(library, functions.throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  find(library, functions.power, "nvmlDeviceGetPowerUsage");
  find(library, functions.power_limit, "nvmlDeviceGetPowerManagementLimit");
  find(library, functions.default_power_limit, "nvmlDeviceGetPowerManagementDefaultLimit");
  find(library, functions.temperature, "nvmlDeviceGetTemperature");
  find(library, functions.processes, "nvmlDeviceGetComputeRunningProcesses_v3");
}

[[nodiscard]] std::string words(const nvml::Functions& functions, nvml::Return status) {
  const char* text = functions.error_string != nullptr ? functions.error_string(status) : nullptr;
  return (text != nullptr ? std::string(text) : "error") + " (" + std::to_string(status) + ")";
}

// One number; none where the function is not there or has no answer.
template <typename Number, typename Function, typename... Arguments>
[[nodiscard]] std::optional<Number> number(Function function, Arguments... arguments) {
  Number value{};
  if (function == nullptr || function(arguments..., &value) != nvml::kSuccess) return {};
  return value;
}

template <typename Function, typename... Arguments>
[[nodiscard]] std::string text(Function function, Arguments... arguments) {
  std::array<char, kLongestNvmlText> characters{};
  if (function == nullptr ||
      function(arguments..., characters.data(), kLongestNvmlText - 1) != nvml::kSuccess) {
    return {};
  }
  return characters.data();
}

[[nodiscard]] std::optional<double> watts(std::optional<unsigned> milliwatts) {
  if (!milliwatts) return {};
  return *milliwatts / kMilliPerWatt;
}

[[nodiscard]] std::optional<MigState> mig_of(const nvml::Functions& functions,
                                             nvml::Device device) {
  unsigned current = 0;
  unsigned pending = 0;
  if (functions.mig_mode == nullptr ||
      functions.mig_mode(device, &current, &pending) != nvml::kSuccess) {
    return {};
  }
  MigState state{.on = current != 0, .on_after_reset = pending != 0, .instances = {}};
  if (!state.on || functions.mig_device == nullptr) return state;
  const unsigned most = number<unsigned>(functions.most_mig_devices, device).value_or(0);
  for (unsigned index = 0; index < most; ++index) {
    nvml::Device instance = nullptr;
    // Numbers of instances that were removed stay free.
    if (functions.mig_device(device, index, &instance) != nvml::kSuccess) continue;
    state.instances.push_back(text(functions.uuid, instance));
  }
  return state;
}

}  // namespace

struct Telemetry::Nvml {
  nvml::Functions functions;
  Owned<bool> started;

  [[nodiscard]] nvml::Device device(unsigned index) const {
    nvml::Device device = nullptr;
    if (functions.handle == nullptr || functions.handle(index, &device) != nvml::kSuccess) {
      return nullptr;
    }
    return device;
  }
};

Telemetry::Telemetry(std::unique_ptr<Nvml> nvml) : nvml_(std::move(nvml)) {}
Telemetry::Telemetry(Telemetry&&) noexcept = default;
Telemetry& Telemetry::operator=(Telemetry&&) noexcept = default;
Telemetry::~Telemetry() = default;

std::optional<Telemetry> Telemetry::open(std::string& why, const std::string& library) {
  // It stays until the process ends, like the driver's other libraries.
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* reason = dlerror();
    why = reason != nullptr ? reason : "the loader gave no reason";
    return {};
  }
  auto nvml = std::make_unique<Nvml>();
  find_all(handle, nvml->functions);
  if (nvml->functions.init == nullptr || nvml->functions.shutdown == nullptr) {
    why = library + " has no nvmlInit_v2";
    return {};
  }
  if (const nvml::Return status = nvml->functions.init(); status != nvml::kSuccess) {
    why = words(nvml->functions, status) + " [nvmlInit]";
    return {};
  }
  nvml->started = Owned<bool>(true, [shutdown = nvml->functions.shutdown](bool) { shutdown(); });
  return Telemetry(std::move(nvml));
}

std::string Telemetry::driver_version() const { return text(nvml_->functions.driver_version); }

std::vector<GpuIdentity> Telemetry::gpus() const {
  const nvml::Functions& functions = nvml_->functions;
  std::vector<GpuIdentity> gpus;
  const unsigned count = number<unsigned>(functions.count).value_or(0);
  for (unsigned index = 0; index < count; ++index) {
    const nvml::Device device = nvml_->device(index);
    if (device == nullptr) continue;
    GpuIdentity gpu{.index = index,
                    .name = text(functions.name, device),
                    .uuid = text(functions.uuid, device),
                    .pci_bus_id = {}};
    if (const auto pci = number<nvml::PciInfo>(functions.pci_info, device)) {
      // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): ends in a zero byte
      gpu.pci_bus_id = pci->bus_id.data();
    }
    gpus.push_back(gpu);
  }
  return gpus;
}

GpuState Telemetry::state(unsigned index) const {
  const nvml::Functions& functions = nvml_->functions;
  const nvml::Device device = nvml_->device(index);
  if (device == nullptr) return {};
  return {.sm_clock_mhz = number<unsigned>(functions.clock, device, nvml::kSmClock),
          .memory_clock_mhz = number<unsigned>(functions.clock, device, nvml::kMemoryClock),
          .throttle_reasons = number<unsigned long long>(functions.throttle_reasons, device),
          .power_watts = watts(number<unsigned>(functions.power, device)),
          .celsius = number<unsigned>(functions.temperature, device, nvml::kGpuSensor)};
}

GpuSettings Telemetry::settings(unsigned index) const {
  const nvml::Functions& functions = nvml_->functions;
  const nvml::Device device = nvml_->device(index);
  if (device == nullptr) return {};
  const auto highest = [&](int which) {
    return number<unsigned>(functions.highest_clock, device, which);
  };
  const auto limit = [&](auto function) { return watts(number<unsigned>(function, device)); };
  GpuSettings settings{.highest_sm_clock_mhz = highest(nvml::kSmClock),
                       .highest_memory_clock_mhz = highest(nvml::kMemoryClock),
                       .persistence = {},
                       .power_limit_watts = limit(functions.power_limit),
                       .default_power_limit_watts = limit(functions.default_power_limit),
                       .mig = mig_of(functions, device)};
  if (const auto mode = number<int>(functions.persistence, device)) {
    settings.persistence = *mode != 0;
  }
  return settings;
}

std::optional<std::vector<GpuProcess>> Telemetry::processes(unsigned index) const {
  const nvml::Device device = nvml_->device(index);
  if (device == nullptr || nvml_->functions.processes == nullptr) return {};
  std::array<nvml::ProcessInfo, kMostProcesses> found{};
  unsigned count = kMostProcesses;
  const nvml::Return status = nvml_->functions.processes(device, &count, found.data());
  // Too many for the array: those that fitted are not told, and there are enough to say so.
  if (status != nvml::kSuccess && status != nvml::kInsufficientSize) return {};
  std::vector<GpuProcess> processes(std::min(count, kMostProcesses));
  std::ranges::transform(std::span(found).first(processes.size()), processes.begin(),
                         [](const auto& process) {
                           GpuProcess one{.id = process.id, .memory_bytes = {}};
                           if (process.memory_bytes != nvml::kNotAvailable)
                             one.memory_bytes = process.memory_bytes;
                           return one;
                         });
  return processes;
}

bool same_pci_address(const std::string& one, const std::string& other) {
  const auto plain = [](const std::string& address) {
    std::string text = address.substr(std::min(address.find_first_not_of('0'), address.size()));
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
  };
  return !one.empty() && plain(one) == plain(other);
}

}  // namespace autokernel::driver
