#include "autokernel/ledger/results_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autokernel/base/error.h"
#include "autokernel/base/number.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/ledger/ledger.h"
#include "ledger/figure_range.h"
#include "ledger/status.h"

namespace autokernel::ledger {
namespace {

// As it is read back from the ledger, so that the table is the same whichever of the two it is made
// from.
[[nodiscard]] std::string one_line(std::string_view text) { return visible_line(valid_utf8(text)); }

constexpr std::string_view kHeader = "commit\tmedian_us\ttflops_s\tstatus\tdescription";
constexpr std::size_t kColumns = 5;
constexpr std::size_t kShortCommit = 7;  // as git abbreviates
// What plots and agents know as "no time"; no kernel's median is just this long.
constexpr double kNoMedian = 999999;
// Of what stands in a line that is not understood, so that the message stays one line.
constexpr std::size_t kLongestQuote = 40;

[[nodiscard]] std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \r") - begin + 1);
}

[[nodiscard]] std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

[[nodiscard]] std::vector<std::string_view> columns_of(std::string_view line) {
  std::vector<std::string_view> columns;
  for (;;) {
    const std::size_t tab = line.find('\t');
    columns.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return columns;
    line.remove_prefix(tab + 1);
  }
}

// Where a line stands, for what is wrong with it.
struct Place {
  const std::filesystem::path& file;
  std::size_t line;

  [[nodiscard]] Error error(const std::string& what) const {
    return {Stop::usage, fmt::format("cannot read {}:{}: {}", file.string(), line, what)};
  }
};

[[nodiscard]] std::string quoted(std::string_view text) {
  const bool is_long = text.size() > kLongestQuote;
  return "'" + one_line(text.substr(0, kLongestQuote)) + (is_long ? "...'" : "'");
}

// None for inf and nan: Python writes them where it has measured nothing.
[[nodiscard]] std::optional<double> number_in(std::string_view column, const char* name,
                                              const Place& place) {
  const std::string_view text = without_blanks(column);
  double value = 0;
  if (!read_number(text, value) || value < 0) {
    throw place.error(
        fmt::format("{} is {}, which is not a number of 0 or more", name, quoted(text)));
  }
  if (!std::isfinite(value)) return std::nullopt;
  if (value != 0 && !is_in_range(value)) {
    throw place.error(
        fmt::format("{} is {}, which is out of range: 0, or {}", name, quoted(text), kFigureRange));
  }
  return value;
}

[[nodiscard]] ResultsRow row_in(std::string_view line, const Place& place) {
  const std::vector<std::string_view> columns = columns_of(line);
  if (columns.size() < kColumns) {
    throw place.error(fmt::format("it has {} columns, not {}", columns.size(), kColumns));
  }
  ResultsRow row;
  row.commit = without_blanks(columns[0]);
  row.median_us = number_in(columns[1], "median_us", place);
  if (row.median_us == kNoMedian) row.median_us.reset();
  row.tflops_s = number_in(columns[2], "tflops_s", place);
  if (row.tflops_s == 0) row.tflops_s.reset();
  const std::optional<Status> status = status_spelled(lower_case(without_blanks(columns[3])));
  if (!status) {
    throw place.error(
        fmt::format("status is {}, which is not keep, discard or crash", quoted(columns[3])));
  }
  row.status = *status;
  row.description = columns[4];
  return row;
}

void check_header(std::string_view line, const Place& place) {
  const std::vector<std::string_view> names = columns_of(kHeader);
  const std::vector<std::string_view> columns = columns_of(line);
  const auto is_named = [](std::string_view name, std::string_view column) {
    return name == lower_case(without_blanks(column));
  };
  if (columns.size() < names.size() ||
      !std::equal(names.begin(), names.end(), columns.begin(), is_named)) {
    throw place.error(
        fmt::format("the header is {}, not the tab-separated names commit, median_us, tflops_s, "
                    "status, description",
                    quoted(line)));
  }
}

}  // namespace

ResultsRow results_row(const Experiment& experiment) {
  return {.commit = experiment.commit.substr(0, kShortCommit),
          .median_us = experiment.figure(),
          .is_metric = experiment.metric.has_value(),
          .tflops_s = experiment.tflops_s,
          .status = experiment.status,
          .description = experiment.description};
}

std::string results_header() { return std::string(kHeader) + '\n'; }

std::string results_line(const ResultsRow& row) {
  // Of a metric all digits: it may well lie between 0 and 1.
  const std::string figure = row.is_metric && row.median_us
                                 ? fmt::format("{:.9g}", *row.median_us)
                                 : fmt::format("{:.3f}", row.median_us.value_or(kNoMedian));
  return fmt::format("{}\t{}\t{:.2f}\t{}\t{}\n", one_line(row.commit), figure,
                     row.tflops_s.value_or(0), spelling(row.status), one_line(row.description));
}

std::vector<ResultsRow> parse_results(std::string_view text, const std::filesystem::path& file) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // some editors put it in front
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<ResultsRow> rows;
  bool has_header = false;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (line.ends_with('\r')) line.remove_suffix(1);
    if (without_blanks(line).empty()) continue;
    const Place place{file, number};
    if (has_header) {
      rows.push_back(row_in(line, place));
    } else {
      check_header(line, place);
      has_header = true;
    }
  }
  return rows;
}

std::string results_from(const std::vector<Row>& rows, const std::string& tag) {
  std::string table = results_header();
  for (const Row& row : rows) {
    const auto* experiment = std::get_if<Experiment>(&row.entry);
    if (experiment == nullptr || (!tag.empty() && experiment->tag != tag)) continue;
    table += results_line(results_row(*experiment));
  }
  return table;
}

}  // namespace autokernel::ledger
