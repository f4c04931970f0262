// A judge of a user of its own, and an agent of another user who wants better numbers than its
// kernels have. Needs root, to be both.
#include <gmock/gmock.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "autokernel/base/local_socket.h"
#include "e2e/judge_workplace.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

// A system user and another one, who nobody else is, also where tests run side by side.
const uid_t kJudge = 700 + static_cast<uid_t>(::getpid()) % 250;
const uid_t kAgent = 60000 + static_cast<uid_t>(::getpid()) % 5000;

class JudgeAttack : public JudgeWorkplace {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "it takes root to be two users";
    // What the judge has: its cases and its store, in folders that nobody else writes to.
    fs::create_directories(own());
    fs::copy(repository_.root() / "kernels", own() / "kernels", fs::copy_options::recursive);
    fs::create_directories(store());
    fs::create_directories(run());
    give_all();
    // Everyone may pass through the scratch folder.
    const std::string temporary = fs::canonical(fs::temp_directory_path()).string() + "/";
    for (fs::path folder = repository_.root(); folder != folder.root_path();
         folder = folder.parent_path())
      if (folder.string().starts_with(temporary))
        fs::permissions(folder,
                        fs::perms::others_read | fs::perms::others_exec | fs::perms::group_read |
                            fs::perms::group_exec,
                        fs::perm_options::add);
  }

  uid_t judge_user_ = kJudge;

  void give_all() const {
    give(own(), judge_user_);
    give(store(), judge_user_);
    give(run(), judge_user_);
    give(repository_.root(), kAgent);
  }
  [[nodiscard]] fs::path own() const { return repository_.beside("judge"); }
  [[nodiscard]] fs::path run() const { return repository_.beside("run"); }

  [[nodiscard]] Invocation judge(const std::vector<std::string>& more) const override {
    std::vector<std::string> arguments = {"--reuid",          std::to_string(judge_user_),
                                          "--regid",          std::to_string(judge_user_),
                                          "--clear-groups",   "--",
                                          AUTOKERNEL_PROGRAM, "serve",
                                          "--cases",          (own() / "kernels").string(),
                                          "--store",          store().string(),
                                          "--socket",         (run() / "judge.sock").string(),
                                          "--devices",        "cpu"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return {.program = "/usr/bin/setpriv",
            .arguments = std::move(arguments),
            .directory = own(),
            .environment = {{"HOME", store().string()},
                            {"TMPDIR", "/tmp"},
                            {"XDG_CACHE_HOME", (store() / "cache").string()},
                            {"AUTOKERNEL_RESIDENT", "0"}}};
  }
  void serve_apart() {
    judge_ = std::make_unique<RunningProgram>(judge({}));
    for (int i = 0; i < 3000 && !connect_to_file(run() / "judge.sock").is_open(); ++i)
      std::this_thread::sleep_for(milliseconds{20});
    ASSERT_TRUE(connect_to_file(run() / "judge.sock").is_open()) << judge_->err_so_far();
  }
  // Whether a command succeeds as the agent.
  [[nodiscard]] Outcome as_agent(const std::vector<std::string>& command) const {
    std::vector<std::string> arguments = {"--reuid",        std::to_string(kAgent),
                                          "--regid",        std::to_string(kAgent),
                                          "--clear-groups", "--"};
    arguments.insert(arguments.end(), command.begin(), command.end());
    Invocation invocation = autokernel({});
    invocation.program = "/usr/bin/setpriv";
    invocation.arguments = std::move(arguments);
    invocation.environment["HOME"] = (repository_.root() / ".git/home").string();
    invocation.environment["TMPDIR"] = "/tmp";
    invocation.environment["XDG_CACHE_HOME"] = (repository_.root() / ".git/home/.cache").string();
    return test::run(invocation);
  }
  [[nodiscard]] Outcome shell(const std::string& line) const {
    return as_agent({"/bin/sh", "-c", line});
  }
  [[nodiscard]] Outcome client(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), AUTOKERNEL_PROGRAM);
    return as_agent(arguments);
  }
  [[nodiscard]] std::string device_apart() const {
    return "judge:" + (run() / "judge.sock").string() + "/cpu";
  }
  // The judge still judges: a right kernel is right, a wrong one is wrong.
  void expect_judge_works() const {
    repository_.write(kKernel, kernel(kFastest));
    const Outcome right =
        client({"bench", "--device", device_apart(), "--size", "check", "--quick"});
    EXPECT_EQ(right.code, 0) << right.out << right.err;
    repository_.write(kKernel, wrong_kernel());
    EXPECT_EQ(client({"bench", "--device", device_apart(), "--size", "check", "--quick"}).code, 11);
  }

 private:
  static void give(const fs::path& folder, uid_t user) {
    EXPECT_EQ(::chown(folder.c_str(), user, user), 0);
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      EXPECT_EQ(::lchown(entry.path().c_str(), user, user), 0);
  }
};

TEST_F(JudgeAttack, ARunIsMeasuredAndConfirmedByAJudgeOfAnotherUser) {
  serve_apart();
  ASSERT_EQ(client({"loop", "start", "demo", "--device", device_apart(), "--size", "check"}).code,
            0);
  repository_.write(kKernel, kernel(kFaster));
  const Outcome kept = client({"loop", "step", "-m", "fewer rounds"});
  EXPECT_EQ(kept.code, 0) << kept.out << kept.err;
  const Outcome finished = client({"loop", "finish", "--processes", "2"});
  EXPECT_EQ(finished.code, 0) << finished.out << finished.err;
  EXPECT_EQ(client({"verify-run", "--processes", "2", "--allow"}).code, 0);
}

TEST_F(JudgeAttack, ItsFilesAndProcessesAreOutOfReach) {
  serve_apart();
  expect_judge_works();
  const std::string id = std::to_string(judge_->id());
  const std::string store_path = store().string();
  const std::vector<std::string> attempts = {
      "cat " + store_path + "/ledger.sqlite",
      "ls " + store_path,
      "echo x >> " + store_path + "/ledger.sqlite",
      "rm -rf " + store_path + "/ledger.sqlite",
      "mv " + store_path + " " + store_path + ".old",
      "echo x >> " + (own() / "kernels/reference.cu").string(),
      "rm " + (own() / "kernels/case.toml").string(),
      "rm " + (run() / "judge.sock").string(),
      "mv " + (run() / "judge.sock").string() + " /tmp/stolen.sock",
      "ln -s /tmp/fake.sock " + (run() / "other.sock").string(),
      "kill -9 " + id,
      "kill -STOP " + id,
      "cat /proc/" + id + "/mem",
      "cat /proc/" + id + "/environ",
      "head -c 1 /proc/" + id + "/maps",
      "pkill -U " + std::to_string(judge_user_),
      "renice -n -5 -p " + id,
      std::string("echo x > ") + AUTOKERNEL_PROGRAM,
  };
  for (const std::string& attempt : attempts) {
    EXPECT_NE(shell(attempt).code, 0) << attempt;
  }
  expect_judge_works();
}

// A judge of the agent's own in place of the real one.
TEST_F(JudgeAttack, AJudgeOfTheAgentsOwnConfirmsNothing) {
  const std::string fake = (repository_.root() / ".git/fake").string();
  const Outcome started =
      shell("mkdir -p " + fake + " && (" AUTOKERNEL_PROGRAM " serve --devices cpu --cases " +
            (repository_.root() / "kernels").string() + " --store " + fake +
            " >/dev/null 2>&1 & echo $! > " + fake + "/pid) && for i in $(seq 300); do test -S " +
            fake + "/judge.sock && exit 0; sleep 0.1; done; exit 1");
  ASSERT_EQ(started.code, 0) << started.err;
  const std::string device = "judge:" + fake + "/judge.sock/cpu";
  EXPECT_EQ(client({"loop", "start", "demo", "--device", device, "--size", "check"}).code, 0);
  repository_.write(kKernel, kernel(kFaster));
  EXPECT_EQ(client({"loop", "step", "-m", "fewer rounds"}).code, 0);
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"loop", "finish", "--processes", "2"}, {"verify-run", "--processes", "2", "--allow"}}) {
    const Outcome refused = client(command);
    EXPECT_EQ(refused.code, 3) << refused.out << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("it runs as you do"));
  }
  static_cast<void>(shell("kill -9 $(cat " + fake + "/pid)"));
}

// Nor one of a user whom the agent can be as well: by subuid(5), or a friend.
TEST_F(JudgeAttack, AJudgeOfSomebodyElseConfirmsNothing) {
  judge_user_ = kAgent + 1;
  give_all();
  serve_apart();
  EXPECT_EQ(client({"loop", "start", "demo", "--device", device_apart(), "--size", "check"}).code,
            0);
  repository_.write(kKernel, kernel(kFaster));
  EXPECT_EQ(client({"loop", "step", "-m", "fewer rounds"}).code, 0);
  const Outcome refused = client({"loop", "finish", "--processes", "2"});
  EXPECT_EQ(refused.code, 3) << refused.out << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("no system user"));
}

// What comes by the socket: nothing of it may stop the judge, or become a result.
TEST_F(JudgeAttack, WhatIsNoOrderIsRefused) {
  serve_apart();
  const std::string path = (run() / "judge.sock").string();
  const std::string send =
      "import socket, sys\n"
      "def talk(data, wait=2):\n"
      "    s = socket.socket(socket.AF_UNIX); s.settimeout(wait); s.connect('" +
      path +
      "')\n"
      "    out = b''\n"
      "    try:\n"
      "        s.sendall(data)\n"
      "        while len(out) < 4000:\n"
      "            piece = s.recv(4096)\n"
      "            if not piece: break\n"
      "            out += piece\n"
      "    except OSError: pass\n"
      "    return out.decode(errors='replace')\n";
  const auto talk = [&](const std::string& expression) {
    const Outcome said =
        as_agent({"/usr/bin/python3", "-c", send + "print(talk(" + expression + "))"});
    EXPECT_EQ(said.code, 0) << said.err;
    return said.out;
  };
  EXPECT_THAT(talk("b'GET / HTTP/1.1\\r\\n\\r\\n'"), HasSubstr("autokernel-judge"));
  EXPECT_THAT(talk("b'{}\\n'"), HasSubstr("failure"));
  EXPECT_THAT(talk("b'\\xff\\x00\\n'"), HasSubstr("failure"));
  EXPECT_THAT(talk("b'[' * 1000000 + b'\\n'"), HasSubstr("failure"));
  // A line without an end.
  EXPECT_THAT(talk("b'x' * (40 << 20)"), Not(HasSubstr("result")));
  // A result, as if the client were a device.
  EXPECT_THAT(talk(R"(b'{"autokernel_message":1,"kind":"result","body":{}}\n')"),
              HasSubstr("failure"));
  expect_judge_works();
}

// More connections than there may be, and more trials than are measured in a lifetime.
TEST_F(JudgeAttack, AFloodOfOneUserLeavesTheOthersTheirTurn) {
  serve_apart();
  const std::string path = (run() / "judge.sock").string();
  repository_.write(kKernel, kernel(kFastest));
  const Outcome flooding =
      shell("cd " + repository_.root().string() +
            "; for i in $(seq 12); do " AUTOKERNEL_PROGRAM " bench --device " + device_apart() +
            " --size check --quick >/dev/null 2>&1 & done; /usr/bin/python3 -c \"\n"
            "import socket, time\n"
            "all = []\n"
            "for i in range(600):\n"
            "    s = socket.socket(socket.AF_UNIX)\n"
            "    s.setblocking(False)\n"
            "    try: s.connect('" +
            path +
            "')\n"
            "    except OSError: pass\n"
            "    all.append(s)\n"
            "time.sleep(20)\" >/dev/null 2>&1 & sleep 3");
  EXPECT_EQ(flooding.code, 0) << flooding.err;
  // Another client, root, whose trial comes in behind twelve.
  Invocation other =
      autokernel({"bench", "--device", device_apart(), "--size", "check", "--quick"});
  const Outcome served = test::run(other);
  EXPECT_EQ(served.code, 0) << served.out << served.err;
  static_cast<void>(shell("kill -9 -1"));
  expect_judge_works();
}

// A kernel of the agent's runs within the judge's sandbox: what belongs to the judge's user is as
// far away as everything else.
TEST_F(JudgeAttack, NothingOfTheRequestButTheKernelIsTheAgents) {
  serve_apart();
  // A case of one's own, with a reference that finds everything right.
  repository_.write(
      "kernels/reference.cu",
      "extern \"C\" __global__ void reference(const float*, const float*, float*) {}\n");
  const Outcome own_case =
      client({"bench", "--device", device_apart(), "--size", "check", "--quick"});
  EXPECT_EQ(own_case.code, 2) << own_case.out;
  EXPECT_THAT(own_case.err, HasSubstr("does not have this case"));
  fs::copy(own() / "kernels/reference.cu", repository_.root() / "kernels/reference.cu",
           fs::copy_options::overwrite_existing);
  // Inputs that were known beforehand, and no sandbox.
  repository_.write(kKernel, kernel(kFastest));
  const Outcome unconfined = client({"bench", "--device", device_apart(), "--size", "check",
                                     "--quick", "--unconfined", "--json"});
  EXPECT_EQ(unconfined.code, 0) << unconfined.err;
  EXPECT_THAT(unconfined.out, Not(HasSubstr("without its sandbox")));
  expect_judge_works();
}

}  // namespace
}  // namespace autokernel::test
