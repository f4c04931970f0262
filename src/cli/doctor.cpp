#include "cli/doctor.h"

#include "autokernel/base/error.h"
#include "cli/doctor/examination.h"
#include "cli/doctor/report.h"
#include "cli/shared_options.h"

namespace autokernel::cli {
namespace {

constexpr const char* kDoctorExamples = R"(Examples:
  autokernel doctor
  autokernel doctor --device cuda:1
  autokernel doctor --json | jq -r '.checks[] | select(.status != "ok") | .fix'

Each line is ok, missing or wrong, then what was found; below the last two stands the command that
mends it. Nothing is changed, and no check can hang: what does not answer in time is wrong.
Exit codes: 0 bench can run on the device asked for, 3 it cannot; 2 usage.)";

// As for bench: long enough for anything, short enough to be counted in milliseconds.
constexpr int kLongestTimeout = 86400;

}  // namespace

void Doctor::declare(Options options) {
  options.footer(kDoctorExamples);
  add_device(options, device_);
  options.add_flag("--json", json_, "Print one JSON object instead of lines");
  // A driver that is not kept loaded takes seconds to start, with eight GPUs about twenty.
  options.add_option("--timeout", timeout_seconds_, "Most time for a look at any one thing")
      .type_name("SECONDS")
      .tells_default();
}

int Doctor::run(const Console& console) {
  const driver::DeviceChoice device = driver::parse_device(device_);
  if (timeout_seconds_ < 1 || timeout_seconds_ > kLongestTimeout) {
    throw Error(Stop::usage, "--timeout takes whole seconds, at least 1 and at most 86400");
  }
  const doctor::Facts facts = doctor::examine(device, std::chrono::seconds(timeout_seconds_));
  const doctor::Lines lines = doctor::check(facts);
  console.out << (json_ ? doctor::json_report(facts, lines) : doctor::text_report(facts, lines));
  return doctor::can_bench(lines) ? 0 : static_cast<int>(Stop::environment);
}

}  // namespace autokernel::cli
