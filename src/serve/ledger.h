// What a judge was asked and what it found, in a SQLite file of its own. It outlives the judge:
// what waits or is under way when a judge is killed is taken up by the next. A trial has one
// result: who hands in another, or one of an attempt that was given up, is told so.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "autokernel/base/owned.h"
#include "serve/queue.h"

namespace autokernel::serve {

enum class State : std::uint8_t { queued, running, done, failed, cancelled, expired };
[[nodiscard]] const char* spelling(State state);
[[nodiscard]] inline bool is_over(State state) { return state > State::running; }

// What is handed in: a kernel for a case, or a solution of FlashInfer Trace.
enum class TaskKind : std::uint8_t { trial, solution };

struct Task {
  TrialId id = 0;
  TaskKind kind = TaskKind::trial;
  std::string client = {};     // "uid 1000", "token alice"
  std::string key = {};        // the client's own name for it, so that it can ask again
  std::string case_name = {};  // as registered
  std::string order = {};      // what is to be measured (judge_request.h), or the solution
  Wanted wanted = {};
  double received = 0;  // seconds since 1970, as all times here
  double deadline = 0;  // by which it has to be over
  // What became of it.
  State state = State::queued;
  int attempts = 0;         // that were begun
  std::string device = {};  // of the last attempt, as it was named to the judge
  double begun = 0;
  double ended = 0;
  std::string answer = {};  // the last event of the trial, or why there is none
};

class Ledger {
 public:
  // Makes the file where there is none. Throws Error(environment) naming it, as everything below
  // does: a disk that is full loses nothing that was in it.
  explicit Ledger(const std::filesystem::path& file);

  // Whether the disk has space for what is under way and the machine it is on.
  [[nodiscard]] bool has_room() const;
  // The id. A task of the same client and key is not added again: that one's id.
  TrialId add(const Task& task);
  [[nodiscard]] std::optional<Task> find(TrialId id) const;
  [[nodiscard]] std::optional<TrialId> find(const std::string& client,
                                            const std::string& key) const;
  [[nodiscard]] std::optional<State> state(TrialId id) const;
  [[nodiscard]] std::optional<TaskKind> kind(TrialId id) const;
  // Its number among the attempts.
  int begin(TrialId id, const std::string& device, double now);
  // Another attempt is to follow.
  void give_up_attempt(TrialId id);
  // False where that attempt is not under way: nothing is changed then. Attempt 0 is for what
  // waits.
  bool end(TrialId id, int attempt, State state, const std::string& answer, double now);

  // Those that are not over, in order, without their orders and answers.
  void for_each_open(const std::function<void(const Task&)>& visit) const;
  [[nodiscard]] std::map<State, std::int64_t> count() const;
  // Forgets what was over before then, and returns how many tasks that were.
  int forget_before(double time);

 private:
  class Statement;
  void execute(const char* sql) const;
  [[nodiscard]] int changes() const;

  std::filesystem::path path_;
  Owned<sqlite3*> file_;
  // Statements are prepared once; they belong to the file.
  mutable std::map<std::string, Owned<sqlite3_stmt*>, std::less<>> prepared_;
};

}  // namespace autokernel::serve
