// Rows are added to results.tsv by what the file holds, not by what it held: agents, plots and git
// write it, too, and a program that was killed may have written any part.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/ledger/results_table.h"
#include "ledger/file.h"

namespace autokernel::ledger {
namespace {

// Lines as they are, whatever ends them.
[[nodiscard]] std::vector<std::string> lines_in(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
  }
  return lines;
}

[[nodiscard]] bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// What has to be known of a table to add to it, without reading the whole of it.
struct Shape {
  bool has_lines = false;
  bool is_open = false;  // its last line has no end
  const char* ending = "\n";
};

// A header has a tenth of this. What is blank for longer is taken for a table.
constexpr std::size_t kHead = 4096;

// Of a table with this beginning, of which `last` is the last byte.
[[nodiscard]] Shape shape_of(std::string_view head, std::string_view last) {
  const std::size_t newline = head.find('\n');
  const bool has_return =
      newline != std::string_view::npos && newline > 0 && head[newline - 1] == '\r';
  return {.has_lines = head.size() == kHead || !is_blank(head),
          .is_open = !last.empty() && last != "\n",
          .ending = has_return ? "\r\n" : "\n"};
}

[[nodiscard]] Shape shape_of(std::string_view table) {
  return shape_of(table.substr(0, kHead), table.substr(table.empty() ? 0 : table.size() - 1));
}

[[nodiscard]] std::string joined(const std::vector<std::string>& lines, const char* ending) {
  std::string text;
  for (const std::string& line : lines) text += line + ending;
  return text;
}

[[nodiscard]] std::string without_newline(std::string line) {
  line.pop_back();
  return line;
}

// What adds these lines behind such a table.
[[nodiscard]] std::string addition(const Shape& table, std::vector<std::string> lines) {
  if (!table.has_lines) lines.insert(lines.begin(), without_newline(results_header()));
  return (table.is_open ? table.ending : "") + joined(lines, table.ending);
}

// The rows of an append alone.
[[nodiscard]] std::vector<std::string> rows_of(std::string_view text) {
  std::vector<std::string> rows = lines_in(text);
  std::erase_if(rows, [](const std::string& line) {
    return line.empty() || line + '\n' == results_header();
  });
  return rows;
}

// Bytes of `text` that the table ends with, from the beginning of a line on: what was written of it
// before the program was killed.
[[nodiscard]] std::size_t already_written(std::string_view table, std::string_view text) {
  for (std::size_t length = std::min(table.size(), text.size()); length > 0; --length) {
    const std::size_t from = table.size() - length;
    const bool begins_a_line = from == 0 || table[from - 1] == '\n';
    if (begins_a_line && table.substr(from) == text.substr(0, length)) return length;
  }
  return 0;
}

[[nodiscard]] bool has_rows(std::string_view table, const std::vector<std::string>& rows) {
  const std::vector<std::string> lines = lines_in(table);
  return table.ends_with('\n') && std::ranges::search(lines, rows).size() == rows.size();
}

// What is missing in a table that is not what it was when the append was planned. Each row names
// its experiment's commit, so that one which stands in the table is this one.
[[nodiscard]] std::string missing_from(std::string_view table,
                                       const std::vector<std::string>& rows) {
  if (has_rows(table, rows)) return {};
  const std::string with_header = addition({}, rows);
  if (with_header.starts_with(table)) return with_header.substr(table.size());
  const Shape shape = shape_of(table);
  const std::string all = joined(rows, shape.ending);
  if (const std::size_t written = already_written(table, all); written > 0) {
    return all.substr(written);
  }
  return addition(shape, rows);
}

// Whether nothing was written where the append was to go, and its rows stand before that: added to
// a file that was replaced meanwhile.
[[nodiscard]] bool stands_before(const File& table, const Append& append) {
  const std::vector<std::string> rows = rows_of(append.text);
  const std::uint64_t length = joined(rows, "\r\n").size();
  const std::string before = table.read(append.at - std::min(append.at, length), length);
  return !rows.empty() && table.size() == append.at && has_rows(before, rows);
}

// Whether the bytes before the append are still the end of a line, or of one that the append ends.
[[nodiscard]] bool joins_on(const File& table, const Append& append) {
  if (append.at == 0 || is_blank(append.text.substr(0, append.text.find('\n')))) return true;
  return table.read(append.at - 1, 1) == "\n";
}

void write_or_leave(const File& table, std::uint64_t at, std::string_view text) {
  try {
    table.write_whole(at, text);
  } catch (const Error&) {
    if (table.is_new()) ::unlink(table.path().c_str());
    throw;
  }
  if (!table.is_new()) return;
  const std::filesystem::path folder = table.path().parent_path();
  sync_folder(folder.empty() ? "." : folder);
}

}  // namespace

Append results_append(const std::filesystem::path& file, const std::vector<ResultsRow>& rows) {
  std::vector<std::string> lines;
  lines.reserve(rows.size());
  for (const ResultsRow& row : rows) lines.push_back(without_newline(results_line(row)));
  const std::optional<File> table = File::open_if_there(file);
  if (!table) return {.at = 0, .text = addition({}, std::move(lines))};
  const std::uint64_t size = table->size();
  const Shape shape =
      shape_of(table->read(0, kHead), table->read(size - std::min<std::uint64_t>(size, 1), 1));
  return {.at = size, .text = addition(shape, std::move(lines))};
}

void finish_append(const std::filesystem::path& file, const Append& append) {
  const File table = File::open_or_make(file);
  const std::uint64_t size = table.size();
  if (size > kLargestFile) {
    throw Error(Stop::environment, fmt::format("cannot add to {0}: it is larger than {1} MiB; "
                                               "remove it, and it is rebuilt from the ledger",
                                               file.string(), kLargestFile >> 20U));
  }
  const std::string there = table.read(append.at, append.text.size());
  if (size >= append.at && joins_on(table, append)) {
    if (there == append.text || stands_before(table, append)) {
      table.sync();
      return;
    }
    if (size - append.at <= append.text.size() && is_part_of(there, append.text)) {
      write_or_leave(table, append.at, append.text);
      return;
    }
  }
  write_or_leave(table, size, missing_from(table.read(0, size), rows_of(append.text)));
}

}  // namespace autokernel::ledger
