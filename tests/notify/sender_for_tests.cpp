// The sender as a program of its own, with limits that suit a test. With an argument it forgets its
// variables instead, says so, and waits to be ended.
#include <unistd.h>

#include "autokernel/notify/secret_variables.h"
#include "autokernel/notify/sender.h"

int main(int argc, char** /*argv*/) {
  using std::chrono::milliseconds;
  if (argc > 1) {
    autokernel::notify::forget_notify_variables();
    if (!autokernel::write_all(STDOUT_FILENO, "forgotten\n")) return 1;
    return ::pause();
  }
  return autokernel::notify::send_from(autokernel::Descriptor(STDIN_FILENO),
                                       {.deadline = milliseconds{4000},
                                        .attempt = milliseconds{2000},
                                        .first_pause = milliseconds{20},
                                        .longest_pause = milliseconds{100}});
}
