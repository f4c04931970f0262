#include "serve/ledger.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "autokernel/base/error.h"

namespace autokernel::serve {
namespace {

// Raised when the meaning of a column changes.
constexpr int kVersion = 1;

// After a power loss the last transactions may be missing, but never a part of one; after a kill
// none is (sqlite.org, "PRAGMA synchronous").
constexpr const char* kSettings =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000; "
    "PRAGMA trusted_schema = OFF;";
constexpr const char* kTables =
    "CREATE TABLE IF NOT EXISTS tasks (id INTEGER PRIMARY KEY AUTOINCREMENT, kind INTEGER NOT "
    "NULL, client TEXT NOT NULL, key TEXT NOT NULL, case_name TEXT NOT NULL, order_text BLOB NOT "
    "NULL, wanted_kind INTEGER NOT NULL, wanted_ordinal INTEGER NOT NULL, wanted_device TEXT NOT "
    "NULL, received REAL NOT NULL, deadline REAL NOT NULL, state INTEGER NOT NULL DEFAULT 0, "
    "attempts INTEGER NOT NULL DEFAULT 0, device TEXT NOT NULL DEFAULT '', begun REAL NOT NULL "
    "DEFAULT 0, ended REAL NOT NULL DEFAULT 0, answer BLOB NOT NULL DEFAULT '', UNIQUE (client, "
    "key)); CREATE INDEX IF NOT EXISTS by_state ON tasks (state, ended);";

constexpr std::array<const char*, 6> kStates = {"queued", "running",   "done",
                                                "failed", "cancelled", "expired"};
// A file that somebody has written in may hold any number.
[[nodiscard]] State state_in(std::int64_t number) {
  const bool is_one = number >= 0 && number < static_cast<std::int64_t>(kStates.size());
  return is_one ? static_cast<State>(number) : State::failed;
}

}  // namespace

const char* spelling(State state) { return kStates.at(static_cast<std::size_t>(state)); }

// One use of a prepared statement, from its first value to its last row.
class Ledger::Statement {
 public:
  Statement(const Ledger& ledger, const char* sql) : ledger_(ledger) {
    auto& kept = ledger.prepared_[sql];
    if (kept.get() == nullptr) {
      sqlite3_stmt* made = nullptr;
      if (sqlite3_prepare_v3(ledger.file_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &made,
                             nullptr) != SQLITE_OK)
        fail();
      kept = {made, [](sqlite3_stmt* statement) { sqlite3_finalize(statement); }};
    }
    statement_ = kept.get();
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() {
    if (statement_ == nullptr) return;
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }

  template <typename... Values>
  Statement& with(const Values&... values) {
    (bind(values), ...);
    return *this;
  }
  // Whether there is a row, or another one.
  [[nodiscard]] bool step() {
    const int code = sqlite3_step(statement_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) fail();
    return code == SQLITE_ROW;
  }
  void run() { static_cast<void>(step()); }

  [[nodiscard]] std::int64_t integer(int column) const {
    return sqlite3_column_int64(statement_, column);
  }
  [[nodiscard]] double number(int column) const {
    return sqlite3_column_double(statement_, column);
  }
  [[nodiscard]] std::string text(int column) const {
    const void* bytes = sqlite3_column_blob(statement_, column);
    const int size = sqlite3_column_bytes(statement_, column);
    return bytes == nullptr
               ? std::string()
               : std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
  }

 private:
  void bind(const std::string& text) {
    check(sqlite3_bind_text64(statement_, ++bound_, text.data(), text.size(), SQLITE_TRANSIENT,
                              SQLITE_UTF8));
  }
  void bind(double number) { check(sqlite3_bind_double(statement_, ++bound_, number)); }
  void bind(std::int64_t number) { check(sqlite3_bind_int64(statement_, ++bound_, number)); }
  void bind(int number) { bind(std::int64_t{number}); }
  void check(int code) const {
    if (code != SQLITE_OK) fail();
  }
  [[noreturn]] void fail() const {
    throw Error(Stop::environment,
                fmt::format("cannot use the judge's ledger {}: {}; free space, or name another "
                            "folder by --store",
                            ledger_.path_.string(), sqlite3_errmsg(ledger_.file_.get())));
  }

  const Ledger& ledger_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

Ledger::Ledger(const std::filesystem::path& file) : path_(file) {
  sqlite3* opened = nullptr;
  const int code =
      sqlite3_open_v2(file.c_str(), &opened,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW, nullptr);
  file_ = {opened, [](sqlite3* open) { sqlite3_close_v2(open); }};
  if (code != SQLITE_OK) {
    throw Error(Stop::environment, fmt::format("cannot open the judge's ledger {}: {}",
                                               file.string(), sqlite3_errstr(code)));
  }
  execute(kSettings);
  Statement version(*this, "PRAGMA user_version");
  const std::int64_t found = version.step() ? version.integer(0) : 0;
  if (found != 0 && found != kVersion) {
    throw Error(Stop::environment,
                fmt::format("cannot read the judge's ledger {}: it is of version {}, and this "
                            "program writes version {}; name another folder by --store",
                            file.string(), found, kVersion));
  }
  if (found == kVersion) return;  // nothing is written then: the disk may be full
  execute(kTables);
  execute(fmt::format("PRAGMA user_version = {}", kVersion).c_str());
}

void Ledger::execute(const char* sql) const {
  char* message = nullptr;
  const int code = sqlite3_exec(file_.get(), sql, nullptr, nullptr, &message);
  const Owned<char*> freed(message, [](char* text) { sqlite3_free(text); });
  if (code == SQLITE_OK) return;
  throw Error(Stop::environment, fmt::format("cannot use the judge's ledger {}: {}", path_.string(),
                                             message == nullptr ? sqlite3_errstr(code) : message));
}

int Ledger::changes() const { return sqlite3_changes(file_.get()); }

TrialId Ledger::add(const Task& task) {
  Statement(*this,
            "INSERT INTO tasks (kind, client, key, case_name, order_text, wanted_kind, "
            "wanted_ordinal, wanted_device, received, deadline) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, "
            "?) ON CONFLICT DO NOTHING")
      .with(static_cast<int>(task.kind), task.client, task.key, task.case_name, task.order,
            static_cast<int>(task.wanted.kind), task.wanted.ordinal, task.wanted.device,
            task.received, task.deadline)
      .run();
  if (changes() == 0) return find(task.client, task.key).value_or(0);
  return sqlite3_last_insert_rowid(file_.get());
}

std::optional<TrialId> Ledger::find(const std::string& client, const std::string& key) const {
  Statement found(*this, "SELECT id FROM tasks WHERE client = ? AND key = ?");
  return found.with(client, key).step() ? std::optional(found.integer(0)) : std::nullopt;
}

std::optional<Task> Ledger::find(TrialId id) const {
  Statement found(*this,
                  "SELECT kind, client, key, case_name, order_text, wanted_kind, wanted_ordinal, "
                  "wanted_device, received, deadline, state, attempts, device, begun, ended, "
                  "answer FROM tasks WHERE id = ?");
  if (!found.with(id).step()) return std::nullopt;
  Task task;
  task.id = id;
  int column = 0;
  task.kind = static_cast<TaskKind>(found.integer(column++));
  task.client = found.text(column++);
  task.key = found.text(column++);
  task.case_name = found.text(column++);
  task.order = found.text(column++);
  task.wanted.kind = static_cast<driver::DeviceChoice::Kind>(found.integer(column++));
  task.wanted.ordinal = static_cast<int>(found.integer(column++));
  task.wanted.device = found.text(column++);
  task.received = found.number(column++);
  task.deadline = found.number(column++);
  task.state = state_in(found.integer(column++));
  task.attempts = static_cast<int>(found.integer(column++));
  task.device = found.text(column++);
  task.begun = found.number(column++);
  task.ended = found.number(column++);
  task.answer = found.text(column);
  return task;
}

std::optional<State> Ledger::state(TrialId id) const {
  Statement found(*this, "SELECT state FROM tasks WHERE id = ?");
  if (!found.with(id).step()) return std::nullopt;
  return state_in(found.integer(0));
}

std::optional<TaskKind> Ledger::kind(TrialId id) const {
  Statement found(*this, "SELECT kind FROM tasks WHERE id = ?");
  if (!found.with(id).step()) return std::nullopt;
  return static_cast<TaskKind>(found.integer(0));
}

int Ledger::begin(TrialId id, const std::string& device, double now) {
  Statement begun(*this,
                  "UPDATE tasks SET state = 1, attempts = attempts + 1, device = ?, begun = ? "
                  "WHERE id = ? AND state = 0 RETURNING attempts");
  if (!begun.with(device, now, id).step()) return 0;
  const int attempt = static_cast<int>(begun.integer(0));
  begun.run();  // to its end, or it is not done
  return attempt;
}

void Ledger::give_up_attempt(TrialId id) {
  Statement(*this, "UPDATE tasks SET state = 0 WHERE id = ? AND state = 1").with(id).run();
}

bool Ledger::end(TrialId id, int attempt, State state, const std::string& answer, double now) {
  Statement(*this,
            "UPDATE tasks SET state = ?, answer = ?, ended = ?, order_text = CASE WHEN ? THEN '' "
            "ELSE order_text END WHERE id = ? AND ((state = 1 AND attempts = ?) OR (state = 0 AND "
            "0 = ?))")
      .with(static_cast<int>(state), answer, now,
            static_cast<int>(state == State::cancelled || state == State::expired), id, attempt,
            attempt)
      .run();
  return changes() == 1;
}

void Ledger::for_each_open(const std::function<void(const Task&)>& visit) const {
  Statement open(*this,
                 "SELECT id, kind, client, case_name, wanted_kind, wanted_ordinal, wanted_device, "
                 "received, deadline, state, attempts FROM tasks WHERE state < 2 ORDER BY id");
  while (open.step()) {
    Task task;
    int column = 0;
    task.id = open.integer(column++);
    task.kind = static_cast<TaskKind>(open.integer(column++));
    task.client = open.text(column++);
    task.case_name = open.text(column++);
    task.wanted.kind = static_cast<driver::DeviceChoice::Kind>(open.integer(column++));
    task.wanted.ordinal = static_cast<int>(open.integer(column++));
    task.wanted.device = open.text(column++);
    task.received = open.number(column++);
    task.deadline = open.number(column++);
    task.state = static_cast<State>(open.integer(column++));
    task.attempts = static_cast<int>(open.integer(column));
    visit(task);
  }
}

std::map<State, std::int64_t> Ledger::count() const {
  std::map<State, std::int64_t> counts;
  Statement groups(*this, "SELECT state, count(*) FROM tasks GROUP BY state");
  while (groups.step()) counts[static_cast<State>(groups.integer(0))] = groups.integer(1);
  return counts;
}

bool Ledger::has_room() const {
  constexpr std::uintmax_t kReserve = std::uintmax_t{512} << 20U;
  std::error_code unknown;
  const std::filesystem::space_info space = std::filesystem::space(path_.parent_path(), unknown);
  return unknown || space.available >= kReserve;
}

int Ledger::forget_before(double time) {
  Statement(*this, "DELETE FROM tasks WHERE state > 1 AND ended < ?").with(time).run();
  return changes();
}

}  // namespace autokernel::serve
