// What forbids a run to start: each refusal says what to do, and nothing has been changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "autokernel/base/error.h"
#include "loop/workplace.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class StartRefusal : public testing::Test {
 protected:
  // What it says; the test fails where anything has been changed.
  [[nodiscard]] std::string refused(Stop stop, const std::string& tag = "demo") const {
    const std::string before = workplace_.snapshot();
    const std::string said = refusal(stop, [&] { workplace_.start(tag); });
    EXPECT_EQ(workplace_.snapshot(), before);
    return said;
  }

  Workplace workplace_;
  const test::ScratchRepository& git_ = workplace_.git();
};

TEST_F(StartRefusal, OfATagWhoseBranchIsThere) {
  git_.git("branch", "autokernel/demo");
  workplace_.repair();
  EXPECT_THAT(refused(Stop::repository), HasSubstr("git switch autokernel/demo"));
}

TEST_F(StartRefusal, WhereABranchIsCalledAsTheFolderOfBranches) {
  git_.git("branch", "autokernel");
  workplace_.repair();
  EXPECT_THAT(refused(Stop::repository), HasSubstr("git branch -m autokernel NAME"));
}

TEST_F(StartRefusal, WhereThereAreBranchesBelowItsName) {
  git_.git("branch", "autokernel/demo/of-mine");
  workplace_.repair();
  EXPECT_THAT(refused(Stop::repository), HasSubstr("choose another tag"));
}

TEST_F(StartRefusal, OfATagThatAnEarlierRunHad) {
  workplace_.start();
  git_.git("checkout", "--quiet", "main");
  git_.git("branch", "--quiet", "-D", "autokernel/demo");
  EXPECT_THAT(refused(Stop::repository),
              AllOf(HasSubstr("refs/autokernel/demo"), HasSubstr("choose another tag")));
}

TEST_F(StartRefusal, OfATagOfWhoseRunOnlySomeExperimentIsLeft) {
  git_.git("update-ref", "refs/autokernel/demo/7", "HEAD");
  workplace_.repair();
  EXPECT_THAT(refused(Stop::repository), HasSubstr("choose another tag"));
}

TEST_F(StartRefusal, OnADetachedHead) {
  git_.git("checkout", "--quiet", "--detach");
  workplace_.repair();
  const std::string said = refusal(Stop::repository, [&] { workplace_.start(); });
  EXPECT_THAT(said, AllOf(HasSubstr("detached"), HasSubstr("git switch BRANCH")));
}

TEST_F(StartRefusal, WhileAMergeIsUnderWay) {
  git_.git("checkout", "--quiet", "-b", "side");
  git_.write("notes.txt", "theirs\n");
  git_.commit("theirs");
  git_.git("checkout", "--quiet", "main");
  git_.write("notes.txt", "ours\n");
  git_.commit("ours");
  EXPECT_NE(git_.try_git(workplace_.root(), {"merge", "side"}).code, 0);
  workplace_.repair();
  EXPECT_THAT(refused(Stop::repository), HasSubstr("git merge --abort"));
}

TEST_F(StartRefusal, WithoutACommit) {
  git_.git("update-ref", "-d", "HEAD");
  workplace_.repair();
  EXPECT_THAT(refusal(Stop::repository, [&] { workplace_.start(); }),
              HasSubstr("git add -A && git commit"));
  EXPECT_FALSE(workplace_.has("results.tsv"));
}

TEST_F(StartRefusal, OfAKernelWithAnEdit) {
  workplace_.edit(kernel(50));
  workplace_.repair();
  EXPECT_THAT(refused(Stop::repository), HasSubstr("git checkout HEAD -- kernels/kernel.cu"));
}

TEST_F(StartRefusal, OfAKernelWithAStagedEdit) {
  workplace_.edit(kernel(50));
  git_.git("add", Workplace::kEditable);
  workplace_.edit(kernel(100));
  workplace_.repair();
  EXPECT_THAT(refused(Stop::repository), HasSubstr("has uncommitted changes"));
}

TEST_F(StartRefusal, OfAKernelThatGitDoesNotKnow) {
  git_.git("rm", "--quiet", "--cached", Workplace::kEditable);
  git_.git("commit", "--quiet", "--message", "without the kernel");
  workplace_.repair();
  EXPECT_THAT(refused(Stop::repository), HasSubstr("git add -f kernels/kernel.cu"));
}

TEST_F(StartRefusal, OfAKernelThatIsALink) {
  fs::rename(workplace_.root() / Workplace::kEditable, workplace_.root() / "kernels/real.cu");
  fs::create_symlink("real.cu", workplace_.root() / Workplace::kEditable);
  git_.commit("a link");
  workplace_.repair();
  EXPECT_THAT(refused(Stop::repository), HasSubstr("not a regular file"));
}

TEST_F(StartRefusal, OfAKernelThatIsMissing) {
  fs::remove(workplace_.root() / Workplace::kEditable);
  workplace_.repair();
  EXPECT_THAT(refused(Stop::repository), HasSubstr("not a regular file"));
}

TEST_F(StartRefusal, OfACaseOutsideTheRepository) {
  StartOptions options = workplace_.start_options();
  options.case_directory = git_.beside("elsewhere");
  EXPECT_THAT(refusal(Stop::usage, [&] { static_cast<void>(workplace_.open().start(options)); }),
              HasSubstr("is not in the repository"));
}

class BadTag : public testing::TestWithParam<std::string> {
 protected:
  Workplace workplace_;
};

TEST_P(BadTag, IsRefusedWithAnExampleOfAGoodOne) {
  EXPECT_THAT(refusal(Stop::usage, [&] { workplace_.start(GetParam()); }), HasSubstr("'tiles-2'"));
}

INSTANTIATE_TEST_SUITE_P(Tags, BadTag,
                         testing::Values("", "a b", "a/b", "../up", "-x", ".hidden", "a..b",
                                         "x.lock", "end.", "a~1", "größer", "a\n",
                                         std::string(65, 'x')));

TEST(StartWithAKernelThatFails, ChangesNothingAndSaysWhy) {
  const Workplace workplace;
  workplace.edit(kernel(100, "WRONG"));
  workplace.git().commit("a wrong kernel");
  const std::string before = workplace.git().git("for-each-ref");
  const Loop::Started started = workplace.start();
  EXPECT_FALSE(started.step);
  EXPECT_EQ(started.result.reason, "element 7 is wrong");
  EXPECT_EQ(workplace.git().git("for-each-ref"), before);
  EXPECT_FALSE(workplace.has("results.tsv"));
  EXPECT_EQ(workplace.git().line("symbolic-ref", "--short", "HEAD"), "main");
}

}  // namespace
}  // namespace autokernel::loop
