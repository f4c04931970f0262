#include "loop/git_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "autokernel/base/error.h"

namespace autokernel::loop {
namespace {

[[nodiscard]] std::vector<std::string> changed_rules(const repo::Repository& repository,
                                                     const ledger::RunStarted& run) {
  std::vector<std::string> changed;
  const std::map<std::string, std::string> now = repository.rules();
  for (const auto& [rule, id] : run.git_rules) {
    const auto one = now.find(rule);
    const std::string text = one == now.end() ? "" : one->second;
    if (repo::hash_of_bytes(text) != id) changed.push_back(rule);
  }
  return changed;
}

[[nodiscard]] bool is_in_gits_folder(const std::string& rule) { return rule.starts_with(".git/"); }

[[nodiscard]] std::string remedy_for(const std::string& rule, const std::string& id) {
  if (is_in_gits_folder(rule)) {
    return fmt::format("'git cat-file blob {} > \"$(git rev-parse --git-path {})\"' restores it",
                       id, rule.substr(rule.find('/') + 1));
  }
  return "restore the setting and the file that it names, or start a new run from here "
         "('autokernel loop start TAG')";
}

}  // namespace

std::map<std::string, std::string> rules_now(const repo::Repository& repository) {
  std::map<std::string, std::string> ids;
  for (const auto& [rule, text] : repository.rules()) ids[rule] = repository.store_bytes(text);
  return ids;
}

void require_same_rules(const repo::Repository& repository, const ledger::RunStarted& run) {
  const std::vector<std::string> changed = changed_rules(repository, run);
  if (changed.empty()) return;
  throw Error(Stop::scope,
              fmt::format("git's settings for which files to track, or which bytes to write, have "
                          "changed since the run was started: {}; nothing was done. {}",
                          fmt::join(changed, ", "),
                          remedy_for(changed.front(), run.git_rules.at(changed.front()))));
}

std::vector<std::string> put_rules_back(const repo::Repository& repository,
                                        const ledger::RunStarted& run) {
  std::vector<std::string> put_back;
  for (const std::string& rule : changed_rules(repository, run)) {
    if (!is_in_gits_folder(rule)) continue;
    const auto text = repository.bytes_of(run.git_rules.at(rule));
    if (text && repository.set_rule(rule, *text)) put_back.push_back(rule);
  }
  return put_back;
}

void require_faithful_checkout(const repo::Repository& repository, const std::string& commit,
                               const EditableSet& editable) {
  for (const std::string& path : editable.at(repository, commit)) {
    const std::string fault = repository.checkout_fault(commit, path);
    if (!fault.empty()) throw Error(Stop::scope, fault + "; nothing was done");
  }
}

std::vector<std::string> checkout_faults(const repo::Repository& repository, const Status& status,
                                         const std::vector<std::string>& built) {
  std::vector<std::string> faults;
  for (const std::string& path : EditableSet(status.run).at(repository, status.best.commit)) {
    auto fault = repository.checkout_fault(status.best.commit, path);
    if (!fault.empty()) faults.push_back(std::move(fault));
  }
  std::vector<std::string> commits = built;
  commits.push_back(status.run.base);
  for (const ledger::Experiment& experiment : status.experiments) {
    commits.push_back(experiment.commit);
  }
  for (const std::string& name : repository.replaced_objects(commits)) {
    const std::string id = name.substr(name.rfind('/') + 1);
    faults.push_back(
        fmt::format("git has a replacement for the object {} ('git replace', {}), and would write "
                    "that: 'git replace -d {}' removes it",
                    id.substr(0, 12), name, id));
  }
  return faults;
}

}  // namespace autokernel::loop
