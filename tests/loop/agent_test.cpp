// One turn of an agent made of shell commands: whatever it does, it ends, and leaves no process.
#include "loop/agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "support/census.h"
#include "support/scratch_folder.h"

namespace autokernel::loop {
namespace {

using std::chrono::duration;
using testing::AllOf;
using testing::Each;
using testing::EndsWith;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Lt;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using Ending = AgentTurn::Ending;

class AnAgent : public testing::Test {
 protected:
  AnAgent() {
    command_.brief = "the brief\n";
    command_.timeout = duration<double>(20);
  }
  ~AnAgent() override {
    EXPECT_THAT(test::processes_still_marked(scratch_.path().string()), IsEmpty());
  }
  [[nodiscard]] AgentTurn run(const std::string& line) {
    command_.line = line;
    command_.directory = scratch_.path();
    const Interrupts interrupts;
    return run_agent(command_, interrupts, waiting_);
  }

  test::ScratchFolder scratch_;
  AgentCommand command_;
  std::function<void(duration<double>)> waiting_;
};

TEST_F(AnAgent, ThatEndsIsDone) {
  const AgentTurn turn = run("echo out; echo err >&2");
  EXPECT_EQ(turn.ending, Ending::done);
  EXPECT_EQ(turn.how, "");
  EXPECT_EQ(turn.output, "out\nerr\n");
  EXPECT_EQ(turn.bytes, 8U);
  EXPECT_EQ(turn.stragglers, 0);
}

TEST_F(AnAgent, RunsInItsFolderWithItsEnvironment) {
  command_.environment = {{"AUTOKERNEL_TEST_WORD", "a word"}};
  EXPECT_EQ(run("pwd; echo \"$AUTOKERNEL_TEST_WORD\"").output,
            scratch_.path().string() + "\na word\n");
}

TEST_F(AnAgent, ReadsItsBriefOnStandardInput) { EXPECT_EQ(run("cat").output, "the brief\n"); }

TEST_F(AnAgent, ReadsABriefThatNoPipeHolds) {
  command_.brief = std::string(5'000'000, 'x');
  EXPECT_EQ(run("sleep 0.1; wc -c").output, "5000000\n");
}

TEST_F(AnAgent, NeedNotReadItsBrief) {
  command_.brief = std::string(5'000'000, 'x');
  EXPECT_EQ(run("echo done").ending, Ending::done);
  EXPECT_EQ(run("exec <&-; sleep 0.3; echo done").ending, Ending::done);
}

TEST_F(AnAgent, ThatFailsIsNamedWithItsExitCode) {
  const AgentTurn turn = run("echo no key; exit 7");
  EXPECT_EQ(turn.ending, Ending::failed);
  EXPECT_EQ(turn.how, "exit code 7");
  EXPECT_EQ(turn.output, "no key\n");
}

TEST_F(AnAgent, ThatIsKilledIsNamedWithTheSignal) {
  const AgentTurn turn = run("kill -SEGV $$");
  EXPECT_EQ(turn.ending, Ending::failed);
  EXPECT_EQ(turn.how, "SIGSEGV");
}

TEST_F(AnAgent, ThatDoesNotExistFails) {
  const AgentTurn turn = run("no-such-agent-anywhere");
  EXPECT_EQ(turn.ending, Ending::failed);
  EXPECT_EQ(turn.how, "exit code 127");
}

TEST_F(AnAgent, ThatHangsIsEndedWithItsProcesses) {
  command_.timeout = duration<double>(0.5);
  const AgentTurn turn = run("sleep 100 & sleep 100");
  EXPECT_EQ(turn.ending, Ending::timed_out);
  EXPECT_THAT(turn.how, HasSubstr("did not end within"));
  EXPECT_THAT(turn.seconds, AllOf(Ge(0.5), Lt(5)));
}

TEST_F(AnAgent, ThatIgnoresToBeAskedIsEndedAllTheSame) {
  command_.timeout = duration<double>(0.5);
  EXPECT_EQ(run("trap '' TERM INT HUP; while :; do sleep 1; done").ending, Ending::timed_out);
}

TEST_F(AnAgent, ThatClosesItsOutputIsStillWaitedFor) {
  const AgentTurn turn = run("exec >&- 2>&-; sleep 0.5; exit 3");
  EXPECT_EQ(turn.how, "exit code 3");
}

TEST_F(AnAgent, LeavesNoProcess) {
  const AgentTurn turn = run("setsid sleep 100 & setsid sleep 100 & echo done");
  EXPECT_EQ(turn.ending, Ending::done);
  EXPECT_EQ(turn.stragglers, 2);
  EXPECT_THAT(turn.seconds, Lt(5));
}

TEST_F(AnAgent, ThatFloodsItsOutputIsReadToTheEndAndKeptInPart) {
  const AgentTurn turn =
      run("echo first; head -c 100000000 /dev/zero | tr '\\0' x; echo; echo last");
  EXPECT_EQ(turn.ending, Ending::done);
  EXPECT_EQ(turn.bytes, 100'000'012U);
  EXPECT_THAT(turn.output,
              AllOf(SizeIs(Lt(1'200'000U)), StartsWith("first\n"), EndsWith("last\n")));
}

TEST_F(AnAgent, ThatFloodsItsOutputWithoutEndMeetsItsTimeout) {
  command_.timeout = duration<double>(0.5);
  const AgentTurn turn = run("cat /dev/zero");
  EXPECT_EQ(turn.ending, Ending::timed_out);
  EXPECT_THAT(turn.seconds, Lt(5));
}

TEST_F(AnAgent, IsEndedByTheFirstSignal) {
  const AgentTurn turn = run("kill -INT " + std::to_string(::getpid()) + "; sleep 100");
  EXPECT_EQ(turn.ending, Ending::interrupted);
  EXPECT_EQ(turn.signal, SIGINT);
  EXPECT_THAT(turn.seconds, Lt(5));
}

TEST_F(AnAgent, IsReportedOnWhileItWorks) {
  std::vector<double> times;
  waiting_ = [&](duration<double> time) { times.push_back(time.count()); };
  static_cast<void>(run("sleep 1"));
  EXPECT_THAT(times, SizeIs(Ge(2U)));
}

TEST(IdeaOf, IsWhatTheFileSays) {
  const test::ScratchFolder folder;
  EXPECT_EQ(idea_of(folder.write("idea.txt", "  tiles of 64\n"), "IDEA: another"), "tiles of 64");
}

TEST(IdeaOf, IsTheLastMarkedLineWithoutAFile) {
  EXPECT_EQ(idea_of("/nowhere", "text\nIDEA: first\nIDEA:second\nno IDEA: at all"), "second");
  EXPECT_EQ(idea_of("/nowhere", "IDEA: without an end"), "without an end");
}

TEST(IdeaOf, IsTheMarkedLineWhereTheFileIsBlank) {
  const test::ScratchFolder folder;
  EXPECT_EQ(idea_of(folder.write("idea.txt", " \n\n"), "IDEA: marked\n"), "marked");
}

TEST(IdeaOf, IsEmptyWithoutAny) {
  EXPECT_EQ(idea_of("/nowhere", "nothing said"), "");
  EXPECT_EQ(idea_of("/nowhere", ""), "");
}

TEST(IdeaOf, IsOneShortLineOfText) {
  const test::ScratchFolder folder;
  const std::string idea =
      idea_of(folder.write("idea.txt", std::string("a\nb\xff") + std::string(5000, 'x')), "");
  EXPECT_THAT(idea, AllOf(StartsWith("a b"), SizeIs(Lt(510U))));
}

TEST(IdeaOf, IsReadThroughNoLink) {
  const test::ScratchFolder folder;
  std::filesystem::create_symlink(folder.write("secret", "a secret"), folder.path() / "idea.txt");
  EXPECT_EQ(idea_of(folder.path() / "idea.txt", "IDEA: marked"), "marked");
}

TEST(IdeaOf, IsReadFromNoFolderAndNoLargeFile) {
  const test::ScratchFolder folder;
  EXPECT_EQ(idea_of(folder.path(), "IDEA: marked"), "marked");
  EXPECT_EQ(idea_of(folder.write("large", std::string((1U << 20U) + 1, 'x')), "IDEA: marked"),
            "marked");
}

}  // namespace
}  // namespace autokernel::loop
