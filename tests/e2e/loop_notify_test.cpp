// Who is told what a run does, and what its record says of that.
#include <gmock/gmock.h>

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>

#include "e2e/command_workplace.h"
#include "e2e/workplace.h"
#include "support/http_server.h"

namespace autokernel::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class LoopNotify : public CommandWorkplace {
 protected:
  // A step whose user is told at that address; what it prints has no word of the address.
  [[nodiscard]] Outcome step_told(const HttpServer& server, const std::string& program,
                                  const std::vector<std::string>& more = {}) const {
    repository_.write(kProgram, program);
    std::vector<std::string> arguments = {"loop", "step", "-m", "an idea"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return told(server, arguments);
  }
  [[nodiscard]] Outcome told(const HttpServer& server,
                             const std::vector<std::string>& arguments) const {
    const Outcome run = run_with({{"AUTOKERNEL_NOTIFY_URL", server.url("/hush")},
                                  {"AUTOKERNEL_NOTIFY_KIND", "json"},
                                  {"AUTOKERNEL_NOTIFY_SECRET", "sixteen letters or more"}},
                                 arguments);
    EXPECT_THAT(run.out + run.err, Not(testing::AnyOf(HasSubstr("hush"), HasSubstr("sixteen"))));
    return run;
  }
  [[nodiscard]] nlohmann::json record_of(int number) const {
    return nlohmann::json::parse(done({"show", std::to_string(number), "--json"})).at("webhook");
  }
  // Of what is read again until it is known: the sender adds it after the answer.
  [[nodiscard]] static std::string eventual_status(const std::function<nlohmann::json()>& read) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    std::string status;
    do {
      status = read().at("webhook_status").get<std::string>();
    } while (status == "pending" && std::chrono::steady_clock::now() < deadline);
    return status;
  }
};

TEST_F(LoopNotify, TellsOfWhatWasKept) {
  const HttpServer server({{.answer = http_answer(200)}});
  start();
  ASSERT_EQ(step_told(server, program("99.9")).code, 10);
  EXPECT_THAT(server.requests(), IsEmpty());
  EXPECT_EQ(record_of(1).at("webhook_enabled_by_config"), true);
  EXPECT_EQ(record_of(1).at("webhook_expected"), false);
  ASSERT_EQ(step_told(server, program("80")).code, 0);
  EXPECT_EQ(record_of(2).at("webhook_expected"), true);
  // A step does not wait for it; a finish does.
  ASSERT_EQ(told(server, {"loop", "finish", "--processes", "2"}).code, 0);
  const auto requests = server.wait_for(2);
  ASSERT_THAT(requests, SizeIs(2));
  EXPECT_THAT(requests[0].body, HasSubstr(R"("event":"kept")"));
  EXPECT_THAT(requests[1].body, HasSubstr(R"("event":"finish")"));
  EXPECT_THAT(requests[1].body, HasSubstr(R"("name":"progress.png")"));
}

TEST_F(LoopNotify, ShowsWhatBecameOfItsMessages) {
  const HttpServer server({{.answer = http_answer(403)}, {.answer = http_answer(200)}});
  start();
  ASSERT_EQ(step_told(server, program("80")).code, 0);
  ASSERT_THAT(server.wait_for(1), SizeIs(1));
  EXPECT_EQ(eventual_status([&] { return record_of(1); }), "refused: HTTP 403");
  EXPECT_EQ(record_of(1).at("webhook_attempted"), true);
  EXPECT_EQ(record_of(1).at("webhook_sent"), false);
  EXPECT_THAT(done({"log", "--json"}), HasSubstr("refused: HTTP 403"));
  ASSERT_EQ(told(server, {"loop", "finish", "--processes", "2"}).code, 0);
  const auto confirmed = [&] {
    return nlohmann::json::parse(done({"loop", "status", "--json"})).at("confirmed").at("webhook");
  };
  EXPECT_EQ(eventual_status(confirmed), "sent");
  EXPECT_EQ(confirmed().at("webhook_sent"), true);
  // The record itself is as it was written.
  const std::string ledger = repository_.read(".autokernel/ledger.jsonl");
  EXPECT_THAT(ledger, HasSubstr(R"("webhook_status":"pending")"));
  EXPECT_THAT(ledger, Not(HasSubstr("refused: HTTP 403")));
  EXPECT_EQ(value_of("verdict", done({"verify-run", "--processes", "2", "--allow"})), "holds");
}

TEST_F(LoopNotify, SaysAMetricWithItsUnitAndDirection) {
  const HttpServer server({{.answer = http_answer(200)}});
  change_case("json = \"/value\"", "json = \"/value\"\nunit = \"points\"\nbetter = \"higher\"");
  start();
  ASSERT_EQ(step_told(server, program("250")).code, 0);
  ASSERT_EQ(told(server, {"loop", "finish", "--processes", "2"}).code, 0);
  const auto requests = server.wait_for(2);
  ASSERT_THAT(requests, SizeIs(2));
  const auto kept = nlohmann::json::parse(requests[0].body);
  EXPECT_THAT(kept.at("text").get<std::string>(),
              HasSubstr("value 250 points, +150.00 %, 2.500 times the baseline"));
  EXPECT_TRUE(kept.at("time_us").is_null());
  nlohmann::json metric = kept.at("metric");
  EXPECT_NEAR(metric.at("value").get<double>(), 250, 1e-9);
  metric.erase("value");
  EXPECT_EQ(metric.dump(),
            R"({"baseline":100.0,"better":"higher","name":"value","unit":"points"})");
  const auto finished = nlohmann::json::parse(requests[1].body);
  EXPECT_THAT(finished.at("text").get<std::string>(),
              HasSubstr("value 250 points, 2.500 times the baseline"));
  EXPECT_THAT(repository_.git("log", "-1", "--format=%b", "autokernel/demo-kept"),
              testing::StartsWith("value 250 points, +150.00 % (95 %: +150.00 % to +150.00 %, "));
}

TEST_F(LoopNotify, SaysAMetricOfWhichLessIsBetter) {
  const HttpServer server({{.answer = http_answer(200)}});
  start();
  ASSERT_EQ(step_told(server, program("60")).code, 0);
  const auto requests = server.wait_for(1);
  ASSERT_THAT(requests, SizeIs(1));
  EXPECT_THAT(nlohmann::json::parse(requests[0].body).at("text").get<std::string>(),
              HasSubstr("value 60, -40.00 %, 0.600 times the baseline"));
}

TEST_F(LoopNotify, TellsNobodyWhereThatIsWanted) {
  const HttpServer server({{.answer = http_answer(200)}});
  start();
  ASSERT_EQ(step_told(server, program("80"), {"--no-notify"}).code, 0);
  EXPECT_EQ(record_of(1).at("webhook_disabled_by_flag"), true);
  EXPECT_EQ(record_of(1).at("webhook_expected"), false);
  ASSERT_EQ(told(server, {"loop", "finish", "--processes", "2", "--no-notify"}).code, 0);
  EXPECT_THAT(server.requests(), IsEmpty());
}

TEST_F(LoopNotify, IsNotDelayedByAServerThatHangs) {
  const HttpServer server({{.answer = "", .hangs = true}});
  start();
  const Outcome kept = step_told(server, program("80"));
  EXPECT_EQ(kept.code, 0);
  EXPECT_LT(kept.seconds, 30);
}

TEST_F(LoopNotify, TellsNoProgramWhereItIs) {
  const HttpServer server({{.answer = http_answer(200)}});
  start();
  EXPECT_EQ(step_told(server, program("80", "if env | grep -q NOTIFY; then exit 3; fi")).code, 0);
}

}  // namespace
}  // namespace autokernel::test
