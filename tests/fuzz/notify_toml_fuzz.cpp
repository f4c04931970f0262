// Any bytes are either a configuration, of which each target can be sent to, or an error of usage
// that is one line with a place in it and none of the values.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/notify/configuration.h"
#include "notify/address.h"

namespace {

namespace notify = autokernel::notify;

void require_for_notify(bool holds) {
  if (!holds) std::abort();
}

void check_target(const notify::Target& target) {
  const auto address = notify::address_of_text(target.url.reveal());
  if (!address) std::abort();
  require_for_notify(address->is_https || target.allow_http || notify::is_loopback(*address));
  require_for_notify(notify::address_of_text(notify::text_of(*address)) == address);
  require_for_notify(!target.label.empty() && !target.events.empty());
  const bool has_secret = !target.secret.empty();
  require_for_notify(target.kind != notify::Kind::json || has_secret);
  require_for_notify(has_secret ? target.kind != notify::Kind::slack : true);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  try {
    const notify::Configuration read = notify::parse_configuration(text, "notify.toml");
    for (const notify::Target& target : read.targets) check_target(target);
  } catch (const autokernel::Error& error) {
    const std::string what = error.what();
    require_for_notify(error.stop() == autokernel::Stop::usage);
    require_for_notify(what.starts_with("notify.toml:") && what.find('\n') == std::string::npos);
    // The samples have it in each address and secret.
    require_for_notify(what.find("hush") == std::string::npos);
  }
  return 0;
}
