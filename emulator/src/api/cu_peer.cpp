// Access from one device to another's memory: there is one device, which is no peer of itself.
#include "api/driver.h"
#include "api/error_translation.h"

using emulator::api::answer;
using emulator::api::Driver;
using emulator::api::require;

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return answer([&] {
    (void)Driver::get();
    Driver::require_device(device);
    Driver::require_device(peer);
    require(can != nullptr);
    *can = 0;
  });
}

CUresult cuDeviceGetP2PAttribute(int*, CUdevice_P2PAttribute, CUdevice, CUdevice) {
  return answer([] {
    (void)Driver::get();
    throw emulator::api::Refusal(CUDA_ERROR_INVALID_DEVICE);
  });
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags) {
  return answer([&] {
    (void)emulator::api::current_context();
    require(flags == 0);
    require(Driver::get().find(peer) != nullptr, CUDA_ERROR_INVALID_CONTEXT);
    throw emulator::api::Refusal(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
  });
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  return answer([&] {
    (void)emulator::api::current_context();
    require(Driver::get().find(peer) != nullptr, CUDA_ERROR_INVALID_CONTEXT);
    throw emulator::api::Refusal(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  });
}
