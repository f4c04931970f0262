#include "repo/git_failure.h"

#include <fmt/format.h>
#include <git2.h>

#include <cerrno>
#include <system_error>

#include "autokernel/base/system_error.h"

namespace autokernel::repo {
namespace {

// libgit2 names the file in its own text.
[[nodiscard]] const char* remedy_for(int status, const std::string& reason) {
  if (status == GIT_ELOCKED) {
    return "; another git is running there, or was killed: remove the .lock file once none is "
           "running";
  }
  // nonblocking_open.h has interrupted it.
  if (reason.find(std::generic_category().message(EINTR)) != std::string::npos) {
    return "; it did not open within 5 s: if it is a named pipe or a device, remove it";
  }
  return "";
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
  return {stop, fmt::format("{}: {}{} [{}]", attempt, reason, remedy_for(status, reason), call)};
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
