#include "cupti_library.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "loaded_library.h"

namespace recording {
namespace {

void* opened_by_variable() {
  const char* const named = ::secure_getenv("AUTOKERNEL_CUPTI");
  if (named == nullptr) return nullptr;
  std::string_view left = named;
  while (!left.empty()) {
    const std::size_t colon = left.find(':');
    const std::string_view path{left.data(), colon < left.size() ? colon : left.size()};
    left.remove_prefix(colon < left.size() ? colon + 1 : left.size());
    std::array<char, 4096> terminated{};
    if (path.empty() || path.size() >= terminated.size()) continue;
    std::memcpy(terminated.data(), path.data(), path.size());
    void* const library = ::dlopen(terminated.data(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) return library;
  }
  return nullptr;
}

// By the names that CUDA's versions give it.
void* opened_by_name() {
  for (const char* const name :
       {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8", "libcupti.so.11", "libcupti.so"}) {
    void* const library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) return library;
  }
  return nullptr;
}

template <typename Function>
bool get(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

}  // namespace

CuptiFound find_cupti(CuptiLibrary& library) {
  void* handle = loaded_library("libcupti.so");
  if (handle == nullptr) handle = opened_by_variable();
  if (handle == nullptr) handle = opened_by_name();
  if (handle == nullptr) return CuptiFound::no;
  (void)get(handle, "cuptiActivityRegisterTimestampCallback", library.register_timestamp);
  const bool whole = get(handle, "cuptiGetVersion", library.version) &&
                     get(handle, "cuptiSubscribe", library.subscribe) &&
                     get(handle, "cuptiUnsubscribe", library.unsubscribe) &&
                     get(handle, "cuptiEnableCallback", library.enable_callback) &&
                     get(handle, "cuptiActivityRegisterCallbacks", library.register_buffers) &&
                     get(handle, "cuptiGetTimestamp", library.timestamp) &&
                     get(handle, "cuptiActivityEnable", library.enable_activity) &&
                     get(handle, "cuptiActivityDisable", library.disable_activity) &&
                     get(handle, "cuptiActivityGetNextRecord", library.next_record) &&
                     get(handle, "cuptiActivityGetNumDroppedRecords", library.dropped_records) &&
                     get(handle, "cuptiActivityFlushAll", library.flush);
  return whole ? CuptiFound::yes : CuptiFound::without_its_functions;
}

}  // namespace recording
