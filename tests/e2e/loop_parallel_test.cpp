// `loop run --parallel`: several agents as real processes, one record.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <thread>

#include "e2e/loop_workplace.h"
#include "support/full_test.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class LoopParallel : public LoopWorkplace {
 protected:
  LoopParallel() {
    fs::create_directories(pool());
    start();
  }

  [[nodiscard]] fs::path pool() const { return repository_.beside("pool"); }
  // Whichever agent comes next takes it.
  void idea(const std::string& name, const std::string& source) const {
    std::ofstream(pool() / (name + ".cu")) << source;
  }
  // Takes the next of the pool, in alphabetical order, once `before` has been run.
  [[nodiscard]] std::string agent(const std::string& before = "") const {
    const fs::path file = repository_.beside("agent.sh");
    std::ofstream(file) << "#!/bin/sh\nset -eu\ncat > '" + pool().string() +
                               "'/brief.$AUTOKERNEL_AGENT\n" + before + "\nfor idea in '" +
                               pool().string() +
                               "'/*.cu; do\n  mv \"$idea\" \"$idea.$AUTOKERNEL_AGENT\" 2>/dev/null "
                               "|| continue\n  cp \"$idea.$AUTOKERNEL_AGENT\" "
                               "\"$AUTOKERNEL_KERNEL\"\n  basename \"$idea\" .cu > "
                               "\"$AUTOKERNEL_IDEA_FILE\"\n  exit 0\ndone\n";
    fs::permissions(file, fs::perms::owner_all);
    return "'" + file.string() + "'";
  }
  [[nodiscard]] Invocation driven(const std::string& agent,
                                  const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"loop", "run", "--agent", agent};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return autokernel(arguments);
  }
  [[nodiscard]] Outcome drive(const std::vector<std::string>& more) const {
    return test::run(driven(agent(), more));
  }
  // One number to an experiment, in order, in ledger and table; each on the best of its moment.
  void expect_one_order() const {
    int number = 0;
    for (const auto& entry : entries("experiment")) {
      EXPECT_EQ(entry.at("number"), number) << entry.dump();
      ++number;
    }
    EXPECT_THAT(rows(), SizeIs(static_cast<std::size_t>(number)));
  }
  void expect_no_worktree() const {
    EXPECT_EQ(repository_.line("worktree", "list").find('\n'), std::string::npos);
    EXPECT_FALSE(fs::exists(repository_.root() / ".autokernel/agents"));
  }
};

TEST_F(LoopParallel, AgentsTakeTurnsInOneRecord) {
  idea("a-faster", kernel(kFaster));
  idea("b-wrong", wrong_kernel());
  idea("c-broken", kernel_that_does_not_compile());
  idea("d-fastest", kernel(kFastest));
  const Outcome run = drive({"--parallel", "2", "--max-runs", "4"});
  EXPECT_EQ(run.code, 20) << run.out << run.err;
  EXPECT_THAT(rows(), AllOf(SizeIs(5), Contains("keep d-fastest"), Contains("crash b-wrong"),
                            Contains("crash c-broken")));
  expect_one_order();
  expect_at(repository_.line("rev-parse", "autokernel/demo"));
  EXPECT_EQ(kernel_now(), kernel(kFastest));
  expect_no_worktree();
  EXPECT_EQ(run_autokernel({"verify-run", "--processes", "2"}).code, 0);
  expect_nothing_under_way();
}

// Both begin on the baseline. Whichever comes in second is slower than the first, whatever it was
// on the baseline.
TEST_F(LoopParallel, AnEditWhoseBestWasBeatenMeanwhileIsMeasuredAgain) {
  idea("a-fastest", kernel(kFastest));
  idea("b-faster", kernel(kFaster));
  const std::string both =
      "touch '" + pool().string() + "'/here.$AUTOKERNEL_AGENT; for i in $(seq 300); do test -e '" +
      pool().string() + "'/here.1 -a -e '" + pool().string() + "'/here.2 && break; sleep 0.1; done";
  const Outcome run = test::run(
      driven(agent(both), {"--parallel", "2", "--devices", "cpu,cpu", "--max-runs", "2"}));
  EXPECT_EQ(run.code, 20) << run.out << run.err;
  EXPECT_THAT(rows(), SizeIs(3));
  EXPECT_EQ(kernel_now(), kernel(kFastest));
  // Each is held against the best before it in the record.
  std::string best;
  for (const auto& entry : entries("experiment")) {
    if (!best.empty()) {
      EXPECT_EQ(entry.at("incumbent"), best) << entry.dump();
    }
    if (entry.at("status") == "keep") best = entry.at("commit");
  }
  expect_one_order();
}

TEST_F(LoopParallel, WhatAnotherWasFirstWithIsNotMeasuredTwice) {
  idea("a", kernel(kFaster));
  idea("b", kernel(kFaster));
  const Outcome run = drive({"--parallel", "2", "--max-runs", "2"});
  EXPECT_NE(run.code, 0);
  EXPECT_THAT(rows(), SizeIs(2)) << run.err;
  bool is_told = false;
  for (const auto& turn : entries("turn"))
    is_told = is_told || turn.at("outcome") == "tried before";
  EXPECT_TRUE(is_told) << run.err;
}

TEST_F(LoopParallel, IdeasOfOneAreInTheBriefsOfAll) {
  idea("a-faster", kernel(kFaster));
  idea("b-wrong", wrong_kernel());
  idea("c-fastest", kernel(kFastest));
  EXPECT_EQ(drive({"--parallel", "2", "--max-runs", "3"}).code, 20);
  idea("d-again", kernel(kFaster + 1));
  EXPECT_EQ(drive({"--parallel", "2", "--max-runs", "1"}).code, 20);
  std::ifstream brief(pool() / "brief.1");
  const std::string text((std::istreambuf_iterator<char>(brief)), {});
  EXPECT_THAT(text, AllOf(HasSubstr("a-faster"), HasSubstr("b-wrong"), HasSubstr("c-fastest")));
}

TEST_F(LoopParallel, WhatAnAgentDoesToTheRunsOwnFolderIsRestored) {
  idea("a-fastest", kernel(kFastest));
  const Outcome run =
      test::run(driven(agent("echo spoilt > '" + (repository_.root() / kKernel).string() +
                             "'; rm -f '" + (repository_.root() / "results.tsv").string() + "'"),
                       {"--parallel", "2", "--max-runs", "1"}));
  EXPECT_EQ(run.code, 20) << run.out << run.err;
  EXPECT_THAT(rows(), SizeIs(2));
  EXPECT_EQ(kernel_now(), kernel(kFastest));
  EXPECT_THAT(run.err, HasSubstr("/aside/"));
}

TEST_F(LoopParallel, CtrlCEndsTheTurnsAndLeavesNothing) {
  idea("a-fastest", kernel(kFastest));
  RunningProgram run(driven(agent("sleep 60"), {"--parallel", "2"}));
  wait_for([&] { return fs::exists(pool() / "brief.1") && fs::exists(pool() / "brief.2"); });
  run.send(SIGINT);
  const Outcome ended = run.wait(seconds{60});
  EXPECT_EQ(ended.code, 128 + SIGINT) << ended.err;
  EXPECT_THAT(rows(), SizeIs(1));
  expect_no_worktree();
  expect_nothing_under_way();
}

// The next command ends what agents are still at, and the next drive goes on.
TEST_F(LoopParallel, KilledItLosesNoRowAndLeavesNoAgentAtWork) {
  idea("a-faster", kernel(kFaster));
  idea("b-fastest", kernel(kFastest));
  RunningProgram run(driven(agent(), {"--parallel", "2"}));
  wait_for([&] { return rows().size() > 1; });
  run.send(SIGKILL);
  static_cast<void>(run.wait(seconds{30}));
  EXPECT_EQ(run_autokernel({"loop", "status"}).code, 0);
  idea("c-last", kernel(kFastest - 1));
  const Outcome next = drive({"--parallel", "2", "--max-runs", "1"});
  EXPECT_EQ(next.code, 20) << next.out << next.err;
  expect_one_order();
  expect_no_worktree();
  EXPECT_EQ(run_autokernel({"verify-run", "--processes", "2"}).code, 0);
  expect_nothing_under_way();
}

TEST_F(LoopParallel, AnAgentWhoseDeviceIsLostStopsAndTheOthersGoOn) {
  if (!everything_is_wanted()) GTEST_SKIP() << "ten seconds; AUTOKERNEL_TEST_FULL=1 takes it";
  // One of them goes with its agent.
  idea("a-faster", kernel(kFaster));
  idea("b-fastest", kernel(kFastest));
  idea("c-faster", kernel(kFaster - 1));
  const Outcome run = drive({"--devices", "cpu,ssh://no-such-host.invalid/cpu", "--max-runs", "2"});
  EXPECT_EQ(run.code, 20) << run.out << run.err;
  EXPECT_THAT(run.err, HasSubstr("agent 2 stops: "));
  expect_one_order();
}

// As a repository that somebody has cloned may hold it.
TEST_F(LoopParallel, AFolderThatIsALinkIsNotFollowed) {
  const fs::path victim = repository_.beside("victim/1");
  fs::create_directories(victim);
  fs::create_directory_symlink(victim.parent_path(), repository_.root() / ".autokernel/agents");
  idea("a-fastest", kernel(kFastest));
  EXPECT_NE(drive({"--parallel", "2", "--max-runs", "1"}).code, 0);
  EXPECT_TRUE(fs::exists(victim));
}

TEST_F(LoopParallel, AnAgentWithoutAKeyStopsAndTheOthersGoOn) {
  if (!everything_is_wanted()) GTEST_SKIP() << "ten seconds; AUTOKERNEL_TEST_FULL=1 takes it";
  for (const char* name : {"a", "b", "c"}) idea(name, kernel(kFastest + name[0]));
  const Outcome run = test::run(driven(agent("test $AUTOKERNEL_AGENT = 1 || exit 1"),
                                       {"--parallel", "2", "--max-runs", "3"}));
  EXPECT_EQ(run.code, 20) << run.out << run.err;
  EXPECT_THAT(run.err, HasSubstr("agent 2 stops: 5 turns"));
  EXPECT_THAT(rows(), SizeIs(4));
}

TEST_F(LoopParallel, AnAgentThatMovesTheRunsBranchOrHasGitCleanUpEndsNothing) {
  idea("a-faster", kernel(kFaster));
  idea("b-fastest", kernel(kFastest));
  const std::string root = repository_.root().string();
  const Outcome run = test::run(
      driven(agent("git -C '" + root + "' checkout -q -b stray$$ || true; git -C '" + root +
                   "' commit -q --allow-empty -m stray || true; (sleep 2; git -C '" + root +
                   "' gc -q --prune=now) >/dev/null 2>&1 &"),
             {"--parallel", "2", "--max-runs", "2"}));
  EXPECT_EQ(run.code, 20) << run.out << run.err;
  EXPECT_THAT(rows(), SizeIs(3));
  EXPECT_EQ(repository_.line("rev-parse", "--abbrev-ref", "HEAD"), "autokernel/demo");
  EXPECT_EQ(repository_.line("for-each-ref", "refs/autokernel-agents"), "");
  expect_one_order();
}

TEST_F(LoopParallel, OtherFilesAndCommitsOfAnAgentAreKeptAsideAndSaid) {
  idea("a-fastest", kernel(kFastest));
  const Outcome run =
      test::run(driven(agent("echo mine > notes.txt; echo x >> kernels/case.toml; git commit -q "
                             "--allow-empty -m stray"),
                       {"--parallel", "1", "--max-runs", "1"}));
  EXPECT_EQ(run.code, 20) << run.out << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("changed other files"), HasSubstr("made a commit")));
  const fs::path aside = repository_.root() / ".autokernel/aside/agent-1-1";
  EXPECT_TRUE(fs::exists(aside / "notes.txt"));
  EXPECT_TRUE(fs::exists(aside / "kernels/case.toml"));
  EXPECT_NE(repository_.line("for-each-ref", "refs/autokernel-strays"), "");
  EXPECT_FALSE(fs::exists(repository_.root() / "notes.txt"));
}

TEST_F(LoopParallel, EachExperimentKeepsItsLogItsAgentAndWhatItStartedFrom) {
  for (const char* name : {"a", "b"}) {
    idea(name, kernel(*name == 'a' ? kFaster : kFastest));
    EXPECT_EQ(drive({"--parallel", "1", "--max-runs", "1", "--strategy", "islands"}).code, 20);
  }
  std::set<std::string> logs;
  for (const auto& entry : entries("experiment")) {
    logs.insert(entry.at("log"));
    if (entry.at("number") == 0) continue;
    EXPECT_EQ(entry.at("agent"), 1);
    EXPECT_TRUE(entry.at("base").is_null()) << entry.at("base");
  }
  EXPECT_THAT(logs, SizeIs(3));
  EXPECT_THAT(run_autokernel({"show", "2"}).out, HasSubstr("agent:            1"));
}

TEST_F(LoopParallel, AnAgentLooksAtTheRunFromItsWorktree) {
  idea("a", kernel(kFaster));
  const std::string looked = (pool() / "looked").string();
  const std::string program = AUTOKERNEL_PROGRAM;
  const Outcome run = test::run(driven(
      agent("{ '" + program + "' log; cd kernels; '" + program + "' show 0; } > '" + looked + "'"),
      {"--parallel", "1", "--max-runs", "1"}));
  EXPECT_EQ(run.code, 20) << run.out << run.err;
  std::ifstream file(looked);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text, AllOf(HasSubstr("baseline"), HasSubstr("demo")));
  expect_one_order();
}

TEST_F(LoopParallel, WhatAnAgentDoesToItsWorktreeCostsATurnAtMost) {
  // Each once.
  const auto once = [&](const std::string& name, const std::string& misdeed,
                        const std::string& first = "true") {
    return "if " + first + " && [ ! -e '" + (pool() / name).string() + "' ]; then touch '" +
           (pool() / name).string() + "'; " + misdeed + "; exit 0; fi\n";
  };
  idea("a", kernel(kFaster));
  idea("b", kernel(kFastest));
  const std::string second = "[ -e '" + (pool() / "a.cu.1").string() + "' ]";
  const Outcome run = test::run(
      driven(agent(once("filter",
                        "echo 'kernels/*.cu filter=evil' > .gitattributes; echo '// 1' >> "
                        "\"$AUTOKERNEL_KERNEL\"; git config filter.evil.clean cat") +
                   once("link",
                        "mv kernels elsewhere; ln -s elsewhere kernels; echo '// 2' >> "
                        "\"$AUTOKERNEL_KERNEL\"") +
                   once("damage", "rm -r \"$(git rev-parse --git-dir)\"/HEAD") +
                   once("no worktree", "rm .git", second) +
                   once("in the way",
                        "git update-ref refs/autokernel/demo/2/x HEAD; git update-ref "
                        "refs/autokernel-agents/1/x HEAD",
                        second)),
             {"--parallel", "1", "--max-runs", "2"}));
  EXPECT_EQ(run.code, 20) << run.out << run.err;
  EXPECT_THAT(rows(), SizeIs(3)) << run.err;
  expect_one_order();
  EXPECT_THAT(run_autokernel({"verify-run", "--processes", "2"}).out,
              HasSubstr("as it was written"));
}

TEST_F(LoopParallel, FinishRemovesWhatLostAgentsHaveLeft) {
  if (!everything_is_wanted()) GTEST_SKIP() << "ten seconds; AUTOKERNEL_TEST_FULL=1 takes it";
  const fs::path left = repository_.root() / ".autokernel/agents/1";
  idea("a", kernel(kFaster));
  EXPECT_EQ(drive({"--parallel", "1", "--max-runs", "1"}).code, 20);
  const std::string edited = (pool() / "edited").string();
  RunningProgram run(
      driven("echo '// more' >> \"$AUTOKERNEL_KERNEL\"; touch '" + edited + "'; sleep 60",
             {"--parallel", "1", "--max-runs", "1"}));
  wait_for([&] { return fs::exists(edited); });
  run.send(SIGKILL);
  static_cast<void>(run.wait(seconds{60}));
  EXPECT_TRUE(fs::exists(left));
  const Outcome finished = run_autokernel({"loop", "finish", "--processes", "2"});
  EXPECT_EQ(finished.code, 0) << finished.out << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("that was never measured is in"));
  EXPECT_FALSE(fs::exists(left.parent_path()));
  EXPECT_FALSE(fs::exists(repository_.root() / ".git/autokernel-agents"));
}

// None of it reaches what is not the run's, ends the other agent, or is in the way of later
// commands.
TEST_F(LoopParallel, WhatAnAgentPutsInTheWayOfTheRunStopsNothing) {
  const fs::path other = repository_.beside("other");
  fs::create_directories(other / "kernels");
  for (const char* file : {"thesis.txt", "kernels/kernel.cu", "brief.md", "idea.txt"})
    std::ofstream(other / file) << "mine";
  repository_.git("init", "-q", other.string());
  const std::string git = (repository_.root() / ".git").string();
  const std::string agents = (repository_.root() / ".autokernel/agents").string();
  for (const auto& [name, misdeed] : std::vector<std::pair<std::string, std::string>>{
           {"root", "mv \"$AUTOKERNEL_ROOT\" '" + git + "/elsewhere'; ln -s '" + other.string() +
                        "' \"$AUTOKERNEL_ROOT\""},
           {"turn", "rm -r '" + agents + "/1.turn'; ln -s '" + other.string() + "' '" + agents +
                        "/1.turn'"},
           {"junk", "mkdir -p '" + git + "/refs/autokernel/demo/2' '" + git +
                        "/refs/autokernel-agents/1'; echo x > '" + git +
                        "/refs/autokernel/demo/2/junk'; echo x > '" + git +
                        "/refs/autokernel-agents/1/junk'"},
           {"locks",
            "for name in refs/autokernel/demo/2 refs/autokernel-agents/1 packed-refs; do "
            "touch '" +
                git + "'/$name.lock; done"},
           {"turns", "mkdir -p '" + git + "/autokernel-agents/8' '" + git +
                         "/autokernel-agents/9/autokernel-turn/x'; mkfifo '" + git +
                         "/autokernel-agents/8/autokernel-turn'"}}) {
    const std::string done = (pool() / name).string();
    idea(name + "-a", kernel(kFaster + static_cast<int>(name.size())));
    const Outcome run = test::run(driven(
        agent("if [ ! -e '" + done + "' ]; then touch '" + done + "'; " + misdeed + "; exit 0; fi"),
        {"--parallel", "1", "--max-runs", "1"}));
    EXPECT_THAT(run.code, AnyOf(3, 20)) << name << ": " << run.out << run.err;
    EXPECT_EQ(run_autokernel({"loop", "status"}).code, 0) << name;
  }
  for (const char* file : {"thesis.txt", "kernels/kernel.cu", "brief.md", "idea.txt"}) {
    std::ifstream kept(other / file);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(kept), {}), "mine") << file;
  }
  const Outcome stepped = step(kernel(kFastest), "and on");
  EXPECT_THAT(stepped.code, AnyOf(0, 10)) << stepped.out << stepped.err;
  expect_one_order();
}

TEST_F(LoopParallel, ADirtyTreeAndWrongOptionsAreRefused) {
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"--parallel", "0"},
                                             {"--parallel", "2", "--strategy", "best"},
                                             {"--devices", "cpu,gpu"},
                                             {"--devices", ""}}) {
    const Outcome run = drive(options);
    EXPECT_EQ(run.code, 2) << run.err;
  }
  repository_.write("other.txt", "mine");
  repository_.git("add", "other.txt");
  const Outcome run = drive({"--parallel", "2", "--max-runs", "1"});
  EXPECT_THAT(repository_.line("status", "--short"), HasSubstr("other.txt"));
  EXPECT_THAT(run.out + run.err, Not(HasSubstr("internal")));
}

}  // namespace
}  // namespace autokernel::test
