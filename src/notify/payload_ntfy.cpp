// ntfy: the text as the body, or with a file the file as the body and the text in a header.
#include <algorithm>
#include <string_view>

#include "autokernel/base/base64.h"
#include "notify/message_text.h"
#include "notify/payload.h"

namespace autokernel::notify {
namespace {

// As a header's value, which is ASCII: other characters as RFC 2047 has them, which ntfy reads. A
// line break is written as "\n" there.
[[nodiscard]] std::string header_value(std::string_view text) {
  std::string value;
  for (const char c : text) {
    if (c == '\n') {
      value += "\\n";
    } else {
      value += c;
    }
  }
  const bool is_ascii = std::ranges::all_of(value, [](char c) { return c >= ' ' && c < '\x7f'; });
  return is_ascii ? value : "=?UTF-8?B?" + base64(value) + "?=";
}

// The picture that ntfy shows before the title, by its name.
[[nodiscard]] const char* tag_of(const Event& event) {
  switch (event.kind) {
    case EventKind::kept:
      return event.metric && event.metric->better == Better::higher ? "chart_with_upwards_trend"
                                                                    : "chart_with_downwards_trend";
    case EventKind::plateau:
      return "hourglass";
    case EventKind::failure:
      return "warning";
    case EventKind::finish:
      return "checkered_flag";
    case EventKind::test:
      return "bell";
  }
  return "";
}

}  // namespace

HttpMessage ntfy_payload(const Event& event, const std::string& plot, const Secret& token) {
  HttpMessage message;
  message.headers = {{"Title", header_value(title_of(event))}, {"Tags", tag_of(event)}};
  if (!token.empty()) message.headers.emplace_back("Authorization", "Bearer " + token.reveal());
  const std::string text = text_of(event);
  if (plot.empty()) {
    message.headers.emplace_back("Content-Type", "text/plain; charset=utf-8");
    message.body = text;
    return message;
  }
  message.method = "PUT";
  message.headers.emplace_back("Content-Type", "image/png");
  message.headers.emplace_back("Filename", kPlotName);
  if (!text.empty()) message.headers.emplace_back("Message", header_value(text));
  message.body = plot;
  return message;
}

}  // namespace autokernel::notify
