#include "support/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>
#include <thread>

extern char** environ;

namespace autokernel::test {
namespace {

[[nodiscard]] std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> list;
  list.reserve(strings.size() + 1);
  for (std::string& string : strings) list.push_back(string.data());
  list.push_back(nullptr);
  return list;
}

[[nodiscard]] std::vector<std::string> merged_environment(
    const std::map<std::string, std::string>& changes) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string variable = *entry;
    if (!changes.contains(variable.substr(0, variable.find('=')))) merged.push_back(variable);
  }
  // A test that wants a process to stay says so.
  if (!changes.contains("AUTOKERNEL_RESIDENT")) merged.emplace_back("AUTOKERNEL_RESIDENT=0");
  for (const auto& [name, value] : changes) merged.push_back(std::string(name) + "=" + value);
  return merged;
}

[[nodiscard]] std::string all_of(const Descriptor& file) {
  std::string bytes;
  std::array<char, 65536> piece{};
  off_t offset = 0;
  for (;;) {
    const ssize_t count = ::pread(file.get(), piece.data(), piece.size(), offset);
    if (count <= 0) return bytes;
    bytes.append(piece.data(), static_cast<std::size_t>(count));
    offset += count;
  }
}

void expect_zero(int status, const std::string& what) {
  if (status != 0) throw std::runtime_error("cannot " + what);
}

}  // namespace

RunningProgram::RunningProgram(const Invocation& invocation)
    : out_(::memfd_create("out", MFD_CLOEXEC)), err_(::memfd_create("err", MFD_CLOEXEC)) {
  std::vector<std::string> arguments{invocation.program.string()};
  arguments.insert(arguments.end(), invocation.arguments.begin(), invocation.arguments.end());
  std::vector<std::string> environment = merged_environment(invocation.environment);

  posix_spawn_file_actions_t actions{};
  expect_zero(::posix_spawn_file_actions_init(&actions), "prepare a program");
  expect_zero(::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0), "open");
  expect_zero(::posix_spawn_file_actions_adddup2(
                  &actions, invocation.out < 0 ? out_.get() : invocation.out, 1),
              "redirect");
  expect_zero(::posix_spawn_file_actions_adddup2(
                  &actions, invocation.err < 0 ? err_.get() : invocation.err, 2),
              "redirect");
  expect_zero(::posix_spawn_file_actions_addclosefrom_np(&actions, 3), "close the rest");
  if (!invocation.directory.empty()) {
    expect_zero(::posix_spawn_file_actions_addchdir_np(&actions, invocation.directory.c_str()),
                "change the folder");
  }
  const int status = ::posix_spawn(&id_, invocation.program.c_str(), &actions, nullptr,
                                   pointers(arguments).data(), pointers(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  expect_zero(status, "start " + invocation.program.string());
}

void RunningProgram::send(int signal) const { ::kill(id_, signal); }

std::string RunningProgram::out_so_far() const { return all_of(out_); }
std::string RunningProgram::err_so_far() const { return all_of(err_); }

Outcome RunningProgram::wait(std::chrono::seconds patience) {
  int status = 0;
  while (::waitpid(id_, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() - begun_ > patience) ::kill(id_, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun_;
  return {.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
          .out = all_of(out_),
          .err = all_of(err_),
          .seconds = taken.count()};
}

void share_no_resident() {
  // Message queues are used by none of our programs.
  rlimit limit{};
  expect_zero(::getrlimit(RLIMIT_MSGQUEUE, &limit), "read a limit");
  const auto own = static_cast<rlim_t>(::getpid());
  limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? own : own % (limit.rlim_max + 1);
  expect_zero(::setrlimit(RLIMIT_MSGQUEUE, &limit), "set a limit");
}

Outcome run(const Invocation& invocation) { return RunningProgram(invocation).wait(); }

}  // namespace autokernel::test
