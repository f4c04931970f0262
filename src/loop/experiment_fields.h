// What an experiment's entry in the ledger has of its source and its result.
#pragma once

#include <cstddef>
#include <string>

#include "autokernel/cases/editable_files.h"
#include "autokernel/ledger/entry.h"
#include "autokernel/trial/result.h"

namespace autokernel::loop {

// What a kernel's files are remembered by, those that nothing includes left out: two kernels with
// the same digest compile to the same code.
[[nodiscard]] std::string digest_of(const cases::KernelSource& source);
// Words and signs in them.
[[nodiscard]] std::size_t count_tokens(const cases::KernelSource& source);
// Median, rate and the rest of a correct result, into the entry.
void fill_in(ledger::Experiment& experiment, const trial::Result& result);

}  // namespace autokernel::loop
