// A run as a user sees it: one experiment of each kind, what is told of them, and its end.
#include <gmock/gmock.h>

#include <algorithm>

#include "e2e/loop_workplace.h"

namespace autokernel::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

class LoopStory : public LoopWorkplace {
 protected:
  LoopStory() { begun_ = start(); }

  // The experiment was taken back: the branch and the kernel are the baseline's.
  void expect_taken_back(const Outcome& step, int code, const std::string& verdict) const {
    EXPECT_EQ(step.code, code) << step.out << step.err;
    EXPECT_EQ(value_of("verdict", step.out), verdict);
    EXPECT_THAT(value_of("reason", step.out), Not(IsEmpty()));
    EXPECT_THAT(value_of("next", step.out), Not(IsEmpty()));
    EXPECT_THAT(value_of("file", step.out), StartsWith("kernels/kernel.cu restored to "));
    expect_at(experiment(0));
    EXPECT_EQ(kernel_now(), kernel(kSlow));
    expect_nothing_left();
  }
  // Nothing was done: no row, no reference, and the edit is still there.
  void expect_refused(const Outcome& step, int code, const std::string& words,
                      const std::string& edited) const {
    expect_words(step, code, words);
    EXPECT_THAT(rows(), ElementsAre("keep baseline"));
    EXPECT_EQ(head(), experiment(0));
    EXPECT_EQ(kernel_now(), edited);
    EXPECT_EQ(repository_.line("for-each-ref", "--format=%(refname)", "refs/autokernel"),
              "refs/autokernel/demo/0");
    expect_nothing_left();
  }
  static void expect_words(const Outcome& run, int code, const std::string& words) {
    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_THAT(run.out, IsEmpty());
    EXPECT_THAT(run.err, AllOf(StartsWith("autokernel: "), HasSubstr(words)));
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }

  Outcome begun_;
};

TEST_F(LoopStory, BeginsOnABranchOfItsOwnWithTheBaseline) {
  EXPECT_THAT(begun_.err, IsEmpty());
  EXPECT_EQ(value_of("correct", begun_.out), "True");
  EXPECT_EQ(value_of("verdict", begun_.out), "baseline");
  EXPECT_EQ(value_of("status", begun_.out), "keep");
  EXPECT_EQ(experiment(0), repository_.line("rev-parse", "main"));
  EXPECT_THAT(rows(), ElementsAre("keep baseline"));
  expect_at(experiment(0));
  expect_nothing_left();
}

TEST_F(LoopStory, KeepsAFasterKernel) {
  const Outcome kept = step(kernel(kFaster), "a tenth of the rounds");
  EXPECT_EQ(kept.code, 0) << kept.out << kept.err;
  EXPECT_EQ(value_of("verdict", kept.out), "kept");
  EXPECT_EQ(value_of("status", kept.out), "keep");
  EXPECT_EQ(kernel_now(), kernel(kFaster));
  expect_at(experiment(1));
  EXPECT_EQ(repository_.line("rev-parse", "HEAD~1"), experiment(0));
  EXPECT_EQ(repository_.line("log", "-1", "--format=%s"), "a tenth of the rounds");
  EXPECT_EQ(repository_.line("diff-tree", "--no-commit-id", "--name-only", "-r", "HEAD"), kKernel);
  EXPECT_THAT(rows(), ElementsAre("keep baseline", "keep a tenth of the rounds"));
  expect_nothing_left();
}

TEST_F(LoopStory, TakesASlowerKernelBack) {
  expect_taken_back(step(kernel(10 * kSlow), "ten times the rounds"), 10, "not faster");
  EXPECT_THAT(rows(), ElementsAre("keep baseline", "discard ten times the rounds"));
  EXPECT_EQ(repository_.git("show", experiment(1) + ":kernels/kernel.cu"), kernel(10 * kSlow));
}

TEST_F(LoopStory, TakesAWrongKernelBack) {
  expect_taken_back(step(wrong_kernel(), "three times x"), 11, "incorrect");
  EXPECT_THAT(rows(), ElementsAre("keep baseline", "crash three times x"));
  EXPECT_THAT(repository_.read("results.tsv"), HasSubstr("\t999999.000\t0.00\tcrash\t"));
}

TEST_F(LoopStory, TakesAKernelBackThatDoesNotCompile) {
  expect_taken_back(step(kernel_that_does_not_compile(), "a flaot"), 12, "does not compile");
  EXPECT_THAT(rows(), ElementsAre("keep baseline", "crash a flaot"));
}

TEST_F(LoopStory, TakesAKernelBackThatHangs) {
  const Outcome hung = step(endless_kernel(), "never end", {"--timeout", "2"});
  expect_taken_back(hung, 13, "timed out");
  EXPECT_THAT(value_of("reason", hung.out),
              AllOf(HasSubstr("more than 2 s"), HasSubstr("when it was stopped: "),
                    HasSubstr("at kernel.cu:")));
  EXPECT_THAT(rows(), ElementsAre("keep baseline", "crash never end"));
}

TEST_F(LoopStory, TakesAKernelBackThatTheEmulatedDeviceCannotRunAndGoesOn) {
  const std::string store =
      R"(asm("multimem.red.relaxed.sys.global.add.f32 [%0], %1;" :: "l"(z + i), "f"(sum));)";
  const Outcome lacking = step(kernel_with(kFaster, "z[i] = sum;", store), "multicast memory");
  expect_taken_back(lacking, 17, "unsupported");
  EXPECT_THAT(value_of("reason", lacking.out), StartsWith("kernel.cu:"));
  EXPECT_THAT(value_of("reason", lacking.out), HasSubstr("multimem.red"));
  EXPECT_THAT(value_of("next", lacking.out),
              StartsWith("write it another way, or measure on a GPU"));
  EXPECT_EQ(step(kernel(kFaster), "a tenth of the rounds").code, 0);
  EXPECT_THAT(rows(),
              ElementsAre("keep baseline", "crash multicast memory", "keep a tenth of the rounds"));
  EXPECT_THAT(value_of("experiments", run_autokernel({"loop", "status"}).out),
              HasSubstr("1 failed"));
}

TEST_F(LoopStory, ShowsThePtxOfWhatCompiled) {
  (void)step(kernel_that_does_not_compile(), "a flaot");
  const Outcome baseline = run_autokernel({"show", "0", "--ptx"});
  EXPECT_EQ(baseline.code, 0) << baseline.err;
  EXPECT_THAT(baseline.out, AllOf(HasSubstr(".version"), HasSubstr(".entry")));
  EXPECT_EQ(repository_.read(".autokernel/runs/demo/0.ptx"), baseline.out);
  expect_words(run_autokernel({"show", "1", "--ptx"}), 2, "no PTX of experiment 1 is kept");
}

TEST_F(LoopStory, RefusesAStepThatChangesTheCase) {
  edit(kernel(kFaster));
  repository_.write("kernels/case.toml", repository_.read("kernels/case.toml") + "# easier\n");
  repository_.write("kernels/mine.h", "int x;\n");
  expect_refused(run_autokernel({"loop", "step", "-m", "an easier case"}), 15,
                 "kernels/case.toml (modified), kernels/mine.h (new)", kernel(kFaster));
  EXPECT_THAT(repository_.read("kernels/case.toml"), EndsWith("# easier\n"));
  EXPECT_THAT(value_of("next", run_autokernel({"loop", "status"}).out),
              HasSubstr("restore what was changed besides kernels/kernel.cu: kernels/case.toml"));
}

TEST_F(LoopStory, RefusesAStepWithoutAnEdit) {
  expect_refused(step(kernel(kSlow), "nothing"), 2, "nothing to try", kernel(kSlow));
}

TEST_F(LoopStory, RefusesAnEditOfCommentsAlone) {
  const std::string commented = kernel(kSlow) + "// faster now\n";
  expect_refused(step(commented, "a comment"), 2, "except for comments and white space", commented);
}

TEST_F(LoopStory, RefusesAStepWithoutAnIdea) {
  expect_refused(step(kernel(kFaster), "  "), 2, "needs its idea", kernel(kFaster));
}

TEST_F(LoopStory, RefusesWhatWasTriedBeforeUnlessItIsAskedForAgain) {
  EXPECT_EQ(step(wrong_kernel(), "three times x").code, 11);
  const std::string again = "// once more\n" + wrong_kernel();
  const Outcome refused = step(again, "once more");
  expect_words(refused, 2,
               "this source was tried before: experiment 1 (" + experiment(1).substr(0, 7) +
                   "), \"three times x\": incorrect");
  EXPECT_THAT(refused.err, HasSubstr("; --again tries it once more"));
  EXPECT_EQ(kernel_now(), again);
  EXPECT_EQ(step(again, "once more", {"--again"}).code, 11);
  EXPECT_THAT(rows(), ElementsAre("keep baseline", "crash three times x", "crash once more"));
}

// With the device of the ledger in it; and the picture is no change of the user's.
TEST_F(LoopStory, IsDrawnWithWhatTheLedgerKnowsAndGoesOn) {
  EXPECT_EQ(step(kernel(kFaster), "a tenth of the rounds").code, 0);
  const Outcome drawn = run_autokernel({"plot", "--output", "progress.svg"});
  if (drawn.code == 3) GTEST_SKIP() << drawn.err;
  EXPECT_EQ(drawn.code, 0) << drawn.err;
  const std::string picture = repository_.read("progress.svg");
  EXPECT_THAT(picture, HasSubstr("on CPU, emulated CUDA driver"));
  EXPECT_THAT(picture,
              HasSubstr("baseline and 1 experiment: 1 kept, 0 discarded, 0 failed (run demo)"));
  EXPECT_THAT(picture, HasSubstr("a tenth of the rounds"));
  EXPECT_EQ(step(wrong_kernel(), "three times x").code, 11);
}

// What is told of a run with one experiment of each kind.
TEST_F(LoopStory, IsToldByStatusLogShowAndDiff) {
  const std::string long_idea(400, 'w');
  EXPECT_EQ(step(kernel(kFaster), "a tenth of the rounds").code, 0);
  EXPECT_EQ(step(wrong_kernel(), long_idea).code, 11);
  EXPECT_EQ(step(kernel(kSlow - 1), "a round less than at first").code, 10);

  const Outcome status = run_autokernel({"loop", "status"});
  EXPECT_EQ(status.code, 0) << status.err;
  EXPECT_LT(status.out.size(), 1000U) << status.out;
  EXPECT_THAT(value_of("experiments", status.out), "3 (1 kept, 1 discarded, 1 failed)");
  EXPECT_THAT(value_of("best", status.out), EndsWith(": a tenth of the rounds"));
  EXPECT_EQ(value_of("streak", status.out), "2");
  EXPECT_EQ(value_of("should_continue", status.out), "yes");
  const json object = json::parse(run_autokernel({"loop", "status", "--json"}).out);
  EXPECT_EQ(object.at("best").at("commit"), experiment(1));
  EXPECT_GT(object.at("gain_over_baseline"), 0.5);
  EXPECT_EQ(object.at("should_continue"), true);

  const std::string log = run_autokernel({"log"}).out;
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 5) << log;
  EXPECT_THAT(run_autokernel({"log", "--status", "crash"}).out,
              AllOf(HasSubstr("incorrect"), Not(HasSubstr("kept"))));
  EXPECT_THAT(run_autokernel({"log", "--grep", "round less"}).out,
              AllOf(HasSubstr("not faster"), Not(HasSubstr("incorrect"))));
  EXPECT_THAT(run_autokernel({"log", "-n", "1"}).out,
              AllOf(HasSubstr("not faster"), Not(HasSubstr("kept"))));
  EXPECT_THAT(run_autokernel({"log", "--all"}).out, HasSubstr("demo:\n   0 "));
  EXPECT_EQ(run_autokernel({"log", "--tag", "other", "--json"}).out, "");
  EXPECT_EQ(json::parse(run_autokernel({"log", "-n", "1", "--json"}).out).at("number"), 3);

  const std::string shown = run_autokernel({"show", "1"}).out;
  EXPECT_EQ(value_of("experiment", shown), "1 of run demo");
  EXPECT_EQ(value_of("commit", shown), experiment(1));
  EXPECT_EQ(value_of("verdict", shown), "kept");
  EXPECT_EQ(run_autokernel({"show", "2", "--source"}).out, wrong_kernel());
  EXPECT_THAT(run_autokernel({"show", "1", "--samples"}).out,
              StartsWith("n\tkernel_us\tagainst_us\treference_us\n1\t"));
  EXPECT_EQ(json::parse(run_autokernel({"show", "1", "--json"}).out).at("result").at("correct"),
            true);
  EXPECT_EQ(json::parse(run_autokernel({"show", "1", "--json"}).out)
                .at("result")
                .at("conditions")
                .at("clean"),
            true);
  expect_words(run_autokernel({"show", "2", "--samples"}), 2, "no samples");
  expect_words(run_autokernel({"show", "9"}), 2, "there is no experiment 9");

  EXPECT_THAT(run_autokernel({"diff", "2"}).out,
              AllOf(HasSubstr("-  for (int round = 0; round < 3000; ++round) sum = 2 * x[i]"),
                    HasSubstr("+  for (int round = 0; round < 3000; ++round) sum = 3 * x[i]")));
  EXPECT_THAT(run_autokernel({"diff", "2", "0"}).out,
              AllOf(HasSubstr("-  for (int round = 0; round < 3000; ++round) sum = 3"),
                    HasSubstr("+  for (int round = 0; round < 30000; ++round) sum = 2")));
  expect_words(run_autokernel({"diff", "0"}), 2, "has no incumbent");
}

TEST_F(LoopStory, RestoresAnExperimentAndNeverWritesOverAnEdit) {
  EXPECT_EQ(step(wrong_kernel(), "three times x").code, 11);
  EXPECT_EQ(run_autokernel({"restore", "1"}).code, 0);
  EXPECT_EQ(kernel_now(), wrong_kernel());
  EXPECT_EQ(head(), experiment(0));
  EXPECT_EQ(run_autokernel({"restore", "0"}).code, 0);
  EXPECT_EQ(kernel_now(), kernel(kSlow));
  edit(kernel(kFaster));
  expect_words(run_autokernel({"restore", "1"}), 4, "in no experiment");
  EXPECT_EQ(kernel_now(), kernel(kFaster));
}

TEST_F(LoopStory, EndsInABranchThatMerges) {
  EXPECT_EQ(step(kernel(kFaster), "a tenth of the rounds").code, 0);
  EXPECT_EQ(step(wrong_kernel(), "three times x").code, 11);
  int last = 3;
  int code = step(kernel(kFastest), "a tenth once more").code;
  // A busy machine may leave it open.
  for (; code == 16 && last < 8; ++last)
    code = step(kernel(kFastest), "a tenth once more", {"--again"}).code;
  EXPECT_EQ(code, 0);
  const Outcome finish = run_autokernel({"loop", "finish", "--processes", "3"});
  EXPECT_EQ(finish.code, 0) << finish.out << finish.err;
  EXPECT_EQ(value_of("branch", finish.out), "autokernel/demo-kept");
  EXPECT_THAT(value_of("over_baseline", finish.out),
              MatchesRegex("[0-9.]+ times as fast \\(95 %: [0-9.]+ to [0-9.]+\\)"));
  expect_at(experiment(last));
  expect_nothing_left();
  const json headline = entries("run_finished").at(0);
  EXPECT_EQ(headline.at("best"), experiment(last));
  EXPECT_GT(headline.at("over_baseline").at("ratio"), 1);
  // Where others hold one of the processes up, the interval of three may include 1.
  EXPECT_EQ(value_of("verdict", finish.out), headline.at("over_baseline").at("low") > 1
                                                 ? "confirmed"
                                                 : "not confirmed: the interval includes 1");
  EXPECT_EQ(repository_.git("log", "--reverse", "--format=%s", "main..autokernel/demo-kept"),
            "a tenth of the rounds\na tenth once more\n");
  EXPECT_THAT(repository_.git("log", "-1", "--format=%b", "autokernel/demo-kept"),
              HasSubstr("% less time than before"));

  const Outcome status = run_autokernel({"loop", "status"});
  EXPECT_THAT(value_of("should_continue", status.out), StartsWith("no: the run was finished"));

  repository_.git("switch", "--quiet", "main");
  repository_.git("merge", "--quiet", "autokernel/demo-kept");
  EXPECT_EQ(kernel_now(), kernel(kFastest));
}

TEST_F(LoopStory, TakesNoSecondRunOfItsName) {
  expect_words(run_autokernel({"loop", "start", "demo"}), 4,
               "the branch autokernel/demo already exists");
}

TEST_F(LoopStory, GoesOnAsItWasStartedAndOnNothingElse) {
  edit(kernel(kFaster));
  expect_words(run_autokernel({"loop", "step", "-m", "x", "--device", "cuda:1"}), 2,
               "was started with --device cpu");
  expect_words(run_autokernel({"loop", "step", "-m", "x", "--case", "elsewhere"}), 2,
               "was started with --case kernels");
  EXPECT_EQ(
      run_autokernel({"loop", "step", "-m", "x", "--case", "kernels", "--device", "cpu"}).code, 0);
}

}  // namespace
}  // namespace autokernel::test
