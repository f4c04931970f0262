// A disk that is full at one of a step's writes: the machine is at fault, and says so; once there
// is room again, the next loop leaves nothing half done.
#include "ledger/full_disk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "autokernel/base/error.h"
#include "loop/consistency.h"
#include "loop/workplace.h"

namespace autokernel::loop {
namespace {

using testing::AnyOf;
using testing::Eq;
using testing::IsEmpty;
using testing::Le;
using testing::SizeIs;

constexpr int kEnvironment = static_cast<int>(Stop::environment);
constexpr int kRepository = static_cast<int>(Stop::repository);

// From this point of a step on nothing more can be written.
class FullFrom : public testing::TestWithParam<std::string> {};

TEST_P(FullFrom, LosesNothing) {
  Workplace workplace;
  workplace.start();
  workplace.try_out(kernel(90));
  workplace.reached = [](std::string_view point) {
    // It is never given back: the process is at its end.
    if (point == GetParam()) new test::FullDisk(0);
  };
  const int code = in_a_process([&] { workplace.try_out(kernel(70)); });
  // Git's own files are written by libgit2, whose failures are the repository's.
  EXPECT_THAT(code, AnyOf(0, kEnvironment, kRepository));
  workplace.reached = nullptr;
  workplace.repair();
  EXPECT_THAT(faults_in(workplace.git()), IsEmpty());
  EXPECT_EQ(workplace.try_out(kernel(60)).experiment.verdict, "kept");
  EXPECT_THAT(faults_in(workplace.git()), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(At, FullFrom,
                         testing::Values("committed", "trying", "referenced", "measured", "decided",
                                         "references made", "ledger written", "results aside",
                                         "results written", "branch set", "file set"),
                         [](const auto& point) {
                           std::string name = point.param;
                           std::erase(name, ' ');
                           return name;
                         });

// Files may grow to so many bytes: some of a step's writes fit, others end in the middle.
class FullAt : public testing::TestWithParam<int> {};

TEST_P(FullAt, IsAnErrorAndLosesNothing) {
  const Workplace workplace;
  workplace.start();
  workplace.edit(kernel(70));
  Loop loop = workplace.open();
  const int code = in_a_process([&] {
    const test::FullDisk full(static_cast<std::uint64_t>(GetParam()));
    static_cast<void>(loop.step({.idea = "an idea"}));
  });
  EXPECT_THAT(code, AnyOf(kEnvironment, kRepository));
  {
    const Loop given_up = std::move(loop);
  }
  workplace.repair();
  EXPECT_THAT(faults_in(workplace.git()), IsEmpty());
  EXPECT_THAT(workplace.status().experiments, SizeIs(Le(2U)));
}

INSTANTIATE_TEST_SUITE_P(Bytes, FullAt,
                         testing::Values(0, 10, 40, 100, 150, 200, 300, 400, 600, 800, 900, 1000,
                                         1200, 1400));

TEST(FullDisk, AtTheFirstWriteLeavesTheEditAndNoTrace) {
  const Workplace workplace;
  workplace.start();
  const std::string before = workplace.git().git("for-each-ref");
  workplace.edit(kernel(70));
  EXPECT_NE(in_a_process([&] {
              const test::FullDisk full(0);
              static_cast<void>(workplace.open().step({.idea = "an idea"}));
            }),
            0);
  workplace.repair();
  EXPECT_EQ(workplace.edited(), kernel(70));
  EXPECT_EQ(workplace.git().git("for-each-ref"), before);
}

// The trial is over, and nothing has been decided.
TEST(FullDisk, AfterTheTrialLeavesTheEditAndNoTrace) {
  Workplace workplace;
  workplace.start();
  const std::string before = workplace.git().git("for-each-ref");
  workplace.reached = [](std::string_view point) {
    if (point == "measured") new test::FullDisk(0);
  };
  EXPECT_NE(in_a_process([&] { workplace.try_out(kernel(70)); }), 0);
  workplace.reached = nullptr;
  workplace.repair();
  EXPECT_EQ(workplace.edited(), kernel(70));
  EXPECT_EQ(workplace.git().git("for-each-ref"), before);
  EXPECT_THAT(faults_in(workplace.git()), IsEmpty());
  EXPECT_EQ(workplace.open().step({.idea = "once more"}).experiment.verdict, "kept");
}

TEST(FullDisk, AtTheStartOfARunStartsNone) {
  const Workplace workplace;
  EXPECT_NE(in_a_process([&] {
              Loop loop = workplace.open();
              const test::FullDisk full(100);
              static_cast<void>(loop.start(workplace.start_options()));
            }),
            0);
  workplace.repair();
  EXPECT_THAT(faults_in(workplace.git()), IsEmpty());
}

}  // namespace
}  // namespace autokernel::loop
