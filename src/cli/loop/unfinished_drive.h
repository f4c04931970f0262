// What `loop run` was asked for, written down while it is at it: where the machine is rebooted in
// the middle, `loop run --resume` goes on with what is left.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "autokernel/loop/drive.h"
#include "cli/loop/open_run.h"
#include "cli/loop/parallel_options.h"
#include "cli/loop/parking.h"

namespace autokernel::cli {

// What `loop run` is asked for, but for what this user and this process alone have to do with.
struct DriveRequest {
  loop::DriveOptions drive = {};
  ParallelChoice parallel = {};
  HiddenSizesOption hidden_sizes = {};
  TimeoutOption timeout = {};
  ParkingOptions parking = {};
};

struct UnfinishedDrive {
  std::string tag = {};  // of the run
  DriveRequest asked = {};
  // When it began, and how many experiments the run had then.
  double begun = 0;  // seconds since 1970
  int experiments = 0;
};

// Nothing is left to resume.
void remove_unfinished(const std::filesystem::path& file);
void write_unfinished(const std::filesystem::path& file, const UnfinishedDrive& unfinished);
// None where there is no such file. Throws Error(usage) for one that makes no sense, and for one
// that nobody on this machine has written so: it holds a command.
[[nodiscard]] std::optional<UnfinishedDrive> read_unfinished(const std::filesystem::path& file);

// The bounds that are left of it, at that time, with so many experiments in the run. A bound that
// is used up is 0.
[[nodiscard]] ledger::Budget rest_of(const UnfinishedDrive& unfinished, double now,
                                     int experiments);

}  // namespace autokernel::cli
