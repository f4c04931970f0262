#include "autokernel/base/process.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "autokernel/base/system_error.h"
#include "base/exec_blocks.h"

namespace autokernel {
namespace {

// Everything the child needs between fork and exec, made before the fork: after it, in a program
// that may have other threads, only async-signal-safe calls are allowed, and those allocate
// nothing.
struct Launch {
  const char* program;
  char* const* arguments;
  char* const* environment;
  int input;
  int output;
  int messages;
  int shared;             // -1: none
  const char* directory;  // null: ours
  int failure;  // where the child writes errno when exec fails; closed by an exec that succeeds
  pid_t parent;
};

[[nodiscard]] bool redirect(int from, int to) {
  // dup2 onto itself would leave the close-on-exec flag in place.
  if (from == to) return ::fcntl(from, F_SETFD, 0) == 0;
  return ::dup2(from, to) == to;
}

void reset_signals() {
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action{};
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_DFL) {
      action.sa_handler = SIG_DFL;
      ::sigaction(signal, &action, nullptr);
    }
  }
  sigset_t none{};
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[nodiscard]] bool prepare(const Launch& launch) {
  if (::setsid() < 0) return false;
  if (launch.directory != nullptr && ::chdir(launch.directory) != 0) return false;
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return false;
  // The parent may have died before the line above: then nobody will ever send that signal.
  if (::getppid() != launch.parent) ::_exit(0);
  const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
  if (::setrlimit(RLIMIT_CORE, &no_core) != 0) return false;
  reset_signals();
  // What we hold open is none of the child's business: a lock of ours would live as long as it
  // does. Kernels before 5.11 cannot do this, and there it matters little.
  ::close_range(kMessagesDescriptor + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  return redirect(launch.input, STDIN_FILENO) && redirect(launch.output, STDOUT_FILENO) &&
         redirect(launch.output, STDERR_FILENO) && redirect(launch.messages, kMessagesDescriptor) &&
         (launch.shared < 0 || redirect(launch.shared, kSharedDescriptor));
}

[[noreturn]] void become(const Launch& launch) {
  if (prepare(launch)) ::execve(launch.program, launch.arguments, launch.environment);
  const int number = errno;
  // Nothing more can be done about a parent that does not read it.
  [[maybe_unused]] const ssize_t written = ::write(launch.failure, &number, sizeof number);
  ::_exit(127);
}

// A descriptor above those the child's own are put on, so that redirecting one does not overwrite
// the next.
[[nodiscard]] Descriptor lifted(const Descriptor& descriptor) {
  Descriptor copy(::fcntl(descriptor.get(), F_DUPFD_CLOEXEC, kSharedDescriptor + 1));
  if (!copy.is_open()) {
    throw system_failure(Stop::environment, "cannot pass a channel to a child", "fcntl");
  }
  return copy;
}

[[nodiscard]] Ending ending_from(int status) {
  if (WIFSIGNALED(status)) return {.code = 0, .signal = WTERMSIG(status)};
  return {.code = WEXITSTATUS(status), .signal = 0};
}

// Waits for the child's end; nothing if it has been reaped already.
[[nodiscard]] std::optional<Ending> reap(pid_t child, int options) {
  int status = 0;
  pid_t reaped = 0;
  do {
    reaped = ::waitpid(child, &status, options);
  } while (reaped < 0 && errno == EINTR);
  if (reaped != child) return {};
  return ending_from(status);
}

void kill_and_reap(pid_t child) {
  ::kill(-child, SIGKILL);
  [[maybe_unused]] const auto ending = reap(child, 0);
}

}  // namespace

Child Child::start(const Command& command) {
  const std::string attempt = "cannot start " + command.program.string();
  const std::string program = command.program.string();
  const std::string directory = command.directory.string();
  const Block arguments(arguments_of(command));
  const Block environment(environment_of(command));
  Pipe input = make_socket_pair();
  Pipe output = make_pipe();
  Pipe messages = make_pipe();
  Pipe failure = make_pipe();
  for (Descriptor* end : {&input.reading, &output.writing, &messages.writing, &failure.writing}) {
    *end = lifted(*end);
  }
  const Descriptor shared = command.shared == nullptr ? Descriptor() : lifted(*command.shared);
  const Launch launch{.program = program.c_str(),
                      .arguments = arguments.get(),
                      .environment = environment.get(),
                      .input = input.reading.get(),
                      .output = output.writing.get(),
                      .messages = messages.writing.get(),
                      .shared = shared.get(),
                      .directory = directory.empty() ? nullptr : directory.c_str(),
                      .failure = failure.writing.get(),
                      .parent = ::getpid()};

  Child child;
  const pid_t id = ::fork();
  if (id < 0) throw system_failure(Stop::environment, attempt, "fork");
  if (id == 0) become(launch);
  child.id_ = id;
  child.unreaped_ = Owned<pid_t>(id, kill_and_reap);

  failure.writing.close();
  int number = 0;
  ssize_t count = 0;
  do {
    count = ::read(failure.reading.get(), &number, sizeof number);
  } while (count < 0 && errno == EINTR);
  if (count == static_cast<ssize_t>(sizeof number)) {
    throw system_failure(Stop::environment, attempt, "execve", number);
  }

  child.input_ = std::move(input.writing);
  child.output_ = std::move(output.reading);
  child.messages_ = std::move(messages.reading);
  set_nonblocking(child.input_);
  set_nonblocking(child.output_);
  set_nonblocking(child.messages_);
  return child;
}

void start_detached(const Command& command, const Descriptor& input) {
  const std::string program = command.program.string();
  const Block arguments(arguments_of(command));
  const Block environment(environment_of(command));
  const Descriptor given = lifted(input);
  const pid_t between = ::fork();
  if (between < 0) throw system_failure(Stop::environment, "cannot start " + program, "fork");
  if (between == 0) {
    // Whoever is not the leader of its session never gets a terminal.
    if (::setsid() < 0 || ::fork() != 0) ::_exit(0);
    const int nothing = ::open("/dev/null", O_RDWR);
    const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
    const bool is_ready = nothing >= 0 && ::chdir("/") == 0 &&
                          ::setrlimit(RLIMIT_CORE, &no_core) == 0 &&
                          redirect(given.get(), STDIN_FILENO) && redirect(nothing, STDOUT_FILENO) &&
                          redirect(nothing, STDERR_FILENO);
    reset_signals();
    ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    if (is_ready) ::execve(program.c_str(), arguments.get(), environment.get());
    ::_exit(127);
  }
  [[maybe_unused]] const auto ending = reap(between, 0);
}

std::optional<Ending> Child::wait_until(std::chrono::steady_clock::time_point deadline) {
  using std::chrono::milliseconds;
  // Can be read once the child has ended. Without one (Linux before 5.3, some containers) the child
  // is looked at again and again. glibc 2.36 declares the call for C alone.
  const Descriptor end(ending_ ? -1 : static_cast<int>(::syscall(SYS_pidfd_open, id(), 0)));
  const milliseconds pause = end.is_open() ? milliseconds{1000} : milliseconds{2};
  while (!ending_) {
    siginfo_t info{};
    // Looked at before it is reaped: until then its number, and its group's, cannot be anybody
    // else's.
    if (::waitid(P_PID, static_cast<id_t>(id()), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == id()) {
      return kill();
    }
    const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left <= milliseconds::zero()) return {};
    pollfd watched{end.get(), POLLIN, 0};
    ::poll(&watched, 1, static_cast<int>(std::min(left, pause).count()));
  }
  return ending_;
}

Ending Child::kill() {
  if (!ending_) {
    ::kill(-id(), SIGKILL);
    ending_ = reap(id(), 0).value_or(Ending{.code = 0, .signal = SIGKILL});
    unreaped_.release();  // from here on the number may be somebody else's
  }
  return *ending_;
}

std::optional<Ending> Child::kill_within(std::chrono::milliseconds patience) {
  if (ending_) return ending_;
  ::kill(-id(), SIGKILL);
  const auto ending = wait_until(std::chrono::steady_clock::now() + patience);
  if (!ending) unreaped_.release();
  return ending;
}

}  // namespace autokernel
