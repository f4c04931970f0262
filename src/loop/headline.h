// The one number of a run that may be quoted: what fresh processes say, and how far they agree.
#pragma once

#include <string>
#include <vector>

#include "autokernel/ledger/entry.h"
#include "autokernel/trial/result.h"

namespace autokernel::loop {

// The ratio of two times from the mean of the logarithms of its value in each process, with the 95
// % interval that Student's distribution gives for so many processes: what moves from process to
// process is in it. `ratios` holds at least one; of one alone the interval has no end, and is left
// at the value itself.
[[nodiscard]] ledger::Confirmed confirmed(const std::vector<double>& ratios);

// Of one kernel at one size, each from a process of its own; at least one.
struct ResultsAtSize {
  std::string size;
  double weight = 1;  // of its times in the score
  std::vector<trial::Result> results;
};

// Medians and ratios of correct results, into the headline. Each holds the times of the best, of
// the baseline where they were compared, and of the library where there is one. Of several sizes
// they are weighted geometric means, and intervals those of independent means of logarithms.
void summarise(const std::vector<ResultsAtSize>& sizes, ledger::RunFinished& headline);

// A guard-rail of a case of commands that the best is beyond, held against the baseline by the
// median over the processes: "cpu_us is +25.00 % against the baseline's, and at most 20 % worse is
// allowed"; empty: none is.
[[nodiscard]] std::string guard_fault(const std::vector<ResultsAtSize>& sizes);

// What it was compared with, by name and version; empty: nothing.
[[nodiscard]] std::string library_of(const trial::Result& result);

}  // namespace autokernel::loop
