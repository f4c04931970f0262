// What a record says of its notification: six fields, the same in every record.
#pragma once

#include <string>

#include "autokernel/base/fields.h"
#include "autokernel/ledger/entry.h"

namespace autokernel::notify {

struct WebhookRecord {
  // The user's configuration could be read, and names at least one target.
  bool enabled_by_config = false;
  // --no-notify was given.
  bool disabled_by_flag = false;
  // Something ought to be sent: enabled, not disabled, and a target wants events of this kind.
  bool expected = false;
  // At least one request was made. False as long as the status is "pending".
  bool attempted = false;
  // Every target that wants the event has taken it.
  bool sent = false;
  // In words: "sent", "pending", "dropped", "timed out", "refused: HTTP 403", "not configured",
  // "disabled by --no-notify", "no target wants it". Of several targets that of the first that has
  // not taken it, with its name before it. It never holds an address.
  std::string status = "not configured";
};

// As the ledger has them.
[[nodiscard]] inline ledger::Webhook recorded(const WebhookRecord& record) {
  return {.webhook_enabled_by_config = record.enabled_by_config,
          .webhook_disabled_by_flag = record.disabled_by_flag,
          .webhook_expected = record.expected,
          .webhook_attempted = record.attempted,
          .webhook_sent = record.sent,
          .webhook_status = record.status};
}

// As every record has them.
template <Of<WebhookRecord> Object>
void visit_fields(auto&& fields, Object& record) {
  fields("webhook_enabled_by_config", record.enabled_by_config);
  fields("webhook_disabled_by_flag", record.disabled_by_flag);
  fields("webhook_expected", record.expected);
  fields("webhook_attempted", record.attempted);
  fields("webhook_sent", record.sent);
  fields("webhook_status", record.status);
}

}  // namespace autokernel::notify
