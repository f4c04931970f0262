#include "notify/message_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "autokernel/base/visible_text.h"
#include "autokernel/ledger/figure_text.h"

namespace autokernel::notify {
namespace {

// Of an agent's description or a reason: two lines on a phone say what it was. All services take
// ten times as much.
constexpr std::size_t kLongestQuote = 300;
constexpr std::size_t kLongestTag = 60;
constexpr std::size_t kLongestMetricName = 60;

// On one line, cut between characters where it is long.
[[nodiscard]] std::string quote(std::string_view text, std::size_t longest = kLongestQuote) {
  // No more of it than can be shown is looked at.
  std::string line = visible_line(text.substr(0, 2 * longest));
  if (line.size() <= longest) return line;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;
  return line.substr(0, end) + "...";
}

// Its names as they can be shown; the value is said by itself.
[[nodiscard]] std::optional<ledger::MetricValue> metric_in_words(const Event& event) {
  if (!event.metric) return {};
  return ledger::MetricValue{.name = quote(event.metric->name, kLongestMetricName),
                             .unit = quote(event.metric->unit, kLongestMetricName),
                             .higher_is_better = event.metric->better == Better::higher};
}

[[nodiscard]] std::string figures_of_event(const Event& event) {
  std::string text;
  const auto add = [&](const std::string& piece) { text += (text.empty() ? "" : ", ") + piece; };
  const std::optional<ledger::MetricValue> metric = metric_in_words(event);
  const std::optional<double> figure = event.metric ? event.metric->value : event.time_us;
  if (figure) add(ledger::figure_text(*figure, metric));
  if (event.gain_pct) {
    const double better = *event.gain_pct / 100;
    add(metric ? ledger::change_text(metric->higher_is_better ? better : -better)
               : ledger::gain_text(better, metric));
  }
  if (event.over_baseline) add(ledger::over_baseline_text(*event.over_baseline, metric));
  return text + (!text.empty() && event.emulated ? " (emulated device)" : "");
}

[[nodiscard]] std::string what_happened(const Event& event) {
  switch (event.kind) {
    case EventKind::kept:
      return event.experiment ? fmt::format("experiment {} was kept", *event.experiment)
                              : "an experiment was kept";
    case EventKind::plateau:
      return "no gain for many experiments";
    case EventKind::failure:
      return "the run has stopped";
    case EventKind::finish:
      return "finished, and measured again";
    case EventKind::test:
      return "a test message";
  }
  return {};
}

}  // namespace

std::string title_of(const Event& event) {
  const std::string run = event.run.empty() ? "autokernel" : quote(event.run, kLongestTag);
  return run + ": " + what_happened(event);
}

std::string text_of(const Event& event) {
  std::string text;
  const auto add = [&](const std::string& line) {
    if (!line.empty()) text += (text.empty() ? "" : "\n") + line;
  };
  add(quote(event.description));
  add(figures_of_event(event));
  add(quote(event.reason));
  add(quote(event.problem));
  if (event.kind == EventKind::test) add("Messages of autokernel arrive here.");
  return text;
}

}  // namespace autokernel::notify
