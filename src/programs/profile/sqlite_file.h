// Reads a SQLite file that somebody else has made: nothing is written beside it, and nothing in it
// runs but plain reading of its tables.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autokernel/base/owned.h"

namespace autokernel::programs {

[[nodiscard]] bool is_sqlite(std::string_view beginning);

// The values of a row, in the order of the columns that were asked for.
class SqliteRow {
 public:
  explicit SqliteRow(sqlite3_stmt* statement) : statement_(statement) {}

  // Whether it is not there: the table has no such column, or the row no value in it.
  [[nodiscard]] bool is_null(int column) const;
  // None where it is not there, or is no integer.
  [[nodiscard]] std::optional<std::int64_t> integer(int column) const;
  // Empty where it is not there, or is no text; else valid UTF-8.
  [[nodiscard]] std::string text(int column) const;

 private:
  sqlite3_stmt* statement_;  // the owner's
};

class SqliteTable;

class SqliteFile {
 public:
  // Throws Error(usage), "ATTEMPT: why", where it cannot be read. So do the functions below.
  SqliteFile(const std::filesystem::path& path, std::string attempt);

  [[nodiscard]] bool has_table(const std::string& name) const;
  // Whether a program that wrote it has left changes in a log beside it, which is not read.
  [[nodiscard]] bool has_unread_log() const { return has_unread_log_; }
  // The rows of a table; none where there is no such table. A column that it lacks is null in each.
  [[nodiscard]] SqliteTable table(const std::string& name,
                                  const std::vector<std::string>& columns) const;

 private:
  friend class SqliteTable;
  void configure() const;
  [[nodiscard]] Owned<sqlite3_stmt*> prepared(const std::string& query) const;
  [[nodiscard]] bool step(sqlite3_stmt* statement) const;

  std::string attempt_;
  std::uint64_t bytes_ = 0;
  bool has_unread_log_ = false;
  Owned<sqlite3*> file_;
};

// The rows of a table, one after the other. It must not outlive its file.
class SqliteTable {
 public:
  [[nodiscard]] std::optional<SqliteRow> next();

 private:
  friend class SqliteFile;
  SqliteTable(const SqliteFile& file, Owned<sqlite3_stmt*> statement)
      : file_(file), statement_(std::move(statement)) {}

  const SqliteFile& file_;
  Owned<sqlite3_stmt*> statement_;  // null: no such table
  std::uint64_t rows_ = 0;
};

}  // namespace autokernel::programs
