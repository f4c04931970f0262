// A CUDA context: its memory, its modules, its streams, the thread that carries its work out, and
// what went wrong.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "api/context_limits.h"
#include "api/cuda_api.h"
#include "api/executor.h"
#include "api/fault_record.h"
#include "api/handle_table.h"
#include "api/module.h"
#include "api/stream.h"
#include "runtime/device_heap.h"
#include "runtime/engine.h"
#include "runtime/memory.h"
#include "runtime/print_buffer.h"

namespace emulator::api {

// What cooperative_groups finds at the address in %envreg1 (upper half) and %envreg2.
struct GridWorkspace {
  std::uint32_t bytes;
  std::uint32_t barrier;  // 0 before the first block arrives
};

class Context : public std::enable_shared_from_this<Context> {
 public:
  Context(unsigned flags, unsigned workers);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] unsigned flags() const { return flags_; }
  void set_flags(unsigned flags) { flags_ = flags; }
  [[nodiscard]] unsigned long long id() const { return id_; }

  // Throws the Refusal of the fault that sticks to this context, if one does.
  void require_sound() const;
  // Empty while nothing has gone wrong; never changes once it is not.
  [[nodiscard]] const char* fault_report() const;
  // The same as data; null while nothing has gone wrong.
  [[nodiscard]] const EmuFault* fault_data() const;
  // From now on every call fails with `result`. The first fault stays.
  void fail(CUresult result, std::unique_ptr<FaultRecord> fault);

  // The stream a program's handle means, the default ones included. Throws Refusal.
  [[nodiscard]] std::shared_ptr<Stream> stream(CUstream handle) const;
  // Whether it is the default stream that waits for all blocking ones and they for it.
  [[nodiscard]] bool is_legacy(const Stream& stream) const {
    return &stream == default_stream_.get();
  }
  [[nodiscard]] bool owns(const Stream& stream) const { return stream.context_id() == id_; }
  // What other handles mean. Throws Refusal.
  [[nodiscard]] std::shared_ptr<Event> event(CUevent handle) const;
  [[nodiscard]] std::shared_ptr<Module> module(CUmodule handle) const;
  // A CUkernel is taken as well, as CUDA allows.
  [[nodiscard]] std::shared_ptr<Kernel> kernel(CUfunction handle);
  // Lets the executor do `work` after all that was submitted before, unless the context has failed
  // by then. `at_once`: as in Executor::submit().
  Ticket submit(Stream& stream, std::function<void()> work,
                const Executor::Operation& at_once = nullptr);
  // The same on the default stream, and waits for it; throws the fault that sticks, if one does
  // afterwards.
  void carry_out(std::function<void()> work);
  void record(const std::shared_ptr<Event>& event, Stream& stream);
  // The same in no stream of its own. `at_once`: as in Executor::submit().
  Ticket record(const std::shared_ptr<Event>& event, const Executor::Operation& at_once = nullptr);
  // Waits for an operation, gives printf output out, and throws the fault that sticks, if one does.
  void synchronize(Ticket ticket);
  // The address of the GridWorkspace of cooperative launches, which run one at a time.
  [[nodiscard]] std::uint64_t grid_workspace();
  // From now on kernels have the heap of malloc, whose size does not change any more.
  void open_heap();
  // Null before that.
  [[nodiscard]] runtime::DeviceHeap* heap() const;
  // Throws the Refusal of a size that comes too late, or is more than the machine has.
  void set_heap_bytes(std::size_t bytes);
  // Gives out what kernels have printed so far.
  void flush_prints();
  // Waits for everything; nothing can be submitted afterwards.
  void close();

  runtime::Memory memory;
  runtime::PrintBuffer prints;
  ContextLimits limits;
  HandleTable<CUstream, Stream> streams;
  HandleTable<CUevent, Event> events;
  HandleTable<CUmodule, Module> modules;
  HandleTable<CUfunction, Kernel> kernels;
  [[nodiscard]] Executor& executor() { return executor_; }
  // How many calls are about to give some stream a launch that may join the one before it.
  std::atomic<int> launches_to_come = 0;
  // For the executor's thread alone.
  [[nodiscard]] runtime::Engine& engine() { return engine_; }

 private:
  void require_other_thread() const;
  // The calling thread's default stream.
  [[nodiscard]] std::shared_ptr<Stream> own_stream() const;

  std::atomic<unsigned> flags_;
  unsigned long long id_;
  std::shared_ptr<Stream> default_stream_;
  mutable std::mutex own_streams_mutex_;
  mutable std::map<std::thread::id, std::shared_ptr<Stream>> own_streams_;
  mutable std::mutex heap_mutex_;
  std::unique_ptr<runtime::DeviceHeap> heap_;
  std::once_flag grid_workspace_made_;
  std::uint64_t grid_workspace_ = 0;
  mutable std::mutex fault_mutex_;
  std::atomic<CUresult> fault_ = CUDA_SUCCESS;
  std::unique_ptr<FaultRecord> fault_record_;
  runtime::Engine engine_;
  Executor executor_;  // last: ends before what its operations use
};

}  // namespace emulator::api
