#include "cli/loop/parking.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/visible_text.h"

namespace autokernel::cli {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// A machine that comes back is not left idle for longer.
constexpr double kLongestPause = 15 * 60;
constexpr double kParkingHour = 3600;
constexpr double kSecondsPerMinute = 60;
constexpr std::chrono::milliseconds kInterval{1000};

[[nodiscard]] std::string utc_now() {
  return fmt::format(
      "{:%Y-%m-%d %H:%M} UTC",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

// Whether that process is one of this program: a number is given again after a reboot.
[[nodiscard]] bool is_running(const std::string& process) {
  if (process.empty() || process.find_first_not_of("0123456789") != std::string::npos) return false;
  std::error_code gone;
  const auto program = std::filesystem::read_symlink("/proc/" + process + "/exe", gone);
  const auto own = std::filesystem::read_symlink("/proc/self/exe", gone);
  return !gone && program.filename() == own.filename();
}

[[nodiscard]] std::string minutes(double seconds) {
  return seconds < 2 * kSecondsPerMinute ? fmt::format("{:.0f} s", seconds)
                                         : fmt::format("{:.0f} min", seconds / kSecondsPerMinute);
}

}  // namespace

Trouble trouble_of(const std::string& failure, bool of_agent) {
  if (of_agent) {
    return {.what = failure,
            .advice = "look at the agent's output; renew its key or its credit, or start another"};
  }
  struct Sign {
    const char* word;
    const char* advice;
  };
  constexpr std::array<Sign, 10> kSigns = {{
      {"No space left", "free space on that disk"},
      {"Disk quota", "free space, or raise the quota"},
      {"Read-only file system", "look at the system's log: the disk may be failing"},
      {"ECC", "'nvidia-smi -q -d ECC' shows the errors; reset the GPU, or reboot"},
      {"CUDA_ERROR_DEVICE_UNAVAILABLE", "end what else uses the GPU, or wait for it"},
      {"CUDA_ERROR_NO_DEVICE",
       "'nvidia-smi' and the system's log (Xid) say whether the GPU has "
       "gone; reset it, or reboot"},
      {"NVML", "'nvidia-smi' says whether driver and GPU are there; reset the GPU, or reboot"},
      {"CUDA_ERROR", "the system's log says more (Xid); reset the GPU, or reboot"},
      {"cannot measure at", "see whether that machine can be reached"},
      {"the judge at", "see whether the judge runs, and can be reached"},
  }};
  for (const auto& [word, advice] : kSigns)
    if (failure.find(word) != std::string::npos) return {.what = failure, .advice = advice};
  return {.what = failure, .advice = "'autokernel doctor' checks the machine"};
}

Parking::Parking(const ParkingOptions& options, std::filesystem::path file)
    : options_(options), file_(std::move(file)) {
  remove_note();
}

void Parking::remove_note() const {
  std::error_code gone;
  std::filesystem::remove(file_, gone);
}

bool Parking::wait(const Trouble& trouble, const Interrupts& interrupts,
                   const std::function<void(const std::string&)>& told) {
  if (options_.most_hours <= 0) return false;
  if (pauses_.empty() || pauses_.back().is_over)
    pauses_.push_back({.from = utc_now(), .why = trouble.what});
  Pause& pause = pauses_.back();
  const double left = options_.most_hours * kParkingHour - pause.seconds;
  if (left <= 0) return false;
  const double longer = options_.first_seconds * std::exp2(std::min(pause.tries, 20));
  const double length = std::min({left, longer, kLongestPause});
  const std::string note =
      fmt::format("since {}: {}; what to do: {}; the next try is in {}", pause.from,
                  visible_line(trouble.what), trouble.advice, minutes(length));
  if (pause.tries == 0) told("parked " + note);
  try {
    write_file_atomically(file_, fmt::format("{}\n{}\n", ::getpid(), note), Sync::no);
  } catch (const Error& error) {
    // The disk may be what is in the way.
    if (pause.tries == 0) told(error.what());
  }
  const auto begun = Clock::now();
  while (Seconds(Clock::now() - begun).count() < length) {
    pollfd watched{interrupts.descriptor(), POLLIN, 0};
    const double rest = length - Seconds(Clock::now() - begun).count();
    ::poll(&watched, 1,
           static_cast<int>(
               std::min(1000.0 * std::max(rest, 0.0) + 1, static_cast<double>(kInterval.count()))));
    if (const auto signal = interrupts.next()) {
      remove_note();
      throw Interrupted(*signal);
    }
  }
  ++pause.tries;
  pause.seconds += Seconds(Clock::now() - begun).count();
  remove_note();
  return true;
}

void Parking::went_on() {
  if (!pauses_.empty()) pauses_.back().is_over = true;
}

std::string Parking::report() const {
  std::string text;
  for (const Pause& pause : pauses_) {
    text += fmt::format("parked from {} for {}, {} {}{}: {}\n", pause.from, minutes(pause.seconds),
                        pause.tries, pause.tries == 1 ? "try" : "tries",
                        pause.is_over ? "" : ", and it did not go on", visible_line(pause.why));
  }
  return text;
}

std::string parked_note(const std::filesystem::path& file) {
  try {
    std::error_code missing;
    if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(file, missing)))
      return {};
    const std::string text = read_file(file, "why the run waits");
    const std::size_t end = text.find('\n');
    if (end == std::string::npos || !is_running(text.substr(0, end))) return {};
    std::string note = visible_line(text.substr(end + 1));
    note.erase(note.find_last_not_of(' ') + 1);
    return note;
  } catch (const Error&) {
    return {};
  }
}

}  // namespace autokernel::cli
