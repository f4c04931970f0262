// The GPUs there are, and whether a kernel runs on the one that bench would take.
#include <fmt/format.h>

#include "cli/doctor/checks.h"

namespace autokernel::cli::doctor {
namespace {

[[nodiscard]] std::string described(std::size_t ordinal, const driver::SurveyedGpu& gpu) {
  return fmt::format("cuda:{} {}, capability {}.{}, {:.1f} GiB", ordinal, gpu.name, gpu.major,
                     gpu.minor, static_cast<double>(gpu.memory_bytes) / kGiB);
}

[[nodiscard]] std::string listed(const std::vector<driver::SurveyedGpu>& gpus) {
  std::string text;
  for (std::size_t ordinal = 0; ordinal < gpus.size(); ++ordinal) {
    text += (ordinal == 0 ? "" : "; ") + described(ordinal, gpus[ordinal]);
  }
  return text;
}

[[nodiscard]] Line without_gpu(const Facts& facts) {
  const bool wanted = facts.device.kind == driver::DeviceChoice::Kind::cuda;
  return {"gpu", Standing::missing, "the driver offers no GPU to this program",
          wanted ? "measure with --device cpu, or fix the other lines first"
                 : "autokernel bench --device cpu  (the emulated device needs no GPU)"};
}

// What becomes of a kernel on the GPU that was chosen.
[[nodiscard]] Line tried(const Facts& facts, const std::string& gpus) {
  if (!facts.gpu.answer) {
    const std::string why = facts.gpu.trouble.empty() ? "no kernel was run" : facts.gpu.trouble;
    return {"gpu", Standing::wrong, gpus + "; " + why, "nvidia-smi  (shows what uses it)"};
  }
  const std::string& fault = facts.gpu.answer->fault;
  if (!fault.empty()) {
    return {"gpu", Standing::wrong, gpus + "; " + fault,
            "sudo dmesg | grep -i nvrm  (the driver's messages; to reset: sudo nvidia-smi -r)"};
  }
  return {"gpu", Standing::ok, gpus + "; a kernel ran"};
}

}  // namespace

Lines check_gpu(const Facts& facts) {
  const bool taken = takes_gpu(facts.device, facts.cuda);
  const auto gpus =
      facts.cuda.answer ? facts.cuda.answer->gpus : std::vector<driver::SurveyedGpu>{};
  Line line = without_gpu(facts);
  if (!gpus.empty()) {
    const bool exists = static_cast<std::size_t>(facts.device.ordinal) < gpus.size();
    line = exists ? tried(facts, listed(gpus))
                  : Line{"gpu", Standing::missing,
                         fmt::format("there is no cuda:{}; there is {}", facts.device.ordinal,
                                     listed(gpus)),
                         "autokernel bench --device cuda:0"};
  }
  line.need = taken ? Need::required : Need::useful;
  return {line};
}

}  // namespace autokernel::cli::doctor
