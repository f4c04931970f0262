#include "autokernel/base/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "autokernel/base/error.h"
#include "support/census.h"
#include "support/program.h"
#include "support/scratch_folder.h"

namespace autokernel {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::ThrowsMessage;

Command shell(const std::string& script, std::map<std::string, std::string> environment = {}) {
  return {.program = "/bin/sh", .arguments = {"-c", script}, .environment = std::move(environment)};
}

// Everything that comes out of a descriptor until its other side is closed.
std::string all_from(const Descriptor& from) {
  std::string bytes;
  for (;;) {
    pollfd watched{from.get(), POLLIN, 0};
    ::poll(&watched, 1, 5000);
    std::array<char, 4096> piece{};
    const ssize_t count = ::read(from.get(), piece.data(), piece.size());
    if (count <= 0) return bytes;
    bytes.append(piece.data(), static_cast<std::size_t>(count));
  }
}

Ending ended(Child& child) {
  return child.wait_until(steady_clock::now() + seconds{10}).value_or(Ending{.code = -1});
}

TEST(Child, EndsWithItsOwnCode) {
  Child child = Child::start(shell("exit 7"));
  EXPECT_EQ(ended(child).code, 7);
}

TEST(Child, KilledByASignalSaysWhich) {
  Child child = Child::start(shell("kill -SEGV $$"));
  EXPECT_EQ(ended(child).signal, SIGSEGV);
}

TEST(Child, GetsWhatIsWrittenToItsInput) {
  Child child = Child::start(shell("read line; echo \"got $line\""));
  ASSERT_EQ(::send(child.input().get(), "hello\n", 6, 0), 6);
  EXPECT_EQ(all_from(child.output()), "got hello\n");
}

TEST(Child, PrintsOnBothOutputsIntoOneChannel) {
  Child child = Child::start(shell("echo one; echo two >&2"));
  EXPECT_EQ(all_from(child.output()), "one\ntwo\n");
}

TEST(Child, KeepsMessagesApartFromPrints) {
  Child child = Child::start(shell("echo print; echo message >&3"));
  EXPECT_EQ(all_from(child.messages()), "message\n");
}

TEST(Child, SeesTheVariablesSetForItAndOurs) {
  Child child = Child::start(shell("echo $EXTRA $PATH", {{"EXTRA", "extra"}}));
  EXPECT_THAT(all_from(child.output()), testing::StartsWith("extra /"));
}

TEST(Child, ThatInheritsNothingSeesTheVariablesSetForItAlone) {
  Child child = Child::start({.program = "/usr/bin/env",
                              .arguments = {},
                              .environment = {{"EXTRA", "extra"}},
                              .inherits = Inherits::nothing});
  EXPECT_EQ(all_from(child.output()), "EXTRA=extra\n");
}

TEST(Child, LeadsASessionOfItsOwn) {
  Child child = Child::start(shell("read nothing"));
  EXPECT_EQ(::getsid(child.id()), child.id());
  EXPECT_EQ(::getpgid(child.id()), child.id());
}

TEST(Child, LeavesNoCoreFile) {
  Child child = Child::start(shell("ulimit -c; ulimit -H -c"));
  EXPECT_EQ(all_from(child.output()), "0\n0\n");
}

TEST(Child, HasNoDescriptorsButItsFour) {
  Child child = Child::start(shell("ls /proc/$$/fd"));
  EXPECT_EQ(all_from(child.output()), "0\n1\n2\n3\n");
}

TEST(Child, StartsWithNoSignalHeldBackOrIgnored) {
  ::signal(SIGPIPE, SIG_IGN);
  Child child = Child::start(shell("grep -E 'Sig(Blk|Ign)' /proc/self/status"));
  EXPECT_EQ(all_from(child.output()), "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
  ::signal(SIGPIPE, SIG_DFL);
}

TEST(Child, ThatRunsOnIsNotWaitedForBeyondTheDeadline) {
  Child child = Child::start(shell("sleep 100"));
  const auto begun = steady_clock::now();
  EXPECT_FALSE(child.wait_until(begun + milliseconds{50}));
  EXPECT_LT(steady_clock::now() - begun, seconds{5});
}

TEST(Child, IsKilledWithItsWholeGroup) {
  const test::ScratchFolder scratch;
  Child child = Child::start(shell("sleep 100 & sleep 100", {{"MARK", scratch.path()}}));
  EXPECT_THAT(test::processes_marked(scratch.path()), Not(IsEmpty()));
  EXPECT_EQ(child.kill().signal, SIGKILL);
  EXPECT_THAT(test::processes_still_marked(scratch.path()), IsEmpty());
}

TEST(Child, IsKilledWithinItsTime) {
  Child child = Child::start(shell("sleep 1000"));
  const auto ending = child.kill_within(seconds{10});
  ASSERT_TRUE(ending.has_value());
  EXPECT_EQ(ending.value_or(Ending{}).signal, SIGKILL);
}

TEST(Child, ThatHasEndedIsNotKilledAgain) {
  Child child = Child::start(shell("exit 7"));
  EXPECT_EQ(ended(child).code, 7);
  EXPECT_EQ(child.kill_within(seconds{0}).value_or(Ending{}).code, 7);
}

TEST(Child, ThatEndsTakesItsGroupWithIt) {
  const test::ScratchFolder scratch;
  Child child = Child::start(shell("sleep 100 & exit 3", {{"MARK", scratch.path()}}));
  EXPECT_EQ(ended(child).code, 3);
  EXPECT_THAT(test::processes_still_marked(scratch.path()), IsEmpty());
}

TEST(Child, IsKilledWhenItsOwnerGoes) {
  const test::ScratchFolder scratch;
  {
    const Child child = Child::start(shell("sleep 100", {{"MARK", scratch.path()}}));
  }
  EXPECT_THAT(test::processes_still_marked(scratch.path()), IsEmpty());
}

TEST(Child, CannotBeStartedFromAProgramThatIsMissing) {
  EXPECT_THAT([] { (void)Child::start({"/nowhere/program", {}, {}}); },
              ThrowsMessage<Error>(
                  HasSubstr("cannot start /nowhere/program: No such file or directory [execve]")));
}

TEST(Child, DiesWithTheProgramThatStartedIt) {
  const test::ScratchFolder scratch;
  // A process between us and the child, which ends without cleaning up.
  EXPECT_EXIT(
      {
        const Child child = Child::start(shell("exec sleep 100", {{"MARK", scratch.path()}}));
        ::kill(::getpid(), SIGKILL);
      },
      testing::KilledBySignal(SIGKILL), "");
  EXPECT_THAT(test::processes_still_marked(scratch.path()), IsEmpty());
}

}  // namespace
}  // namespace autokernel
