// Figures and findings of runs that are made up.
#include <gmock/gmock.h>

#include "autokernel/lab/load_figures.h"
#include "support/present.h"

namespace autokernel::lab {
namespace {

using test::present;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Answered after 0.2 s, with ten tokens of 20 ms.
RequestOutcome answered(double at) {
  RequestOutcome outcome;
  outcome.scheduled = outcome.sent = at;
  outcome.first = at + 0.2;
  outcome.last = at + 0.38;
  outcome.ended = at + 0.38;
  outcome.gaps.assign(9, 0.02F);
  outcome.asked_tokens = outcome.pieces = outcome.words = 10;
  outcome.bytes = 70;
  outcome.usage_input = 4;
  outcome.usage_output = 10;
  outcome.finish_reason = "length";
  return outcome;
}

LoadRun run_of(std::size_t requests) {
  LoadRun run;
  run.began = 100;
  for (std::size_t i = 0; i < requests; ++i) {
    run.requests.push_back(answered(run.began + 0.5 * static_cast<double>(i)));
    run.requests.back().index = i;
  }
  run.ended = run.began + 0.5 * static_cast<double>(requests);
  return run;
}

LoadFigures figures(const LoadRun& run, TokenCount count = TokenCount::usage,
                    const std::optional<Objectives>& objectives = {}) {
  return figures_of(run, LoadSettings(), count, objectives);
}

std::vector<std::string> kinds(const LoadFigures& figures) {
  std::vector<std::string> all;
  for (const LoadFinding& finding : figures.findings) all.push_back(finding.kind);
  return all;
}

TEST(LoadFigures, AreLatenciesAndRates) {
  const LoadFigures all = figures(run_of(100));
  EXPECT_NEAR(all.ttft.mean.value, 0.2, 1e-9);
  EXPECT_NEAR(all.tpot.p50.value, 0.02, 1e-9);
  EXPECT_NEAR(all.itl.p99.value, 0.02, 1e-7);
  EXPECT_EQ(all.itl.count, 900U);
  EXPECT_NEAR(all.e2e.mean.value, 0.38, 1e-9);
  EXPECT_DOUBLE_EQ(all.requests_per_second.value, 2);
  EXPECT_DOUBLE_EQ(all.output_tokens_per_second.value, 20);
  EXPECT_NEAR(present(all.requests_per_second.low), 2, 0.2);
  EXPECT_EQ(all.input_tokens, 400U);
  EXPECT_EQ(all.tokens_counted_by, "usage");
  EXPECT_THAT(all.findings, IsEmpty());
  EXPECT_THAT(all.unclean, IsEmpty());
}

TEST(LoadFigures, CountFromWhenARequestWasScheduled) {
  LoadRun run = run_of(10);
  for (RequestOutcome& outcome : run.requests) outcome.scheduled -= 0.1;
  EXPECT_NEAR(figures(run).ttft.mean.value, 0.3, 1e-9);
  EXPECT_NEAR(figures(run).e2e.mean.value, 0.48, 1e-9);
}

TEST(LoadFigures, LeaveOutWhatFailed) {
  LoadRun run = run_of(10);
  run.requests[0].failure = LoadFailure::http_status;
  run.requests[0].detail = "status 500";
  const LoadFigures all = figures(run);
  EXPECT_EQ(all.succeeded, 9U);
  EXPECT_EQ(all.failures.at("http_status"), 1U);
  EXPECT_EQ(all.ttft.count, 9U);
  EXPECT_THAT(kinds(all), ElementsAre("http_status"));
  EXPECT_THAT(all.findings[0].text, HasSubstr("1 of 10 requests: status 500"));
}

TEST(LoadFigures, AreUncleanWhereRequestsOfAnOpenLoopWereSentLate) {
  LoadRun run = run_of(50);
  for (RequestOutcome& outcome : run.requests) outcome.scheduled -= 0.002;
  LoadSettings settings;
  settings.rate = 2;
  const LoadFigures all = figures_of(run, settings, TokenCount::usage, {});
  EXPECT_NEAR(all.lateness_p99, 0.002, 1e-9);
  EXPECT_THAT(all.unclean, ElementsAre(HasSubstr("sent more than 2.0 ms late")));
}

TEST(LoadFigures, AreUncleanWhereTheGeneratorWasBusy) {
  LoadRun run = run_of(10);
  run.cpu_seconds = 4.9;
  run.handled_events = 100;
  run.late_events = 5;
  EXPECT_THAT(figures(run).unclean, ElementsAre(HasSubstr("5.0 % of what came was handled"),
                                                HasSubstr("used 0.98 cores")));
}

TEST(LoadFigures, CountWordsOrPiecesWhereThereIsNoUsage) {
  LoadRun run = run_of(2);
  run.requests[0].usage_output.reset();
  run.requests[0].words = 16;
  EXPECT_EQ(figures(run).output_tokens, 26U);
  EXPECT_EQ(figures(run).tokens_counted_by, "usage, and words or pieces");
  run.requests[0].words = 1;  // of a language without blanks
  run.requests[0].pieces = 12;
  EXPECT_EQ(figures(run).output_tokens, 22U);
  EXPECT_EQ(figures(run, TokenCount::words).tokens_counted_by, "words");
}

TEST(Goodput, IsOfRequestsThatKeepAllObjectives) {
  LoadRun run = run_of(4);
  run.requests[0].scheduled -= 1;
  run.requests[1].gaps[3] = 0.5F;
  run.requests[2].failure = LoadFailure::refused;
  const LoadFigures all =
      figures(run, TokenCount::usage, Objectives::parse("ttft=250ms,tpot=30ms,itl=100ms,e2e=1s"));
  const Goodput& goodput = present(all.goodput);
  EXPECT_DOUBLE_EQ(goodput.share, 0.25);
  EXPECT_DOUBLE_EQ(goodput.per_second, 0.5);
  EXPECT_EQ(goodput.missed.at("ttft"), 1U);
  EXPECT_EQ(goodput.missed.at("e2e"), 1U);
  EXPECT_EQ(goodput.missed.at("itl"), 1U);
}

TEST(LoadFindings, NameUsageOfMoreTokensThanWereAskedFor) {
  LoadRun run = run_of(10);
  run.requests[3].usage_output = 15;
  const LoadFigures all = figures(run);
  EXPECT_THAT(kinds(all), ElementsAre("usage"));
  EXPECT_THAT(all.findings[0].text,
              HasSubstr("wrong in 1 of 10 answers: 15 tokens, where 10 were requested"));
  EXPECT_THAT(all.unclean, ElementsAre("found of the server: usage"));
}

TEST(LoadFindings, NameUsageOfFewerTokensThanPieces) {
  LoadRun run = run_of(10);
  run.requests[3].usage_output = 5;
  EXPECT_THAT(kinds(figures(run)), ElementsAre("usage"));
}

TEST(LoadFindings, NameUsageThatWordsBelie) {
  LoadRun run = run_of(10);
  run.requests[3].usage_output = 9;
  EXPECT_THAT(kinds(figures(run)), IsEmpty());
  EXPECT_THAT(kinds(figures(run, TokenCount::words)), ElementsAre("usage"));
}

TEST(LoadFindings, NameUsageThatNoTokenizerExplains) {
  LoadRun run = run_of(10);
  run.requests[3].pieces = 2;
  run.requests[3].bytes = 5;
  EXPECT_THAT(figures(run).findings[0].text, HasSubstr("10 tokens in a text of 5 bytes"));
  run.requests[3].bytes = 5000;
  EXPECT_THAT(figures(run).findings[0].text, HasSubstr("10 tokens for a text of 5000 bytes"));
}

TEST(LoadFindings, NameAnAnswerCache) {
  LoadRun run = run_of(10);
  for (std::size_t i = 5; i < 10; ++i) {
    run.requests[i].repeated = true;
    run.requests[i].first = run.requests[i].last = run.requests[i].sent + 0.001;
  }
  EXPECT_THAT(kinds(figures(run)), ElementsAre("answer_cache"));
}

TEST(LoadFindings, NameAPrefixCache) {
  LoadRun run = run_of(10);
  for (std::size_t i = 5; i < 10; ++i) {
    run.requests[i].repeated = true;
    run.requests[i].first = run.requests[i].sent + 0.05;
  }
  EXPECT_THAT(figures(run).findings[0].kind, "prefix_cache");
}

TEST(LoadFindings, NameAnswersMuchSlowerThanTheOthers) {
  LoadRun run = run_of(10);
  run.requests[4].last = present(run.requests[4].first) + 0.9;
  const LoadFigures all = figures(run);
  EXPECT_THAT(kinds(all), ElementsAre("slow"));
  EXPECT_THAT(all.findings[0].text, HasSubstr("1 of 10 answers"));
}

TEST(OutcomeLine, IsJsonWithNullForWhatDidNotHappen) {
  RequestOutcome outcome;
  outcome.failure = LoadFailure::refused;
  outcome.detail = "not there";
  const std::string line = outcome_line(outcome);
  EXPECT_THAT(line, HasSubstr(R"("first":null)"));
  EXPECT_THAT(line, HasSubstr(R"("failure":"refused","detail":"not there")"));
  EXPECT_THAT(outcome_line(answered(1)), HasSubstr(R"("gaps_ms":[20.0,20.0,)"));
  EXPECT_THAT(outcome_line(answered(1)), Not(HasSubstr("refused")));
}

}  // namespace
}  // namespace autokernel::lab
