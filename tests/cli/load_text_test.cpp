#include "cli/load_text.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace autokernel::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

LoadReport made_up_report() {
  LoadReport report;
  report.settings.url = "http://127.0.0.1:8000";
  report.settings.model = "mock";
  report.settings.concurrency = 4;
  lab::LoadFigures& figures = report.figures;
  figures.requests = 100;
  figures.succeeded = 98;
  figures.failures = {{"stalled", 2}};
  figures.seconds = 12.5;
  figures.tokens_counted_by = "usage";
  figures.input_tokens = 1280;
  figures.output_tokens = 4900;
  figures.requests_per_second = {.value = 7.84, .low = 7.5, .high = 8.2};
  figures.output_tokens_per_second = {.value = 392, .low = {}, .high = {}};
  figures.ttft.count = 98;
  figures.ttft.mean = {.value = 0.2, .low = 0.199, .high = 0.201};
  figures.ttft.p99 = {.value = 1.25, .low = 1.2, .high = {}};
  figures.findings = {{.kind = "stalled", .text = "2 of 100 requests"}};
  figures.unclean = {"found of the server: stalled"};
  return report;
}

TEST(LoadText, HasALineForEachFigure) {
  const std::string text = load_text(made_up_report());
  EXPECT_THAT(text, HasSubstr("server:           http://127.0.0.1:8000, model mock\n"));
  EXPECT_THAT(text, HasSubstr("load:             closed loop, 4 at once\n"));
  EXPECT_THAT(text, HasSubstr("requests:         100, 98 answered, 2 stalled\n"));
  EXPECT_THAT(text, HasSubstr("7.84 requests/s (95 %: 7.50 to 8.20)\n"));
  EXPECT_THAT(text, HasSubstr("392.00 output tokens/s\n"));
  EXPECT_THAT(text, HasSubstr("finding:          stalled: 2 of 100 requests\n"));
  EXPECT_THAT(text, HasSubstr("clean:            no\n"));
  EXPECT_THAT(text, HasSubstr("unclean:          found of the server: stalled\n"));
  EXPECT_THAT(text, Not(HasSubstr("goodput")));
}

TEST(LoadText, HasATableOfTheLatenciesThatWereMeasured) {
  const std::string text = load_text(made_up_report());
  EXPECT_THAT(text, HasSubstr("\nms    ttft\n"));
  EXPECT_THAT(text, HasSubstr("\nmean  200.00 (199.00 to 201.00)\n"));
  EXPECT_THAT(text, HasSubstr("\np99   1250.0 (1200.0 to -)\n"));
}

TEST(LoadText, NamesAnOpenLoopAndItsGoodput) {
  LoadReport report = made_up_report();
  report.settings.rate = 20;
  report.figures.offered_rate = 20.5;
  report.figures.goodput = {.share = 0.5, .per_second = 3.92, .missed = {{"ttft", 3}}};
  const std::string text = load_text(report);
  EXPECT_THAT(text, HasSubstr("open loop, 20 requests/s, Poisson arrivals (20.50 were drawn)\n"));
  EXPECT_THAT(text, HasSubstr("3.92 requests/s, 50.0 % of all; 3 missed ttft\n"));
}

TEST(LoadText, HasNoTableWithoutAnswers) {
  LoadReport report = made_up_report();
  report.figures.succeeded = 0;
  EXPECT_THAT(load_text(report), Not(HasSubstr("\nms ")));
}

TEST(LoadJson, IsOneObjectInMilliseconds) {
  const nlohmann::json object = nlohmann::json::parse(load_json(made_up_report()));
  EXPECT_EQ(object.at("schema_version"), 1);
  EXPECT_EQ(object.at("failures").at("stalled"), 2);
  EXPECT_DOUBLE_EQ(object.at("ttft_ms").at("mean").at("value"), 200);
  EXPECT_DOUBLE_EQ(object.at("ttft_ms").at("p99").at("low"), 1200);
  EXPECT_TRUE(object.at("ttft_ms").at("p99").at("high").is_null());
  EXPECT_TRUE(object.at("itl_ms").is_null());
  EXPECT_TRUE(object.at("rate").is_null());
  EXPECT_EQ(object.at("findings")[0].at("kind"), "stalled");
  EXPECT_EQ(object.at("clean"), false);
  EXPECT_THAT(object.at("unclean"), ElementsAre("found of the server: stalled"));
}

}  // namespace
}  // namespace autokernel::cli
