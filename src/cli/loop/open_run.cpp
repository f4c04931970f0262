#include "cli/loop/open_run.h"

#include <filesystem>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/driver/device.h"
#include "cli/log_text.h"
#include "cli/noise_store.h"
#include "cli/option_values.h"
#include "cli/shared_options.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

// A kernel that hangs is found while it is checked, and costs a night that much each time.
constexpr double kCheckSeconds = 30;

// The folder that a run's case is in, whatever folder of the repository this is called from.
[[nodiscard]] bool names_case(const std::string& given, const std::string& remembered) {
  std::error_code unreadable;
  const fs::path folder = fs::weakly_canonical(given, unreadable);
  return folder == remembered || folder.string().ends_with("/" + remembered);
}

}  // namespace

void RememberedOptions::declare(Options options) {
  add_case(options, case_directory,
           "; remembered by the run (default at the start: ./kernels, or . if it has one)");
  place.declare(options, "; remembered by the run");
}

void RememberedOptions::require_same(const ledger::RunStarted& run) const {
  const auto refuse = [&](const std::string& option, const std::string& given,
                          const std::string& remembered) {
    throw Error(Stop::usage,
                "run " + run.tag + " was started with " + option + " " + remembered +
                    ", and times with " + given +
                    " are not comparable with them: omit the option, or start another run with it");
  };
  if (case_directory && !names_case(*case_directory, run.case_directory)) {
    refuse("--case", *case_directory, run.case_directory);
  }
  if (!place.are_given()) return;
  const std::string device = trial::spelling(place.choice());
  if (device != run.device) refuse("--device", device, run.device);
}

void HiddenSizesOption::declare(Options options) {
  options
      .add_option("--hidden-sizes", file,
                  "Keep only what is right at the [sizes.*] in FILE, too; the agent must not be "
                  "able to read it")
      .type_name("FILE");
}

void TimeoutOption::declare(Options options) {
  options
      .add_option("--timeout", seconds,
                  "Deadline for each of compile, check and time (default: 30, 30, 120)")
      .type_name("SECONDS");
}

trial::Limits TimeoutOption::limits() const {
  trial::Limits usual;
  usual.check_seconds = kCheckSeconds;
  return limits_with(seconds, usual);
}

loop::LoopContext speaking_on(const Console& console) {
  loop::LoopContext context;
  context.say = [&console](const std::string& line) {
    console.err << "autokernel: " << visible_text(line) << '\n';
  };
  return context;
}

Watching::Watching(const Console& console, Diagnostics::Level level, const trial::Limits& limits)
    : console_(&console),
      limits_(limits),
      diagnostics_(level),
      progress_(console.err, console.err_is_terminal && level == Diagnostics::Level::quiet
                                 ? Progress::Painting::on
                                 : Progress::Painting::off) {}

loop::LoopContext Watching::context() {
  loop::LoopContext context = speaking_on(*console_);
  context.plan = [](trial::Request& request) {
    if (request.incumbent) {
      request.noise = device_noise(known_noise(request.case_directory, request.size));
    }
  };
  context.log_text = log_text;
  // The running program, whatever lies in its place by now.
  context.harness = {"/proc/self/exe"};
  if (auto emulator = driver::emulator_file(); !emulator.empty()) {
    context.harness.push_back(std::move(emulator));
  }
  context.limits = limits_;
  context.observer.progress = [this](auto phase, auto elapsed) { progress_.show(phase, elapsed); };
  context.observer.note = [this](const std::string& line) { diagnostics_.note(line); };
  return context;
}

}  // namespace autokernel::cli
