// What may be told to somebody who is elsewhere while a run goes on.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/base/fields.h"
#include "autokernel/ledger/webhook_outcomes.h"

namespace autokernel::notify {

enum class EventKind : std::uint8_t {
  kept,     // an experiment was kept
  plateau,  // many experiments in a row without a gain
  failure,  // the run stopped, and not because a budget was used up
  finish,   // the gain was measured again
  test      // somebody asked whether messages arrive
};

// Those that a run has, which a target may choose from.
inline constexpr std::array kRunEvents = {EventKind::kept, EventKind::plateau, EventKind::failure,
                                          EventKind::finish};

// "kept", "plateau", "failure", "finish", "test".
[[nodiscard]] std::string represent(EventKind kind);
// False where the word stands for none.
[[nodiscard]] bool restore(const std::string& word, EventKind& kind);
// The words of kRunEvents.
[[nodiscard]] std::vector<std::string> run_event_words();

// Which values of a metric are better.
enum class Better : std::uint8_t { lower, higher };
[[nodiscard]] std::string represent(Better better);
[[nodiscard]] bool restore(const std::string& word, Better& better);

// What a case of commands is measured by.
struct EventMetric {
  std::string name = {};
  std::string unit = {};                // empty: it has none
  std::optional<double> value = {};     // on the scale of the run
  std::optional<double> baseline = {};  // that of the baseline
  Better better = Better::lower;
};

template <Of<EventMetric> Object>
void visit_fields(auto&& fields, Object& metric) {
  fields("name", metric.name);
  fields("unit", metric.unit);
  fields("value", metric.value);
  fields("baseline", metric.baseline);
  fields("better", metric.better);
}

// The record that an event is about, and where its outcome is added for those who read that
// (ledger::WebhookOutcomes).
struct ToldOf {
  ledger::ToldRecord record = ledger::ToldRecord::experiment;
  std::string at = {};              // that of the record
  std::filesystem::path root = {};  // absolute
  std::filesystem::path file = {};  // from there
};

template <Of<ToldOf> Object>
void visit_fields(auto&& fields, Object& told_of) {
  fields("record", told_of.record);
  fields("at", told_of.at);
  fields("root", told_of.root);
  fields("file", told_of.file);
}

// One event. What does not apply is empty. Descriptions and reasons may hold an agent's words.
struct Event {
  EventKind kind = EventKind::test;
  std::string id = {};   // of 16 hexadecimal digits, the same each time it is tried; set by post()
  std::string at = {};   // UTC, "2026-01-31T12:34:56Z"; set by post() where it is empty
  std::string run = {};  // its tag
  std::string problem = {};  // what is optimised, in a line
  std::optional<int> experiment = {};
  std::string description = {};        // of the experiment
  std::string reason = {};             // of a plateau or a failure, in a sentence
  std::optional<double> time_us = {};  // on the scale of the run
  // How much better the experiment is than its incumbent, in percent: of a kernel, so much less
  // time; of a metric, so much more of its value, or less where less is better.
  std::optional<double> gain_pct = {};
  std::optional<double> over_baseline = {};  // how many times as fast, or as good, as the baseline
  std::optional<EventMetric> metric = {};    // in place of a time
  bool emulated = false;                     // whether the times are those of a CPU
  std::filesystem::path plot = {};           // a PNG file to attach; empty: none
  std::optional<ToldOf> told_of = {};        // none: it is about no record
};

template <Of<Event> Object>
void visit_fields(auto&& fields, Object& event) {
  fields("event", event.kind);
  fields("id", event.id);
  fields("at", event.at);
  fields("run", event.run);
  fields("problem", event.problem);
  fields("experiment", event.experiment);
  fields("description", event.description);
  fields("reason", event.reason);
  fields("time_us", event.time_us);
  fields("gain_pct", event.gain_pct);
  fields("over_baseline", event.over_baseline);
  fields("metric", event.metric);
  fields("emulated", event.emulated);
}

}  // namespace autokernel::notify
