#include <cstddef>
#include <nlohmann/json.hpp>

#include "autokernel/lab/load_figures.h"
#include "trial/command/served_answers.h"

namespace autokernel::trial {
namespace {

using nlohmann::json;

[[nodiscard]] json quantiles_of(const lab::LatencyFigures& figures) {
  return {{"mean", figures.mean.value},
          {"p50", figures.p50.value},
          {"p90", figures.p90.value},
          {"p95", figures.p95.value},
          {"p99", figures.p99.value}};
}

// The first token has come when as much text has as the reference's first piece holds: whatever
// every answer begins with, a server may send before it has computed anything.
void count_from_first_token(lab::RequestOutcome& outcome, const lab::RequestOutcome& reference) {
  if (reference.text_bytes.empty() || !outcome.first) return;
  std::size_t early = 0;  // pieces that do not complete it
  while (early + 1 < outcome.text_bytes.size() &&
         outcome.text_bytes[early] < reference.text_bytes.front())
    ++early;
  for (std::size_t i = 0; i < early; ++i) *outcome.first += static_cast<double>(outcome.gaps.at(i));
  outcome.gaps.erase(outcome.gaps.begin(),
                     outcome.gaps.begin() + static_cast<std::ptrdiff_t>(early));
}

[[nodiscard]] json figures_of(const cases::LoadPlan& plan, lab::LoadRun run,
                              const lab::LoadRun& reference) {
  for (std::size_t i = 0; i < run.requests.size(); ++i) {
    run.requests[i].usage_output = reference.requests.at(i).usage_output;
    count_from_first_token(run.requests[i], reference.requests.at(i));
  }
  lab::LoadSettings settings;
  settings.concurrency = plan.concurrency;
  settings.rate = plan.rate;
  const lab::LoadFigures figures =
      lab::figures_of(run, settings, lab::TokenCount::usage, std::nullopt);
  return {{"ttft", quantiles_of(figures.ttft)},
          {"tpot", quantiles_of(figures.tpot)},
          {"itl", quantiles_of(figures.itl)},
          {"e2e", quantiles_of(figures.e2e)},
          {"requests_per_second", figures.requests_per_second.value},
          {"output_tokens_per_second", figures.output_tokens_per_second.value},
          {"seconds", figures.seconds},
          {"unclean", figures.unclean}};
}

}  // namespace

std::string served_figures(const cases::ServerPlan& plan, ServedAnswers answers,
                           const ServedAnswers& reference) {
  json all = figures_of(plan.load, std::move(answers.load), reference.load);
  for (std::size_t i = 0; i < plan.suites.size(); ++i)
    all["suites"][plan.suites[i].name] =
        figures_of(plan.suites[i].load, std::move(answers.suites.at(i)), reference.suites.at(i));
  return all.dump() + "\n";
}

}  // namespace autokernel::trial
