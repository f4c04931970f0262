// The repositories that people have: subfolders, worktrees, line ends, and files of their own.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "autokernel/base/search_path.h"
#include "e2e/loop_workplace.h"
#include "support/scratch_folder.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class LoopPlaces : public LoopWorkplace {
 protected:
  // A step that is kept and one that is taken back.
  void expect_both_outcomes_work() const {
    const Outcome kept = step(kernel(kFaster), "a tenth of the rounds");
    EXPECT_EQ(kept.code, 0) << kept.out << kept.err;
    const Outcome wrong = step(wrong_kernel(), "three times x");
    EXPECT_EQ(wrong.code, 11) << wrong.out << wrong.err;
    EXPECT_EQ(head(), experiment(1));
    EXPECT_THAT(rows(),
                ElementsAre("keep baseline", "keep a tenth of the rounds", "crash three times x"));
    expect_nothing_left();
  }
};

TEST_F(LoopPlaces, AnySubfolderWillDo) {
  const fs::path inside = repository_.root() / "docs" / "deep";
  fs::create_directories(inside);
  const Outcome begun =
      run_in(inside, {"loop", "start", "demo", "--device", "cpu", "--size", "check"});
  EXPECT_EQ(begun.code, 0) << begun.out << begun.err;
  edit(wrong_kernel());
  EXPECT_EQ(run_in(inside, {"loop", "step", "-m", "three times x"}).code, 11);
  EXPECT_EQ(value_of("best", run_in(inside, {"loop", "status"}).out).substr(0, 3), "0 (");
  EXPECT_EQ(run_in(repository_.root() / "kernels", {"restore", "1"}).code, 0);
  EXPECT_EQ(kernel_now(), wrong_kernel());
  EXPECT_THAT(rows(), ElementsAre("keep baseline", "crash three times x"));
  EXPECT_FALSE(fs::exists(inside / ".autokernel"));
}

TEST_F(LoopPlaces, ALinkedWorktreeHasARunOfItsOwnAndWaitsForTheDevice) {
  start();
  const fs::path linked = repository_.beside("linked");
  repository_.git("worktree", "add", "--quiet", "-b", "second", linked.string(), "main");
  const Outcome begun =
      run_in(linked, {"loop", "start", "linked", "--device", "cpu", "--size", "check"});
  EXPECT_EQ(begun.code, 0) << begun.out << begun.err;

  edit(endless_kernel());
  std::ofstream(linked / kKernel) << wrong_kernel();
  RunningProgram here(
      autokernel({"loop", "step", "-m", "never end", "--timeout", "3", "--verbose"}));
  while (here.err_so_far().find("entered phase check") == std::string::npos) ::usleep(10000);
  const Outcome there = run_in(linked, {"loop", "step", "-m", "three times x", "--verbose"});
  EXPECT_EQ(there.code, 11) << there.out << there.err;
  EXPECT_THAT(there.err, HasSubstr("entered phase queue"));
  EXPECT_EQ(here.wait().code, 13);

  EXPECT_THAT(rows(), ElementsAre("keep baseline", "crash never end"));
  EXPECT_THAT(contents(linked / "results.tsv"), HasSubstr("\tcrash\tthree times x\n"));
  EXPECT_EQ(repository_.line("log", "-1", "--format=%s", "refs/autokernel/linked/1"),
            "three times x");
  EXPECT_EQ(repository_.line("rev-parse", "autokernel/linked"),
            repository_.line("rev-parse", "main"));
}

TEST_F(LoopPlaces, ASecondLoopOnTheSameWorktreeIsRefusedAndTheFirstNamed) {
  start();
  edit(endless_kernel());
  RunningProgram first(
      autokernel({"loop", "step", "-m", "never end", "--timeout", "3", "--verbose"}));
  while (first.err_so_far().find("entered phase check") == std::string::npos) ::usleep(10000);
  const Outcome second = run_autokernel({"loop", "step", "-m", "me, too"});
  EXPECT_EQ(second.code, 4) << second.out << second.err;
  EXPECT_THAT(second.err,
              AllOf(HasSubstr("autokernel loop step"), HasSubstr(std::to_string(first.id()))));
  EXPECT_EQ(run_autokernel({"loop", "status"}).code, 0);
  EXPECT_EQ(first.wait().code, 13);
  EXPECT_THAT(rows(), ElementsAre("keep baseline", "crash never end"));
}

TEST_F(LoopPlaces, LineEndsThatGitConvertsAreNoEdit) {
  repository_.git("config", "core.autocrlf", "true");
  fs::remove_all(repository_.root() / "kernels");
  repository_.git("checkout", "--", "kernels");
  EXPECT_THAT(kernel_now(), HasSubstr("\r\n"));
  start();
  expect_both_outcomes_work();
  EXPECT_THAT(kernel_now(), HasSubstr("round < 3000; ++round) sum = 2 * x[i] + y[i];\r\n"));
  EXPECT_EQ(repository_.git("show", "HEAD:kernels/kernel.cu"), kernel(kFaster));
  EXPECT_EQ(repository_.git("status", "--porcelain"), "?? results.tsv\n");
}

TEST_F(LoopPlaces, WithoutAUserNameItSaysWhoseNameItTakes) {
  repository_.git("config", "--unset", "user.name");
  repository_.git("config", "--unset", "user.email");
  const Outcome begun = start();
  EXPECT_THAT(begun.err,
              StartsWith("autokernel: git has no user.name here: experiments are committed as "));
  expect_both_outcomes_work();
}

TEST_F(LoopPlaces, ATrackedTableOfResultsKeepsItsRowsThroughEveryRevert) {
  repository_.write("results.tsv", "commit\tmedian_us\ttflops_s\tstatus\tdescription\n");
  repository_.commit("an empty table");
  start();
  expect_both_outcomes_work();
  EXPECT_EQ(repository_.git("status", "--porcelain"), " M results.tsv\n");
  EXPECT_EQ(repository_.git("diff", "--name-only", "main", "HEAD"), "kernels/kernel.cu\n");
}

TEST_F(LoopPlaces, AnIgnoredTableOfResultsKeepsItsRows) {
  repository_.write(".gitignore", "results.tsv\n");
  repository_.commit("ignore the table");
  start();
  expect_both_outcomes_work();
  EXPECT_EQ(repository_.git("status", "--porcelain"), "");
}

TEST_F(LoopPlaces, TheRowsOfAnEarlierRunAreMovedAside) {
  const std::string rows_of_yore =
      "commit\tmedian_us\ttflops_s\tstatus\tdescription\n0123456\t1.000\t1.00\tkeep\tof yore\n";
  repository_.write("results.tsv", rows_of_yore);
  const Outcome begun = start();
  EXPECT_THAT(begun.err, HasSubstr("the rows of an earlier run are in "));
  EXPECT_EQ(repository_.read(".autokernel/aside/results-1.tsv"), rows_of_yore);
  EXPECT_THAT(rows(), ElementsAre("keep baseline"));
}

TEST_F(LoopPlaces, ChangesOfTheUsersElsewhereAreLeftAlone) {
  repository_.write("notes.txt", "committed\n");
  repository_.write("gone.txt", "committed\n");
  repository_.commit("files of the user's");
  repository_.write("notes.txt", "changed\n");
  repository_.write("staged.txt", "staged\n");
  repository_.git("add", "staged.txt");
  repository_.write("new.txt", "new\n");
  fs::remove(repository_.root() / "gone.txt");
  const std::string before = repository_.git("status", "--porcelain");
  start();
  expect_both_outcomes_work();
  EXPECT_EQ(repository_.git("status", "--porcelain", "--", ":!results.tsv"), before);
  EXPECT_EQ(repository_.read("notes.txt"), "changed\n");

  repository_.write("new.txt", "changed since\n");
  const Outcome refused = step(kernel(kFastest), "with another file");
  EXPECT_EQ(refused.code, 15);
  EXPECT_THAT(refused.err, HasSubstr("new.txt (modified)"));
  EXPECT_EQ(repository_.read("new.txt"), "changed since\n");
}

TEST_F(LoopPlaces, ARunIsReadOnADiskThatIsMountedToBeReadOnly) {
  start();
  ASSERT_EQ(step(kernel(kFaster), "faster").code, 0);
  fs::remove(repository_.root() / ".autokernel/ledger.index");
  fs::remove(repository_.root() / ".git/autokernel-lock");
  // In a mount namespace of its own, where the repository is read only.
  const auto read_only = [&](Invocation invocation) {
    std::vector<std::string> arguments = {
        "-rm", "sh", "-c",
        "mount --bind . . && mount -o remount,ro,bind . && cd \"$PWD\" && exec \"$0\" \"$@\"",
        invocation.program.string()};
    arguments.insert(arguments.end(), invocation.arguments.begin(), invocation.arguments.end());
    invocation.program = find_on_path("unshare");
    invocation.arguments = std::move(arguments);
    return test::run(invocation);
  };
  Invocation touch = autokernel({"written"});
  touch.program = find_on_path("true");
  if (find_on_path("unshare").empty() || read_only(touch).code != 0) {
    GTEST_SKIP() << "this user may not mount";
  }
  touch.program = find_on_path("touch");
  ASSERT_NE(read_only(touch).code, 0);
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"loop", "status"}, {"log"}, {"show", "1"}, {"diff", "1"}, {"show", "1", "--source"}}) {
    const Outcome outcome = read_only(autokernel(command));
    EXPECT_EQ(outcome.code, 0) << command.front() << ": " << outcome.err;
    EXPECT_EQ(outcome.err, "") << command.front();
    EXPECT_EQ(outcome.out, run_autokernel(command).out) << command.front();
  }
  const Outcome verified = read_only(autokernel({"verify-run", "--processes", "2"}));
  // Two processes on a busy machine may leave open how fast the kernel is.
  EXPECT_THAT(verified.code, AnyOf(0, 16)) << verified.out << verified.err;
  EXPECT_EQ(value_of("record", verified.out), "as it was written");
}

TEST_F(LoopPlaces, AStartIsRefusedWhereTheKernelIsInNoCommit) {
  edit(kernel(kFaster));
  const Outcome refused = run_autokernel({"loop", "start", "demo", "--device", "cpu"});
  EXPECT_EQ(refused.code, 4);
  EXPECT_THAT(refused.err, HasSubstr("has uncommitted changes"));
  EXPECT_EQ(repository_.line("symbolic-ref", "HEAD"), "refs/heads/main");
  EXPECT_FALSE(fs::exists(repository_.root() / "results.tsv"));
}

TEST_F(LoopPlaces, AKernelThatFailsStartsNothing) {
  edit(wrong_kernel());
  repository_.commit("wrong");
  const Outcome refused =
      run_autokernel({"loop", "start", "demo", "--device", "cpu", "--size", "check"});
  EXPECT_EQ(refused.code, 11) << refused.err;
  EXPECT_EQ(value_of("verdict", refused.out), "incorrect");
  EXPECT_THAT(refused.err, HasSubstr("no run was started"));
  EXPECT_EQ(repository_.line("symbolic-ref", "HEAD"), "refs/heads/main");
  EXPECT_EQ(repository_.git("for-each-ref", "refs/autokernel", "refs/heads/autokernel"), "");
}

}  // namespace
}  // namespace autokernel::test
