#include "loop/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <variant>

#include "autokernel/base/error.h"

namespace autokernel::loop {

std::string short_id(const std::string& commit) { return commit.substr(0, 7); }

std::string name_of(const ledger::Experiment& experiment) {
  return fmt::format("{} ({})",
                     experiment.number == 0 ? std::string("the baseline")
                                            : fmt::format("experiment {}", experiment.number),
                     short_id(experiment.commit));
}

std::string quoted(const std::string& path) {
  const bool is_plain = std::ranges::all_of(path, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-+,:@%").find(c) != std::string_view::npos;
  });
  if (is_plain) return path;
  std::string text = "'";
  for (const char c : path) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

void require_run_among(const std::vector<ledger::Row>& rows, const std::string& tag) {
  std::string runs;
  for (const ledger::Row& row : rows) {
    const auto* run = std::get_if<ledger::RunStarted>(&row.entry);
    if (run == nullptr) continue;
    if (run->tag == tag) return;
    runs += (runs.empty() ? "" : ", ") + run->tag;
  }
  throw Error(
      Stop::repository,
      fmt::format("there is no run '{}' in the ledger; {}", tag,
                  runs.empty() ? "there is none at all: 'autokernel loop start TAG' starts one"
                               : "there are: " + runs));
}

}  // namespace autokernel::loop
