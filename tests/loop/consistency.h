// Whether nothing of a run was lost, doubled or left half done.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/scratch_repository.h"

namespace autokernel::loop {

// What git fsck says costs the most; where it is left out, every source is still read.
enum class Fsck : std::uint8_t { no, yes };

// What is wrong with ledger, results, references, branch, file and git's folder, a sentence each:
// one row for each experiment of the last run, each with its source; the head at the last one kept,
// and the file as it is there, or an edit that was in no experiment; nothing left behind.
[[nodiscard]] std::vector<std::string> faults_in(const test::ScratchRepository& scratch,
                                                 Fsck fsck = Fsck::yes);

}  // namespace autokernel::loop
