// A run of recorded_program, and what its record says.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/scratch_folder.h"

namespace autokernel::test {

using Fields = std::vector<std::string>;

// The lines of one file, its header first.
struct RecordLines {
  std::filesystem::path path;
  std::string bytes;
  std::vector<Fields> lines;

  // Those that begin with the letter, in their order.
  [[nodiscard]] std::vector<Fields> of(const std::string& letter) const;
};

class Recorded {
 public:
  // Runs the steps with all three doors open; `environment` comes on top.
  [[nodiscard]] Outcome play(const std::vector<std::string>& steps,
                             const std::map<std::string, std::string>& environment = {});
  // Starts them only.
  [[nodiscard]] RunningProgram started(const std::vector<std::string>& steps,
                                       const std::map<std::string, std::string>& environment = {});

  // The files of a kind, "gpu" or "program", in the order of their processes.
  [[nodiscard]] std::vector<RecordLines> files(const std::string& kind) const;
  // The only one; a test that finds none or several fails.
  [[nodiscard]] RecordLines file(const std::string& kind) const;
  [[nodiscard]] const std::filesystem::path& folder() const { return records_; }

 private:
  [[nodiscard]] Invocation invocation(const std::vector<std::string>& steps,
                                      const std::map<std::string, std::string>& environment) const;

  ScratchFolder scratch_;
  std::filesystem::path records_ = scratch_.folder("records");
};

// What loads our library before the program's own, so that it stands in front of cuBLAS.
[[nodiscard]] std::map<std::string, std::string> preloaded();

}  // namespace autokernel::test
