// The references that a run holds its commits and its seal by.
#pragma once

#include <string>

#include "autokernel/repo/repository.h"

namespace autokernel::loop {

// Makes it, or moves it. What an agent has put in its way, as refs/autokernel/demo/7/x is in that
// of refs/autokernel/demo/7, is renamed to refs/autokernel-strays/in-the-way/DIGEST.
void set_run_reference(const repo::Repository& repository, const std::string& name,
                       const std::string& object);

}  // namespace autokernel::loop
