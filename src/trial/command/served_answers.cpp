#include "trial/command/served_answers.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/system_error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/http/transfers.h"

namespace autokernel::trial {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Between two questions whether a server is up.
constexpr milliseconds kBetweenQuestions{100};
constexpr milliseconds kLongestHealthAnswer{5'000};
// So that what is asked first is not asked again under load.
constexpr std::uint64_t kOfProbes = 0x9E3779B97F4A7C15;
constexpr std::uint64_t kOfSuites = 0xD1B54A32D192ED03;

// One that nobody listens on now. Whoever is faster gets it: then the server does not start, and
// says so.
[[nodiscard]] std::uint16_t free_port() {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (!socket.is_open() || ::bind(socket.get(), any, size) != 0 ||
      ::getsockname(socket.get(), any, &size) != 0) {
    throw system_failure(Stop::environment, "cannot find a port for a server", "bind");
  }
  return ntohs(address.sin_port);
}

class HealthListener : public http::TransferListener {
 public:
  [[nodiscard]] bool on_bytes(int /*status*/, std::string_view /*bytes*/) override { return true; }
  void on_end(const http::TransferEnd& end) override {
    is_healthy = end.ending == http::TransferEnding::complete && end.status == 200;
    has_ended = true;
  }
  bool has_ended = false;
  bool is_healthy = false;
};

[[nodiscard]] std::string failure_text(const lab::RequestOutcome& outcome, std::size_t count) {
  return fmt::format(
      "request {} of {} {}{}{}", outcome.index + 1, count, lab::load_failure_name(outcome.failure),
      outcome.status > 0 && outcome.status != 200 ? fmt::format(" (status {})", outcome.status)
                                                  : "",
      outcome.detail.empty() ? "" : ": " + visible_line(outcome.detail));
}

[[nodiscard]] Verdict verdict_on(lab::LoadFailure failure) {
  switch (failure) {
    case lab::LoadFailure::timed_out:
    case lab::LoadFailure::stalled:
      return Verdict::timed_out;
    case lab::LoadFailure::refused:
    case lab::LoadFailure::disconnected:
      return Verdict::crashed;
    default:
      return Verdict::incorrect;
  }
}

void require_answers(const lab::LoadRun& run, const std::string& name, std::size_t wanted) {
  for (const lab::RequestOutcome& outcome : run.requests) {
    if (!outcome.succeeded())
      throw Refused(verdict_on(outcome.failure),
                    fmt::format("{}: {}", name, failure_text(outcome, wanted)), "");
  }
  if (run.requests.size() < wanted)
    throw Refused(Verdict::crashed,
                  fmt::format("{}: {} of {} requests were made: {}", name, run.requests.size(),
                              wanted, run.gave_up),
                  "");
}

// Where two texts part, with some of what is there.
[[nodiscard]] std::string difference(const std::string& got, const std::string& expected) {
  constexpr std::size_t kShown = 40;
  const auto [at, other] = std::ranges::mismatch(got, expected);
  const auto place = static_cast<std::size_t>(at - got.begin());
  return fmt::format("from character {} on it is '{}', not '{}'", place,
                     visible_line(got.substr(place, kShown)),
                     visible_line(expected.substr(place, kShown)));
}

void require_same(const lab::LoadRun& run, const lab::LoadRun& reference, const char* what) {
  for (std::size_t i = 0; i < run.requests.size(); ++i) {
    const lab::RequestOutcome& ours = run.requests[i];
    const lab::RequestOutcome& theirs = reference.requests.at(i);
    if (ours.text != theirs.text)
      throw Refused(Verdict::incorrect,
                    fmt::format("answer {} of {} {} is not the reference's: {}", i + 1,
                                run.requests.size(), what, difference(ours.text, theirs.text)),
                    "");
    if (ours.usage_output && theirs.usage_output && *ours.usage_output != *theirs.usage_output)
      throw Refused(
          Verdict::incorrect,
          fmt::format("the server lies about usage: it claims {} tokens for answer {} of "
                      "{} {}, which has {}",
                      *ours.usage_output, i + 1, run.requests.size(), what, *theirs.usage_output),
          "");
  }
}

}  // namespace

RunningServer::RunningServer(const CommandSetting& setting, const std::string& line,
                             std::string name, const Fill& fill)
    : setting_(setting),
      plan_(*setting.server),
      folder_(setting.scratch),
      name_(std::move(name)),
      port_(free_port()) {
  std::error_code failed;
  std::filesystem::create_directories(folder_.path() / kWorkFolder, failed);
  fill(folder_.path() / kWorkFolder / kFilesFolder);
  CommandRules rules = rules_for(setting, line);
  if (!setting.plan->network)
    rules.command.network = {.kind = Network::Kind::serving, .port = port_};
  rules.variables["AUTOKERNEL_PORT"] = std::to_string(port_);
  // It lives as long as its load: each request has a deadline of its own.
  constexpr double kForGood = 1e6;
  rules.seconds = kForGood;
  process_ = std::make_unique<ConfinedProcess>(rules, folder_.path(), *setting.tree,
                                               [this] { setting_.progress(Phase::start); });
  wait_until_healthy();
}

void RunningServer::refuse_ended(const char* when) {
  const CommandEnd end = process_->end();
  if (end.how == CommandEnd::How::over_memory)
    throw Refused(Verdict::crashed,
                  fmt::format("{} took more than {} MB of memory ([limits] memory_mb)", name_,
                              setting_.plan->limits.memory_bytes >> 20U),
                  end.complaint);
  throw Refused(Verdict::crashed, fmt::format("{} ended {}: {}", name_, when, ending_text(end)),
                end.complaint);
}

bool RunningServer::is_healthy() const {
  http::Transfers transfers(*setting_.curl,
                            {.url = fmt::format("http://127.0.0.1:{}{}", port_, plan_.health),
                             .deadline = kLongestHealthAnswer});
  HealthListener listener;
  transfers.start("", listener);
  while (!listener.has_ended) transfers.wait(Clock::now() + kBetweenQuestions);
  return listener.is_healthy;
}

void RunningServer::wait_until_healthy() {
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(plan_.start_seconds));
  const auto meanwhile = [this] { setting_.progress(Phase::start); };
  while (process_->tend(Clock::now() + kBetweenQuestions, meanwhile)) {
    if (is_healthy()) return;
    if (Clock::now() < deadline) continue;
    const CommandEnd end = process_->end();
    throw Refused(Verdict::timed_out,
                  fmt::format("{} was not up after {:g} s: {} gives no status 200 ([server] "
                              "start_seconds)",
                              name_, plan_.start_seconds, plan_.health),
                  end.complaint);
  }
  refuse_ended("before it was up");
}

void RunningServer::tend() {
  if (!process_->tend(Clock::now(), [this] { setting_.progress(Phase::time); }))
    refuse_ended("under load");
}

lab::LoadRun RunningServer::load(const lab::LoadSettings& settings) {
  lab::LoadRun run = lab::run_load(*setting_.curl, settings, [this](std::size_t) { tend(); });
  tend();
  require_answers(run, name_, settings.requests.value_or(0));
  return run;
}

lab::LoadSettings RunningServer::settings_of(const cases::LoadPlan& load,
                                             std::uint64_t seed) const {
  lab::LoadSettings settings;
  settings.url = fmt::format("http://127.0.0.1:{}", port_);
  settings.is_chat = plan_.is_chat;
  settings.model = plan_.model;
  settings.deadline = milliseconds(static_cast<std::int64_t>(1000 * plan_.request_seconds));
  settings.input_tokens = lab::LengthDistribution::parse(load.input_tokens, "input_tokens");
  settings.output_tokens = lab::LengthDistribution::parse(load.output_tokens, "output_tokens");
  settings.keeps_text = true;
  settings.seed = seed;
  settings.requests = static_cast<std::size_t>(load.requests);
  settings.warm_up = static_cast<std::size_t>(load.warm_up);
  settings.concurrency = load.concurrency;
  settings.rate = load.rate;
  if (!load.prompts.empty()) settings.prompts = setting_.prompts / load.prompts;
  return settings;
}

ServedAnswers RunningServer::answers(const std::string& seed) {
  constexpr int kHexadecimal = 16;
  const std::uint64_t drawn = std::strtoull(seed.c_str(), nullptr, kHexadecimal);
  lab::LoadSettings probes = settings_of(plan_.load, drawn ^ kOfProbes);
  probes.requests = static_cast<std::size_t>(plan_.probes);
  probes.warm_up = 0;
  probes.concurrency = 1;
  probes.rate.reset();
  ServedAnswers answers;
  answers.probes = load(probes);
  answers.load = load(settings_of(plan_.load, drawn));
  std::uint64_t other = drawn;
  for (const cases::SuitePlan& suite : plan_.suites)
    answers.suites.push_back(load(settings_of(suite.load, other += kOfSuites)));
  return answers;
}

void require_same_answers(const ServedAnswers& answers, const ServedAnswers& reference) {
  require_same(answers.probes, reference.probes, "before the load");
  require_same(answers.load, reference.load, "under load");
  for (std::size_t i = 0; i < reference.suites.size(); ++i)
    require_same(answers.suites.at(i), reference.suites[i], "in a suite");
}

}  // namespace autokernel::trial
