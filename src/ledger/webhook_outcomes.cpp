// The format of webhooks.jsonl, one JSON object per line:
//
//   {"schema_version":1,"record":"experiment"|"run_finished","at":"...","id":"...",
//    ...the six fields of Webhook...}
//
// with `at` of the record that the message was about.
#include "autokernel/ledger/webhook_outcomes.h"

#include <algorithm>

#include "autokernel/base/document_json.h"
#include "ledger/fields.h"

namespace autokernel::ledger {
namespace {

constexpr int kOutcomeSchemaVersion = 1;
// As notify::Notifier::forecast() has it.
constexpr const char* kPendingStatus = "pending";

}  // namespace

std::string represent(ToldRecord record) {
  return record == ToldRecord::experiment ? kKind<Experiment> : kKind<RunFinished>;
}

bool restore(const std::string& word, ToldRecord& record) {
  record = word == kKind<Experiment> ? ToldRecord::experiment : ToldRecord::run_finished;
  return word == represent(record);
}

template <Of<WebhookOutcome> Object>
void visit_fields(auto&& fields, Object& outcome) {
  fields("record", outcome.record);
  fields("at", outcome.at);
  fields("id", outcome.id);
  visit_fields(fields, outcome.webhook);
}

std::string line_of(const WebhookOutcome& outcome) {
  document::Json object = {{"schema_version", kOutcomeSchemaVersion}};
  document::ExactWriter::add_fields(object, outcome);
  return document::line(object);
}

std::optional<WebhookOutcome> parse_outcome(std::string_view line) {
  try {
    const auto object = document::parsed(line);
    if (!object || !object->is_object()) return {};
    const auto version = object->find("schema_version");
    if (version == object->end() || *version != kOutcomeSchemaVersion) return {};
    WebhookOutcome outcome;
    document::ExactReader::read(*object, outcome);
    return outcome;
  } catch (const document::Unreadable&) {
    return {};
  } catch (const document::Json::exception&) {
    return {};
  }
}

bool is_pending(const std::optional<Webhook>& webhook) {
  return webhook && webhook->webhook_expected && webhook->webhook_status == kPendingStatus;
}

WebhookOutcomes::WebhookOutcomes(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    // A line without its end is one that somebody is still writing, or was ended within.
    if (end == text.size()) return;
    if (auto outcome = parse_outcome(text.substr(0, end))) {
      by_record_[{outcome->record, std::move(outcome->at)}] = std::move(outcome->webhook);
    }
    text.remove_prefix(end + 1);
  }
}

void WebhookOutcomes::put_into(Experiment& experiment) const {
  put_into(ToldRecord::experiment, experiment.at, experiment.webhook);
}

void WebhookOutcomes::put_into(RunFinished& finished) const {
  put_into(ToldRecord::run_finished, finished.at, finished.webhook);
}

void WebhookOutcomes::put_into(ToldRecord record, const std::string& at,
                               std::optional<Webhook>& webhook) const {
  if (!is_pending(webhook)) return;
  const auto found = by_record_.find({record, at});
  if (found != by_record_.end()) webhook = found->second;
}

}  // namespace autokernel::ledger
