#include "cli/required_device.h"

#include <fmt/format.h>

#include <string>

#include "autokernel/base/error.h"
#include "autokernel/driver/survey.h"

namespace autokernel::cli {

void require_device(const driver::DeviceChoice& choice) {
  if (!choice.place.empty()) {
    throw Error(Stop::usage, fmt::format("cannot run the program on {}: it runs on this machine",
                                         driver::spelling(choice)));
  }
  if (choice.kind != driver::DeviceChoice::Kind::cuda) return;
  const driver::Survey survey = driver::survey();
  if (static_cast<std::size_t>(choice.ordinal) < survey.gpus.size()) return;
  const std::string why =
      survey.gpus.empty()
          ? "there is no GPU here" + (survey.trouble.empty() ? "" : ": " + survey.trouble)
          : fmt::format("GPUs are counted from 0, and the last one here is {}",
                        survey.gpus.size() - 1);
  throw Error(
      Stop::environment,
      fmt::format("cannot run the program on {}: {}; --device cpu takes the emulated device",
                  driver::spelling(choice), why));
}

bool runs_emulated(const driver::DeviceChoice& choice) {
  using Kind = driver::DeviceChoice::Kind;
  return choice.kind == Kind::cpu ||
         (choice.kind == Kind::automatic && driver::survey().gpus.empty());
}

}  // namespace autokernel::cli
