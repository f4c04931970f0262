// [command], [metric], [[guard]] and [limits]; what goes with a server is server.cpp's.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>

#include "autokernel/base/error.h"
#include "cases/case_sections.h"

namespace autokernel::cases {
namespace {

constexpr std::array kDirections = {"lower", "higher"};

// Percent. A loss of more than that is no guard; a gain of less no night of runs can show.
constexpr NumberRange kGuardedLosses = {.low = 0, .high = 1000};
constexpr NumberRange kMinimumGains = {.low = 0.001, .high = 50};
// As many as a large machine has.
constexpr IntegerRange kGpus = {0, 64};
constexpr IntegerRange kMegabytes = {.low = 16, .high = 1 << 20};
constexpr std::size_t kMostPathPatterns = 32;
constexpr std::size_t kMostOutputs = 64;
constexpr std::size_t kMostGuards = 16;
constexpr std::size_t kLongestExpression = 1024;
constexpr const char* kPatternExample = R"(["src/*.cpp"])";

bool is_plain(const std::string& pattern) {
  return pattern.find_first_of("*?[") == std::string::npos;
}

std::vector<std::string> read_patterns(Section& section, const std::string& key) {
  if (!section.has(key)) return {};
  std::vector<std::string> patterns = section.texts(key, kPatternExample);
  if (patterns.size() > kMostPathPatterns)
    section.fail(
        key, fmt::format("has {} patterns; write at most {}", patterns.size(), kMostPathPatterns));
  for (const std::string& pattern : patterns) {
    if (const std::string fault = pattern_fault(pattern); !fault.empty())
      section.fail(key, fmt::format("holds \"{}\", which {}", shown(pattern), fault));
  }
  return patterns;
}

// The first that is a path and no pattern is the main file, whose name a run goes by.
void read_editable(Section& root, const std::vector<std::string>& hidden, Case& problem) {
  constexpr const char* kKey = "editable";
  if (!root.has(kKey))
    root.fail(R"(lacks editable, which names what may change: editable = ["src/parser.cpp"])");
  std::vector<std::string> patterns = read_patterns(root, kKey);
  const auto main = std::ranges::find_if(patterns, is_plain);
  if (main == patterns.end()) {
    root.fail(kKey,
              "has no file, only patterns; name one that is always there first, as in "
              R"(["src/parser.cpp", "src/*.h"])");
  }
  problem.kernel_name = *main;
  patterns.erase(main);
  std::set<std::string> fixed = {"case.toml", problem.kernel_name};
  for (const std::string& pattern : hidden) {
    if (is_plain(pattern)) fixed.insert(pattern);
  }
  if (problem.kernel_name == "case.toml") root.fail(kKey, "names case.toml, which stays as it is");
  for (const std::string& pattern : hidden) {
    const EditableFiles all({pattern}, {});
    if (all.contain(problem.kernel_name))
      root.fail(kKey, fmt::format("holds \"{}\", which the check alone sees (hidden)",
                                  shown(problem.kernel_name)));
  }
  problem.editable_files = {std::move(patterns), std::move(fixed)};
}

}  // namespace

void read_tables(Section& root, const std::string& key, std::size_t most,
                 const std::function<void(Section& table)>& read) {
  if (!root.has(key)) return;
  const Array& tables = root.tables(key);
  if (tables.size() > most)
    root.fail(key, fmt::format("has {} tables; write at most {}", tables.size(), most));
  for (const Value& table : tables) {
    Section section(root.file(), "[[" + key + "]]", table);
    read(section);
    section.finish();
  }
}

std::string read_lines(Section& section, const std::string& key) {
  if (section.is_text(key)) return section.text(key);
  std::string all;
  for (const std::string& line : section.texts(key, R"(["make", "./prepare"])"))
    all += (all.empty() ? "" : "\n") + line;
  return all;
}

std::string required_lines(Section& section, const std::string& key) {
  std::string lines = read_lines(section, key);
  if (lines.find_first_not_of(" \t\n") == std::string::npos)
    section.fail(key, "is empty; write a command line for /bin/sh");
  return lines;
}

namespace {

std::string read_metric_file(Section& section, const CommandPlan& plan, bool is_of_check) {
  if (!section.has("file")) return {};
  const std::string file = section.text("file");
  if (is_of_check)
    section.fail("file", R"(goes with what a run leaves; leave it out with of = "check")");
  if (std::ranges::find(plan.outputs, file) == plan.outputs.end())
    section.fail(
        "file",
        fmt::format("is \"{}\", which is not among [command] outputs; add it there", shown(file)));
  return file;
}

std::vector<std::string> read_pointers(Section& section) {
  std::vector<std::string> pointers = section.is_text("json")
                                          ? std::vector<std::string>{section.text("json")}
                                          : section.texts("json", R"("/median_us")");
  for (const std::string& pointer : pointers) {
    if (!pointer.starts_with('/'))
      section.fail("json", fmt::format(R"(is "{}"; write a JSON pointer, such as "/{}")",
                                       shown(pointer), shown(pointer)));
  }
  return pointers;
}

std::string read_line_pattern(Section& section) {
  std::string pattern = section.text("line");
  const char* const example = R"(, as in '([0-9.]+) tokens per second')";
  if (pattern.size() > kLongestExpression)
    section.fail("line", fmt::format("has {} characters; write at most {}", pattern.size(),
                                     kLongestExpression));
  try {
    const std::regex compiled(pattern, std::regex::ECMAScript);
    if (compiled.mark_count() != 1)
      section.fail("line", std::string("must have one group, around the number") + example);
  } catch (const std::regex_error& error) {
    section.fail("line", fmt::format("is no regular expression ({}); write one with one group "
                                     "around the number{}",
                                     error.what(), example));
  }
  return pattern;
}

Metric read_metric(Section& section, const CommandPlan& plan) {
  Metric metric;
  metric.name = section.text("name");
  if (metric.name.empty()) section.fail("name", "is empty; write what the number is called");
  if (section.has("unit")) metric.unit = section.text("unit");
  if (section.has("better")) {
    metric.better =
        section.word("better", {kDirections.begin(), kDirections.end()}) == spelling(Better::higher)
            ? Better::higher
            : Better::lower;
  }
  if (section.has("of")) metric.is_of_check = section.word("of", {"run", "check"}) == "check";
  const int sources =
      static_cast<int>(section.has("json")) + static_cast<int>(section.has("line")) +
      static_cast<int>(section.has("wall_time")) + static_cast<int>(section.has("cpu_time"));
  if (sources != 1) {
    section.fail(
        "must say where the number is found, in one way: json = \"/median_us\", line = "
        "\"([0-9.]+) us\", wall_time = true or cpu_time = true");
  }
  const std::string file = read_metric_file(section, plan, metric.is_of_check);
  if (section.has("json")) {
    metric.source = JsonNumber{read_pointers(section), file};
  } else if (section.has("line")) {
    metric.source = NumberInLine{read_line_pattern(section), file};
  } else {
    const std::string key = section.has("wall_time") ? "wall_time" : "cpu_time";
    if (!section.truth(key, true)) section.fail(key, "is false; leave it out");
    if (metric.is_of_check || !file.empty())
      section.fail(key, "is that of a run; leave out of and file");
    if (metric.better == Better::higher)
      section.fail(key, "is better where it is lower; leave out better");
    if (key == "wall_time") {
      metric.source = WallTime{};
    } else {
      metric.source = CpuTime{};
    }
    if (metric.unit.empty()) metric.unit = "s";
    if (metric.unit != "s")
      section.fail("unit", fmt::format("must be \"s\" with {}; leave it out", key));
  }
  return metric;
}

void read_outputs(Section& section, CommandPlan& plan) {
  if (!section.has("outputs")) return;
  plan.outputs = section.texts("outputs", R"(["out.json"])");
  if (plan.outputs.size() > kMostOutputs)
    section.fail("outputs",
                 fmt::format("has {} files; write at most {}", plan.outputs.size(), kMostOutputs));
  for (const std::string& output : plan.outputs) {
    if (const std::string fault = pattern_fault(output); !fault.empty())
      section.fail("outputs", fmt::format("holds \"{}\", which {}", shown(output), fault));
    if (!is_plain(output))
      section.fail("outputs",
                   fmt::format("holds \"{}\"; write each file by its name", shown(output)));
    if (EditableFiles(plan.hidden, {}).contain(output))
      section.fail("outputs", fmt::format("holds \"{}\", in whose place the check has a hidden "
                                          "file; call it otherwise",
                                          shown(output)));
  }
}

void read_limits(Section& root, CommandLimits& limits) {
  if (!root.has("limits")) return;
  Section section = root.section("limits");
  const auto seconds = [&](const char* key, double& value) {
    if (section.has(key)) value = section.number(key, kDeadlines);
  };
  seconds("build_seconds", limits.build_seconds);
  seconds("run_seconds", limits.run_seconds);
  seconds("check_seconds", limits.check_seconds);
  if (section.has("memory_mb"))
    limits.memory_bytes = static_cast<std::uint64_t>(section.integer("memory_mb", kMegabytes))
                          << 20U;
  section.finish();
}

void read_guards(Section& root, CommandPlan& plan) {
  read_tables(root, "guard", kMostGuards, [&](Section& section) {
    GuardedMetric guard{.metric = read_metric(section, plan)};
    const auto has_its_name = [&](const Metric& other) { return other.name == guard.metric.name; };
    if (has_its_name(plan.metric) ||
        std::ranges::any_of(plan.guards, has_its_name, &GuardedMetric::metric))
      section.fail("name", fmt::format("is \"{}\", as that of another number; write another one",
                                       shown(guard.metric.name)));
    guard.most_loss = section.number("loss_pct", kGuardedLosses) / 100;
    plan.guards.push_back(std::move(guard));
  });
}

}  // namespace

const char* spelling(Better better) { return kDirections.at(static_cast<std::size_t>(better)); }

void read_command(Section& root, Case& problem) {
  CommandPlan& plan = problem.command.emplace();
  Section section = root.section("command");
  if (section.has("build")) plan.build = read_lines(section, "build");
  if (section.has("set_up")) plan.set_up = read_lines(section, "set_up");
  if (root.has("server")) {
    plan.server.emplace();
    if (section.has("run")) section.fail("run", "is that of a program; leave it out with [server]");
    if (section.has("check")) plan.check = read_lines(section, "check");
  } else {
    plan.run = required_lines(section, "run");
    plan.check = required_lines(section, "check");
  }
  plan.hidden = read_patterns(section, "hidden");
  plan.ignored = read_patterns(section, "ignored");
  plan.network = section.truth("network", false);
  if (section.has("gpus")) plan.gpus = static_cast<int>(section.integer("gpus", kGpus));
  if (section.has("readable")) {
    for (const std::string& path : section.texts("readable", R"(["/data/model"])")) {
      if (!path.starts_with('/'))
        section.fail("readable", fmt::format("holds \"{}\"; write an absolute path, to what lies "
                                             "outside of the case",
                                             shown(path)));
      plan.readable.emplace_back(path);
    }
  }
  read_outputs(section, plan);
  section.finish();
  read_editable(root, plan.hidden, problem);
  if (plan.server) read_server(root, problem, *plan.server);

  Section metric = root.section("metric");
  plan.metric = read_metric(metric, plan);
  if (metric.has("min_gain_pct"))
    plan.min_gain = metric.number("min_gain_pct", kMinimumGains) / 100;
  if (metric.has("budget_seconds"))
    plan.budget_seconds = metric.number("budget_seconds", kDeadlines);
  if (plan.server) require_metric_of_load(metric, plan.metric, *plan.server);
  metric.finish();
  read_guards(root, plan);
  if (plan.server) require_guard_of_latency(root, plan);
  read_limits(root, plan.limits);

  // Whoever asks finds the two sizes that every case has.
  problem.sizes = {{"default", {}}, {"check", {}}};
  problem.types = {{"default", {}}, {"check", {}}};
}

}  // namespace autokernel::cases
