#include "trial/time/process_conditions.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>

#include <cerrno>

#include "autokernel/trial/runner_environment.h"

namespace autokernel::trial {
namespace {

[[nodiscard]] std::optional<int> own_niceness() {
  errno = 0;  // -1 is a niceness as well
  const int niceness = ::getpriority(PRIO_PROCESS, 0);
  if (errno != 0) return {};
  return niceness;
}

[[nodiscard]] std::optional<std::string> own_processors() {
  cpu_set_t allowed{};
  // Fails where the machine has more processors than the set has room for.
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return {};
  std::vector<int> processors;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &allowed)) processors.push_back(cpu);
  }
  return ranges_text(processors);
}

}  // namespace

void add_process_conditions(const driver::DeviceInfo& device, Conditions& conditions) {
  conditions.environment = affecting_measurements(own_variables());
  conditions.niceness = own_niceness();
  conditions.processors = own_processors();
  if (!device.settings.empty()) conditions.emulation = device.settings;
}

std::string ranges_text(const std::vector<int>& ascending) {
  std::string text;
  for (std::size_t first = 0; first < ascending.size();) {
    std::size_t last = first;
    while (last + 1 < ascending.size() && ascending[last + 1] == ascending[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += fmt::format("{}", ascending[first]);
    if (last > first) text += fmt::format("-{}", ascending[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace autokernel::trial
