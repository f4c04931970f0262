#include "autokernel/base/interrupts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

namespace autokernel {
namespace {

using testing::Eq;
using testing::Optional;

TEST(Interrupts, ReportASignalInsteadOfEndingTheProgram) {
  const Interrupts interrupts;
  ::kill(::getpid(), SIGTERM);
  EXPECT_THAT(interrupts.next(), Optional(SIGTERM));
}

TEST(Interrupts, WakeAWaitingLoop) {
  const Interrupts interrupts;
  ::kill(::getpid(), SIGINT);
  pollfd watched{interrupts.descriptor(), POLLIN, 0};
  EXPECT_EQ(::poll(&watched, 1, 1000), 1);
  EXPECT_THAT(interrupts.next(), Optional(SIGINT));
}

TEST(Interrupts, ReportNothingWhereNothingCame) {
  const Interrupts interrupts;
  EXPECT_THAT(interrupts.next(), Eq(std::nullopt));
}

TEST(Interrupts, LeaveASignalIgnoredThatTheProgramWasStartedWithIgnored) {
  ::signal(SIGHUP, SIG_IGN);
  {
    const Interrupts interrupts;
    ::kill(::getpid(), SIGHUP);
    EXPECT_THAT(interrupts.next(), Eq(std::nullopt));
  }
  ::signal(SIGHUP, SIG_DFL);
}

TEST(Interrupts, LetSignalsThroughAgainAfterwards) {
  {
    const Interrupts interrupts;
  }
  EXPECT_EXIT(
      {
        {
          const Interrupts interrupts;
        }
        ::raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
}

TEST(EndBy, EndsTheProgramByTheSignalItself) {
  EXPECT_EXIT(end_by(SIGINT), testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace autokernel
