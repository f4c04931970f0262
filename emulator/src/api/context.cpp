#include "api/context.h"

#include <cstdio>
#include <utility>

#include "api/driver.h"
#include "api/error_translation.h"

namespace emulator::api {
namespace {

unsigned long long next_context_id() {
  static std::atomic<unsigned long long> last = 0;
  return ++last;
}

}  // namespace

Context::Context(unsigned flags, unsigned workers)
    : flags_(flags),
      id_(next_context_id()),
      default_stream_(std::make_shared<Stream>(CU_STREAM_DEFAULT, 0, id_)),
      engine_(workers) {}

void Context::require_sound() const {
  const CUresult fault = fault_.load();
  if (fault != CUDA_SUCCESS) throw Refusal(fault);
}

const char* Context::fault_report() const {
  const std::lock_guard lock(fault_mutex_);
  return fault_record_ == nullptr ? "" : fault_record_->text().c_str();
}

const EmuFault* Context::fault_data() const {
  const std::lock_guard lock(fault_mutex_);
  return fault_record_ == nullptr ? nullptr : &fault_record_->fault();
}

void Context::fail(CUresult result, std::unique_ptr<FaultRecord> fault) {
  const std::lock_guard lock(fault_mutex_);
  if (fault_.load() != CUDA_SUCCESS) return;
  fault_record_ = std::move(fault);
  fault_.store(result);
}

std::shared_ptr<Stream> Context::stream(CUstream handle) const {
  if (handle == nullptr || handle == CU_STREAM_LEGACY) return default_stream_;
  if (handle == CU_STREAM_PER_THREAD) return own_stream();
  std::shared_ptr<Stream> found = streams.find(handle);
  require(found != nullptr, CUDA_ERROR_INVALID_HANDLE);
  return found;
}

std::shared_ptr<Stream> Context::own_stream() const {
  const std::lock_guard lock(own_streams_mutex_);
  std::shared_ptr<Stream>& own = own_streams_[std::this_thread::get_id()];
  if (own == nullptr) own = std::make_shared<Stream>(CU_STREAM_DEFAULT, 0, id_);
  return own;
}

std::shared_ptr<Event> Context::event(CUevent handle) const {
  std::shared_ptr<Event> found = events.find(handle);
  require(found != nullptr, CUDA_ERROR_INVALID_HANDLE);
  return found;
}

std::shared_ptr<Module> Context::module(CUmodule handle) const {
  std::shared_ptr<Module> found = modules.find(handle);
  require(found != nullptr, CUDA_ERROR_INVALID_HANDLE);
  return found;
}

std::shared_ptr<Kernel> Context::kernel(CUfunction handle) {
  std::shared_ptr<Kernel> found = kernels.find(handle);
  if (found == nullptr) {
    const std::shared_ptr<LibraryKernel> of_library =
        Driver::get().libraries().kernels.find(reinterpret_cast<CUkernel>(handle));
    if (of_library) found = kernels.find(of_library->library->function(*this, *of_library));
  }
  require(found != nullptr, CUDA_ERROR_INVALID_HANDLE);
  return found;
}

Ticket Context::submit(Stream& stream, std::function<void()> work,
                       const Executor::Operation& at_once) {
  auto operation = [this, work = std::move(work)](Ticket) {
    if (fault_.load() != CUDA_SUCCESS) return;
    const CUresult result = answer(work);
    // Kernels report their faults themselves. What is left are copies of memory freed in stream
    // order before, and launches for which the machine has no memory.
    if (result != CUDA_SUCCESS) {
      fail(result, std::make_unique<FaultRecord>(
                       result == CUDA_ERROR_ILLEGAL_ADDRESS
                           ? "a copy or a fill reached memory that had been freed before it"
                           : "an operation of a stream could not be carried out"));
    }
  };
  const Ticket ticket = executor_.submit(std::move(operation), at_once);
  stream.follow(ticket);
  // The legacy default stream is not done before every blocking stream is.
  if ((stream.flags() & CU_STREAM_NON_BLOCKING) == 0) default_stream_->follow(ticket);
  return ticket;
}

void Context::carry_out(std::function<void()> work) {
  require_other_thread();
  synchronize(submit(*default_stream_, std::move(work)));
}

void Context::record(const std::shared_ptr<Event>& event, Stream& stream) {
  stream.follow(record(event));
}

Ticket Context::record(const std::shared_ptr<Event>& event, const Executor::Operation& at_once) {
  const Ticket ticket = executor_.submit(
      [event](Ticket reached) { event->reached(reached, std::chrono::steady_clock::now()); },
      at_once);
  event->asked(ticket);
  return ticket;
}

void Context::synchronize(Ticket ticket) {
  require_other_thread();
  executor_.wait(ticket);
  flush_prints();
  require_sound();
}

std::uint64_t Context::grid_workspace() {
  std::call_once(grid_workspace_made_, [this] {
    grid_workspace_ =
        memory.allocate(sizeof(GridWorkspace), runtime::AllocationKind::global_variable,
                        "of cooperative_groups' grid barrier");
  });
  return grid_workspace_;
}

void Context::open_heap() {
  const std::lock_guard lock(heap_mutex_);
  if (heap_ != nullptr) return;
  heap_ = std::make_unique<runtime::DeviceHeap>(limits.get(CU_LIMIT_MALLOC_HEAP_SIZE));
}

runtime::DeviceHeap* Context::heap() const {
  const std::lock_guard lock(heap_mutex_);
  return heap_.get();
}

void Context::set_heap_bytes(std::size_t bytes) {
  require(bytes <= runtime::physical_memory().total, CUDA_ERROR_OUT_OF_MEMORY);
  const std::lock_guard lock(heap_mutex_);
  require(heap_ == nullptr);
  limits.set(CU_LIMIT_MALLOC_HEAP_SIZE, bytes);
}

void Context::flush_prints() { prints.flush(stdout, stderr); }

void Context::close() {
  executor_.close();
  flush_prints();
}

void Context::require_other_thread() const {
  // A host function that waits for its own context would wait for ever; CUDA forbids it as well.
  require(!executor_.is_this_thread(), CUDA_ERROR_NOT_PERMITTED);
}

}  // namespace emulator::api
