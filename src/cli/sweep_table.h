// The rows of a sweep as text, in columns that are as wide from the first row on.
#pragma once

#include <string>
#include <vector>

#include "cli/sweep.h"

namespace autokernel::cli {

class SweepTable {
 public:
  SweepTable(const cases::Case& problem, const SweepPlan& plan);

  // Each with its line end; a value that does not exist is a dash.
  [[nodiscard]] std::string head() const;
  [[nodiscard]] std::string row(const SweepRow& row) const;

 private:
  struct Column {
    std::string name;
    std::size_t width;
  };
  void append(const std::string& name, std::size_t width);
  [[nodiscard]] std::string line(const std::vector<std::string>& cells) const;

  std::vector<std::string> symbols_;
  bool has_incumbent_;
  std::vector<Column> columns_;  // but for the last, which has words
};

// What is known of all rows: "key: value" lines.
[[nodiscard]] std::string sweep_summary(const std::vector<SweepRow>& rows, std::size_t planned);

}  // namespace autokernel::cli
