#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/own_library.h"
#include "autokernel/driver/device.h"
#include "driver/api.h"
#include "driver/status.h"

namespace autokernel::driver {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGpuLibrary = "libcuda.so.1";
constexpr const char* kEmulatorLibrary = "libautokernel_cpu.so";

Driver open_emulator() {
  std::string looked;
  for (const fs::path& place : own_library_places(kEmulatorLibrary)) {
    std::error_code failed;
    if (place.has_parent_path() && !fs::exists(place, failed)) {
      looked += "\n  " + place.string() + ": no such file";
      continue;
    }
    std::string why;
    auto api = open_library(place, why);
    if (api == nullptr) {
      looked += (looked.empty() ? " " : "; ") + why;
      continue;
    }
    check(*api, api->init(0), "cuInit", "start the emulated CUDA driver " + place.string());
    return {std::move(api), Origin::emulator, 0};
  }
  throw Error(Stop::environment,
              "cannot load the emulated CUDA driver; install " + std::string(kEmulatorLibrary) +
                  " beside the autokernel binary or in ../lib; tried:" + looked + " [dlopen]");
}

// A GPU's driver with `devices` of them, or why there is none.
struct Gpus {
  std::shared_ptr<const Api> api;
  int devices = 0;
  std::string why;  // empty when there is at least one
};

Gpus find_gpus() {
  Gpus gpus;
  std::string why;
  gpus.api = open_library(kGpuLibrary, why);
  if (gpus.api == nullptr) {
    gpus.why = why + " [dlopen]";
    return gpus;
  }
  const Api& api = *gpus.api;
  if (const CUresult status = api.init(0); status != CUDA_SUCCESS) {
    gpus.why = fault(api, status, Occasion::load, "cuInit").text + " (" + name_of(api, status) +
               ", " + std::to_string(static_cast<int>(status)) + ") [cuInit]";
    return gpus;
  }
  check(api, api.device_get_count(&gpus.devices), "cuDeviceGetCount",
        "count the GPUs of this machine");
  if (gpus.devices == 0) gpus.why = "the driver finds no device [cuDeviceGetCount]";
  return gpus;
}

Driver open_gpu(Gpus gpus, int ordinal) {
  if (!gpus.why.empty()) {
    throw Error(
        Stop::environment,
        "cannot use --device cuda: install NVIDIA's driver or pass --device cpu: " + gpus.why);
  }
  if (ordinal >= gpus.devices) {
    throw Error(Stop::environment, "cannot use --device cuda:" + std::to_string(ordinal) +
                                       ": this machine has " + std::to_string(gpus.devices) +
                                       " device(s), numbered from 0; pass --device cuda:0" +
                                       " [cuDeviceGetCount]");
  }
  return {std::move(gpus.api), Origin::gpu, ordinal};
}

}  // namespace

void load_ptx_compiler() {
  // Beside libcuda.so.1, under the name that it asks for; never closed.
  static_cast<void>(::dlopen("libnvidia-ptxjitcompiler.so.1", RTLD_NOW | RTLD_LOCAL));
}

fs::path emulator_file() { return own_library(kEmulatorLibrary); }

Driver Driver::open(const DeviceChoice& choice) {
  if (!choice.place.empty()) {
    throw Error(Stop::usage, "cannot use " + spelling(choice) +
                                 ": this command works on devices of this machine; run it there");
  }
  if (choice.kind == DeviceChoice::Kind::cpu) return open_emulator();
  Gpus gpus = find_gpus();
  if (choice.kind == DeviceChoice::Kind::automatic && !gpus.why.empty()) return open_emulator();
  return open_gpu(std::move(gpus), choice.ordinal);
}

}  // namespace autokernel::driver
