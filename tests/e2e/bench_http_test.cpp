// `autokernel bench-http` against `autokernel mock-server`, each a process of its own.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "e2e/running_mock_server.h"
#include "e2e/workplace.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;

using Arguments = std::vector<std::string>;

std::vector<json> lines_of(const fs::path& file) {
  std::istringstream text(contents(file));
  std::vector<json> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(json::parse(line));
  return lines;
}

std::vector<std::string> kinds_in(const json& report) {
  std::vector<std::string> kinds;
  for (const json& finding : report.at("findings")) kinds.push_back(finding.at("kind"));
  return kinds;
}

class BenchHttpTest : public Workplace {
 protected:
  [[nodiscard]] RunningServer serve(const Arguments& more) const { return {autokernel({}), more}; }
  [[nodiscard]] Outcome bench_http(const RunningServer& server, const Arguments& more) const {
    Arguments all = {"bench-http", "--url",    server.url(), "--model",        "mock",
                     "--json",     "--warmup", "0",          "--input-tokens", "16"};
    all.insert(all.end(), more.begin(), more.end());
    return run_autokernel(all);
  }
  // What the report of a load on a server that misbehaves so says.
  [[nodiscard]] json report_of_fault(const std::string& fault, const Arguments& more = {}) const {
    RunningServer server =
        serve({"--ttft-ms", "10", "--tpot-ms", "2", "--fault", fault, "--fault-share", "0.3"});
    Arguments all = {"--requests", "40", "--concurrency", "4", "--output-tokens", "12"};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome run = bench_http(server, all);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(server.stop().code, 0);
    return json::parse(run.out);
  }
};

TEST_F(BenchHttpTest, AgreesWithTheServersOwnLog) {
  RunningServer server = serve({"--ttft-ms", "40", "--tpot-ms", "4", "--log", "log.jsonl"});
  const Outcome run = bench_http(server, {"--requests", "40", "--concurrency", "4",
                                          "--output-tokens", "20", "--record", "record.jsonl"});
  ASSERT_EQ(run.code, 0) << run.err;
  const json report = json::parse(run.out);
  EXPECT_EQ(report.at("schema_version"), 1);
  EXPECT_EQ(report.at("succeeded"), 40);
  EXPECT_EQ(report.at("output_tokens"), 800);
  EXPECT_EQ(report.at("input_tokens"), 640);
  EXPECT_EQ(report.at("tokens_counted_by"), "usage");
  EXPECT_THAT(report.at("findings"), IsEmpty());
  EXPECT_EQ(server.stop().code, 0);

  std::map<std::string, json> logged;
  for (const json& line : lines_of(scratch_.path() / "log.jsonl")) logged[line.at("id")] = line;
  std::vector<double> to_first;
  std::vector<double> per_token;
  for (const json& line : lines_of(scratch_.path() / "record.jsonl")) {
    const json& tokens = logged.at(line.at("id")).at("tokens");
    ASSERT_EQ(tokens.size(), 20U);
    const double first = tokens.front();
    const double last = tokens.back();
    to_first.push_back(line.at("first").get<double>() - first);
    per_token.push_back(
        (line.at("last").get<double>() - line.at("first").get<double>() - (last - first)) / 19);
    EXPECT_GE(line.at("first").get<double>(), first - 1e-6);
  }
  ASSERT_EQ(to_first.size(), 40U);
  std::ranges::sort(to_first);
  std::ranges::sort(per_token);
  // The median, since the machine may be busy: half a millisecond.
  EXPECT_LT(to_first[20], 5e-4);
  EXPECT_LT(std::abs(per_token[20]), 5e-4);
}

TEST_F(BenchHttpTest, PrintsLinesAndATable) {
  RunningServer server = serve({"--ttft-ms", "10", "--tpot-ms", "1"});
  const Outcome run =
      run_autokernel({"bench-http", "--url", server.url(), "--model", "mock", "--requests", "10",
                      "--output-tokens", "5", "--goodput", "ttft=10s,tpot=1us"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(value_of("requests", run.out), "10, 10 answered");
  EXPECT_THAT(value_of("load", run.out), "closed loop, 1 at once");
  EXPECT_THAT(value_of("tokens", run.out), "1280 in, 50 out, counted by usage");
  EXPECT_THAT(value_of("goodput", run.out), HasSubstr("0.0 % of all; 10 missed tpot"));
  EXPECT_THAT(run.out, HasSubstr("\nms    ttft "));
  EXPECT_THAT(run.out, HasSubstr("\np99   "));
}

TEST_F(BenchHttpTest, SendsAnOpenLoopOnSchedule) {
  RunningServer server = serve({"--ttft-ms", "100", "--tpot-ms", "1"});
  const Outcome run =
      bench_http(server, {"--rate", "100", "--requests", "50", "--output-tokens", "3"});
  ASSERT_EQ(run.code, 0) << run.err;
  const json report = json::parse(run.out);
  EXPECT_EQ(report.at("succeeded"), 50);
  EXPECT_EQ(report.at("rate"), 100.0);
  EXPECT_LT(report.at("seconds").get<double>(), 5);
}

TEST_F(BenchHttpTest, FindsAServerThatHangs) {
  const json report = report_of_fault("hang", {"--timeout", "0.6"});
  EXPECT_THAT(kinds_in(report), ElementsAre("stalled"));
  EXPECT_THAT(report.at("findings")[0].at("text"), HasSubstr("after 6 pieces of text"));
  EXPECT_EQ(report.at("clean"), false);
}

TEST_F(BenchHttpTest, FindsAServerThatIsSlow) {
  EXPECT_THAT(kinds_in(report_of_fault("slow")), ElementsAre("slow"));
}

TEST_F(BenchHttpTest, FindsUsageThatIsWrong) {
  const json report = report_of_fault("wrong-usage");
  EXPECT_THAT(kinds_in(report), ElementsAre("usage"));
  EXPECT_THAT(report.at("findings")[0].at("text"), HasSubstr("18 tokens, where 12 were requested"));
}

TEST_F(BenchHttpTest, FindsConnectionsThatEndEarly) {
  EXPECT_THAT(kinds_in(report_of_fault("disconnect")), ElementsAre("disconnected"));
}

TEST_F(BenchHttpTest, FindsRefusalsByStatus) {
  const json report = report_of_fault("http-500");
  EXPECT_THAT(kinds_in(report), ElementsAre("http_status"));
  EXPECT_THAT(report.at("findings")[0].at("text"), HasSubstr("status 500"));
}

TEST_F(BenchHttpTest, FindsStreamsThatAreDamaged) {
  EXPECT_THAT(kinds_in(report_of_fault("bad-json")), ElementsAre("bad_stream"));
}

TEST_F(BenchHttpTest, FindsAnswersOutOfACache) {
  RunningServer server = serve({"--ttft-ms", "20", "--tpot-ms", "2", "--fault", "cache"});
  scratch_.write("prompts.jsonl",
                 "{\"prompt\": \"one\"}\n{\"prompt\": \"two\"}\n{\"prompt\": \"three\"}\n");
  Arguments arguments = {
      "bench-http",      "--url", server.url(), "--model",       "mock",       "--json",
      "--warmup",        "0",     "--prompts",  "prompts.jsonl", "--requests", "12",
      "--output-tokens", "10"};
  const Outcome run = run_autokernel(arguments);
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(kinds_in(json::parse(run.out)), ElementsAre("answer_cache"));
}

TEST_F(BenchHttpTest, FindsAServerThatCrashes) {
  RunningServer server = serve({"--ttft-ms", "10", "--tpot-ms", "1", "--fault", "crash",
                                "--fault-share", "0.1", "--log", "log.jsonl"});
  const Outcome run =
      bench_http(server, {"--requests", "60", "--concurrency", "2", "--output-tokens", "10"});
  const json report = json::parse(run.out);
  EXPECT_THAT(kinds_in(report), IsSupersetOf({"refused", "disconnected"}));
  EXPECT_EQ(server.wait().code, 128 + SIGABRT);
  EXPECT_THAT(contents(scratch_.path() / "log.jsonl"), HasSubstr(R"("fault":"crash")"));
}

TEST_F(BenchHttpTest, EndsWithThreeWhereNothingIsAnswered) {
  const Outcome run =
      run_autokernel({"bench-http", "--url", "http://127.0.0.1:1", "--model", "mock"});
  EXPECT_EQ(run.code, 3);
  EXPECT_THAT(run.out, IsEmpty());
  EXPECT_THAT(run.err, HasSubstr("no request to warm up was answered (refused"));
  const Outcome cold = run_autokernel(
      {"bench-http", "--url", "http://127.0.0.1:1", "--model", "mock", "--warmup", "0"});
  EXPECT_EQ(cold.code, 3);
  EXPECT_THAT(value_of("requests", cold.out), HasSubstr("0 answered"));
  EXPECT_THAT(cold.err, HasSubstr("none of 100 requests was answered; check --url"));
}

// A server that remembers the prompts of the run before is not measured at that.
TEST_F(BenchHttpTest, HasOtherPromptsInEachRun) {
  RunningServer server = serve({"--ttft-ms", "20", "--fault", "cache"});
  for (int i = 0; i < 2; ++i) {
    const json report =
        json::parse(bench_http(server, {"--requests", "8", "--output-tokens", "4"}).out);
    EXPECT_GE(report["ttft_ms"]["p50"]["value"].get<double>(), 19) << i;
  }
}

TEST_F(BenchHttpTest, RefusesOptionsThatMakeNoSense) {
  const auto refusal = [&](const Arguments& more) {
    Arguments all = {"bench-http", "--url", "http://127.0.0.1:1", "--model", "mock"};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome run = run_autokernel(all);
    EXPECT_EQ(run.code, 2);
    EXPECT_THAT(run.out, IsEmpty());
    return run.err;
  };
  EXPECT_THAT(refusal({"--rate", "1", "--concurrency", "2"}), HasSubstr("--rate"));
  EXPECT_THAT(refusal({"--requests", "1", "--seconds", "2"}), HasSubstr("--seconds"));
  EXPECT_THAT(refusal({"--goodput", "ttft=fast"}), HasSubstr("cannot read the objective"));
  EXPECT_THAT(refusal({"--goodput", "tpot=1ms", "--no-stream"}), HasSubstr("leaves only e2e"));
  scratch_.write("kept.txt", "kept");
  EXPECT_THAT(refusal({"--record", (scratch_.path() / "kept.txt").string()}),
              HasSubstr("the file is there"));
  EXPECT_THAT(refusal({"--output-tokens", "9:3"}), HasSubstr("--output-tokens takes"));
  EXPECT_THAT(refusal({"--prompts", "nowhere.jsonl"}), HasSubstr("nowhere.jsonl"));
  EXPECT_THAT(refusal({"--api-key-variable", "NO_SUCH_KEY"}), HasSubstr("NO_SUCH_KEY"));
}

TEST_F(BenchHttpTest, RefusesAddressesThatAreNone) {
  const auto refusal = [&](const char* url) {
    const Outcome run = run_autokernel({"bench-http", "--url", url, "--model", "mock"});
    EXPECT_EQ(run.code, 2) << url;
    return run.err;
  };
  EXPECT_THAT(refusal("127.0.0.1:1"), HasSubstr("is no address"));
  EXPECT_THAT(refusal("http://"), HasSubstr("is no address"));
  EXPECT_THAT(refusal("http://:80"), HasSubstr("names no host"));
  EXPECT_THAT(refusal("http://h/v1/chat/completions"), HasSubstr("leave out /v1"));
  EXPECT_THAT(refusal("http://h?x=1"), HasSubstr("more than an address"));
  EXPECT_THAT(refusal("http://me:secret@h"),
              AllOf(HasSubstr("name or password"), Not(HasSubstr("secret"))));
}

TEST_F(BenchHttpTest, SaysAtCtrlCWhatWasMeasured) {
  RunningServer server = serve({"--ttft-ms", "20"});
  RunningProgram program(autokernel({"bench-http", "--url", server.url(), "--model", "mock",
                                     "--requests", "100000", "--output-tokens", "1", "--record",
                                     (scratch_.path() / "record.jsonl").string()}));
  ::usleep(600'000);
  program.send(SIGINT);
  const Outcome run = program.wait(seconds{20});
  EXPECT_EQ(run.code, 130) << run.err;
  EXPECT_THAT(value_of("unclean", run.out), HasSubstr("interrupted"));
  EXPECT_THAT(contents(scratch_.path() / "record.jsonl"), HasSubstr("\"index\":0"));
}

TEST_F(BenchHttpTest, EndsAtCtrlC) {
  RunningServer server = serve({"--ttft-ms", "60000"});
  RunningProgram program(autokernel({"bench-http", "--url", server.url(), "--model", "mock"}));
  ::usleep(300'000);
  program.send(SIGINT);
  const Outcome run = program.wait(seconds{20});
  EXPECT_EQ(run.code, 130) << run.err;
  EXPECT_THAT(run.out, IsEmpty());
}

TEST_F(BenchHttpTest, NeedsLibcurlOnlyWhenItRuns) {
  Invocation invocation = autokernel(
      {"bench-http", "--url", "http://127.0.0.1:1", "--model", "mock", "--requests", "1"});
  // A file that is no library, found before the one of the system.
  scratch_.write("broken/libcurl.so.4", "none");
  scratch_.write("broken/libcurl-gnutls.so.4", "none");
  invocation.environment["LD_LIBRARY_PATH"] = (scratch_.path() / "broken").string();
  expect_refusal(test::run(invocation), 3, "cannot load libcurl.so.4");
  invocation.arguments = {"bench-http", "--help"};
  EXPECT_EQ(test::run(invocation).code, 0);
}

}  // namespace
}  // namespace autokernel::test
