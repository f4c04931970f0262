// Each change of a file that a command of the loop makes fails in turn, and the disk is full from
// each of them on: the command says what it could not do, and where, or goes on without what it can
// spare; nothing that was there is lost, and the next command goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>

#include "autokernel/base/error.h"
#include "loop/consistency.h"
#include "loop/workplace.h"
#include "support/faulty_disk/faulty_disk.h"
#include "support/full_test.h"

namespace autokernel::loop {
namespace {

using test::DiskFault;
using test::FaultyDisk;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int kEnvironment = static_cast<int>(Stop::environment);
constexpr int kRepository = static_cast<int>(Stop::repository);

// One in so many is tried; AUTOKERNEL_TEST_FULL=1: each.
int stride() { return test::everything_is_wanted() ? 1 : 11; }

// How a command ended in a process of its own, and what it said.
struct Ended {
  int code = 0;
  std::string words;
};

class FailingWrites : public testing::TestWithParam<DiskFault> {
 protected:
  [[nodiscard]] Ended ended(const std::function<void()>& command) const {
    const std::filesystem::path words = workplace_->git().beside("words");
    Ended ended;
    ended.code = in_a_process([&] {
      try {
        command();
      } catch (const std::exception& error) {
        std::ofstream(words) << error.what();
        throw;
      }
    });
    if (ended.code != 0) ended.words = test::contents(words);
    return ended;
  }

  // Runs the command until none of its changes fails any more; `prepare` before each.
  void fail_each(const std::function<void(int)>& prepare, const std::function<void()>& command,
                 const std::function<void(const Ended&)>& look) {
    int failed = 0;
    for (int nth = 1;; nth += stride()) {
      prepare(nth);
      Ended run;
      bool was_hit = false;
      {
        const FaultyDisk disk(nth, GetParam(), workplace_->root().string());
        run = ended(command);
        was_hit = disk.failures() > 0;
      }
      SCOPED_TRACE("change " + std::to_string(nth) + ": " + std::to_string(run.code) + ", " +
                   run.words);
      ASSERT_THAT(run.code, AnyOf(0, kEnvironment, kRepository));
      if (run.code != 0) {
        ASSERT_THAT(run.words, AllOf(HasSubstr(workplace_->root().string()), HasSubstr("; ")));
      }
      workplace_->repair();
      ASSERT_THAT(faults_in(workplace_->git(), Fsck::no), IsEmpty());
      look(run);
      if (testing::Test::HasFatalFailure()) return;
      if (!was_hit) break;
      ++failed;
    }
    EXPECT_THAT(faults_in(workplace_->git()), IsEmpty());
    EXPECT_GT(failed, 0);
    std::cout << failed << " failures\n";
  }

  // The edit is where it was, or an experiment has it.
  [[nodiscard]] bool is_kept(const std::string& source) const {
    if (workplace_->edited() == source) return true;
    const auto experiments = workplace_->status().experiments;
    return std::ranges::any_of(experiments, [&](const auto& experiment) {
      return workplace_->git().git("show", experiment.commit + ":" + Workplace::kEditable) ==
             source;
    });
  }

  std::unique_ptr<const Workplace> workplace_ = std::make_unique<const Workplace>();
};

TEST_P(FailingWrites, OfAStepThatIsKeptLoseNothing) {
  workplace_->start();
  std::string source;
  fail_each(
      [&](int nth) {
        source = kernel(100.0 / (1 + nth), "int edit;");
        workplace_->edit(source);
      },
      [&] { static_cast<void>(workplace_->open().step({.idea = "an idea"})); },
      [&](const Ended&) {
        ASSERT_TRUE(is_kept(source));
        if (workplace_->edited() != source) workplace_->edit(source);
      });
  EXPECT_EQ(workplace_->try_out(kernel(0.01)).experiment.verdict, "kept");
}

TEST_P(FailingWrites, OfAStepThatIsTakenBackLoseNothing) {
  workplace_->start();
  std::string source;
  fail_each(
      [&](int nth) {
        source = kernel(200, "int edit_" + std::to_string(nth) + ";");
        workplace_->edit(source);
      },
      [&] { static_cast<void>(workplace_->open().step({.idea = "an idea"})); },
      [&](const Ended&) { ASSERT_TRUE(is_kept(source)); });
}

TEST_P(FailingWrites, OfAFinishLoseNothing) {
  workplace_->make_a_run();
  fail_each([](int) {}, [&] { static_cast<void>(workplace_->open().finish(2)); },
            [&](const Ended&) { ASSERT_EQ(workplace_->edited(), kernel(60)); });
}

TEST_P(FailingWrites, OfAStartStartNothingOrAll) {
  fail_each(
      [&](int) {
        // One after the other: each sets the environment, and puts it back.
        workplace_.reset();
        workplace_ = std::make_unique<const Workplace>();
      },
      [&] { workplace_->start(); },
      [&](const Ended&) {
        if (!workplace_->has("results.tsv")) workplace_->start();
        ASSERT_EQ(workplace_->try_out(kernel(80)).experiment.verdict, "kept");
      });
}

INSTANTIATE_TEST_SUITE_P(OnADisk, FailingWrites, testing::Values(DiskFault::once, DiskFault::full),
                         [](const auto& fault) {
                           return fault.param == DiskFault::once ? "ThatFailsOnce" : "ThatIsFull";
                         });

}  // namespace
}  // namespace autokernel::loop
