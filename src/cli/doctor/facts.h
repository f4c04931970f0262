// What doctor finds out about a machine, before anybody judges it. Gathered in child processes
// (probe.h), since asking can hang or crash; judged by pure functions (checks.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/driver/device_choice.h"
#include "autokernel/driver/survey.h"
#include "autokernel/driver/telemetry.h"
#include "autokernel/trial/readiness.h"

namespace autokernel::cli::doctor {

// The answer to one question, or what became of it. Neither: it was not asked.
template <typename Answer>
struct Asked {
  std::optional<Answer> answer;
  std::string trouble;  // an Error's words, or how the process ended that was to answer
};

struct WatchedGpu {
  driver::GpuIdentity identity;
  driver::GpuState state;
  driver::GpuSettings settings;
  std::optional<std::vector<driver::GpuProcess>> processes;
};

struct Watched {
  std::string trouble;  // why NVML cannot be used; empty: it can
  std::string driver_version;
  std::vector<WatchedGpu> gpus;
};

struct Library {
  std::string version;  // "OpenBLAS 0.3.21"
};

struct Folder {
  std::string path;
  std::string trouble;  // why nothing can be written there; empty: it can
  std::optional<std::uint64_t> free_bytes;
};

struct Repository {
  std::string root;        // empty: there is none, or a bare one, which has a git_folder
  std::string branch;      // empty: none is checked out
  std::string under_way;   // "merge", "rebase", ...: an operation that was begun and not ended
  bool locked = false;     // git's index.lock is there
  std::string git_folder;  // where that lock lies
};

// What is read from files and the environment.
struct HostFacts {
  std::optional<std::string> visible_devices;  // CUDA_VISIBLE_DEVICES
  bool has_gpu_node = false;                   // /dev/nvidiactl: the kernel's part of the driver
  std::string gnuplot;                         // its path; empty: none on the PATH
  std::string curl;                            // libcurl's version; empty: it cannot be used
  std::string curl_trouble;                    // why not
  Folder temporary;
  Folder cache;
  Folder logs;
  Repository repository;
};

struct Facts {
  driver::DeviceChoice device;  // requested
  Asked<driver::Survey> cuda;
  Asked<Watched> watched;
  Asked<trial::CompilerReadiness> compiler;
  Asked<trial::DeviceReadiness> gpu;  // asked where there is one
  Asked<trial::DeviceReadiness> emulator;
  Asked<Library> gpu_library;  // asked where there is a GPU
  Asked<Library> cpu_library;
  Asked<HostFacts> host;
};

// Whether bench would take a GPU here: where one is requested, or where `auto` finds one it can
// count. A driver that breaks when it is asked is taken, too, and bench fails with it.
[[nodiscard]] bool takes_gpu(const driver::DeviceChoice& device, const Asked<driver::Survey>& cuda);

}  // namespace autokernel::cli::doctor
