// A kernel as a solution of the benchmark that its case was imported from.
#pragma once

#include <string>

#include "autokernel/bridge/exported_solution.h"
#include "cli/command.h"
#include "cli/export/exported_source.h"

namespace autokernel::cli {

// Writes it to `out`, and says on standard error what the format cannot hold.
void export_solution_of(const ExportedSource& source, bridge::SolutionFormat format,
                        const bridge::SolutionNames& names, const std::string& out,
                        const Console& console);

}  // namespace autokernel::cli
