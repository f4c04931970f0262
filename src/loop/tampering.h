// What was changed in the references of a run in git between two commands.
#pragma once

#include <string>
#include <vector>

#include "autokernel/loop/status.h"
#include "autokernel/repo/repository.h"

namespace autokernel::loop {

// A sentence on each reference of an experiment that is gone or names another commit.
[[nodiscard]] std::vector<std::string> reference_faults(const repo::Repository& repository,
                                                        const Status& status);

}  // namespace autokernel::loop
