// An event as each service wants it.
#pragma once

#include <cstdint>
#include <string>

#include "autokernel/notify/configuration.h"
#include "autokernel/notify/event.h"
#include "notify/http_message.h"

namespace autokernel::notify {

// The name under which a plot arrives.
inline constexpr const char* kPlotName = "progress.png";

// `plot` holds the bytes of a PNG file; empty: there is none. Slack's webhooks take no files, so
// there it is left out.
[[nodiscard]] HttpMessage discord_payload(const Event& event, const std::string& plot);
[[nodiscard]] HttpMessage slack_payload(const Event& event);
// `token` is an access token; empty: the topic needs none.
[[nodiscard]] HttpMessage ntfy_payload(const Event& event, const std::string& plot,
                                       const Secret& token);
// Signed with `key` at `unix_seconds`, the time of the attempt.
[[nodiscard]] HttpMessage json_payload(const Event& event, const std::string& plot,
                                       const Secret& key, std::int64_t unix_seconds);

// That of the target's kind.
[[nodiscard]] HttpMessage payload_for(const Target& target, const Event& event,
                                      const std::string& plot, std::int64_t unix_seconds);

}  // namespace autokernel::notify
