#include "cli/loop/parallel_options.h"

#include <algorithm>

#include "cli/device_list.h"
#include "cli/required_device.h"

namespace autokernel::cli {
namespace {

// More processes than a machine has processors for, and more worktrees than anyone looks through.
constexpr int kMostAgents = 256;

}  // namespace

void ParallelChoice::declare(Options options) {
  options
      .add_option("--parallel", agents,
                  "Have N agents work at a time, each in a worktree of its own [1, or one for each "
                  "of --devices]")
      .type_name("N")
      .within(1, kMostAgents);
  options
      .add_option("--devices", devices,
                  "Devices of one kind, with commas between, that the agents have in turn [the "
                  "run's]")
      .type_name("DEVICES");
  options
      .add_option("--strategy", strategy,
                  "Where agents start from: climb (the best), islands, or tournament")
      .one_of({loop::kStrategies.begin(), loop::kStrategies.end()})
      .tells_default();
}

loop::ParallelOptions ParallelChoice::options(const loop::DriveOptions& drive,
                                              std::vector<std::string> process) const {
  loop::ParallelOptions parallel;
  parallel.drive = drive;
  if (devices) parallel.devices = devices_in(*devices);
  for (const driver::DeviceChoice& device : parallel.devices)
    if (device.place.empty()) require_device(device);
  parallel.agents = agents ? static_cast<std::size_t>(*agents) : parallel.devices.size();
  parallel.strategy = static_cast<loop::StrategyKind>(
      std::ranges::find(loop::kStrategies, strategy) - loop::kStrategies.begin());
  parallel.process = std::move(process);
  return parallel;
}

}  // namespace autokernel::cli
