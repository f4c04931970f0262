// Reads one table of case.toml, or of another TOML file, key by key. Every complaint names file,
// line, key, what was found and what is allowed; an unknown key is one too.
#pragma once

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "autokernel/cases/document.h"

namespace autokernel::cases {

struct IntegerRange {
  std::int64_t low;
  std::int64_t high;
};

struct NumberRange {
  double low = -std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::max();
};

class Section {
 public:
  // `file` is what messages call the file, `title` what they call the table: "[check]", "[[tensor]]
  // A". `table` must hold a Table and outlive the section.
  Section(std::string file, const std::string& title, const Value& table);

  // Asking is enough to make the key a known one.
  [[nodiscard]] bool has(const std::string& key);
  [[nodiscard]] std::string text(const std::string& key);
  // One of `allowed`; says which was probably meant.
  [[nodiscard]] std::string word(const std::string& key, const std::vector<std::string>& allowed);
  [[nodiscard]] std::int64_t integer(const std::string& key, IntegerRange range);
  // Finite and in the range.
  [[nodiscard]] double number(const std::string& key, NumberRange range = {});
  // Whether it is there and a text, or a table.
  [[nodiscard]] bool is_text(const std::string& key);
  [[nodiscard]] bool is_table(const std::string& key);
  [[nodiscard]] bool truth(const std::string& key, bool otherwise);
  // `example` is shown where it is no such list.
  [[nodiscard]] std::vector<std::string> texts(const std::string& key,
                                               const std::string& example = R"(["M", "K"])");
  [[nodiscard]] Section section(const std::string& key);
  // The tables of [[key]].
  [[nodiscard]] const Array& tables(const std::string& key);

  // Every key of a table whose keys are free, such as [sizes.default].
  [[nodiscard]] std::vector<std::string> keys() const;
  // Call when every known key was read. Throws on the first that was not.
  void finish() const;

  // "FILE:LINE:COLUMN" of a key's value, or of the table where the key is missing.
  [[nodiscard]] std::string place_of(const std::string& key) const;
  [[nodiscard]] const std::string& title() const { return title_; }
  [[nodiscard]] const std::string& file() const { return file_; }
  void rename(const std::string& title) { title_ = title; }
  // Throws Error(usage): "FILE:LINE:COLUMN: TITLE KEY PROBLEM".
  [[noreturn]] void fail(const std::string& key, const std::string& problem) const;
  // Throws Error(usage): "FILE:LINE:COLUMN: TITLE: PROBLEM".
  [[noreturn]] void fail(const std::string& problem) const;

 private:
  [[nodiscard]] const Value& required(const std::string& key, const std::string& expected);
  // Throws Error(usage) where the section has an unknown key that probably means this one.
  void refuse_other_name_of(const std::string& key) const;
  // The same where it has unknown tables in a list, and `title` is the list that is missing.
  void refuse_other_tables_for(const std::string& title) const;
  [[noreturn]] void wrong(const std::string& key, const Value& value,
                          const std::string& expected) const;

  std::string file_;
  std::string title_;
  Place place_;
  const Table* table_;
  std::set<std::string> known_;  // every key that was read, present or not
};

}  // namespace autokernel::cases
