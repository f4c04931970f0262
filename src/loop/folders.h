// Where the loop keeps what it writes, below the root of a worktree.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "autokernel/cases/command.h"

namespace autokernel::loop {

class Folders {
 public:
  explicit Folders(std::filesystem::path root) : root_(std::move(root)) {}

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  [[nodiscard]] std::filesystem::path results() const { return root_ / cases::kResults; }
  [[nodiscard]] std::filesystem::path own() const { return root_ / kOwn; }
  [[nodiscard]] std::filesystem::path ledger() const { return own() / "ledger.jsonl"; }
  [[nodiscard]] std::filesystem::path journal() const { return own() / "journal.json"; }
  // The journal of a step that was taken back, where its reference in git could not be deleted.
  [[nodiscard]] std::filesystem::path taken_back() const { return own() / "taken-back.json"; }
  [[nodiscard]] std::filesystem::path brief() const { return own() / "brief.md"; }
  // The log of one experiment, from the root.
  [[nodiscard]] static std::string log(const std::string& tag, int number) {
    return std::string(kOwn) + "/runs/" + tag + "/" + std::to_string(number) + ".log";
  }
  // The log of a further trial of an experiment, at another size.
  [[nodiscard]] static std::string log_of(const std::string& log, const std::string& size) {
    return std::filesystem::path(log).replace_extension(size + ".log").string();
  }
  // The log of a trial without the change of an experiment, from the root.
  [[nodiscard]] static std::string ablation_log(const std::string& tag, int number) {
    return std::string(kOwn) + "/runs/" + tag + "/ablation-" + std::to_string(number) + ".log";
  }
  // What the agent printed before that experiment, from the root.
  [[nodiscard]] static std::string agent_log(const std::string& tag, int number) {
    return std::string(kOwn) + "/runs/" + tag + "/agent-" + std::to_string(number) + ".log";
  }
  // Of several agents, each with a number: the worktree of one, and the logs of its turns and
  // trials, from the root. Experiments get their numbers when they are recorded.
  [[nodiscard]] std::filesystem::path agent_worktree(std::size_t agent) const {
    return own() / kAgents / std::to_string(agent);
  }
  [[nodiscard]] static std::string log_by_agent(const std::string& tag, std::size_t agent,
                                                const std::string& name) {
    return std::string(kOwn) + "/runs/" + tag + "/by-agent-" + std::to_string(agent) + "/" + name +
           ".log";
  }
  // The PTX of an experiment, beside its log.
  [[nodiscard]] static std::string ptx(const std::string& log) {
    return std::filesystem::path(log).replace_extension(".ptx").string();
  }
  // What became of a run's notifications, from the root.
  [[nodiscard]] static std::string webhooks(const std::string& tag) {
    return std::string(kOwn) + "/runs/" + tag + "/webhooks.jsonl";
  }
  // Where the results of an earlier run, and files that an agent should not have touched, are kept.
  [[nodiscard]] std::filesystem::path aside() const { return own() / "aside"; }
  // Makes a new folder there, "turn-1" or the next that is free.
  [[nodiscard]] std::filesystem::path new_aside(const std::string& name) const;

  // Makes own(), with a .gitignore that keeps git out of it. Throws Error(environment), also where
  // a link is in its place.
  void make() const;
  // Makes a folder below the root, and those on the way to it; none may be a link.
  void make_below(const std::filesystem::path& folder) const;
  // The bytes of a file below the root, which may not be a link; none where there is no such file.
  [[nodiscard]] std::optional<std::string> read(const std::filesystem::path& file,
                                                std::string_view role) const;
  // The root of the run that a folder belongs to: of one in the worktree of one of several agents,
  // where that worktree is; otherwise the folder itself.
  [[nodiscard]] static std::filesystem::path of_run(const std::filesystem::path& folder);
  // Whether a path from the root is the loop's own, and so never a change of the user's.
  [[nodiscard]] static bool are_own(const std::string& path);

 private:
  static constexpr const char* kOwn = ".autokernel";
  static constexpr const char* kAgents = "agents";

  std::filesystem::path root_;
};

}  // namespace autokernel::loop
