#include "autokernel/base/process_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

#include "autokernel/base/process.h"
#include "support/census.h"
#include "support/scratch_folder.h"

namespace autokernel {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::Contains;
using testing::Ge;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

Child shell(const std::string& script, const test::ScratchFolder& mark) {
  return Child::start({.program = "/bin/sh",
                       .arguments = {"-c", script},
                       .environment = {{"MARK", mark.path().string()}}});
}

bool comes_true(const std::function<bool()>& condition) {
  const auto deadline = steady_clock::now() + seconds{10};
  while (!condition() && steady_clock::now() < deadline)
    std::this_thread::sleep_for(milliseconds{5});
  return condition();
}

TEST(ProcessTree, HasAChildAndItsChildren) {
  const test::ScratchFolder mark;
  const ProcessTree tree;
  const Child child = shell("sleep 100 & sleep 100 & wait", mark);
  EXPECT_TRUE(comes_true([&] { return tree.members().size() == 3; }));
  EXPECT_THAT(tree.members(), Contains(child.id()));
}

TEST(ProcessTree, LeavesOutChildrenWeHadBefore) {
  const test::ScratchFolder mark;
  const Child earlier = shell("sleep 100", mark);
  const ProcessTree tree;
  EXPECT_THAT(tree.members(), IsEmpty());
}

TEST(ProcessTree, SparesChildrenWeHadBefore) {
  const test::ScratchFolder mark;
  const Child earlier = shell("sleep 100", mark);
  {
    const ProcessTree tree;
  }
  EXPECT_THAT(test::processes_marked(mark.path()), Contains(earlier.id()));
}

TEST(ProcessTree, KillsADescendantThatLeftItsGroupAndOutlivedItsParent) {
  const test::ScratchFolder mark;
  const ProcessTree tree;
  Child child = shell("setsid sleep 100 & sleep 0.2", mark);
  ASSERT_TRUE(child.wait_until(steady_clock::now() + seconds{10}));
  ASSERT_THAT(test::processes_marked(mark.path()), SizeIs(1));
  EXPECT_EQ(tree.kill_all(), 1);
  EXPECT_THAT(test::processes_marked(mark.path()), IsEmpty());
}

TEST(ProcessTree, KillsWhatIsLeftWhenItGoes) {
  const test::ScratchFolder mark;
  {
    const ProcessTree tree;
    Child child = shell("setsid sleep 100 & sleep 0.2", mark);
    ASSERT_TRUE(child.wait_until(steady_clock::now() + seconds{10}));
  }
  EXPECT_THAT(test::processes_marked(mark.path()), IsEmpty());
}

TEST(ProcessTree, AdoptsNoMoreOnceItIsGone) {
  {
    const ProcessTree tree;
  }
  int adopting = -1;
  ASSERT_EQ(::prctl(PR_GET_CHILD_SUBREAPER, &adopting), 0);
  EXPECT_EQ(adopting, 0);
}

TEST(ProcessTree, CountsTheMemoryOfAllItsMembers) {
  const test::ScratchFolder mark;
  const ProcessTree tree;
  // tail keeps the line it is reading: 64 MB, in a child of the child.
  const Child child = shell("(head -c 64000000 /dev/zero; sleep 100) | tail -n 1", mark);
  EXPECT_TRUE(comes_true([&] { return tree.resident_bytes() >= 64000000; }));
}

TEST(ResidentBytes, OfThisProcessAreNotNone) { EXPECT_GT(resident_bytes(::getpid()), 100000U); }

TEST(ResidentBytes, OfAProcessThatDoesNotExistAreNone) {
  EXPECT_EQ(resident_bytes(0x7fffffff), 0U);
}

}  // namespace
}  // namespace autokernel
