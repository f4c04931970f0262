// Two loops on one worktree: one works, others wait their turn or look.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "autokernel/base/error.h"
#include "loop/consistency.h"
#include "loop/workplace.h"
#include "support/census.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(Lock, TheSecondLoopIsRefusedWithProcessAndPurposeOfTheFirst) {
  const Workplace workplace;
  workplace.start();
  const Loop first = workplace.open("autokernel loop step");
  EXPECT_THAT(refusal(Stop::repository, [&] { workplace.repair(); }),
              AllOf(HasSubstr("process " + std::to_string(::getpid())),
                    HasSubstr("autokernel loop step"), HasSubstr("wait for it")));
}

TEST(Lock, IsGivenUpWithTheLoop) {
  const Workplace workplace;
  {
    const Loop first = workplace.open();
  }
  EXPECT_EQ(refusal(Stop::repository, [&] { workplace.repair(); }), "no Error");
}

TEST(Lock, AFileThatAKilledLoopHasLeftHoldsNobodyUp) {
  const Workplace workplace;
  workplace.git().write(".git/autokernel-lock", "process 1, autokernel loop step, since long ago");
  EXPECT_EQ(refusal(Stop::repository, [&] { workplace.repair(); }), "no Error");
}

TEST(Lock, IsEachWorktreesOwn) {
  const Workplace workplace;
  const auto linked = workplace.git().beside("linked");
  workplace.git().git("worktree", "add", "--quiet", linked.string(), "-b", "side");
  const Loop first = workplace.open();
  EXPECT_EQ(refusal(Stop::repository,
                    [&] { static_cast<void>(Loop::open(linked, "a test", workplace.context())); }),
            "no Error");
}

TEST(Reader, SeesTheRunAndWhoWorksWhileAStepIsUnderWay) {
  Workplace workplace;
  workplace.start();
  const LoopContext plain = workplace.context();
  std::vector<Status> seen;
  workplace.note = [&](const std::string& line) {
    if (line.find("phase check") == std::string::npos) return;
    seen.push_back(Loop::open_to_read(workplace.root(), plain).status());
  };
  workplace.edit(kernel(120));
  static_cast<void>(workplace.open("autokernel loop step").step({.idea = "an idea"}));
  ASSERT_THAT(seen, SizeIs(1));
  EXPECT_THAT(seen[0].under_way, HasSubstr("autokernel loop step"));
  EXPECT_THAT(seen[0].experiments, SizeIs(1));
  EXPECT_THAT(faults_in(workplace.git()), IsEmpty());
}

TEST(Reader, RepairsNothingThatIsUnderWay) {
  Workplace workplace;
  workplace.start();
  const LoopContext plain = workplace.context();
  workplace.reached = [&](std::string_view point) {
    if (point != "results written") return;
    static_cast<void>(Loop::open_to_read(workplace.root(), plain).status());
    EXPECT_TRUE(workplace.has(".autokernel/journal.json"));
  };
  workplace.try_out(kernel(80));
  EXPECT_THAT(faults_in(workplace.git()), IsEmpty());
}

TEST(Reader, WritesNothing) {
  const Workplace workplace;
  workplace.make_a_run();
  // What a writer makes anew.
  fs::remove(workplace.root() / ".autokernel/ledger.index");
  fs::remove(workplace.root() / ".git/autokernel-lock");
  fs::remove(workplace.root() / ".git/autokernel-ledger.jsonl");
  const auto before = test::files_below(workplace.root());
  const Loop reader = Loop::open_to_read(workplace.root(), workplace.context());
  EXPECT_THAT(reader.status().experiments, SizeIs(5));
  EXPECT_THAT(reader.history(), SizeIs(6));
  EXPECT_EQ(reader.experiment(4).description, "vectors");
  EXPECT_EQ(test::files_below(workplace.root()), before);
}

TEST(Reader, MakesNoFolderWhereNoRunIs) {
  const Workplace workplace;
  EXPECT_THAT(refusal(Stop::repository, [&] { static_cast<void>(workplace.status()); }),
              HasSubstr("no run on main"));
  EXPECT_FALSE(workplace.has(".autokernel"));
}

TEST(Reader, HoldsUpNoStep) {
  const Workplace workplace;
  workplace.start();
  const Loop reader = Loop::open_to_read(workplace.root(), workplace.context());
  EXPECT_EQ(workplace.try_out(kernel(80)).experiment.verdict, "kept");
}

}  // namespace
}  // namespace autokernel::loop
