// An agent that tampers with the record, the case or the program, and `verify-run`, which trusts
// none of them.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "e2e/loop_workplace.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

class LoopTampering : public LoopWorkplace {
 protected:
  void run_with_a_gain() const {
    start();
    const Outcome kept = step(kernel(kFaster), "a tenth of the rounds");
    EXPECT_EQ(kept.code, 0) << kept.out << kept.err;
  }
  // Refused with 15 and these words; the edit, the table and the branch are as they were.
  void expect_step_refused(const std::string& words) const {
    const std::string branch = head();
    const std::string table = repository_.read("results.tsv");
    const Outcome refused = step(kernel(kFastest), "an idea");
    EXPECT_EQ(refused.code, 15) << refused.out << refused.err;
    EXPECT_THAT(refused.out, IsEmpty());
    EXPECT_THAT(refused.err, HasSubstr(words));
    EXPECT_EQ(kernel_now(), kernel(kFastest));
    EXPECT_EQ(repository_.read("results.tsv"), table);
    EXPECT_EQ(head(), branch);
    expect_nothing_left();
  }
  [[nodiscard]] Outcome verify(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"verify-run", "--processes", "3"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_autokernel(arguments);
  }
  // Where others hold one of the processes up, the interval of three may include 1: asked again.
  [[nodiscard]] Outcome verify_until_settled() const {
    constexpr int kInconclusive = 16;
    Outcome verified = verify();
    for (int again = 0; again < 3 && verified.code == kInconclusive; ++again) verified = verify();
    return verified;
  }
};

TEST_F(LoopTampering, WithTheResultsIsNamedAndUndoneByRemovingThem) {
  start();
  const std::string table = repository_.read("results.tsv");
  repository_.write("results.tsv", table + "abcdef0\t1.000\t9.00\tkeep\ta record\n");
  expect_step_refused("row 2 of results.tsv (abcdef0");
  fs::remove(repository_.root() / "results.tsv");
  EXPECT_EQ(step(kernel(kFaster), "a tenth of the rounds").code, 0);
  EXPECT_THAT(rows(), ElementsAre("keep baseline", "keep a tenth of the rounds"));
}

// A copy of the program, with a byte more: it runs as well, and is another one.
TEST_F(LoopTampering, WithTheProgramIsNamed) {
  const fs::path prefix = repository_.beside("installed");
  const fs::path program = prefix / "bin" / "autokernel";
  fs::create_directories(program.parent_path());
  fs::copy_file(AUTOKERNEL_PROGRAM, program);
  fs::create_directory_symlink(fs::path(AUTOKERNEL_PROGRAM).parent_path().parent_path() / "lib",
                               prefix / "lib");
  const auto installed = [&](const std::vector<std::string>& arguments) {
    Invocation invocation = autokernel(arguments);
    invocation.program = program.string();
    return test::run(invocation);
  };
  EXPECT_EQ(installed({"loop", "start", "demo", "--device", "cpu", "--size", "check"}).code, 0);
  edit(kernel(kFaster));
  std::ofstream(program, std::ios::app) << 'x';
  const Outcome refused = installed({"loop", "step", "-m", "an idea"});
  EXPECT_EQ(refused.code, 15) << refused.out << refused.err;
  EXPECT_THAT(refused.err, AllOf(HasSubstr("installed/bin/autokernel is not the file"),
                                 HasSubstr("restore it")));
  EXPECT_THAT(rows(), ElementsAre("keep baseline"));
  // It is no lie of the run's; both kernels are measured by the same program.
  const Outcome verified = installed({"verify-run", "--processes", "2"});
  EXPECT_EQ(value_of("record", verified.out), "as it was written") << verified.err;
}

TEST_F(LoopTampering, IsNotFoundInAnUntouchedRunWhoseClaimIsMeasuredAgain) {
  run_with_a_gain();
  EXPECT_EQ(run_autokernel({"loop", "finish", "--processes", "3"}).code, 0);
  const Outcome verified = verify_until_settled();
  EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
  EXPECT_EQ(value_of("verdict", verified.out), "holds");
  EXPECT_EQ(value_of("record", verified.out), "as it was written");
  EXPECT_EQ(value_of("entries", verified.out), "4");
  EXPECT_THAT(value_of("over_baseline", verified.out), MatchesRegex("[0-9.]+ times as fast .*"));
  expect_at(experiment(1));
  expect_nothing_left();
}

TEST_F(LoopTampering, WithEverythingAtOnceIsToldByVerifyRunWhichMeasuresWhatGitHolds) {
  run_with_a_gain();
  std::string ledger = repository_.read(".autokernel/ledger.jsonl");
  ledger.replace(ledger.find("a tenth"), 7, "A tenth");
  repository_.write(".autokernel/ledger.jsonl", ledger);
  repository_.write("kernels/case.toml", "nothing\n");
  repository_.git("update-ref", "-d", "refs/autokernel/demo/0");
  repository_.git("switch", "--quiet", "--discard-changes", "main");
  repository_.git("branch", "--quiet", "--force", "autokernel/demo", "main");
  const Outcome verified = verify({"demo", "--json"});
  EXPECT_EQ(verified.code, 15) << verified.out << verified.err;
  const json object = json::parse(verified.out);
  EXPECT_EQ(object.at("verdict"), "tampered");
  EXPECT_THAT(object.at("faults").get<std::vector<std::string>>(),
              ElementsAre(HasSubstr("the last entry of the run in the ledger was edited"),
                          HasSubstr("results.tsv"), HasSubstr("refs/autokernel/demo/0 is gone"),
                          HasSubstr("autokernel/demo is at")));
  EXPECT_GT(object.at("measured").at("over_baseline").at("ratio"), 2);
  expect_nothing_left();
}

TEST_F(LoopTampering, OfARunThatIsNotThereIsAQuestionAboutTheRepository) {
  EXPECT_EQ(verify({"none"}).code, 4);
  EXPECT_EQ(verify({"--processes", "1"}).code, 2);
}

}  // namespace
}  // namespace autokernel::test
