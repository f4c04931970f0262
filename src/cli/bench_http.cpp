// `autokernel bench-http`: load on a server of the OpenAI HTTP interface, and how it bears it.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <random>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/base/system_error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/http/curl_library.h"
#include "autokernel/lab/load.h"
#include "autokernel/lab/load_figures.h"
#include "cli/commands.h"
#include "cli/load_text.h"
#include "cli/output_files.h"
#include "cli/progress.h"

namespace autokernel::cli {
namespace {

class BenchHttp : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "bench-http"; }
  [[nodiscard]] std::string summary() const override {
    return "Measure latencies and throughput of an OpenAI-compatible server";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  [[nodiscard]] lab::LoadSettings settings() const;

  std::string url_;
  std::string endpoint_ = "chat";
  std::string model_;
  int concurrency_ = 1;
  double ramp_seconds_ = 0;
  std::optional<double> rate_;
  std::optional<int> requests_;
  std::optional<double> seconds_;
  std::optional<int> warmup_;
  double timeout_seconds_ = 300;
  std::string prompts_;
  std::string input_tokens_ = "128";
  std::string output_tokens_ = "128";
  std::optional<std::string> goodput_;
  std::string tokens_by_ = "usage";
  std::optional<int> seed_;
  std::string key_variable_;
  std::string record_;
  bool no_stream_ = false;
  bool ignore_eos_ = false;
  bool json_ = false;
};

constexpr const char* kBenchHttpExamples = R"(Examples:
  autokernel bench-http --url http://127.0.0.1:8000 --model mock --concurrency 64 --requests 1000
  autokernel bench-http --url http://127.0.0.1:8000 --model mock --rate 20 --seconds 60
  autokernel bench-http --url http://127.0.0.1:8000 --model mock --goodput ttft=200ms,tpot=30ms

Without --rate, so many requests are under way at any time (--concurrency). With it, they start at
random times, whatever becomes of earlier ones (docs/http-benchmark.md).
Exit codes: 0 measured, 2 usage, 3 environment, which includes a server that answers nothing.)";

constexpr int kMostRequests = 10'000'000;
constexpr int kMostAtOnce = 100'000;
constexpr int kHighestSeed = 2'147'483'647;
constexpr double kLongestRun = 86'400;
constexpr double kHighestRate = 1'000'000;
// For a first look: in a closed loop of one, some minutes.
constexpr std::size_t kUsualRequests = 100;

// What requests are made to begins with it.
[[nodiscard]] std::string server_address(std::string url) {
  const auto refuse = [&](const char* why) {
    throw Error(Stop::usage, fmt::format("--url '{}' {}", visible_line(url), why));
  };
  while (url.ends_with('/')) url.pop_back();
  if (!url.starts_with("http://") && !url.starts_with("https://"))
    refuse("is no address; write http://HOST:PORT or https://HOST");
  const std::string rest = url.substr(url.find("//") + 2);
  const std::string authority = rest.substr(0, rest.find('/'));
  if (authority.empty() || authority.front() == ':') refuse("names no host");
  if (authority.find('@') != std::string::npos) {
    // It is printed nowhere.
    url = url.substr(0, url.find("//") + 2) + "..." + url.substr(url.find('@'));
    refuse("has a name or password; take a key from the environment with --api-key-variable");
  }
  if (url.find_first_of("?# ") != std::string::npos) refuse("has more than an address and a path");
  if (url.ends_with("/completions"))
    refuse(
        "goes on behind the server's address; leave out /v1 and what follows (--endpoint "
        "chooses it)");
  if (url.ends_with("/v1")) url.resize(url.size() - 3);
  return url;
}

[[nodiscard]] std::string key_in(const std::string& variable) {
  if (variable.empty()) return {};
  const char* value = std::getenv(variable.c_str());
  if (value == nullptr) {
    throw Error(Stop::usage, fmt::format("cannot take the API key: the environment variable {} of "
                                         "--api-key-variable is not set",
                                         variable));
  }
  return value;
}

void write_record(const std::string& file, const lab::LoadRun& run) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  for (const lab::RequestOutcome& outcome : run.requests) out << lab::outcome_line(outcome);
  out.close();
  if (!out) throw system_failure(Stop::environment, "cannot write the record " + file, "write");
}

// What most of the failures were, for the last line.
[[nodiscard]] std::string most_common(const lab::LoadFigures& figures) {
  const lab::LoadFinding* most = nullptr;
  std::size_t count = 0;
  for (const lab::LoadFinding& finding : figures.findings) {
    const auto found = figures.failures.find(finding.kind);
    if (found == figures.failures.end() || found->second <= count) continue;
    count = found->second;
    most = &finding;
  }
  return most != nullptr ? most->kind + ", " + most->text : "no request was made";
}

}  // namespace

void BenchHttp::declare(Options options) {
  options.footer(kBenchHttpExamples);
  options.add_option("--url", url_, "Address of the server, without /v1")
      .type_name("URL")
      .required();
  options.add_option("--model", model_, "Name of the model").type_name("NAME").required();
  options.add_option("--endpoint", endpoint_, "Endpoint: chat or completions [chat]")
      .type_name("ENDPOINT")
      .one_of({"chat", "completions"});
  Option concurrency =
      options.add_option("--concurrency", concurrency_, "Keep so many requests under way [1]")
          .type_name("N")
          .within(1, kMostAtOnce);
  options.add_option("--ramp", ramp_seconds_, "Spread the first of them evenly over this time [0]")
      .type_name("SECONDS");
  options.add_option("--rate", rate_, "Start so many requests a second, at random times")
      .type_name("R")
      .positive()
      .excludes(concurrency);
  Option requests = options.add_option("--requests", requests_, "Make so many requests [100]")
                        .type_name("N")
                        .within(1, kMostRequests);
  options.add_option("--seconds", seconds_, "Start requests for so long, and wait for all of them")
      .type_name("SECONDS")
      .positive()
      .excludes(requests);
  options
      .add_option("--warmup", warmup_,
                  "Make so many requests first that do not count [concurrency; 1 with --rate]")
      .type_name("N")
      .within(0, kMostRequests);
  options.add_option("--timeout", timeout_seconds_, "Deadline of each request [300]")
      .type_name("SECONDS")
      .positive();
  Option prompts =
      options
          .add_option("--prompts", prompts_,
                      R"(Take prompts from JSON lines, {"prompt": ...} or {"messages": ...})")
          .type_name("FILE");
  options
      .add_option("--input-tokens", input_tokens_,
                  "Length of random prompts: 128, 64:256 or lognormal:128:0.5 [128]")
      .type_name("LENGTH")
      .excludes(prompts);
  options.add_option("--output-tokens", output_tokens_, "Length of answers, in the same way [128]")
      .type_name("LENGTH");
  options.add_flag("--ignore-eos", ignore_eos_, "Ask for answers of full length (vLLM, SGLang)");
  options.add_flag("--no-stream", no_stream_, "Ask for answers in one piece");
  options
      .add_option("--goodput", goodput_,
                  "Also count requests that keep objectives: ttft=200ms,tpot=30ms, itl, e2e")
      .type_name("OBJECTIVES");
  options
      .add_option("--tokens-by", tokens_by_,
                  "Count tokens by the server's usage, or by words (exact for mock-server) [usage]")
      .type_name("BY")
      .one_of({"usage", "words"});
  options.add_option("--seed", seed_, "Seed of prompts, lengths and arrivals [new for each run]")
      .type_name("N")
      .within(0, kHighestSeed);
  options
      .add_option("--api-key-variable", key_variable_, "Environment variable that has the API key")
      .type_name("NAME");
  options.add_option("--record", record_, "Write each request with its times, as JSON lines")
      .type_name("FILE");
  options.add_flag("--json", json_, "Print one JSON object instead of text");
}

lab::LoadSettings BenchHttp::settings() const {
  if (rate_ && *rate_ > kHighestRate) throw Error(Stop::usage, "--rate takes up to 1000000");
  if (seconds_ && *seconds_ > kLongestRun) throw Error(Stop::usage, "--seconds takes up to 86400");
  if (timeout_seconds_ > kLongestRun) throw Error(Stop::usage, "--timeout takes up to 86400");
  if (!(ramp_seconds_ >= 0 && ramp_seconds_ <= kLongestRun)) {
    throw Error(Stop::usage, "--ramp takes 0 to 86400");
  }
  lab::LoadSettings settings;
  settings.url = server_address(url_);
  settings.is_chat = endpoint_ == "chat";
  settings.model = model_;
  settings.is_streamed = !no_stream_;
  settings.ignores_end = ignore_eos_;
  settings.api_key = key_in(key_variable_);
  settings.concurrency = concurrency_;
  settings.ramp_seconds = ramp_seconds_;
  settings.rate = rate_;
  settings.warm_up = static_cast<std::size_t>(warmup_.value_or(rate_ ? 1 : concurrency_));
  if (requests_) settings.requests = static_cast<std::size_t>(*requests_);
  if (!requests_ && !seconds_) settings.requests = kUsualRequests;
  settings.seconds = seconds_;
  settings.deadline =
      std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(timeout_seconds_));
  settings.prompts = prompts_;
  settings.input_tokens = lab::LengthDistribution::parse(input_tokens_, "--input-tokens");
  settings.output_tokens = lab::LengthDistribution::parse(output_tokens_, "--output-tokens");
  // With the prompts of an earlier run it would be measured what a server remembers.
  constexpr unsigned kSeedBits = 0x7FFF'FFFF;
  settings.seed = seed_ ? static_cast<std::uint64_t>(*seed_) : std::random_device{}() & kSeedBits;
  settings.ends_early = true;
  settings.keeps_text = !record_.empty();
  return settings;
}

int BenchHttp::run(const Console& console) {
  const lab::LoadSettings settings = this->settings();
  std::optional<lab::Objectives> objectives;
  if (goodput_) objectives = lab::Objectives::parse(*goodput_);
  if (no_stream_ && objectives && (objectives->ttft || objectives->tpot || objectives->itl))
    throw Error(Stop::usage,
                "cannot tell the goodput: --no-stream leaves only e2e to be measured; leave out "
                "ttft, tpot and itl, or --no-stream");
  if (!record_.empty()) refuse_to_overwrite(record_, "the record");
  const http::CurlLibrary curl = http::CurlLibrary::open();
  const auto begin = std::chrono::steady_clock::now();
  const lab::LoadRun run = [&] {
    Progress progress(console.err,
                      console.err_is_terminal ? Progress::Painting::on : Progress::Painting::off);
    return lab::run_load(curl, settings, [&](std::size_t ended) {
      progress.show(fmt::format("{} requests have ended", ended),
                    std::chrono::steady_clock::now() - begin);
    });
  }();
  if (!record_.empty()) write_record(record_, run);
  const lab::TokenCount count =
      tokens_by_ == "words" ? lab::TokenCount::words : lab::TokenCount::usage;
  const LoadReport report{.settings = settings,
                          .figures = lab::figures_of(run, settings, count, objectives)};
  if (report.figures.requests == 0 && !run.gave_up.empty()) {
    if (run.signal != 0) throw Interrupted(run.signal);
    throw Error(Stop::environment, fmt::format("cannot measure {}: {}; check --url, --model and "
                                               "--endpoint",
                                               settings.url, run.gave_up));
  }
  console.out << (json_ ? load_json(report) : load_text(report)) << std::flush;
  if (run.signal != 0) throw Interrupted(run.signal);
  if (report.figures.succeeded == 0) {
    throw Error(Stop::environment,
                fmt::format("cannot measure {}: none of {} requests was answered; check --url, "
                            "--model and --endpoint (mostly {})",
                            settings.url, report.figures.requests, most_common(report.figures)));
  }
  return 0;
}

std::unique_ptr<Command> bench_http_command() { return std::make_unique<BenchHttp>(); }

}  // namespace autokernel::cli
