// A table of the configuration, read key by key. Unlike cases::Section it quotes neither a value
// nor an unknown key, but says where it stands: what is written here may be a password.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "autokernel/cases/document.h"

namespace autokernel::notify {

class ConfigurationTable {
 public:
  // `file` is what messages call the file, `title` what they call the table, with a blank at its
  // end: "[[target]] 2 ", or empty. `table` must hold a Table and outlive this.
  ConfigurationTable(std::string file, std::string title, const cases::Value& table);

  // Throws Error(usage) on the first key that is none of these. Before all else: where a key is
  // misspelt, that the right one is missing says less.
  void require_known(const std::set<std::string>& known) const;

  // Each throws Error(usage) where the value is none of that kind.
  // One line, not empty; none where the key is missing.
  [[nodiscard]] std::optional<std::string> text(const std::string& key) const;
  [[nodiscard]] bool truth(const std::string& key, bool otherwise) const;
  // A list of texts that is not empty; none where the key is missing. `example` shows one.
  [[nodiscard]] std::optional<std::vector<std::string>> texts(const std::string& key,
                                                              const std::string& example) const;
  // The tables of [[key]]; empty where there is none.
  [[nodiscard]] std::vector<const cases::Value*> tables(const std::string& key) const;

  // Throws Error(usage): "FILE:LINE:COLUMN: TITLE KEY: PROBLEM". The problem holds no value.
  [[noreturn]] void fail(const std::string& key, const std::string& problem) const;

 private:
  [[nodiscard]] const cases::Value* find(const std::string& key) const;

  std::string file_;
  std::string title_;
  cases::Place place_;
  const cases::Table* table_;
};

}  // namespace autokernel::notify
