#include "cli/case/command_description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <variant>

#include "autokernel/base/document_json.h"
#include "autokernel/base/visible_text.h"
#include "cli/case/description.h"
#include "cli/key_lines.h"

namespace autokernel::cli {
namespace {

using document::Json;

constexpr int kCommandSchemaVersion = 1;

[[nodiscard]] std::string source_text(const cases::Metric& metric) {
  struct Text {
    [[nodiscard]] static std::string place(const std::string& file, bool is_of_check) {
      if (!file.empty()) return file;
      return is_of_check ? "what the check prints" : "what the run prints";
    }
    bool is_of_check;
    std::string operator()(const cases::JsonNumber& source) const {
      return fmt::format("{}{} of the JSON in {}",
                         source.pointers.size() > 1 ? "geometric mean of " : "",
                         fmt::join(source.pointers, ", "), place(source.file, is_of_check));
    }
    std::string operator()(const cases::NumberInLine& source) const {
      return fmt::format("the number that '{}' fits in {}", source.pattern,
                         place(source.file, is_of_check));
    }
    std::string operator()(const cases::WallTime& /*source*/) const {
      return "seconds from the start of the run to its end";
    }
    std::string operator()(const cases::CpuTime& /*source*/) const {
      return "seconds of processor time of the run";
    }
  };
  return std::visit(Text{metric.is_of_check}, metric.source);
}

[[nodiscard]] std::string metric_line(const cases::Metric& metric) {
  return fmt::format("{}{}, {} is better: {}", metric.name,
                     metric.unit.empty() ? "" : " in " + metric.unit, spelling(metric.better),
                     source_text(metric));
}

[[nodiscard]] std::string listed(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

[[nodiscard]] Json json_of(const cases::Metric& metric) {
  return {{"name", metric.name},
          {"unit", metric.unit},
          {"better", spelling(metric.better)},
          {"source", source_text(metric)}};
}

[[nodiscard]] std::string text_of_load(const cases::LoadPlan& load) {
  return fmt::format("{} requests of {} for {} tokens, {}", load.requests,
                     load.prompts.empty() ? load.input_tokens + " words" : load.prompts,
                     load.output_tokens,
                     load.rate ? fmt::format("{:g} per second", *load.rate)
                               : fmt::format("{} at a time", load.concurrency));
}

}  // namespace

std::string command_description_text(const cases::Case& problem) {
  const cases::CommandPlan plan = problem.command.value_or(cases::CommandPlan{});
  KeyLines lines;
  lines.add("case", problem.name);
  lines.add("problem", problem.problem);
  lines.add("editable", editable_text(problem));
  lines.add_unless_empty("build", plan.build);
  lines.add_unless_empty("run", plan.run);
  if (plan.server) {
    lines.add("server", plan.server->start);
    lines.add("reference_server", plan.server->reference);
    lines.add("restart", plan.server->is_kept ? "for each experiment" : "for each run");
    lines.add("load", text_of_load(plan.server->load));
    for (const cases::SuitePlan& suite : plan.server->suites)
      lines.add("suite", fmt::format("{}: {}", suite.name, text_of_load(suite.load)));
  }
  lines.add_unless_empty("check", plan.check);
  lines.add_unless_empty("outputs", listed(plan.outputs));
  lines.add_unless_empty("hidden", listed(plan.hidden));
  lines.add("metric", metric_line(plan.metric));
  lines.add("min_gain_pct", 100 * plan.min_gain, 2);
  for (const cases::GuardedMetric& guard : plan.guards)
    lines.add("guard", fmt::format("{}; at most {:g} % worse", metric_line(guard.metric),
                                   100 * guard.most_loss));
  lines.add("budget_seconds", fmt::format("{:g}", plan.budget_seconds));
  lines.add("network", plan.network ? "yes" : "no");
  if (plan.gpus > 0) lines.add("gpus", std::to_string(plan.gpus));
  return lines.take();
}

std::string command_description_json(const cases::Case& problem) {
  const cases::CommandPlan plan = problem.command.value_or(cases::CommandPlan{});
  Json guards = Json::array();
  for (const cases::GuardedMetric& guard : plan.guards) {
    Json one = json_of(guard.metric);
    one["most_loss"] = guard.most_loss;
    guards.push_back(std::move(one));
  }
  const Json object = {{"schema_version", kCommandSchemaVersion},
                       {"kind", "command"},
                       {"name", problem.name},
                       {"problem", problem.problem},
                       {"editable", editable_text(problem)},
                       {"build", plan.build},
                       {"run", plan.run},
                       {"check", plan.check},
                       {"outputs", plan.outputs},
                       {"hidden", plan.hidden},
                       {"metric", json_of(plan.metric)},
                       {"guards", guards},
                       {"min_gain", plan.min_gain},
                       {"budget_seconds", plan.budget_seconds},
                       {"network", plan.network}};
  return document::line(object);
}

}  // namespace autokernel::cli
