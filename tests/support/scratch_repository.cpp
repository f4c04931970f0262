#include "support/scratch_repository.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <utility>

namespace autokernel::test {

namespace fs = std::filesystem;

namespace {

void set_variable(const std::string& name, const std::optional<std::string>& value) {
  if (value) {
    ::setenv(name.c_str(), value->c_str(), 1);
  } else {
    ::unsetenv(name.c_str());
  }
}

[[nodiscard]] std::optional<std::string> variable(const std::string& name) {
  const char* value = ::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

// No settings but the repository's own. A hook of git runs its programs with the name of its own
// repository, and tests may be run by one.
[[nodiscard]] ScopedEnvironment::Variables isolation(const fs::path& home) {
  return {{"HOME", home.string()},
          {"XDG_CONFIG_HOME", (home / ".config").string()},
          {"GIT_CONFIG_NOSYSTEM", "1"},
          {"GIT_CONFIG_GLOBAL", (home / ".gitconfig").string()},
          {"GIT_TERMINAL_PROMPT", "0"},
          {"GIT_DIR", std::nullopt},
          {"GIT_WORK_TREE", std::nullopt},
          {"GIT_INDEX_FILE", std::nullopt},
          {"GIT_OBJECT_DIRECTORY", std::nullopt},
          {"GIT_PREFIX", std::nullopt}};
}

}  // namespace

ScopedEnvironment::ScopedEnvironment(const Variables& variables) {
  for (const auto& [name, value] : variables) {
    before_[name] = variable(name);
    set_variable(name, value);
  }
}

ScopedEnvironment::~ScopedEnvironment() {
  for (const auto& [name, value] : before_) set_variable(name, value);
}

ScratchRepository::ScratchRepository(const std::vector<std::string>& options)
    : root_(folder_.folder("repository")), isolated_(isolation(folder_.folder("home"))) {
  std::vector<std::string> arguments{"init", "--quiet", "--initial-branch=main"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  git_in(root_, arguments);
  git("config", "user.name", "A Tester");
  git("config", "user.email", "tester@example.com");
  // It would go on in the background, beyond the end of the test.
  git("config", "gc.auto", "0");
}

fs::path ScratchRepository::beside(const std::string& name) const { return folder_.path() / name; }

std::map<std::string, std::string> ScratchRepository::environment() const {
  std::map<std::string, std::string> variables;
  for (const auto& [name, value] : isolation(folder_.path() / "home")) {
    if (value) variables[name] = *value;
  }
  return variables;
}

Outcome ScratchRepository::try_git(const fs::path& folder,
                                   const std::vector<std::string>& arguments) const {
  // env looks for git on the PATH.
  std::vector<std::string> words{"git"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run({.program = "/usr/bin/env",
              .arguments = std::move(words),
              .directory = folder,
              .environment = environment()});
}

std::string ScratchRepository::git_in(const fs::path& folder,
                                      const std::vector<std::string>& arguments) const {
  const Outcome outcome = try_git(folder, arguments);
  if (outcome.code != 0) {
    std::string command = "git";
    for (const std::string& argument : arguments) command += " " + argument;
    ADD_FAILURE() << command << ": exit code " << outcome.code << "\n" << outcome.err;
  }
  return outcome.out;
}

fs::path ScratchRepository::write(const fs::path& name, std::string_view bytes) const {
  return folder_.write(root_ / name, bytes);
}

std::string ScratchRepository::read(const fs::path& name) const { return contents(root_ / name); }

std::string ScratchRepository::commit(const std::string& message) const {
  git("add", "--all");
  git("commit", "--quiet", "--allow-empty", "--message", message);
  return line("rev-parse", "HEAD");
}

std::string ScratchRepository::without_line_end(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace autokernel::test
