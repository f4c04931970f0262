// What is left of a process whose compiler crashes: a line and an exit code of its own.
#include "compile/crash_note.h"

#include <gmock/gmock.h>

#include <csignal>
#include <thread>

#include "autokernel/compile/compiler.h"

namespace autokernel::compile {
namespace {

constexpr const char* kLine = "kernel.cu: the compiler crashed";

[[noreturn]] void compile_and_crash(int signal) {
  const CrashNote note(kLine);
  static_cast<void>(std::raise(signal));
  std::_Exit(0);
}

class CompilerCrash : public testing::TestWithParam<int> {};

TEST_P(CompilerCrash, PrintsItsLineAndHasItsExitCode) {
  EXPECT_EXIT(compile_and_crash(GetParam()), testing::ExitedWithCode(kCompilerCrashed), kLine);
}
INSTANTIATE_TEST_SUITE_P(By, CompilerCrash,
                         testing::Values(SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE));

// Each call takes a page, which keeps the compiler from turning it into a loop.
int overflow(int depth) {
  volatile char page[4096] = {};
  page[depth % 4096] = static_cast<char>(depth);
  return depth < 0 ? 0 : overflow(depth + 1) + page[7];
}

TEST(CompilerCrash, ByAnOverflowOfTheStackIsOneAsWell) {
  EXPECT_EXIT(
      {
        std::thread([] {
          const CrashNote note(kLine);
          std::_Exit(overflow(0) == 0 ? 0 : 1);
        }).join();
      },
      testing::ExitedWithCode(kCompilerCrashed), kLine);
}

TEST(CompilerCrash, IsNoneWhereAnotherThreadCrashes) {
  EXPECT_EXIT(
      {
        const CrashNote note(kLine);
        std::thread([] { static_cast<void>(std::raise(SIGSEGV)); }).join();
      },
      testing::KilledBySignal(SIGSEGV), "");
}

TEST(CompilerCrash, IsNoneOnceItHasCompiled) {
  EXPECT_EXIT(
      {
        {
          const CrashNote note(kLine);
        }
        static_cast<void>(std::raise(SIGSEGV));
      },
      testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace
}  // namespace autokernel::compile
