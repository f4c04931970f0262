#include "serve/metrics.h"

#include <fmt/format.h>

#include <algorithm>

namespace autokernel::serve {
namespace {

// A label's value: backslash, quote and newline are escaped.
[[nodiscard]] std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\' || c == '"') result += '\\';
    result += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return result;
}

void add_head(std::string& text, const char* name, const char* type, const char* help) {
  text += fmt::format("# HELP autokernel_{0} {2}\n# TYPE autokernel_{0} {1}\n", name, type, help);
}

template <typename Number>
void add(std::string& text, const char* name, const char* type, const char* help, Number value) {
  add_head(text, name, type, help);
  text += fmt::format("autokernel_{} {}\n", name, value);
}

}  // namespace

std::string metrics_text(Service& service) {
  const Dispatcher& dispatcher = service.dispatcher();
  const Dispatcher::Counters& counters = dispatcher.counters();
  std::string text;
  add(text, "trials_waiting", "gauge", "Trials that wait for a device.", dispatcher.waiting());
  add(text, "trials_running", "gauge", "Trials that are being made.", dispatcher.running());
  add(text, "devices_idle", "gauge", "Devices that wait for a trial.", dispatcher.idle());
  add(text, "trials_submitted_total", "counter", "Trials handed in since the start.",
      counters.submitted);
  add(text, "attempts_lost_total", "counter", "Attempts that ended with their device.",
      counters.attempts_lost);
  add(text, "device_seconds_total", "counter", "Device time used by trials.",
      counters.device_seconds);
  add_head(text, "trials_ended_total", "counter", "Trials that are over, by how they ended.");
  for (const State state : {State::done, State::failed, State::cancelled, State::expired}) {
    const auto found = counters.ended.find(state);
    text += fmt::format("autokernel_trials_ended_total{{state=\"{}\"}} {}\n", spelling(state),
                        found == counters.ended.end() ? 0 : found->second);
  }
  add_head(text, "device_up", "gauge", "Whether the device can be measured on.");
  const std::vector<DeviceWorker::Status> devices = service.devices();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    text += fmt::format("autokernel_device_up{{index=\"{}\",device=\"{}\",name=\"{}\"}} {:d}\n", i,
                        escaped(devices[i].device), escaped(devices[i].name), devices[i].is_ready);
  }
  return text;
}

}  // namespace autokernel::serve
