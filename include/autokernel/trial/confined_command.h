// A command of somebody else's, run to its end in a folder of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autokernel/base/interrupts.h"
#include "autokernel/base/process.h"
#include "autokernel/base/process_tree.h"
#include "autokernel/base/sandbox.h"

namespace autokernel::trial {

// Below the folder that a command is given: what it works in, what it reads and what it prints on
// standard output. It reaches only kWorkFolder, and works in kFilesFolder below that.
inline constexpr const char* kWorkFolder = "work";
inline constexpr const char* kFilesFolder = "files";
inline constexpr const char* kInputFile = "input";
inline constexpr const char* kOutputFile = "output";
inline constexpr const char* kRulesFile = "command";

// Bytes on standard output, and processes at a time: more are a mistake, and everybody's machine.
inline constexpr std::uint64_t kMostOutput = 64ULL << 20U;
inline constexpr std::size_t kMostProcesses = 4096;

// What `autokernel confined` is told by kRulesFile.
struct ConfinedLine {
  std::string line;  // for /bin/sh
  std::vector<std::filesystem::path> readable;
  Network network = {};
  std::vector<std::filesystem::path> devices = {};
};
[[nodiscard]] std::string packed(const ConfinedLine& command);
// Throws Error(internal) for what packed() did not make.
[[nodiscard]] ConfinedLine unpacked_line(std::string_view bytes);

// Where programs and libraries lie that any command may read, and the Python that is active.
[[nodiscard]] std::vector<std::filesystem::path> readable_by_commands(bool with_network);

struct CommandEnd {
  enum class How : std::uint8_t {
    by_itself,
    past_deadline,
    over_memory,
    over_output,     // it printed more than kMostOutput
    over_processes,  // more than kMostProcesses at a time
  };
  How how = How::by_itself;
  Ending ending;                 // where it was by itself
  std::string output;            // standard output, whole
  std::string complaint;         // standard error, the beginning and the end
  double seconds = 0;            // from its start to its end
  double processor_seconds = 0;  // of all that it has started

  [[nodiscard]] bool succeeded() const {
    return how == How::by_itself && ending.code == 0 && ending.signal == 0;
  }
};

// What a command may take, and what it is told.
struct CommandRules {
  ConfinedLine command;
  Variables variables;  // on top of a fixed few
  std::string input;    // standard input
  double seconds = 60;
  std::uint64_t memory_bytes = 4ULL << 30U;
};

// One under way, in `folder`, as run_confined() has it.
class ConfinedProcess {
 public:
  // Starts it. Throws what run_confined() does.
  ConfinedProcess(const CommandRules& rules, const std::filesystem::path& folder,
                  const ProcessTree& tree, const std::function<void()>& meanwhile);
  ConfinedProcess(const ConfinedProcess&) = delete;
  ConfinedProcess& operator=(const ConfinedProcess&) = delete;
  ConfinedProcess(ConfinedProcess&&) = delete;
  ConfinedProcess& operator=(ConfinedProcess&&) = delete;
  ~ConfinedProcess();

  [[nodiscard]] pid_t id() const;
  // Answers its calls, reads what it says and looks at its memory, until it has ended, is over one
  // of its limits, or `until`. Whether it goes on.
  [[nodiscard]] bool tend(std::chrono::steady_clock::time_point until,
                          const std::function<void()>& meanwhile);
  // Ends it and all that it has started. How it ended before, if it did; else `by_itself` with a
  // signal.
  [[nodiscard]] CommandEnd end();

 private:
  class Running;
  std::unique_ptr<Running> running_;
};

// Runs it in `folder`, in whose kWorkFolder / kFilesFolder its files lie. Whatever it has started
// is gone when this returns. `meanwhile` is called several times a second. Throws Interrupted, and
// Error(environment) where it cannot be started.
[[nodiscard]] CommandEnd run_confined(const CommandRules& rules,
                                      const std::filesystem::path& folder, const ProcessTree& tree,
                                      const std::function<void()>& meanwhile);

}  // namespace autokernel::trial
