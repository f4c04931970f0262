#include "api/activity_record.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace emulator::api {
namespace {

// As the driver itself, it is never destroyed.
std::atomic<ActivityRecord*> recording = nullptr;
thread_local constinit std::uint64_t graph_correlation = 0;

// A tab or a line end in a field would end it.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '\t') {
      result += "\\t";
    } else if (letter == '\n') {
      result += "\\n";
    } else if (letter == '\\') {
      result += "\\\\";
    } else {
      result += letter;
    }
  }
  return result;
}

std::string command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  while (text.ends_with('\0')) text.pop_back();
  for (char& letter : text) {
    if (letter == '\0') letter = ' ';
  }
  return text;
}

}  // namespace

std::int64_t record_time() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

ActivityRecord* ActivityRecord::get() { return recording.load(std::memory_order_acquire); }

void ActivityRecord::begin(const DeviceProperties& device) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): read once, by cuInit
  const char* folder = std::getenv("EMULATED_CUDA_PROFILE");
  if (folder == nullptr || *folder == '\0') return;
  auto* const begun = new ActivityRecord(folder, device);
  if (!begun->file_.is_open()) return;
  recording = begun;
  // What a forked child does is not the parent's; it cannot use the device either.
  pthread_atfork(nullptr, nullptr, [] { recording = nullptr; });
  std::atexit([] {
    if (ActivityRecord* record = get()) record->finish();
  });
}

ActivityRecord::ActivityRecord(const char* folder, const DeviceProperties& device) : file_(folder) {
  file_.put(fmt::format("autokernel-profile\t1\temulated " EMULATOR_VERSION "\t{}\t{}\nP\t{}\n",
                        getpid(), getppid(), escaped(command_line())));
  file_.put(fmt::format("D\t0\t{}\t{}\t{}\t{}\t{}\t0\t0\t{}\t{}\n", escaped(device.name),
                        device.major, device.minor, device.workers, device.clock_khz,
                        device.cache_bytes, device.memory_bytes));
}

LaunchCall ActivityRecord::kernel_call(std::uint64_t stream) {
  if (graph_correlation != 0) {
    return {.correlation = graph_correlation, .in_graph = true, .stream = stream};
  }
  return {.correlation = call("kernel"), .in_graph = false, .stream = stream};
}

std::uint64_t ActivityRecord::call(const char* what) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t correlation = ++correlations_;
  file_.put(fmt::format("L\t{}\t{}\t{}\t{}\n", correlation, gettid(), record_time(), what));
  return correlation;
}

void ActivityRecord::kernel(const Kernel& kernel, const runtime::Launch& launch,
                            const LaunchCall& call, std::int64_t start, std::int64_t end) {
  const std::lock_guard lock(mutex_);
  const std::string name(kernel.function().name);
  const auto [found, is_new] = names_.try_emplace(name, names_.size());
  if (is_new) file_.put(fmt::format("N\t{}\t{}\n", found->second, escaped(name)));
  // Registers are the translation's own affair.
  constexpr int kUnknown = -1;
  file_.put(fmt::format("K\t{}\t{}\t{}\t0\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n",
                        found->second, start, end, call.stream, call.correlation, launch.grid[0],
                        launch.grid[1], launch.grid[2], launch.block[0], launch.block[1],
                        launch.block[2], kUnknown,
                        launch.shared_bytes - launch.dynamic_shared_bytes,
                        launch.dynamic_shared_bytes, call.in_graph ? 1 : 0));
}

void ActivityRecord::transfer(const char* kind, std::uint64_t bytes, std::int64_t start,
                              std::int64_t end) {
  const std::lock_guard lock(mutex_);
  file_.put(fmt::format("C\t{}\t{}\t{}\t0\t0\t0\t{}\t0\n", kind, start, end, bytes));
}

void ActivityRecord::finish() {
  const std::lock_guard lock(mutex_);
  file_.put(fmt::format("E\t{}\n", record_time()));
}

GraphCall::GraphCall() {
  if (ActivityRecord* record = ActivityRecord::get()) graph_correlation = record->call("graph");
}

GraphCall::~GraphCall() { graph_correlation = 0; }

}  // namespace emulator::api
