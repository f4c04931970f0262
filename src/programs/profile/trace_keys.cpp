#include "programs/profile/trace_keys.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace autokernel::programs {
namespace {

using Keys = std::unordered_map<std::string_view, TraceKey>;

[[nodiscard]] std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

[[nodiscard]] TraceKey found_in(const Keys& keys, const std::string& name) {
  const auto found = keys.find(lower(name));
  return found == keys.end() ? TraceKey::other : found->second;
}

}  // namespace

TraceKey key_of_file(const std::string& name) {
  static const Keys kKeys = {{"traceevents", TraceKey::events},
                             {"deviceproperties", TraceKey::device_properties},
                             {"distributedinfo", TraceKey::distributed_info}};
  return found_in(kKeys, name);
}

TraceKey key_of_event(const std::string& name) {
  static const Keys kKeys = {{"ph", TraceKey::phase},     {"cat", TraceKey::category},
                             {"name", TraceKey::name},    {"pid", TraceKey::process},
                             {"tid", TraceKey::thread},   {"ts", TraceKey::start},
                             {"dur", TraceKey::duration}, {"args", TraceKey::arguments}};
  return found_in(kKeys, name);
}

TraceKey key_of_arguments(const std::string& name) {
  static const Keys kKeys = {{"device", TraceKey::device},
                             {"stream", TraceKey::stream},
                             {"correlation", TraceKey::correlation},
                             {"external id", TraceKey::operation},
                             {"registers per thread", TraceKey::registers},
                             {"shared memory", TraceKey::shared},
                             {"bytes", TraceKey::bytes},
                             {"graph node id", TraceKey::graph_node},
                             {"grid", TraceKey::grid},
                             {"block", TraceKey::block},
                             {"input dims", TraceKey::dims},
                             {"input strides", TraceKey::strides},
                             {"input type", TraceKey::types},
                             {"concrete inputs", TraceKey::values},
                             {"kind", TraceKey::kind},
                             {"name", TraceKey::name}};
  return found_in(kKeys, name);
}

TraceKey key_of_device(const std::string& name) {
  static const Keys kKeys = {{"id", TraceKey::id},
                             {"name", TraceKey::name},
                             {"computemajor", TraceKey::major},
                             {"computeminor", TraceKey::minor},
                             {"numsms", TraceKey::multiprocessors},
                             {"totalglobalmem", TraceKey::memory}};
  return found_in(kKeys, name);
}

TraceKey key_of_distributed_info(const std::string& name) {
  static const Keys kKeys = {{"rank", TraceKey::rank}};
  return found_in(kKeys, name);
}

EventKind kind_of(const TraceEvent& event) {
  if (event.phase == "M" && event.name == "process_name") return EventKind::process_name;
  if (event.phase != "X") return EventKind::other;
  // The second spelling of each is that of PyTorch before 1.12.
  static const std::unordered_map<std::string_view, EventKind> kKinds = {
      {"kernel", EventKind::kernel},      {"gpu_memcpy", EventKind::copy},
      {"memcpy", EventKind::copy},        {"gpu_memset", EventKind::fill},
      {"memset", EventKind::fill},        {"cuda_runtime", EventKind::call},
      {"runtime", EventKind::call},       {"cuda_driver", EventKind::call},
      {"driver", EventKind::call},        {"cpu_op", EventKind::operation},
      {"operator", EventKind::operation}, {"user_annotation", EventKind::annotation},
      {"hip_runtime", EventKind::call}};
  const auto found = kKinds.find(lower(event.category));
  return found == kKinds.end() ? EventKind::other : found->second;
}

}  // namespace autokernel::programs
