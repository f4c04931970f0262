// `autokernel doctor`: what this machine has, what is missing, and the command that fixes it.
#include <string>

#include "autokernel/base/error.h"
#include "cli/commands.h"
#include "cli/doctor/examination.h"
#include "cli/doctor/report.h"
#include "cli/shared_options.h"

namespace autokernel::cli {
namespace {

class Doctor : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "doctor"; }
  [[nodiscard]] std::string summary() const override {
    return "Check this machine, and say how to fix what is missing or wrong";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  std::string device_ = "auto";
  bool json_ = false;
  int timeout_seconds_ = 30;
};

constexpr const char* kDoctorExamples = R"(Examples:
  autokernel doctor
  autokernel doctor --device cuda:1
  autokernel doctor --json | jq -r '.checks[] | select(.status != "ok") | .fix'

Each line says ok, missing or wrong, and what was found; what is missing or wrong is followed by
the command that fixes it. Nothing is changed. A check that does not answer before its deadline is
wrong.
Exit codes: 0 bench can run on the requested device, 3 it cannot; 2 usage.)";

// As for bench: long enough for anything, short enough to be counted in milliseconds.
constexpr int kLongestDoctorTimeout = 86400;

}  // namespace

void Doctor::declare(Options options) {
  options.footer(kDoctorExamples);
  add_device(options, device_);
  options.add_flag("--json", json_, "Print one JSON object instead of lines");
  // A driver that is not kept loaded takes seconds to start, with eight GPUs about twenty.
  options.add_option("--timeout", timeout_seconds_, "Deadline for each check")
      .type_name("SECONDS")
      .tells_default();
}

int Doctor::run(const Console& console) {
  const driver::DeviceChoice device = driver::parse_device(device_);
  if (!device.place.empty())
    throw Error(Stop::usage, "doctor checks this machine; run it on the other one");
  if (timeout_seconds_ < 1 || timeout_seconds_ > kLongestDoctorTimeout) {
    throw Error(Stop::usage, "--timeout takes whole seconds, from 1 to 86400");
  }
  const doctor::Facts facts = doctor::examine(device, std::chrono::seconds(timeout_seconds_));
  const doctor::Lines lines = doctor::check(facts);
  console.out << (json_ ? doctor::json_report(facts, lines) : doctor::text_report(facts, lines));
  return doctor::can_bench(lines) ? 0 : static_cast<int>(Stop::environment);
}

std::unique_ptr<Command> doctor_command() { return std::make_unique<Doctor>(); }

}  // namespace autokernel::cli
