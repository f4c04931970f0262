// libcuda and what it answers to cuInit.
#include <fmt/format.h>

#include <charconv>

#include "cli/doctor/checks.h"

namespace autokernel::cli::doctor {
namespace {

using driver::Survey;

// The oldest driver whose CUDA has everything that is called of it.
constexpr int kOldestCuda = 12040;
constexpr int kMajor = 1000;
constexpr int kMinor = 10;

// What cuInit may answer where the machine, and not the program, is at fault (cuda.h).
constexpr int kNoDevice = 100;
constexpr int kSystemNotReady = 802;
constexpr int kDriverMismatch = 803;
constexpr int kUnknown = 999;

constexpr const char* kInstallDriver =
    "install NVIDIA's driver (Debian, Ubuntu: sudo apt-get install nvidia-driver), or measure with "
    "--device cpu";
constexpr const char* kNewer = "install NVIDIA's driver 550 or later, or measure with --device cpu";

[[nodiscard]] std::string version(int cuda) {
  return fmt::format("{}.{}", cuda / kMajor, cuda % kMajor / kMinor);
}

[[nodiscard]] std::string fix_for(int code) {
  switch (code) {
    case kNoDevice:
      return "nvidia-smi  (no GPU in the list: it is not plugged in, or not passed to this "
             "container: docker run --gpus all)";
    case kSystemNotReady:
      return "sudo systemctl start nvidia-fabricmanager";
    case kDriverMismatch:
      return "sudo reboot  (the driver was updated, but its old kernel module is still loaded)";
    case kUnknown:
      return "sudo modprobe nvidia-uvm";
    default:
      return "sudo dmesg | grep -i nvrm";
  }
}

[[nodiscard]] Line absent(const Facts& facts, const Survey& survey) {
  const bool kernel_part = facts.host.answer && facts.host.answer->has_gpu_node;
  if (!kernel_part) return {"driver", Standing::missing, survey.trouble, kInstallDriver};
  return {"driver", Standing::missing,
          "the kernel has NVIDIA's driver, but there is no libcuda.so.1: " + survey.trouble,
          "start the container with --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility"};
}

[[nodiscard]] std::string compiler_version(const Facts& facts) {
  return facts.compiler.answer ? facts.compiler.answer->version : std::string();
}

[[nodiscard]] int major_of(const std::string& version) {
  int major = 0;
  const auto [end, status] =
      std::from_chars(version.data(), version.data() + version.size(), major);
  return status == std::errc{} ? major : 0;
}

// Code of a newer major version of CUDA is refused by an older driver; newer minor versions are
// not. A kernel that ran has shown the contrary.
[[nodiscard]] bool older_than_compiler(const Facts& facts, int cuda) {
  const bool a_kernel_ran = facts.gpu.answer && facts.gpu.answer->fault.empty();
  return cuda != 0 && !a_kernel_ran && cuda / kMajor < major_of(compiler_version(facts));
}

[[nodiscard]] Line loaded(const Facts& facts, const Survey& survey) {
  if (survey.cuda_version != 0 && survey.cuda_version < kOldestCuda) {
    return {"driver", Standing::wrong,
            fmt::format("{} is for CUDA {}; autokernel needs {}", survey.path,
                        version(survey.cuda_version), version(kOldestCuda)),
            kNewer};
  }
  if (survey.failure_code != 0) {
    return {"driver", Standing::wrong,
            fmt::format("{}: {} [{}]", survey.path, survey.failure, survey.call),
            fix_for(survey.failure_code)};
  }
  const std::string cuda =
      survey.cuda_version != 0 ? version(survey.cuda_version) : "of unknown version";
  const std::string found = fmt::format("{}, CUDA {}", survey.path, cuda);
  if (older_than_compiler(facts, survey.cuda_version)) {
    return {
        "driver", Standing::wrong,
        fmt::format("{}; it rejects what NVRTC {} compiles", found, compiler_version(facts)),
        fmt::format("pip install nvidia-cuda-{{nvrtc,runtime,nvcc,cccl}}-cu{0}  (an older NVRTC), "
                    "or install a driver for CUDA {1}",
                    survey.cuda_version / kMajor, major_of(compiler_version(facts)))};
  }
  return {"driver", Standing::ok, found};
}

}  // namespace

// Never required: whether bench can do with it shows where a kernel runs on the GPU.
Lines check_driver(const Facts& facts) {
  if (!facts.cuda.answer) {
    return {{"driver", Standing::wrong, facts.cuda.trouble, "sudo dmesg | grep -i nvrm"}};
  }
  const Survey& survey = *facts.cuda.answer;
  switch (survey.library) {
    case Survey::Library::absent:
      return {absent(facts, survey)};
    case Survey::Library::unusable:
      return {{"driver", Standing::wrong, survey.trouble, kNewer}};
    case Survey::Library::loaded:
      return {loaded(facts, survey)};
  }
  return {};
}

}  // namespace autokernel::cli::doctor
