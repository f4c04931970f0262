// [server], [load] and [[suite]].
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <variant>

#include "autokernel/base/error.h"
#include "cases/case_sections.h"

namespace autokernel::cases {
namespace {

constexpr std::size_t kMostSuites = 16;
constexpr const char* kOfSuites = "/suites/";

int read_count(Section& section, const char* key, IntegerRange range, int otherwise) {
  return section.has(key) ? static_cast<int>(section.integer(key, range)) : otherwise;
}

void read_load(Section& section, LoadPlan& load) {
  constexpr NumberRange kRates = {.low = 0.001, .high = 100'000};
  constexpr std::int64_t kMostAtOnce = 4000;
  constexpr std::int64_t kMostRequests = 1'000'000;
  load.concurrency = read_count(section, "concurrency", {1, kMostAtOnce}, load.concurrency);
  if (section.has("rate")) {
    if (section.has("concurrency"))
      section.fail("rate", "makes an open loop; leave out concurrency, or it");
    load.rate = section.number("rate", kRates);
  }
  load.requests = read_count(section, "requests", {1, kMostRequests}, load.requests);
  load.warm_up = read_count(section, "warmup", {0, kMostRequests}, load.warm_up);
  const auto lengths = [&](const char* key, std::string& text) {
    if (!section.has(key)) return;
    text = section.is_text(key) ? section.text(key)
                                : std::to_string(section.integer(key, {1, kMostRequests}));
  };
  lengths("input_tokens", load.input_tokens);
  lengths("output_tokens", load.output_tokens);
}

bool is_plain_name(const std::string& name) {
  constexpr const char* kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  return !name.empty() && name.find_first_not_of(kLetters) == std::string::npos;
}

// Whoever may change the prompts may choose those that are answered soonest.
void require_fixed(const Section& section, const std::string& file, const Case& problem) {
  if (const std::string fault = pattern_fault(file); !fault.empty())
    section.fail("prompts", fmt::format("is \"{}\", which {}", shown(file), fault));
  if (file == problem.kernel_name || problem.editable_files.contain(file))
    section.fail("prompts",
                 fmt::format("is \"{}\", which is editable; keep it elsewhere", shown(file)));
}

SuitePlan read_suite(Section& section, const Case& problem, const std::vector<SuitePlan>& others) {
  SuitePlan suite;
  suite.name = section.text("name");
  if (!is_plain_name(suite.name))
    section.fail("name", fmt::format("is \"{}\"; write letters, digits, '_', '-' and '.'",
                                     shown(suite.name)));
  if (std::ranges::find(others, suite.name, &SuitePlan::name) != others.end())
    section.fail("name", fmt::format("is \"{}\", as that of another suite", suite.name));
  if (section.has("prompts")) {
    if (section.has("input_tokens"))
      section.fail("input_tokens", "goes with prompts that are drawn; leave out prompts, or it");
    suite.load.prompts = section.text("prompts");
    require_fixed(section, suite.load.prompts, problem);
  }
  read_load(section, suite.load);
  return suite;
}

}  // namespace

void read_server(Section& root, const Case& problem, ServerPlan& server) {
  Section section = root.section("server");
  server.start = required_lines(section, "start");
  server.reference = required_lines(section, "reference");
  if (section.has("health")) server.health = section.text("health");
  if (!server.health.starts_with('/'))
    section.fail("health", "must begin with '/', such as \"/health\"");
  if (section.has("start_seconds"))
    server.start_seconds = section.number("start_seconds", kDeadlines);
  if (section.has("restart"))
    server.is_kept = section.word("restart", {"run", "experiment"}) == "experiment";
  if (section.has("endpoint"))
    server.is_chat = section.word("endpoint", {"completions", "chat"}) == "chat";
  server.model = section.text("model");
  constexpr std::int64_t kMostProbes = 1000;
  server.probes = read_count(section, "probes", {1, kMostProbes}, server.probes);
  section.finish();
  if (root.has("load")) {
    Section load = root.section("load");
    read_load(load, server.load);
    if (load.has("request_seconds"))
      server.request_seconds = load.number("request_seconds", kDeadlines);
    load.finish();
  }
  read_tables(root, "suite", kMostSuites, [&](Section& suite) {
    server.suites.push_back(read_suite(suite, problem, server.suites));
  });
}

void require_metric_of_load(const Section& section, const Metric& metric,
                            const ServerPlan& server) {
  const auto* const json = std::get_if<JsonNumber>(&metric.source);
  if (json == nullptr) {
    if (server.is_kept && !std::holds_alternative<NumberInLine>(metric.source))
      section.fail(
          "takes the time of a whole run, and with restart = \"experiment\" a server has many "
          "runs; "
          "take a number of the load, such as json = \"/e2e/mean\"");
    return;
  }
  for (const SuitePlan& suite : server.suites) {
    const std::string figures = kOfSuites + suite.name + "/";
    const bool is_known = !suite.load.prompts.empty();
    if (is_known && std::ranges::any_of(json->pointers, [&](const std::string& pointer) {
          return pointer.starts_with(figures);
        }))
      section.fail("json",
                   fmt::format("reads suite {}, whose prompts a server may know beforehand; "
                               "it can be that of a [[guard]]",
                               suite.name));
  }
}

namespace {

bool reads(const Metric& metric, std::initializer_list<const char*> figures) {
  const auto* const json = std::get_if<JsonNumber>(&metric.source);
  return json != nullptr && std::ranges::any_of(json->pointers, [&](const std::string& pointer) {
           return std::ranges::any_of(figures, [&](const char* figure) {
             return pointer.find(figure) != std::string::npos;
           });
         });
}

}  // namespace

void require_guard_of_latency(const Section& root, const CommandPlan& plan) {
  if (!reads(plan.metric, {"/tpot/", "/itl/"})) return;
  const bool is_guarded = std::ranges::any_of(plan.guards, [](const GuardedMetric& guard) {
    return reads(guard.metric, {"/ttft/", "/e2e/"});
  });
  if (!is_guarded)
    root.fail(
        "has a [metric] that becomes better where a server holds back its first token; add a "
        "[[guard]] with json = \"/e2e/mean\" or json = \"/ttft/mean\"");
}

}  // namespace autokernel::cases
