// What a GPU is doing at the moment: clocks, power, temperature, who else uses it. From NVML, the
// library behind nvidia-smi, opened at run time. It needs no CUDA context and changes nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace autokernel::driver {

// Reasons for which a GPU runs slower than its highest clock; they add up.
struct Throttle {
  static constexpr std::uint64_t kIdle = 0x1;       // nothing to do: no cause for concern
  static constexpr std::uint64_t kClocksSet = 0x2;  // somebody chose the clocks
  static constexpr std::uint64_t kPowerCap = 0x4;
  static constexpr std::uint64_t kHardware = 0x8;  // the board: heat, power brake
  static constexpr std::uint64_t kSyncBoost = 0x10;
  static constexpr std::uint64_t kHeatBySoftware = 0x20;
  static constexpr std::uint64_t kHeatByHardware = 0x40;
  static constexpr std::uint64_t kPowerBrake = 0x80;
};

// "heat_by_hardware", ... for each reason that is known, and back.
[[nodiscard]] std::vector<std::string> throttle_names(std::uint64_t reasons);
[[nodiscard]] std::uint64_t throttle_named(const std::vector<std::string>& names);
// "it is too hot, the board slows it down"; empty where nothing holds the clocks down but idleness.
[[nodiscard]] std::string throttle_words(std::uint64_t reasons);

struct GpuIdentity {
  unsigned index = 0;  // NVML's own count, which CUDA_VISIBLE_DEVICES does not change
  std::string name;
  std::string uuid;        // "GPU-..."
  std::string pci_bus_id;  // "00000000:1B:00.0"
};

// Multi-Instance GPU: a GPU cut into slices, each of which is a CUDA device.
struct MigState {
  bool on = false;
  bool on_after_reset = false;
  std::vector<std::string> instances;  // UUIDs: "MIG-..."
};

// What changes from moment to moment; an H200 says all of it within 70 us. Each value, here and
// below, is empty where the GPU, its driver or the rights of this user do not give it.
struct GpuState {
  std::optional<unsigned> sm_clock_mhz;
  std::optional<unsigned> memory_clock_mhz;
  std::optional<std::uint64_t> throttle_reasons;  // of Throttle
  std::optional<double> power_watts;
  std::optional<unsigned> celsius;
};

// Settings, and what cannot be set. An H200 takes 3 ms, most of it for its highest clocks.
struct GpuSettings {
  std::optional<unsigned> highest_sm_clock_mhz;
  std::optional<unsigned> highest_memory_clock_mhz;
  std::optional<bool> persistence;  // whether the driver stays loaded when nobody uses the GPU
  std::optional<double> power_limit_watts;
  std::optional<double> default_power_limit_watts;
  std::optional<MigState> mig;  // empty: a GPU that cannot be cut
};

struct GpuProcess {
  unsigned id = 0;  // 0 or a strange one where the process is in another container
  std::optional<std::uint64_t> memory_bytes;
};

class Telemetry {
 public:
  // None where there is no NVML or it does not start; `why` then says so, with NVML's own words.
  [[nodiscard]] static std::optional<Telemetry> open(
      std::string& why, const std::string& library = "libnvidia-ml.so.1");
  Telemetry(Telemetry&&) noexcept;
  Telemetry& operator=(Telemetry&&) noexcept;
  ~Telemetry();

  [[nodiscard]] std::string driver_version() const;  // "580.65.06"; empty where it does not say
  [[nodiscard]] std::vector<GpuIdentity> gpus() const;
  [[nodiscard]] GpuState state(unsigned index) const;
  [[nodiscard]] GpuSettings settings(unsigned index) const;
  // Programs that compute on it, ours included; empty where NVML does not say.
  [[nodiscard]] std::optional<std::vector<GpuProcess>> processes(unsigned index) const;

 private:
  struct Nvml;
  explicit Telemetry(std::unique_ptr<Nvml> nvml);
  std::unique_ptr<Nvml> nvml_;
};

// Whether two spellings of a PCI bus address mean the same GPU: CUDA writes a domain of four
// digits, NVML one of eight.
[[nodiscard]] bool same_pci_address(const std::string& one, const std::string& other);

}  // namespace autokernel::driver
