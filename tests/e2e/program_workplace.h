// A user's folder, from which programs are profiled on the emulated device and cases are made of
// their kernels.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/scratch_folder.h"

namespace autokernel::test {

using Words = std::vector<std::string>;

class ProgramWorkplace : public testing::Test {
 protected:
  ProgramWorkplace();

  // tests/e2e/programs/sample_model, with what else is to stand behind `--`.
  [[nodiscard]] static Words sample(const Words& arguments = {});
  // A whole command line as a shell has it.
  [[nodiscard]] static std::string line_of(const Words& command);
  // The program alone, as a user of the emulated device runs it.
  [[nodiscard]] Outcome run_alone(const Words& command) const;

  // `autokernel SUBCOMMAND OPTION... --device cpu -- PROGRAM...`, or without a program.
  [[nodiscard]] Invocation autokernel(const Words& arguments) const;
  [[nodiscard]] Invocation on_program(const std::string& subcommand, const Words& options,
                                      const Words& command) const;
  [[nodiscard]] Outcome profile(const Words& options, const Words& command) const;
  [[nodiscard]] Outcome extract(const Words& options, const Words& command) const;
  [[nodiscard]] Outcome bench(const std::filesystem::path& case_folder) const;
  // As `profile`; its JSON, which must be there. The exit code has to be that one.
  [[nodiscard]] nlohmann::json profile_json(const Words& options, const Words& command,
                                            int code = 0) const;

  [[nodiscard]] std::filesystem::path file(const std::string& name) const;
  [[nodiscard]] nlohmann::json json_in(const std::string& name) const;
  // What stands in the folder itself, without the programs' own cache and temporary folders.
  [[nodiscard]] Words listing() const;
  // No process is left that was started here, and no temporary file.
  void expect_nothing_left() const;
  // One line on standard error that says what is wrong, in these words among others.
  static void expect_refusal(const Outcome& run, int code, const std::string& words);
  // The same where the program was not even started.
  static void expect_early_refusal(const Outcome& run, int code, const std::string& words);

  ScratchFolder scratch_;
};

// The same with a profile of the sample.
class ExtractionWorkplace : public ProgramWorkplace {
 protected:
  ExtractionWorkplace();

  // A case of that kernel of the sample, in cases/.
  [[nodiscard]] std::filesystem::path extracted(const std::string& kernel,
                                                const Words& more = {}) const;
  // Measures the case with that kernel in the place of the captured one.
  [[nodiscard]] Outcome bench_with(const std::filesystem::path& folder, const std::string& launch,
                                   const std::string& kernel) const;
  static void expect_verdict(const Outcome& benched, const std::string& verdict);
};

// The line "checksum ..." of the sample; empty where it has printed none.
[[nodiscard]] std::string checksum_in(const std::string& output);

}  // namespace autokernel::test
