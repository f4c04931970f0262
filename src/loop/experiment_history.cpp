// What a Loop says of the experiments that it has made, and gives back of their sources.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/ledger/webhook_outcomes.h"
#include "autokernel/loop/loop.h"
#include "loop/editable_set.h"
#include "loop/names.h"
#include "loop/run_record.h"
#include "loop/workspace.h"

namespace autokernel::loop {

namespace {

namespace fs = std::filesystem;

// Before the first file is written: no folder lies in the place of one, and no file in that of its
// folder.
void require_room(const fs::path& root, const std::vector<std::string>& paths) {
  std::error_code unreadable;
  for (const std::string& path : paths) {
    for (fs::path at = path; !at.empty(); at = at.parent_path()) {
      const fs::file_type type = fs::symlink_status(root / at, unreadable).type();
      const bool is_folder = type == fs::file_type::directory;
      const bool is_in_the_way =
          at == path ? is_folder : !is_folder && type != fs::file_type::not_found;
      if (!is_in_the_way) continue;
      throw Error(Stop::repository,
                  fmt::format("cannot restore {}: {} is a {}, and was left as it is; move it away",
                              path, at.string(), is_folder ? "folder" : "file"));
    }
  }
}

// What became of a run's notifications: nothing is known where the file cannot be read, which only
// an agent can have seen to.
[[nodiscard]] ledger::WebhookOutcomes outcomes_of(const Folders& folders, const std::string& tag) {
  try {
    const auto text = folders.read(folders.root() / Folders::webhooks(tag), "the outcomes");
    return ledger::WebhookOutcomes(text.value_or(""));
  } catch (const Error&) {
    return ledger::WebhookOutcomes("");
  }
}

// Into the records that were written before it was known.
void put_in_outcomes(const Folders& folders, std::vector<ledger::Entry>& entries) {
  std::map<std::string, ledger::WebhookOutcomes> by_tag;
  const auto put_into = [&](auto& record) {
    if (!ledger::is_pending(record.webhook)) return;
    auto found = by_tag.find(record.tag);
    if (found == by_tag.end()) {
      found = by_tag.emplace(record.tag, outcomes_of(folders, record.tag)).first;
    }
    found->second.put_into(record);
  };
  for (ledger::Entry& entry : entries) {
    if (auto* experiment = std::get_if<ledger::Experiment>(&entry)) put_into(*experiment);
    if (auto* finished = std::get_if<ledger::RunFinished>(&entry)) put_into(*finished);
  }
}

}  // namespace

void Loop::require_run(const std::string& tag) const {
  require_run_among(record_->open_ledger().rows(), tag);
}

fs::path Loop::webhooks_file(const std::string& tag) { return Folders::webhooks(tag); }

std::vector<ledger::Entry> Loop::history() const {
  std::vector<ledger::Entry> entries;
  for (ledger::Row& row : record_->open_ledger().rows()) entries.push_back(std::move(row.entry));
  put_in_outcomes(workspace_->folders(), entries);
  return entries;
}

ledger::Experiment Loop::experiment(int number, const std::string& tag) const {
  const std::string run = tag.empty() ? record_->status().run.tag : tag;
  const ledger::Ledger ledger = record_->open_ledger();
  const std::vector<ledger::Row> rows = ledger.rows();
  if (!tag.empty()) require_run_among(rows, tag);
  for (const ledger::Row& row : std::views::reverse(rows)) {
    const auto* experiment = std::get_if<ledger::Experiment>(&row.entry);
    if (experiment == nullptr || experiment->tag != run || experiment->number != number) continue;
    std::vector<ledger::Entry> entries = {ledger.read(row)};
    put_in_outcomes(workspace_->folders(), entries);
    return std::get<ledger::Experiment>(std::move(entries.front()));
  }
  throw Error(
      Stop::usage,
      fmt::format("there is no experiment {} in run {}; 'autokernel log' lists them", number, run));
}

std::string Loop::ptx(const ledger::Experiment& experiment) const {
  const std::filesystem::path file = workspace_->folders().root() / Folders::ptx(experiment.log);
  const auto text = experiment.log.empty()
                        ? std::nullopt
                        : workspace_->folders().read(file, "the PTX of an experiment");
  if (!text) {
    throw Error(Stop::usage,
                fmt::format("no PTX of experiment {} is kept: it did not compile, or was measured "
                            "by an autokernel that kept none; 'autokernel show {} --source' has "
                            "what it was compiled from",
                            experiment.number, experiment.number));
  }
  return *text;
}

cases::KernelSource Loop::source(const ledger::Experiment& experiment) const {
  for (const ledger::Entry& entry : history()) {
    const auto* run = std::get_if<ledger::RunStarted>(&entry);
    if (run != nullptr && run->tag == experiment.tag) {
      return EditableSet(*run).source_at(workspace_->repository(), experiment.commit);
    }
  }
  throw Error(Stop::repository,
              "the start of run " + experiment.tag + " is missing from the ledger");
}

std::string Loop::diff(int number, std::optional<int> other) const {
  const ledger::Experiment to = experiment(number);
  if (!other && to.incumbent.empty()) {
    throw Error(Stop::usage, "the baseline has no incumbent; name two experiments");
  }
  const std::string from = other ? experiment(*other).commit : to.incumbent;
  const repo::Repository& repository = workspace_->repository();
  const EditableSet editable(record_->status().run);
  std::vector<std::string> paths = editable.at(repository, from);
  std::ranges::move(editable.at(repository, to.commit), std::back_inserter(paths));
  return repository.diff(from, to.commit, paths);
}

void Loop::restore(int number) {
  const repo::Repository& repository = workspace_->repository();
  const Status& status = record_->status();
  const EditableSet editable(status.run);
  const std::string commit = experiment(number).commit;
  const std::vector<std::string> paths = editable.anywhere(repository, {commit});
  for (const std::string& path : paths) {
    // An edit that git has, in the branch or as some experiment, is not lost.
    const std::string now = repository.hash_of(path);
    bool known = now.empty() || repository.file_matches(status.best.commit, path);
    for (const ledger::Experiment& one : status.experiments) {
      if (known) break;
      known = repository.blob_at(one.commit, path) == now;
    }
    if (known) continue;
    throw Error(
        Stop::repository,
        fmt::format("{} has an edit that is in no experiment: make a step of it first, or "
                    "revert it with '{} {}'",
                    path,
                    repository.blob_at(status.best.commit, path) ? "git checkout HEAD --" : "rm",
                    quoted(path)));
  }
  std::vector<std::string> written;
  std::ranges::copy_if(paths, std::back_inserter(written), [&](const std::string& path) {
    return repository.blob_at(commit, path).has_value();
  });
  require_room(repository.root(), written);
  for (const std::string& path : paths) {
    if (const auto blob = repository.blob_at(commit, path)) {
      repository.put_back(*blob, path);
    } else if (path == editable.main()) {
      throw Error(Stop::repository, fmt::format("commit {} holds no {}", short_id(commit), path));
    } else {
      repository.remove(path);
    }
  }
}

}  // namespace autokernel::loop
