#include "cli/doctor/made_up.h"

#include <algorithm>
#include <stdexcept>

#include "support/present.h"

namespace autokernel::cli::doctor {
namespace {

using test::present;

[[nodiscard]] Folder sound_folder(const std::string& path) {
  return {.path = path, .trouble = {}, .free_bytes = 10ULL << 30U};
}

[[nodiscard]] driver::DeviceInfo named(const std::string& name) {
  driver::DeviceInfo info;
  info.name = name;
  return info;
}

}  // namespace

Facts machine_without_gpu() {
  Facts facts;
  facts.cuda.answer = driver::Survey{};
  present(facts.cuda.answer).trouble = "libcuda.so.1: cannot open shared object file";
  facts.watched.answer = Watched{};
  present(facts.watched.answer).trouble = "libnvidia-ml.so.1: cannot open shared object file";
  facts.compiler.answer = {.version = "13.0",
                           .library = "/cuda/lib64/libnvrtc.so.13",
                           .headers = "/cuda/include",
                           .refusal = {}};
  facts.emulator.answer = {named("CPU, emulated CUDA driver (2 threads)"), {}};
  facts.cpu_library.answer = Library{"OpenBLAS 0.3.21"};
  facts.host.answer = {
      .visible_devices = {},
      .has_gpu_node = false,
      .gnuplot = "/usr/bin/gnuplot",
      .curl = "libcurl/7.88.1",
      .curl_trouble = {},
      .temporary = sound_folder("/tmp"),
      .cache = sound_folder("/home/me/.cache/autokernel"),
      .logs = sound_folder("/project/.autokernel/logs"),
      .repository = {
          .root = "/project", .branch = "main", .under_way = {}, .git_folder = "/project/.git"}};
  return facts;
}

Facts sound_machine() {
  Facts facts = machine_without_gpu();
  driver::Survey& survey = present(facts.cuda.answer);
  survey.library = driver::Survey::Library::loaded;
  survey.trouble.clear();
  survey.path = "/lib/libcuda.so.1";
  survey.cuda_version = 13000;
  survey.gpus = {{.name = "NVIDIA H200",
                  .major = 9,
                  .minor = 0,
                  .memory_bytes = 141ULL << 30U,
                  .pci_bus_id = "0000:1B:00.0"}};
  WatchedGpu gpu;
  gpu.identity = {
      .index = 0, .name = "NVIDIA H200", .uuid = "GPU-1234", .pci_bus_id = "00000000:1B:00.0"};
  gpu.state = {.sm_clock_mhz = 345,
               .memory_clock_mhz = 3201,
               .throttle_reasons = driver::Throttle::kIdle,
               .power_watts = 75,
               .celsius = 31};
  gpu.settings = {.highest_sm_clock_mhz = 1980,
                  .highest_memory_clock_mhz = 3201,
                  .persistence = true,
                  .power_limit_watts = 700,
                  .default_power_limit_watts = 700,
                  .mig = driver::MigState{}};
  gpu.processes.emplace();
  facts.watched.answer = {.trouble = {}, .driver_version = "580.65.06", .gpus = {gpu}};
  facts.gpu.answer = {named("NVIDIA H200"), {}};
  facts.gpu_library.answer = Library{"cuBLAS 13.1.0"};
  return facts;
}

Line line_named(const std::string& name, const Lines& lines) {
  const auto line = std::ranges::find(lines, name, &Line::name);
  if (line == lines.end()) throw std::logic_error("there is no line '" + name + "'");
  return *line;
}

}  // namespace autokernel::cli::doctor
