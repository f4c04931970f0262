#include "serve/dispatcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "autokernel/base/error.h"

namespace autokernel::serve {
namespace {

// Seconds. What fails at once is not free: it keeps the others waiting all the same.
constexpr double kLeastCharge = 0.5;
constexpr const char* kTooLate = "its deadline has passed";

[[nodiscard]] std::string device_text(const Offered& offered) {
  return offered.name.empty() ? offered.label : fmt::format("{} ({})", offered.label, offered.name);
}

}  // namespace

Dispatcher::Dispatcher(Ledger& ledger, std::function<double()> clock)
    : ledger_(ledger), clock_(std::move(clock)) {
  std::vector<TrialId> cut_off;
  ledger_.for_each_open([&](const Task& task) {
    queue_.add(task.id, task.client, task.wanted);
    deadlines_.insert({task.deadline, task.id});
    deadline_of_[task.id] = task.deadline;
    if (task.state == State::running) cut_off.push_back(task.id);
  });
  for (const TrialId id : cut_off) ledger_.give_up_attempt(id);
}

TrialId Dispatcher::submit(const Task& task) {
  if (const auto known = ledger_.find(task.client, task.key)) return *known;
  const TrialId id = ledger_.add(task);
  ++counters_.submitted;
  queue_.add(id, task.client, task.wanted);
  deadlines_.insert({task.deadline, id});
  deadline_of_[id] = task.deadline;
  dispatch();
  return id;
}

void Dispatcher::cancel(TrialId id) { end_early(id, State::cancelled, "it was cancelled"); }

void Dispatcher::expire() {
  trouble_.clear();
  for (auto& action : std::exchange(unwritten_, {})) write(std::move(action));
  const double now = clock_();
  while (!deadlines_.empty() && deadlines_.begin()->first < now) {
    const TrialId id = deadlines_.begin()->second;
    forget_deadline(id);
    write([this, id] { end_early(id, State::expired, kTooLate); });
  }
  dispatch();
}

void Dispatcher::write(std::function<void()> action) {
  try {
    action();
  } catch (const Error& error) {
    trouble_ = error.what();
    unwritten_.push_back(std::move(action));
  }
}

void Dispatcher::end(TrialId id, int attempt, State state, const std::string& why) {
  write([this, id, attempt, state, why, now = clock_()] {
    if (ledger_.end(id, attempt, state, why, now)) tell_over(id, state);
  });
}

// After an attempt that came to nothing.
void Dispatcher::put_back(TrialId id) {
  const auto task = ledger_.find(id);
  if (!task || is_over(task->state)) return;
  if (task->deadline < clock_()) return end(id, 0, State::expired, kTooLate);
  queue_.add(id, task->client, task->wanted);
  dispatch();
}

void Dispatcher::end_early(TrialId id, State state, const std::string& why) {
  if (queue_.has(id)) {
    const bool is_ended = ledger_.end(id, 0, state, why, clock_());
    queue_.remove(id);
    if (is_ended) tell_over(id, state);
    return;
  }
  const auto where = worker_of_.find(id);
  if (where == worker_of_.end()) return;
  Running& running = running_.at(where->second);
  if (running.ended_early) return;
  const bool is_ended = ledger_.end(id, running.attempt, state, why, clock_());
  running.ended_early = state;
  running.worker->abort();
  if (is_ended) tell_over(id, state);
}

Dispatcher::WatchId Dispatcher::watch(TrialId id, Watcher watcher) {
  const auto task = ledger_.find(id);
  if (!task || is_over(task->state)) {
    if (task && watcher.over) watcher.over(*task);
    return 0;
  }
  const WatchId watch = next_watch_++;
  watchers_[watch] = {id, std::make_shared<Watcher>(std::move(watcher))};
  watches_of_.emplace(id, watch);
  return watch;
}

void Dispatcher::unwatch(WatchId watch) {
  const auto found = watchers_.find(watch);
  if (found == watchers_.end()) return;
  const auto [begin, end] = watches_of_.equal_range(found->second.first);
  for (auto entry = begin; entry != end; ++entry) {
    if (entry->second != watch) continue;
    watches_of_.erase(entry);
    break;
  }
  watchers_.erase(found);
}

void Dispatcher::tell_over(TrialId id, State state) {
  forget_deadline(id);
  ++counters_.ended[state];
  std::vector<std::shared_ptr<Watcher>> told;
  const auto [begin, end] = watches_of_.equal_range(id);
  for (auto entry = begin; entry != end; ++entry) {
    const auto watcher = watchers_.find(entry->second);
    told.push_back(std::move(watcher->second.second));
    watchers_.erase(watcher);
  }
  watches_of_.erase(begin, end);
  if (told.empty()) return;
  const auto task = ledger_.find(id);
  for (const auto& watcher : told)
    if (task && watcher->over) watcher->over(*task);
}

void Dispatcher::forget_deadline(TrialId id) {
  const auto deadline = deadline_of_.find(id);
  if (deadline == deadline_of_.end()) return;
  deadlines_.erase({deadline->second, id});
  deadline_of_.erase(deadline);
}

void Dispatcher::ready(WorkerId id, Worker& worker, const Offered& offered) {
  idle_[id] = {.worker = &worker, .offered = offered};
  dispatch();
}

void Dispatcher::progressed(WorkerId id, std::string_view event) {
  const auto running = running_.find(id);
  if (running == running_.end() || running->second.ended_early) return;
  const auto [begin, end] = watches_of_.equal_range(running->second.task);
  std::vector<std::shared_ptr<Watcher>> told;
  for (auto entry = begin; entry != end; ++entry)
    told.push_back(watchers_.at(entry->second).second);
  for (const auto& watcher : told)
    if (watcher->progress) watcher->progress(event);
}

void Dispatcher::answered(WorkerId id, State state, const std::string& answer) {
  const auto found = running_.find(id);
  if (found == running_.end()) return;
  const Running running = std::move(found->second);
  running_.erase(found);
  worker_of_.erase(running.task);
  const double now = clock_();
  counters_.device_seconds += now - running.begun;
  queue_.charge(running.client, std::max(kLeastCharge, now - running.begun));
  if (!running.ended_early) end(running.task, running.attempt, state, answer);
}

void Dispatcher::lost(WorkerId id, const std::string& why) {
  idle_.erase(id);
  const auto found = running_.find(id);
  if (found == running_.end()) return;
  const Running running = std::move(found->second);
  running_.erase(found);
  worker_of_.erase(running.task);
  queue_.charge(running.client, std::max(kLeastCharge, clock_() - running.begun));
  if (running.ended_early) return;
  ++counters_.attempts_lost;
  if (running.attempt >= kMostAttempts) {
    const std::string what =
        fmt::format("its device was lost {} times, the last time: {}", running.attempt, why);
    return end(running.task, running.attempt, State::failed, what);
  }
  write([this, id = running.task] {
    ledger_.give_up_attempt(id);
    put_back(id);
  });
}

std::optional<std::string> Dispatcher::wanted_device(WorkerId id) const {
  const auto running = running_.find(id);
  if (running == running_.end() || running->second.wanted.device.empty()) return std::nullopt;
  return running->second.wanted.device;
}

void Dispatcher::dispatch() {
  if (!dispatches_) return;
  for (auto entry = idle_.begin(); entry != idle_.end() && queue_.size() > 0;) {
    const auto task = queue_.next(entry->second.offered);
    if (!task) {
      ++entry;
      continue;
    }
    const WorkerId id = entry->first;
    const Idle idle = entry->second;
    entry = idle_.erase(entry);
    if (start(id, idle, *task)) continue;
    // Nothing is begun that cannot be written down; expire() tries again.
    idle_[id] = idle;
    return;
  }
}

bool Dispatcher::start(WorkerId id, const Idle& idle, TrialId number) {
  const auto task = ledger_.find(number);
  if (!task) throw Error(Stop::internal, fmt::format("trial {} is in no ledger", number));
  const double now = clock_();
  Running running{.task = number,
                  .client = task->client,
                  .wanted = task->wanted,
                  .begun = now,
                  .worker = idle.worker,
                  .ended_early = {}};
  try {
    running.attempt = ledger_.begin(number, device_text(idle.offered), now);
  } catch (const Error& error) {
    trouble_ = error.what();
    queue_.add(number, task->client, task->wanted);
    return false;
  }
  running_[id] = std::move(running);
  worker_of_[number] = id;
  idle.worker->start(*task);
  return true;
}

}  // namespace autokernel::serve
