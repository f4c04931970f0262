// The worktree of one of several agents, in the loop's own folder, and what belongs to its turns.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "loop/editable_set.h"
#include "loop/workspace.h"

namespace autokernel::loop {

class AgentWorktree {
 public:
  AgentWorktree(const Workspace& workspace, std::size_t agent);

  // Makes all files those of the commit. What an earlier process has left of an edit goes aside
  // first, and where that is, is said.
  void set(const std::string& commit, const EditableSet& editable);
  // Opens what an earlier process has left. False where there is nothing, or it cannot be opened.
  [[nodiscard]] bool reopen();
  // Puts aside what an earlier process has left there of an edit, and says where that is.
  void rescue(const EditableSet& editable);
  // Copies the editable files that lie there to where nothing overwrites them: the folder, from the
  // root of the run's worktree. Empty where they are as in the commit.
  [[nodiscard]] std::string put_edit_aside(const EditableSet& editable) const;
  // What else the agent has done there, kept where nothing overwrites it, and taken back.
  struct Strays {
    std::string aside;   // the folder with other files as they are now; empty: there are none
    std::string commit;  // that it has made, under a reference of the run's; empty: none
  };
  [[nodiscard]] Strays strays(const EditableSet& editable, const std::string& tag) const;
  // Of one that git can make nothing of any more: its edit goes aside, and set() makes it anew.
  void give_up(const EditableSet& editable);
  // Whether it is still that worktree of the run's repository. Throws Error(repository).
  void require_intact() const;
  // Makes the folder for the brief and the idea, where it is not there as one any more.
  void make_own() const;
  // Once set.
  [[nodiscard]] const repo::Repository& repository() const { return *repository_; }

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  // For the brief and the idea, which git ignores.
  [[nodiscard]] std::filesystem::path own() const { return root_.string() + ".turn"; }
  // Of an edit that could not be measured (unmeasured_edit.h).
  [[nodiscard]] std::filesystem::path unmeasured_file() const { return own() / "unmeasured"; }
  [[nodiscard]] const std::string& commit() const { return commit_; }
  // Where the turn under way is written down (stray_processes.h).
  [[nodiscard]] std::filesystem::path turn_folder() const;

  // Removes it.
  void remove() const;

 private:
  [[nodiscard]] bool is_intact() const;
  // Puts the editable files aside, of a folder that git can make nothing of.
  void keep_what_is_there(const EditableSet& editable) const;
  [[nodiscard]] std::string name() const;
  // Copies these files to a new folder; its path from the root of the run's worktree.
  [[nodiscard]] std::string put_aside(const std::vector<std::string>& paths) const;

  const Workspace& workspace_;
  std::size_t agent_;
  std::filesystem::path root_;
  std::unique_ptr<repo::Repository> repository_;
  std::string commit_;  // that it was set to last
};

// Removes those that earlier drives have left; edits in them go aside, and where that is, is said.
void remove_agent_worktrees(const Workspace& workspace, const EditableSet& editable);

// What holds the commit that is being measured for an agent.
[[nodiscard]] std::string reference_of_agent(std::size_t agent);

// Of all agents that there ever were here: where their turns are written down.
[[nodiscard]] std::vector<std::filesystem::path> agent_turn_folders(
    const std::filesystem::path& git_folder);

}  // namespace autokernel::loop
