// The driver that calls are forwarded to: NVIDIA's, or the emulated device.
#pragma once

namespace autokernel::inject {

// Its function of that name, whatever this library defines by it; null where it has none. The
// driver is opened when this library is loaded: AUTOKERNEL_DRIVER is its path, or it is looked for
// where NVIDIA's packages put it.
[[nodiscard]] void* real_entry(const char* name);

// The same, as a function of the type of `sample`.
template <typename Function>
[[nodiscard]] Function* real(const char* name, Function* /*sample*/) {
  return reinterpret_cast<Function*>(real_entry(name));
}

}  // namespace autokernel::inject

// The real one of a function that cuda.h declares, in the version that the name means there:
// AUTOKERNEL_REAL(cuMemAlloc)(&address, bytes). It is looked up once.
// NOLINTBEGIN(bugprone-macro-parentheses): the name of a function
#define AUTOKERNEL_REAL(function) AUTOKERNEL_REAL_OF_VERSION(function)
#define AUTOKERNEL_REAL_OF_VERSION(function)                                              \
  ([]() -> decltype(&function) {                                                          \
    static const auto autokernel_entry =                                                  \
        ::autokernel::inject::real(#function, static_cast<decltype(&function)>(nullptr)); \
    return autokernel_entry;                                                              \
  }())
// NOLINTEND(bugprone-macro-parentheses)
