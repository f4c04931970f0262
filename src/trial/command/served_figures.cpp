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

}  // namespace

std::string served_figures(const cases::ServerPlan& plan, ServedAnswers answers,
                           const ServedAnswers& reference) {
  for (std::size_t i = 0; i < answers.load.requests.size(); ++i)
    answers.load.requests[i].usage_output = reference.load.requests.at(i).usage_output;
  lab::LoadSettings settings;
  settings.concurrency = plan.concurrency;
  settings.rate = plan.rate;
  const lab::LoadFigures figures =
      lab::figures_of(answers.load, settings, lab::TokenCount::usage, std::nullopt);
  const json object = {{"ttft", quantiles_of(figures.ttft)},
                       {"tpot", quantiles_of(figures.tpot)},
                       {"itl", quantiles_of(figures.itl)},
                       {"e2e", quantiles_of(figures.e2e)},
                       {"requests_per_second", figures.requests_per_second.value},
                       {"output_tokens_per_second", figures.output_tokens_per_second.value},
                       {"seconds", figures.seconds},
                       {"unclean", figures.unclean}};
  return object.dump() + "\n";
}

}  // namespace autokernel::trial
