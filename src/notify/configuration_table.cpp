#include "notify/configuration_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "autokernel/base/error.h"

namespace autokernel::notify {
namespace {

// No tab, line break or other control character in it.
[[nodiscard]] bool is_shown_on_one_line(const std::string& text) {
  return !text.empty() && std::ranges::none_of(text, [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
  });
}

}  // namespace

ConfigurationTable::ConfigurationTable(std::string file, std::string title,
                                       const cases::Value& table)
    : file_(std::move(file)),
      title_(std::move(title)),
      place_(std::max(table.place, cases::Place{1, 0})),
      table_(&std::get<cases::Table>(table.data)) {}

const cases::Value* ConfigurationTable::find(const std::string& key) const {
  const auto found = table_->find(key);
  return found == table_->end() ? nullptr : &found->second;
}

std::optional<std::string> ConfigurationTable::text(const std::string& key) const {
  const cases::Value* value = find(key);
  if (value == nullptr) return {};
  const auto* text = std::get_if<std::string>(&value->data);
  if (text == nullptr || !is_shown_on_one_line(*text)) {
    fail(key, "write a text in quotes, on one line and not empty");
  }
  return *text;
}

bool ConfigurationTable::truth(const std::string& key, bool otherwise) const {
  const cases::Value* value = find(key);
  if (value == nullptr) return otherwise;
  const auto* truth = std::get_if<bool>(&value->data);
  if (truth == nullptr) fail(key, "write true or false, without quotes");
  return *truth;
}

std::optional<std::vector<std::string>> ConfigurationTable::texts(
    const std::string& key, const std::string& example) const {
  const cases::Value* value = find(key);
  if (value == nullptr) return {};
  std::vector<std::string> texts;
  if (const auto* array = std::get_if<cases::Array>(&value->data)) {
    for (const cases::Value& item : *array) {
      const auto* text = std::get_if<std::string>(&item.data);
      texts.push_back(text == nullptr ? std::string() : *text);
    }
  }
  if (texts.empty() || std::ranges::find(texts, "") != texts.end()) {
    fail(key, "write a list of texts such as " + example);
  }
  return texts;
}

std::vector<const cases::Value*> ConfigurationTable::tables(const std::string& key) const {
  const cases::Value* value = find(key);
  if (value == nullptr) return {};
  std::vector<const cases::Value*> tables;
  if (const auto* array = std::get_if<cases::Array>(&value->data)) {
    for (const cases::Value& item : *array) tables.push_back(&item);
  }
  const bool all_tables =
      !tables.empty() && std::ranges::all_of(tables, [](const cases::Value* item) {
        return std::holds_alternative<cases::Table>(item->data);
      });
  if (!all_tables) fail(key, fmt::format("write each as a section of its own: [[{}]]", key));
  return tables;
}

void ConfigurationTable::require_known(const std::set<std::string>& known) const {
  const cases::Table::value_type* first = nullptr;  // the one that stands highest in the file
  for (const auto& entry : *table_) {
    if (known.contains(entry.first)) continue;
    if (first == nullptr || entry.second.key < first->second.key) first = &entry;
  }
  if (first == nullptr) return;
  throw Error(Stop::usage, fmt::format("{}: {}this key is not known here; known are {}",
                                       cases::text_of(file_, first->second.key), title_,
                                       fmt::join(known, ", ")));
}

void ConfigurationTable::fail(const std::string& key, const std::string& problem) const {
  const auto found = table_->find(key);
  const bool is_placed = found != table_->end() && found->second.place.line != 0;
  throw Error(
      Stop::usage,
      fmt::format("{}: {}{}: {}", cases::text_of(file_, is_placed ? found->second.place : place_),
                  title_, key, problem));
}

}  // namespace autokernel::notify
