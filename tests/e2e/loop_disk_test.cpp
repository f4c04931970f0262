// The program itself on a disk that fails, or is full, at one of its changes of a file: the library
// that makes the disk so is loaded into it. tests/loop/failing_writes_test.cpp tries every change.
#include <gmock/gmock.h>

#include <algorithm>

#include "e2e/loop_workplace.h"

namespace autokernel::test {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

class LoopDisk : public LoopWorkplace {
 protected:
  // `fault` is "N:EFFECT", see support/faulty_disk.
  [[nodiscard]] Outcome run_with(const std::string& fault,
                                 const std::vector<std::string>& arguments) const {
    Invocation invocation = autokernel(arguments);
    invocation.environment["LD_PRELOAD"] = AUTOKERNEL_FAULTY_DISK;
    invocation.environment["ASAN_OPTIONS"] = "verify_asan_link_order=0";
    invocation.environment["AUTOKERNEL_TEST_DISK"] = fault + ":" + repository_.root().string();
    return test::run(invocation);
  }
  [[nodiscard]] static bool is_one_line(const std::string& text) {
    return std::count(text.begin(), text.end(), '\n') == 1;
  }
};

TEST_F(LoopDisk, ThatIsFullFromTheFirstChangeOnLeavesTheEditAndSaysWhatToDo) {
  start();
  edit(kernel(kFaster));
  const Outcome run = run_with("1:full", {"loop", "step", "-m", "an idea"});
  EXPECT_EQ(run.code, 3);
  EXPECT_THAT(run.err, AllOf(StartsWith("autokernel: "), HasSubstr(repository_.root().string()),
                             HasSubstr("free some space on that disk")));
  EXPECT_TRUE(is_one_line(run.err)) << run.err;
  EXPECT_EQ(kernel_now(), kernel(kFaster));
  EXPECT_EQ(rows().size(), 1U);
  expect_nothing_left();
  EXPECT_EQ(step(kernel(kFaster), "an idea").code, 0);
}

// Late enough for the verdict to be there: it is recorded by the next command.
TEST_F(LoopDisk, ThatFailsOnceItIsDecidedLosesNoExperiment) {
  start();
  edit(wrong_kernel());
  const Outcome run = run_with("70:full", {"loop", "step", "-m", "three times x"});
  EXPECT_THAT(run.code, AnyOf(3, 11)) << run.err;
  const Outcome status = run_autokernel({"loop", "status"});
  EXPECT_EQ(value_of("experiments", status.out), "1 (0 kept, 0 discarded, 1 failed)");
  EXPECT_EQ(rows().size(), entries("experiment").size());
  expect_at(experiment(0));
  expect_nothing_left();
}

TEST_F(LoopDisk, ThatIsFullCostsNoNoiseThatWasMeasured) {
  edit(kernel(kFastest));
  repository_.commit("a quick kernel");
  const Outcome run =
      run_with("1:full", {"noise", "--device", "cpu", "--size", "check", "--seconds", "3"});
  EXPECT_EQ(run.code, 3);
  EXPECT_THAT(run.err, AllOf(HasSubstr(".autokernel"), HasSubstr("free some space on that disk")));
  EXPECT_GT(std::stod(value_of("pair_noise_pct", run.out)), 0);
  EXPECT_EQ(value_of("stored", run.out), "");
}

}  // namespace
}  // namespace autokernel::test
