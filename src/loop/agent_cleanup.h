// Taking back what an agent should not have done, with everything it did kept aside.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autokernel/loop/status.h"
#include "autokernel/repo/repository.h"
#include "loop/folders.h"
#include "loop/saved_index.h"

namespace autokernel::loop {

// Where a commit that an agent has made is kept.
[[nodiscard]] std::string stray_reference(const std::string& tag, const std::string& commit);

struct Cleanup {
  std::vector<std::string> files;  // that were put back, as the agent left them: where they lie now
  std::string commit;              // that the branch had been moved to; empty: it had not
  std::string lost;  // of what was staged, in a sentence with what to do; empty: nothing
  [[nodiscard]] bool nothing() const { return files.empty() && commit.empty(); }
};

// Sets the head back to the run's branch at its best commit, the index to what it was before the
// turn (where there was one), and every file but the editable one to what it was when the run was
// started. What the agent left of them is moved to a new folder. A file that was too large to be
// kept stays.
[[nodiscard]] Cleanup clean_up(const repo::Repository& repository, const Folders& folders,
                               const Status& status, const std::optional<SavedIndex>& index);

}  // namespace autokernel::loop
