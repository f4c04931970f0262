// Contexts: making them, making them current, and what can be asked of them.
#include "api/driver.h"
#include "api/error_translation.h"
#include "api/limits.h"

namespace emulator::api {
namespace {

void create(CUcontext* context, unsigned flags, CUdevice device) {
  Driver& driver = Driver::get();
  Driver::require_device(device);
  require(context != nullptr && (flags & ~static_cast<unsigned>(CU_CTX_FLAGS_MASK)) == 0);
  const CUcontext made = driver.create_context(flags);
  CurrentContexts::push(made);
  *context = made;
}

}  // namespace
}  // namespace emulator::api

using emulator::api::answer;
using emulator::api::Context;
using emulator::api::ContextLimits;
using emulator::api::CurrentContexts;
using emulator::api::Driver;
using emulator::api::require;

CUresult cuCtxCreate(CUcontext* context, CUctxCreateParams* parameters, unsigned int flags,
                     CUdevice device) {
  return answer([&] {
    (void)Driver::get();
    // Execution affinity and graphics interoperation need a GPU that can be divided.
    require(parameters == nullptr ||
                (parameters->numExecAffinityParams == 0 && parameters->cigParams == nullptr),
            CUDA_ERROR_NOT_SUPPORTED);
    emulator::api::create(context, flags, device);
  });
}

CUresult cuCtxCreate_v2(CUcontext* context, unsigned int flags, CUdevice device) {
  return answer([&] { emulator::api::create(context, flags, device); });
}

CUresult cuCtxCreate_v3(CUcontext* context, CUexecAffinityParam*, int count, unsigned int flags,
                        CUdevice device) {
  return answer([&] {
    (void)Driver::get();
    require(count == 0, CUDA_ERROR_NOT_SUPPORTED);
    emulator::api::create(context, flags, device);
  });
}

CUresult cuCtxDestroy(CUcontext context) {
  return answer([&] {
    Driver& driver = Driver::get();
    require(context != nullptr, CUDA_ERROR_INVALID_CONTEXT);
    driver.destroy_context(context);
  });
}

CUresult cuCtxSetCurrent(CUcontext context) {
  return answer([&] {
    const Driver& driver = Driver::get();
    require(context == nullptr || driver.find(context) != nullptr, CUDA_ERROR_INVALID_CONTEXT);
    CurrentContexts::set(context);
  });
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  return answer([&] {
    (void)Driver::get();
    require(context != nullptr);
    *context = CurrentContexts::top();
  });
}

CUresult cuCtxPushCurrent(CUcontext context) {
  return answer([&] {
    const Driver& driver = Driver::get();
    require(context != nullptr && driver.find(context) != nullptr, CUDA_ERROR_INVALID_CONTEXT);
    CurrentContexts::push(context);
  });
}

CUresult cuCtxPopCurrent(CUcontext* context) {
  return answer([&] {
    (void)Driver::get();
    const CUcontext popped = CurrentContexts::pop();
    if (context != nullptr) *context = popped;
  });
}

CUresult cuCtxSynchronize() {
  return answer([] {
    const std::shared_ptr<Context> context = emulator::api::current_context();
    emulator::api::refuse_if_any_capturing(*context);
    context->synchronize(context->executor().last());
  });
}

CUresult cuCtxSynchronize_v2(CUcontext handle) {
  return answer([&] {
    const auto context = Driver::get().find(handle);
    require(context != nullptr, CUDA_ERROR_INVALID_CONTEXT);
    emulator::api::refuse_if_any_capturing(*context);
    context->synchronize(context->executor().last());
  });
}

CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext handle) {
  return answer([&] {
    require(Driver::get().find(handle) != nullptr, CUDA_ERROR_INVALID_CONTEXT);
    require(device != nullptr);
    *device = 0;
  });
}

// Flags say how to wait, which is done in one way here.
CUresult cuCtxSetFlags(unsigned int flags) {
  return answer([&] {
    const auto context = emulator::api::current_context();
    require((flags & ~static_cast<unsigned>(CU_CTX_FLAGS_MASK)) == 0);
    context->set_flags(flags);
  });
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig* config) {
  return answer([&] {
    (void)emulator::api::current_context();
    require(config != nullptr);
    *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
  });
}

// Banks have had one width on every device since 2014.
CUresult cuCtxSetSharedMemConfig(CUsharedconfig) {
  return answer([] { (void)emulator::api::current_context(); });
}

CUresult cuCtxGetDevice(CUdevice* device) {
  return answer([&] {
    (void)emulator::api::current_context_even_if_faulted();
    require(device != nullptr);
    *device = 0;
  });
}

CUresult cuCtxGetFlags(unsigned int* flags) {
  return answer([&] {
    const auto context = emulator::api::current_context();
    require(flags != nullptr);
    *flags = context->flags();
  });
}

CUresult cuCtxGetId(CUcontext handle, unsigned long long* id) {
  return answer([&] {
    const auto context = handle == nullptr ? emulator::api::current_context_even_if_faulted()
                                           : Driver::get().find(handle);
    require(context != nullptr, CUDA_ERROR_INVALID_CONTEXT);
    require(id != nullptr);
    *id = context->id();
  });
}

CUresult cuCtxGetApiVersion(CUcontext handle, unsigned int* version) {
  return answer([&] {
    const auto context = handle == nullptr ? emulator::api::current_context_even_if_faulted()
                                           : Driver::get().find(handle);
    require(context != nullptr, CUDA_ERROR_INVALID_CONTEXT);
    require(version != nullptr);
    // What every driver since CUDA 3.2 answers.
    *version = 3020;
  });
}

CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  return answer([&] {
    const auto context = emulator::api::current_context();
    require(value != nullptr);
    if (limit == CU_LIMIT_PRINTF_FIFO_SIZE) {
      *value = context->prints.capacity();
      return;
    }
    require(ContextLimits::knows(limit), CUDA_ERROR_UNSUPPORTED_LIMIT);
    *value = context->limits.get(limit);
  });
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return answer([&] {
    const auto context = emulator::api::current_context();
    if (limit == CU_LIMIT_PRINTF_FIFO_SIZE) {
      context->prints.set_capacity(value);
      return;
    }
    if (limit == CU_LIMIT_MALLOC_HEAP_SIZE) return context->set_heap_bytes(value);
    require(ContextLimits::knows(limit), CUDA_ERROR_UNSUPPORTED_LIMIT);
    require(limit != CU_LIMIT_STACK_SIZE || value <= emulator::api::kMostStackBytes);
    context->limits.set(limit, value);
  });
}

CUresult cuCtxGetCacheConfig(CUfunc_cache* config) {
  return answer([&] {
    (void)emulator::api::current_context();
    require(config != nullptr);
    *config = CU_FUNC_CACHE_PREFER_NONE;
  });
}

// A preference, which a driver is free not to follow.
CUresult cuCtxSetCacheConfig(CUfunc_cache) {
  return answer([] { (void)emulator::api::current_context(); });
}

// No line of the CPU's cache is ever held on to.
CUresult cuCtxResetPersistingL2Cache() {
  return answer([] { (void)emulator::api::current_context(); });
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return answer([&] {
    (void)emulator::api::current_context();
    if (least != nullptr) *least = emulator::api::kLeastPriority;
    if (greatest != nullptr) *greatest = emulator::api::kGreatestPriority;
  });
}
