// Git's own settings, by which what is judged could be another thing than what lies in the worktree
// and comes out of a checkout.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/loop/drive.h"
#include "autokernel/loop/verification.h"
#include "loop/workplace.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

constexpr const char* kAttributes = ".git/info/attributes";
constexpr const char* kExclude = ".git/info/exclude";

class GitRules : public testing::Test {
 protected:
  [[nodiscard]] std::string step_refused() const {
    workplace_.edit(kernel(80, "// $Id$"));
    return refusal(Stop::scope,
                   [&] { static_cast<void>(workplace_.open().step({.idea = "an idea"})); });
  }
  [[nodiscard]] std::string finish_refused() const {
    return refusal(Stop::scope, [&] { static_cast<void>(workplace_.open().finish(1)); });
  }
  [[nodiscard]] Driven drive(const std::string& agent) const {
    DriveOptions options;
    options.budget.max_runs = 1;
    options.agent = agent + "\necho 'constexpr float time_us = 80;' > \"$AUTOKERNEL_KERNEL\"\n";
    Loop loop = workplace_.open("autokernel loop run");
    return loop.drive(options, {});
  }
  Workplace workplace_;
  const test::ScratchRepository& git_ = workplace_.git();
};

TEST_F(GitRules, AStepWithOtherAttributesOrOtherIgnoredFilesIsRefused) {
  workplace_.start();
  for (const char* rule : {kAttributes, kExclude}) {
    git_.write(rule, "*\n");
    EXPECT_THAT(step_refused(), AllOf(HasSubstr(rule), HasSubstr("git cat-file blob")));
    fs::remove(workplace_.root() / rule);
  }
}

TEST_F(GitRules, AStepWithOtherFilesOfTheUsersIsRefused) {
  workplace_.start();
  git_.git("config", "core.excludesFile", git_.write(".git/mine", "*\n").string());
  EXPECT_THAT(step_refused(), HasSubstr("core.excludesFile"));
}

TEST_F(GitRules, AStepWithAnotherWayOfTellingChangesIsRefused) {
  workplace_.start();
  for (const char* const setting : {"core.trustctime", "core.fileMode", "core.symlinks"}) {
    git_.git("config", setting, "false");
    EXPECT_THAT(step_refused(), HasSubstr(setting));
    git_.git("config", "--unset", setting);
  }
}

TEST_F(GitRules, AStepIsMadeWithTheRulesThatTheRunWasStartedWith) {
  git_.write(kExclude, "private\n");
  git_.write(kAttributes, "*.bin filter=lfs\n");
  workplace_.start();
  EXPECT_EQ(workplace_.try_out(kernel(80)).experiment.verdict, "kept");
}

TEST_F(GitRules, AKernelThatGitConvertsIsNoExperiment) {
  git_.write(".gitattributes", "*.cu ident\n");
  git_.commit("attributes");
  workplace_.start();
  EXPECT_THAT(step_refused(), AllOf(HasSubstr("'ident'"), HasSubstr(".gitattributes")));
  EXPECT_EQ(workplace_.try_out(kernel(80)).experiment.verdict, "kept");
}

TEST_F(GitRules, ARunWithAKernelThatGitFiltersIsNotStarted) {
  git_.write(kAttributes, "*.cu filter=secret\n");
  EXPECT_THAT(refusal(Stop::scope, [&] { static_cast<void>(workplace_.start()); }),
              HasSubstr("'filter'"));
}

TEST_F(GitRules, AnAgentsRulesAreTakenBackAndHideNothing) {
  git_.write(kExclude, "private\n");
  workplace_.start();
  EXPECT_EQ(drive("echo '*' > .git/info/exclude; echo '*.cu ident' > .git/info/attributes; "
                  "echo hidden > hidden.txt")
                .experiments,
            1);
  EXPECT_EQ(git_.read(kExclude), "private\n");
  EXPECT_FALSE(workplace_.has(kAttributes));
  EXPECT_FALSE(workplace_.has("hidden.txt"));
  EXPECT_THAT(workplace_.said(),
              Contains(AllOf(HasSubstr(kExclude), HasSubstr(kAttributes), HasSubstr("hidden"))));
}

TEST_F(GitRules, AReplacedKernelIsFoundAtTheEnd) {
  workplace_.start();
  static_cast<void>(workplace_.try_out(kernel(80)));
  const std::string blob = git_.line("rev-parse", "HEAD:" + std::string(Workplace::kEditable));
  git_.git("replace", blob, git_.line("hash-object", "-w", "notes.txt"));
  EXPECT_THAT(finish_refused(), AllOf(HasSubstr("git replace -d"), HasSubstr(blob)));
  const Verification verification = workplace_.open().verify("", 1);
  EXPECT_EQ(verification.verdict, Verification::Verdict::tampered);
  EXPECT_THAT(verification.faults, Contains(HasSubstr(blob)));
}

TEST_F(GitRules, AttributesSetAfterTheLastStepAreFoundAtTheEnd) {
  workplace_.start();
  static_cast<void>(workplace_.try_out(kernel(80)));
  git_.write(kAttributes, "*.cu filter=other\n");
  EXPECT_THAT(finish_refused(), HasSubstr(kAttributes));
  EXPECT_THAT(workplace_.open().verify("", 1).faults, Contains(HasSubstr("'filter'")));
}

}  // namespace
}  // namespace autokernel::loop
