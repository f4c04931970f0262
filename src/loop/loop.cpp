#include "autokernel/loop/loop.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <ranges>
#include <system_error>
#include <thread>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "loop/kept_index.h"
#include "loop/ledger_backup.h"
#include "loop/loop_parts.h"
#include "loop/names.h"
#include "loop/run_state.h"
#include "loop/stray_processes.h"

namespace autokernel::loop {
namespace {

// Longer than it takes to repair anything, shorter than anyone waits.
constexpr std::chrono::milliseconds kPatience{1000};

constexpr const char* kLock = "autokernel-lock";

// A disk may be mounted to be read only, and a folder somebody else's.
[[nodiscard]] bool may_write(const std::filesystem::path& folder) {
  return ::access(folder.c_str(), W_OK) == 0;
}

}  // namespace

void Loop::Parts::wait_for_lock(const std::string& purpose) {
  // Somebody who only looks may be repairing something just now.
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (take_lock(purpose); !lock; take_lock(purpose)) {
    if (std::chrono::steady_clock::now() >= deadline) {
      throw Error(Stop::repository,
                  fmt::format("another loop is running on {}: {}; wait for it, or stop it",
                              folders.root().string(), under_way));
    }
    std::this_thread::sleep_for(kPatience / 20);
  }
}

std::unique_ptr<Loop::Parts> Loop::Parts::make(const std::filesystem::path& here,
                                               LoopContext context) {
  repo::Repository repository = repo::Repository::open(here);
  const Folders folders(repository.root());
  return std::make_unique<Parts>(Parts{.repository = std::move(repository),
                                       .folders = folders,
                                       .context = std::move(context),
                                       .lock = {},
                                       .under_way = {}});
}

void Loop::Parts::make_ready() const {
  folders.make();
  if (const std::string repaired = keep_ledger(repository, folders); !repaired.empty())
    say(repaired);
}

Loop::Loop(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Loop::Loop(Loop&&) noexcept = default;
Loop& Loop::operator=(Loop&&) noexcept = default;
Loop::~Loop() = default;

void Loop::Parts::take_lock(const std::string& purpose) {
  // In git's own folder, as `git clean -fdx` would take it away while it is held.
  auto taken = FileLock::take(repository.git_folder() / kLock, purpose);
  if (auto* held = std::get_if<FileLock>(&taken)) {
    lock.emplace(std::move(*held));
    under_way.clear();
    // Before anything else: they may be writing into what is repaired.
    if (const std::string ended = end_stray_processes(repository.git_folder()); !ended.empty()) {
      say(ended);
    }
    repair();
    if (const std::string repaired = recover_index(repository, folders); !repaired.empty())
      say(repaired);
  } else {
    under_way = std::get<FileLock::Holder>(taken).text;
  }
}

Loop Loop::open(const std::filesystem::path& here, const std::string& purpose,
                LoopContext context) {
  auto parts = Parts::make(here, std::move(context));
  parts->make_ready();
  parts->wait_for_lock(purpose);
  return Loop(std::move(parts));
}

Loop Loop::open_to_read(const std::filesystem::path& here, LoopContext context) {
  auto parts = Parts::make(here, std::move(context));
  const std::filesystem::path git_folder = parts->repository.git_folder();
  std::error_code unreadable;
  const bool half_done = std::filesystem::exists(parts->folders.journal(), unreadable);
  const bool left_over =
      half_done || is_turn_recorded(git_folder) || is_index_kept(parts->repository);
  if (may_write(git_folder)) {
    if (is_ledger_lost(parts->repository, parts->folders)) parts->make_ready();
    // A lock that was taken for a look would stop a step that begins just now.
    if (left_over) parts->take_lock("autokernel, recovering");
  } else if (left_over) {
    parts->say(
        "a program was killed here and left its work unfinished; it stays so, as nothing can be "
        "written here");
  }
  // An agent that looks around in its turn need not wait for the drive that waits for it.
  if (!half_done) parts->under_way.clear();
  return Loop(std::move(parts));
}

Loop Loop::open_to_verify(const std::filesystem::path& here, const std::string& purpose,
                          LoopContext context) {
  auto parts = Parts::make(here, std::move(context));
  if (may_write(parts->repository.git_folder())) {
    parts->make_ready();
    parts->wait_for_lock(purpose);
  }
  return Loop(std::move(parts));
}

void Loop::require_run(const std::string& tag) const {
  require_run_among(parts_->open_ledger().rows(), tag);
}

const ledger::RunStarted& Loop::run() const { return parts_->run().run; }

const Status& Loop::status() const { return parts_->look().status; }

std::vector<ledger::Entry> Loop::history() const {
  std::vector<ledger::Entry> entries;
  for (ledger::Row& row : parts_->open_ledger().rows()) entries.push_back(std::move(row.entry));
  return entries;
}

ledger::Experiment Loop::experiment(int number, const std::string& tag) const {
  const std::string run = tag.empty() ? parts_->run().run.tag : tag;
  const ledger::Ledger ledger = parts_->open_ledger();
  const std::vector<ledger::Row> rows = ledger.rows();
  if (!tag.empty()) require_run_among(rows, tag);
  for (const ledger::Row& row : std::views::reverse(rows)) {
    const auto* experiment = std::get_if<ledger::Experiment>(&row.entry);
    if (experiment == nullptr || experiment->tag != run || experiment->number != number) continue;
    return std::get<ledger::Experiment>(ledger.read(row));
  }
  throw Error(
      Stop::usage,
      fmt::format("there is no experiment {} in run {}; 'autokernel log' lists them", number, run));
}

std::string Loop::ptx(const ledger::Experiment& experiment) const {
  const std::filesystem::path file = parts_->folders.root() / Folders::ptx(experiment.log);
  const auto text = experiment.log.empty() ? std::nullopt
                                           : parts_->folders.read(file, "the PTX of an experiment");
  if (!text) {
    throw Error(Stop::usage,
                fmt::format("no PTX of experiment {} is kept: it did not compile, or was measured "
                            "by an autokernel that kept none; 'autokernel show {} --source' has "
                            "what it was compiled from",
                            experiment.number, experiment.number));
  }
  return *text;
}

std::string Loop::source(const ledger::Experiment& experiment) const {
  for (const ledger::Entry& entry : history()) {
    const auto* run = std::get_if<ledger::RunStarted>(&entry);
    if (run != nullptr && run->tag == experiment.tag) {
      return parts_->source_at(experiment.commit, run->editable);
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
  return parts_->repository.diff(from, to.commit, parts_->run().run.editable);
}

void Loop::restore(int number) {
  Parts& parts = *parts_;
  const Status& status = parts.run();
  const std::string& editable = status.run.editable;
  const std::string commit = experiment(number).commit;
  // An edit that git has, in the branch or as some experiment, is not lost.
  bool known = parts.repository.file_matches(status.best.commit, editable) ||
               parts.repository.hash_of(editable).empty();
  for (const ledger::Experiment& one : status.experiments) {
    if (known) break;
    known = parts.repository.blob_at(one.commit, editable) == parts.repository.hash_of(editable);
  }
  if (!known) {
    throw Error(Stop::repository,
                fmt::format("{0} has an edit that is in no experiment: make a step of it first, or "
                            "revert it with 'git checkout -- {0}'",
                            editable));
  }
  const auto blob = parts.repository.blob_at(commit, editable);
  if (!blob) {
    throw Error(Stop::repository, fmt::format("commit {} holds no {}", short_id(commit), editable));
  }
  parts.repository.put_back(*blob, editable);
}

}  // namespace autokernel::loop
