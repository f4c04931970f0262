// One turn of a coding agent: an external command that is given a brief, and edits.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "autokernel/base/interrupts.h"

namespace autokernel::loop {

struct AgentCommand {
  std::string line;                                // for /bin/sh
  std::filesystem::path directory;                 // where it runs
  std::map<std::string, std::string> environment;  // on top of ours
  std::string brief;                               // its standard input
  std::chrono::duration<double> timeout{};
};

// How a turn ended, and what it said.
struct AgentTurn {
  enum class Ending : std::uint8_t { done, failed, timed_out, interrupted };
  Ending ending = Ending::done;
  std::string how;          // "exit code 1", "SIGSEGV", ...; empty when done
  std::string output;       // both of its outputs; the middle of a long one is left out
  std::uint64_t bytes = 0;  // of all it wrote
  int stragglers = 0;       // processes it left when it ended by itself; they were ended
  int signal = 0;           // that interrupted us
  double seconds = 0;
};

// Runs the agent to its end, its timeout, or the first signal in `interrupts`; whatever it started
// is gone when this returns. `waiting` is called several times a second with the time so far.
// Throws Error(environment) where no shell can be started.
[[nodiscard]] AgentTurn run_agent(
    const AgentCommand& command, const Interrupts& interrupts,
    const std::function<void(std::chrono::duration<double>)>& waiting);

// "; its last line: ...", of what an agent printed; empty where it printed nothing.
[[nodiscard]] std::string last_words(const std::string& output);

// What the agent says its idea was: the text in `file`, else the last line of its output that
// begins with "IDEA:", else empty. One line of at most 500 bytes.
[[nodiscard]] std::string idea_of(const std::filesystem::path& file, const std::string& output);

}  // namespace autokernel::loop
