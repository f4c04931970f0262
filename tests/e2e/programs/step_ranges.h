// NVTX ranges of a program that links nothing: what NVTX's own header does, for two of its calls.
#pragma once

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstdlib>

#include "profile/nvtx.h"

namespace autokernel::test {

// Loads what NVTX_INJECTION64_PATH names, if anything. One of them in a program.
class StepRanges {
 public:
  StepRanges() {
    for (std::size_t i = 1; i < kPlaces; ++i) places()[i] = &functions()[i];
    const char* path = std::getenv("NVTX_INJECTION64_PATH");
    void* const injected = path == nullptr ? nullptr : ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (injected == nullptr) return;
    using Initialize = int(recording::nvtx::GetExportTable);
    auto* const initialize =
        reinterpret_cast<Initialize*>(::dlsym(injected, "InitializeInjectionNvtx2"));
    if (initialize != nullptr) (void)initialize(export_table);
  }

  static void push(const char* text) {
    const auto call = functions()[recording::nvtx::kRangePushA];
    if (call != nullptr) (void)reinterpret_cast<int (*)(const char*)>(call)(text);
  }
  static void pop() {
    const auto call = functions()[recording::nvtx::kRangePop];
    if (call != nullptr) (void)reinterpret_cast<int (*)()>(call)();
  }

 private:
  static constexpr std::size_t kPlaces = 16;
  template <typename Entry>
  using Table = std::array<Entry, kPlaces>;

  static Table<recording::nvtx::Function>& functions() {
    static Table<recording::nvtx::Function> table{};
    return table;
  }
  static Table<recording::nvtx::Function*>& places() {
    static Table<recording::nvtx::Function*> table{};
    return table;
  }
  static int functions_of(recording::nvtx::Module module, recording::nvtx::Function*** table,
                          unsigned* count) {
    if (module != recording::nvtx::kCore) return 0;
    *table = places().data();
    *count = kPlaces;
    return 1;
  }
  static const void* export_table(std::uint32_t id) {
    static const recording::nvtx::CallbackTable table{sizeof table, functions_of};
    return id == recording::nvtx::kCallbacks ? &table : nullptr;
  }
};

}  // namespace autokernel::test
