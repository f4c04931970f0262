// The references that a run holds its commits and its seal by.
#pragma once

#include <string>

#include "autokernel/repo/repository.h"

namespace autokernel::loop {

// Makes it, or moves it. What an agent has put in its way, as refs/autokernel/demo/7/x is in that
// of refs/autokernel/demo/7, is renamed to refs/autokernel-strays/in-the-way/DIGEST. Files that are
// no references go to a folder of git's, and a lock that nobody holds is removed.
void set_run_reference(const repo::Repository& repository, const std::string& name,
                       const std::string& object);
// One that is not there is no error.
void delete_run_reference(const repo::Repository& repository, const std::string& name);

}  // namespace autokernel::loop
