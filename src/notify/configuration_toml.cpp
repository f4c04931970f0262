// notify.toml -> Configuration. The format, in full:
//
//   [[target]]                      one section for each place that messages go to
//   kind = "discord"                discord, slack, ntfy or json
//   url = "https://..."             as the service shows it
//   name = "phone"                  optional: what messages call it
//   secret = "..."                  json: required, signs each message; ntfy: access token
//   events = ["kept", "finish"]     optional: kept, plateau, failure, finish; all of them
//   plot = false                    optional: attach no plots
//   allow_http = true               optional: http will do for another host than this one
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "autokernel/base/error.h"
#include "autokernel/cases/document.h"
#include "autokernel/notify/configuration.h"
#include "notify/configuration_table.h"
#include "notify/target_rules.h"

namespace autokernel::notify {
namespace {

// As many as anybody is told by; each costs the sender a thread.
constexpr std::size_t kMostTargets = 16;
// The TOML library calls itself for each part of a dotted key, and a stack has an end.
constexpr std::ptrdiff_t kMostDotsInLine = 200;

void refuse_many_dots(const std::string& text, const std::string& file) {
  auto begin = text.begin();
  for (int line = 1; begin != text.end(); ++line) {
    const auto end = std::find(begin, text.end(), '\n');
    if (std::count(begin, end, '.') > kMostDotsInLine) {
      throw Error(Stop::usage, fmt::format("{}:{}:1: the line has more than {} dots", file, line,
                                           kMostDotsInLine));
    }
    begin = end == text.end() ? end : end + 1;
  }
}

// The library's own words would quote the line.
[[nodiscard]] cases::Value document_of(const std::string& text, const std::string& file) {
  refuse_many_dots(text, file);
  try {
    return cases::parse_toml(text);
  } catch (const cases::BadToml& error) {
    throw Error(Stop::usage,
                fmt::format("{}: not valid TOML; write KEY = \"TEXT\", each text in quotes and "
                            "each key once",
                            cases::text_of(file, error.place())));
  }
}

[[nodiscard]] bool is_name_of_target(const std::string& name) {
  constexpr std::size_t kLongestName = 32;
  return name.size() <= kLongestName && std::ranges::all_of(name, [](char c) {
           const char lower = static_cast<char>(c | 0x20);
           return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
                  c == '_' || c == ' ';
         });
}

[[nodiscard]] std::set<EventKind> events_of_table(const ConfigurationTable& table) {
  const auto words = table.texts("events", R"(["kept", "finish"])");
  if (!words) return all_run_events();
  std::set<EventKind> events;
  for (const std::string& word : *words) {
    EventKind kind{};
    if (!restore(word, kind) || kind == EventKind::test) {
      table.fail("events", "write " + allowed_events() + ", each in quotes");
    }
    events.insert(kind);
  }
  return events;
}

[[nodiscard]] Target target_of_table(const std::string& file, const cases::Value& value,
                                     std::size_t number) {
  const ConfigurationTable table(file, fmt::format("[[target]] {} ", number), value);
  table.require_known({"allow_http", "events", "kind", "name", "plot", "secret", "url"});
  Target target;
  const std::string kind = table.text("kind").value_or("");
  if (!restore(kind, target.kind)) table.fail("kind", "write " + allowed_kinds() + ", in quotes");
  const std::string name = table.text("name").value_or("");
  if (!is_name_of_target(name)) {
    table.fail("name", "write at most 32 letters, digits, blanks, - and _");
  }
  target.label = label_of(name, target.kind, number);
  target.allow_http = table.truth("allow_http", false);
  const auto url = table.text("url");
  if (!url) table.fail("url", "it is missing: write the address, as the service shows it");
  target.url = Secret(*url);
  if (const std::string wrong = fault_of_url(target); !wrong.empty()) table.fail("url", wrong);
  target.secret = Secret(table.text("secret").value_or(""));
  if (const std::string wrong = fault_of_secret(target); !wrong.empty()) {
    table.fail("secret", wrong);
  }
  target.events = events_of_table(table);
  target.plot = table.truth("plot", true);
  return target;
}

}  // namespace

Configuration parse_configuration(const std::string& text, const std::string& file) {
  const cases::Value document = document_of(text, file);
  const ConfigurationTable root(file, "", document);
  root.require_known({"target"});
  const std::vector<const cases::Value*> tables = root.tables("target");
  if (tables.size() > kMostTargets) {
    root.fail("target", fmt::format("at most {} targets are allowed", kMostTargets));
  }
  Configuration configuration;
  configuration.source = file;
  for (const cases::Value* table : tables) {
    configuration.targets.push_back(
        target_of_table(file, *table, configuration.targets.size() + 1));
  }
  return configuration;
}

}  // namespace autokernel::notify
