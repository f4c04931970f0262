// The supervisor's end of the channels to a running runner: bytes in, events out.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/base/bounded_text.h"
#include "autokernel/base/process.h"
#include "autokernel/trial/message.h"
#include "autokernel/trial/supervisor.h"
#include "trial/supervise/line_buffer.h"

namespace autokernel::trial {

class RunnerProcess {
 public:
  // Starts the runner with these variables alone and its temporary files below `scratch`; the
  // request is sent while exchange() is called.
  RunnerProcess(const RunnerCommand& command, const Request& request, const Variables& variables,
                const std::filesystem::path& scratch);

  // Sends and receives what can be, waiting at most `patience` for something to do, and returns the
  // events that have arrived whole. Also returns early once `wake` is readable. Throws
  // Error(internal) for a message that makes no sense.
  [[nodiscard]] std::vector<Event> exchange(std::chrono::milliseconds patience, int wake);

  // It has closed its channel for events, as it does at the latest when it ends; nothing more will
  // come.
  [[nodiscard]] bool has_hung_up() { return !child_.messages().is_open(); }
  // How it ended; waits at most `patience` for that.
  [[nodiscard]] std::optional<Ending> ending(std::chrono::milliseconds patience);
  // Asks it where its warps stand; the answer is an event.
  void ask() const;
  // Kills it and its group.
  void kill() { child_.kill(); }

  // What it printed so far, bounded in size.
  [[nodiscard]] std::string printed() const { return printed_.text(); }
  [[nodiscard]] pid_t id() const { return child_.id(); }

 private:
  void send();
  void read_prints();
  [[nodiscard]] std::vector<Event> read_events();

  Child child_;
  std::string unsent_;
  LineBuffer unparsed_;
  BoundedText printed_;
};

}  // namespace autokernel::trial
