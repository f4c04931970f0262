// How a program is started at a place (driver::DeviceChoice).
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace autokernel::trial {

struct PlaceCommand {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  // There may be a queue before it, as long as it takes.
  bool is_queued = false;
  // How often a trial is made again whose connection was lost.
  int repetitions = 1;
  // How long it is given to end by itself, once nothing more comes from here.
  std::chrono::milliseconds patience{0};
};

// The command that starts `autokernel relay` there, which talks on its standard input and output.
//   ssh       asks no questions, and keeps its connection for ten minutes, for the next command
//   slurm     a job of srun, or a step of the job that this program is part of
//   launcher  the user's command, with the words of a shell behind it
//   here      this program itself
// Throws Error(environment) where what it needs is not here, and Error(usage) for a place that this
// user has not named (known_places.h).
[[nodiscard]] PlaceCommand command_at(const std::string& place);

// A command line of a shell at an ssh place.
[[nodiscard]] PlaceCommand ssh_command(const std::string& place, const std::string& line);

}  // namespace autokernel::trial
