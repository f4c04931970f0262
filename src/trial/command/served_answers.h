// A server of a [server] case: started confined, asked, and ended.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "autokernel/base/scratch.h"
#include "autokernel/lab/load.h"
#include "autokernel/trial/confined_command.h"
#include "trial/command/built_program.h"

namespace autokernel::trial {

// What a server answered to the requests that follow from one seed, each with its text.
struct ServedAnswers {
  lab::LoadRun probes;  // one by one, before the load
  lab::LoadRun load;
  std::vector<lab::LoadRun> suites;  // as the plan has them
};

class RunningServer {
 public:
  // Puts files into a folder of the server's own.
  using Fill = std::function<void(const std::filesystem::path& files)>;

  // Starts `line` on the files that `fill` writes, and waits until it is up. Throws Refused where
  // it is not, in words that begin with `name` ("the server").
  RunningServer(const CommandSetting& setting, const std::string& line, std::string name,
                const Fill& fill);

  // Throws Refused for a request that fails, and where the server ends or is over its limits.
  [[nodiscard]] ServedAnswers answers(const std::string& seed);
  // In between it stands still, so that it takes nothing from others: no processor, and no member
  // of the tree.
  void pause() { paused_ = setting_.tree->pause(); }
  void resume() { setting_.tree->resume(std::exchange(paused_, {})); }
  // Ends it, with all that it has started.
  [[nodiscard]] CommandEnd end() { return process_->end(); }

 private:
  void wait_until_healthy();
  [[nodiscard]] bool is_healthy() const;
  void tend();
  [[noreturn]] void refuse_ended(const char* when);
  [[nodiscard]] lab::LoadRun load(const lab::LoadSettings& settings);
  [[nodiscard]] lab::LoadSettings settings_of(const cases::LoadPlan& load,
                                              std::uint64_t seed) const;

  const CommandSetting& setting_;
  const cases::ServerPlan& plan_;
  ScratchDirectory folder_;
  std::string name_;
  std::uint16_t port_;
  std::unique_ptr<ConfinedProcess> process_;
  std::vector<pid_t> paused_;
};

// Throws Refused where an answer is not the reference's, or a server's own count of its tokens is
// not the reference's of the same text.
void require_same_answers(const ServedAnswers& answers, const ServedAnswers& reference);

// What the load came to, as one JSON object: "ttft", "tpot", "itl" and "e2e" in seconds, each with
// "mean", "p50", "p90", "p95" and "p99"; "requests_per_second", "output_tokens_per_second"; and
// under "suites" the same for each by its name. Tokens are counted by the reference, of the same
// texts.
[[nodiscard]] std::string served_figures(const cases::ServerPlan& plan, ServedAnswers answers,
                                         const ServedAnswers& reference);

}  // namespace autokernel::trial
