#include "repo/git_failure.h"

#include <fmt/format.h>
#include <git2.h>

#include "autokernel/base/system_error.h"

namespace autokernel::repo {
namespace {

// libgit2 names the lock file in its own text.
[[nodiscard]] const char* remedy_for(int status) {
  return status == GIT_ELOCKED
             ? "; another git is at work there, or was killed: remove the .lock file once none runs"
             : "";
}

}  // namespace

Error git_failure(int status, const std::string& attempt, const char* call, Stop stop) {
  const git_error* last = git_error_last();
  const std::string reason = last != nullptr && last->message != nullptr && *last->message != '\0'
                                 ? std::string(last->message)
                                 : fmt::format("libgit2 says {}", status);
  // A disk that is full or failing is the machine's, whoever writes on it.
  if (const std::string remedy = disk_remedy_in(reason); !remedy.empty()) {
    return {Stop::environment, fmt::format("{}: {}{} [{}]", attempt, reason, remedy, call)};
  }
  return {stop, fmt::format("{}: {}{} [{}]", attempt, reason, remedy_for(status), call)};
}

void check(int status, const std::string& attempt, const char* call) {
  if (status < 0) throw git_failure(status, attempt, call);
}

bool found(int status, const std::string& attempt, const char* call) {
  if (status == GIT_ENOTFOUND) return false;
  check(status, attempt, call);
  return true;
}

}  // namespace autokernel::repo
