// What holds for a target wherever it is configured. What is said of a fault holds no value.
#pragma once

#include <set>
#include <string>

#include "autokernel/notify/configuration.h"

namespace autokernel::notify {

// "discord (target 1)", or with a name "phone (ntfy, target 2)".
[[nodiscard]] std::string label_of(const std::string& name, Kind kind, std::size_t number);
[[nodiscard]] std::set<EventKind> all_run_events();
// "discord, slack, ntfy or json".
[[nodiscard]] std::string allowed_kinds();
// "kept, plateau, failure or finish".
[[nodiscard]] std::string allowed_events();

// Why the target cannot be used, and what to write; empty: it can.
[[nodiscard]] std::string fault_of_url(const Target& target);
[[nodiscard]] std::string fault_of_secret(const Target& target);

}  // namespace autokernel::notify
