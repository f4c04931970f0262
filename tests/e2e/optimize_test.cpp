// `autokernel optimize`: the whole way of the sample, with an agent that is a script.
#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "e2e/program_workplace.h"
#include "e2e/workplace.h"
#include "support/full_test.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Knows a faster kernel for `prefix`, and for nothing else.
constexpr const char* kAgent = R"agent(#!/bin/sh
case "$AUTOKERNEL_KERNEL" in
*prefix*)
  cat > "$AUTOKERNEL_KERNEL" <<'KERNEL'
#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "once", .grid = {1}, .block = {32}});
extern "C" __global__ void once(int* out0, const int* in0, int count) {
  if (threadIdx.x > 0) return;
  for (int i = 0, sum = 0; i < count; ++i) {
    out0[i] = sum;
    if (i < COUNT_in0) sum += in0[i];
  }
}
KERNEL
  ;;
esac
date +'// %N' >> "$AUTOKERNEL_KERNEL"
echo again >> agent-calls
)agent";

class OptimizeProgram : public ProgramWorkplace {
 protected:
  void SetUp() override {
    git("init -q -b main . && git config user.name someone && git config user.email some@one");
    scratch_.write(file("agent.sh"), kAgent);
    fs::permissions(file("agent.sh"), fs::perms::owner_all);
    scratch_.write(file(".gitignore"), "agent-calls\nautokernel-*\n");
    git("add -A && git commit -qm first");
  }
  // Its output; the command is one of the shell's.
  std::string git(const std::string& command) const {  // NOLINT(modernize-use-nodiscard)
    Invocation invocation = autokernel({"-c", "git " + command});
    invocation.program = "/bin/sh";
    const Outcome done = run(invocation);
    EXPECT_EQ(done.code, 0) << done.err;
    return done.out;
  }
  [[nodiscard]] Outcome optimize(const Words& more, const Words& program) const {
    // The first steps compile the kernels.
    Words options = {"--top", "1", "--max-runs", "2", "--range", "step", "--warmup", "3"};
    for (const char* const word : {"--same-output", "--agent"}) options.emplace_back(word);
    options.push_back(file("agent.sh").string());
    options.insert(options.end(), more.begin(), more.end());
    return run(on_program("optimize", options, program));
  }
  [[nodiscard]] std::string report() const { return contents(file("autokernel-report.md")); }
};

TEST_F(OptimizeProgram, ComesFromAProgramToAKernelThatRunsInIt) {
  const Outcome done = optimize({}, sample({"20"}));
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr("== 1 profile\n"), HasSubstr("== 2 extract\n"),
                              HasSubstr("committed   4 files of cases on main\n"),
                              HasSubstr("== 3 loop\n"), HasSubstr("== 4 verify\n"),
                              HasSubstr("prefix: right\n"), HasSubstr("20 of 20 launches replaced"),
                              HasSubstr("written     autokernel-report.md\n")));
  EXPECT_THAT(report(), AllOf(HasSubstr("| prefix | prefix |"), HasSubstr("## In the program"),
                              HasSubstr("| 20 of 20 |"), HasSubstr("| right |")));
  EXPECT_EQ(git("log --format=%s main"), "Cases of sample_model\nfirst\n");
  const Outcome applied = run(on_program("apply", {"-q"}, sample({"9"})));
  EXPECT_EQ(checksum_in(applied.out), checksum_in(run_alone(sample({"9"})).out));
  EXPECT_THAT(run(autokernel({"plan"})).out, HasSubstr("in the program  "));
  expect_nothing_left();
}

TEST_F(OptimizeProgram, GoesOnWhereItStopped) {
  if (!everything_is_wanted()) GTEST_SKIP() << "ten seconds; AUTOKERNEL_TEST_FULL=1 takes it";
  // Without an agent it does not begin.
  const Outcome none = run(on_program("optimize", {}, sample()));
  expect_early_refusal(none, 2, "optimize needs --agent CMD");
  EXPECT_FALSE(fs::exists(file("autokernel-profile.json")));
  // The program does not end in time while it is verified.
  const Outcome stopped = optimize({"--check", "exit 1"}, sample({"5"}));
  EXPECT_EQ(stopped.code, 2) << stopped.out << stopped.err;
  EXPECT_THAT(stopped.err, AllOf(HasSubstr("--check does not accept it"),
                                 HasSubstr("optimize stops, as 'verify' ended with 2")));
  const std::string calls = contents(file("agent-calls"));
  const Outcome done = optimize({}, sample({"5"}));
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr("== 3 loop: done before\n"), HasSubstr("== 4 verify\n")));
  EXPECT_EQ(contents(file("agent-calls")), calls);
  // Once it is all done, there is nothing but the report, for which nobody need be named.
  const Outcome again = run(on_program("optimize", {"--same-output"}, sample({"5"})));
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, AllOf(HasSubstr("== 4 verify: done before\n"), HasSubstr("| right |")));
  // What is to be compared otherwise is compared again.
  const Outcome otherwise = run(on_program("optimize", {}, sample({"5"})));
  EXPECT_EQ(otherwise.code, 0) << otherwise.err;
  EXPECT_THAT(otherwise.out,
              AllOf(HasSubstr("== 3 loop: done before\n"), HasSubstr("in the program, ")));
}

TEST_F(OptimizeProgram, GoesOnAfterAStageThatFailed) {
  if (!everything_is_wanted()) GTEST_SKIP() << "ten seconds; AUTOKERNEL_TEST_FULL=1 takes it";
  Words wrong = {"--range", "no-such-range", "--agent", file("agent.sh").string()};
  const Outcome failed = run(on_program("optimize", wrong, sample({"5"})));
  EXPECT_NE(failed.code, 0);
  EXPECT_THAT(failed.err, HasSubstr("optimize stops, as 'profile' ended with"));
  EXPECT_EQ(optimize({}, sample({"5"})).code, 0);
}

TEST_F(OptimizeProgram, MakesNoCaseTwiceWhereItWasStoppedInBetween) {
  if (!everything_is_wanted()) GTEST_SKIP() << "ten seconds; AUTOKERNEL_TEST_FULL=1 takes it";
  Words wrong = {"--range", "no-such-range", "--agent", file("agent.sh").string()};
  EXPECT_NE(run(on_program("optimize", wrong, sample({"5"}))).code, 0);
  // As if it had been stopped when the cases had been made, but not yet committed.
  EXPECT_EQ(run(on_program("profile", {"--range", "step"}, sample({"5"}))).code, 0);
  EXPECT_EQ(run(on_program("extract", {}, sample({"5"}))).code, 0);
  EXPECT_EQ(optimize({}, sample({"5"})).code, 0);
  EXPECT_TRUE(fs::exists(file("cases/prefix")));
  EXPECT_FALSE(fs::exists(file("cases/prefix_2")));
}

TEST_F(OptimizeProgram, StartsTheAgentAgainWhereItHasAchievedNothing) {
  if (!everything_is_wanted()) GTEST_SKIP() << "ten seconds; AUTOKERNEL_TEST_FULL=1 takes it";
  scratch_.write(file("idle.sh"), "#!/bin/sh\nexit 1\n");
  fs::permissions(file("idle.sh"), fs::perms::owner_all);
  git("add idle.sh && git commit -qm idle");
  const Words with_idle = {"--top",    "1", "--range", "step",
                           "--warmup", "3", "--agent", file("idle.sh").string()};
  const Outcome idle = run(on_program("optimize", with_idle, sample({"5"})));
  EXPECT_EQ(idle.code, 3) << idle.out << idle.err;
  EXPECT_THAT(idle.err, HasSubstr("no kernel became faster, so that there is nothing to verify"));
  EXPECT_THAT(report(), HasSubstr("| prefix | prefix |"));
  const Outcome done = optimize({}, sample({"5"}));
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_THAT(done.out, HasSubstr("5 of 5 launches replaced"));
}

TEST_F(OptimizeProgram, TakesOverNothingOfAnotherProgramNorOfAFileThatIsCut) {
  if (!everything_is_wanted()) GTEST_SKIP() << "ten seconds; AUTOKERNEL_TEST_FULL=1 takes it";
  EXPECT_EQ(optimize({}, sample({"5"})).code, 0);
  const std::string whole = contents(file("autokernel-optimize.json"));
  for (std::size_t size = 0; size + 2 < whole.size(); size += 25) {
    scratch_.write(file("autokernel-optimize.json"), whole.substr(0, size));
    EXPECT_EQ(optimize({}, sample({"5"})).code, 2) << size;
  }
  scratch_.write(file("autokernel-optimize.json"), whole);
  expect_early_refusal(optimize({}, sample({"6"})), 2, "it is of another program");
  fs::remove(file("autokernel-optimize.json"));
  expect_early_refusal(optimize({}, sample({"5"})), 2, "which optimize did not make");
}

TEST_F(OptimizeProgram, RefusesWhatCannotBeBegun) {
  expect_early_refusal(run(on_program("optimize", {}, {})), 2, "optimize needs a program");
  expect_early_refusal(optimize({"--metric", "("}, sample()), 2, "--metric '('");
  expect_early_refusal(optimize({"--metric", "abc"}, sample()), 2, "--metric 'abc'");
  expect_early_refusal(run(on_program("optimize", {"--agent", " "}, sample())), 2, "is empty");
  const Outcome missing = optimize({}, {"no-such-program"});
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("cannot run 'no-such-program'"));
  fs::remove_all(file(".git"));
  git("init -q -b main .");
  const Outcome unborn = optimize({}, sample());
  EXPECT_EQ(unborn.code, 4) << unborn.err;
  EXPECT_THAT(unborn.err, HasSubstr("the repository has no commit yet"));
  EXPECT_THAT(unborn.out, IsEmpty());
  fs::remove_all(file(".git"));
  const Outcome nowhere = optimize({}, sample());
  EXPECT_EQ(nowhere.code, 4) << nowhere.err;
  EXPECT_THAT(nowhere.out, IsEmpty());
}

}  // namespace
}  // namespace autokernel::test
