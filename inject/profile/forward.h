// The function that a call would have reached without us.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace recording {

// Of constant initialisation: a program may call before any constructor has run.
class Forward {
 public:
  constexpr explicit Forward(const char* name) : name_(name) {}

  // That of the library that the code at `caller`, a return address, was linked with: a process may
  // have two versions of it. Else one that is loaded. Null where there is none.
  template <typename Function>
  [[nodiscard]] Function to(void* caller) {
    return reinterpret_cast<Function>(target_of(caller));
  }

 private:
  // A library calls a product from a handful of places.
  static constexpr std::size_t kSites = 64;
  struct Site {
    std::atomic<std::uintptr_t> caller{0};
    std::atomic<void*> target{nullptr};
  };

  [[nodiscard]] void* target_of(void* caller);
  [[nodiscard]] void* found(void* caller) const;

  const char* const name_;
  std::array<Site, kSites> sites_{};
};

}  // namespace recording
