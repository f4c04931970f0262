#include "repo/nonblocking_open.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

#include "autokernel/base/system_error.h"

namespace autokernel::repo {
namespace {

// Even over a network the small files of git's are opened in less.
constexpr timespec kPatience{.tv_sec = 5, .tv_nsec = 0};
// Where one has not opened, others will not: libgit2 looks at the attributes of a folder for each
// file in it.
constexpr timespec kPatienceAfterwards{.tv_sec = 0, .tv_nsec = 100'000'000};

// Set by a signal handler.
std::atomic<bool> has_interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

// A signal that nobody else has a use for. It must be caught, or it would end the process, and
// without SA_RESTART, or the call would go on waiting.
[[nodiscard]] int interrupting_signal() {
  static const int chosen = [] {
    const int number = SIGRTMIN + 7;
    struct sigaction action{};
    action.sa_handler = [](int) { has_interrupted = true; };
    if (::sigaction(number, &action, nullptr) != 0) {
      throw system_failure(Stop::internal, "cannot catch a signal", "sigaction");
    }
    return number;
  }();
  return chosen;
}

}  // namespace

NonblockingOpen::NonblockingOpen() {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = interrupting_signal();
  event._sigev_un._tid = ::gettid();  // its name in the manual is newer than some C libraries
  Timer timer{.id = {}, .is_set = true};
  if (::timer_create(CLOCK_MONOTONIC, &event, &timer.id) != 0) {
    throw system_failure(Stop::environment, "cannot make a timer", "timer_create");
  }
  timer_ = {timer, [](Timer made) { ::timer_delete(made.id); }};
  const itimerspec times{.it_interval = kPatienceAfterwards,
                         .it_value = has_interrupted ? kPatienceAfterwards : kPatience};
  ::timer_settime(timer.id, 0, &times, nullptr);
}

}  // namespace autokernel::repo
