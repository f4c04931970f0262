#include "trial/time/plausible_times.h"

#include <fmt/format.h>

#include "trial/decide/statistics.h"
#include "trial/time/peak.h"

namespace autokernel::trial {
namespace {

// What launches in a row may take by the host's clock beyond their time by events
// (docs/measurement.md).
constexpr double kRowFactor = 1.1;
constexpr double kRowMicrosecondsPerLaunch = 5;

// Event time stamps are written by the device that a candidate runs on; the host's clock is not.
std::optional<Rejection> differing_clocks(const Timed& timed) {
  if (!timed.host_row || !timed.warm_us) return std::nullopt;
  const HostRow& row = *timed.host_row;
  if (clocks_agree(row, *timed.warm_us)) return std::nullopt;
  return Rejection{Verdict::incorrect,
                   fmt::format("the device's time stamps do not hold: {} runs in a row took {:.3f} "
                               "us each by the host's clock, but {:.3f} us by events",
                               row.launches, row.microseconds, *timed.warm_us),
                   ""};
}

// Nothing computes faster than the device's rate, or reads and writes faster than its memory.
std::optional<Rejection> below_floor(const driver::DeviceInfo& device, const SizedCase& sized,
                                     const Timed& timed) {
  const double floor_us = floor_microseconds(device, sized);
  const double median_us = median(timed.samples_us);
  if (median_us >= floor_us) return std::nullopt;
  return Rejection{
      Verdict::incorrect,
      fmt::format("{:.3f} us is less than the {:.3f} us that this device needs at its "
                  "highest clock for the arithmetic and the memory traffic of the case",
                  median_us, floor_us),
      ""};
}

}  // namespace

bool clocks_agree(const HostRow& row, double warm_us) {
  return row.microseconds <= kRowFactor * warm_us + kRowMicrosecondsPerLaunch * row.queued;
}

std::optional<Rejection> implausible(const driver::DeviceInfo& device, const SizedCase& sized,
                                     const Timed& timed) {
  if (device.emulated) return std::nullopt;
  if (auto rejected = differing_clocks(timed)) return rejected;
  return below_floor(device, sized, timed);
}

}  // namespace autokernel::trial
