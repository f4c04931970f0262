// A server of a [server] case: started confined, asked, and ended.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "autokernel/http/curl_library.h"
#include "autokernel/lab/load.h"
#include "autokernel/trial/confined_command.h"
#include "trial/command/built_program.h"

namespace autokernel::trial {

// What a server answered to the requests that follow from one seed, each with its text.
struct ServedAnswers {
  lab::LoadRun probes;  // one by one, before the load
  lab::LoadRun load;
};

class RunningServer {
 public:
  // Starts `line` on files that lie in `folder` / kWorkFolder / kFilesFolder, and waits until it is
  // up. Throws Refused where it is not, in words that begin with `name` ("the server").
  RunningServer(const CommandSetting& setting, const http::CurlLibrary& curl,
                const std::filesystem::path& folder, const std::string& line, std::string name);

  // Throws Refused for a request that fails, and where the server ends or is over its limits.
  [[nodiscard]] ServedAnswers answers(const std::string& seed);
  [[nodiscard]] pid_t id() const { return process_->id(); }
  // Ends it, with all that it has started.
  [[nodiscard]] CommandEnd end() { return process_->end(); }

 private:
  void wait_until_healthy();
  [[nodiscard]] bool is_healthy() const;
  void tend();
  [[noreturn]] void refuse_ended(const char* when);
  [[nodiscard]] lab::LoadRun load(const lab::LoadSettings& settings);

  const CommandSetting& setting_;
  const cases::ServerPlan& plan_;
  const http::CurlLibrary& curl_;
  std::string name_;
  std::uint16_t port_;
  std::unique_ptr<ConfinedProcess> process_;
};

// Throws Refused where an answer is not the reference's, or a server's own count of its tokens is
// not the reference's of the same text.
void require_same_answers(const ServedAnswers& answers, const ServedAnswers& reference);

// What the load came to, as one JSON object: "ttft", "tpot", "itl" and "e2e" in seconds, each with
// "mean", "p50", "p90", "p95" and "p99"; "requests_per_second", "output_tokens_per_second". Tokens
// are counted by the reference, of the same texts.
[[nodiscard]] std::string served_figures(const cases::ServerPlan& plan, ServedAnswers answers,
                                         const ServedAnswers& reference);

}  // namespace autokernel::trial
