#include "autokernel/programs/recording.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <system_error>
#include <utility>

#include "autokernel/base/environment.h"
#include "autokernel/base/error.h"
#include "autokernel/base/scratch.h"
#include "programs/profile/record.h"
#include "programs/program_environment.h"

namespace autokernel::programs {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr const char* kRecorder = "libautokernel_profile.so";
constexpr const char* kInjection = "CUDA_INJECTION64_PATH";
constexpr const char* kNvtxInjection = "NVTX_INJECTION64_PATH";
constexpr const char* kFolder = "AUTOKERNEL_PROFILE_DIR";

// Of the emulated device, under the name of the driver.
void use_emulated_device(Variables& variables, const fs::path& scratch) {
  const fs::path emulator =
      required_library("libautokernel_cpu.so", "run the program on the emulated device");
  const fs::path folder = scratch / "driver";
  std::error_code failed;
  fs::create_directory(folder, failed);
  fs::create_symlink(emulator, folder / "libcuda.so.1", failed);
  if (failed) {
    throw Error(Stop::environment, fmt::format("cannot link the emulated device into {}: {}",
                                               folder.string(), failed.message()));
  }
  put_before(variables, "LD_LIBRARY_PATH", folder.string());
  variables["EMULATED_CUDA_PROFILE"] = scratch.string();
}

void use_gpu(Variables& variables, const Variables& own, const RecordingRequest& request,
             const fs::path& recorder) {
  const auto other = own.find(kInjection);
  if (other != own.end() && !other->second.empty()) {
    throw Error(Stop::environment,
                fmt::format("cannot record the program: {} is set to {}, which another profiler "
                            "needs; unset it, or import that profiler's trace with --import",
                            kInjection, other->second));
  }
  variables[kInjection] = recorder.string();
  if (request.products) put_before(variables, "LD_PRELOAD", recorder.string());
  std::string candidates;
  for (const fs::path& file : request.cupti) {
    if (!file.has_parent_path()) continue;
    candidates += (candidates.empty() ? "" : ":") + file.string();
  }
  variables["AUTOKERNEL_CUPTI"] = candidates;
  choose_gpu(variables, request.device);
}

}  // namespace

Recording record(const RecordingRequest& request) {
  const fs::path program = program_called(request.command.front());
  const fs::path recorder = required_library(kRecorder, "record a program");
  const ScratchDirectory scratch;
  const Variables own = own_variables();
  Command command{.program = program,
                  .arguments = {request.command.begin() + 1, request.command.end()},
                  .environment = {}};
  Variables& variables = command.environment;
  variables[kFolder] = scratch.path().string();
  if (!own.contains(kNvtxInjection)) variables[kNvtxInjection] = recorder.string();
  const bool emulated = uses_emulated_device(request.device);
  if (emulated) {
    use_emulated_device(variables, scratch.path());
  } else {
    use_gpu(variables, own, request, recorder);
  }

  Recording recording;
  const auto begin = steady_clock::now();
  recording.ending = run_in_foreground(command, request.prints);
  recording.seconds = std::chrono::duration<double>(steady_clock::now() - begin).count();
  recording.profile = read_records(scratch.path());
  recording.profile.program = fmt::format("{}", fmt::join(request.command, " "));
  if (recording.profile.source.empty()) {
    recording.profile.source = emulated ? "emulated device" : "CUPTI";
  }
  return recording;
}

}  // namespace autokernel::programs
