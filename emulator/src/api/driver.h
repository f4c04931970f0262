// The state of the driver in this process, behind the C entry points: the device, the contexts, and
// which context each thread has made current.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "api/capture.h"
#include "api/context.h"
#include "api/cuda_api.h"
#include "api/device_properties.h"
#include "api/graph.h"
#include "api/handle_table.h"
#include "api/library.h"
#include "api/memory_pool.h"
#include "jit/code_cache.h"

namespace emulator::api {

class Driver {
 public:
  // cuInit has been called; throws Refusal(CUDA_ERROR_NOT_INITIALIZED) before.
  static Driver& get();
  static void initialize();

  [[nodiscard]] const DeviceProperties& device() const { return device_; }
  // Null where the program's environment turns it off.
  [[nodiscard]] std::shared_ptr<const jit::CodeCache> code_cache() const { return code_cache_; }
  // Throws Refusal unless `device` is the only one there is.
  static void require_device(CUdevice device);

  [[nodiscard]] CUcontext create_context(unsigned flags);
  void destroy_context(CUcontext handle);
  [[nodiscard]] CUcontext retain_primary();
  void release_primary();
  // Null while nobody has retained it.
  [[nodiscard]] std::shared_ptr<Context> primary() const;
  void reset_primary();
  void set_primary_flags(unsigned flags);
  struct PrimaryState {
    unsigned flags;
    bool active;
  };
  [[nodiscard]] PrimaryState primary_state() const;

  // Null where there is no such context.
  [[nodiscard]] std::shared_ptr<Context> find(CUcontext handle) const {
    return contexts_.find(handle);
  }

  [[nodiscard]] GraphTables& graphs() { return graphs_; }
  [[nodiscard]] MemoryPools& pools() { return pools_; }
  [[nodiscard]] LibraryTables& libraries() { return libraries_; }
  // Captures that have begun and not ended, but for those whose stream is gone. Under the mutex of
  // the graphs' tables.
  [[nodiscard]] const std::vector<std::shared_ptr<Capture>>& captures();
  void add_capture(std::shared_ptr<Capture> capture);
  void remove_capture(const std::shared_ptr<Capture>& capture);
  // Whether there are any, for anybody.
  [[nodiscard]] bool is_capturing() const { return capture_count_.load() != 0; }

 private:
  Driver();

  void close_context(CUcontext handle);

  DeviceProperties device_;
  std::shared_ptr<const jit::CodeCache> code_cache_;
  HandleTable<CUcontext, Context> contexts_;
  mutable std::mutex primary_mutex_;
  CUcontext primary_ = nullptr;
  unsigned primary_users_ = 0;
  unsigned primary_flags_ = 0;
  GraphTables graphs_;
  MemoryPools pools_;
  LibraryTables libraries_;
  std::vector<std::shared_ptr<Capture>> captures_;
  std::atomic<std::size_t> capture_count_ = 0;
};

// The calling thread's contexts, the current one on top; null entries are allowed, as CUDA allows
// them.
class CurrentContexts {
 public:
  [[nodiscard]] static CUcontext top();
  static void set(CUcontext handle);
  static void push(CUcontext handle);
  static CUcontext pop();
};

// The calling thread's current context. Throws Refusal where there is none, it has been destroyed,
// or a fault sticks to it.
[[nodiscard]] std::shared_ptr<Context> current_context();
// The same, whatever went wrong in it.
[[nodiscard]] std::shared_ptr<Context> current_context_even_if_faulted();

[[nodiscard]] inline GraphTables& graph_tables() { return Driver::get().graphs(); }

}  // namespace emulator::api
