#include "forward.h"

#include <dlfcn.h>

#include "kept_errno.h"
#include "loaded_library.h"

namespace recording {
namespace {

constexpr std::uintptr_t kBeingFilled = 1;

// Our own functions have the names that are searched for.
bool is_ours(void* function) {
  static const char in_our_library = 0;
  Dl_info theirs{};
  Dl_info ours{};
  return ::dladdr(function, &theirs) != 0 && ::dladdr(&in_our_library, &ours) != 0 &&
         theirs.dli_fbase == ours.dli_fbase;
}

}  // namespace

// Once for each place that calls: the search takes some microseconds. A place that finds no room is
// searched for each time.
void* Forward::target_of(void* caller) {
  constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15;
  constexpr unsigned kIndexShift = 58;  // leaves six bits, for 64 sites
  constexpr std::size_t kTries = 4;
  const auto address = reinterpret_cast<std::uintptr_t>(caller);
  const std::size_t first = (address * kSpread) >> kIndexShift;
  for (std::size_t next = 0; next < kTries; ++next) {
    const Site& site = sites_[(first + next) % kSites];
    if (site.caller.load(std::memory_order_acquire) == address) {
      return site.target.load(std::memory_order_relaxed);
    }
  }
  const KeptErrno kept;
  void* const target = found(caller);
  if (target == nullptr) return nullptr;
  for (std::size_t next = 0; next < kTries; ++next) {
    Site& site = sites_[(first + next) % kSites];
    std::uintptr_t unused = 0;
    if (!site.caller.compare_exchange_strong(unused, kBeingFilled)) continue;
    site.target.store(target, std::memory_order_relaxed);
    site.caller.store(address, std::memory_order_release);
    break;
  }
  return target;
}

void* Forward::found(void* caller) const {
  const auto of = [this](void* library) -> void* {
    void* const function = library == nullptr ? nullptr : ::dlsym(library, name_);
    return function == nullptr || is_ours(function) ? nullptr : function;
  };
  // A library's own search goes through what it was linked with, and leaves out what was loaded
  // before everything else, as we are. The program itself has no such search: its libraries come
  // next after us.
  Dl_info info{};
  if (::dladdr(caller, &info) != 0 && info.dli_fname != nullptr) {
    void* const library = ::dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    void* const function = of(library);
    if (library != nullptr) ::dlclose(library);
    if (function != nullptr) return function;
  }
  void* const next = of(RTLD_NEXT);
  if (next != nullptr) return next;
  for (const char* const library : {"libcublasLt.so", "libcublas.so"}) {
    void* const function = of(loaded_library(library));
    if (function != nullptr) return function;
  }
  return nullptr;
}

}  // namespace recording
