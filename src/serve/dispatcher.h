// Brings what is handed in to the devices, and what they find to those who wait for it. It knows no
// sockets and no processes; everything happens on one thread, in the calls that others make.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "serve/ledger.h"
#include "serve/queue.h"

namespace autokernel::serve {

// A device, as the dispatcher sees it: one trial at a time. It never calls back from within these.
class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  virtual ~Worker() = default;

  virtual void start(const Task& task) = 0;
  // The trial is to end; answered() or lost() follows.
  virtual void abort() = 0;
};

// What those who wait for a task are told.
struct Watcher {
  std::function<void(std::string_view event)> progress;  // an event of the trial, as it came
  std::function<void(const Task&)> over;                 // the last call
};

class Dispatcher {
 public:
  using WorkerId = std::size_t;
  using WatchId = std::uint64_t;

  // A trial whose device was lost is tried so often in all: a kernel that takes machines down with
  // it is not to go through a whole fleet.
  static constexpr int kMostAttempts = 3;

  // Takes up what an earlier judge has left in the ledger. `clock` tells seconds since 1970.
  Dispatcher(Ledger& ledger, std::function<double()> clock);

  // ---- what clients do ------------------------------------------------------------------------
  // The id; that of an earlier task where the client's key is known already.
  TrialId submit(const Task& task);
  // Nothing where it is over.
  void cancel(TrialId id);
  // Until `over` was called, or unwatch(). Of a task that is over, `over` is called at once.
  WatchId watch(TrialId id, Watcher watcher);
  void unwatch(WatchId watch);
  [[nodiscard]] bool is_watched(TrialId id) const { return watches_of_.contains(id); }

  // ---- what devices do ------------------------------------------------------------------------
  // A device that is there, and free. `offered` as far as it is known.
  void ready(WorkerId id, Worker& worker, const Offered& offered);
  void progressed(WorkerId id, std::string_view event);
  // The result of its trial, or why there is none.
  void answered(WorkerId id, State state, const std::string& answer);
  // It is not there any more, until it is ready again.
  void lost(WorkerId id, const std::string& why);

  // Of its trial: the name of the device that it is to be made on; none: any.
  [[nodiscard]] std::optional<std::string> wanted_device(WorkerId id) const;

  // Ends what is past its deadline, and writes what could not be written. To be called now and
  // then.
  void expire();
  // Why something of the ledger is not written yet; empty: all is.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }
  // Nothing more is begun; what is under way goes on.
  void stop_dispatching() { dispatches_ = false; }

  [[nodiscard]] std::size_t waiting() const { return queue_.size(); }
  [[nodiscard]] std::size_t waiting_of(const std::string& client) const {
    return queue_.waiting_of(client);
  }
  [[nodiscard]] std::size_t running() const { return running_.size(); }
  [[nodiscard]] std::size_t idle() const { return idle_.size(); }
  // Since this began: for /metrics.
  struct Counters {
    std::uint64_t submitted = 0;
    std::uint64_t attempts_lost = 0;
    double device_seconds = 0;
    std::map<State, std::uint64_t> ended;
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  struct Idle {
    Worker* worker = nullptr;
    Offered offered;
  };
  struct Running {
    TrialId task = 0;
    int attempt = 0;
    std::string client;
    Wanted wanted;
    double begun = 0;
    Worker* worker = nullptr;
    std::optional<State> ended_early;  // cancelled, or expired: what comes is not its result
  };

  // Does that, which writes to the ledger, now, or later where it cannot be written: nothing that
  // came of a trial is lost, nor is a trial.
  void write(std::function<void()> action);
  void end(TrialId id, int attempt, State state, const std::string& why);
  void put_back(TrialId id);
  void dispatch();
  // False where that cannot be written down: it waits on.
  [[nodiscard]] bool start(WorkerId id, const Idle& idle, TrialId task);
  // Ends what waits, or begins to end what runs.
  void end_early(TrialId id, State state, const std::string& why);
  void tell_over(TrialId id, State state);
  void forget_deadline(TrialId id);

  Ledger& ledger_;
  std::function<double()> clock_;
  Queue queue_;
  std::map<WorkerId, Idle> idle_;
  std::map<WorkerId, Running> running_;
  std::map<TrialId, WorkerId> worker_of_;
  std::set<std::pair<double, TrialId>> deadlines_;
  std::map<TrialId, double> deadline_of_;
  std::map<WatchId, std::pair<TrialId, std::shared_ptr<Watcher>>> watchers_;
  std::multimap<TrialId, WatchId> watches_of_;
  WatchId next_watch_ = 1;
  Counters counters_;
  std::vector<std::function<void()>> unwritten_;
  std::string trouble_;
  bool dispatches_ = true;
};

}  // namespace autokernel::serve
