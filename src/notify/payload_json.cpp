// JSON for programs of one's own. The body is one object:
//
//   schema_version  1; raised when a field changes its meaning or goes
//   event           kept, plateau, failure, finish or test
//   id              16 hexadecimal digits, the same each time one message is tried again
//   at              UTC, "2026-01-31T12:34:56Z"
//   run, problem, experiment, description, reason, time_us, gain_pct, over_baseline, metric,
//   emulated        as in Event
//   title, text     as the other services get them
//   plot            null, or {"name": "progress.png", "type": "image/png", "base64": "..."}
//
// docs/notifications.md describes each. What does not apply is null. X-Autokernel-Timestamp has the
// seconds since 1970, and X-Autokernel-Signature is "sha256=" and the HMAC-SHA256 of
// "<timestamp>.<body>" with the secret.
#include <fmt/format.h>

#include "autokernel/base/base64.h"
#include "autokernel/base/document_json.h"
#include "notify/hmac.h"
#include "notify/message_text.h"
#include "notify/payload.h"

namespace autokernel::notify {
namespace {

constexpr int kPayloadSchemaVersion = 1;

}  // namespace

HttpMessage json_payload(const Event& event, const std::string& plot, const Secret& key,
                         std::int64_t unix_seconds) {
  document::Json json = {{"schema_version", kPayloadSchemaVersion}};
  document::Writer::add_fields(json, event);
  json["title"] = title_of(event);
  json["text"] = document::Writer::json(text_of(event));
  json["plot"] = nullptr;
  if (!plot.empty()) {
    json["plot"] = {{"name", kPlotName}, {"type", "image/png"}, {"base64", base64(plot)}};
  }
  HttpMessage message{.headers = {}, .body = json.dump()};
  const std::string timestamp = fmt::format("{}", unix_seconds);
  message.headers = {{"Content-Type", "application/json"},
                     {"X-Autokernel-Event", represent(event.kind)},
                     {"X-Autokernel-Delivery", event.id},
                     {"X-Autokernel-Timestamp", timestamp},
                     {"X-Autokernel-Signature",
                      "sha256=" + hmac_sha256(key.reveal(), timestamp + "." + message.body)}};
  return message;
}

}  // namespace autokernel::notify
