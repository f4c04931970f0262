// Kernels in Python that a compiler of somebody else's compiles: here a stand-in of a page, which
// runs the kernel's file as Triton's does.
#include <gmock/gmock.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <thread>

#include "autokernel/base/landlock.h"
#include "e2e/loop_workplace.h"
#include "support/full_test.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// z = 2x + y by one thread for each element, which computes it `rounds` times.
constexpr const char* kCompiler =
    R"PY("""Runs the kernel's file, and puts what it names into PTX."""
import json
import sys

request = json.load(sys.stdin)
given = {"request": request}
try:
    with open(request["main"]) as file:
        exec(compile(file.read(), request["main"], "exec"), given)
except BaseException as error:
    json.dump({"error": f"{request['main']}: {type(error).__name__}: {error}"}, sys.stdout)
    sys.exit()
ptx = """.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 in_x, .param .u64 in_y, .param .u64 out_z, .param .u32 count, .param .u64 unused) {
  .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<6>;
  ld.param.u64 %rd1, [in_x]; ld.param.u64 %rd2, [in_y]; ld.param.u64 %rd3, [out_z]; ld.param.u32 %r5, [count];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  setp.ge.u32 %p1, %r4, %r5;
  @%p1 bra done;
  mul.wide.u32 %rd4, %r4, 4;
  add.s64 %rd5, %rd1, %rd4; add.s64 %rd6, %rd2, %rd4; add.s64 %rd7, %rd3, %rd4;
  mov.u32 %r6, 0;
again:
  ld.volatile.global.f32 %f1, [%rd5]; ld.volatile.global.f32 %f2, [%rd6];
  fma.rn.f32 %f3, %f1, FACTOR, %f2;
  add.u32 %r6, %r6, 1;
  setp.lt.u32 %p2, %r6, ROUNDS;
  @%p2 bra again;
  st.global.f32 [%rd7], %f3;
done:
  ret;
}
"""
count = request["sizes"]["N"]
launches = [{"kernel": "add", "grid": [(count + 127) // 128], "block": [128],
             "arguments": ["x", "y", "z", {"type": "i32", "value": count}, {"type": "pointer", "value": 0}]}]
json.dump({
    "ptx": ptx.replace("ROUNDS", str(given["ROUNDS"])).replace("FACTOR", given.get("FACTOR", "0f40000000")),
    "launches": given.get("LAUNCHES", launches), "workspace_bytes": given.get("WORKSPACE", 0),
}, sys.stdout)
)PY";

class ExternalCompiler : public LoopWorkplace {
 protected:
  ExternalCompiler() {
    std::string text = repository_.read("kernels/case.toml");
    repository_.write("kernels/case.toml", "kernel = \"kernel.py\"\n" + text +
                                               "\n[compile]\ncompiler = \"compiler.py\"\n");
    repository_.write("kernels/compiler.py", kCompiler);
    write(kSlow);
    fs::remove(repository_.root() / kKernel);
    repository_.commit("a kernel in Python");
  }
  void write(int rounds, const std::string& more = {}) const {
    repository_.write("kernels/kernel.py", more + "ROUNDS = " + std::to_string(rounds) + "\n");
  }
  [[nodiscard]] Outcome bench(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"bench", "--case", "kernels", "--device",
                                          "cpu",   "--size", "check"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_autokernel(arguments);
  }
  // What a kernel that tries something says of it.
  [[nodiscard]] std::string said_of(const std::string& attempt) const {
    write(1, "import os, socket, subprocess\n" + attempt + "\n");
    return bench().out;
  }
};

TEST_F(ExternalCompiler, KernelIsJudgedAsAnyOther) {
  const Outcome right = bench();
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  write(1, "FACTOR = '0f40400000'\n");  // 3
  const Outcome wrong = bench();
  EXPECT_EQ(wrong.code, 11) << wrong.out;
  write(1, "FACTOR = 'twice'\n");
  const Outcome no_ptx = bench();
  EXPECT_EQ(no_ptx.code, 17) << no_ptx.out;
}

// Of 1000 elements, those from `begin` on, which are at byte `at`.
TEST_F(ExternalCompiler, LaunchesTakePartsOfTensorsAndOfTheWorkspace) {
  constexpr const char* kParts = R"(
count = request["sizes"]["N"]
def part(of, begin):
    return {"buffer": of, "offset": 4 * begin}
def add(x, y, z, elements):
    return {"kernel": "add", "grid": [(elements + 127) // 128], "block": [128],
            "arguments": [x, y, z, {"type": "i32", "value": elements}, {"type": "pointer", "value": 0}]}
LAUNCHES = [add("x", "y", "z", 300), add(part("x", 300), part("y", 300), part("z", SHIFTED), count - 300)]
)";
  write(1, "SHIFTED = 300" + std::string(kParts));
  const Outcome right = bench();
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  write(1, "SHIFTED = 299" + std::string(kParts));
  const Outcome wrong = bench();
  EXPECT_EQ(wrong.code, 11) << wrong.out;
  write(1, "SHIFTED = count" + std::string(kParts));
  const Outcome undefined = bench();
  EXPECT_EQ(undefined.code, 12) << undefined.out;
  write(1, "SHIFTED = request['sizes']['N']" + std::string(kParts));
  const Outcome past_the_end = bench();
  EXPECT_EQ(past_the_end.code, 12) << past_the_end.out;
  EXPECT_THAT(past_the_end.out, HasSubstr("a launch asks for a pointer to byte"));
  write(1, "SHIFTED = 300" + std::string(kParts) + "LAUNCHES[0]['arguments'][0] = part('q', 0)\n");
  EXPECT_THAT(bench().out, HasSubstr("a pointer into \"q\", which is no tensor of the case"));
  // Through two parts of the workspace: 2 (2x + y) + y, less what makes it the answer again.
  write(1, "SHIFTED = 300\nWORKSPACE = 8 * 1024 * 1024" + std::string(kParts) +
               "LAUNCHES = [add('x', 'y', part('workspace', 1024), count),\n"
               "            add('x', 'y', part('workspace', 1024 * 1024), count), LAUNCHES[0],\n"
               "            LAUNCHES[1]]\n");
  const Outcome with_workspace = bench();
  EXPECT_EQ(with_workspace.code, 0) << with_workspace.out << with_workspace.err;
}

TEST_F(ExternalCompiler, ErrorOfTheFileIsTheReason) {
  write(1, "ROUNDS = 1 / 0\n");
  const Outcome run = bench();
  EXPECT_EQ(run.code, 12);
  EXPECT_THAT(run.out, HasSubstr("kernel.py: ZeroDivisionError: division by zero"));
}

TEST_F(ExternalCompiler, RunKeepsAndTakesBack) {
  start();
  write(kFaster);
  Outcome step = run_autokernel({"loop", "step", "-m", "fewer rounds"});
  EXPECT_EQ(step.code, 0) << step.out << step.err;
  write(2 * kSlow);
  step = run_autokernel({"loop", "step", "-m", "more rounds"});
  EXPECT_EQ(step.code, 10) << step.out << step.err;
  EXPECT_THAT(repository_.read("kernels/kernel.py"), HasSubstr(std::to_string(kFaster)));
  EXPECT_THAT(rows(), ElementsAre("keep baseline", "keep fewer rounds", "discard more rounds"));
}

TEST_F(ExternalCompiler, CudaAndPythonAreCompared) {
  repository_.write("other.cu", kernel(kFastest));
  write(kSlow);
  const Outcome slower = bench({"--against", "other.cu"});
  EXPECT_EQ(slower.code, 10) << slower.out << slower.err;
  const Outcome faster = bench({"--kernel", "other.cu", "--against", "kernels/kernel.py"});
  EXPECT_EQ(faster.code, 0) << faster.out << faster.err;
}

TEST_F(ExternalCompiler, IncumbentIsWhatWasJudged) {
  if (!everything_is_wanted()) GTEST_SKIP() << "ten seconds; AUTOKERNEL_TEST_FULL=1 takes it";
  // Slow from its second compile on, which would make any successor look fast: the clock tells it.
  write(kFaster, "import time\n");
  const std::string turning = "import time\nROUNDS = " + std::to_string(kFaster) +
                              " if time.time() < " + std::to_string(std::time(nullptr) + 6) +
                              " else " + std::to_string(4 * kSlow) + "\n";
  repository_.write("kernels/kernel.py", turning);
  repository_.write("earlier.py", turning);
  ASSERT_EQ(bench().code, 0);
  ASSERT_EQ(bench({"--kernel", "earlier.py"}).code, 0);
  std::this_thread::sleep_for(std::chrono::seconds(7));
  write(kFaster);
  const Outcome run = bench({"--against", "earlier.py"});
  EXPECT_NE(run.code, 0) << run.out << run.err;
}

TEST_F(ExternalCompiler, PythonOfARecordRunsOnlyIfAllowed) {
  if (!everything_is_wanted()) GTEST_SKIP() << "ten seconds; AUTOKERNEL_TEST_FULL=1 takes it";
  repository_.write("record.json", bench({"--json"}).out);
  const Outcome refused = run_autokernel({"bench", "--replay", "record.json"});
  EXPECT_EQ(refused.code, 2) << refused.out;
  EXPECT_THAT(refused.err, HasSubstr("--allow lets it run"));
  EXPECT_EQ(run_autokernel({"bench", "--replay", "record.json", "--allow"}).code, 0);
  fs::remove(repository_.root() / "record.json");
  start();
  write(kFaster);
  ASSERT_EQ(run_autokernel({"loop", "step", "-m", "fewer rounds"}).code, 0);
  const Outcome verified = run_autokernel({"verify-run"});
  EXPECT_EQ(verified.code, 2) << verified.out << verified.err;
  EXPECT_THAT(verified.err, HasSubstr("--allow lets it run"));
}

TEST_F(ExternalCompiler, CompilerThatIsEditedIsTampering) {
  start();
  repository_.write("kernels/compiler.py", std::string(kCompiler) + "\n# edited\n");
  write(kFaster);
  EXPECT_EQ(run_autokernel({"loop", "step", "-m", "another compiler"}).code, 15);
}

TEST_F(ExternalCompiler, FileReadsNothingOfTheUsers) {
  if (!has_landlock()) GTEST_SKIP() << "this Linux has no Landlock";
  repository_.write("secret.txt", "a secret of the user");
  const std::string path = (repository_.root() / "secret.txt").string();
  EXPECT_THAT(said_of("print(1 / (open('" + path + "').read() == ''))"),
              AllOf(HasSubstr("PermissionError"), Not(HasSubstr("verdict:          correct"))));
  EXPECT_THAT(said_of("os.listdir('" + repository_.root().string() + "')"),
              HasSubstr("PermissionError"));
  EXPECT_THAT(said_of("open('/proc/' + str(os.getppid()) + '/environ').read()"),
              HasSubstr("PermissionError"));
}

TEST_F(ExternalCompiler, FileWritesNothingOutsideItsFolder) {
  if (!has_landlock()) GTEST_SKIP() << "this Linux has no Landlock";
  EXPECT_THAT(said_of("open('" + (repository_.root() / "left.txt").string() + "', 'w')"),
              HasSubstr("PermissionError"));
  EXPECT_FALSE(fs::exists(repository_.root() / "left.txt"));
  EXPECT_THAT(said_of("open('/tmp/autokernel-left-behind', 'w')"), HasSubstr("PermissionError"));
  write(1, "open('mine.txt', 'w').write('allowed')\n");
  EXPECT_EQ(bench().code, 0);
}

TEST_F(ExternalCompiler, FileChangesNothingOfAFileThatItCannotOpen) {
  repository_.write("mine.txt", "the user's");
  const std::string path = (repository_.root() / "mine.txt").string();
  for (const std::string& attempt :
       {"os.chmod('" + path + "', 0)", "os.utime('" + path + "', (1, 1))",
        "os.chown('" + path + "', 0, 0)", "os.setxattr('" + path + "', 'user.a', b'b')"}) {
    EXPECT_THAT(said_of(attempt), HasSubstr("PermissionError")) << attempt;
  }
}

TEST_F(ExternalCompiler, FileLimitsAndDirectsNoOtherProcess) {
  EXPECT_THAT(
      said_of("import resource; resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1))"),
      HasSubstr("PermissionError"));
  EXPECT_THAT(said_of("os.sched_setaffinity(os.getppid(), {0})"), HasSubstr("PermissionError"));
  EXPECT_THAT(said_of("os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)"),
              HasSubstr("PermissionError"));
  EXPECT_THAT(said_of("os.kill(os.getppid(), 0)"), HasSubstr("PermissionError"));
  EXPECT_THAT(said_of("socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)"),
              HasSubstr("PermissionError"));
  EXPECT_THAT(said_of("os.memfd_create('large')"), HasSubstr("PermissionError"));
}

TEST_F(ExternalCompiler, AnswerThatIsNoFileIsTheKernelsFault) {
  for (const char* put : {"os.symlink('/etc/passwd', '../answer.json')",
                          "os.mkfifo('../answer.json')", "os.mkdir('../answer.json')"}) {
    write(1, std::string("import os\nos.unlink('../answer.json')\n") + put + "\n");
    const Outcome run = bench();
    EXPECT_EQ(run.code, 12) << put << run.out << run.err;
    EXPECT_THAT(run.out + run.err, Not(HasSubstr("root:")));
  }
}

TEST_F(ExternalCompiler, PythonOfACaseIsConfinedAsWell) {
  if (!has_landlock()) GTEST_SKIP() << "this Linux has no Landlock";
  repository_.write("tools/python.sh", "#!/bin/sh\ntouch '" +
                                           (repository_.root() / "touched").string() +
                                           "'\nexec python3 \"$@\"\n");
  fs::permissions(repository_.root() / "tools/python.sh", fs::perms::owner_all);
  repository_.write("kernels/case.toml",
                    repository_.read("kernels/case.toml") + "python = \"../tools/python.sh\"\n");
  (void)bench();
  EXPECT_FALSE(fs::exists(repository_.root() / "touched"));
}

TEST_F(ExternalCompiler, FileHasNoNetworkAndReachesNoProcess) {
  EXPECT_THAT(said_of("socket.socket()"), HasSubstr("PermissionError"));
  EXPECT_THAT(said_of("socket.create_connection(('127.0.0.1', 1), 1)"),
              HasSubstr("PermissionError"));
  EXPECT_THAT(said_of("os.setsid()"), HasSubstr("PermissionError"));
}

TEST_F(ExternalCompiler, WhatTheFileLeavesRunningIsEnded) {
  write(1, "import subprocess\nsubprocess.Popen(['sleep', '4711'])\n");
  const Outcome run = bench();
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  Invocation search;
  search.program = "/usr/bin/pgrep";
  search.arguments = {"-f", "sleep 4711"};
  EXPECT_NE(test::run(search).code, 0);
}

TEST_F(ExternalCompiler, FileThatHangsOrCrashesIsRefused) {
  write(1, "import os\nos.kill(os.getpid(), 11)\n");
  const Outcome crashed = bench();
  EXPECT_EQ(crashed.code, 12) << crashed.out;
  EXPECT_THAT(crashed.out, HasSubstr("signal 11"));
  write(1, "import time\nwhile True: pass\n");
  const Outcome hung = bench({"--timeout", "2"});
  EXPECT_EQ(hung.code, 13) << hung.out;
}

TEST_F(ExternalCompiler, MistakesInTheCaseAreNamed) {
  const std::string text = repository_.read("kernels/case.toml");
  const auto complaint = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    repository_.write("kernels/case.toml", changed);
    const Outcome run = bench();
    EXPECT_EQ(run.code, 2) << run.out;
    return run.err;
  };
  EXPECT_THAT(complaint("\"compiler.py\"", "\"missing.py\""), HasSubstr("missing.py"));
  EXPECT_THAT(complaint("\"compiler.py\"", "\"../compiler.py\""), HasSubstr("\"triton\""));
  EXPECT_THAT(complaint("\"compiler.py\"", "\"kernel.py\""), HasSubstr("other than kernel.py"));
  EXPECT_THAT(complaint("\"kernel.py\"", "\"kernel.f90\""), HasSubstr(".py or .toml file"));
  EXPECT_THAT(complaint("\"kernel.py\"", "\"../kernel.py\""), HasSubstr(".py or .toml file"));
  repository_.write("kernels/case.toml", text + "python = \"/nowhere/python3\"\n");
  const Outcome run = bench();
  EXPECT_EQ(run.code, 3) << run.out << run.err;
  EXPECT_THAT(run.err, HasSubstr("/nowhere/python3"));
}

}  // namespace
}  // namespace autokernel::test
