// results.tsv: a row for each experiment, in the form that existing plots and agents read.
//
//   commit <tab> median_us <tab> tflops_s <tab> status <tab> description
//
// The first line is those names. Status is keep, discard or crash; a failed run carries 999999.000
// and 0.00.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autokernel/ledger/entry.h"
#include "autokernel/ledger/ledger.h"

namespace autokernel::ledger {

struct ResultsRow {
  std::string commit;               // its first seven digits
  std::optional<double> median_us;  // none: 999999.000
  bool is_metric = false;           // it is no time, but what a [command] case is measured by
  std::optional<double> tflops_s;   // none: 0.00
  Status status = Status::discard;
  std::string description;
  friend bool operator==(const ResultsRow&, const ResultsRow&) = default;
};

// The row of an experiment.
[[nodiscard]] ResultsRow results_row(const Experiment& experiment);
// Each with its newline. Tabs, newlines and other control characters of a description become
// blanks.
[[nodiscard]] std::string results_header();
[[nodiscard]] std::string results_line(const ResultsRow& row);

// The rows of a table's text. Carriage returns, blank lines, a missing newline at the end and
// further columns are taken as they come. Throws Error(usage) naming `file` and the line, from 1,
// where the header is another, a row has too few columns, or a value is none.
[[nodiscard]] std::vector<ResultsRow> parse_results(std::string_view text,
                                                    const std::filesystem::path& file);

// What appending these rows to the file would be: where, and which bytes (with a header where the
// file is missing or empty, after a newline where its last line has none).
[[nodiscard]] Append results_append(const std::filesystem::path& file,
                                    const std::vector<ResultsRow>& rows);
// Carries it out, or finishes one that was under way when the program was killed; on the disk when
// it returns. Other programs may write the file, too: where what follows `at` is neither a part
// of the append nor begins with it, it is added at the end, unless it stands there already. Throws
// Error(environment); the file is then as it was.
void finish_append(const std::filesystem::path& file, const Append& append);

// The whole table, header included, of the experiments of a run (of all runs where `tag` is empty).
[[nodiscard]] std::string results_from(const std::vector<Row>& rows, const std::string& tag);

}  // namespace autokernel::ledger
