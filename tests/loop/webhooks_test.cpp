// What became of notifications, put in where records are shown; whatever lies in its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "autokernel/ledger/webhook_outcomes.h"
#include "loop/consistency.h"
#include "loop/workplace.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

// A run whose first experiment was kept, and which was finished, while somebody was to be told.
class ToldRun : public testing::Test {
 protected:
  ToldRun() {
    workplace_.start();
    workplace_.edit(kernel(80));
    kept_ = open().step({.idea = "tiles"}).experiment;
    finished_ = open().finish(2).headline;
  }

  [[nodiscard]] Loop open() const {
    LoopContext context = workplace_.context();
    context.webhook = [](Told told) {
      return ledger::Webhook{.webhook_enabled_by_config = true,
                             .webhook_disabled_by_flag = false,
                             .webhook_expected = told != Told::nothing,
                             .webhook_attempted = false,
                             .webhook_sent = false,
                             .webhook_status = told == Told::nothing ? "no event" : "pending"};
    };
    return Loop::open(workplace_.root(), "a test", std::move(context));
  }
  [[nodiscard]] static std::string outcome_of(ledger::ToldRecord record, const std::string& at,
                                              const std::string& status) {
    return ledger::line_of({.record = record,
                            .at = at,
                            .id = "0123456789abcdef",
                            .webhook = {.webhook_enabled_by_config = true,
                                        .webhook_disabled_by_flag = false,
                                        .webhook_expected = true,
                                        .webhook_attempted = true,
                                        .webhook_sent = true,
                                        .webhook_status = status}});
  }
  [[nodiscard]] std::string both_outcomes() const {
    return outcome_of(ledger::ToldRecord::experiment, kept_.at, "sent") +
           outcome_of(ledger::ToldRecord::run_finished, finished_.at, "sent without the plot");
  }
  void leave(const std::string& text) const { workplace_.git().write(kFile, text); }
  // What is shown of the experiment, and of the end.
  [[nodiscard]] std::string kept_status() const {
    return open().experiment(1).webhook.value_or(ledger::Webhook{}).webhook_status;
  }
  [[nodiscard]] std::string finish_status() const {
    const auto entries = open().history();
    return std::get<ledger::RunFinished>(entries.back())
        .webhook.value_or(ledger::Webhook{})
        .webhook_status;
  }
  [[nodiscard]] Verification verify() const { return open().verify({}, 2); }

  static constexpr const char* kFile = ".autokernel/runs/demo/webhooks.jsonl";
  Workplace workplace_;
  ledger::Experiment kept_;
  ledger::RunFinished finished_;
};

TEST_F(ToldRun, IsPendingWhileNothingIsKnown) {
  EXPECT_EQ(Loop::webhooks_file("demo"), kFile);
  EXPECT_EQ(kept_status(), "pending");
  EXPECT_EQ(finish_status(), "pending");
}

TEST_F(ToldRun, ShowsWhatBecameOfItsMessages) {
  leave(both_outcomes());
  EXPECT_EQ(kept_status(), "sent");
  EXPECT_EQ(finish_status(), "sent without the plot");
}

TEST_F(ToldRun, KeepsItsRecordAsItWasWritten) {
  leave(both_outcomes());
  EXPECT_THAT(faults_in(workplace_.git()), IsEmpty());
  const Verification found = verify();
  EXPECT_EQ(found.verdict, Verification::Verdict::holds) << found.reason;
  EXPECT_THAT(found.faults, IsEmpty());
}

TEST_F(ToldRun, IsPendingBesideAFileThatIsGarbage) {
  leave(std::string("\0\xff{\"record\":\n[[[[", 17) + std::string(100'000, '['));
  EXPECT_EQ(kept_status(), "pending");
  EXPECT_EQ(verify().verdict, Verification::Verdict::holds);
}

TEST_F(ToldRun, IsPendingBesideALink) {
  const fs::path elsewhere = workplace_.git().beside("outcomes");
  leave(both_outcomes());
  fs::rename(workplace_.root() / kFile, elsewhere);
  fs::create_symlink(elsewhere, workplace_.root() / kFile);
  EXPECT_EQ(kept_status(), "pending");
  EXPECT_EQ(verify().verdict, Verification::Verdict::holds);
}

TEST_F(ToldRun, IsPendingBesideAFolder) {
  fs::create_directories(workplace_.root() / kFile);
  EXPECT_EQ(finish_status(), "pending");
  EXPECT_EQ(verify().verdict, Verification::Verdict::holds);
}

}  // namespace
}  // namespace autokernel::loop
