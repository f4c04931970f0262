#include "e2e/judge_workplace.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "autokernel/base/local_socket.h"
#include "support/scratch_folder.h"

namespace autokernel::test {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

Invocation JudgeWorkplace::judge(const std::vector<std::string>& more) const {
  std::vector<std::string> arguments = {"serve"};
  const auto otherwise = [&](const std::string& option, const std::string& value) {
    if (std::ranges::find(more, option) == more.end())
      arguments.insert(arguments.end(), {option, value});
  };
  otherwise("--cases", (repository_.root() / "kernels").string());
  otherwise("--store", store().string());
  otherwise("--devices", "cpu");
  arguments.insert(arguments.end(), more.begin(), more.end());
  Invocation invocation = autokernel(arguments);
  invocation.environment["AUTOKERNEL_RESIDENT"] = "0";
  return invocation;
}

void JudgeWorkplace::serve(const std::vector<std::string>& more) {
  ++judges_;
  judge_ = std::make_unique<RunningProgram>(judge(more));
  const auto deadline = steady_clock::now() + seconds{60};
  while (!connect_to_file(socket()).is_open() && steady_clock::now() < deadline)
    std::this_thread::sleep_for(milliseconds{20});
  ASSERT_TRUE(connect_to_file(socket()).is_open()) << judge_->err_so_far();
}

Outcome JudgeWorkplace::stop(int signal) {
  judge_->send(signal);
  Outcome outcome = judge_->wait(seconds{60});
  judge_.reset();
  return outcome;
}

void JudgeWorkplace::TearDown() {
  if (judge_) static_cast<void>(stop(SIGKILL));
}

std::vector<std::string> JudgeWorkplace::with_http(std::vector<std::string> more) const {
  const fs::path tokens = repository_.beside("tokens");
  std::ofstream(tokens) << "alice " << kAlice << "\nbob " << kBob << "\n";
  fs::permissions(tokens, fs::perms::owner_read | fs::perms::owner_write);
  more.insert(more.end(), {"--listen", "127.0.0.1:0", "--tokens", tokens.string()});
  return more;
}

std::string JudgeWorkplace::http(const std::string& method, const std::string& path,
                                 const std::string& body, const std::string& token) const {
  constexpr const char* kRequest =
      "import sys, urllib.request, urllib.error\n"
      "url, method, body, token = sys.argv[1:]\n"
      "if body.startswith('@'): body = ' ' * int(body[1:])\n"
      "request = urllib.request.Request(url, data=body.encode() or None, method=method)\n"
      "if token: request.add_header('Authorization', 'Bearer ' + token)\n"
      "try: answer = urllib.request.urlopen(request, timeout=90)\n"
      "except urllib.error.HTTPError as error: answer = error\n"
      "print(answer.status)\n"
      "sys.stdout.write(answer.read().decode())\n";
  Invocation request;
  request.program = "/usr/bin/python3";
  request.arguments = {"-c",   kRequest, value_of("url", judge_->out_so_far()) + path,
                       method, body,     token};
  request.directory = repository_.root();
  const Outcome outcome = test::run(request);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.out;
}

nlohmann::json JudgeWorkplace::http_json(int status, const std::string& method,
                                         const std::string& path, const std::string& body,
                                         const std::string& token) const {
  const std::string answer = http(method, path, body, token);
  EXPECT_EQ(answer.substr(0, answer.find('\n')), std::to_string(status)) << answer;
  return nlohmann::json::parse(answer.substr(answer.find('\n') + 1), nullptr, false);
}

Outcome JudgeWorkplace::bench(const std::vector<std::string>& more) const {
  std::vector<std::string> arguments = {"bench",  "--device", device(),
                                        "--size", "check",    "--quick"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_autokernel(arguments);
}

}  // namespace autokernel::test
