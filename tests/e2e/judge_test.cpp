// `autokernel serve` and its clients, of one user.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <random>
#include <thread>

#include "e2e/judge_workplace.h"

namespace autokernel::test {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class Judge : public JudgeWorkplace {
 protected:
  [[nodiscard]] std::string trial(const std::string& source) const {
    return json{{"case", "kernels"}, {"size", "check"}, {"source", source}, {"depth", "quick"}}
        .dump();
  }
};

TEST_F(Judge, ABenchIsAsOneHere) {
  serve();
  edit(kernel(kFastest));
  const Outcome right = bench({"--json"});
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  const json record = json::parse(right.out);
  EXPECT_EQ(record.at("verdict"), "correct");
  EXPECT_GT(record.at("median_us"), 0.0);
  edit(wrong_kernel());
  EXPECT_EQ(bench().code, 11);
  edit(kernel_that_does_not_compile());
  const Outcome broken = bench();
  EXPECT_EQ(broken.code, 12);
  EXPECT_THAT(broken.out, HasSubstr("kernel.cu:10"));
  EXPECT_EQ(stop(SIGTERM).code, 0);
  expect_nothing_left();
}

TEST_F(Judge, ALoopIsMeasuredByItButNotConfirmedByOneOfTheSameUser) {
  serve();
  ASSERT_EQ(run_autokernel({"loop", "start", "demo", "--device", device(), "--size", "check"}).code,
            0);
  EXPECT_EQ(step(kernel(kFaster), "fewer rounds").code, 0);
  EXPECT_EQ(step(wrong_kernel(), "no barrier").code, 11);
  EXPECT_THAT(rows(), SizeIs(3));
  for (const char* command : {"finish", "verify"}) {
    const Outcome refused = command == std::string("finish")
                                ? run_autokernel({"loop", "finish", "--processes", "2"})
                                : run_autokernel({"verify-run", "--processes", "2", "--allow"});
    EXPECT_EQ(refused.code, 3) << command;
    EXPECT_THAT(refused.err, HasSubstr("it runs as you do")) << command;
  }
}

TEST_F(Judge, ACaseThatItDoesNotHaveIsRefused) {
  serve();
  repository_.write("kernels/reference.cu",
                    repository_.read("kernels/reference.cu") + "// another\n");
  const Outcome refused = bench();
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("does not have this case"));
}

TEST_F(Judge, WhereThereIsNoneItSaysSo) {
  const Outcome refused = bench();
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, AllOf(HasSubstr(socket()), HasSubstr("autokernel serve")));
}

TEST_F(Judge, ASecondOneOfAStoreIsRefused) {
  serve();
  const Outcome second = test::run(judge({}));
  EXPECT_EQ(second.code, 3);
  EXPECT_THAT(second.err, HasSubstr("another judge does"));
}

TEST_F(Judge, CtrlCEndsTheTrialThere) {
  serve(with_http());
  edit(endless_kernel());
  RunningProgram run(autokernel({"bench", "--device", device(), "--size", "check", "--quick"}));
  for (int i = 0; i < 300 && http_json(200, "GET", "/v1/status").at("running") == 0; ++i)
    std::this_thread::sleep_for(milliseconds{100});
  run.send(SIGINT);
  EXPECT_EQ(run.wait(seconds{30}).code, 128 + SIGINT);
  edit(kernel(kFastest));
  EXPECT_EQ(bench().code, 0);
  EXPECT_THAT(http("GET", "/metrics"),
              HasSubstr("autokernel_trials_ended_total{state=\"cancelled\"} 1"));
}

// Killed in the middle, and started again: the client's trial is found again, made again, and
// counts once.
TEST_F(Judge, AClientSurvivesAJudgeThatIsKilled) {
  serve();
  edit(kernel(kSlow));
  RunningProgram run(autokernel({"bench", "--device", device(), "--size", "check", "--json"}));
  std::this_thread::sleep_for(milliseconds{1500});
  static_cast<void>(stop(SIGKILL));
  std::this_thread::sleep_for(milliseconds{300});
  serve(with_http());
  const Outcome ended = run.wait(seconds{120});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(http("GET", "/metrics"),
              Not(HasSubstr("autokernel_trials_ended_total{state=\"done\"} 2")));
}

TEST_F(Judge, GentlyStoppedItFinishesWhatIsUnderWay) {
  serve(with_http());
  edit(kernel(kSlow));
  RunningProgram run(autokernel({"bench", "--device", device(), "--size", "check"}));
  for (int i = 0; i < 300 && http_json(200, "GET", "/v1/status").at("running") == 0; ++i)
    std::this_thread::sleep_for(milliseconds{50});
  EXPECT_EQ(stop(SIGTERM).code, 0);
  EXPECT_EQ(run.wait(seconds{30}).code, 0);
}

TEST_F(Judge, TakesTrialsByHttp) {
  serve(with_http());
  const json cases = http_json(200, "GET", "/v1/cases");
  ASSERT_THAT(cases, SizeIs(1));
  EXPECT_EQ(cases.at(0).at("name"), "kernels");
  const json taken = http_json(202, "POST", "/v1/trials", trial(kernel(kFastest)));
  const std::string url = taken.at("url");
  const json done = http_json(200, "GET", url + "?timeout=60");
  EXPECT_EQ(done.at("state"), "done") << done;
  EXPECT_EQ(done.at("result").at("verdict"), "correct");
  EXPECT_GT(done.at("result").at("median_us"), 0.0);
  EXPECT_EQ(done.at("attempts"), 1);
  const json wrong = http_json(202, "POST", "/v1/trials", trial(wrong_kernel()));
  const json verdict = http_json(200, "GET", wrong.at("url").get<std::string>() + "?timeout=60");
  EXPECT_EQ(verdict.at("result").at("verdict"), "incorrect");
  json against = json::parse(trial(kernel(kFastest)));
  against["against"] = {{"source", kernel(kSlow)}};
  const json faster = http_json(202, "POST", "/v1/trials", against.dump());
  const json compared = http_json(200, "GET", faster.at("url").get<std::string>() + "?timeout=60");
  EXPECT_EQ(compared.at("result").at("comparison").at("outcome"), "faster") << compared;
  EXPECT_EQ(http_json(200, "GET", "/health", "", "").at("status"), "ok");
  // The same key is the same trial, and no other.
  json named = json::parse(trial(kernel(kFastest)));
  named["key"] = "mine";
  const json first = http_json(202, "POST", "/v1/trials", named.dump());
  EXPECT_EQ(http_json(202, "POST", "/v1/trials", named.dump()).at("id"), first.at("id"));
  named["source"] = kernel(kSlow);
  http_json(409, "POST", "/v1/trials", named.dump());
}

TEST_F(Judge, HttpTellsNobodyOfOthersTrials) {
  serve(with_http());
  const json taken = http_json(202, "POST", "/v1/trials", trial(kernel(kFastest)));
  const std::string url = taken.at("url");
  http_json(404, "GET", url, "", kBob);
  http_json(404, "DELETE", url, "", kBob);
  http_json(401, "GET", url, "", "");
  http_json(401, "GET", "/v1/cases", "", "no-such-token-at-all-0");
  EXPECT_EQ(http_json(200, "GET", url + "?timeout=60").at("state"), "done");
}

TEST_F(Judge, BadRequestsAreAnsweredInOneSentence) {
  serve(with_http({"--rate", "3"}));
  const auto detail = [&](int status, const std::string& method, const std::string& path,
                          const std::string& body) {
    const json answer = http_json(status, method, path, body);
    return answer.is_object() ? answer.value("detail", "") : std::string();
  };
  EXPECT_THAT(detail(400, "POST", "/v1/trials", "{"), HasSubstr("JSON"));
  EXPECT_THAT(detail(400, "POST", "/v1/trials", std::string(1000, '[')), HasSubstr("body"));
  EXPECT_THAT(detail(422, "POST", "/v1/trials", "{}"), HasSubstr("'case'"));
  EXPECT_THAT(detail(404, "POST", "/v1/trials", R"({"case":"x","source":""})"),
              HasSubstr("/v1/cases"));
  EXPECT_THAT(detail(422, "POST", "/v1/trials", R"({"case":"kernels","source":"x","size":"huge"})"),
              HasSubstr("huge"));
  EXPECT_THAT(detail(422, "POST", "/v1/trials",
                     R"({"case":"kernels","source":"x","device":"ssh://x/cuda"})"),
              HasSubstr("device"));
  EXPECT_THAT(detail(404, "GET", "/v1/trials/77", ""), HasSubstr("no such trial"));
  EXPECT_THAT(detail(422, "GET", "/v1/trials/77?timeout=soon", ""), HasSubstr(""));
  EXPECT_THAT(detail(404, "GET", "/nothing", ""), HasSubstr("GET /"));
  EXPECT_THAT(detail(413, "POST", "/v1/trials", "@9437184"), HasSubstr("body"));
  EXPECT_THAT(detail(405, "POST", "/v1/trials/77", "{}"), HasSubstr("it takes GET, DELETE"));
  EXPECT_THAT(detail(422, "POST", "/v1/trials", R"({"case":"kernels","sauce":""})"),
              AllOf(HasSubstr("'sauce'"), HasSubstr("source")));
  EXPECT_THAT(
      detail(422, "POST", "/v1/trials", R"({"case":"kernels","source":"x","deadline_seconds":-1})"),
      HasSubstr("deadline_seconds"));
  EXPECT_EQ(http("HEAD", "/health", "", ""), "200\n");
  // Nobody's bytes are taken without a token.
  http_json(401, "POST", "/health", "@1000000", "");
  // The rate: three at once, then one in 20 seconds.
  for (int i = 0; i < 3; ++i) http_json(202, "POST", "/v1/trials", trial(kernel(kFastest + i)));
  EXPECT_THAT(detail(429, "POST", "/v1/trials", trial(kernel(1))), HasSubstr("minute"));
  EXPECT_EQ(http_json(202, "POST", "/v1/trials", trial(kernel(1)), kBob).at("state"), "queued");
}

TEST_F(Judge, WrongOptionsAreRefused) {
  for (const auto& [options, words] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--listen", "127.0.0.1:0"}, "--tokens"},
           {{"--tokens", "tokens"}, "--listen"},
           {{"--devices", "judge"}, "another judge"},
           {{"--devices", "gpu"}, "gpu"},
           {{"--devices", "0*cpu"}, "0*cpu"},
           {{"--cases", "/no/such/folder"}, "no such folder"},
           {{"--socket", "/no/such/folder/socket"}, "cannot listen"},
           {{"--keep-days", "0"}, "--keep-days"},
           {{"--rate", "0"}, "--rate"}}) {
    const Outcome refused = test::run(judge(options));
    EXPECT_NE(refused.code, 0);
    EXPECT_THAT(refused.err, HasSubstr(words));
    EXPECT_THAT(refused.err, Not(HasSubstr("internal")));
  }
}

}  // namespace
}  // namespace autokernel::test
