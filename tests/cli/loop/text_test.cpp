// What the commands of the loop print, whatever an agent has written; and docs/loop-json.md against
// it.
#include "cli/loop/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "support/scratch_folder.h"

namespace autokernel::cli {
namespace {

using ledger::Experiment;
using loop::Status;
using nlohmann::json;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Lt;
using testing::Not;
using testing::SizeIs;

Experiment baseline() {
  Experiment experiment;
  experiment.tag = "demo";
  experiment.description = "baseline";
  experiment.status = ledger::Status::keep;
  experiment.verdict = "baseline";
  experiment.commit = "14b068c96e6e6c666752d227d14769c33eb2f1fd";
  experiment.median_us = 100;
  return experiment;
}

Experiment kept() {
  Experiment experiment = baseline();
  experiment.number = 1;
  experiment.description = "64 x 64 tiles";
  experiment.verdict = "kept";
  experiment.reason = "-50.00 % time against the baseline";
  experiment.commit = "d5f11ed9fa1595734596389aed392debedb3cecd";
  experiment.incumbent = baseline().commit;
  experiment.median_us = 50;
  experiment.vs_reference = 0.5;
  experiment.gain = ledger::Gain{.estimate = 0.5, .low = 0.4, .high = 0.6, .pairs = 70};
  return experiment;
}

Experiment failed() {
  Experiment experiment;
  experiment.tag = "demo";
  experiment.number = 2;
  experiment.description = "drop the tail";
  experiment.status = ledger::Status::crash;
  experiment.verdict = "does not compile";
  experiment.reason = "kernel.cu:10: error: identifier \"flaot\" is undefined\n    flaot sum = 0;";
  experiment.commit = "6bce0712087c3527c819d8a6745291dc2171a8a3";
  experiment.incumbent = kept().commit;
  return experiment;
}

// Two experiments behind the baseline.
Status status() {
  Status status;
  status.run.tag = "demo";
  status.run.branch = "autokernel/demo";
  status.run.editable = "kernels/kernel.cu";
  status.run.device_name = "NVIDIA H200";
  status.run.at = "2026-01-31T12:34:56.789Z";
  status.run.min_gain = 0.005;
  status.run.budget.no_progress = 20;
  status.baseline = baseline();
  status.best = kept();
  status.experiments = {baseline(), kept(), failed()};
  status.counts = {.kept = 1, .discarded = 0, .failed = 1};
  status.streak = 1;
  return status;
}

// Everything as long as it can be, and a million experiments.
Status longest() {
  std::string words;
  for (int i = 0; i < 300; ++i) words += "größer ";
  Experiment experiment = failed();
  experiment.number = 1'000'000;
  experiment.description = words;
  experiment.reason = words;
  Status status;
  status.run.tag = std::string(64, 't');
  status.run.branch = "autokernel/" + status.run.tag;
  status.run.editable = std::string(2000, 'k') + "/kernel.cu";
  status.run.device_name = words;
  status.run.budget = {.max_runs = 2'000'000'000, .hours = 1e300, .no_progress = 2'000'000'000};
  status.baseline = baseline();
  status.baseline.median_us = 123456789.123;
  status.best = experiment;
  status.best.median_us = 123456789.123;
  status.best.vs_reference = 12345.678;
  status.best.gain = ledger::Gain{.estimate = 0.5, .low = 0.4, .high = 0.6, .pairs = 70};
  status.best.status = ledger::Status::keep;
  status.experiments = {status.baseline, status.best, experiment, experiment,
                        experiment,      experiment,  experiment, experiment};
  status.counts = {.kept = 100'000, .discarded = 400'000, .failed = 500'000};
  status.streak = 999'999;
  status.under_way = words;
  return status;
}

TEST(StatusText, SaysWhereTheRunStands) {
  EXPECT_EQ(status_text(status()),
            "run:              demo on autokernel/demo\n"
            "device:           NVIDIA H200\n"
            "baseline_us:      100.000\n"
            "best:             1 (d5f11ed): 64 x 64 tiles\n"
            "best_us:          50.000\n"
            "gain_pct:         50.00\n"
            "vs_reference:     0.500\n"
            "experiments:      2 (1 kept, 0 discarded, 1 failed)\n"
            "streak:           1\n"
            "left:             19 without a gain\n"
            "recent:           2 does not compile: drop the tail (kernel.cu:10: error: identifier "
            "\"flaot\" is undefined)\n"
            "                  1 kept -50.0 %: 64 x 64 tiles\n"
            "should_continue:  yes\n"
            "next:             edit kernels/kernel.cu, then: autokernel loop step -m \"what you "
            "changed, and why\"\n");
}

TEST(StatusText, StaysBelowAKilobyteWhateverAnAgentHasWritten) {
  EXPECT_THAT(status_text(longest()), SizeIs(Lt(1000U)));
  EXPECT_THAT(status_text(longest(), std::string(200, 'x')), SizeIs(Lt(1000U)));
}

TEST(StatusText, OfARunWhoseLedgerWasCutBehindItsStartHasNoIdeas) {
  Status cut = status();
  cut.experiments.clear();
  EXPECT_THAT(status_text(cut), HasSubstr("next:"));
}

TEST(ExperimentLine, ShowsNoBytesThatSteerATerminal) {
  ledger::Experiment experiment = kept();
  experiment.verdict = "\x1b[31mkept";
  experiment.commit = "\x1b[2Jabc";
  EXPECT_THAT(experiment_line(experiment, 1.0), Not(HasSubstr("\x1b")));
}

TEST(StatusText, SaysWhatGainCanBeToldWhereThatIsKnown) {
  EXPECT_THAT(status_text(status(), "2.0 % detectable in 5 s"),
              HasSubstr("noise:            2.0 % detectable in 5 s\n"));
  EXPECT_THAT(status_text(status()), Not(HasSubstr("noise:")));
}

TEST(StatusText, TellsTheLastIdeasAlsoWhereTheyAreLong) {
  Status long_ideas = status();
  long_ideas.experiments[2].description = std::string(500, 'x');
  long_ideas.experiments.insert(long_ideas.experiments.end(), 4, long_ideas.experiments[2]);
  const std::string text = status_text(long_ideas);
  EXPECT_THAT(text, SizeIs(Lt(1000U)));
  EXPECT_EQ(std::count(text.begin(), text.end(), '('), 7) << text;
}

TEST(StatusText, IsCutBetweenCharacters) {
  EXPECT_NO_THROW((void)json(status_text(longest())).dump());
}

TEST(StatusText, OfANewRunHasNoGainAndNoIdeas) {
  Status fresh = status();
  fresh.best = baseline();
  fresh.experiments = {baseline()};
  fresh.counts = {};
  fresh.streak = 0;
  EXPECT_THAT(status_text(fresh), AllOf(Not(HasSubstr("gain_pct")), Not(HasSubstr("recent"))));
}

TEST(StatusText, SaysWhenToStopAndWhy) {
  Status used_up = status();
  used_up.run.budget.max_runs = 2;
  EXPECT_THAT(status_text(used_up),
              AllOf(HasSubstr("should_continue:  no: all 2 experiments were made\n"),
                    HasSubstr("next:             stop: autokernel loop finish")));
}

TEST(StatusText, AsksForAnotherStructureOnAPlateau) {
  Status flat = status();
  flat.streak = 6;
  EXPECT_THAT(status_text(flat), HasSubstr("change the structure"));
}

TEST(StatusText, NamesWhoIsAtWork) {
  Status busy = status();
  busy.under_way = "autokernel loop step, process 7";
  EXPECT_THAT(status_text(busy), HasSubstr("under_way:        autokernel loop step, process 7\n"));
}

TEST(StatusJson, IsOneObjectOnOneLineWhateverAnAgentHasWritten) {
  Status odd = status();
  odd.experiments[2].description = "\xff\xfe\n\x1b[2J";
  const std::string text = status_json(odd);
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  EXPECT_TRUE(json::parse(text).is_object());
}

TEST(StatusJson, SaysNullForWhatDoesNotExist) {
  Status fresh = status();
  fresh.best = baseline();
  fresh.experiments = {baseline()};
  const json object = json::parse(status_json(fresh));
  for (const char* name : {"gain_over_baseline", "under_way", "why_stop"}) {
    EXPECT_TRUE(object.at(name).is_null()) << name;
  }
  EXPECT_TRUE(object.at("best").at("gain").is_null());
  EXPECT_TRUE(object.at("budget").at("max_runs").is_null());
  EXPECT_EQ(object.at("recent"), json::array());
  EXPECT_EQ(object.at("should_continue"), true);
}

// The rows "| `name` | ..." below a heading of docs/loop-json.md.
std::set<std::string> described_below(const std::string& heading) {
  const std::regex row("^\\| `([a-z_.]+)` \\|.*");
  std::istringstream text(
      test::contents(std::filesystem::path(AUTOKERNEL_SOURCES) / "docs" / "loop-json.md"));
  std::set<std::string> fields;
  std::smatch found;
  bool here = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("#")) here = line.ends_with(heading);
    if (here && std::regex_match(line, found, row)) fields.insert(found[1]);
  }
  return fields;
}

std::set<std::string> names_in(const json& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.items()) names.insert(name);
  return names;
}

TEST(LoopDocument, DescribesEveryFieldOfTheStatusAndNoOther) {
  Status run = status();
  run.confirmed.emplace();
  run.confirmed->over_baseline.emplace();
  const json object = json::parse(status_json(run));
  std::set<std::string> written = names_in(object);
  for (const std::string& name : names_in(object.at("confirmed"))) {
    written.insert("confirmed." + name);
  }
  for (const std::string& name : names_in(object.at("budget"))) written.insert("budget." + name);
  EXPECT_EQ(described_below("`loop status --json`"), written);
  EXPECT_EQ(described_below("An experiment"), names_in(object.at("best")));
  EXPECT_EQ(described_below("An experiment"), names_in(object.at("recent").at(0)));
}

loop::Step step_with(const Experiment& experiment, trial::Verdict verdict) {
  loop::Step step;
  step.experiment = experiment;
  step.result.verdict = verdict;
  step.run = status().run;
  step.next = status().next();
  return step;
}

TEST(StepText, OfAKernelThatWasKeptEndsWithWhatComesNext) {
  EXPECT_THAT(step_text(step_with(kept(), trial::Verdict::correct)),
              AllOf(HasSubstr("run:              demo on autokernel/demo\n"
                              "experiment:       1\n"
                              "commit:           d5f11ed\n"
                              "status:           keep\n"
                              "verdict:          kept\n"
                              "reason:           -50.00 % time against the baseline\n"),
                    Not(HasSubstr("\nfile:")),
                    EndsWith("next:             edit kernels/kernel.cu, then: autokernel loop "
                             "step -m \"what you changed, and why\"\n")));
}

TEST(StepText, OfAKernelThatFailedSaysWhereItsSourceIs) {
  EXPECT_THAT(step_text(step_with(failed(), trial::Verdict::does_not_compile)),
              AllOf(HasSubstr("file:             kernels/kernel.cu restored to d5f11ed\n"),
                    HasSubstr("verdict:          does not compile\n"),
                    HasSubstr("'autokernel diff 2' shows the edit, 'autokernel restore 2'")));
}

int code_of(const std::string& verdict) {
  Experiment experiment = failed();
  experiment.verdict = verdict;
  return step_exit_code(experiment);
}

TEST(StepExitCode, FollowsFromTheVerdict) {
  EXPECT_EQ(code_of("baseline"), 0);
  EXPECT_EQ(code_of("kept"), 0);
  EXPECT_EQ(code_of("not faster"), 10);
  EXPECT_EQ(code_of("incorrect"), 11);
  EXPECT_EQ(code_of("does not compile"), 12);
  EXPECT_EQ(code_of("timed out"), 13);
  EXPECT_EQ(code_of("crashed"), 14);
  EXPECT_EQ(code_of("inconclusive"), 16);
}

TEST(ExperimentLine, IsOneLineInColumnsWhateverAnAgentHasWritten) {
  Experiment odd = kept();
  odd.description = "two\nlines\x1b[2J";
  EXPECT_EQ(experiment_line(odd, 50),
            "   1  d5f11ed        50.000   -50.00 %  kept              two lines\\u001B[2J\n");
  EXPECT_EQ(experiment_line(failed(), std::nullopt),
            "   2  6bce071             -          -  does not compile  drop the tail\n");
}

TEST(ExperimentLine, HasAHeadingInTheSameColumns) {
  EXPECT_EQ(experiment_heading(),
            "   n  commit        time_us     change  verdict           description\n");
}

TEST(StatusText, TellsATimeOfTheBestThatFollowsFromTheBaselineAndTheGain) {
  Status run = status();
  run.best.median_us = 42;  // of another process
  EXPECT_THAT(status_text(run), AllOf(HasSubstr("baseline_us:      100.000\n"),
                                      HasSubstr("best_us:          50.000\n"),
                                      HasSubstr("gain_pct:         50.00\n")));
  EXPECT_EQ(json::parse(status_json(run)).at("best_us"), 50);
}

TEST(StatusText, TellsWhatAFinishHasConfirmed) {
  Status run = status();
  run.confirmed.emplace();
  run.confirmed->over_baseline = ledger::Confirmed{.ratio = 1.98, .low = 1.9, .high = 2.06};
  EXPECT_THAT(status_text(run),
              HasSubstr("confirmed:        1.980 times as fast (95 %: 1.900 to 2.060)\n"));
  EXPECT_EQ(json::parse(status_json(run)).at("confirmed").at("ratio"), 1.98);
}

TEST(StatusText, SaysOnTheEmulatedDeviceWhatItsTimesAre) {
  Status run = status();
  EXPECT_THAT(status_text(run), Not(HasSubstr("emulated")));
  run.run.device_name = "CPU, emulated CUDA driver (A CPU, 2 threads)";
  EXPECT_THAT(
      status_text(run),
      HasSubstr("\nemulated:         these times rank kernels on this CPU, not on a GPU\n"));
}

TEST(StatusText, SaysOfAStepUnderWayToWaitForIt) {
  Status run = status();
  run.under_way = "process 4711, autokernel loop step, since 2026-01-31 12:34:56 UTC";
  EXPECT_THAT(status_text(run), HasSubstr("next:             wait until it ends"));
}

loop::Step step_of(const std::string& verdict) {
  loop::Step step;
  step.experiment = kept();
  step.experiment.number = 7;
  step.experiment.verdict = verdict;
  step.experiment.status = ledger::Status::discard;
  step.next = "what the run says";
  return step;
}

TEST(StepText, OfAnInconclusiveExperimentSaysHowToTryItAgain) {
  EXPECT_THAT(step_text(step_of("inconclusive")),
              AllOf(HasSubstr("autokernel restore 7"), HasSubstr("autokernel loop step --again")));
  EXPECT_THAT(step_text(step_of("not faster")), HasSubstr("what the run says"));
}

TEST(StepText, SaysOnTheEmulatedDeviceWhatItsTimesAre) {
  loop::Step step = step_of("not faster");
  step.result.device = trial::DeviceReport{.name = "CPU", .emulated = true};
  EXPECT_THAT(
      step_text(step),
      HasSubstr("\nemulated:         these times rank kernels on this CPU, not on a GPU\n"));
}

TEST(FinishText, NamesTheLibraryThatItWasComparedWith) {
  loop::Finish finish;
  finish.status = status();
  finish.library = "OpenBLAS 0.3.21";
  finish.headline.over_library = ledger::Confirmed{.ratio = 0.5, .low = 0.4, .high = 0.6};
  EXPECT_THAT(finish_text(finish),
              HasSubstr("over_library:     0.500 times as fast as OpenBLAS 0.3.21 (95 %: 0.400 to "
                        "0.600)\n"));
}

TEST(FinishText, SaysWhetherTheGainIsConfirmed) {
  loop::Finish finish;
  finish.status = status();
  finish.headline.tag = "demo";
  finish.headline.best = kept().commit;
  finish.headline.branch = "autokernel/demo-kept";
  finish.headline.processes = 5;
  finish.headline.over_baseline = ledger::Confirmed{.ratio = 2, .low = 1.9, .high = 2.1};
  EXPECT_THAT(finish_text(finish),
              AllOf(HasSubstr("over_baseline:    2.000 times as fast (95 %: 1.900 to 2.100)\n"),
                    HasSubstr("verdict:          confirmed\n"),
                    EndsWith("git merge autokernel/demo-kept\n")));
  finish.headline.over_baseline->low = 0.9;
  EXPECT_THAT(finish_text(finish), HasSubstr("not confirmed: the interval includes 1\n"));
  finish.headline.over_baseline->high = 0.95;
  EXPECT_THAT(finish_text(finish), HasSubstr("the best kernel is slower than the baseline\n"));
  finish.headline.over_baseline.reset();
  EXPECT_THAT(finish_text(finish), HasSubstr("the gain could not be measured\n"));
  finish.status.counts.kept = 0;
  EXPECT_THAT(finish_text(finish), HasSubstr("nothing was kept\n"));
}

}  // namespace
}  // namespace autokernel::cli
