#include "e2e/authoring_workplace.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "support/census.h"
#include "support/scratch_folder.h"

namespace autokernel::test {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

AuthoringWorkplace::AuthoringWorkplace() {
  for (const char* name : {"tmp", "cache"}) fs::create_directory(repository_.beside(name));
}

Invocation AuthoringWorkplace::autokernel(const std::vector<std::string>& arguments) const {
  std::map<std::string, std::string> environment = repository_.environment();
  environment["TMPDIR"] = repository_.beside("tmp").string();
  environment["XDG_CACHE_HOME"] = repository_.beside("cache").string();
  environment["AUTOKERNEL_RESIDENT"] = "0";
  return {.program = AUTOKERNEL_PROGRAM,
          .arguments = arguments,
          .directory = repository_.root(),
          .environment = environment};
}

Outcome AuthoringWorkplace::run_in(const fs::path& folder,
                                   const std::vector<std::string>& arguments) const {
  Invocation invocation = autokernel(arguments);
  invocation.directory = folder;
  return run(invocation);
}

Outcome AuthoringWorkplace::run_with(const std::map<std::string, std::string>& variables,
                                     const std::vector<std::string>& arguments) const {
  Invocation invocation = autokernel(arguments);
  for (const auto& [name, value] : variables) invocation.environment[name] = value;
  return run(invocation);
}

std::string AuthoringWorkplace::done(const std::vector<std::string>& arguments) const {
  const Outcome outcome = run_autokernel(arguments);
  EXPECT_EQ(outcome.code, 0) << testing::PrintToString(arguments) << "\n"
                             << outcome.out << outcome.err;
  return outcome.out;
}

void AuthoringWorkplace::expect_refused(const std::vector<std::string>& arguments, int code,
                                        const std::string& words) const {
  const Outcome outcome = run_autokernel(arguments);
  EXPECT_EQ(outcome.code, code) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, StartsWith("autokernel: "));
  EXPECT_THAT(outcome.err, HasSubstr(words));
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
}

std::map<std::string, std::string> AuthoringWorkplace::files() const {
  std::map<std::string, std::string> held;
  for (const std::string& name : files_below(repository_.root())) {
    const fs::path file = repository_.root() / name;
    if (name.starts_with(".git/") || name == ".git") continue;
    if (fs::is_symlink(file)) {
      held[name] = "-> " + fs::read_symlink(file).string();
    } else if (fs::is_regular_file(file)) {
      held[name] = contents(file);
    }
  }
  return held;
}

}  // namespace autokernel::test
