// Several agents at a time, each in a worktree of its own and measured on a device of its own, by
// one record (Loop::drive_parallel).
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autokernel/loop/drive.h"
#include "autokernel/loop/loop.h"

namespace autokernel::loop {

enum class StrategyKind : std::uint8_t { climb, islands, tournament };
inline constexpr std::array<std::string_view, 3> kStrategies = {"climb", "islands", "tournament"};

struct ParallelOptions {
  DriveOptions drive;
  std::size_t agents = 2;
  // The agents have them in turn. All must be of the run's kind. Empty: that of the run alone.
  std::vector<trial::DeviceChoice> devices;
  StrategyKind strategy = StrategyKind::climb;
  // How the process of an agent is started: the program's arguments, to which --number and --device
  // are added. It calls run_agent_process().
  std::vector<std::string> process;
};

struct ParallelObserver {
  // With the agent's number, from 1.
  std::function<void(std::size_t agent, const Step&)> stepped;
  std::function<void(std::size_t agent, const ledger::Turn&)> in_vain;
  // How many agents edit, and how many edits are measured.
  std::function<void(std::size_t editing, std::size_t measured, std::chrono::duration<double>)>
      goes_on;
};

struct AgentProcessOptions {
  std::string agent;
  double agent_seconds = 1800;
  bool simpler = false;
  std::size_t number = 1;  // of the agent
  trial::DeviceChoice device;
};

// The process of one agent: takes orders on standard input and reports on descriptor `messages`,
// until the input ends. Writes nothing into the record of the run, nor into its worktree. Returns
// the exit code.
[[nodiscard]] int run_agent_process(const AgentProcessOptions& options, LoopContext context,
                                    int messages);

}  // namespace autokernel::loop
