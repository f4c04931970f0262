// A runner that is lost while two kernels are loaded, with runners made of shell commands: the
// machine's passing fault is not taken for the candidate's.
#include "autokernel/trial/retry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "autokernel/base/error.h"
#include "autokernel/trial/message.h"
#include "support/scratch_folder.h"

namespace autokernel::trial {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Property;
using testing::Throws;

// A command that sends an event, to be put into a shell script.
std::string say(const Event& event) { return "cat >&3 <<'END'\n" + encode(event) + "END\n"; }

Result slower() {
  Result result;
  result.problem = "as sent";
  result.comparison.emplace().outcome = Outcome::not_faster;
  return result;
}

class Retry : public testing::Test {
 protected:
  Retry() {
    request_.incumbent = {.name = "the incumbent", .source = "", .min_gain = {}};
    // Some machines set them for all programs, which is a warning of its own.
    for (const char* name : {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"}) unsetenv(name);
  }

  // A runner that is lost in that phase, in its first so many lives; then it says its result.
  Result hold(Phase phase, int lives, const std::string& loss = "kill -SEGV $$") {
    const std::string count = (scratch_.path() / "lives").string();
    const std::string script = say(Phase::compile) + say(phase) + "echo >> " + count +
                               "; [ $(wc -l < " + count + ") -gt " + std::to_string(lives) +
                               " ] || " + loss + "\n" + say(slower());
    return supervise_with_retry(request_, limits_, {},
                                {.program = "/bin/sh", .arguments = {"-c", script}});
  }
  [[nodiscard]] std::string lives() const { return test::contents(scratch_.path() / "lives"); }

  test::ScratchFolder scratch_;
  Request request_;
  Limits limits_;
};

TEST_F(Retry, LosesARunnerBesideItsIncumbentOnceWithoutHarm) {
  const Result result = hold(Phase::time, 1);
  EXPECT_EQ(result.verdict, Verdict::correct);
  EXPECT_EQ(result.problem, "as sent");
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("killed by SIGSEGV while timing the kernel, "
                                                     "but not when it was tried again")));
}

TEST_F(Retry, LosesARunnerThatHangsBesideItsIncumbentOnceWithoutHarm) {
  limits_.time_seconds = 0.5;
  const Result result = hold(Phase::time, 1, "sleep 100");
  EXPECT_EQ(result.verdict, Verdict::correct);
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("took more than 0.5 s")));
}

TEST_F(Retry, TakesALossThatComesAgainForTheCandidates) {
  const Result result = hold(Phase::time, 2);
  EXPECT_EQ(result.verdict, Verdict::crashed);
  EXPECT_THAT(result.warnings, IsEmpty());
  EXPECT_EQ(lives(), "\n\n");
}

TEST_F(Retry, TakesALossWithTheCandidateAloneForTheCandidates) {
  EXPECT_EQ(hold(Phase::check, 1).verdict, Verdict::crashed);
  EXPECT_EQ(lives(), "\n");
}

TEST_F(Retry, HasNobodyElseToSuspectWithoutAnIncumbent) {
  request_.incumbent.reset();
  EXPECT_EQ(hold(Phase::time, 1).verdict, Verdict::crashed);
}

TEST_F(Retry, LosingARunnerWhereTheCandidateIsNotLoadedIsTheMachinesFault) {
  EXPECT_THAT([&] { (void)hold(Phase::harness, 1); },
              Throws<Error>(Property(&Error::stop, Stop::environment)));
}

}  // namespace
}  // namespace autokernel::trial
