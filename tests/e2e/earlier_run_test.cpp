// A run that version 0.1.0 made as it was before runners were handed the files of a case: its
// ledger, its table and its references (tests/data/earlier_run), two experiments kept, one wrong
// and one not faster, and finished.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "autokernel/base/search_path.h"
#include "autokernel/base/sha256.h"
#include "e2e/loop_workplace.h"
#include "support/scratch_folder.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;

class EarlierRun : public LoopWorkplace {
 protected:
  EarlierRun() {
    const fs::path from = fs::path(AUTOKERNEL_SOURCES) / "tests" / "data" / "earlier_run";
    repository_.git("fetch", "--quiet", "--update-head-ok", "--force",
                    (from / "repository.bundle").string(), "refs/*:refs/*");
    repository_.git("checkout", "--quiet", "--force", "autokernel/demo");
    repository_.write("results.tsv", contents(from / "results.tsv"));
    repository_.write(".autokernel/ledger.jsonl", contents(from / "ledger.jsonl"));
    repository_.write(".autokernel/.gitignore", "*\n");
  }
  // As if it had been made on this machine, by this very program.
  void make_it_ours() const {
    const Outcome here = run_autokernel({"bench", "--device", "cpu", "--size", "check", "--json"});
    const json measured = json::parse(here.out);
    std::istringstream lines(repository_.read(".autokernel/ledger.jsonl"));
    std::string ledger;
    std::string last;
    for (std::string line; std::getline(lines, line);) {
      json entry = json::parse(line);
      if (entry.at("kind") == "run_started") {
        entry["device_name"] = measured.at("device").at("name");
        entry["driver_version"] = measured.at("versions").at("driver");
        entry["harness"] = json::array();
      }
      entry["previous"] = last.empty() ? json() : json(sha256(last));
      last = entry.dump() + "\n";
      ledger += last;
    }
    repository_.write(".autokernel/ledger.jsonl", ledger);
    const auto seal = repository_.write(
        ".autokernel/seal", "autokernel-seal 1 " + std::to_string(ledger.size() - last.size()) +
                                " " + std::to_string(last.size()) + " " + sha256(last) + "\n");
    repository_.git("update-ref", "refs/autokernel-seals/demo",
                    repository_.line("hash-object", "-w", seal.string()));
  }
};

TEST_F(EarlierRun, HasAStatus) {
  const Outcome status = run_autokernel({"loop", "status"});
  EXPECT_EQ(status.code, 0) << status.err;
  EXPECT_THAT(status.out,
              AllOf(HasSubstr("experiments:      4 (2 kept, 1 discarded, 1 failed)"),
                    HasSubstr("baseline_us:      1910.874\n"), HasSubstr("best_us:          142.7"),
                    HasSubstr("confirmed:        19.597 times as fast")));
}

TEST_F(EarlierRun, HasALogWhoseTimesAndChangesBelongTogether) {
  const Outcome log = run_autokernel({"log"});
  EXPECT_EQ(log.code, 0) << log.err;
  EXPECT_THAT(log.out,
              AllOf(HasSubstr("   0  ccefe30      1910.874          -  baseline"),
                    HasSubstr("   1  df4e96b       558.7"), HasSubstr("   -70.76 %  kept"),
                    HasSubstr("   3  ec09844      2962."), HasSubstr("  +430.16 %  not faster")));
}

TEST_F(EarlierRun, IsDrawnWithWhatItsFinishHasConfirmed) {
  if (find_on_path("gnuplot").empty()) GTEST_SKIP() << "gnuplot is not installed";
  const Outcome drawn = run_autokernel({"plot", "--format", "svg", "-o", "-"});
  EXPECT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_THAT(drawn.out,
              HasSubstr("19.60 times as fast as the baseline, confirmed in 2 processes"));
  const Outcome raw = run_autokernel({"plot", "--raw", "--format", "svg", "-o", "-"});
  EXPECT_THAT(raw.out, HasSubstr("1911 us to 132.3 us, 14.45 times as fast (raw medians"));
}

// How fast its kernels are here is this machine's affair.
TEST_F(EarlierRun, IsVerifiedAndNotTakenForForged) {
  const Outcome verified = run_autokernel({"verify-run", "demo", "--processes", "2", "--json"});
  EXPECT_THAT(verified.code, AnyOf(0, 10, 16)) << verified.out << verified.err;
  EXPECT_THAT(json::parse(verified.out).at("faults"), IsEmpty());
}

TEST_F(EarlierRun, GoesOn) {
  make_it_ours();
  const Outcome stepped = step(kernel(2 * kSlow), "slower again");
  EXPECT_EQ(stepped.code, 10) << stepped.out << stepped.err;
  const Outcome finished = run_autokernel({"loop", "finish", "--processes", "2"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("branch:           autokernel/demo-kept\n"));
  const Outcome verified = run_autokernel({"verify-run", "--processes", "2", "--json"});
  EXPECT_THAT(json::parse(verified.out).at("faults"), IsEmpty());
}

TEST_F(EarlierRun, IsAmongThoseThatAreNamedToWhoeverAsksForAnother) {
  const Outcome verified = run_autokernel({"verify-run", "nosuch"});
  EXPECT_EQ(verified.code, 4);
  EXPECT_THAT(verified.err, HasSubstr("there is no run 'nosuch' in the ledger; there are: demo"));
}

}  // namespace
}  // namespace autokernel::test
