#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "trial/time/device_monitor.h"

namespace autokernel::trial {
namespace {

using driver::Throttle;
using std::chrono::milliseconds;

// What makes a time void. The power cap is none of it: a kernel that works the GPU hard enough
// meets it each time, and its clock is then what that kernel gets. Nor are clocks that somebody has
// set.
constexpr std::uint64_t kSlowedDown = Throttle::kHeatBySoftware | Throttle::kHeatByHardware |
                                      Throttle::kPowerBrake | Throttle::kHardware;

// A GPU cools within seconds, once there is nothing to do. So long it rests before a launch is
// repeated, which is too short for the clocks to fall by idleness (gpu_stopwatch.cpp), and so often
// in a trial: two seconds in all, after which it is not a moment's heat.
constexpr milliseconds kRest{50};
constexpr int kMostRedone = 40;

// NVML answers within microseconds, and is open within a second or, where nothing keeps the GPUs of
// a big machine awake, within ten. What takes longer hangs. The second limit is below every
// deadline of a phase that makes sense, so that the kernel which is being timed is not taken for
// the cause.
constexpr milliseconds kLongestOpening{30'000};
constexpr milliseconds kLongestQuery{2000};

void widen(std::optional<Range>& range, const std::optional<unsigned>& reading) {
  if (!reading) return;
  const double value = *reading;
  range = range ? Range{std::min(range->low, value), std::max(range->high, value)}
                : Range{value, value};
}

template <typename Value, typename Reading>
void raise(std::optional<Value>& highest, const std::optional<Reading>& reading) {
  if (!reading) return;
  const auto value = static_cast<Value>(*reading);
  highest = std::max(highest.value_or(value), value);
}

// Without us. In a container NVML may know us by other numbers.
[[nodiscard]] int others_in(const std::vector<driver::GpuProcess>& processes,
                            const std::vector<pid_t>& ours) {
  const auto others = std::ranges::count_if(processes, [&](const driver::GpuProcess& process) {
    return std::ranges::none_of(
        ours, [&](pid_t own) { return process.id == static_cast<unsigned>(own); });
  });
  const bool listed = std::cmp_less(others, processes.size());
  const auto unlisted = listed ? 0 : static_cast<std::ptrdiff_t>(ours.size());
  return static_cast<int>(std::max<std::ptrdiff_t>(0, others - unlisted));
}

class GpuWatch : public DeviceMonitor {
 public:
  GpuWatch(GpuReadings readings, std::vector<pid_t> ours)
      : readings_(std::move(readings)), ours_(std::move(ours)) {
    ours_.push_back(::getpid());
  }

  // On an H200 it takes 0.3 ms, on an H100 0.9.
  void look() override {
    if (readings_.look) seen_ = readings_.look();
  }
  [[nodiscard]] Sample after_sample(Again again) override {
    if (!readings_.look) return Sample::counts;
    if (!seen_) look();
    const auto [state, processes] = std::exchange(seen_, {})();
    note(state);
    if (processes)
      raise(conditions_.other_programs, std::optional<int>(others_in(*processes, ours_)));
    ++samples_;
    const std::uint64_t reasons = state.throttle_reasons.value_or(0) & kSlowedDown;
    if (reasons == 0) return Sample::counts;
    if (again == Again::possible && conditions_.samples_redone < kMostRedone) {
      ++conditions_.samples_redone;
      readings_.rest(kRest);
      return Sample::is_void;
    }
    ++slowed_;
    why_ |= reasons;
    return Sample::counts;
  }

  [[nodiscard]] Conditions conditions() const override {
    Conditions conditions = conditions_;
    if (slowed_ > 0) {
      conditions.unclean =
          fmt::format("the GPU was slowed down in {} of {} timed launches: {}", slowed_,
                      samples_ - conditions.samples_redone, driver::throttle_words(why_));
    }
    return conditions;
  }

 private:
  void note(const driver::GpuState& state) {
    widen(conditions_.sm_clock_mhz, state.sm_clock_mhz);
    widen(conditions_.memory_clock_mhz, state.memory_clock_mhz);
    raise(conditions_.highest_celsius, state.celsius);
    raise(conditions_.highest_watts, state.power_watts);
    if (state.throttle_reasons) {
      conditions_.throttle_reasons =
          conditions_.throttle_reasons.value_or(0) | *state.throttle_reasons;
    }
  }

  GpuReadings readings_;
  std::function<GpuReading()> seen_;  // at the look that was begun, if any
  std::vector<pid_t> ours_;
  Conditions conditions_;
  int samples_ = 0;  // the void ones among them
  int slowed_ = 0;   // of those that count
  std::uint64_t why_ = 0;
};

}  // namespace

std::unique_ptr<DeviceMonitor> monitor_gpu(GpuReadings readings, std::vector<pid_t> ours) {
  return std::make_unique<GpuWatch>(std::move(readings), std::move(ours));
}

struct NvmlOpening::Gpu {
  driver::Telemetry telemetry;
  unsigned index;
};

NvmlOpening::NvmlOpening(const driver::DeviceInfo& gpu)
    : queries_(std::make_shared<QueryThread>("NVML")),
      opened_(queries_->ask([address = gpu.address]() -> std::shared_ptr<const Gpu> {
        std::string why;
        auto telemetry = driver::Telemetry::open(why);
        if (!telemetry) return nullptr;
        for (const driver::GpuIdentity& identity : telemetry->gpus()) {
          if (!driver::same_pci_address(identity.pci_bus_id, address)) continue;
          return std::make_shared<const Gpu>(Gpu{*std::move(telemetry), identity.index});
        }
        return nullptr;
      })) {}

GpuReadings NvmlOpening::readings() && {
  const std::shared_ptr<const Gpu> gpu = queries_->answer(std::move(opened_), kLongestOpening);
  if (!gpu) return {};
  const auto look = [gpu] {
    return GpuReading{gpu->telemetry.state(gpu->index), gpu->telemetry.processes(gpu->index)};
  };
  return {.look =
              [look, queries = std::move(queries_)] {
                auto asked = std::make_shared<std::future<GpuReading>>(queries->ask(look));
                return
                    [asked, queries] { return queries->answer(std::move(*asked), kLongestQuery); };
              },
          .rest = [](milliseconds time) { std::this_thread::sleep_for(time); }};
}

}  // namespace autokernel::trial
