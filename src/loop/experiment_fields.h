// What an experiment's entry in the ledger has of its source and its result.
#pragma once

#include <string>

#include "autokernel/ledger/entry.h"
#include "autokernel/trial/result.h"

namespace autokernel::loop {

// What the source is remembered by: two with the same digest compile to the same code.
[[nodiscard]] std::string digest_of(const std::string& source);
// Median, rate and the rest of a correct result, into the entry.
void fill_in(ledger::Experiment& experiment, const trial::Result& result);

}  // namespace autokernel::loop
