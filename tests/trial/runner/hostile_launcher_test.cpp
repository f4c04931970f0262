// A launcher under a kernel's control: whatever it does, the kernel is at fault, the runner lives,
// and neither the machine nor this program is blamed.
#include "trial/runner/hostile_launcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ostream>

#include "autokernel/cases/case.h"
#include "autokernel/trial/message.h"
#include "autokernel/trial/runner.h"
#include "support/full_test.h"
#include "support/scratch_folder.h"

namespace autokernel::trial {
namespace {

using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::SizeIs;

constexpr const char* kCopyCase = R"toml(
name = "Copy"
problem = "Copy {N} elements float32"
[sizes.default]
N = 256
[sizes.check]
N = 128
[[tensor]]
name = "x"
role = "in"
dtype = "f32"
shape = ["N"]
fill = "normal"
[[tensor]]
name = "z"
role = "out"
dtype = "f32"
shape = ["N"]
[reference]
kind = "kernel"
file = "reference.cu"
[check]
absolute = 0.0
relative = 0.0
exact = "always"
deterministic = true
[cost]
flops = "N"
bytes = "2*4*N"
)toml";

constexpr const char* kCopy = R"cu(
#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "copy", .grid = {N / 64}, .block = {64}});
extern "C" __global__ void copy(const float* x, float* z) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  z[i] = x[i];
}
)cu";

class AHostileLauncher : public ::testing::Test {
 protected:
  AHostileLauncher() {
    static_cast<void>(folder_.write("case.toml", kCopyCase));
    static_cast<void>(folder_.write("reference.cu", kCopy));
    ::setenv("XDG_CACHE_HOME", folder_.folder("cache").c_str(), 1);
  }

  Result trial_of(const std::string& lie) {
    Request request;
    request.case_directory = folder_.path();
    request.case_files = cases::read_files(folder_.path()).bytes;
    request.kernel_file = folder_.path() / "kernel.cu";
    request.source = kCopy;
    request.device = parse_device("cpu");
    request.checked = checked_;
    return run_trial(request, [](Phase) {}, {}, {}, {},
                     {.program = "/proc/self/exe", .arguments = {"hostile launcher", lie}});
  }

  test::ScratchFolder folder_;
  bool checked_ = true;
};

struct Lie {
  const char* lie;
  const char* said_of_it;
  friend std::ostream& operator<<(std::ostream& out, const Lie& told) { return out << told.lie; }
};

class ALyingLauncher : public AHostileLauncher, public ::testing::WithParamInterface<Lie> {};

TEST_P(ALyingLauncher, IsTakenForACheatingKernel) {
  const Result result = trial_of(GetParam().lie);
  EXPECT_EQ(result.verdict, Verdict::crashed);
  EXPECT_THAT(result.reason, HasSubstr(GetParam().said_of_it));
  EXPECT_THAT(result.reason, SizeIs(Lt(4500U)));
  // What the supervisor could not read would be a fault of this program's.
  EXPECT_THAT(encode(result), SizeIs(Lt(std::size_t{16} << 20U)));
}

INSTANTIATE_TEST_SUITE_P(
    OfALauncher, ALyingLauncher,
    ::testing::Values(
        Lie{"dies in a harness phase of its own", "enters a phase out of turn"},
        Lie{"dies once its checks are delivered", "SIGSEGV while checking the kernel"},
        Lie{"enters a phase again and again", "enters a phase out of turn"},
        Lie{"nests deeply", "nested too deeply"}, Lie{"never ends a line", "32 MiB"},
        Lie{"sends code after code", "one code after another"},
        Lie{"answers without a question", "answers a question that was not asked"},
        Lie{"fails at length", "cannot be believed"},
        Lie{"wants a key for a name without end", "a key for a launch that is not due"},
        Lie{"delivers under a name without end", "which was not due"},
        Lie{"wants keys without end", "a key for a launch that is not due"},
        Lie{"asks about a time on the emulated device", "a device that is not monitored"},
        Lie{"has times before it has timed", "reports times too early"},
        Lie{"compiles again", "compiles twice"}));

// Killed for that, it must not be taken for one that the machine has killed.
TEST_F(AHostileLauncher, ThatHangsUpAndDoesNotEndIsNotBelieved) {
  if (!test::everything_is_wanted()) {
    GTEST_SKIP() << "ten seconds; AUTOKERNEL_TEST_FULL=1 takes them";
  }
  checked_ = false;
  const Result result = trial_of("hangs up in a harness phase and does not end");
  EXPECT_EQ(result.verdict, Verdict::crashed);
  EXPECT_THAT(result.reason, HasSubstr("closed its channel, but did not end"));
}

TEST_F(AHostileLauncher, MakesARejectionNoLongerThanALogMayBe) {
  const Result result = trial_of("rejects at length");
  EXPECT_EQ(result.verdict, Verdict::incorrect);
  EXPECT_THAT(result.reason, SizeIs(Lt(4500U)));
  EXPECT_THAT(encode(result), SizeIs(Lt(std::size_t{16} << 20U)));
}

}  // namespace
}  // namespace autokernel::trial
