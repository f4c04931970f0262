// A judge (`autokernel serve`) beside a repository whose runs are measured by it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "e2e/loop_workplace.h"

namespace autokernel::test {

class JudgeWorkplace : public LoopWorkplace {
 protected:
  void TearDown() override;

  // Starts a judge of the repository's case, on the emulated device, and waits until it listens.
  void serve(const std::vector<std::string>& more = {});
  // A program as the judge is started.
  [[nodiscard]] virtual Invocation judge(const std::vector<std::string>& more) const;
  // Ends it by a signal, and returns what it left.
  Outcome stop(int signal);

  [[nodiscard]] std::filesystem::path store() const { return repository_.beside("store"); }
  [[nodiscard]] std::string socket() const { return (store() / "judge.sock").string(); }
  [[nodiscard]] std::string device() const { return "judge:" + socket() + "/cpu"; }
  // An HTTP request with the token of "alice": the status, a newline and the body. A body "@N" is
  // one of N spaces.
  [[nodiscard]] std::string http(const std::string& method, const std::string& path,
                                 const std::string& body = "",
                                 const std::string& token = kAlice) const;
  // The same, of which the body is JSON and the status is this.
  // NOLINTNEXTLINE(modernize-use-nodiscard): of some the status is all that counts
  nlohmann::json http_json(int status, const std::string& method, const std::string& path,
                           const std::string& body = "", const std::string& token = kAlice) const;
  static constexpr const char* kAlice = "alice-0123456789abcdef";
  static constexpr const char* kBob = "bob-0123456789abcdefgh";
  // The options of a judge that serves HTTP as well.
  [[nodiscard]] std::vector<std::string> with_http(std::vector<std::string> more = {}) const;
  // A bench of the repository's kernel by the judge.
  [[nodiscard]] Outcome bench(const std::vector<std::string>& more = {}) const;

  std::unique_ptr<RunningProgram> judge_;
  int judges_ = 0;
};

}  // namespace autokernel::test
