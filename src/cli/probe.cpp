// `autokernel probe`, which no user calls: a child of doctor's that finds out one thing, and may
// hang or crash over it.
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>

#include "autokernel/base/error.h"
#include "cli/commands.h"
#include "cli/doctor/facts_message.h"
#include "cli/doctor/host_facts.h"
#include "cli/parent_channel.h"

namespace autokernel::cli {
namespace {

// Writes one answer to descriptor 3 (cli/doctor/facts_message.h).
class Probe : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "probe"; }
  [[nodiscard]] std::string summary() const override { return {}; }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  std::string part_;    // doctor::Part's spelling
  std::string device_;  // for the parts that need one
};

using doctor::Asked;

// A probe's answer as a line; what was thrown on the way is its trouble.
template <typename Look>
[[nodiscard]] std::string line(Look look) {
  Asked<decltype(look())> asked;
  try {
    asked.answer = look();
  } catch (const std::exception& error) {
    asked.trouble = error.what();
  }
  return encode(asked);
}

[[nodiscard]] doctor::Watched watch() {
  doctor::Watched watched;
  const auto telemetry = driver::Telemetry::open(watched.trouble);
  if (!telemetry) return watched;
  watched.driver_version = telemetry->driver_version();
  for (const driver::GpuIdentity& gpu : telemetry->gpus()) {
    watched.gpus.push_back({gpu, telemetry->state(gpu.index), telemetry->settings(gpu.index),
                            telemetry->processes(gpu.index)});
  }
  return watched;
}

[[nodiscard]] std::string look(const std::string& part, const std::string& device) {
  if (part == "cuda") return line([] { return driver::survey(); });
  if (part == "telemetry") return line(watch);
  if (part == "compiler") return line(trial::try_compiler);
  if (part == "device") {
    return line([&] { return trial::try_device(driver::parse_device(device)); });
  }
  if (part == "library") {
    return line([&] { return doctor::Library{trial::try_library(driver::parse_device(device))}; });
  }
  if (part == "host") {
    return line([] { return doctor::host_facts(std::filesystem::current_path()); });
  }
  throw Error(Stop::internal, "unknown probe '" + part + "'");
}

}  // namespace

void Probe::declare(Options options) {
  options.add_option("part", part_);
  options.add_option("device", device_);
}

int Probe::run(const Console& /*console*/) {
  const Descriptor channel = parent_channel("probe", "doctor");
  send(channel, look(part_, device_));
  return 0;
}

std::unique_ptr<Command> probe_command() { return std::make_unique<Probe>(); }

}  // namespace autokernel::cli
