// The entry points that programs find by name.
#pragma once

#include <span>
#include <string_view>

namespace emulator::api {

struct Entry {
  std::string_view name;  // without a version, as programs ask for it
  int since;              // the first CUDA version that means this one
  void* function;
  void* per_thread;  // with a default stream of each thread's own; null where that is no difference
};

// By name, the newest version of each first.
[[nodiscard]] std::span<const Entry> entry_table();

}  // namespace emulator::api
