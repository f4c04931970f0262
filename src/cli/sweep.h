// `autokernel bench --sweep`: one trial at each of several sizes of a case, as a table, as JSON and
// as pictures.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/cases/case.h"
#include "autokernel/cli/cli.h"
#include "autokernel/trial/result.h"

namespace autokernel::cli {

// What became of one size.
struct SweepRow {
  std::string size;
  cases::Sizes symbols;
  std::map<std::string, std::string> texts = {};  // of all symbols, types among them
  std::optional<trial::Result> result;            // none where it could not be run
  std::string error;                              // why not
  int exit_code = 0;
  std::string record;  // the object that bench --json prints
};

struct SweepPlan {
  std::vector<std::string> sizes;
  bool has_incumbent = false;
  bool json = false;
  std::string plot;  // files of the pictures; empty: none
  std::string roofline;
};

// Those named in a list with commas; all of them, those with the fewest operations first, where it
// is empty. Throws Error(usage) for a size that the case lacks, and for one that is named twice.
[[nodiscard]] std::vector<std::string> sweep_sizes(const cases::Case& problem,
                                                   const std::string& list);

// Throws Error where the pictures could not be drawn or written later, before anything is measured.
void require_drawable(const SweepPlan& plan);

// The trial of one size: a verdict, or an Error.
struct SizeMeasured {
  trial::Result result;
  std::string record;
};
using MeasureSize = std::function<SizeMeasured(const std::string& size)>;

// Measures each size and prints as it goes. An Error of one size is a row; where the first two stop
// in the same words, so would all, and it is thrown. Returns the exit code of the worst row. Throws
// Interrupted when what was measured is printed.
[[nodiscard]] int run_sweep(const cases::Case& problem, const SweepPlan& plan,
                            const MeasureSize& measure, const Console& console);

// Which of two exit codes is worse: a kernel that is wrong before a size that could not be run, and
// that before a comparison that is not won.
[[nodiscard]] int worse(int one, int other);

// Of vs_reference over the sizes that have one; none where no size has.
struct ReferenceMean {
  double ratio = 1;
  std::size_t sizes = 0;
};
[[nodiscard]] std::optional<ReferenceMean> reference_mean(const std::vector<SweepRow>& rows);

}  // namespace autokernel::cli
