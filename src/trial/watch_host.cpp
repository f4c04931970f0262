#include <unistd.h>

#include <ctime>
#include <fstream>
#include <string>

#include "trial/cpu_load.h"
#include "trial/watch.h"

namespace autokernel::trial {
namespace {

namespace fs = std::filesystem;

[[nodiscard]] std::string first_line(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

// Of this process, all its threads: what it uses is the kernel's work and ours around it.
[[nodiscard]] double own_ticks() {
  timespec used{};
  if (::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) return 0;
  constexpr double kNanosecondsPerSecond = 1e9;
  const double seconds =
      static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / kNanosecondsPerSecond;
  return seconds * static_cast<double>(::sysconf(_SC_CLK_TCK));
}

class HostWatch : public Watch {
 public:
  explicit HostWatch(fs::path root) : root_(std::move(root)) {}

  [[nodiscard]] Conditions conditions() const override {
    Conditions conditions;
    if (const auto now = ticks(); before_ && now) {
      conditions.others_cpu_share = share_of_others(*before_, *now, own_ticks() - own_before_);
    }
    // All processors of a machine have the same, unless somebody took trouble.
    const fs::path policy = root_ / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
    if (std::string governor = first_line(policy); !governor.empty()) {
      conditions.governor = std::move(governor);
    }
    return conditions;
  }

 private:
  [[nodiscard]] std::optional<CpuTicks> ticks() const {
    return cpu_ticks(first_line(root_ / "proc/stat") + "\n");
  }

  fs::path root_;
  std::optional<CpuTicks> before_ = ticks();
  double own_before_ = own_ticks();
};

}  // namespace

std::unique_ptr<Watch> watch_host(const fs::path& root) {
  return std::make_unique<HostWatch>(root);
}

}  // namespace autokernel::trial
