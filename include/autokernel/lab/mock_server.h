// A server of the OpenAI HTTP interface that computes nothing: made-up answers, the same for the
// same request, at times that are set. Load generators are tested against it, since it also logs
// when it handed over each token. docs/mock-server.md has the interface and the log.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace autokernel::lab {

// What a server may do wrong, so that a test can see whether it is found.
enum class ServerFault : std::uint8_t {
  none,
  hang,         // half an answer, and then nothing more
  crash,        // half an answer, and the process ends by SIGABRT
  slow,         // an answer kSlowFactor times as slow
  wrong_usage,  // more tokens in `usage` than were sent
  cache,        // an answer to a request that was seen before comes at once
  disconnect,   // half an answer, and the connection is closed
  http_500,     // status 500 in place of an answer
  bad_json,     // half an answer, and then something that is not JSON
};
// "hang", "wrong-usage" and so on, in the order above, without none.
[[nodiscard]] std::vector<std::string> server_fault_names();
// Throws Error(usage) for a name that is none of them.
[[nodiscard]] ServerFault server_fault_named(const std::string& name);
// The name; empty for none.
[[nodiscard]] std::string server_fault_name(ServerFault fault);

// Five times as slow is far beyond any noise, and a test need not wait long for it.
inline constexpr int kSlowFactor = 5;
// `wrong_usage` claims half as many again, rounded up: what would flatter a server's throughput.
inline constexpr double kWrongUsageFactor = 1.5;

struct MockServerSettings {
  std::string host = "127.0.0.1";  // an address, or "localhost"
  std::uint16_t port = 0;          // 0: any that is free
  std::string model = "mock";
  std::uint64_t seed = 0;
  // Token i (from 0) is due at start + time_to_first_token + i * time_per_token + its jitter, where
  // start is the arrival of the request's last byte, or, beyond max_concurrency, the end of an
  // earlier answer. Each token's jitter is drawn from [0, jitter); tokens stay in order.
  std::chrono::nanoseconds time_to_first_token{0};
  std::chrono::nanoseconds time_per_token{0};
  std::chrono::nanoseconds jitter{0};
  int max_concurrency = 0;  // answers under way at once; 0: any number
  ServerFault fault = ServerFault::none;
  double fault_share = 1;     // of requests that the fault befalls
  std::filesystem::path log;  // JSON lines of what was handed over when; empty: none
};

class MockServer {
 public:
  // Listens from here on. Throws Error(usage) for a host that is no address or a log that cannot be
  // written, and Error(environment) for a port that cannot be had.
  explicit MockServer(const MockServerSettings& settings);
  MockServer(const MockServer&) = delete;
  MockServer& operator=(const MockServer&) = delete;
  MockServer(MockServer&&) = delete;
  MockServer& operator=(MockServer&&) = delete;
  ~MockServer();

  // http://HOST:PORT with the port that was chosen.
  [[nodiscard]] std::string url() const;
  // Serves on the calling thread until `stop_descriptor` can be read from, then closes all
  // connections and the log. Nothing is read from the descriptor. Throws Error(environment).
  void run(int stop_descriptor);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace autokernel::lab
