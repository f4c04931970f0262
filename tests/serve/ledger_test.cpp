#include "serve/ledger.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "autokernel/base/error.h"
#include "support/scratch_folder.h"

namespace autokernel::serve {
namespace {

using testing::HasSubstr;

class LedgerTest : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "ledger.sqlite"; }
  // Which has to be there.
  [[nodiscard]] static Task in(const Ledger& ledger, TrialId id) {
    const auto found = ledger.find(id);
    EXPECT_TRUE(found) << id;
    return found.value_or(Task{});
  }
  [[nodiscard]] static Task task(const std::string& key) {
    Task task;
    task.client = "uid 1";
    task.key = key;
    task.case_name = "softmax";
    task.order = std::string("source\0more", 11);
    task.wanted = {.kind = driver::DeviceChoice::Kind::cuda, .ordinal = 2, .device = "H200"};
    task.received = 5;
    task.deadline = 100;
    return task;
  }

 private:
  test::ScratchFolder folder_;
};

TEST_F(LedgerTest, ATaskComesBackAsItWas) {
  TrialId id = 0;
  {
    Ledger ledger(file());
    id = ledger.add(task("one"));
  }
  const Ledger ledger(file());
  const Task found = in(ledger, id);
  EXPECT_EQ(found.client, "uid 1");
  EXPECT_EQ(found.order, std::string("source\0more", 11));
  EXPECT_EQ(found.wanted, task("one").wanted);
  EXPECT_EQ(found.deadline, 100);
  EXPECT_EQ(found.state, State::queued);
  EXPECT_EQ(ledger.find("uid 1", "one"), id);
  EXPECT_EQ(ledger.find("uid 2", "one"), std::nullopt);
}

TEST_F(LedgerTest, AskedAgainItIsTheSameTask) {
  Ledger ledger(file());
  const TrialId id = ledger.add(task("one"));
  EXPECT_EQ(ledger.add(task("one")), id);
  Task other = task("one");
  other.client = "uid 2";
  EXPECT_NE(ledger.add(other), id);
}

TEST_F(LedgerTest, AResultCountsOnceAndOnlyThatOfTheLastAttempt) {
  Ledger ledger(file());
  const TrialId id = ledger.add(task("one"));
  EXPECT_EQ(ledger.begin(id, "cuda:0", 6), 1);
  EXPECT_EQ(ledger.begin(id, "cuda:1", 6), 0);  // it is under way
  ledger.give_up_attempt(id);
  EXPECT_EQ(ledger.begin(id, "cuda:1", 7), 2);
  EXPECT_FALSE(ledger.end(id, 1, State::done, "late", 8));
  EXPECT_TRUE(ledger.end(id, 2, State::done, "right", 9));
  EXPECT_FALSE(ledger.end(id, 2, State::failed, "twice", 10));
  ledger.give_up_attempt(id);
  const Task found = in(ledger, id);
  EXPECT_EQ(found.state, State::done);
  EXPECT_EQ(found.answer, "right");
  EXPECT_EQ(found.device, "cuda:1");
  EXPECT_EQ(found.attempts, 2);
  EXPECT_EQ(ledger.count().at(State::done), 1);
}

TEST_F(LedgerTest, WhatIsOverForLongIsForgotten) {
  Ledger ledger(file());
  const TrialId old = ledger.add(task("old"));
  const TrialId waiting = ledger.add(task("waiting"));
  EXPECT_TRUE(ledger.end(old, 0, State::cancelled, "", 10));
  EXPECT_EQ(ledger.forget_before(10), 0);
  EXPECT_EQ(ledger.forget_before(11), 1);
  EXPECT_FALSE(ledger.find(old));
  EXPECT_TRUE(ledger.find(waiting));
}

// Killed at any moment: what was acknowledged is there, and each task is in one state.
TEST_F(LedgerTest, NothingIsLostWhenItsWriterIsKilled) {
  constexpr int kRounds = 20;
  TrialId acknowledged = 0;
  for (int round = 0; round < kRounds; ++round) {
    int pipe_ends[2] = {};
    ASSERT_EQ(::pipe(pipe_ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      Ledger ledger(file());
      for (int i = 0;; ++i) {
        const TrialId id = ledger.add(task(std::to_string(round) + "." + std::to_string(i)));
        const int attempt = ledger.begin(id, "cpu", 1);
        static_cast<void>(ledger.end(id, attempt, State::done, "result", 2));
        if (::write(pipe_ends[1], &id, sizeof id) != sizeof id) ::_exit(1);
      }
    }
    ::close(pipe_ends[1]);
    TrialId id = 0;
    for (int i = 0; i <= 3 * round; ++i) {
      ASSERT_EQ(::read(pipe_ends[0], &id, sizeof id), ssize_t{sizeof id});
      acknowledged = id;
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(pipe_ends[0]);
    const Ledger ledger(file());
    for (TrialId each = 1; each <= acknowledged; ++each) {
      ASSERT_TRUE(ledger.find(each)) << each;
    }
    EXPECT_EQ(in(ledger, acknowledged).state, State::done);
    EXPECT_EQ(in(ledger, acknowledged).answer, "result");
  }
}

TEST_F(LedgerTest, WhatIsNoLedgerIsRefusedAndLeftAsItIs) {
  {
    std::ofstream(file()) << "a text that is no database, and longer than a header of one ........"
                             "...............................................................";
  }
  try {
    const Ledger ledger(file());
    FAIL() << "it was opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::environment);
    EXPECT_THAT(error.what(), HasSubstr(file().string()));
  }
  EXPECT_GT(std::filesystem::file_size(file()), 100U);
}

}  // namespace
}  // namespace autokernel::serve
