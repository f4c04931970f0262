// `loop run --park` and `--resume`: what fails in the night, and goes on.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
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
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class LoopNight : public LoopWorkplace {
 protected:
  LoopNight() {
    fs::create_directories(script());
    start();
  }
  [[nodiscard]] fs::path script() const { return repository_.beside("script"); }
  void turn(int number, const std::string& source) const {
    std::ofstream(script() / (std::to_string(number) + ".cu")) << source;
  }
  void misdeed(int number, const std::string& commands) const {
    std::ofstream(script() / (std::to_string(number) + ".sh")) << commands << "\n";
  }
  [[nodiscard]] Invocation night(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {
        "loop", "run", "--agent",
        "'" AUTOKERNEL_SOURCES "/tests/support/scripted_agent.sh' '" + script().string() + "'"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return autokernel(arguments);
  }
  [[nodiscard]] bool exists(const std::string& file) const {
    return fs::exists(repository_.root() / ".autokernel" / file);
  }
};

TEST_F(LoopNight, AnAgentOutOfCreditIsWaitedFor) {
  for (int i = 1; i <= 5; ++i) misdeed(i, "echo 'credit balance is too low' >&2; exit 1");
  turn(6, kernel(kFastest));
  RunningProgram run(night({"--park", "1", "--park-retry", "2", "--max-runs", "1"}));
  wait_for([&] { return exists("parked"); });
  const Outcome status = run_autokernel({"loop", "status"});
  EXPECT_THAT(status.out, AllOf(HasSubstr("parked: "), HasSubstr("credit")));
  const nlohmann::json object =
      nlohmann::json::parse(run_autokernel({"loop", "status", "--json"}).out);
  EXPECT_THAT(object.at("parked").get<std::string>(), HasSubstr("the next try"));
  const Outcome ended = run.wait(seconds{120});
  EXPECT_EQ(ended.code, 20) << ended.out << ended.err;
  EXPECT_THAT(rows(), SizeIs(2));
  EXPECT_THAT(ended.err,
              AllOf(HasSubstr("parked since"), HasSubstr("1 try: 5 turns of the agent")));
  EXPECT_FALSE(exists("parked"));
  EXPECT_FALSE(exists("drive.json"));
  bool is_recorded = false;
  for (const auto& entry : entries("turn"))
    is_recorded = is_recorded || (entry.at("outcome") == "parked" && entry.at("seconds") >= 2);
  EXPECT_TRUE(is_recorded);
  EXPECT_EQ(run_autokernel({"verify-run", "--processes", "2"}).code, 0);
}

TEST_F(LoopNight, WhatDoesNotPassEndsIt) {
  for (int i = 1; i <= 20; ++i) misdeed(i, "exit 1");
  const Outcome run = test::run(night({"--park", "0.001", "--park-retry", "2", "--max-runs", "1"}));
  EXPECT_EQ(run.code, 3) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("and it did not go on"), HasSubstr("5 turns of the agent")));
  // An agent that has no idea is no failure that passes.
  const Outcome idle = test::run(autokernel({"loop", "run", "--agent", "true", "--park", "1"}));
  EXPECT_EQ(idle.code, 3) << idle.err;
  EXPECT_THAT(idle.err, Not(HasSubstr("parked")));
}

// The device is that of a machine that cannot be reached for a while.
class LoopNightElsewhere : public LoopNight {
 protected:
  // A run there, whose machine goes while the first edit is made.
  LoopNightElsewhere() {
    const fs::path ssh = bin() / "ssh";
    fs::create_directories(bin());
    std::ofstream(ssh) << "#!/bin/sh\ntest -e '" << up().string()
                       << "' || { echo 'No route to host' >&2; exit 255; }\nwhile [ \"$1\" != -- "
                          "]; do shift; done\nPATH="
                       << fs::path(AUTOKERNEL_PROGRAM).parent_path().string()
                       << ":$PATH exec setsid --wait sh -c \"$3\"\n";
    fs::permissions(ssh, fs::perms::owner_all);
    std::ofstream(up()) << "";
    repository_.git("checkout", "-q", "main");
    EXPECT_EQ(test::run(over_ssh(autokernel({"loop", "start", "far", "--device", "ssh://there/cpu",
                                             "--size", "check"})))
                  .code,
              0);
    turn(1, kernel(kFastest));
    misdeed(1, "rm '" + up().string() + "'");
    misdeed(2, "false");
  }
  [[nodiscard]] fs::path bin() const { return repository_.beside("bin"); }
  [[nodiscard]] fs::path up() const { return repository_.beside("up"); }
  [[nodiscard]] Invocation over_ssh(Invocation invocation) const {
    invocation.environment["PATH"] = bin().string() + ":/usr/bin:/bin";
    return invocation;
  }
  [[nodiscard]] int turns() const {
    int count = 0;
    std::ifstream(script() / "turns") >> count;
    return count;
  }
  void expect_edit_measured(std::vector<std::string> more) const {
    more.insert(more.end(), {"--park", "1", "--park-retry", "2", "--max-runs", "1"});
    RunningProgram run(over_ssh(night(more)));
    wait_for([&] { return exists("parked"); });
    std::ofstream(up()) << "";
    const Outcome ended = run.wait(seconds{120});
    EXPECT_EQ(ended.code, 20) << ended.out << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("No route to host"));
    EXPECT_THAT(ended.err, HasSubstr("an edit that was not measured is measured first"));
    EXPECT_EQ(kernel_now(), kernel(kFastest));
    EXPECT_EQ(turns(), 1);
    EXPECT_FALSE(exists("unmeasured"));
    EXPECT_FALSE(exists("agents"));
  }
};

TEST_F(LoopNightElsewhere, ADeviceThatComesBackIsWaitedForAndTheEditIsTried) {
  expect_edit_measured({});
}

TEST_F(LoopNightElsewhere, OfSeveralAgentsToo) {
  if (!everything_is_wanted()) GTEST_SKIP() << "ten seconds; AUTOKERNEL_TEST_FULL=1 takes it";
  expect_edit_measured({"--parallel", "1"});
}

TEST_F(LoopNightElsewhere, WhatAKilledOneHasSaidIsForgotten) {
  if (!everything_is_wanted()) GTEST_SKIP() << "ten seconds; AUTOKERNEL_TEST_FULL=1 takes it";
  RunningProgram run(over_ssh(night({"--park", "1", "--max-runs", "1"})));
  wait_for([&] { return exists("parked"); });
  EXPECT_THAT(run_autokernel({"loop", "status"}).out,
              AllOf(HasSubstr("parked: "), HasSubstr("under_way: "), HasSubstr("wait until")));
  run.send(SIGKILL);
  static_cast<void>(run.wait(seconds{60}));
  EXPECT_THAT(run_autokernel({"loop", "status"}).out, Not(HasSubstr("parked")));
  std::ofstream(up()) << "";
  const Outcome resumed = test::run(over_ssh(autokernel({"loop", "run", "--resume"})));
  EXPECT_EQ(resumed.code, 20) << resumed.out << resumed.err;
  EXPECT_EQ(turns(), 1);
  EXPECT_FALSE(exists("parked"));
}

TEST_F(LoopNight, ARebootIsResumedFrom) {
  turn(1, kernel(kFaster));
  misdeed(2, "sleep 60");
  for (const int signal : {SIGTERM, SIGKILL}) {
    RunningProgram run(signal == SIGTERM ? night({"--max-runs", "2"})
                                         : autokernel({"loop", "run", "--resume"}));
    wait_for([&] {
      std::ifstream turns(script() / "turns");
      int count = 0;
      return (turns >> count) && count >= 2;
    });
    run.send(signal);
    static_cast<void>(run.wait(seconds{60}));
    EXPECT_TRUE(exists("drive.json"));
    std::ofstream(script() / "turns") << "1";
  }
  misdeed(2, "true");
  turn(2, kernel(kFastest));
  const Outcome resumed = run_autokernel({"loop", "run", "--resume"});
  EXPECT_EQ(resumed.code, 20) << resumed.out << resumed.err;
  EXPECT_EQ(kernel_now(), kernel(kFastest));
  const Outcome again = run_autokernel({"loop", "run", "--resume"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("nothing to resume"));
  EXPECT_EQ(run_autokernel({"loop", "run"}).code, 2);
}

TEST_F(LoopNight, WhatSomebodyElseHasLeftIsNotResumed) {
  misdeed(1, "sleep 60");
  RunningProgram run(night({"--max-runs", "2"}));
  wait_for([&] { return fs::exists(script() / "turns"); });
  run.send(SIGKILL);
  static_cast<void>(run.wait(seconds{60}));
  const fs::path file = repository_.root() / ".autokernel/drive.json";
  nlohmann::json drive = nlohmann::json::parse(std::ifstream(file));
  const fs::path ran = repository_.beside("ran");
  drive["agent"] = "touch '" + ran.string() + "'";
  std::ofstream(file) << drive.dump();
  const Outcome refused = run_autokernel({"loop", "run", "--resume"});
  EXPECT_EQ(refused.code, 2) << refused.out << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("names a command"));
  EXPECT_FALSE(fs::exists(ran));
}

TEST_F(LoopNight, CtrlCWhileItWaitsEndsIt) {
  for (int i = 1; i <= 5; ++i) misdeed(i, "exit 1");
  RunningProgram run(night({"--park", "1", "--park-retry", "600"}));
  wait_for([&] { return exists("parked"); });
  run.send(SIGINT);
  EXPECT_EQ(run.wait(seconds{30}).code, 128 + SIGINT);
  EXPECT_FALSE(exists("parked"));
  EXPECT_FALSE(exists("drive.json"));
  expect_nothing_under_way();
}

}  // namespace
}  // namespace autokernel::test
