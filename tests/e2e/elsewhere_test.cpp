// Trials on another machine, which is this one behind an ssh of the test's own, or a real one where
// there is a server.
#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "autokernel/base/search_path.h"
#include "e2e/loop_workplace.h"
#include "support/census.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class Elsewhere : public LoopWorkplace {
 protected:
  // A program called ssh, which is given options, "--", a host and a command.
  void ssh_is(const std::string& script) const {
    const fs::path file = repository_.beside("bin/ssh");
    fs::create_directories(file.parent_path());
    write(file, "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nhost=$2 command=$3\n" + script);
    fs::permissions(file, fs::perms::owner_all);
  }
  // Runs the command here, where the program is found, in a session of its own: what is killed here
  // is not killed there.
  void ssh_runs_here() const {
    ssh_is("PATH=" + fs::path(AUTOKERNEL_PROGRAM).parent_path().string() +
           ":$PATH; export PATH\nexec setsid --wait sh -c \"$command\"\n");
  }
  [[nodiscard]] Invocation elsewhere(const std::vector<std::string>& arguments) const {
    Invocation invocation = autokernel(arguments);
    invocation.environment["PATH"] =
        repository_.beside("bin").string() + ":" +
        std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): one thread
    invocation.environment["AUTOKERNEL_RESIDENT"] = "0";
    return invocation;
  }
  [[nodiscard]] Outcome bench(const std::string& device,
                              const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"bench",  "--device", device,
                                          "--size", "check",    "--quick"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return test::run(elsewhere(arguments));
  }

 private:
  static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }
};

TEST_F(Elsewhere, ABenchIsAsOneHere) {
  ssh_runs_here();
  edit(kernel(kFastest));
  const Outcome right = bench("ssh://me@there:2222/cpu", {"--json"});
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  const auto record = nlohmann::json::parse(right.out);
  EXPECT_EQ(record.at("verdict"), "correct");
  EXPECT_GT(record.at("median_us"), 0.0);
  edit(wrong_kernel());
  EXPECT_EQ(bench("ssh://there/cpu").code, 11);
  edit(kernel_that_does_not_compile());
  const Outcome broken = bench("ssh://there");
  EXPECT_EQ(broken.code, 12);
  EXPECT_THAT(broken.out, HasSubstr("kernel.cu:10"));
  expect_nothing_left();
}

TEST_F(Elsewhere, ARunRemembersTheMachine) {
  ssh_runs_here();
  const Outcome begun = test::run(
      elsewhere({"loop", "start", "demo", "--device", "ssh://there/cpu", "--size", "check"}));
  EXPECT_EQ(begun.code, 0) << begun.out << begun.err;
  edit(kernel(kFastest));
  const Outcome faster = test::run(elsewhere({"loop", "step", "-m", "fewer rounds"}));
  EXPECT_EQ(faster.code, 0) << faster.out << faster.err;
  edit(kernel(kFaster));
  EXPECT_EQ(test::run(elsewhere({"loop", "step", "-m", "more"})).code, 10);
  EXPECT_EQ(test::run(elsewhere({"verify-run", "--processes", "2"})).code, 0);
  expect_nothing_left();
}

// A record may be somebody else's.
TEST_F(Elsewhere, AMachineThatOnlyARecordNamesIsNotGoneTo) {
  ssh_runs_here();
  EXPECT_EQ(test::run(elsewhere({"loop", "start", "demo", "--device", "ssh://there/cpu", "--size",
                                 "check"}))
                .code,
            0);
  edit(kernel(kFastest));
  const fs::path cache = repository_.beside("another-cache");
  const auto stranger = [&](const std::vector<std::string>& arguments) {
    Invocation invocation = elsewhere(arguments);
    invocation.environment["XDG_CACHE_HOME"] = cache.string();
    return test::run(invocation);
  };
  const std::string once = repository_.beside("gone").string();
  ssh_is("touch " + once + "\nexit 255\n");
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"loop", "step", "-m", "fewer rounds"},
           {"loop", "finish"},
           {"verify-run"},
           {"verify-run", "--allow"},
           {"loop", "run", "--agent", "touch edited", "--parallel", "2"}}) {
    const Outcome refused = stranger(command);
    EXPECT_EQ(refused.code, 2) << command.front() << ": " << refused.out << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("name it once, by --device ssh://there")) << refused.err;
  }
  EXPECT_FALSE(fs::exists(once));
  ssh_runs_here();
  EXPECT_EQ(stranger({"loop", "step", "-m", "fewer rounds", "--device", "ssh://there/cpu"}).code,
            0);
  // On another device than the run's.
  const Outcome here = stranger({"verify-run", "--processes", "2", "--device", "cpu"});
  EXPECT_THAT(here.code, testing::AnyOf(0, 16)) << here.out << here.err;
  expect_nothing_left();
}

TEST_F(Elsewhere, ABrokenConnectionCostsARepetition) {
  edit(kernel(kFastest));
  const std::string once = repository_.beside("once").string();
  ssh_is("PATH=" + fs::path(AUTOKERNEL_PROGRAM).parent_path().string() + ":$PATH; export PATH\n" +
         "if [ -e " + once + " ]; then exec sh -c \"$command\"; fi\ntouch " + once + "\n" +
         // The greeting gets through, and not much more.
         "sh -c \"$command\" | { head -n 1; head -c 20; }\necho 'cut off' >&2\n");
  const Outcome run = bench("ssh://there/cpu");
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.out,
              ContainsRegex("the connection to ssh://there was lost \\(.*\\), and the trial "
                            "made again"));
}

TEST_F(Elsewhere, WhatCannotBeReachedIsNamed) {
  const auto fails = [&](const char* script, const char* why) {
    ssh_is(script);
    const Outcome run = bench("ssh://there/cpu");
    EXPECT_EQ(run.code, 3) << run.out << run.err;
    EXPECT_THAT(run.err, AllOf(HasSubstr("cannot measure at ssh://there: "), HasSubstr(why)));
  };
  fails("echo 'connect to host there port 22: Connection refused' >&2; exit 255", "refused");
  fails("echo 'sh: autokernel: not found' >&2; exit 127", "; install this one there");
  fails("echo autokernel-relay 0.1.0 0123abcd; sleep 60", "it has another build of autokernel");
  fails("head -c 3000000 /dev/zero", "");
}

TEST_F(Elsewhere, PlacesAreHostsAndNoOptions) {
  ssh_is("touch " + repository_.beside("ran").string());
  for (const char* device : {"ssh://-oProxyCommand=x/cpu",
                             "ssh://",
                             "ssh:///cpu",
                             "ssh://a b/cpu",
                             "ssh://me@-x/cpu",
                             "ssh://there:22x/cpu",
                             "ssh://there:0/cpu",
                             "ssh://there:/cpu",
                             "ssh://a;b/cpu",
                             "ssh://$(x)/cpu",
                             "ssh://there/ssh://there/cpu",
                             "ssh://there/tpu",
                             "slurm:/cpu",
                             "slurm:-p/cpu",
                             "slurm:a b/cpu",
                             "slurm:a,gres/cpu",
                             "slurm:a,gres=/cpu",
                             "slurm:a,wrap=x/cpu",
                             "slurm:a,gres=gpu:1;x/cpu",
                             "slurm:a/slurm:b/cpu",
                             "launcher:x",
                             "launcher: /cpu",
                             "launcher:x/ssh:",
                             "launcher:x/tpu"}) {
    const Outcome run = bench(device);
    EXPECT_EQ(run.code, 2) << device << run.out << run.err;
    EXPECT_THAT(run.err, HasSubstr("no such device")) << device;
  }
  EXPECT_EQ(test::run(elsewhere({"doctor", "--device", "ssh://there/cpu"})).code, 2);
  EXPECT_EQ(test::run(elsewhere({"profile", "--device", "ssh://there/cuda", "--", "true"})).code,
            2);
  EXPECT_FALSE(fs::exists(repository_.beside("ran")));
}

TEST_F(Elsewhere, AnyCommandMayBeTheLauncher) {
  const std::string launcher =
      "env PATH=" + fs::path(AUTOKERNEL_PROGRAM).parent_path().string() + ":/usr/bin:/bin 'A=b c'";
  edit(kernel(kFastest));
  const Outcome here = bench("cpu", {"--launcher", launcher});
  EXPECT_EQ(here.code, 0) << here.out << here.err;
  repository_.git("checkout", "--", kKernel);
  const Outcome begun = test::run(elsewhere(
      {"loop", "start", "demo", "--launcher", launcher, "--device", "cpu", "--size", "check"}));
  EXPECT_EQ(begun.code, 0) << begun.out << begun.err;
  // Another name for the same device is none of the run's.
  EXPECT_EQ(test::run(elsewhere({"loop", "run", "--agent", "true", "--device", "cpu"})).code, 2);
  edit(wrong_kernel());
  EXPECT_EQ(test::run(elsewhere({"loop", "step", "-m", "wrong"})).code, 11);
  // Two machines at once are refused, and so is a launcher that only a record names.
  EXPECT_EQ(bench("ssh://there/cpu", {"--launcher", launcher}).code, 2);
  const Outcome unknown = bench("launcher:touch ran;/cpu");
  EXPECT_EQ(unknown.code, 2) << unknown.out << unknown.err;
  EXPECT_THAT(unknown.err, HasSubstr("name it once, by --launcher"));
  expect_nothing_left();
}

// What ./dev package makes, as far as this machine needs it.
TEST_F(Elsewhere, AMachineThatLacksTheProgramIsSentIt) {
  // In place of the program one that starts it: an archive of all of it takes a minute to make.
  const fs::path package = repository_.beside("package");
  for (const char* folder : {"bin", "share/autokernel"}) fs::create_directories(package / folder);
  std::ofstream(package / "bin/autokernel") << "#!/bin/sh\nexec '" AUTOKERNEL_PROGRAM "' \"$@\"\n";
  fs::permissions(package / "bin/autokernel", fs::perms::owner_all);
  const fs::path home = repository_.beside("home");
  fs::create_directories(home);
  // A machine with a home of its own and no autokernel but an old one.
  ssh_is("HOME=" + home.string() + "; export HOME\nexec setsid --wait sh -c \"$command\"\n");
  edit(kernel(kFastest));
  EXPECT_EQ(bench("ssh://there/cpu").code, 3);
  const auto sending = [&](const fs::path& what) {
    Invocation bench = elsewhere(
        {"bench", "--device", "ssh://there/cpu", "--size", "check", "--quick", "--verbose"});
    bench.environment["AUTOKERNEL_PACKAGE"] = what.string();
    return test::run(bench);
  };
  const Outcome none = sending(package);
  EXPECT_EQ(none.code, 2) << none.err;
  EXPECT_THAT(none.err, HasSubstr("which is no package"));
  std::ofstream(package / "share/autokernel/package") << "autokernel\n";
  const Outcome first = sending(package);
  EXPECT_EQ(first.code, 0) << first.out << first.err;
  EXPECT_THAT(first.err, HasSubstr("installing this build of autokernel at ssh://there"));
  const Outcome second = sending(package);
  EXPECT_EQ(second.code, 0) << second.out << second.err;
  EXPECT_THAT(second.err, Not(HasSubstr("installing")));
  // One that is cut off leaves nothing there.
  fs::remove_all(home / ".cache");
  ssh_is("HOME=" + home.string() +
         "; export HOME\ncase $command in *sha256sum*) head -c 100 | sh -c \"$command\";; "
         "*) exec sh -c \"$command\";; esac\n");
  const Outcome cut = sending(package);
  EXPECT_EQ(cut.code, 3) << cut.out << cut.err;
  EXPECT_THAT(cut.err, HasSubstr("what arrived is not what was sent"));
  EXPECT_TRUE(fs::is_empty(home / ".cache/autokernel/packages"));
}

TEST_F(Elsewhere, NothingIsLeftThereWhenItIsInterrupted) {
  ssh_runs_here();
  edit(endless_kernel());
  RunningProgram run(elsewhere(
      {"bench", "--device", "ssh://there/cpu", "--size", "check", "--quick", "--timeout", "100"}));
  std::this_thread::sleep_for(std::chrono::seconds{2});
  run.send(SIGINT);
  EXPECT_EQ(run.wait(std::chrono::seconds{60}).code, 128 + SIGINT);
  // It notices the end of the connection, and ends its trial.
  for (int i = 0; i < 100 && !fs::is_empty(repository_.beside("tmp")); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
  expect_nothing_left();
}

TEST_F(Elsewhere, ARealServerWillDo) {
  const fs::path server = "/usr/sbin/sshd";
  if (!fs::exists(server) || ::geteuid() != 0 || find_on_path("ssh-keygen").empty())
    GTEST_SKIP() << "there is no sshd, or this is not root";
  const std::string folder = repository_.beside("sshd").string();
  fs::create_directories(folder);
  fs::create_directories("/run/sshd");
  const std::string port = std::to_string(20000 + ::getpid() % 20000);
  const std::string setup =
      "cd " + folder +
      " && for key in host user; do ssh-keygen -q -t ed25519 -N '' -f $key; done && "
      "printf '%s\\n' 'Port " +
      port + "' 'ListenAddress 127.0.0.1' 'HostKey " + folder +
      "/host' "
      "'AuthorizedKeysFile " +
      folder +
      "/user.pub' 'StrictModes no' 'UsePAM no' "
      "'PermitRootLogin yes' 'PidFile " +
      folder +
      "/pid' "
      "'SetEnv PATH=" +
      fs::path(AUTOKERNEL_PROGRAM).parent_path().string() +
      ":/usr/bin:/bin' "
      "> conf && " +
      server.string() + " -f conf";
  ASSERT_EQ(std::system(setup.c_str()), 0);  // NOLINT(concurrency-mt-unsafe): one thread
  ssh_is(
      "exec /usr/bin/ssh -F none -T -o BatchMode=yes -o StrictHostKeyChecking=no -o "
      "UserKnownHostsFile=/dev/null -o LogLevel=ERROR -i " +
      folder + "/user -p " + port + " -- \"$host\" \"$command\"\n");
  edit(kernel(kFastest));
  const Outcome run = bench("ssh://root@127.0.0.1/cpu");
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
  EXPECT_EQ(std::system(("kill $(cat " + folder + "/pid)").c_str()), 0);
}

}  // namespace
}  // namespace autokernel::test
