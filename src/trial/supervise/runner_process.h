// The supervisor's end of the channels to a running runner: bytes in, events out.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/base/bounded_text.h"
#include "autokernel/base/environment.h"
#include "autokernel/base/line_buffer.h"
#include "autokernel/base/process.h"
#include "autokernel/trial/message.h"
#include "autokernel/trial/supervisor.h"
#include "trial/supervise/running_runner.h"

namespace autokernel::trial {

class RunnerProcess {
 public:
  // Takes a runner that is ready for it, where that may be and there is one; else starts one with
  // these variables alone and its temporary files below `scratch`. The request is sent while
  // exchange() is called.
  RunnerProcess(const RunnerCommand& command, const Request& request, const Variables& variables,
                const std::filesystem::path& scratch);

  // Sends and receives what can be, waiting at most `patience` for something to do, and returns the
  // events that have arrived whole. Also returns early once `wake` is readable. Throws
  // Error(internal) for a message that makes no sense.
  [[nodiscard]] std::vector<Event> exchange(std::chrono::milliseconds patience, int wake);

  // It has closed its channel for events, as it does at the latest when it ends; nothing more will
  // come.
  [[nodiscard]] bool has_hung_up() { return !runner_->messages().is_open(); }
  // How it ended; waits at most `patience` for that.
  [[nodiscard]] std::optional<Ending> ending(std::chrono::milliseconds patience);
  // Asks it where its warps stand; the answer is an event.
  void ask() const;
  // Kills it and its group.
  void kill() { runner_->kill(); }
  // It is ending: whoever asks has it no more, and this program waits for it when it ends itself.
  void part();

  // What it printed so far, bounded in size.
  [[nodiscard]] std::string printed() const { return printed_.text(); }
  [[nodiscard]] pid_t id() const { return runner_->id(); }
  // It is the resident process's, which sees to its end.
  [[nodiscard]] bool is_lent() const { return runner_->is_lent(); }

 private:
  // With the headers that it takes, which are looked for once.
  struct Resolved {
    Request request;
  };
  RunnerProcess(const RunnerCommand& command, const Resolved& resolved, const Variables& variables,
                const std::filesystem::path& scratch);

  void send();
  void read_prints();
  [[nodiscard]] std::vector<Event> read_events();

  std::unique_ptr<RunningRunner> runner_;
  std::string unsent_;
  LineBuffer unparsed_;
  BoundedText printed_;
};

}  // namespace autokernel::trial
