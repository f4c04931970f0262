#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "autokernel/base/document_json.h"
#include "cli/notifications.h"

namespace autokernel::cli {
namespace {

// Raised when a field changes its meaning or goes; a new field does not raise it.
constexpr int kNotifySchemaVersion = 1;

[[nodiscard]] std::string words_of(const std::set<notify::EventKind>& events) {
  std::string text;
  for (const notify::EventKind kind : events) {
    text += (text.empty() ? "" : ", ") + represent(kind);
  }
  return text;
}

// The fields in one line, each as wide as its name; the last one is free.
struct FieldCells {
  std::string names;
  std::string values;

  void operator()(const char* name, bool value) {
    const std::string_view shown =
        std::string_view(name).substr(std::string_view("webhook_").size());
    names += fmt::format("{}  ", shown);
    values += fmt::format("{:<{}}  ", value ? "yes" : "no", shown.size());
  }
  void operator()(const char* /*name*/, const std::string& value) {
    names += "status";
    values += value;
  }
};

[[nodiscard]] FieldCells cells_of(const notify::WebhookRecord& record) {
  FieldCells cells;
  visit_fields(cells, record);
  return cells;
}

}  // namespace

std::string tested_text(const std::vector<notify::TestedTarget>& tested) {
  std::size_t width = std::string_view("target").size();
  for (const auto& target : tested) width = std::max(width, target.label.size());
  std::string text = fmt::format("{:<{}}  {}\n", "target", width, cells_of({}).names);
  std::string remedies;
  for (const auto& [label, record, remedy] : tested) {
    text += fmt::format("{:<{}}  {}\n", label, width, cells_of(record).values);
    if (!record.sent) remedies += fmt::format("next: {}: {}\n", label, remedy);
  }
  return text + remedies;
}

std::string configured_text(const notify::Configuration& configuration) {
  std::string text = fmt::format("from:   {}\n", configuration.source);
  for (const notify::Target& target : configuration.targets) {
    text += fmt::format("target: {}: {}{}\n", target.label, words_of(target.events),
                        target.plot ? "" : "; without plots");
  }
  return text + "next:   autokernel notify --test sends a message to each\n";
}

std::string notify_json(const notify::Configuration& configuration,
                        const std::vector<notify::TestedTarget>& tested) {
  using document::Json;
  Json targets = Json::array();
  for (std::size_t i = 0; i < configuration.targets.size(); ++i) {
    const notify::Target& target = configuration.targets[i];
    Json object = {{"target", target.label}, {"kind", represent(target.kind)}};
    object["events"] = document::Writer::json(
        std::vector<notify::EventKind>(target.events.begin(), target.events.end()));
    object["plot"] = target.plot;
    if (i < tested.size()) {
      document::Writer::add_fields(object, tested[i].record);
      object["next"] = document::Writer::json(tested[i].remedy);
    }
    targets.push_back(std::move(object));
  }
  return document::line({{"schema_version", kNotifySchemaVersion},
                         {"from", document::Writer::json(configuration.source)},
                         {"targets", std::move(targets)}});
}

}  // namespace autokernel::cli
