#include "autokernel/notify/configuration.h"

#include <fmt/format.h>

#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/notify/secret_variables.h"
#include "notify/configured_file.h"
#include "notify/target_rules.h"
#include "notify/words.h"

namespace autokernel::notify {
namespace {

namespace fs = std::filesystem;

constexpr WordsOf<Kind, 4> kKindWords = {{{Kind::discord, "discord"},
                                          {Kind::slack, "slack"},
                                          {Kind::ntfy, "ntfy"},
                                          {Kind::json, "json"}}};

[[nodiscard]] std::string value_of(const Variables& variables, const char* name) {
  const auto found = variables.find(name);
  return found == variables.end() ? std::string() : found->second;
}

[[nodiscard]] Error wrong_variable(const char* name, const std::string& problem) {
  return {Stop::usage, fmt::format("cannot use the environment variable {}: {}", name, problem)};
}

// "kept,finish", blanks allowed.
[[nodiscard]] std::set<EventKind> events_of_variable(const std::string& text) {
  std::set<EventKind> events;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string word = text.substr(begin, end - begin);
    std::erase(word, ' ');
    EventKind kind{};
    if (!restore(word, kind) || kind == EventKind::test) {
      throw wrong_variable(kEventsVariable, "write " + allowed_events() + ", with commas between");
    }
    events.insert(kind);
    begin = end + 1;
  }
  return events;
}

[[nodiscard]] Target target_of_variables(const Variables& variables) {
  Target target;
  target.url = Secret(value_of(variables, kUrlVariable));
  target.secret = Secret(value_of(variables, kSecretVariable));
  const std::string kind = value_of(variables, kKindVariable);
  if (!restore(kind, target.kind)) {
    throw wrong_variable(kKindVariable, "set it to " + allowed_kinds());
  }
  target.label = label_of({}, target.kind, 1);
  const std::string events = value_of(variables, kEventsVariable);
  target.events = events.empty() ? all_run_events() : events_of_variable(events);
  const std::string plot = value_of(variables, kPlotVariable);
  if (!plot.empty() && plot != "0" && plot != "1") {
    throw wrong_variable(kPlotVariable, "set it to 0 or 1");
  }
  target.plot = plot != "0";
  if (const std::string wrong = fault_of_url(target); !wrong.empty()) {
    throw wrong_variable(kUrlVariable, wrong);
  }
  if (const std::string wrong = fault_of_secret(target); !wrong.empty()) {
    throw wrong_variable(kSecretVariable, wrong);
  }
  return target;
}

}  // namespace

std::string represent(Kind kind) { return word_of(kKindWords, kind); }

bool restore(const std::string& word, Kind& kind) { return find_word(kKindWords, word, kind); }

std::vector<std::string> kind_words() {
  std::vector<std::string> words;
  for (const auto& [kind, word] : kKindWords) words.emplace_back(word);
  return words;
}

fs::path configuration_file(const Variables& variables) {
  // A relative one would name a file within the repository; the XDG rules ignore it, too.
  const fs::path configured = value_of(variables, "XDG_CONFIG_HOME");
  if (configured.is_absolute()) return configured / "autokernel" / "notify.toml";
  const fs::path home = value_of(variables, "HOME");
  if (home.is_absolute()) return home / ".config" / "autokernel" / "notify.toml";
  return {};
}

Configuration read_configuration(const Surroundings& surroundings) {
  const Variables& variables = surroundings.variables;
  if (!value_of(variables, kUrlVariable).empty()) {
    return {.targets = {target_of_variables(variables)}, .source = "the environment"};
  }
  for (const std::string_view name : kNotifyVariables) {
    const auto found = variables.find(std::string(name));
    if (found == variables.end() || found->second.empty()) continue;
    throw Error(Stop::usage,
                fmt::format("{} is set and {} is not: set both, or neither", name, kUrlVariable));
  }
  const fs::path file = configuration_file(variables);
  if (file.empty()) return {};
  const auto text = read_configured_file(file, surroundings.repository);
  if (!text) return {};
  return parse_configuration(*text, file.string());
}

fs::path enclosing_repository(const fs::path& folder) {
  std::error_code failed;
  const fs::path begin = fs::weakly_canonical(folder, failed);
  if (failed) return {};
  for (fs::path at = begin; !at.empty(); at = at.parent_path()) {
    if (fs::exists(at / ".git", failed)) return at;
    if (at == at.parent_path()) break;
  }
  return {};
}

}  // namespace autokernel::notify
