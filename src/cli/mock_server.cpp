// `autokernel mock-server`: answers of the OpenAI HTTP interface that nothing computes, on time.
#include "autokernel/lab/mock_server.h"

#include <cmath>
#include <optional>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/base/interrupts.h"
#include "cli/commands.h"
#include "cli/output_files.h"

namespace autokernel::cli {
namespace {

class MockServer : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "mock-server"; }
  [[nodiscard]] std::string summary() const override {
    return "Serve made-up answers of an OpenAI-compatible server, at set times";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  [[nodiscard]] lab::MockServerSettings settings() const;

  std::string host_ = "127.0.0.1";
  int port_ = 8000;
  std::string model_ = "mock";
  double ttft_ms_ = 100;
  double tpot_ms_ = 10;
  double jitter_ms_ = 0;
  int max_concurrency_ = 0;
  int seed_ = 0;
  std::string log_;
  std::optional<std::string> fault_;
  double fault_share_ = 1;
};

constexpr const char* kMockServerExamples = R"(Examples:
  autokernel mock-server --port 0
  autokernel mock-server --ttft-ms 200 --tpot-ms 20 --log answers.jsonl
  autokernel mock-server --fault hang --fault-share 0.1

It answers POST /v1/chat/completions and /v1/completions, GET /v1/models and /health, until Ctrl-C
or SIGTERM (docs/mock-server.md). Exit codes: 0 stopped, 2 usage, 3 environment.)";

constexpr int kLargestPort = 65535;
constexpr int kMostConcurrency = 1'000'000;
constexpr int kLargestSeed = 2'147'483'647;
// An hour to a token is no server any more, and keeps sums of times within their type.
constexpr double kLongestMs = 3'600'000;

[[nodiscard]] std::chrono::nanoseconds nanoseconds_of(double milliseconds, const char* option) {
  if (!(milliseconds >= 0 && milliseconds <= kLongestMs)) {
    throw Error(Stop::usage, std::string(option) + " takes 0 to 3600000 milliseconds");
  }
  constexpr double kNanosecondsPerMs = 1e6;
  return std::chrono::nanoseconds(std::llround(milliseconds * kNanosecondsPerMs));
}

}  // namespace

void MockServer::declare(Options options) {
  options.footer(kMockServerExamples);
  options.add_option("--host", host_, "Address to listen on [127.0.0.1]").type_name("ADDRESS");
  options.add_option("--port", port_, "Port to listen on; 0: any that is free [8000]")
      .type_name("PORT")
      .within(0, kLargestPort);
  options.add_option("--model", model_, "Name of the model [mock]").type_name("NAME");
  options.add_option("--ttft-ms", ttft_ms_, "Time to the first token [100]").type_name("MS");
  options.add_option("--tpot-ms", tpot_ms_, "Time from each token to the next [10]")
      .type_name("MS");
  options.add_option("--jitter-ms", jitter_ms_, "Delay each token by up to this, at random [0]")
      .type_name("MS");
  options
      .add_option("--max-concurrency", max_concurrency_,
                  "Let requests wait while so many are answered; 0: never [0]")
      .type_name("N")
      .within(0, kMostConcurrency);
  options.add_option("--seed", seed_, "Seed of answers, jitter and faults [0]")
      .type_name("N")
      .within(0, kLargestSeed);
  options.add_option("--log", log_, "Write when each token was handed to the kernel, as JSON lines")
      .type_name("FILE");
  options.add_option("--fault", fault_, "Misbehave, so that a client can be tested")
      .type_name("FAULT")
      .one_of(lab::server_fault_names());
  options.add_option("--fault-share", fault_share_, "Share of requests that --fault befalls [1]")
      .type_name("SHARE");
}

lab::MockServerSettings MockServer::settings() const {
  if (!(fault_share_ >= 0 && fault_share_ <= 1)) {
    throw Error(Stop::usage, "--fault-share takes 0 to 1");
  }
  lab::MockServerSettings settings;
  settings.host = host_;
  settings.port = static_cast<std::uint16_t>(port_);
  settings.model = model_;
  settings.seed = static_cast<std::uint64_t>(seed_);
  settings.time_to_first_token = nanoseconds_of(ttft_ms_, "--ttft-ms");
  settings.time_per_token = nanoseconds_of(tpot_ms_, "--tpot-ms");
  settings.jitter = nanoseconds_of(jitter_ms_, "--jitter-ms");
  settings.max_concurrency = max_concurrency_;
  if (fault_) settings.fault = lab::server_fault_named(*fault_);
  settings.fault_share = fault_share_;
  settings.log = log_;
  return settings;
}

int MockServer::run(const Console& console) {
  if (!log_.empty()) refuse_to_overwrite(log_, "the log");
  const Interrupts interrupts;
  lab::MockServer server(settings());
  // Flushed at once: a script waits for the line to learn the port.
  console.out << "listening: " << server.url() << '\n' << std::flush;
  server.run(interrupts.descriptor());
  // To be stopped is how it ends: taken, the signal does not end the program as well.
  static_cast<void>(interrupts.next());
  return 0;
}

std::unique_ptr<Command> mock_server_command() { return std::make_unique<MockServer>(); }

}  // namespace autokernel::cli
