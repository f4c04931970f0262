#include "serve/dispatcher.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <csignal>
#include <string>
#include <vector>

#include "autokernel/base/error.h"
#include "serve/unread_bytes.h"
#include "support/scratch_folder.h"

namespace autokernel::serve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class FakeWorker : public Worker {
 public:
  void start(const Task& task) override { started.push_back(task.id); }
  void abort() override { ++aborted; }

  std::vector<TrialId> started;
  int aborted = 0;
};

class DispatcherTest : public testing::Test {
 protected:
  [[nodiscard]] TrialId submit(const std::string& key, double deadline = 1000) {
    Task task;
    task.client = "uid 1";
    task.key = key;
    task.case_name = "softmax";
    task.deadline = deadline;
    return dispatcher_.submit(task);
  }
  [[nodiscard]] Task found(TrialId id) const { return ledger_.find(id).value_or(Task{}); }
  [[nodiscard]] State state_of(TrialId id) const { return found(id).state; }
  [[nodiscard]] Watcher noting(std::vector<std::string>& heard) const {
    return {.progress = [&](std::string_view event) { heard.emplace_back(event); },
            .over = [&](const Task& task) { heard.push_back("over: " + task.answer); }};
  }

  double now_ = 1;
  test::ScratchFolder folder_;
  Ledger ledger_{folder_.path() / "ledger.sqlite"};
  Dispatcher dispatcher_{ledger_, [this] { return now_; }};
  FakeWorker one_;
  FakeWorker two_;
};

TEST_F(DispatcherTest, TrialsGoToDevicesThatAreFree) {
  const TrialId first = submit("1");
  const TrialId second = submit("2");
  dispatcher_.ready(0, one_, {});
  EXPECT_THAT(one_.started, ElementsAre(first));
  dispatcher_.ready(1, two_, {});
  EXPECT_THAT(two_.started, ElementsAre(second));
  dispatcher_.answered(1, State::done, "{}");
  dispatcher_.ready(1, two_, {});
  const TrialId third = submit("3");
  EXPECT_THAT(two_.started, ElementsAre(second, third));
  EXPECT_EQ(state_of(second), State::done);
  EXPECT_EQ(state_of(first), State::running);
}

TEST_F(DispatcherTest, WhoWatchesIsToldHowItGoesOnAndWhatItCameTo) {
  std::vector<std::string> heard;
  const TrialId id = submit("1");
  dispatcher_.watch(id, noting(heard));
  dispatcher_.ready(0, one_, {});
  dispatcher_.progressed(0, "compiling");
  dispatcher_.answered(0, State::done, "42");
  dispatcher_.progressed(0, "too late");
  EXPECT_THAT(heard, ElementsAre("compiling", "over: 42"));
  heard.clear();
  dispatcher_.watch(id, noting(heard));
  EXPECT_THAT(heard, ElementsAre("over: 42"));
}

TEST_F(DispatcherTest, ATrialWhoseDeviceIsLostIsMadeAgainElsewhereAndCountsOnce) {
  const TrialId id = submit("1");
  dispatcher_.ready(0, one_, {});
  dispatcher_.lost(0, "the node has gone");
  EXPECT_EQ(state_of(id), State::queued);
  dispatcher_.ready(1, two_, {});
  EXPECT_THAT(two_.started, ElementsAre(id));
  dispatcher_.answered(0, State::done, "from the grave");
  EXPECT_EQ(state_of(id), State::running);
  dispatcher_.answered(1, State::done, "right");
  EXPECT_EQ(found(id).answer, "right");
  EXPECT_EQ(found(id).attempts, 2);
}

TEST_F(DispatcherTest, ATrialThatTakesEveryDeviceWithItIsGivenUp) {
  const TrialId id = submit("1");
  for (int i = 0; i < Dispatcher::kMostAttempts; ++i) {
    dispatcher_.ready(0, one_, {});
    dispatcher_.lost(0, "fell off the bus");
  }
  EXPECT_EQ(state_of(id), State::failed);
  EXPECT_THAT(found(id).answer, HasSubstr("fell off the bus"));
  dispatcher_.ready(0, one_, {});
  EXPECT_EQ(one_.started.size(), std::size_t{Dispatcher::kMostAttempts});
}

TEST_F(DispatcherTest, WhatIsCancelledEndsAtOnceAndWhatComesLaterIsNoResult) {
  const TrialId running = submit("1");
  const TrialId waiting = submit("2");
  dispatcher_.ready(0, one_, {});
  dispatcher_.cancel(waiting);
  EXPECT_EQ(state_of(waiting), State::cancelled);
  EXPECT_EQ(one_.aborted, 0);
  dispatcher_.cancel(running);
  EXPECT_EQ(one_.aborted, 1);
  EXPECT_EQ(state_of(running), State::cancelled);
  dispatcher_.answered(0, State::done, "42");
  EXPECT_EQ(state_of(running), State::cancelled);
  EXPECT_EQ(dispatcher_.running(), 0U);
}

TEST_F(DispatcherTest, WhatIsPastItsDeadlineIsNotMeasured) {
  const TrialId running = submit("1", 10);
  const TrialId waiting = submit("2", 10);
  const TrialId patient = submit("3", 100);
  dispatcher_.ready(0, one_, {});
  now_ = 11;
  dispatcher_.expire();
  EXPECT_EQ(state_of(running), State::expired);
  EXPECT_EQ(one_.aborted, 1);
  EXPECT_EQ(state_of(waiting), State::expired);
  EXPECT_EQ(state_of(patient), State::queued);
}

TEST_F(DispatcherTest, AnotherJudgeTakesUpWhatOneHasLeft) {
  const TrialId running = submit("1");
  const TrialId waiting = submit("2");
  dispatcher_.ready(0, one_, {});
  Dispatcher next(ledger_, [this] { return now_; });
  EXPECT_EQ(next.waiting(), 2U);
  next.ready(0, two_, {});
  EXPECT_THAT(two_.started, ElementsAre(running));
  next.answered(0, State::done, "right");
  next.ready(0, two_, {});
  EXPECT_THAT(two_.started, ElementsAre(running, waiting));
  EXPECT_EQ(found(running).attempts, 2);
}

TEST_F(DispatcherTest, TheSameKeyIsTheSameTrial) {
  const TrialId id = submit("1");
  EXPECT_EQ(submit("1"), id);
  EXPECT_EQ(dispatcher_.waiting(), 1U);
  dispatcher_.ready(0, one_, {});
  dispatcher_.answered(0, State::done, "42");
  EXPECT_EQ(submit("1"), id);
  EXPECT_EQ(dispatcher_.waiting(), 0U);
  EXPECT_THAT(two_.started, IsEmpty());
}

TEST_F(DispatcherTest, NothingIsBegunOnceItStops) {
  dispatcher_.ready(0, one_, {});
  dispatcher_.stop_dispatching();
  const TrialId id = submit("1");
  EXPECT_THAT(one_.started, IsEmpty());
  EXPECT_EQ(state_of(id), State::queued);
}

// A disk that takes nothing, as far as this process can tell.
class FullDisk {
 public:
  FullDisk() {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit none{0, before_.rlim_max};
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &none);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    static_cast<void>(std::signal(SIGXFSZ, handler_));
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST_F(DispatcherTest, ADiskThatIsFullForAWhileCostsNoTrialAndNoResult) {
  std::vector<std::string> heard;
  const TrialId first = submit("1");
  const TrialId second = submit("2");
  const TrialId third = submit("3", 5);
  dispatcher_.watch(first, noting(heard));
  dispatcher_.ready(0, one_, {});
  {
    const FullDisk full;
    dispatcher_.answered(0, State::done, "42");
    dispatcher_.ready(0, one_, {});
    EXPECT_THROW(dispatcher_.cancel(third), Error);
    now_ = 10;
    dispatcher_.expire();
    EXPECT_NE(dispatcher_.trouble(), "");
    EXPECT_THAT(heard, IsEmpty());
    EXPECT_THAT(one_.started, ElementsAre(first));
    EXPECT_EQ(state_of(second), State::queued);
  }
  dispatcher_.expire();
  EXPECT_EQ(dispatcher_.trouble(), "");
  EXPECT_THAT(heard, ElementsAre("over: 42"));
  EXPECT_EQ(state_of(first), State::done);
  EXPECT_EQ(state_of(third), State::expired);
  EXPECT_THAT(one_.started, ElementsAre(first, second));
}

TEST(UnreadBytes, AreBoundedForAllAndForEach) {
  const auto all = std::make_shared<UnreadBytes>();
  constexpr std::size_t kQuarter = UnreadBytes::kMost / 4;
  UnreadBytes::Share first(all, "a");
  EXPECT_TRUE(first.set(kQuarter));
  EXPECT_FALSE(first.set(kQuarter + 1));
  {
    UnreadBytes::Share second(all, "a");
    EXPECT_FALSE(second.set(1));
    UnreadBytes::Share other(all, "b");
    EXPECT_TRUE(other.set(kQuarter));
    EXPECT_TRUE(first.set(10));
    EXPECT_TRUE(second.set(kQuarter - 10));
  }
  EXPECT_TRUE(first.set(kQuarter));
  EXPECT_TRUE(first.set(0));
}

}  // namespace
}  // namespace autokernel::serve
