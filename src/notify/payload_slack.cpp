// Slack's incoming webhooks: a text, and no files.
#include <string_view>

#include "autokernel/base/document_json.h"
#include "notify/message_text.h"
#include "notify/payload.h"

namespace autokernel::notify {
namespace {

// These three begin what Slack takes for a link, a mention or a character by its name.
[[nodiscard]] std::string escaped_for_slack(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace

HttpMessage slack_payload(const Event& event) {
  const std::string text = text_of(event);
  const document::Json json = {
      {"text", escaped_for_slack(title_of(event) + (text.empty() ? "" : "\n" + text))},
      {"mrkdwn", false},
      {"unfurl_links", false},
      {"unfurl_media", false}};
  return {.headers = {{"Content-Type", "application/json"}}, .body = json.dump()};
}

}  // namespace autokernel::notify
