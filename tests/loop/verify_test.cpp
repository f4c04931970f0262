// What a run claims, looked at by somebody who does not trust it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "autokernel/base/error.h"
#include "loop/apply_journal.h"
#include "loop/seal.h"
#include "loop/workplace.h"

namespace autokernel::loop {
namespace {

using testing::Contains;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

using Verdict = Verification::Verdict;

class Verifying : public testing::Test {
 protected:
  Verifying() { workplace_.make_a_run(); }
  [[nodiscard]] Verification verify(const std::string& tag = {}) const {
    return workplace_.open().verify(tag, 3);
  }
  // A finish that says so many times as fast, recorded as the program itself would.
  void claim(double ratio) const {
    const Status status = workplace_.status();
    ledger::RunFinished headline;
    headline.tag = "demo";
    headline.best = status.best.commit;
    headline.over_baseline =
        ledger::Confirmed{.ratio = ratio, .low = 0.99 * ratio, .high = 1.01 * ratio};
    const auto repository = repo::Repository::open(workplace_.root());
    const Folders folders(workplace_.root());
    Recording recording;
    add_entries(recording, repository, folders, "demo", {headline});
    recording.branch = status.run.branch;
    static_cast<void>(apply(recording, repository, folders, {}));
  }

  Workplace workplace_;
  const test::ScratchRepository& git_ = workplace_.git();
};

TEST_F(Verifying, ASoundRunFindsThatItHoldsAndChangesNothing) {
  static_cast<void>(workplace_.open().finish(2));
  const std::string before = workplace_.snapshot();
  const Verification found = verify();
  EXPECT_EQ(found.verdict, Verdict::holds) << found.reason;
  EXPECT_THAT(found.faults, IsEmpty());
  EXPECT_THAT(found.remarks, IsEmpty());
  EXPECT_EQ(found.entries, 7);
  EXPECT_THAT(found.measured.over_baseline,
              Optional(Field(&ledger::Confirmed::ratio, DoubleNear(100.0 / 60, 1e-9))));
  EXPECT_EQ(found.measured.library_us, 50);
  EXPECT_EQ(workplace_.snapshot(), before);
}

TEST_F(Verifying, AClaimThatIsTooHighFindsThatItDoesNotHold) {
  claim(10);
  const Verification found = verify();
  EXPECT_EQ(found.verdict, Verdict::does_not_hold);
  EXPECT_THAT(found.faults, IsEmpty());
  EXPECT_THAT(found.reason, HasSubstr("the run claimed 10.000 times as fast"));
}

TEST_F(Verifying, AClaimThatIsTooLowFindsThatItHolds) {
  claim(1.2);
  EXPECT_EQ(verify().verdict, Verdict::holds);
}

TEST_F(Verifying, ALedgerThatWasEditedNamesIt) {
  std::string text = git_.read(".autokernel/ledger.jsonl");
  text.replace(text.find("\"median_us\":80.0"), 16, "\"median_us\":10.0");
  git_.write(".autokernel/ledger.jsonl", text);
  const Verification found = verify();
  EXPECT_EQ(found.verdict, Verdict::tampered);
  EXPECT_THAT(found.faults, Contains(HasSubstr("line 3 (experiment 1 of demo) was edited")));
}

TEST_F(Verifying, ABranchThatWasMovedNamesItAndMeasuresTheLastOneKept) {
  git_.git("commit", "--quiet", "--allow-empty", "--message", "mine");
  const Verification found = verify();
  EXPECT_EQ(found.verdict, Verdict::tampered);
  EXPECT_THAT(found.faults, ElementsAre(HasSubstr("autokernel/demo is at")));
  EXPECT_EQ(found.measured.best_us, 60);
}

TEST_F(Verifying, ACaseThatWasEditedNamesItAndMeasuresTheOriginal) {
  git_.write("kernels/case.toml", "no case at all\n");
  std::filesystem::remove(workplace_.root() / "kernels/reference.cu");
  const Verification found = verify();
  EXPECT_EQ(found.verdict, Verdict::tampered);
  EXPECT_THAT(found.faults, ElementsAre(HasSubstr("kernels/case.toml has changed since"),
                                        HasSubstr("kernels/reference.cu was deleted since")));
  EXPECT_EQ(found.measured.best_us, 60);
}

TEST_F(Verifying, ResultsAndReferencesNamesWhatDiffers) {
  std::string table = git_.read("results.tsv");
  git_.write("results.tsv", table.replace(table.find("60.000"), 6, "6.0000"));
  git_.git("update-ref", "-d", "refs/autokernel/demo/1");
  EXPECT_THAT(verify().faults, ElementsAre(HasSubstr("row 5 of results.tsv"),
                                           HasSubstr("refs/autokernel/demo/1 is gone")));
}

TEST_F(Verifying, ARunByItsNameNeedsNoCheckout) {
  git_.git("switch", "--quiet", "main");
  EXPECT_EQ(verify("demo").verdict, Verdict::holds);
  EXPECT_THAT(refusal(Stop::repository, [&] { static_cast<void>(verify()); }),
              HasSubstr("no run on main"));
  EXPECT_THAT(refusal(Stop::repository, [&] { static_cast<void>(verify("none")); }),
              HasSubstr("there is no run 'none' in the ledger; there are: demo"));
}

TEST(VerifyingARun, WithoutAGainClaimsNothing) {
  const Workplace workplace;
  workplace.start();
  const Verification found = workplace.open().verify("", 2);
  EXPECT_EQ(found.verdict, Verdict::holds);
  EXPECT_THAT(found.reason, HasSubstr("nothing was kept"));
}

}  // namespace
}  // namespace autokernel::loop
