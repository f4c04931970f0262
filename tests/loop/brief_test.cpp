#include "loop/brief.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "loop/run_state.h"
#include "support/scratch_folder.h"

namespace autokernel::loop {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Status a_run(int experiments) {
  Status status;
  status.run.tag = "demo";
  status.run.editable = "kernels/kernel.cu";
  status.run.case_directory = "kernels";
  status.run.device_name = "NVIDIA H200";
  ledger::Experiment baseline;
  baseline.status = ledger::Status::keep;
  baseline.median_us = 100;
  add_to(status, std::move(baseline));
  for (int i = 1; i <= experiments; ++i) {
    ledger::Experiment one;
    one.number = i;
    one.description = "idea number " + std::to_string(i) + ".";
    one.status = ledger::Status::crash;
    one.verdict = "incorrect";
    one.reason = "element 7 is wrong";
    add_to(status, std::move(one));
  }
  return status;
}

TEST(Brief, SaysWhatToEditAndWhereTheIdeaGoes) {
  EXPECT_THAT(
      brief_of(a_run(0), "/root/.autokernel/idea.txt", "", {}),
      AllOf(HasSubstr("Make `kernels/kernel.cu` faster"), HasSubstr("`/root/.autokernel/idea.txt`"),
            HasSubstr("IDEA: ..."), HasSubstr("Edit no other file"), HasSubstr("Do not run git")));
}

TEST(Brief, SuggestsABenchOfTheRunsOwnDeviceAndSize) {
  Status status = a_run(0);
  status.run.device = "cuda:1";
  status.run.size = "large";
  EXPECT_THAT(brief_of(status, "idea.txt", "", {}),
              HasSubstr("`autokernel bench --case kernels --device cuda:1 --size large`"));
  status.run.case_directory.clear();
  status.run.arch = "sm_80";
  EXPECT_THAT(brief_of(status, "idea.txt", "", {}),
              HasSubstr("`autokernel bench --case . --device cuda:1 --size large --arch sm_80`"));
}

TEST(Brief, SaysHowTheKernelIsLaunchedAndNamesNoFileThatIsNotThere) {
  const std::string brief = brief_of(a_run(0), "idea.txt", "", {});
  EXPECT_THAT(brief, AllOf(HasSubstr("`AUTOKERNEL_LAUNCH({.kernel = \"NAME\""),
                           HasSubstr("tensors of `kernels/case.toml` in its order"),
                           Not(HasSubstr("program.md"))));
  EXPECT_THAT(brief_of(a_run(0), "idea.txt", "", "/opt/doc/program.md"),
              HasSubstr("- `/opt/doc/program.md` has advice on what makes a kernel faster."));
}

TEST(Brief, NamesThePlaybookOfTheRepository) {
  const test::ScratchFolder scratch;
  EXPECT_EQ(find_playbook(scratch.path()), "");
  scratch.write("program.md", "what pays\n");
  EXPECT_EQ(find_playbook(scratch.path()), "program.md");
}

TEST(Brief, TellsOfTheBestATimeThatTheGainsLeadTo) {
  Status status = a_run(0);
  ledger::Experiment kept;
  kept.number = 1;
  kept.status = ledger::Status::keep;
  kept.median_us = 70;
  kept.gain = ledger::Gain{.estimate = 0.2, .low = 0.2, .high = 0.2, .pairs = 50};
  add_to(status, std::move(kept));
  EXPECT_THAT(brief_of(status, "idea.txt", "", {}), HasSubstr("- best: 80.000 us, experiment 1"));
}

TEST(Brief, SaysWhereTheRunStands) {
  EXPECT_THAT(
      brief_of(a_run(3), "idea.txt", "", {}),
      AllOf(HasSubstr("Run demo on NVIDIA H200, 3 experiments: 0 kept, 0 not faster, 3 failed"),
            HasSubstr("- baseline: 100.000 us")));
}

TEST(Brief, ListsTheLastIdeasWithTheirOutcomes) {
  EXPECT_THAT(brief_of(a_run(20), "idea.txt", "", {}),
              AllOf(HasSubstr("idea number 20.. **incorrect**: element 7 is wrong"),
                    HasSubstr("idea number 6."), Not(HasSubstr("idea number 5."))));
}

TEST(Brief, AsksForAnotherStructureOnAPlateau) {
  EXPECT_THAT(brief_of(a_run(6), "idea.txt", "", {}), HasSubstr("change the structure"));
  EXPECT_THAT(brief_of(a_run(5), "idea.txt", "", {}), Not(HasSubstr("change the structure")));
}

TEST(Brief, HasTheRemarksOnTheLastTurn) {
  EXPECT_THAT(brief_of(a_run(1), "idea.txt", "It changed case.toml.", {}),
              HasSubstr("## Your last turn\n\nIt changed case.toml.\n"));
  EXPECT_THAT(brief_of(a_run(1), "idea.txt", "", {}), Not(HasSubstr("Your last turn")));
}

}  // namespace
}  // namespace autokernel::loop
