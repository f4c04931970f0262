#include "autokernel/base/interrupts.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "autokernel/base/system_error.h"

namespace autokernel {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

[[nodiscard]] bool is_ignored(int signal) {
  struct sigaction action{};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

[[nodiscard]] sigset_t wanted_signals() {
  sigset_t wanted{};
  ::sigemptyset(&wanted);
  // The kernel queues a blocked signal even where it is ignored, so those of nohup must be left out
  // by hand.
  for (const int signal : kSignals) {
    if (!is_ignored(signal)) ::sigaddset(&wanted, signal);
  }
  return wanted;
}

}  // namespace

Interrupts::Interrupts() {
  const sigset_t wanted = wanted_signals();
  queue_ = Descriptor(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!queue_.is_open()) {
    throw system_failure(Stop::environment, "cannot watch for signals", "signalfd");
  }
  Mask before{.signals = {}, .changed = true};
  const int failed = ::pthread_sigmask(SIG_BLOCK, &wanted, &before.signals);
  if (failed != 0) {
    throw system_failure(Stop::environment, "cannot hold signals back", "pthread_sigmask", failed);
  }
  previous_ = Owned<Mask>(
      before, [](const Mask& mask) { ::pthread_sigmask(SIG_SETMASK, &mask.signals, nullptr); });
}

std::optional<int> Interrupts::next() const {
  const auto signal = next_signal();
  return signal ? std::optional(signal->number) : std::nullopt;
}

std::optional<Interrupts::Signal> Interrupts::next_signal() const {
  signalfd_siginfo info{};
  if (::read(queue_.get(), &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return {};
  return Signal{.number = static_cast<int>(info.ssi_signo),
                .is_of_process = info.ssi_code != SI_KERNEL};
}

void end_by(int signal) {
  ::signal(signal, SIG_DFL);
  ::raise(signal);
  // Reached only where the signal is blocked or its default action does not end a program.
  ::_exit(128 + signal);
}

}  // namespace autokernel
