#include "compile/crash_note.h"

#include <unistd.h>

#include <array>
#include <csignal>
#include <mutex>
#include <utility>

#include "autokernel/compile/compiler.h"

namespace autokernel::compile {
namespace {

constexpr std::array kCrashes = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE};

// More than the handler needs; the kernel's own frame takes some 3 KiB where there is AVX-512.
constexpr std::size_t kStackBytes = 64 << 10;

// Of the thread that compiles. Read in a signal handler, which may follow pointers to what was
// there before.
thread_local const std::string* note_of_thread = nullptr;

struct Handlers {
  std::mutex mutex;
  int users = 0;
  std::array<struct sigaction, kCrashes.size()> before{};
};
Handlers& handlers() {
  static Handlers shared;
  return shared;
}

void on_crash(int signal) {
  if (note_of_thread != nullptr) {
    // Nothing can be done where this fails: the exit code alone says as much.
    [[maybe_unused]] const ssize_t written =
        ::write(STDERR_FILENO, note_of_thread->data(), note_of_thread->size());
    ::_exit(kCompilerCrashed);
  }
  // Somebody else's: it dies of it as soon as this returns and the instruction is tried again, or,
  // where there is no such instruction, of the signal raised anew.
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace

CrashNote::CrashNote(std::string line) : line_(std::move(line) + "\n"), stack_(kStackBytes, '\0') {
  stack_t stack{};
  stack.ss_sp = stack_.data();
  stack.ss_size = stack_.size();
  ::sigaltstack(&stack, nullptr);
  note_of_thread = &line_;
  const std::lock_guard lock(handlers().mutex);
  if (handlers().users++ > 0) return;
  struct sigaction action{};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK;
  for (std::size_t i = 0; i < kCrashes.size(); ++i)
    ::sigaction(kCrashes[i], &action, &handlers().before[i]);
}

CrashNote::~CrashNote() {
  note_of_thread = nullptr;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  ::sigaltstack(&none, nullptr);
  const std::lock_guard lock(handlers().mutex);
  if (--handlers().users > 0) return;
  for (std::size_t i = 0; i < kCrashes.size(); ++i)
    ::sigaction(kCrashes[i], &handlers().before[i], nullptr);
}

}  // namespace autokernel::compile
