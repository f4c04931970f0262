#include "autokernel/base/foreground.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/base/owned.h"
#include "autokernel/base/system_error.h"
#include "base/exec_blocks.h"

namespace autokernel {
namespace {

// Those that main has changed for this program, or a terminal sends to us as well.
constexpr std::array kReset = {SIGQUIT, SIGXFSZ, SIGPIPE};

// Leaves Ctrl-\ to the program while it lives.
class IgnoredQuit {
 public:
  IgnoredQuit() : before_(std::signal(SIGQUIT, SIG_IGN)) {}
  IgnoredQuit(const IgnoredQuit&) = delete;
  IgnoredQuit& operator=(const IgnoredQuit&) = delete;
  ~IgnoredQuit() { std::signal(SIGQUIT, before_); }

 private:
  void (*before_)(int);
};

struct Plan {
  const char* program;
  char* const* arguments;
  char* const* environment;
  const char* directory;
  Prints prints;
  const sigset_t* signals;  // that were held back before
  pid_t parent;
  int failure;  // where errno goes if exec fails
};

[[noreturn]] void become(const Plan& plan) {
  for (const int signal : kReset) std::signal(signal, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, plan.signals, nullptr);
  const bool is_ready =
      ::prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && ::getppid() == plan.parent &&
      (plan.prints == Prints::to_output || ::dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) &&
      (plan.directory == nullptr || ::chdir(plan.directory) == 0);
  if (is_ready) ::execve(plan.program, plan.arguments, plan.environment);
  const int number = errno;
  [[maybe_unused]] const ssize_t written = ::write(plan.failure, &number, sizeof number);
  constexpr int kNotStarted = 127;
  ::_exit(kNotStarted);
}

[[nodiscard]] Ending wait_for(pid_t child, const Interrupts& interrupts) {
  // glibc 2.36 declares the call for C alone.
  const Descriptor end(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  int status = 0;
  for (;;) {
    const pid_t reaped = ::waitpid(child, &status, WNOHANG);
    if (reaped == child) break;
    // Without a descriptor of the child (Linux before 5.3) it is looked at again and again.
    constexpr int kPauseMs = 10;
    std::array<pollfd, 2> watched{{{interrupts.descriptor(), POLLIN, 0}, {end.get(), POLLIN, 0}}};
    ::poll(watched.data(), end.is_open() ? 2 : 1, end.is_open() ? -1 : kPauseMs);
    while (const auto signal = interrupts.next_signal()) {
      // A terminal has sent its own to the program as well.
      if (signal->number != SIGINT || signal->is_of_process) ::kill(child, signal->number);
    }
  }
  if (WIFSIGNALED(status)) return {.code = 0, .signal = WTERMSIG(status)};
  return {.code = WEXITSTATUS(status), .signal = 0};
}

}  // namespace

Ending run_in_foreground(const Command& command, Prints prints) {
  const std::string program = command.program.string();
  const std::string directory = command.directory.string();
  const Block arguments(arguments_of(command));
  const Block environment(environment_of(command));
  std::array<int, 2> failure{};
  if (::pipe2(failure.data(), O_CLOEXEC) != 0) {
    throw system_failure(Stop::environment, "cannot start " + program, "pipe2");
  }
  const Descriptor reading(failure[0]);
  Descriptor writing(failure[1]);
  sigset_t before{};
  ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
  const Interrupts interrupts;
  const IgnoredQuit quit;
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw system_failure(Stop::environment, "cannot start " + program, "fork");
  if (child == 0) {
    become({.program = program.c_str(),
            .arguments = arguments.get(),
            .environment = environment.get(),
            .directory = directory.empty() ? nullptr : directory.c_str(),
            .prints = prints,
            .signals = &before,
            .parent = parent,
            .failure = writing.get()});
  }
  writing.close();
  int number = 0;
  ssize_t count = 0;
  do {
    count = ::read(reading.get(), &number, sizeof number);
  } while (count < 0 && errno == EINTR);
  const Ending ending = wait_for(child, interrupts);
  if (count == static_cast<ssize_t>(sizeof number)) {
    throw Error(Stop::usage,
                fmt::format("cannot start {}: {} [execve]", program, std::strerror(number)));
  }
  return ending;
}

}  // namespace autokernel
