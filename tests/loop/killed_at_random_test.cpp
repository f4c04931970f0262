// A program that makes one step after the other, killed at any moment, again and again in the same
// repository.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <thread>

#include "loop/consistency.h"
#include "loop/workplace.h"
#include "support/full_test.h"

namespace autokernel::loop {
namespace {

using testing::Gt;
using testing::IsEmpty;

// git fsck reads everything there is, and there is more and more.
constexpr int kBetweenFscks = 20;

// AUTOKERNEL_TEST_FULL=1: all of them.
int kills() { return test::everything_is_wanted() ? 500 : 60; }

// The times of one seed, so that a failure can be had again as far as the machine allows.
constexpr unsigned kSeed = 20'240;

// One kept in three, none of the same source as another.
std::string nth_kernel(int number) {
  const std::string text = "int edit_" + std::to_string(number) + ";";
  if (number % 3 == 0) return kernel(100.0 / (1 + number), text);
  return kernel(200, number % 3 == 1 ? text : text + " WRONG");
}

using std::chrono::microseconds;

// Longer than a step takes on this machine, so that each of its moments is hit.
microseconds longest_wait(const Workplace& workplace) {
  const auto begun = std::chrono::steady_clock::now();
  workplace.try_out(nth_kernel(1), {.idea = "to see how long a step takes"});
  workplace.try_out(nth_kernel(3), {.idea = "and one that is kept"});
  return std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - begun);
}

[[noreturn]] void make_steps(const Workplace& workplace, int first) {
  for (int number = first;; ++number) {
    workplace.try_out(nth_kernel(number), {.idea = "edit " + std::to_string(number)});
  }
}

TEST(KilledAtRandom, LosesNoRowAndNoSource) {
  const Workplace workplace;
  workplace.start();
  const microseconds longest = longest_wait(workplace);
  std::minstd_rand random(kSeed);
  for (int i = 1; i <= kills(); ++i) {
    const int first = 10 + static_cast<int>(workplace.status().experiments.size());
    const pid_t child = ::fork();
    if (child == 0) make_steps(workplace, first);
    std::this_thread::sleep_for(longest * static_cast<double>(random()) /
                                static_cast<double>(std::minstd_rand::max()));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it ended by itself";
    workplace.repair();
    const auto faults = faults_in(workplace.git(), i % kBetweenFscks == 0 ? Fsck::yes : Fsck::no);
    ASSERT_THAT(faults, IsEmpty()) << "after kill " << i;
  }
  EXPECT_THAT(workplace.status().experiments.size(), Gt(5U));
  std::cout << "killed " << kills() << " times within " << longest.count() / 1000 << " ms; "
            << workplace.status().experiments.size() << " experiments, "
            << workplace.status().counts.kept << " of them kept\n";
}

}  // namespace
}  // namespace autokernel::loop
