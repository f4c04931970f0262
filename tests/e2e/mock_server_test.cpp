// `autokernel mock-server` as others talk to it: bytes on a socket.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>

#include "autokernel/base/descriptor.h"
#include "e2e/running_mock_server.h"
#include "e2e/workplace.h"

namespace autokernel::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::string post(const std::string& path, const std::string& body, const std::string& more = "") {
  return "POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n" + more + "\r\n" + body;
}

class MockServerTest : public Workplace {
 protected:
  void start(const std::vector<std::string>& more = {}, const std::string& ttft_ms = "5") {
    std::vector<std::string> arguments = {"--ttft-ms", ttft_ms, "--tpot-ms", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    server_.emplace(autokernel({}), arguments);
    const std::string& url = server_->url();
    ASSERT_FALSE(url.empty());
    port_ = std::stoi(url.substr(url.rfind(':') + 1));
  }
  [[nodiscard]] Descriptor connect() const {
    Descriptor connection(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(connection.get(), reinterpret_cast<sockaddr*>(&address), sizeof address),
              0);
    return connection;
  }
  // All that comes until the server closes the connection.
  static std::string rest_of(const Descriptor& connection) {
    std::string all;
    std::array<char, 4096> bytes{};
    for (ssize_t size = 0; (size = ::read(connection.get(), bytes.data(), bytes.size())) > 0;) {
      all.append(bytes.data(), static_cast<std::size_t>(size));
    }
    return all;
  }
  // The answer to a request after which the connection is closed.
  [[nodiscard]] std::string answer(const std::string& request) const {
    const Descriptor connection = connect();
    EXPECT_TRUE(write_all(connection.get(), request));
    return rest_of(connection);
  }
  [[nodiscard]] std::string completion(const std::string& fields) const {
    const std::string reply =
        answer(post("/v1/completions", R"({"model":"mock","prompt":"a b")" + fields + "}",
                    "Connection: close\r\n"));
    return reply.substr(reply.find("\r\n\r\n") + 4);
  }
  [[nodiscard]] Outcome stop(int signal = SIGTERM) { return server_->stop(signal); }

  std::optional<RunningServer> server_;
  int port_ = 0;
};

TEST_F(MockServerTest, EndsWithZeroAtSigtermAndCtrlC) {
  start();
  EXPECT_EQ(stop().code, 0);
  start();
  const Outcome ended = stop(SIGINT);
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, IsEmpty());
  expect_nothing_left();
}

TEST_F(MockServerTest, GivesTheSameAnswerFromTwoServers) {
  start({"--seed", "7"});
  const json one = json::parse(completion(R"(,"max_tokens":9)"));
  EXPECT_EQ(stop().code, 0);
  start({"--seed", "7"});
  const json other = json::parse(completion(R"(,"max_tokens":9)"));
  EXPECT_EQ(one.at("choices"), other.at("choices"));
  EXPECT_EQ(one.at("usage"), other.at("usage"));
  EXPECT_EQ(one.at("usage").at("completion_tokens"), 9);
}

TEST_F(MockServerTest, TellsItsModelAndItsHealth) {
  start({"--model", "a \"b\""});
  EXPECT_THAT(answer("GET /v1/models HTTP/1.1\r\nConnection: close\r\n\r\n"),
              HasSubstr(R"("id":"a \"b\"")"));
  EXPECT_THAT(answer("GET /health HTTP/1.1\r\nConnection: close\r\n\r\n"),
              HasSubstr(R"({"status":"ok"})"));
}

TEST_F(MockServerTest, RefusesInOpenAiTerms) {
  start();
  EXPECT_THAT(completion(R"(,"n":2)"), HasSubstr(R"({"error":{"message":"'n' must be 1 here")"));
  EXPECT_THAT(answer("GET /v2 HTTP/1.1\r\nConnection: close\r\n\r\n"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(answer("PUT /v1/models HTTP/1.1\r\nConnection: close\r\n\r\n"),
              StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(answer("garbage\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(answer("GET /health HTTP/1.1\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n"),
              StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(answer("POST /v1/completions HTTP/1.1\r\nContent-Length: 9000000\r\n\r\n"),
              StartsWith("HTTP/1.1 413 "));
}

TEST_F(MockServerTest, AnswersRequestsOfOneConnectionInTurn) {
  start();
  const std::string body = R"({"model":"mock","prompt":"a","max_tokens":3,"stream":true})";
  const std::string reply = answer(post("/v1/completions", body) +
                                   post("/v1/completions", body, "Connection: close\r\n"));
  std::size_t ends = 0;
  for (std::size_t at = 0; (at = reply.find("[DONE]", at)) != std::string::npos; ++at) ++ends;
  EXPECT_EQ(ends, 2U);
}

TEST_F(MockServerTest, TakesARequestByteByByte) {
  start();
  const Descriptor connection = connect();
  const std::string request =
      post("/v1/completions", R"({"model":"mock","prompt":"a","max_tokens":1})",
           "Connection: close\r\n");
  for (const char byte : request) ASSERT_TRUE(write_all(connection.get(), {&byte, 1}));
  EXPECT_THAT(rest_of(connection), StartsWith("HTTP/1.1 200 "));
}

TEST_F(MockServerTest, AllowsALargeBodyBeforeItComes) {
  start();
  const std::string request =
      post("/v1/completions", R"({"model":"mock","prompt":"a","max_tokens":1})",
           "Expect: 100-continue\r\nConnection: close\r\n");
  EXPECT_THAT(answer(request), StartsWith("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 "));
}

TEST_F(MockServerTest, LogsClientsThatGoAway) {
  start({"--log", "log.jsonl"}, "60000");
  {
    const Descriptor connection = connect();
    ASSERT_TRUE(
        write_all(connection.get(), post("/v1/completions", R"({"model":"mock","prompt":"a"})")));
    ::usleep(200'000);
  }
  ::usleep(200'000);
  EXPECT_EQ(stop().code, 0);
  EXPECT_THAT(contents(scratch_.path() / "log.jsonl"), HasSubstr(R"("ended":"abandoned")"));
}

TEST_F(MockServerTest, RefusesAPortThatIsTaken) {
  start();
  const Outcome second = run_autokernel({"mock-server", "--port", std::to_string(port_)});
  expect_refusal(second, 3, "choose another with --port");
}

TEST_F(MockServerTest, RefusesOptionsThatMakeNoSense) {
  expect_refusal(run_autokernel({"mock-server", "--host", "nowhere"}), 2,
                 "--host takes an address");
  expect_refusal(run_autokernel({"mock-server", "--ttft-ms", "-1"}), 2, "--ttft-ms takes 0 to");
  expect_refusal(run_autokernel({"mock-server", "--fault", "boredom"}), 2, "takes hang, crash");
  expect_refusal(run_autokernel({"mock-server", "--fault-share", "2"}), 2, "takes 0 to 1");
  expect_refusal(run_autokernel({"mock-server", "--log", "nowhere/log"}), 2,
                 "cannot write the log nowhere/log");
}

}  // namespace
}  // namespace autokernel::test
