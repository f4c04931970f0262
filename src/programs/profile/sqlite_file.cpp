#include "programs/profile/sqlite_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"

namespace autokernel::programs {
namespace {

// Of a value. The longest are texts of NVTX ranges and names of kernels.
constexpr int kLongestValue = 16 << 20;

// A row takes more bytes of the file than this. A damaged file whose pages refer to each other in a
// circle has more.
constexpr std::uint64_t kLeastRowBytes = 4;

// A path as SQLite wants it where it also takes options.
[[nodiscard]] std::string uri_of(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    if (c == '?' || c == '#' || c == '%') {
      uri += fmt::format("%{:02X}", static_cast<unsigned>(c));
    } else {
      uri += c;
    }
  }
  // immutable: neither locks nor files beside it, which the folder may not allow.
  return uri + "?mode=ro&immutable=1";
}

// A name in a query.
[[nodiscard]] std::string quoted_name(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"') text += c;
    text += c;
  }
  return text + '"';
}

[[nodiscard]] std::string text_of(sqlite3_stmt* statement, int column) {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  if (text == nullptr) return {};
  const int size = sqlite3_column_bytes(statement, column);
  return valid_utf8({text, static_cast<std::size_t>(size)});
}

}  // namespace

bool is_sqlite(std::string_view beginning) { return beginning.starts_with("SQLite format 3"); }

bool SqliteRow::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::optional<std::int64_t> SqliteRow::integer(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_INTEGER) return std::nullopt;
  return sqlite3_column_int64(statement_, column);
}

std::string SqliteRow::text(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_TEXT) return {};
  return text_of(statement_, column);
}

SqliteFile::SqliteFile(const std::filesystem::path& path, std::string attempt)
    : attempt_(std::move(attempt)) {
  sqlite3* opened = nullptr;
  constexpr int kFlags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  const int status = sqlite3_open_v2(uri_of(path).c_str(), &opened, kFlags, nullptr);
  file_ = {opened, [](sqlite3* file) { sqlite3_close(file); }};
  if (status != SQLITE_OK) {
    throw Error(Stop::usage,
                fmt::format("{}: {} [sqlite3_open_v2]", attempt_, sqlite3_errstr(status)));
  }
  std::error_code failed;
  bytes_ = std::filesystem::file_size(path, failed);
  if (failed) throw Error(Stop::usage, attempt_ + ": " + failed.message() + " [stat]");
  const std::uintmax_t log_bytes = std::filesystem::file_size(path.string() + "-wal", failed);
  has_unread_log_ = !failed && log_bytes > 0;
  configure();
}

// A hostile file can have views, triggers and computed columns, whose programs would run when a
// table is read.
void SqliteFile::configure() const {
  sqlite3* const file = file_.get();
  sqlite3_limit(file, SQLITE_LIMIT_LENGTH, kLongestValue);
  sqlite3_limit(file, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_db_config(file, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(file, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(file, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(file, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  static_cast<void>(step(prepared("PRAGMA cell_size_check = ON").get()));
}

Owned<sqlite3_stmt*> SqliteFile::prepared(const std::string& query) const {
  sqlite3_stmt* statement = nullptr;
  const int status = sqlite3_prepare_v2(file_.get(), query.c_str(), -1, &statement, nullptr);
  Owned<sqlite3_stmt*> owner(statement, [](sqlite3_stmt* ended) { sqlite3_finalize(ended); });
  if (status != SQLITE_OK) {
    throw Error(Stop::usage, fmt::format("{}: its tables cannot be read, export it again: {} "
                                         "[sqlite3_prepare_v2]",
                                         attempt_, visible_line(sqlite3_errmsg(file_.get()))));
  }
  return owner;
}

// Whether there is another row.
bool SqliteFile::step(sqlite3_stmt* statement) const {
  const int status = sqlite3_step(statement);
  if (status == SQLITE_ROW) return true;
  if (status == SQLITE_DONE) return false;
  throw Error(Stop::usage, fmt::format("{}: it is cut or damaged, export it again: {} "
                                       "[sqlite3_step]",
                                       attempt_, visible_line(sqlite3_errmsg(file_.get()))));
}

bool SqliteFile::has_table(const std::string& name) const {
  const auto found = prepared("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?");
  sqlite3_bind_text(found.get(), 1, name.c_str(), -1, SQLITE_TRANSIENT);
  return step(found.get());
}

SqliteTable SqliteFile::table(const std::string& name,
                              const std::vector<std::string>& columns) const {
  if (!has_table(name)) return {*this, {}};
  // Whose values are stored: hidden ones of virtual tables and computed ones have another number.
  const auto info = prepared("SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0");
  sqlite3_bind_text(info.get(), 1, name.c_str(), -1, SQLITE_TRANSIENT);
  std::set<std::string> existing;
  while (step(info.get())) existing.insert(text_of(info.get(), 0));
  std::string query = "SELECT ";
  for (const std::string& column : columns) {
    query += existing.contains(column) ? quoted_name(column) : "NULL";
    query += ", ";
  }
  query += "NULL FROM " + quoted_name(name);
  return {*this, prepared(query)};
}

std::optional<SqliteRow> SqliteTable::next() {
  if (statement_.get() == nullptr || !file_.step(statement_.get())) return std::nullopt;
  if (++rows_ > file_.bytes_ / kLeastRowBytes) {
    throw Error(Stop::usage, file_.attempt_ +
                                 ": it is damaged: it has more rows than bytes; "
                                 "export it again");
  }
  return SqliteRow(statement_.get());
}

}  // namespace autokernel::programs
