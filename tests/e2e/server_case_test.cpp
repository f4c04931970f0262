// Cases whose program is a server: load on it, and a reference that it has to agree with.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "e2e/authoring_workplace.h"
#include "e2e/workplace.h"
#include "support/full_test.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// The program's own mock server, whose options are what an agent may change.
class ServerCase : public AuthoringWorkplace {
 protected:
  static constexpr const char* kOptions = "case/workspace/options.txt";

  ServerCase() {
    const fs::path program = AUTOKERNEL_PROGRAM;
    const std::string serve = program.string() + " mock-server --port $AUTOKERNEL_PORT --model m";
    repository_.write(
        "case/case.toml",
        fmt::format("name = \"Server\"\nproblem = \"serve m\"\n"
                    "editable = [\"workspace/options.txt\", \"workspace/**/*\"]\n"
                    "[command]\nhidden = [\"reference/*\"]\n"
                    "readable = [\"{}\"]\n"
                    "[server]\n"
                    "start = \"exec {} $(cat workspace/options.txt)\"\n"
                    "reference = \"exec {} $(cat reference/options.txt)\"\n"
                    "model = \"m\"\nstart_seconds = 20\n"
                    "[load]\nconcurrency = 4\nrequests = 12\nwarmup = 2\n"
                    "input_tokens = \"4:16\"\noutput_tokens = 16\n"
                    "request_seconds = 3\n"
                    "[metric]\nname = \"tpot\"\nunit = \"s\"\njson = \"/tpot/mean\"\n"
                    "min_gain_pct = 2\nbudget_seconds = 3\n"
                    "[[guard]]\nname = \"e2e\"\njson = \"/e2e/mean\"\nloss_pct = 20\n",
                    program.parent_path().string(), serve, serve));
    repository_.write("case/reference/options.txt", "--ttft-ms 1 --tpot-ms 1\n");
    repository_.write(kOptions, "--ttft-ms 5 --tpot-ms 10\n");
    repository_.commit("A server");
  }

  [[nodiscard]] Outcome bench_with(const std::string& options) const {
    repository_.write(kOptions, options + "\n");
    return run_autokernel({"bench", "--case", "case"});
  }
  [[nodiscard]] Outcome step(const std::string& options) const {
    repository_.write(kOptions, options + "\n");
    return run_autokernel({"loop", "step", "-m", options});
  }
  // case.toml with a piece of its text replaced, which must be in it; committed.
  void change_case(const std::string& piece, const std::string& instead) const {
    std::string text = repository_.read("case/case.toml");
    const std::size_t at = text.find(piece);
    ASSERT_NE(at, std::string::npos) << piece;
    repository_.write("case/case.toml", text.replace(at, piece.size(), instead));
    repository_.commit("Another case");
  }
  void expect_refused_server(const std::string& options, int code, const std::string& words) const {
    const Outcome run = bench_with(options);
    EXPECT_EQ(run.code, code) << run.out << run.err;
    EXPECT_THAT(run.out, HasSubstr(words));
  }
};

TEST_F(ServerCase, IsMeasuredUnderLoad) {
  const Outcome run = run_autokernel({"bench", "--case", "case"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(value_of("value", run.out), StartsWith("0.010")) << run.out;
}

TEST_F(ServerCase, KeepsAGainOfFivePercent) {
  if (!everything_is_wanted()) GTEST_SKIP() << "a minute; AUTOKERNEL_TEST_FULL=1 takes it";
  // Of times that are long beside what else the machine does, and short runs: some ten pairs.
  change_case("budget_seconds = 3", "budget_seconds = 60");
  change_case("requests = 12\nwarmup = 2", "requests = 4\nwarmup = 0");
  change_case("output_tokens = 16", "output_tokens = 8");
  repository_.write(kOptions, "--ttft-ms 5 --tpot-ms 40\n");
  repository_.commit("A slow server");
  ASSERT_EQ(run_autokernel({"loop", "start", "demo", "--case", "case"}).code, 0);
  const Outcome kept = step("--ttft-ms 5 --tpot-ms 38");
  EXPECT_EQ(kept.code, 0) << kept.out << kept.err;
  EXPECT_THAT(value_of("change", kept.out), testing::MatchesRegex("-[45]\\..*")) << kept.out;
}

TEST_F(ServerCase, FindsServersThatAreWrong) {
  expect_refused_server("--seed 7", 11, "is not the reference's");
  expect_refused_server("--tpot-ms 1 --fault wrong-usage", 11, "lies about usage");
  expect_refused_server("--tpot-ms 1 --fault http-500", 11, "http_status");
  expect_refused_server("--tpot-ms 1 --fault bad-json", 11, "bad_stream");
}

TEST_F(ServerCase, FindsServersThatFail) {
  expect_refused_server("--tpot-ms 1 --fault hang", 13, "stalled");
  expect_refused_server("--tpot-ms 1 --fault crash", 14, "ended");
  expect_refused_server("--no-such-option", 14, "ended before it was up");
  if (!everything_is_wanted()) return;  // each of the others takes some seconds
  expect_refused_server("--tpot-ms 1 --fault disconnect", 14, "disconnected");
  expect_refused_server("--ttft-ms 6000", 13, "request");
}

TEST_F(ServerCase, KeepsServersForAnExperimentAndStartsThemAgainBeforeItKeepsAGain) {
  if (!everything_is_wanted()) GTEST_SKIP() << "half a minute; AUTOKERNEL_TEST_FULL=1 takes it";
  change_case("model = \"m\"", "model = \"m\"\nrestart = \"experiment\"");
  ASSERT_EQ(run_autokernel({"loop", "start", "demo", "--case", "case"}).code, 0);
  const Outcome kept = step("--ttft-ms 5 --tpot-ms 5");
  EXPECT_EQ(kept.code, 0) << kept.out << kept.err;
  EXPECT_THAT(kept.out, HasSubstr("started again, after others had shown a gain"));
  EXPECT_EQ(step("--tpot-ms 7 --ttft-ms 5").code, 10);
}

TEST_F(ServerCase, HasSuitesWhoseFiguresAreGuarded) {
  repository_.write("case/fixed/prompts.jsonl",
                    "{\"prompt\": \"one two three\"}\n{\"prompt\": \"four five\"}\n");
  change_case("[metric]",
              "[[suite]]\nname = \"batch1\"\nprompts = \"fixed/prompts.jsonl\"\nrequests = 4\n"
              "output_tokens = 8\nwarmup = 0\n"
              "[[guard]]\nname = \"first\"\njson = \"/suites/batch1/ttft/mean\"\nloss_pct = 30\n"
              "[metric]");
  ASSERT_EQ(run_autokernel({"loop", "start", "demo", "--case", "case"}).code, 0);
  const Outcome over = step("--ttft-ms 9 --tpot-ms 5");
  EXPECT_EQ(over.code, 18) << over.out << over.err;
  EXPECT_THAT(over.out, HasSubstr("first"));
  EXPECT_EQ(step("--ttft-ms 5 --tpot-ms 5").code, 0);
  EXPECT_THAT(done({"case", "show", "case"}),
              HasSubstr("batch1: 4 requests of fixed/prompts.jsonl"));
  change_case("fixed/prompts.jsonl", "fixed/others.jsonl");
  const Outcome lacking = run_autokernel({"bench", "--case", "case"});
  EXPECT_EQ(lacking.code, 2);
  EXPECT_THAT(lacking.err, HasSubstr("the case has no file fixed/others.jsonl"));
}

TEST_F(ServerCase, SaysThatTheReferenceIsWrong) {
  repository_.write("case/reference/options.txt", "--no-such-option\n");
  repository_.commit("A reference that does not start");
  const Outcome run = run_autokernel({"bench", "--case", "case"});
  EXPECT_EQ(run.code, 3) << run.out;
  EXPECT_THAT(run.err, AllOf(HasSubstr("the reference's server"), HasSubstr("[server] reference")));
}

TEST_F(ServerCase, LeavesNoServerBehind) {
  // Servers of other tests may run meanwhile; this delay is of this one alone.
  ASSERT_EQ(bench_with("--ttft-ms 1.375").code, 0);
  const Outcome left = test::run({.program = "/usr/bin/pgrep",
                                  .arguments = {"-f", "mock-server .*--ttft-ms 1[.]375"},
                                  .directory = "/",
                                  .environment = {}});
  EXPECT_EQ(left.code, 1) << left.out;
}

class LabTemplate : public AuthoringWorkplace {};

TEST_F(LabTemplate, MakesACaseOfAServer) {
  done({"case", "new", "--lab", "--model", "tiny", "--model-path", "weights", "--hardware",
        "2 x H200", "--case", "rates"});
  const std::string text = repository_.read("rates/case.toml");
  EXPECT_THAT(text, AllOf(HasSubstr("serve tiny on 2 x H200"), Not(HasSubstr("{{"))));
  EXPECT_THAT(text, HasSubstr((repository_.root() / "weights").string()));
  for (const char* file : {"program.md", "workspace/kernels.toml", "workspace/backend/serve.py",
                           "reference/serve.py", "workspace/docs/prior-art.md"})
    EXPECT_TRUE(fs::exists(repository_.root() / "rates" / file)) << file;
  EXPECT_THAT(done({"case", "show", "rates"}), HasSubstr("32 requests of 16:64 words"));
}

TEST_F(LabTemplate, RefusesWordsThatMeanSomethingElse) {
  expect_refused({"case", "new", "--lab", "--model", "a\"b", "--model-path", "w", "--case", "x"}, 2,
                 "--model takes printable ASCII");
  expect_refused({"case", "new", "--lab", "--model", "m", "--model-path", "$(id)", "--case", "x"},
                 2, "--model-path takes printable ASCII");
  expect_refused({"case", "new", "--lab", "--model", "m", "--case", "x"}, 2, "--lab needs");
  expect_refused({"case", "new", "x", "--model", "m"}, 2, "add --lab");
  expect_refused({"case", "new"}, 2, "needs the name");
}

}  // namespace
}  // namespace autokernel::test
