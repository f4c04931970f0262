// What NVML says of the GPU that bench would take: whether it is cut into slices, how fast it may
// run, and who else uses it. Nothing of it keeps bench from running; all of it bends times.
#include <fmt/format.h>

#include <algorithm>

#include "cli/doctor/checks.h"

namespace autokernel::cli::doctor {
namespace {

using driver::Throttle;

// Limits are told in milliwatts and may be rounded.
constexpr double kWattRounding = 0.5;

[[nodiscard]] const WatchedGpu* chosen(const Facts& facts, const Watched& watched) {
  if (watched.gpus.empty()) return nullptr;
  const auto& cuda = facts.cuda.answer;
  const auto ordinal = static_cast<std::size_t>(facts.device.ordinal);
  if (cuda && ordinal < cuda->gpus.size()) {
    const auto match = std::ranges::find_if(watched.gpus, [&](const WatchedGpu& gpu) {
      return driver::same_pci_address(cuda->gpus[ordinal].pci_bus_id, gpu.identity.pci_bus_id);
    });
    return match == watched.gpus.end() ? nullptr : &*match;
  }
  // CUDA gives none; NVML may know why of the one that would have been it.
  return ordinal < watched.gpus.size() ? &watched.gpus[ordinal] : nullptr;
}

[[nodiscard]] Line mig(const Facts& facts, const WatchedGpu& gpu, const driver::MigState& state) {
  const unsigned index = gpu.identity.index;
  const std::string off = fmt::format("sudo nvidia-smi -i {} -mig 0", index);
  if (state.on != state.on_after_reset) {
    return {"mig", Standing::wrong,
            fmt::format("{} now, {} after a reset", state.on ? "on" : "off",
                        state.on_after_reset ? "on" : "off"),
            fmt::format("sudo nvidia-smi -i {} -r", index)};
  }
  if (!state.on) return {"mig", Standing::ok, "off"};
  const bool usable = facts.cuda.answer && !facts.cuda.answer->gpus.empty();
  if (state.instances.empty() || !usable) {
    return {"mig", Standing::wrong,
            state.instances.empty() ? "on, but the GPU is not partitioned: no program can use it"
                                    : "on, but this program has none of its slices",
            state.instances.empty() ? off + "  (or partition it: sudo nvidia-smi mig -i " +
                                          std::to_string(index) + " -cgi 0 -C)"
                                    : "export CUDA_VISIBLE_DEVICES=" + state.instances.front()};
  }
  return {"mig", Standing::ok,
          fmt::format(
              "on, {} slice(s); times are comparable only with those of slices of the same size",
              state.instances.size())};
}

[[nodiscard]] std::string clock(std::optional<unsigned> now, std::optional<unsigned> highest) {
  const auto text = [](std::optional<unsigned> mhz) {
    return mhz ? std::to_string(*mhz) : std::string("?");
  };
  return text(now) + " of " + text(highest) + " MHz";
}

[[nodiscard]] Lines clocks(const WatchedGpu& gpu) {
  const driver::GpuState& state = gpu.state;
  if (!state.sm_clock_mhz && !state.memory_clock_mhz) return {};
  std::string found = "SM " + clock(state.sm_clock_mhz, gpu.settings.highest_sm_clock_mhz) +
                      ", memory " +
                      clock(state.memory_clock_mhz, gpu.settings.highest_memory_clock_mhz);
  if (state.celsius) found += fmt::format(", {} C", *state.celsius);
  const std::uint64_t reasons = state.throttle_reasons.value_or(0);
  const std::string why = driver::throttle_words(reasons);
  if (why.empty()) return {{"clocks", Standing::ok, found}};
  const bool by_hand = (reasons & ~Throttle::kIdle) == Throttle::kClocksSet;
  return {{"clocks", Standing::wrong, found + "; " + why,
           by_hand ? fmt::format("sudo nvidia-smi -i {0} -rgc && sudo nvidia-smi -i {0} -rac",
                                 gpu.identity.index)
                   : fmt::format("nvidia-smi -i {} -q -d PERFORMANCE,TEMPERATURE,POWER",
                                 gpu.identity.index)}};
}

[[nodiscard]] Lines persistence(const WatchedGpu& gpu) {
  if (!gpu.settings.persistence) return {};
  if (*gpu.settings.persistence) return {{"persistence", Standing::ok, "on"}};
  return {{"persistence", Standing::wrong,
           "off: the driver is loaded again for each bench, and clocks set by hand are lost",
           fmt::format("sudo nvidia-smi -i {} -pm 1", gpu.identity.index)}};
}

[[nodiscard]] Lines power(const WatchedGpu& gpu) {
  const auto& limit = gpu.settings.power_limit_watts;
  if (!limit) return {};
  std::string found = fmt::format("limit {:.0f} W", *limit);
  if (gpu.state.power_watts) found += fmt::format(", draws {:.0f} W", *gpu.state.power_watts);
  const double normal = gpu.settings.default_power_limit_watts.value_or(*limit);
  if (*limit >= normal - kWattRounding) {
    return {{"power", Standing::ok, found}};
  }
  return {{"power", Standing::wrong, found + fmt::format("; its default is {:.0f} W", normal),
           fmt::format("sudo nvidia-smi -i {} -pl {:.0f}", gpu.identity.index, normal)}};
}

[[nodiscard]] Lines others(const WatchedGpu& gpu) {
  if (!gpu.processes) return {};
  if (gpu.processes->empty()) return {{"other programs", Standing::ok, "none on the GPU"}};
  // A list of a few says enough.
  constexpr std::size_t kMostNamed = 5;
  std::string named;
  std::string numbers;
  for (std::size_t i = 0; i < std::min(gpu.processes->size(), kMostNamed); ++i) {
    const driver::GpuProcess& process = (*gpu.processes)[i];
    named += fmt::format("{}process {}", i == 0 ? "" : ", ", process.id);
    if (process.memory_bytes) {
      named += fmt::format(" ({:.1f} GiB)", static_cast<double>(*process.memory_bytes) / kGiB);
    }
    numbers += " " + std::to_string(process.id);
  }
  return {{"other programs", Standing::wrong,
           fmt::format("{} on the GPU: {}", gpu.processes->size(), named),
           "kill" + numbers + "  (or wait for them; nvidia-smi shows them)"}};
}

[[nodiscard]] bool has_gpu(const Facts& facts) {
  return facts.cuda.answer && !facts.cuda.answer->gpus.empty();
}

// Without a GPU, NVML is not needed.
[[nodiscard]] Lines without_telemetry(const Facts& facts, const std::string& why) {
  if (!has_gpu(facts)) return {};
  return {{"nvml", Standing::missing, why + "; clocks, power and other programs are unknown",
           "start the container with -e NVIDIA_DRIVER_CAPABILITIES=compute,utility, or install the "
           "driver's nvidia-smi package"}};
}

}  // namespace

Lines check_telemetry(const Facts& facts) {
  if (!facts.watched.answer) return without_telemetry(facts, facts.watched.trouble);
  const Watched& watched = *facts.watched.answer;
  if (!watched.trouble.empty()) return without_telemetry(facts, watched.trouble);
  const WatchedGpu* gpu = chosen(facts, watched);
  if (gpu == nullptr) return without_telemetry(facts, "NVML does not know this GPU");
  Lines lines;
  if (gpu->settings.mig) lines.push_back(mig(facts, *gpu, *gpu->settings.mig));
  for (const Lines& part : {clocks(*gpu), persistence(*gpu), power(*gpu), others(*gpu)}) {
    lines.insert(lines.end(), part.begin(), part.end());
  }
  return lines;
}

}  // namespace autokernel::cli::doctor
