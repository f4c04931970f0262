// How a program is started at a place (driver::DeviceChoice).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace autokernel::trial {

struct PlaceCommand {
  std::filesystem::path program;
  std::vector<std::string> arguments;
};

// The command that starts `autokernel relay` there, which talks on its standard input and output.
// ssh asks no questions, and keeps its connection for ten minutes, for the next command. Throws
// Error(environment) where there is no ssh here.
[[nodiscard]] PlaceCommand command_at(const std::string& place);

}  // namespace autokernel::trial
