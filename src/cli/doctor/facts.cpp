#include "cli/doctor/facts.h"

namespace autokernel::cli::doctor {

bool takes_gpu(const driver::DeviceChoice& device, const Asked<driver::Survey>& cuda) {
  using Kind = driver::DeviceChoice::Kind;
  if (device.kind != Kind::automatic) return device.kind == Kind::cuda;
  if (!cuda.answer) return true;
  const driver::Survey& survey = *cuda.answer;
  if (survey.library != driver::Survey::Library::loaded) {
    return survey.library == driver::Survey::Library::unusable;
  }
  if (survey.call == "cuInit") return false;
  return survey.failure_code != 0 || !survey.gpus.empty();
}

}  // namespace autokernel::cli::doctor
