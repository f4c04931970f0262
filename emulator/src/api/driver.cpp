#include "api/driver.h"

#include <pthread.h>

#include <array>
#include <cstddef>
#include <utility>

#include "api/activity_record.h"
#include "api/cache_settings.h"
#include "api/error_translation.h"

namespace emulator::api {
namespace {

// A C interface without a handle for the driver itself leaves no other place for its state than the
// process. It is never destroyed: the program may call from its own exit handlers, and threads that
// still run blocks when the process ends must find everything in place.
struct Process {
  std::mutex mutex;
  std::atomic<Driver*> driver = nullptr;
  std::atomic<bool> forked = false;
};

Process& process() {
  static auto* const state = new Process;
  return *state;
}

// Plain data, so that it is there for calls from any thread at any time, also while the thread
// ends.
constexpr std::size_t kDeepest = 256;
struct ContextStack {
  std::array<CUcontext, kDeepest> handles;
  std::size_t size;
};
thread_local constinit ContextStack stack = {};

}  // namespace

Driver::Driver() : device_(read_device_properties()) {
  if (const auto settings = cache_settings())
    code_cache_ = std::make_shared<jit::CodeCache>(settings->folder, settings->most_bytes);
}

void Driver::initialize() {
  Process& state = process();
  const std::lock_guard lock(state.mutex);
  require(!state.forked, CUDA_ERROR_NOT_INITIALIZED);
  if (state.driver.load() != nullptr) return;
  // A forked child has none of the threads that the contexts rely on. CUDA gives the same answer
  // there.
  pthread_atfork(nullptr, nullptr, [] { process().forked = true; });
  auto* const driver = new Driver;
  ActivityRecord::begin(driver->device());
  state.driver = driver;
}

Driver& Driver::get() {
  Process& state = process();
  Driver* const driver = state.driver.load();
  require(driver != nullptr && !state.forked, CUDA_ERROR_NOT_INITIALIZED);
  return *driver;
}

void Driver::require_device(CUdevice device) { require(device == 0, CUDA_ERROR_INVALID_DEVICE); }

CUcontext Driver::create_context(unsigned flags) {
  return contexts_.add(std::make_shared<Context>(flags, device_.workers));
}

void Driver::close_context(CUcontext handle) {
  const std::shared_ptr<Context> context = contexts_.take(handle);
  if (context) context->close();
}

void Driver::destroy_context(CUcontext handle) {
  const std::shared_ptr<Context> context = contexts_.find(handle);
  require(context != nullptr, CUDA_ERROR_INVALID_CONTEXT);
  require(!context->executor().is_this_thread(), CUDA_ERROR_NOT_PERMITTED);
  {
    const std::lock_guard lock(primary_mutex_);
    require(handle != primary_, CUDA_ERROR_INVALID_CONTEXT);
  }
  close_context(handle);
  if (CurrentContexts::top() == handle) CurrentContexts::pop();
}

CUcontext Driver::retain_primary() {
  const std::lock_guard lock(primary_mutex_);
  if (primary_ == nullptr) primary_ = create_context(primary_flags_);
  ++primary_users_;
  return primary_;
}

std::shared_ptr<Context> Driver::primary() const {
  const std::lock_guard lock(primary_mutex_);
  return primary_ == nullptr ? nullptr : find(primary_);
}

void Driver::release_primary() {
  CUcontext last = nullptr;
  {
    const std::lock_guard lock(primary_mutex_);
    require(primary_users_ != 0, CUDA_ERROR_INVALID_CONTEXT);
    if (--primary_users_ == 0) last = std::exchange(primary_, nullptr);
  }
  if (last != nullptr) close_context(last);
}

void Driver::reset_primary() {
  CUcontext handle = nullptr;
  {
    const std::lock_guard lock(primary_mutex_);
    handle = std::exchange(primary_, nullptr);
    primary_users_ = 0;
  }
  if (handle != nullptr) close_context(handle);
}

void Driver::set_primary_flags(unsigned flags) {
  const std::lock_guard lock(primary_mutex_);
  primary_flags_ = flags;
}

Driver::PrimaryState Driver::primary_state() const {
  const std::lock_guard lock(primary_mutex_);
  return {primary_flags_, primary_ != nullptr};
}

const std::vector<std::shared_ptr<Capture>>& Driver::captures() {
  std::erase_if(captures_, [](const auto& capture) { return capture->streams.front().expired(); });
  capture_count_ = captures_.size();
  return captures_;
}

void Driver::add_capture(std::shared_ptr<Capture> capture) {
  captures_.push_back(std::move(capture));
  capture_count_ = captures_.size();
}

void Driver::remove_capture(const std::shared_ptr<Capture>& capture) {
  std::erase(captures_, capture);
  capture_count_ = captures_.size();
}

CUcontext CurrentContexts::top() {
  return stack.size == 0 ? nullptr : stack.handles[stack.size - 1];
}

void CurrentContexts::set(CUcontext handle) {
  if (stack.size == 0) ++stack.size;
  stack.handles[stack.size - 1] = handle;
}

void CurrentContexts::push(CUcontext handle) {
  require(stack.size < kDeepest, CUDA_ERROR_OUT_OF_MEMORY);
  stack.handles[stack.size++] = handle;
}

CUcontext CurrentContexts::pop() {
  require(stack.size != 0, CUDA_ERROR_INVALID_CONTEXT);
  return stack.handles[--stack.size];
}

std::shared_ptr<Context> current_context_even_if_faulted() {
  Driver& driver = Driver::get();
  const CUcontext handle = CurrentContexts::top();
  require(handle != nullptr, CUDA_ERROR_INVALID_CONTEXT);
  std::shared_ptr<Context> context = driver.find(handle);
  require(context != nullptr, CUDA_ERROR_CONTEXT_IS_DESTROYED);
  return context;
}

std::shared_ptr<Context> current_context() {
  std::shared_ptr<Context> context = current_context_even_if_faulted();
  context->require_sound();
  return context;
}

}  // namespace emulator::api
