#include "autokernel/base/processor_clock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "autokernel/base/descriptor.h"
#include "autokernel/base/local_socket.h"

namespace autokernel {
namespace {

void work_for(std::chrono::milliseconds time) {
  const std::clock_t end =
      std::clock() + static_cast<std::clock_t>(time.count()) * CLOCKS_PER_SEC / 1000;
  while (std::clock() < end) {
  }
}

TEST(ProcessorClock, CountsChildrenThatNobodyWaitsFor) {
  if (!ProcessorClock(::getpid()).seconds()) GTEST_SKIP() << "this machine lets nobody count";
  const Pipe start = make_socket_pair();
  const pid_t child = ::fork();
  if (child == 0) {
    char go = 0;
    if (::read(start.reading.get(), &go, 1) != 1) ::_exit(1);
    ::signal(SIGCHLD, SIG_IGN);
    if (::fork() == 0) {
      work_for(std::chrono::milliseconds{200});
      ::_exit(0);
    }
    ::wait(nullptr);  // until there is none left
    ::_exit(0);
  }
  const ProcessorClock clock(child);
  ASSERT_EQ(::write(start.writing.get(), "x", 1), 1);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_GE(clock.seconds().value_or(0), 0.19);
}

}  // namespace
}  // namespace autokernel
