// Discord's "Execute Webhook": JSON, or with a file a form of several parts.
#include <string_view>

#include "autokernel/base/document_json.h"
#include "autokernel/base/sha256.h"
#include "notify/message_text.h"
#include "notify/payload.h"

namespace autokernel::notify {
namespace {

// What Discord takes as formatting, links, mentions and the like stands for itself behind a
// backslash.
[[nodiscard]] std::string without_markdown(std::string_view text) {
  constexpr std::string_view kMarks = R"(\*_~`|>#[]()<:@-)";
  std::string plain;
  for (const char c : text) {
    if (kMarks.find(c) != std::string_view::npos) plain += '\\';
    plain += c;
  }
  return plain;
}

[[nodiscard]] document::Json discord_json(const Event& event) {
  const std::string text = text_of(event);
  std::string content = "**" + without_markdown(title_of(event)) + "**";
  if (!text.empty()) content += "\n" + without_markdown(text);
  // A description that says @everyone calls nobody.
  return {{"username", "autokernel"},
          {"content", content},
          {"allowed_mentions", {{"parse", document::Json::array()}}}};
}

// A part of a form. The boundary must not occur in the bytes.
void add_part(std::string& body, const std::string& boundary, const std::string& names,
              const std::string& type, std::string_view bytes) {
  body += "--" + boundary + "\r\nContent-Disposition: form-data; " + names +
          "\r\nContent-Type: " + type + "\r\n\r\n";
  body += bytes;
  body += "\r\n";
}

}  // namespace

HttpMessage discord_payload(const Event& event, const std::string& plot) {
  const std::string json = discord_json(event).dump();
  if (plot.empty()) return {.headers = {{"Content-Type", "application/json"}}, .body = json};
  // No text holds its own hash.
  const std::string boundary = "autokernel-" + sha256(json + plot).substr(0, 32);
  HttpMessage message{.headers = {{"Content-Type", "multipart/form-data; boundary=" + boundary}},
                      .body = {}};
  add_part(message.body, boundary, R"(name="payload_json")", "application/json", json);
  add_part(message.body, boundary,
           std::string(R"(name="files[0]"; filename=")").append(kPlotName) + '"', "image/png",
           plot);
  message.body += "--" + boundary + "--\r\n";
  return message;
}

}  // namespace autokernel::notify
