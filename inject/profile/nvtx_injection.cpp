// What NVTX calls in the library that NVTX_INJECTION64_PATH names, at its first use: its functions
// are replaced by ours. Each library that was compiled with NVTX's headers does so for itself.
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <string_view>

#include "entry.h"
#include "kept_errno.h"
#include "lock.h"
#include "nvtx.h"
#include "range_text.h"
#include "ranges.h"
#include "recorder.h"
#include "text_ids.h"

namespace recording {
namespace {

// The names of domains, and the strings that programs register: NVTX's handles for them are these
// numbers. A child that was forked goes on using its parent's.
constexpr std::uint32_t kMostNames = 1U << 16U;
constinit Lock names_lock;
constinit TextIds names{kMostNames};

void before_fork() { (void)names_lock.take(); }
void after_fork() { names_lock.give(); }

template <typename Character>
void* handle_of(const Character* text) {
  const KeptErrno kept;
  const RangeText name{text};
  const Locked held{names_lock};
  const std::uintptr_t number = held ? names.of(name.view()).number : 0;
  return reinterpret_cast<void*>(number);  // NOLINT(performance-no-int-to-ptr): nothing lies there
}

RangeDomain domain_of(const void* handle) {
  const auto number = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(handle));
  if (number == 0) return {};
  const Locked held{names_lock};
  return {.number = number, .name = held ? names.text_of(number) : std::string_view{}};
}

RangeText text_of(const nvtx::EventAttributes* event) {
  if (event == nullptr || event->size < sizeof(nvtx::EventAttributes)) return {};
  switch (event->message_type) {
    case nvtx::kAscii:
      return RangeText{static_cast<const char*>(event->message)};
    case nvtx::kUnicode:
      return RangeText{static_cast<const wchar_t*>(event->message)};
    case nvtx::kRegistered:
      return RangeText{domain_of(event->message).name};
    default:
      return {};
  }
}

int push(const RangeDomain& domain, const RangeText& text) {
  const KeptErrno kept;
  Ranges* const recorded = ranges();
  return recorded == nullptr ? -1 : recorded->push(domain, text);
}

int pop(const RangeDomain& domain) {
  const KeptErrno kept;
  Ranges* const recorded = ranges();
  return recorded == nullptr ? -1 : recorded->pop(domain);
}

std::uint64_t start(const RangeDomain& domain, const RangeText& text) {
  const KeptErrno kept;
  Ranges* const recorded = ranges();
  return recorded == nullptr ? 0 : recorded->start(domain, text);
}

// In NVTX's words, from here on.
int push_event(const nvtx::EventAttributes* event) { return push({}, text_of(event)); }
int push_ascii(const char* text) { return push({}, RangeText{text}); }
int push_wide(const wchar_t* text) { return push({}, RangeText{text}); }
int pop_innermost() { return pop({}); }
std::uint64_t start_event(const nvtx::EventAttributes* event) { return start({}, text_of(event)); }
std::uint64_t start_ascii(const char* text) { return start({}, RangeText{text}); }
std::uint64_t start_wide(const wchar_t* text) { return start({}, RangeText{text}); }
void end_started(std::uint64_t id) {
  const KeptErrno kept;
  Ranges* const recorded = ranges();
  if (recorded != nullptr) recorded->end(id);
}
int push_in_domain(const void* domain, const nvtx::EventAttributes* event) {
  return push(domain_of(domain), text_of(event));
}
int pop_in_domain(const void* domain) { return pop(domain_of(domain)); }
std::uint64_t start_in_domain(const void* domain, const nvtx::EventAttributes* event) {
  return start(domain_of(domain), text_of(event));
}
void end_in_domain(const void* /*domain*/, std::uint64_t id) { end_started(id); }
void* register_ascii(const void* /*domain*/, const char* text) { return handle_of(text); }
void* register_wide(const void* /*domain*/, const wchar_t* text) { return handle_of(text); }
void* create_ascii(const char* name) { return handle_of(name); }
void* create_wide(const wchar_t* name) { return handle_of(name); }

// The functions of one module, each in the place that NVTX calls it by.
class Table {
 public:
  Table(const nvtx::CallbackTable& callbacks, nvtx::Module module) {
    if (callbacks.module_functions(module, &places_, &count_) == 0) count_ = 0;
  }
  template <typename Function>
  void set(std::uint32_t call, Function* function) {
    if (call < count_ && places_ != nullptr && places_[call] != nullptr) {
      *places_[call] = reinterpret_cast<nvtx::Function>(function);
    }
  }

 private:
  nvtx::Function** places_ = nullptr;
  unsigned count_ = 0;
};

int attach(nvtx::GetExportTable get_export_table) {
  // Without a record to write, NVTX goes back to doing nothing.
  if (get_export_table == nullptr || started_recorder() == nullptr) return 0;
  const auto* const callbacks =
      static_cast<const nvtx::CallbackTable*>(get_export_table(nvtx::kCallbacks));
  if (callbacks == nullptr || callbacks->size < sizeof(nvtx::CallbackTable)) return 0;
  static constinit std::atomic<bool> forks_are_awaited{false};
  if (!forks_are_awaited.exchange(true)) {
    (void)::pthread_atfork(before_fork, after_fork, after_fork);
  }

  Table core{*callbacks, nvtx::kCore};
  core.set(nvtx::kRangeStartEx, start_event);
  core.set(nvtx::kRangeStartA, start_ascii);
  core.set(nvtx::kRangeStartW, start_wide);
  core.set(nvtx::kRangeEnd, end_started);
  core.set(nvtx::kRangePushEx, push_event);
  core.set(nvtx::kRangePushA, push_ascii);
  core.set(nvtx::kRangePushW, push_wide);
  core.set(nvtx::kRangePop, pop_innermost);
  Table domains{*callbacks, nvtx::kCore2};
  domains.set(nvtx::kDomainRangeStartEx, start_in_domain);
  domains.set(nvtx::kDomainRangeEnd, end_in_domain);
  domains.set(nvtx::kDomainRangePushEx, push_in_domain);
  domains.set(nvtx::kDomainRangePop, pop_in_domain);
  domains.set(nvtx::kDomainRegisterStringA, register_ascii);
  domains.set(nvtx::kDomainRegisterStringW, register_wide);
  domains.set(nvtx::kDomainCreateA, create_ascii);
  domains.set(nvtx::kDomainCreateW, create_wide);
  return 1;
}

}  // namespace
}  // namespace recording

AUTOKERNEL_ENTRY int InitializeInjectionNvtx2(recording::nvtx::GetExportTable get_export_table) {
  const recording::KeptErrno kept;
  return recording::attach(get_export_table);
}

// Of NVTX 2.
AUTOKERNEL_ENTRY int InitializeInjectionNvtx(recording::nvtx::GetExportTable get_export_table) {
  const recording::KeptErrno kept;
  return recording::attach(get_export_table);
}
