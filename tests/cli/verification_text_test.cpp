// What `autokernel verify-run --json` prints, to the byte: other programs read it.
#include "cli/verification_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace autokernel::cli {
namespace {

TEST(VerificationJson, HasWhatWasMeasuredAndClaimedInItsPlace) {
  loop::Verification verification;
  verification.verdict = loop::Verification::Verdict::tampered;
  verification.reason = "the record is not what was written";
  verification.faults = {"caf\xe9 has changed", ""};
  verification.entries = 9;
  verification.device.name = "NVIDIA H200";
  verification.status.run.tag = "demo";
  verification.status.run.branch = "autokernel/demo";
  verification.status.best.number = 3;
  verification.status.best.commit = std::string(40, 'a');
  verification.measured.processes = 5;
  verification.measured.baseline_us = 100;
  verification.measured.best_us = std::numeric_limits<double>::quiet_NaN();
  verification.measured.over_baseline = ledger::Confirmed{.ratio = 1.5, .low = 1.25, .high = 2};
  verification.claimed = ledger::RunFinished{};
  EXPECT_EQ(verification_json(verification),
            R"({"schema_version":1,"tag":"demo","branch":"autokernel/demo","device":"NVIDIA H200",)"
            R"("verdict":"tampered","reason":"the record is not what was written",)"
            R"("faults":["caf� has changed",""],"remarks":[],"entries":9,"best":{"number":3,)"
            R"("commit":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},"measured":{"processes":5,)"
            R"("baseline_us":100.0,"best_us":null,"library_us":null,"over_baseline":{"ratio":1.5,)"
            R"("low":1.25,"high":2.0},"over_library":null},"claimed":{"processes":0,)"
            R"("baseline_us":null,"best_us":null,"library_us":null,"over_baseline":null,)"
            R"("over_library":null}})"
            "\n");
}

TEST(VerificationJson, OfNothingHasEmptyTexts) {
  EXPECT_EQ(verification_json({}),
            R"({"schema_version":1,"tag":"","branch":"","device":"","verdict":"holds","reason":"",)"
            R"("faults":[],"remarks":[],"entries":0,"best":{"number":0,"commit":""},)"
            R"("measured":{"processes":0,"baseline_us":null,"best_us":null,"library_us":null,)"
            R"("over_baseline":null,"over_library":null},"claimed":null})"
            "\n");
}

}  // namespace
}  // namespace autokernel::cli
