// The primary context, which the CUDA runtime and most programs use.
#include "api/driver.h"
#include "api/error_translation.h"

using emulator::api::answer;
using emulator::api::Driver;
using emulator::api::require;

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return answer([&] {
    Driver& driver = Driver::get();
    Driver::require_device(device);
    require(context != nullptr);
    *context = driver.retain_primary();
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return answer([&] {
    Driver& driver = Driver::get();
    Driver::require_device(device);
    driver.release_primary();
  });
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) { return cuDevicePrimaryCtxRelease_v2(device); }

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  return answer([&] {
    Driver& driver = Driver::get();
    Driver::require_device(device);
    driver.reset_primary();
  });
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) { return cuDevicePrimaryCtxReset_v2(device); }

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags) {
  return answer([&] {
    Driver& driver = Driver::get();
    Driver::require_device(device);
    require((flags & ~static_cast<unsigned>(CU_CTX_FLAGS_MASK)) == 0);
    driver.set_primary_flags(flags);
  });
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags) {
  return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int* flags, int* active) {
  return answer([&] {
    const Driver& driver = Driver::get();
    Driver::require_device(device);
    require(flags != nullptr && active != nullptr);
    const Driver::PrimaryState state = driver.primary_state();
    *flags = state.flags;
    *active = state.active ? 1 : 0;
  });
}
