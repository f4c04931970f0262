// What `loop run` was asked for, written down while it is at it: where the machine is rebooted in
// the middle, `loop run --resume` goes on with what is left.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "autokernel/loop/drive.h"

namespace autokernel::cli {

struct UnfinishedDrive {
  std::string tag;  // of the run
  loop::DriveOptions drive;
  std::optional<int> agents;  // several at a time
  std::optional<std::string> devices;
  std::string strategy;
  std::string hidden_sizes;  // a file
  std::optional<double> timeout;
  double park_hours = 0;
  double park_retry_seconds = 0;
  // When it began, and how many experiments the run had then.
  double begun = 0;  // seconds since 1970
  int experiments = 0;
};

// Nothing is left to resume.
void remove_unfinished(const std::filesystem::path& file);
void write_unfinished(const std::filesystem::path& file, const UnfinishedDrive& drive);
// None where there is no such file. Throws Error(usage) for one that makes no sense, and for one
// that nobody on this machine has written so: it holds a command.
[[nodiscard]] std::optional<UnfinishedDrive> read_unfinished(const std::filesystem::path& file);

// The bounds that are left of it, at that time, with so many experiments in the run. A bound that
// is used up is 0.
[[nodiscard]] ledger::Budget rest_of(const UnfinishedDrive& drive, double now, int experiments);

}  // namespace autokernel::cli
