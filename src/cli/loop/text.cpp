#include "cli/loop/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/ledger/time_scale.h"
#include "autokernel/trial/verdicts.h"
#include "cli/key_lines.h"
#include "cli/report.h"

namespace autokernel::cli {
namespace {

using document::Json;
using ledger::Experiment;
using loop::Status;

// Raised when a field changes its meaning or goes; a new field does not raise it.
constexpr int kStatusSchemaVersion = 1;

// An agent reads its status before every edit, so it stays below a kilobyte. Of the last ideas so
// many are told, and so much of each; where that is too much, less.
constexpr std::size_t kLargestStatus = 1000;
struct Room {
  std::size_t ideas;
  std::size_t longest;  // of the words on each, and again of those on why it failed
};
constexpr std::array<Room, 5> kRooms = {{{5, 60}, {5, 40}, {5, 20}, {3, 20}, {0, 20}}};
constexpr std::size_t kRecent = kRooms.front().ideas;
// Names, and sentences that hold names: with all of them at their longest and no ideas there is
// room left.
constexpr std::size_t kLongestName = 40;
constexpr std::size_t kLongestSentence = 80;
constexpr std::size_t kLongestNext = 160;

// Cut between characters, not within one.
[[nodiscard]] std::string shortened(const std::string& text, std::size_t longest) {
  if (text.size() <= longest) return text;
  std::size_t end = longest - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

[[nodiscard]] std::string short_id(const std::string& commit) { return commit.substr(0, 7); }

// What stands beside every time of the emulated device.
constexpr const char* kEmulated = "emulated";
constexpr const char* kEmulatedTimes = "these times rank kernels on this CPU, not on a GPU";

// What `loop finish` says of the gain that it has measured again.
[[nodiscard]] std::string finish_verdict(const ledger::RunFinished& headline) {
  const auto& gain = headline.over_baseline;
  if (!gain) return "not confirmed: the gain could not be measured";
  if (gain->low > 1) return "confirmed";
  if (gain->high < 1) {
    return headline.best_metric ? "not confirmed: the best is worse than the baseline"
                                : "not confirmed: the best kernel is slower than the baseline";
  }
  return "not confirmed: the interval includes 1";
}

// "-12.3 %" of the time, or of what the case is measured by.
[[nodiscard]] std::string change_of(const Experiment& experiment, int decimals) {
  if (!experiment.gain) return "-";
  const double change = ledger::after_gain(experiment, 1, experiment.gain->estimate) - 1;
  return fmt::format("{:+.{}f} %", 100 * change, decimals);
}

// "default x 1, large x 3"; empty: one size is all that counts.
[[nodiscard]] std::string score_text(const std::map<std::string, double>& score) {
  std::string text;
  for (const auto& [size, weight] : score)
    text += fmt::format("{}{} x {:g}", text.empty() ? "" : ", ", size, weight);
  return text;
}

// "default 4.102 us, large 8.341 us".
[[nodiscard]] std::string sizes_text(const std::vector<ledger::SizeFigures>& sizes) {
  std::string text;
  for (const ledger::SizeFigures& size : sizes) {
    text += fmt::format("{}{} {:.3f} us", text.empty() ? "" : ", ", size.size,
                        size.median_us.value_or(0));
  }
  return text;
}

[[nodiscard]] std::string left_of(const Status& status) {
  const ledger::Budget& budget = status.run.budget;
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (budget.max_runs) {
    add(fmt::format("{} experiments", std::max(0, *budget.max_runs - status.counts.experiments())));
  }
  if (budget.hours) add(fmt::format("{:.1f} h", std::max(0.0, *budget.hours - status.hours)));
  if (budget.no_progress) {
    add(fmt::format("{} without a gain", std::max(0, *budget.no_progress - status.streak)));
  }
  return text;
}

[[nodiscard]] std::string recent_line(const Experiment& experiment, std::size_t longest) {
  std::string text = fmt::format("{} {}", experiment.number, experiment.verdict);
  if (experiment.gain) text += " " + change_of(experiment, 1);
  text += ": " + shortened(experiment.description, longest);
  // Where there is a gain, the number says why.
  if (experiment.gain || experiment.reason.empty()) return text;
  const std::string reason = experiment.reason.substr(0, experiment.reason.find('\n'));
  return text + " (" + shortened(reason, longest) + ")";
}

[[nodiscard]] std::string recent_lines(const Status& status, const Room& room) {
  std::string lines;
  for (const Experiment& experiment : status.latest(room.ideas)) {
    lines += recent_line(experiment, room.longest);
    lines += '\n';
  }
  return lines;
}

[[nodiscard]] Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

[[nodiscard]] Json webhook_json(const std::optional<ledger::Webhook>& webhook) {
  if (!webhook) return {};
  return {{"webhook_enabled_by_config", webhook->webhook_enabled_by_config},
          {"webhook_disabled_by_flag", webhook->webhook_disabled_by_flag},
          {"webhook_expected", webhook->webhook_expected},
          {"webhook_attempted", webhook->webhook_attempted},
          {"webhook_sent", webhook->webhook_sent},
          {"webhook_status", webhook->webhook_status}};
}

[[nodiscard]] Json experiment_json(const Experiment& experiment) {
  return {{"number", experiment.number},
          {"commit", experiment.commit},
          {"description", experiment.description},
          {"status", ledger::spelling(experiment.status)},
          {"verdict", experiment.verdict},
          {"reason", experiment.reason.empty() ? Json() : Json(experiment.reason)},
          {"median_us", number_or_null(experiment.median_us)},
          {"value", experiment.metric ? Json(experiment.metric->value) : Json()},
          {"vs_reference", number_or_null(experiment.vs_reference)},
          {"gain", experiment.gain ? Json(experiment.gain->estimate) : Json()}};
}

[[nodiscard]] std::string status_text(const Status& status, const std::string& noise,
                                      const Room& room) {
  const Experiment& best = status.best;
  KeyLines lines;
  lines.add("run", fmt::format("{} on {}", shortened(status.run.tag, kLongestName),
                               shortened(status.run.branch, kLongestName)));
  lines.add("device", shortened(status.run.device_name, kLongestName));
  if (status.is_emulated()) lines.add(kEmulated, kEmulatedTimes);
  const std::optional<ledger::MetricValue>& metric = status.baseline.metric;
  if (metric) {
    lines.add("metric", fmt::format("{} ({} is better)", shortened(metric->name, kLongestName),
                                    metric->higher_is_better ? "higher" : "lower"));
    lines.add("baseline", metric_text(metric->value, metric->unit));
  }
  lines.add("baseline_us", status.baseline.median_us, 3);
  if (!status.experiments.empty()) {  // a ledger may have been cut
    lines.add("best", fmt::format("{} ({}): {}", best.number, short_id(best.commit),
                                  shortened(best.description, room.longest)));
  }
  const std::optional<double> best_figure = status.best_us();
  if (metric && best_figure) {
    lines.add("best_value", metric_text(*best_figure, metric->unit));
    lines.add("change", fmt::format("{:+.2f} %", 100 * (*best_figure / metric->value - 1)));
  } else if (!metric) {
    lines.add("best_us", status.best_us(), 3);
    if (const auto gain = status.gain_over_baseline()) lines.add("gain_pct", 100 * *gain, 2);
  }
  if (status.confirmed && status.confirmed->over_baseline) {
    lines.add("confirmed", metric ? times_as_good(*status.confirmed->over_baseline)
                                  : times_as_fast(*status.confirmed->over_baseline));
  }
  lines.add("vs_reference", best.vs_reference, 3);
  lines.add_unless_empty("score", shortened(score_text(status.run.score), kLongestSentence));
  lines.add("experiments",
            fmt::format("{} ({} kept, {} discarded, {} failed)", status.counts.experiments(),
                        status.counts.kept, status.counts.discarded, status.counts.failed));
  lines.add_count("streak", static_cast<std::uint64_t>(status.streak));
  lines.add_unless_empty("left", shortened(left_of(status), kLongestSentence));
  lines.add_unless_empty("noise", shortened(noise, kLongestSentence));
  lines.add_unless_empty("under_way", shortened(status.under_way, kLongestSentence));
  lines.add_unless_empty("recent", recent_lines(status, room));
  const std::string stop = status.why_stop();
  lines.add("should_continue", shortened(stop.empty() ? "yes" : "no: " + stop, kLongestSentence));
  lines.add("next", shortened(status.next(), kLongestNext));
  return lines.take();
}

// A rejected kernel is to be fixed or given up, and one that nothing could be said of to be tried
// again; for all else the run says what comes next.
[[nodiscard]] std::string next_of(const loop::Step& step) {
  const int number = step.experiment.number;
  if (step.result.verdict != trial::Verdict::correct) {
    return trial::finding(step.result).advice(step.result) +
           fmt::format(
               " ('autokernel diff {0}' shows the edit, 'autokernel "
               "restore {0}' puts it back)",
               number);
  }
  if (step.experiment.verdict == trial::finding(trial::Outcome::inconclusive).in_loop) {
    const auto& comparison = step.result.comparison;
    if (step.result.is_of_command && comparison) {
      return fmt::format(
          "{}measure it longer, 'autokernel restore {}', then 'autokernel loop step --again "
          "--longer 4 -m \"the same idea\"'; or continue from the best",
          trial::is_near_tie(*comparison) ? "near a tie: " : "", number);
    }
    return fmt::format(
        "try again when the machine is quieter: 'autokernel restore {}', then 'autokernel loop "
        "step --again -m \"the same idea\"'; or continue from the best",
        number);
  }
  return step.next;
}

}  // namespace

std::string experiment_heading(const std::optional<ledger::MetricValue>& metric) {
  return fmt::format("{:>4}  {:<7}  {:>12}  {:>9}  {:<16}  {}\n", "n", "commit",
                     metric ? visible_line(metric->name) : "time_us", "change", "verdict",
                     "description");
}

std::string experiment_line(const Experiment& experiment, const std::optional<double>& time_us) {
  const std::string time = !time_us            ? "-"
                           : experiment.metric ? metric_text(*time_us, "")
                                               : fmt::format("{:.3f}", *time_us);
  const std::string change = experiment.gain ? change_of(experiment, 2) : "-";
  return fmt::format("{:>4}  {:<7}  {:>12}  {:>9}  {:<16}  {}\n", experiment.number,
                     visible_line(experiment.commit.substr(0, 7)), time, change,
                     visible_line(experiment.verdict), visible_line(experiment.description));
}

std::string ablation_heading() {
  return fmt::format("{:>4}  {:>9}  {:>28}  {:<12}  {}\n", "n", "then", "now", "verdict",
                     "description");
}

std::string ablation_line(const Experiment& experiment, const ledger::Ablation& ablation) {
  const auto change = [&](double gain) {
    return fmt::format("{:+.2f}", 100 * (ledger::after_gain(experiment, 1, gain) - 1));
  };
  std::string now = "-";
  if (const auto& gain = ablation.gain)
    now = fmt::format("{} % ({} to {})", change(gain->estimate), change(gain->high),
                      change(gain->low));
  std::string line =
      fmt::format("{:>4}  {:>9}  {:>28}  {:<12}  {}\n", ablation.number,
                  experiment.gain ? change(experiment.gain->estimate) + " %" : "-", now,
                  visible_line(ablation.verdict), visible_line(experiment.description));
  // Without a gain the sentence is what there is to say.
  if (!ablation.gain) line += fmt::format("      {}\n", visible_line(ablation.reason));
  return line;
}

std::string step_text(const loop::Step& step) {
  const Experiment& experiment = step.experiment;
  const bool is_baseline = experiment.number == 0;
  const bool kept = experiment.status == ledger::Status::keep;
  LastWord last;
  last.lines = {{"run", fmt::format("{} on {}", experiment.tag, step.run.branch)},
                {"experiment", std::to_string(experiment.number)},
                {"commit", short_id(experiment.commit)},
                {"status", ledger::spelling(experiment.status)}};
  last.verdict = experiment.verdict;
  last.reason = experiment.reason;
  last.next = next_of(step);
  if (!experiment.sizes.empty() && experiment.median_us) {
    last.lines.emplace_back("sizes", sizes_text(experiment.sizes));
    last.lines.emplace_back("score_us", fmt::format("{:.3f}", *experiment.median_us));
  }
  if (step.result.device && step.result.device->emulated) {
    last.lines.insert(last.lines.begin(), {kEmulated, kEmulatedTimes});
  }
  if (!is_baseline && !kept) {
    last.lines.emplace_back("file",
                            step.run.editable +
                                (step.run.editable_files.empty() ? "" : " and its other files") +
                                " restored to " + short_id(experiment.incumbent));
  }
  return text_block(step.result, experiment.log, last);
}

int step_exit_code(const Experiment& experiment) {
  const trial::Finding* finding = trial::finding_in_loop(experiment.verdict);
  return finding == nullptr ? static_cast<int>(Stop::internal) : finding->exit_code;
}

std::string status_text(const Status& status, const std::string& noise) {
  std::string text;
  for (const Room& room : kRooms) {
    text = status_text(status, noise, room);
    if (text.size() < kLargestStatus) break;
  }
  return text;
}

std::string status_json(const Status& status, const std::string& noise, const std::string& parked) {
  const ledger::Budget& budget = status.run.budget;
  Json recent = Json::array();
  for (const Experiment& experiment : status.latest(kRecent)) {
    recent.push_back(experiment_json(experiment));
  }
  const std::string stop = status.why_stop();
  Json confirmed;
  if (status.confirmed && status.confirmed->over_baseline) {
    const ledger::Confirmed& ratio = *status.confirmed->over_baseline;
    confirmed = {{"ratio", ratio.ratio},
                 {"low", ratio.low},
                 {"high", ratio.high},
                 {"webhook", webhook_json(status.confirmed->webhook)}};
  }
  Json metric;
  if (const auto& one = status.baseline.metric) {
    metric = {{"name", one->name},
              {"unit", one->unit},
              {"higher_is_better", one->higher_is_better},
              {"baseline", one->value},
              {"best", number_or_null(status.best_us())}};
  }
  const Json object = {
      {"schema_version", kStatusSchemaVersion},
      {"tag", status.run.tag},
      {"branch", status.run.branch},
      {"editable", status.run.editable},
      {"editable_files", status.run.editable_files},
      {"device", status.run.device_name},
      {"started_at", status.run.at},
      {"min_gain", status.run.min_gain},
      {"baseline", experiment_json(status.baseline)},
      {"best", experiment_json(status.best)},
      {"best_us", status.baseline.metric ? Json() : number_or_null(status.best_us())},
      {"metric", metric},
      {"gain_over_baseline", number_or_null(status.gain_over_baseline())},
      {"confirmed", confirmed},
      {"emulated", status.is_emulated()},
      {"experiments", status.counts.experiments()},
      {"kept", status.counts.kept},
      {"discarded", status.counts.discarded},
      {"failed", status.counts.failed},
      {"streak", status.streak},
      {"plateau", status.is_plateau()},
      {"hours", status.hours},
      {"budget",
       {{"max_runs", budget.max_runs ? Json(*budget.max_runs) : Json()},
        {"hours", budget.hours ? Json(*budget.hours) : Json()},
        {"no_progress", budget.no_progress ? Json(*budget.no_progress) : Json()}}},
      {"noise", noise.empty() ? Json() : Json(noise)},
      {"parked", parked.empty() ? Json() : Json(parked)},
      {"under_way", status.under_way.empty() ? Json() : Json(status.under_way)},
      {"recent", recent},
      {"should_continue", stop.empty()},
      {"why_stop", stop.empty() ? Json() : Json(stop)},
      {"next", status.next()}};
  return document::line(object);
}

std::string finish_text(const loop::Finish& finish) {
  const ledger::RunFinished& headline = finish.headline;
  const Status& status = finish.status;
  KeyLines lines;
  lines.add("run", fmt::format("{} on {}", headline.tag, status.run.branch));
  lines.add_unless_empty("problem", finish.problem);
  lines.add("best", fmt::format("{} ({}): {}", status.best.number, short_id(headline.best),
                                status.best.description));
  lines.add("processes", fmt::format("{}, each with new inputs", headline.processes));
  const bool is_metric = headline.best_metric.has_value();
  if (const auto& metric = headline.baseline_metric)
    lines.add("baseline", metric->name + " " + metric_text(metric->value, metric->unit));
  if (const auto& metric = headline.best_metric)
    lines.add("best_value", metric->name + " " + metric_text(metric->value, metric->unit));
  lines.add("baseline_us", headline.baseline_us, 3);
  lines.add("best_us", headline.best_us, 3);
  lines.add("library_us", headline.library_us, 3);
  lines.add_unless_empty("score", score_text(status.run.score));
  if (finish.hidden_sizes > 0)
    lines.add("hidden_sizes", fmt::format("right at {}", finish.hidden_sizes));
  if (const auto& ratio = headline.over_baseline)
    lines.add("over_baseline", is_metric ? times_as_good(*ratio) : times_as_fast(*ratio));
  if (headline.over_library) {
    lines.add("over_library", times_as_fast(*headline.over_library, finish.library));
  }
  if (!is_metric) lines.add("timing", timing(finish.device));
  lines.add("experiments",
            fmt::format("{} ({} kept, {} discarded, {} failed)", status.counts.experiments(),
                        status.counts.kept, status.counts.discarded, status.counts.failed));
  lines.add("verdict", status.counts.kept == 0 ? "nothing was kept" : finish_verdict(headline));
  lines.add_unless_empty("branch", headline.branch);
  if (!headline.branch.empty()) {
    lines.add("next", fmt::format("git switch YOUR-BRANCH && git merge {}", headline.branch));
  }
  return "Device: " + visible_line(finish.device.name) + "\n---\n" + lines.take();
}

}  // namespace autokernel::cli
