#include "notify/payload.h"

namespace autokernel::notify {

HttpMessage payload_for(const Target& target, const Event& event, const std::string& plot,
                        std::int64_t unix_seconds) {
  switch (target.kind) {
    case Kind::discord:
      return discord_payload(event, plot);
    case Kind::slack:
      return slack_payload(event);
    case Kind::ntfy:
      return ntfy_payload(event, plot, target.secret);
    case Kind::json:
      return json_payload(event, plot, target.secret, unix_seconds);
  }
  return {};
}

}  // namespace autokernel::notify
