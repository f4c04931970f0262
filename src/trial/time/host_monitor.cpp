#include <sched.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <iterator>
#include <string>

#include "trial/time/cpu_load.h"
#include "trial/time/device_monitor.h"

namespace autokernel::trial {
namespace {

namespace fs = std::filesystem;

[[nodiscard]] std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Those this process may run on: who works on others does not disturb it. All of them, where there
// are more than the set has room for.
class OurCpus {
 public:
  [[nodiscard]] bool operator()(std::size_t cpu) const {
    return !known_ || (cpu < CPU_SETSIZE && CPU_ISSET(cpu, &cpus_));
  }

 private:
  cpu_set_t cpus_{};
  bool known_ = ::sched_getaffinity(0, sizeof cpus_, &cpus_) == 0;
};

// Of a process, all its threads; 0 of one that is gone.
[[nodiscard]] double ticks_of(pid_t process) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(process, &clock) != 0) return 0;
  if (::clock_gettime(clock, &used) != 0) return 0;
  constexpr double kNanosecondsPerSecond = 1e9;
  const double seconds =
      static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / kNanosecondsPerSecond;
  return seconds * static_cast<double>(::sysconf(_SC_CLK_TCK));
}

class HostWatch : public DeviceMonitor {
 public:
  HostWatch(std::vector<pid_t> ours, fs::path root)
      : root_(std::move(root)), processes_(std::move(ours)) {
    processes_.push_back(::getpid());
    own_before_ = own_ticks();
  }

  [[nodiscard]] Conditions conditions() const override {
    Conditions conditions;
    if (const auto now = ticks(); before_ && now) {
      conditions.others_cpu_share = share_of_others(*before_, *now, own_ticks() - own_before_);
    }
    // All processors of a machine have the same, unless somebody took trouble.
    const fs::path policy = root_ / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
    const std::string governor = text_of(policy);
    if (!governor.empty()) conditions.governor = governor.substr(0, governor.find('\n'));
    return conditions;
  }

 private:
  [[nodiscard]] std::optional<CpuTicks> ticks() const {
    return cpu_ticks(text_of(root_ / "proc/stat"), ours_);
  }

  // What they use is the kernel's work and ours around it.
  [[nodiscard]] double own_ticks() const {
    double sum = 0;
    for (const pid_t process : processes_) sum += ticks_of(process);
    return sum;
  }

  fs::path root_;
  std::vector<pid_t> processes_;
  OurCpus ours_;
  std::optional<CpuTicks> before_ = ticks();
  double own_before_ = 0;
};

}  // namespace

std::unique_ptr<DeviceMonitor> monitor_host(std::vector<pid_t> ours, const fs::path& root) {
  return std::make_unique<HostWatch>(std::move(ours), root);
}

}  // namespace autokernel::trial
