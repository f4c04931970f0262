// Git's settings outside any commit: which files it looks at, and which bytes it writes. Files
// that git is told to overlook are seen by no look at what has changed, and a kernel that git
// converts is not the one that was judged.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "autokernel/loop/status.h"
#include "autokernel/repo/repository.h"
#include "loop/editable_set.h"

namespace autokernel::loop {

// Git's id of each rule's text as it is now; the texts are kept in git's store.
[[nodiscard]] std::map<std::string, std::string> rules_now(const repo::Repository& repository);
// Throws Error(scope), naming each, where one is not what it was when the run was started.
void require_same_rules(const repo::Repository& repository, const ledger::RunStarted& run);
// Makes those that lie in git's own folder what they were again; their names.
[[nodiscard]] std::vector<std::string> put_rules_back(const repo::Repository& repository,
                                                      const ledger::RunStarted& run);

// Throws Error(scope) where a checkout of that commit would write another kernel than git holds.
void require_faithful_checkout(const repo::Repository& repository, const std::string& commit,
                               const EditableSet& editable);
// A sentence on each reason for which what a run has kept is not what a checkout writes; `built`
// are further commits of it.
[[nodiscard]] std::vector<std::string> checkout_faults(const repo::Repository& repository,
                                                       const Status& status,
                                                       const std::vector<std::string>& built);

}  // namespace autokernel::loop
