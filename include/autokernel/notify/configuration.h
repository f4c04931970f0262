// Who is told what: the targets that the user has configured, outside of any repository.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "autokernel/base/environment.h"
#include "autokernel/notify/event.h"
#include "autokernel/notify/secret.h"

namespace autokernel::notify {

enum class Kind : std::uint8_t { discord, slack, ntfy, json };

// "discord", "slack", "ntfy", "json".
[[nodiscard]] std::string represent(Kind kind);
// False where the word stands for none.
[[nodiscard]] bool restore(const std::string& word, Kind& kind);
[[nodiscard]] std::vector<std::string> kind_words();

// Where messages go. Messages call it by its label alone.
struct Target {
  std::string label = {};  // "discord (target 1)", "phone (ntfy, target 2)"
  Kind kind = Kind::json;
  Secret url = {};
  Secret secret = {};  // json: signs each message; ntfy: access token; empty: none
  std::set<EventKind> events = {};
  bool plot = true;         // whether plots are attached
  bool allow_http = false;  // whether http will do for a host that is not this one

  [[nodiscard]] bool wants(EventKind event) const {
    return event == EventKind::test || events.contains(event);
  }
};

struct Configuration {
  std::vector<Target> targets;
  // Where it comes from, for messages: a file, or "the environment"; empty: there is none.
  std::string source;
};

// Where the user is and what must not be believed.
struct Surroundings {
  Variables variables;  // the process's own, mostly own_variables()
  // The root of the repository that the run belongs to: a file within it is refused, as an agent
  // may write it. Empty: there is none.
  std::filesystem::path repository;
};

// $XDG_CONFIG_HOME/autokernel/notify.toml, else the one below $HOME/.config; empty where neither
// variable names an absolute folder.
[[nodiscard]] std::filesystem::path configuration_file(const Variables& variables);

// The target of AUTOKERNEL_NOTIFY_URL where that is set, else those of the file; without either, a
// configuration without targets. Throws Error(usage) for what cannot be used: a mistake, with file
// and line; a file within the repository, of somebody else, or open to others. No message holds a
// value of the file or of a variable.
[[nodiscard]] Configuration read_configuration(const Surroundings& surroundings);

// What a file says; `file` is what messages call it. Throws Error(usage), "FILE:LINE:COLUMN: ...".
[[nodiscard]] Configuration parse_configuration(const std::string& text, const std::string& file);

// The root of the repository that a folder lies in: the nearest one above it that has a `.git`.
// Empty where there is none.
[[nodiscard]] std::filesystem::path enclosing_repository(const std::filesystem::path& folder);

}  // namespace autokernel::notify
