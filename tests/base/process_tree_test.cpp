#include "autokernel/base/process_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <optional>
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

TEST(ProcessTree, SparesAChildThatItIsTold) {
  const test::ScratchFolder mark;
  std::optional<Child> child;
  {
    ProcessTree tree;
    child.emplace(shell("sleep 100", mark));
    tree.spare(child->id());
    EXPECT_THAT(tree.members(), Not(Contains(child->id())));
    EXPECT_EQ(tree.kill_all(), 0);
  }
  EXPECT_THAT(test::processes_marked(mark.path()), Contains(child->id()));
  int adopting = -1;
  ASSERT_EQ(::prctl(PR_GET_CHILD_SUBREAPER, &adopting), 0);
  EXPECT_EQ(adopting, 1);  // for what it leaves behind
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
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

// What it has started stands still with it, whatever became of those in between.
TEST(ProcessTree, HasMembersStandStillAndGoOn) {
  const test::ScratchFolder mark;
  ProcessTree tree;
  const Child child = shell("(setsid sh -c 'while :; do :; done' &) ; sleep 100", mark);
  ASSERT_TRUE(comes_true([&] { return tree.processor_seconds() > 0.05; }));
  const std::vector<pid_t> paused = tree.pause();
  EXPECT_GE(paused.size(), 2U);
  EXPECT_THAT(tree.members(), IsEmpty());
  EXPECT_EQ(tree.kill_all(), 0);
  tree.resume(paused);
  EXPECT_EQ(tree.members().size(), paused.size());
  const double before = tree.processor_seconds();
  EXPECT_TRUE(comes_true([&] { return tree.processor_seconds() > before; }));
  static_cast<void>(tree.pause());
  tree.take_back();
  EXPECT_GE(tree.kill_all(), 1);
  EXPECT_THAT(test::processes_marked(mark.path()), IsEmpty());
}

TEST(ProcessTree, CountsTheMemoryOfAllItsMembers) {
  const test::ScratchFolder mark;
  const ProcessTree tree;
  // tail keeps the line it is reading: 64 MB, in a child of the child.
  const Child child = shell("(head -c 64000000 /dev/zero; sleep 100) | tail -n 1", mark);
  EXPECT_TRUE(comes_true([&] { return tree.held_bytes() >= 64000000; }));
}

TEST(HeldBytes, OfThisProcessAreNotNone) { EXPECT_GT(held_bytes(::getpid()), 100000U); }

// Reading one byte of each 2 MiB makes nothing resident, but a table of 4 KiB for each.
TEST(HeldBytes, HoldTheTablesOfPagesToo) {
  constexpr std::size_t kStep = std::size_t{2} << 20U;
  constexpr std::size_t kSteps = 8192;
  const std::uint64_t before = held_bytes(::getpid());
  void* const begin = ::mmap(nullptr, kSteps * kStep, PROT_READ,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(begin, MAP_FAILED);
  ASSERT_EQ(::madvise(begin, kSteps * kStep, MADV_NOHUGEPAGE), 0);
  int sum = 0;
  for (std::size_t i = 0; i < kSteps; ++i)
    sum += static_cast<const volatile char*>(begin)[i * kStep];
  EXPECT_EQ(sum, 0);
  EXPECT_GE(held_bytes(::getpid()), before + kSteps * 4096 / 2);
  ::munmap(begin, kSteps * kStep);
}

TEST(HeldBytes, OfAProcessThatDoesNotExistAreNone) { EXPECT_EQ(held_bytes(0x7fffffff), 0U); }

}  // namespace
}  // namespace autokernel
