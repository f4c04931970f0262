// One run of a program, as it is or with kernels replaced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/base/interrupts.h"
#include "autokernel/base/process.h"
#include "autokernel/base/scratch.h"
#include "autokernel/driver/device_choice.h"
#include "autokernel/programs/replaced_launches.h"

namespace autokernel::programs {

// Which kernels are replaced, and how.
struct Replacing {
  std::filesystem::path folder;  // of the list
  std::size_t count = 0;         // of kernels in it
  std::vector<std::size_t> only;
  bool products = false;
  bool in_graphs = true;
  bool checks = false;  // results are compared with the original's, at random launches
  // Not empty: of one launch of each kernel alone, drawn from so many.
  std::vector<std::uint64_t> spots;
};

struct ProgramRun {
  std::optional<Ending> ending;   // none: its time was up
  std::string output;             // of what it printed, the beginning and the end
  std::uint64_t output_hash = 0;  // of all of it
  double seconds = 0;             // from its start to its end
  ProgramLaunches launches;       // where kernels were replaced
};

// How to start a program on a device.
class ProgramStart {
 public:
  // Throws Error(usage) and Error(environment) as record() does.
  ProgramStart(const std::vector<std::string>& command, const driver::DeviceChoice& device);

  // What to run; `tallies` is a folder for what is counted.
  [[nodiscard]] Command as_it_is() const { return plain_; }
  [[nodiscard]] Command replaced(const Replacing& replacing,
                                 const std::filesystem::path& tallies) const;

 private:
  ScratchDirectory scratch_;
  Command plain_;
  std::filesystem::path driver_;  // to which ours forwards
};

// The last line of what a program printed, for a message.
[[nodiscard]] std::string last_line(const std::string& output);

// Runs it without a terminal and without input. Throws Interrupted.
[[nodiscard]] ProgramRun run_program(const ProgramStart& start, const Replacing* replacing,
                                     double patience_seconds, const Interrupts& interrupts);

}  // namespace autokernel::programs
