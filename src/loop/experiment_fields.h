// What an experiment's entry in the ledger has of its source and its result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/cases/editable_files.h"
#include "autokernel/ledger/entry.h"
#include "autokernel/trial/result.h"

namespace autokernel::loop {

// In which language the editable files are: CUDA C++, or whatever the commands of a case know.
enum class Written : std::uint8_t { in_cuda, anyhow };

// What a kernel's files are remembered by, those that nothing includes left out: two kernels with
// the same digest compile to the same code. Of other programs it is all bytes of all files.
[[nodiscard]] std::string digest_of(const cases::KernelSource& source, Written written);
// Words and signs in them; of other programs words alone.
[[nodiscard]] std::size_t count_tokens(const cases::KernelSource& source, Written written);
// What the case is measured by, in place of a time.
[[nodiscard]] ledger::MetricValue metric_of(const trial::MetricReport& report, double value);
// The gain over the incumbent; none where there was no comparison.
[[nodiscard]] std::optional<ledger::Gain> gain_of(const trial::Result& result);
// What a correct trial at one of several sizes came to.
[[nodiscard]] ledger::SizeFigures figures_of(const std::string& size, double weight,
                                             const trial::Result& result);
// Median, rate and the rest of a correct result, into the entry; those of the `sizes` that make the
// score, if there are several, as weighted geometric means.
void fill_in(ledger::Experiment& experiment, const trial::Result& result,
             std::vector<ledger::SizeFigures> sizes = {});

}  // namespace autokernel::loop
