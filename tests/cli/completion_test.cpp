// What shells offer, asked of the shells themselves where they are installed.
#include <gmock/gmock.h>

#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "autokernel/base/error.h"
#include "autokernel/cli/cli.h"
#include "support/program.h"
#include "support/scratch_folder.h"

namespace autokernel::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::UnorderedElementsAre;

std::string said(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(run(arguments, {out, err}), 0);
  return out.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class BashCompletion : public testing::Test {
 protected:
  BashCompletion() { script_ = scratch_.write("script", said({"completion", "bash"})).string(); }

  // What bash offers for the last of the words.
  [[nodiscard]] std::vector<std::string> offered(const std::string& words) const {
    const std::string ask = "set -u; source '" + script_ + "'; COMP_WORDS=(" + words +
                            "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _autokernel; "
                            "((${#COMPREPLY[@]} == 0)) || printf '%s\\n' \"${COMPREPLY[@]}\"";
    const test::Outcome outcome = test::run({.program = "/bin/bash",
                                             .arguments = {"--norc", "-c", ask},
                                             .directory = scratch_.path(),
                                             .environment = {}});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, IsEmpty());
    return lines_of(outcome.out);
  }

  test::ScratchFolder scratch_;
  std::string script_;
};

TEST_F(BashCompletion, OffersTheCommandsThatUsersCall) {
  EXPECT_THAT(offered("autokernel ''"), IsSupersetOf({"bench", "doctor", "completion", "--help"}));
  EXPECT_THAT(offered("autokernel ''"), Not(Contains("runner")));
  EXPECT_THAT(offered("autokernel ''"), Not(Contains("probe")));
  EXPECT_THAT(offered("autokernel doc"), ElementsAre("doctor"));
}

TEST_F(BashCompletion, OffersEveryOptionTheHelpNames) {
  const std::string help = said({"bench", "--help"});
  const std::string options = help.substr(help.find("Options:"), help.find("Examples:"));
  const std::regex option("\n +(?:-\\w,)?(--[a-z-]+)");
  std::set<std::string> named;
  for (std::sregex_iterator at(options.begin(), options.end(), option), end; at != end; ++at) {
    named.insert((*at)[1]);
  }
  ASSERT_GE(named.size(), 7U) << help;
  EXPECT_THAT(offered("autokernel bench --"), IsSupersetOf(named));
}

TEST_F(BashCompletion, OffersDevices) {
  EXPECT_THAT(offered("autokernel bench --device c"), UnorderedElementsAre("cuda", "cpu"));
  EXPECT_THAT(offered("autokernel doctor --device a"), ElementsAre("auto"));
}

TEST_F(BashCompletion, OffersFoldersForACaseAndFilesForAKernel) {
  (void)scratch_.folder("cases one/x");
  scratch_.write("case.cu", "");
  EXPECT_THAT(offered("autokernel bench --case ca"), ElementsAre("cases one"));
  EXPECT_THAT(offered("autokernel bench --kernel ca"),
              UnorderedElementsAre("cases one", "case.cu"));
}

TEST_F(BashCompletion, OffersCommandsBelowACommand) {
  EXPECT_THAT(offered("autokernel loop ''"),
              IsSupersetOf({"start", "step", "run", "status", "finish", "--help"}));
  EXPECT_THAT(offered("autokernel loop sta"), UnorderedElementsAre("start", "status"));
  EXPECT_THAT(offered("autokernel loop step --o"), ElementsAre("--over-budget"));
  EXPECT_THAT(offered("autokernel loop start demo --device c"),
              UnorderedElementsAre("cuda", "cpu"));
  EXPECT_THAT(offered("autokernel loop finish --js"), ElementsAre("--json"));
}

TEST_F(BashCompletion, OffersWhatBecomesOfExperiments) {
  EXPECT_THAT(offered("autokernel log --status ''"),
              UnorderedElementsAre("keep", "discard", "crash"));
}

TEST_F(BashCompletion, OffersShells) {
  EXPECT_THAT(offered("autokernel completion f"), ElementsAre("fish"));
}

TEST_F(BashCompletion, OffersNothingWhereItCannotGuess) {
  EXPECT_THAT(offered("autokernel bench --timeout ''"), IsEmpty());
  EXPECT_THAT(offered("autokernel frob ''"), Not(Contains("--device")));
}

class OtherShell : public testing::TestWithParam<const char*> {};

TEST_P(OtherShell, UnderstandsItsScript) {
  const std::string shell = GetParam();
  const std::filesystem::path program = "/usr/bin/" + shell;
  const std::string script = said({"completion", shell});
  EXPECT_THAT(script, testing::HasSubstr("device"));
  if (!std::filesystem::exists(program)) GTEST_SKIP() << shell << " is not installed";
  const test::ScratchFolder scratch;
  const test::Outcome outcome =
      test::run({.program = program,
                 .arguments = {"-n", scratch.write("script", script).string()},
                 .directory = scratch.path(),
                 .environment = {}});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Each, OtherShell, testing::Values("zsh", "fish"));

TEST(Completion, RefusesAShellItDoesNotKnow) {
  std::ostringstream out;
  EXPECT_THROW((void)run({"completion", "tcsh"}, {out, out}), Error);
}

}  // namespace
}  // namespace autokernel::cli
