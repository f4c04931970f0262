// A git repository of its own for a test, made and looked at by git itself, and untouched by the
// settings of whoever runs the test.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/program.h"
#include "support/scratch_folder.h"

namespace autokernel::test {

// Environment variables of this process as long as it lives; no value: not set at all.
class ScopedEnvironment {
 public:
  using Variables = std::map<std::string, std::optional<std::string>>;
  explicit ScopedEnvironment(const Variables& variables);
  ScopedEnvironment(const ScopedEnvironment&) = delete;
  ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;
  ScopedEnvironment(ScopedEnvironment&&) = delete;
  ScopedEnvironment& operator=(ScopedEnvironment&&) = delete;
  ~ScopedEnvironment();

 private:
  Variables before_;
};

// On branch main, without a commit, with a user.name. While it lives, this process has its HOME as
// well, so that libgit2 within a test sees no other settings than git does.
class ScratchRepository {
 public:
  // The options go to `git init`.
  explicit ScratchRepository(const std::vector<std::string>& options = {});

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  // A folder beside the repository, for worktrees and clones.
  [[nodiscard]] std::filesystem::path beside(const std::string& name) const;
  // For a program that a test runs here.
  [[nodiscard]] std::map<std::string, std::string> environment() const;

  // What `git ARGUMENTS` prints in the root. The test fails where git does.
  template <typename... Arguments>
  // NOLINTNEXTLINE(modernize-use-nodiscard): most calls are for what they change
  std::string git(const Arguments&... arguments) const {
    return git_in(root_, {std::string(arguments)...});
  }
  // The same without the line end, for what is one line.
  template <typename... Arguments>
  [[nodiscard]] std::string line(const Arguments&... arguments) const {
    return without_line_end(git_in(root_, {std::string(arguments)...}));
  }
  // NOLINTNEXTLINE(modernize-use-nodiscard): the same
  std::string git_in(const std::filesystem::path& folder,
                     const std::vector<std::string>& arguments) const;
  // The same for what may fail.
  [[nodiscard]] Outcome try_git(const std::filesystem::path& folder,
                                const std::vector<std::string>& arguments) const;

  // Writes a file below the root and returns its path.
  // NOLINTNEXTLINE(modernize-use-nodiscard): most tests only want the file to be there
  std::filesystem::path write(const std::filesystem::path& name, std::string_view bytes) const;
  // The bytes of a file below the root.
  [[nodiscard]] std::string read(const std::filesystem::path& name) const;
  // Commits every file there is and returns the commit's id.
  // NOLINTNEXTLINE(modernize-use-nodiscard): the same
  std::string commit(const std::string& message) const;

 private:
  [[nodiscard]] static std::string without_line_end(std::string text);

  ScratchFolder folder_;
  std::filesystem::path root_;
  ScopedEnvironment isolated_;
};

}  // namespace autokernel::test
