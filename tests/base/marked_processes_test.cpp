#include "autokernel/base/marked_processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "support/program.h"
#include "support/scratch_folder.h"

namespace autokernel {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class MarkedProcesses : public testing::Test {
 protected:
  [[nodiscard]] std::string mark() const { return "TEST_MARK=" + scratch_.path().string(); }
  // A program that has left so many, each in a session of its own, and has ended.
  void leave(const std::string& script, std::size_t count) const {
    static_cast<void>(test::run({.program = "/bin/sh",
                                 .arguments = {"-c", script},
                                 .directory = {},
                                 .environment = {{"TEST_MARK", scratch_.path().string()}}}));
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{10};
    std::vector<pid_t> left = processes_with(mark());
    while (left.size() < count && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds{2});
      left = processes_with(mark());
    }
    ASSERT_THAT(left, SizeIs(count));
  }

  test::ScratchFolder scratch_;
};

TEST_F(MarkedProcesses, AreFoundAndEndedWhoeverTheirParentIs) {
  leave("setsid sleep 1000 & setsid sleep 1000 &", 2);
  const EndedProcesses ended = kill_processes_with(mark());
  EXPECT_EQ(ended.ended, 2);
  EXPECT_THAT(ended.left, IsEmpty());
  EXPECT_THAT(processes_with(mark()), IsEmpty());
}

TEST_F(MarkedProcesses, AreNoneWhoseVariableOnlyBeginsLikeIt) {
  leave("setsid sleep 1000 &", 1);
  const std::string beginning = mark().substr(0, mark().size() - 1);
  EXPECT_EQ(kill_processes_with(beginning).ended, 0);
  EXPECT_EQ(kill_processes_with(mark()).ended, 1);
}

// It would end with them.
TEST_F(MarkedProcesses, AreSparedWhereThisOneDescendsFromThem) {
  const pid_t parent = ::fork();
  if (parent == 0) {
    const std::string self = "/proc/self/exe";
    ::setenv("TEST_MARK", scratch_.path().c_str(), 1);
    ::execl(self.c_str(), "test", "--gtest_filter=MarkedProcesses.DISABLED_EndThoseOfTheirMark",
            "--gtest_also_run_disabled_tests", nullptr);
    ::_exit(127);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(parent, &status, 0), parent);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// What the test above runs: one that carries the mark, whose child looks for it.
TEST_F(MarkedProcesses, DISABLED_EndThoseOfTheirMark) {
  const std::string mark = std::string("TEST_MARK=") + std::getenv("TEST_MARK");
  const pid_t child = ::fork();
  if (child == 0) {
    const EndedProcesses ended = kill_processes_with(mark);
    ::_exit(ended.ended == 0 && ended.left == std::vector<pid_t>{::getppid()} ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace autokernel
