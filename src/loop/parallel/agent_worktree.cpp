#include "loop/parallel/agent_worktree.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <system_error>

#include "autokernel/base/files.h"
#include "autokernel/base/number.h"
#include "autokernel/base/sha256.h"
#include "loop/agent_cleanup.h"
#include "loop/run_reference.h"
#include "loop/scope.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTurns = "autokernel-agents";

// Not by way of a link, which an agent may have made.
[[nodiscard]] bool is_folder(const fs::path& path) {
  std::error_code missing;
  return fs::is_directory(fs::symlink_status(path, missing));
}
// Removes what is no folder of its own.
void clear_for_folder(const fs::path& path) {
  std::error_code gone;
  if (!is_folder(path)) fs::remove_all(path, gone);
}

// Which agent a folder of that name belongs to.
[[nodiscard]] std::optional<std::size_t> number_of(const fs::path& folder) {
  std::size_t agent = 0;
  return read_number(folder.filename().string(), agent) ? std::optional(agent) : std::nullopt;
}

}  // namespace

AgentWorktree::AgentWorktree(const Workspace& workspace, std::size_t agent)
    : workspace_(workspace), agent_(agent), root_(workspace.folders().agent_worktree(agent)) {}

std::string AgentWorktree::name() const {
  // A repository may have several worktrees with a run in each.
  constexpr std::size_t kDigits = 8;
  return fmt::format("autokernel-{}-{}", sha256(root_.string()).substr(0, kDigits), agent_);
}

fs::path AgentWorktree::turn_folder() const {
  const fs::path all = workspace_.repository().git_folder() / kTurns;
  fs::path folder = all / std::to_string(agent_);
  clear_for_folder(all);
  clear_for_folder(folder);
  make_folders(folder);
  return folder;
}

bool AgentWorktree::is_intact() const {
  const repo::Repository& ours = workspace_.repository();
  return is_folder(root_) && ours.is_linked_worktree(root_, name());
}

void AgentWorktree::require_intact() const {
  if (is_intact()) return;
  throw Error(Stop::repository,
              fmt::format("the worktree of agent {} is no longer what it was made", agent_));
}

bool AgentWorktree::reopen() {
  // Before anything there is touched: no folder on the way may be a link to somewhere else.
  workspace_.folders().make_below(root_.parent_path());
  if (repository_ || !is_intact()) return false;
  try {
    repository_ = std::make_unique<repo::Repository>(repo::Repository::open(root_));
    commit_ = repository_->head().commit;
    return true;
  } catch (const Error&) {
    // What cannot be opened any more is made again.
    repository_.reset();
    return false;
  }
}

void AgentWorktree::rescue(const EditableSet& editable) {
  if (repository_) return;
  if (!reopen()) return keep_what_is_there(editable);
  try {
    if (const std::string aside = put_edit_aside(editable); !aside.empty()) {
      workspace_.say(
          fmt::format("an edit of agent {} that was never measured is in {}", agent_, aside));
    }
  } catch (const Error&) {
    repository_.reset();
  }
}

void AgentWorktree::set(const std::string& commit, const EditableSet& editable) {
  const repo::Repository& ours = workspace_.repository();
  std::error_code unreadable;
  rescue(editable);
  // An agent may have taken it apart, or put a link to somewhere else in its place.
  if (!is_intact()) repository_.reset();
  if (!repository_) {
    fs::remove_all(root_, unreadable);
    workspace_.folders().make_below(root_);
    ours.link_worktree(root_, name(), commit);
    repository_ = std::make_unique<repo::Repository>(repo::Repository::open(root_));
  }
  repository_->set_worktree(commit);
  commit_ = commit;
}

std::string AgentWorktree::put_edit_aside(const EditableSet& editable) const {
  if (commit_.empty()) return {};
  require_intact();
  if (editable.matches(*repository_, commit_)) return {};
  return put_aside(editable.in_worktree(root_));
}

AgentWorktree::Strays AgentWorktree::strays(const EditableSet& editable,
                                            const std::string& tag) const {
  require_intact();
  Strays strays;
  std::vector<std::string> paths;
  for (const ledger::Unsaved& other : unsaved_files(*repository_, editable))
    if (!Folders::are_own(other.path)) paths.push_back(other.path);
  if (!paths.empty()) strays.aside = put_aside(paths);
  // What git makes of the edit is not to depend on them.
  for (const std::string& path : paths) {
    repository_->blob_at(commit_, path) ? repository_->check_out(commit_, path)
                                        : repository_->remove(path);
  }
  if (const std::string head = repository_->head().commit; head != commit_) {
    strays.commit = head;
    set_run_reference(workspace_.repository(), stray_reference(tag, head), head);
  }
  return strays;
}

void AgentWorktree::keep_what_is_there(const EditableSet& editable) const {
  if (!is_folder(root_)) return;
  try {
    const std::string aside = put_aside(editable.in_worktree(root_));
    workspace_.say(fmt::format("the last edit of agent {} is in {}", agent_, aside));
  } catch (const Error&) {
    // It is no file, or lies behind a link.
    workspace_.say(fmt::format("the last edit of agent {} cannot be kept", agent_));
  }
}

void AgentWorktree::give_up(const EditableSet& editable) {
  keep_what_is_there(editable);
  repository_.reset();
  workspace_.folders().make_below(root_.parent_path());
  workspace_.repository().unlink_worktree(root_, name());
}

void AgentWorktree::make_own() const {
  workspace_.folders().make_below(root_.parent_path());
  clear_for_folder(own());
  workspace_.folders().make_below(own());
}

std::string AgentWorktree::put_aside(const std::vector<std::string>& paths) const {
  const fs::path folder = workspace_.folders().new_aside(fmt::format("agent-{}", agent_));
  for (const std::string& path : paths) {
    const auto bytes = read_file_below(root_, path, "an agent's edit");
    if (!bytes) continue;
    make_folders((folder / path).parent_path());
    write_file_atomically(folder / path, *bytes);
  }
  return folder.lexically_relative(workspace_.folders().root()).string();
}

void AgentWorktree::remove() const {
  workspace_.folders().make_below(root_.parent_path());
  delete_run_reference(workspace_.repository(), reference_of_agent(agent_));
  workspace_.repository().unlink_worktree(root_, name());
  std::error_code gone;
  fs::remove_all(own(), gone);
  fs::remove(root_.parent_path(), gone);
  // Where a turn is written down that is not over, they stay.
  const fs::path turns = workspace_.repository().git_folder() / kTurns;
  fs::remove(turns / std::to_string(agent_), gone);
  fs::remove(turns, gone);
}

void remove_agent_worktrees(const Workspace& workspace, const EditableSet& editable) {
  std::set<std::size_t> agents;
  std::error_code none;
  for (const fs::path& folder : {workspace.repository().git_folder() / kTurns,
                                 workspace.folders().agent_worktree(0).parent_path()}) {
    for (const auto& entry : fs::directory_iterator(folder, none))
      if (const auto agent = number_of(entry.path())) agents.insert(*agent);
  }
  for (const std::size_t agent : agents) {
    AgentWorktree worktree(workspace, agent);
    worktree.rescue(editable);
    worktree.remove();
  }
}

std::string reference_of_agent(std::size_t agent) {
  return fmt::format("refs/autokernel-agents/{}", agent);
}

std::vector<fs::path> agent_turn_folders(const fs::path& git_folder) {
  std::vector<fs::path> folders;
  std::error_code none;
  if (!is_folder(git_folder / kTurns)) return folders;
  for (const auto& folder : fs::directory_iterator(git_folder / kTurns, none))
    if (number_of(folder.path()) && is_folder(folder.path())) folders.push_back(folder.path());
  return folders;
}

}  // namespace autokernel::loop
