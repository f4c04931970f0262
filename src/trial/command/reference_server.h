// The server whose answers are right, of a [server] case: started when it is first asked, and up
// until the trial is over.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "autokernel/http/curl_library.h"
#include "trial/command/built_program.h"
#include "trial/command/served_answers.h"

namespace autokernel::trial {

class ReferenceServer {
 public:
  // Puts into the setting, which must live longer, what servers are asked with: libcurl, the
  // prompts of suites, and the answers of this one. Throws Error(usage) for prompts that the case
  // lacks, and Error(environment) where there is no libcurl.
  explicit ReferenceServer(CommandSetting& setting);
  ReferenceServer(const ReferenceServer&) = delete;
  ReferenceServer& operator=(const ReferenceServer&) = delete;
  ReferenceServer(ReferenceServer&&) = delete;
  ReferenceServer& operator=(ReferenceServer&&) = delete;
  ~ReferenceServer() = default;

 private:
  // It stands still while others are measured. Throws Error(environment) where it is not right.
  [[nodiscard]] const ServedAnswers& answers(const std::string& seed);

  const CommandSetting& setting_;
  http::CurlLibrary curl_ = http::CurlLibrary::open();
  std::optional<RunningServer> server_;
  std::map<std::string, ServedAnswers> answers_;  // by seed
};

}  // namespace autokernel::trial
