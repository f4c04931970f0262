// A user's repository without a case, or a folder without a repository, for the commands that make,
// show and examine cases.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/scratch_repository.h"

namespace autokernel::test {

class AuthoringWorkplace : public testing::Test {
 protected:
  AuthoringWorkplace();

  [[nodiscard]] Invocation autokernel(const std::vector<std::string>& arguments) const;
  // `autokernel ...` in the repository, or in another folder.
  [[nodiscard]] Outcome run_autokernel(const std::vector<std::string>& arguments) const {
    return run_in(repository_.root(), arguments);
  }
  [[nodiscard]] Outcome run_in(const std::filesystem::path& folder,
                               const std::vector<std::string>& arguments) const;
  // In the repository, with more variables.
  [[nodiscard]] Outcome run_with(const std::map<std::string, std::string>& variables,
                                 const std::vector<std::string>& arguments) const;
  // The same for what must succeed; its standard output.
  // NOLINTNEXTLINE(modernize-use-nodiscard): mostly for what it does
  std::string done(const std::vector<std::string>& arguments) const;
  // Exit code `code`, nothing on standard output, one line on standard error with these words.
  void expect_refused(const std::vector<std::string>& arguments, int code,
                      const std::string& words) const;
  // All files of the repository but git's own, with what they hold, or where they lead.
  [[nodiscard]] std::map<std::string, std::string> files() const;

  ScratchRepository repository_;
};

}  // namespace autokernel::test
