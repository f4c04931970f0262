#include "autokernel/cases/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autokernel/base/error.h"
#include "autokernel/cases/names.h"
#include "cases/suggestion.h"

namespace autokernel::cases {
namespace {

// Not empty, and no tab, line break or other control character in it.
bool is_one_line(const std::string& text) {
  return !text.empty() && std::ranges::none_of(text, [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
  });
}

}  // namespace

Section::Section(std::string file, const std::string& title, const Value& table)
    : file_(std::move(file)),
      title_(shown(title)),
      place_(std::max(table.place, Place{1, 0})),
      table_(&std::get<Table>(table.data)) {}

bool Section::has(const std::string& key) {
  known_.insert(key);
  return table_->contains(key);
}

std::string Section::place_of(const std::string& key) const {
  const auto found = table_->find(key);
  const bool placed = found != table_->end() && found->second.place.line != 0;
  return text_of(file_, placed ? found->second.place : place_);
}

void Section::fail(const std::string& key, const std::string& problem) const {
  const std::string where = title_.empty() ? "" : title_ + " ";
  throw Error(Stop::usage, fmt::format("{}: {}{} {}", place_of(key), where, shown(key), problem));
}

void Section::fail(const std::string& problem) const {
  const std::string where = title_.empty() ? "" : title_ + ": ";
  throw Error(Stop::usage, fmt::format("{}: {}{}", text_of(file_, place_), where, problem));
}

void Section::wrong(const std::string& key, const Value& value, const std::string& expected) const {
  fail(key, fmt::format("is {}; write {}", describe(value), expected));
}

const Value& Section::required(const std::string& key, const std::string& expected) {
  known_.insert(key);
  const auto found = table_->find(key);
  if (found != table_->end()) return found->second;
  refuse_other_name_of(key);
  fail(key, "is missing; write " + expected);
}

void Section::refuse_other_name_of(const std::string& key) const {
  for (const auto& [written, value] : *table_) {
    if (known_.contains(written) || suggestion(written, {key}) != key) continue;
    const std::string where = title_.empty() ? "" : title_ + " ";
    throw Error(Stop::usage, fmt::format("{}: {}{} is not known here, did you mean {}?",
                                         text_of(file_, value.key), where, shown(written), key));
  }
}

std::string Section::text(const std::string& key) {
  const std::string expected = "a text in quotes, on one line, without tabs and not empty";
  const Value& value = required(key, expected);
  const auto* text = std::get_if<std::string>(&value.data);
  if (text == nullptr || !is_one_line(*text)) wrong(key, value, expected);
  return *text;
}

std::string Section::word(const std::string& key, const std::vector<std::string>& allowed) {
  std::vector<std::string> quoted;
  quoted.reserve(allowed.size());
  for (const std::string& word : allowed) quoted.push_back('"' + word + '"');
  const std::string expected = one_of(quoted);
  const Value& value = required(key, expected);
  const auto* text = std::get_if<std::string>(&value.data);
  if (text == nullptr) wrong(key, value, expected);
  if (std::ranges::find(allowed, *text) != allowed.end()) return *text;
  const auto meant = suggestion(*text, allowed);
  wrong(key, value, expected + (meant ? fmt::format(" (did you mean \"{}\"?)", *meant) : ""));
}

std::int64_t Section::integer(const std::string& key, IntegerRange range) {
  const std::string expected = fmt::format("a whole number from {} to {}", range.low, range.high);
  const Value& value = required(key, expected);
  const auto* number = std::get_if<std::int64_t>(&value.data);
  if (number != nullptr && *number >= range.low && *number <= range.high) return *number;
  // 4e3 is a whole number to its writer, and none to TOML.
  const auto* real = std::get_if<double>(&value.data);
  const bool is_whole = real != nullptr && *real == std::floor(*real) &&
                        *real >= static_cast<double>(range.low) &&
                        *real <= static_cast<double>(range.high);
  wrong(key, value,
        expected + (is_whole ? fmt::format(", without point and exponent: {:.0f}", *real) : ""));
}

double Section::number(const std::string& key, NumberRange range) {
  constexpr NumberRange kAny;
  std::string expected = "a finite number";
  if (range.low != kAny.low) expected += fmt::format(", at least {}", range.low);
  if (range.high != kAny.high) expected += fmt::format(", at most {}", range.high);
  const Value& value = required(key, expected);
  double number = std::numeric_limits<double>::quiet_NaN();
  if (const auto* real = std::get_if<double>(&value.data)) number = *real;
  if (const auto* whole = std::get_if<std::int64_t>(&value.data)) {
    number = static_cast<double>(*whole);
  }
  if (!std::isfinite(number) || number < range.low || number > range.high) {
    wrong(key, value, expected);
  }
  return number;
}

bool Section::is_text(const std::string& key) {
  return has(key) && std::holds_alternative<std::string>(table_->at(key).data);
}

bool Section::is_table(const std::string& key) {
  return has(key) && std::holds_alternative<Table>(table_->at(key).data);
}

bool Section::truth(const std::string& key, bool otherwise) {
  if (!has(key)) return otherwise;
  const Value& value = table_->at(key);
  const auto* truth = std::get_if<bool>(&value.data);
  if (truth == nullptr) wrong(key, value, "true or false, without quotes");
  return *truth;
}

std::vector<std::string> Section::texts(const std::string& key, const std::string& example) {
  const std::string expected = "a list of texts such as " + example;
  const Value& value = required(key, expected);
  const auto* array = std::get_if<Array>(&value.data);
  if (array == nullptr || array->empty()) wrong(key, value, expected);
  std::vector<std::string> texts;
  for (const Value& item : *array) {
    const auto* text = std::get_if<std::string>(&item.data);
    if (text == nullptr || !is_one_line(*text)) {
      fail(key, fmt::format("holds {}; write {}, every entry in quotes", describe(item), expected));
    }
    texts.push_back(*text);
  }
  return texts;
}

Section Section::section(const std::string& key) {
  const std::string title = title_.empty()
                                ? fmt::format("[{}]", key)
                                : fmt::format("{}.{}]", title_.substr(0, title_.size() - 1), key);
  known_.insert(key);
  const auto found = table_->find(key);
  if (found == table_->end()) {
    refuse_other_name_of(key);
    throw Error(Stop::usage, fmt::format("{}: the section {} is missing; add it",
                                         text_of(file_, place_), title));
  }
  if (!std::holds_alternative<Table>(found->second.data)) {
    wrong(key, found->second, "a section: " + title);
  }
  return {file_, title, found->second};
}

const Array& Section::tables(const std::string& key) {
  known_.insert(key);
  const std::string title = fmt::format("[[{}]]", key);
  const auto found = table_->find(key);
  if (found == table_->end()) {
    refuse_other_name_of(key);
    refuse_other_tables_for(title);
    throw Error(Stop::usage,
                fmt::format("{}: there is no {}; add one for each", text_of(file_, place_), title));
  }
  const auto* array = std::get_if<Array>(&found->second.data);
  const bool all_tables =
      array != nullptr && !array->empty() && std::ranges::all_of(*array, [](const Value& item) {
        return std::holds_alternative<Table>(item.data);
      });
  if (!all_tables) wrong(key, found->second, "each as a section of its own: " + title);
  return *array;
}

void Section::refuse_other_tables_for(const std::string& title) const {
  const Table::value_type* first = nullptr;  // the one that stands highest in the file
  for (const auto& entry : *table_) {
    const auto* array = std::get_if<Array>(&entry.second.data);
    const bool holds_tables =
        array != nullptr && !array->empty() && std::holds_alternative<Table>(array->front().data);
    if (!holds_tables || known_.contains(entry.first)) continue;
    if (first == nullptr || entry.second.key < first->second.key) first = &entry;
  }
  if (first == nullptr) return;
  throw Error(Stop::usage,
              fmt::format("{}: [[{}]] is not known here; write {} for each",
                          text_of(file_, first->second.key), shown(first->first), title));
}

std::vector<std::string> Section::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : *table_) keys.push_back(key);
  return keys;
}

void Section::finish() const {
  const Table::value_type* first = nullptr;  // the one that stands highest in the file
  for (const auto& entry : *table_) {
    if (known_.contains(entry.first)) continue;
    if (first == nullptr || entry.second.key < first->second.key) first = &entry;
  }
  if (first == nullptr) return;
  if (!title_.empty() && first->first == "editable_files") {
    throw Error(Stop::usage,
                fmt::format("{}: editable_files stands in {}; write it above the first [table]",
                            text_of(file_, first->second.key), title_));
  }
  const std::vector<std::string> known(known_.begin(), known_.end());
  const auto meant = suggestion(first->first, known);
  const std::string where = title_.empty() ? "" : title_ + " ";
  throw Error(Stop::usage,
              fmt::format("{}: {}{} is not known here{}; known are {}",
                          text_of(file_, first->second.key), where, shown(first->first),
                          meant ? fmt::format(", did you mean {}?", *meant) : "", one_of(known)));
}

}  // namespace autokernel::cases
