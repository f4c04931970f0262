#include <fmt/format.h>

#include <array>

#include "autokernel/base/document_json.h"
#include "autokernel/lab/load.h"

namespace autokernel::lab {
namespace {

using document::Json;

struct NamedFailure {
  LoadFailure failure;
  const char* name;
};
constexpr std::array kLoadFailures = {NamedFailure{LoadFailure::refused, "refused"},
                                      NamedFailure{LoadFailure::timed_out, "timed_out"},
                                      NamedFailure{LoadFailure::stalled, "stalled"},
                                      NamedFailure{LoadFailure::disconnected, "disconnected"},
                                      NamedFailure{LoadFailure::http_status, "http_status"},
                                      NamedFailure{LoadFailure::bad_stream, "bad_stream"},
                                      NamedFailure{LoadFailure::error_event, "error_event"},
                                      NamedFailure{LoadFailure::short_answer, "short_answer"},
                                      NamedFailure{LoadFailure::other, "other"}};

[[nodiscard]] Json json_time(const std::optional<double>& seconds) {
  return seconds ? Json(*seconds) : Json();
}

[[nodiscard]] Json json_count(const std::optional<std::size_t>& count) {
  return count ? Json(*count) : Json();
}

[[nodiscard]] Json json_text(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

std::string load_failure_name(LoadFailure failure) {
  for (const NamedFailure& named : kLoadFailures) {
    if (named.failure == failure) return named.name;
  }
  return {};
}

const std::vector<LoadFailure>& all_load_failures() {
  static const std::vector<LoadFailure> all = [] {
    std::vector<LoadFailure> failures;
    failures.reserve(kLoadFailures.size());
    for (const NamedFailure& named : kLoadFailures) failures.push_back(named.failure);
    return failures;
  }();
  return all;
}

// One JSON object a line. Times are seconds of CLOCK_MONOTONIC; `gaps_ms` are milliseconds from
// each piece of text to the next; what did not happen is null.
std::string outcome_line(const RequestOutcome& outcome) {
  Json line = Json::object();
  line["index"] = outcome.index;
  line["id"] = json_text(outcome.id);
  line["scheduled"] = outcome.scheduled;
  line["sent"] = outcome.sent;
  line["first"] = json_time(outcome.first);
  line["last"] = json_time(outcome.last);
  line["ended"] = outcome.ended;
  line["repeated"] = outcome.repeated;
  line["asked_tokens"] = outcome.asked_tokens;
  line["usage_input"] = json_count(outcome.usage_input);
  line["usage_output"] = json_count(outcome.usage_output);
  line["pieces"] = outcome.pieces;
  line["words"] = outcome.words;
  line["bytes"] = outcome.bytes;
  line["finish_reason"] = json_text(outcome.finish_reason);
  line["status"] = outcome.status;
  line["failure"] = json_text(load_failure_name(outcome.failure));
  line["detail"] = json_text(outcome.detail);
  Json gaps = Json::array();
  constexpr double kMsPerSecond = 1e3;
  for (const float gap : outcome.gaps) {
    constexpr double kThousandths = 1e3;  // a microsecond is finer than any gap is told
    gaps.push_back(std::round(static_cast<double>(gap) * kMsPerSecond * kThousandths) /
                   kThousandths);
  }
  line["gaps_ms"] = std::move(gaps);
  line["text"] = json_text(outcome.text);
  return document::line(line);
}

}  // namespace autokernel::lab
