// libcupti.so.13 for tests. The environment of a test sets
//
//   FAKE_CUPTI_VERSION    what cuptiGetVersion says (130001)
//   FAKE_CUPTI_SUBSCRIBE  what cuptiSubscribe returns (0)
//   FAKE_CUPTI_ENABLE     what cuptiActivityEnable returns (0)
//   FAKE_CUPTI_DROPPED    how many records it says to have dropped, once (0)
//   FAKE_CUPTI_CLOCK      "own": it cannot be given another clock, and its own began an hour ago
//   FAKE_CUPTI_STOLEN     another profiler takes over the records
#include "fakes/fake_cupti.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "profile/cupti.h"

#define FAKE extern "C" [[gnu::visibility("default")]]

namespace autokernel::test {
namespace {

namespace cupti = recording::cupti;

// Each record has a slot, whatever its kind.
constexpr std::size_t kSlot = 256;

std::mutex mutex;
std::atomic<std::uint32_t> last_correlation{0};
cupti::Callback callback = nullptr;
void* user = nullptr;
std::set<std::uint32_t> calls;
std::set<std::uint32_t> kinds;
std::set<std::string> names;  // CUPTI keeps them, too
cupti::BufferRequested requested = nullptr;
cupti::BufferCompleted completed = nullptr;
cupti::Timestamp timestamp = nullptr;
std::uint8_t* buffer = nullptr;
std::size_t size = 0;
std::size_t used = 0;
std::size_t dropped = 0;

std::int32_t setting(const char* name, std::int32_t by_default) {
  const char* const text = std::getenv(name);
  return text == nullptr ? by_default : std::atoi(text);
}

bool has_own_clock() { return std::getenv("FAKE_CUPTI_CLOCK") != nullptr; }

std::uint64_t own_time() {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  constexpr std::uint64_t kHour = 3600 * kSecond;
  std::timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  const std::uint64_t real =
      static_cast<std::uint64_t>(time.tv_sec) * kSecond + static_cast<std::uint64_t>(time.tv_nsec);
  return has_own_clock() ? real - kHour : real;
}

std::uint64_t time_now() { return timestamp != nullptr ? timestamp() : own_time(); }

void hand_over() {
  if (buffer == nullptr) return;
  std::uint8_t* const full = buffer;
  buffer = nullptr;
  completed(nullptr, 0, full, size, used);
}

template <typename Record>
void keep(const Record& record) {
  static_assert(sizeof(Record) <= kSlot);
  if (std::getenv("FAKE_CUPTI_STOLEN") != nullptr) return;
  const std::lock_guard held{mutex};
  if (!kinds.contains(record.kind)) return;
  if (buffer != nullptr && used + kSlot > size) hand_over();
  if (buffer == nullptr) {
    std::size_t most = 0;
    requested(&buffer, &size, &most);
    used = 0;
  }
  if (buffer == nullptr) {
    ++dropped;
    return;
  }
  std::memset(buffer + used, 0, kSlot);
  std::memcpy(buffer + used, &record, sizeof record);
  used += kSlot;
}

cupti::Kernel kernel_of(const FakeCall& call, std::uint32_t correlation, std::uint32_t node) {
  cupti::Kernel kernel{};
  kernel.kind = cupti::kConcurrentKernel;
  kernel.registers_per_thread = 32;
  kernel.start = call.unfinished ? 0 : time_now();
  kernel.end = call.unfinished ? 0 : kernel.start + kFakeKernelNanoseconds;
  kernel.device = 0;
  kernel.stream = 7;
  kernel.grid_x = 4;
  kernel.grid_y = 3;
  kernel.grid_z = 2;
  kernel.block_x = 128;
  kernel.block_y = kernel.block_z = 1;
  kernel.static_shared = 1024;
  kernel.dynamic_shared = 2048;
  kernel.correlation = correlation;
  const std::lock_guard held{mutex};
  kernel.name = names.insert(call.kernel).first->c_str();
  kernel.graph_node = node;
  return kernel;
}

}  // namespace
}  // namespace autokernel::test

using namespace autokernel::test;  // NOLINT(*-build-using-namespace): all of this file is C
namespace cupti = recording::cupti;

FAKE std::int32_t cuptiGetVersion(std::uint32_t* version) {
  *version = static_cast<std::uint32_t>(setting("FAKE_CUPTI_VERSION", 130001));
  return 0;
}
FAKE std::int32_t cuptiSubscribe(cupti::Subscriber* subscriber, cupti::Callback function,
                                 void* data) {
  const std::int32_t result = setting("FAKE_CUPTI_SUBSCRIBE", 0);
  if (result != 0) return result;
  callback = function;
  user = data;
  *subscriber = static_cast<void*>(&user);
  return 0;
}
FAKE std::int32_t cuptiUnsubscribe(cupti::Subscriber /*subscriber*/) {
  callback = nullptr;
  return 0;
}
FAKE std::int32_t cuptiEnableCallback(std::uint32_t enable, cupti::Subscriber /*subscriber*/,
                                      std::uint32_t /*domain*/, std::uint32_t call) {
  const std::lock_guard held{mutex};
  if (enable != 0) calls.insert(call);
  return 0;
}
FAKE std::int32_t cuptiActivityRegisterCallbacks(cupti::BufferRequested request,
                                                 cupti::BufferCompleted complete) {
  requested = request;
  completed = complete;
  dropped = static_cast<std::size_t>(setting("FAKE_CUPTI_DROPPED", 0));
  return 0;
}
FAKE std::int32_t cuptiActivityRegisterTimestampCallback(cupti::Timestamp function) {
  if (has_own_clock()) return cupti::kNotInitialized;
  timestamp = function;
  return 0;
}
FAKE std::int32_t cuptiGetTimestamp(std::uint64_t* time) {
  *time = time_now();
  return 0;
}
FAKE std::int32_t cuptiActivityEnable(std::uint32_t kind) {
  const std::lock_guard held{mutex};
  kinds.insert(kind);
  return setting("FAKE_CUPTI_ENABLE", 0);
}
FAKE std::int32_t cuptiActivityDisable(std::uint32_t kind) {
  const std::lock_guard held{mutex};
  kinds.erase(kind);
  return 0;
}
FAKE std::int32_t cuptiActivityGetNextRecord(std::uint8_t* from, std::size_t valid,
                                             std::uint8_t** record) {
  std::uint8_t* const next = *record == nullptr ? from : *record + kSlot;
  if (next >= from + valid) return cupti::kMaxLimitReached;
  *record = next;
  return 0;
}
FAKE std::int32_t cuptiActivityGetNumDroppedRecords(void* /*context*/, std::uint32_t /*stream*/,
                                                    std::size_t* count) {
  *count = dropped;
  dropped = 0;
  return 0;
}
FAKE std::int32_t cuptiActivityFlushAll(std::uint32_t /*flag*/) {
  const std::lock_guard held{mutex};
  hand_over();
  return 0;
}

// The parameters of cuLaunchKernel, cuLaunchKernelEx and cuGraphLaunch, as far as they matter.
FAKE void fakeCuptiCall(const FakeCall* call) {
  struct {
    void* function;
    std::uint32_t extents[7];
    void* stream;
  } of_kernel{.function = nullptr, .extents = {}, .stream = call->stream};
  struct {
    std::uint32_t extents[7];
    void* stream;
  } configuration{.extents = {}, .stream = call->stream};
  struct {
    const void* configuration;
    void* stream;
  } of_other{.configuration = &configuration, .stream = call->stream};

  const std::uint32_t correlation = ++last_correlation;
  const bool is_graph = call->number == cupti::kGraphLaunch;
  const bool is_ex = call->number == cupti::kLaunchKernelEx;
  std::uint64_t between = 0;
  cupti::CallbackData data{};
  data.correlation = correlation;
  data.between = &between;
  data.parameters = is_graph || is_ex ? static_cast<const void*>(&of_other) : &of_kernel;
  const bool calls_back = callback != nullptr && calls.contains(call->number);
  if (calls_back) callback(user, cupti::kDriverApi, call->number, &data);
  const bool runs = call->result == 0 && call->stream != kCapturedStream;
  const bool is_reset = call->number == cupti::kPrimaryContextResetV2;
  if (is_reset) {
    // What is not yet handed over is lost with the context.
    const std::lock_guard held{mutex};
    used = 0;
  }
  const bool is_launch = !is_reset && call->number != cupti::kBeginCaptureV2;
  if (runs && is_launch && !is_graph) keep(kernel_of(*call, correlation, 0));
  for (std::uint32_t node = 1; runs && is_graph && node <= call->nodes; ++node) {
    keep(kernel_of(*call, correlation, node));
  }
  data.site = cupti::kExit;
  data.result = &call->result;
  if (calls_back) callback(user, cupti::kDriverApi, call->number, &data);
}

FAKE void fakeCuptiCopy(std::uint64_t bytes) {
  cupti::Memcpy copy{};
  copy.kind = cupti::kMemcpy;
  copy.copy_kind = 1;
  copy.bytes = bytes;
  copy.start = time_now();
  copy.end = copy.start + kFakeKernelNanoseconds;
  copy.stream = 7;
  copy.correlation = ++last_correlation;
  keep(copy);
  cupti::Memset fill{};
  fill.kind = cupti::kMemset;
  fill.bytes = bytes;
  fill.start = copy.start;
  fill.end = copy.end;
  fill.graph_node = 9;
  fill.correlation = ++last_correlation;
  keep(fill);
  cupti::PeerMemcpy peer{};
  peer.kind = cupti::kPeerMemcpy;
  peer.copy_kind = 10;
  peer.bytes = bytes;
  peer.start = copy.start;
  peer.end = copy.end;
  peer.device = 1;
  peer.correlation = ++last_correlation;
  keep(peer);
}
