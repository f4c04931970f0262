#include "trial/command/built_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <csignal>
#include <cstring>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/visible_text.h"
#include "trial/command/served_answers.h"

namespace autokernel::trial {
namespace {

namespace fs = std::filesystem;

// Each run gets a copy of it.
constexpr std::uint64_t kLargestBuild = 8ULL << 30U;
// Of what a command said, as a reason has it; the log has all of it.
constexpr std::size_t kMostLines = 3;
constexpr std::size_t kLongestLine = 200;

// The last lines that say anything: of errors the last is what it all came to.
[[nodiscard]] std::string last_lines(const std::string& text, std::size_t most) {
  std::vector<std::string> lines;
  for (std::size_t end = text.size(); end > 0 && lines.size() < most;) {
    const std::size_t newline = text.rfind('\n', end - 1);
    const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
    std::string line = visible_line(std::string_view(text).substr(begin, end - begin));
    if (line.size() > kLongestLine) line = line.substr(0, kLongestLine) + "...";
    if (line.find_first_not_of(' ') != std::string::npos) lines.insert(lines.begin(), line);
    end = begin == 0 ? 0 : begin - 1;
  }
  std::string all;
  for (const std::string& line : lines) all += "\n" + line;
  return all;
}

// The first line that a compiler marks as an error, or else the last.
[[nodiscard]] std::string error_in(const std::string& text) {
  for (const char* const mark : {"error:", "Error:", "error["}) {
    const std::size_t at = text.find(mark);
    if (at == std::string::npos) continue;
    const std::size_t begin = text.rfind('\n', at) + 1;
    return last_lines(text.substr(begin, text.find('\n', at) - begin), 1);
  }
  return last_lines(text, kMostLines);
}

[[nodiscard]] std::string ending_of(const CommandEnd& end) {
  if (end.ending.signal != 0)
    return fmt::format("was ended by signal {} ({})", end.ending.signal,
                       ::sigabbrev_np(end.ending.signal));
  // A shell's word for what it has seen of a program that it ran.
  constexpr int kBySignal = 128;
  const char* const signal =
      end.ending.code > kBySignal ? ::sigabbrev_np(end.ending.code - kBySignal) : nullptr;
  return fmt::format("ended with exit code {}{}", end.ending.code,
                     signal == nullptr ? ""
                                       : fmt::format(", which stands for signal {} ({})",
                                                     end.ending.code - kBySignal, signal));
}

[[nodiscard]] std::string detail_of(const char* what, const CommandEnd& end) {
  return fmt::format("{}: standard output:\n{}\n{}: standard error:\n{}\n", what, end.output, what,
                     end.complaint);
}

// Refuses what did not end as it should. `failed` is the verdict on another exit code than 0.
void require_end(const char* what, const CommandEnd& end, const cases::CommandLimits& limits,
                 double seconds, Verdict failed) {
  if (end.succeeded()) return;
  const std::string detail = detail_of(what, end);
  if (end.how == CommandEnd::How::past_deadline)
    throw Refused(Verdict::timed_out,
                  fmt::format("{} took more than {:g} s ([limits])", what, seconds), detail);
  if (end.how == CommandEnd::How::over_memory)
    throw Refused(failed == Verdict::does_not_compile ? failed : Verdict::crashed,
                  fmt::format("{} took more than {} MB of memory ([limits] memory_mb)", what,
                              limits.memory_bytes >> 20U),
                  detail);
  const Verdict over = failed == Verdict::incorrect || failed == Verdict::does_not_compile
                           ? failed
                           : Verdict::crashed;
  if (end.how == CommandEnd::How::over_output)
    throw Refused(
        over,
        fmt::format("{} printed more than {} MiB on standard output", what, kMostOutput >> 20U),
        detail);
  if (end.how == CommandEnd::How::over_processes)
    throw Refused(
        over, fmt::format("{} had more than {} processes at a time", what, kMostProcesses), detail);
  const std::string said = end.complaint.empty() ? end.output : end.complaint;
  throw Refused(failed,
                fmt::format("{} {}{}", what, ending_of(end),
                            failed == Verdict::does_not_compile ? error_in(said)
                                                                : last_lines(said, kMostLines)),
                detail);
}

}  // namespace

std::string ending_text(const CommandEnd& end) {
  return ending_of(end) + last_lines(end.complaint, kMostLines);
}

CommandRules rules_for(const CommandSetting& setting, const std::string& line) {
  CommandRules rules{.command = {.line = line,
                                 .readable = setting.readable,
                                 .network = {.kind = setting.plan->network ? Network::Kind::any
                                                                           : Network::Kind::none}},
                     .variables = {},
                     .input = {},
                     .memory_bytes = setting.plan->limits.memory_bytes};
  if (setting.gpus) {
    rules.command.devices = setting.gpus->devices;
    rules.variables["CUDA_VISIBLE_DEVICES"] =
        fmt::format("{}", fmt::join(setting.gpus->uuids, ","));
  }
  return rules;
}

BuiltProgram::BuiltProgram(const CommandSetting& setting, const FilesByPath& editable)
    : setting_(setting), folder_(setting.scratch) {
  const fs::path files = folder_.path() / kWorkFolder / kFilesFolder;
  write_files(files, setting.files.fixed);
  write_files(files, editable);
  if (setting.plan->build.empty()) return;
  const double most = setting.plan->limits.build_seconds;
  const CommandEnd end = command(Phase::compile, folder_.path(), setting.plan->build, most, {}, {});
  build_seconds_ = end.seconds;
  require_end("the build", end, setting.plan->limits, most, Verdict::does_not_compile);
  require_fixed_files();
}

void BuiltProgram::require_fixed_files() const {
  const fs::path files = folder_.path() / kWorkFolder / kFilesFolder;
  for (const auto& [path, bytes] : setting_.files.fixed) {
    std::optional<std::string> now;
    try {
      now = read_file_below(files, path, "a fixed file", bytes.size());
    } catch (const Error&) {  // it is no regular file any more, or a longer one
      now.reset();
    }
    if (now != bytes)
      throw Refused(Verdict::does_not_compile,
                    fmt::format("the build changed {}, which is fixed", path), {});
  }
  if (folder_bytes(files) > kLargestBuild)
    throw Refused(Verdict::does_not_compile,
                  fmt::format("the build left more than {} GiB of files", kLargestBuild >> 30U),
                  {});
}

BuiltProgram::~BuiltProgram() = default;

CommandEnd BuiltProgram::command(Phase phase, const fs::path& folder, const std::string& line,
                                 double seconds, const std::string& seed,
                                 const std::string& input) const {
  CommandRules rules = rules_for(setting_, line);
  rules.input = input;
  rules.seconds = seconds;
  if (!seed.empty()) rules.variables["AUTOKERNEL_SEED"] = seed;
  return run_confined(rules, folder, *setting_.tree, [&] { setting_.progress(phase); });
}

void BuiltProgram::read_metrics(MeasuredRun& run, bool of_check,
                                const CommandOutputs& outputs) const {
  const auto read = [&](const cases::Metric& metric) {
    if (metric.is_of_check != of_check) return;
    const MetricReading reading = read_metric(metric, outputs);
    if (!reading.fault.empty())
      throw Refused(Verdict::incorrect, fmt::format("the metric {} {}", metric.name, reading.fault),
                    fmt::format("standard output:\n{}\n", outputs.printed));
    run.values[metric.name] = reading.value;
  };
  read(setting_.plan->metric);
  for (const cases::GuardedMetric& guard : setting_.plan->guards) read(guard.metric);
}

void BuiltProgram::copy_to(const fs::path& files) const {
  const std::string fault = copy_files(folder_.path() / kWorkFolder / kFilesFolder, files);
  if (!fault.empty()) throw Refused(Verdict::crashed, fault, {});
}

RunningServer& BuiltProgram::server() {
  if (server_) {
    server_->resume();
  } else {
    server_ = std::make_unique<RunningServer>(setting_, setting_.server->start, "the server",
                                              [this](const fs::path& files) { copy_to(files); });
  }
  return *server_;
}

void BuiltProgram::end_server() {
  if (!server_) return;
  server_->resume();
  static_cast<void>(server_->end());
  server_.reset();
}

ServedAnswers BuiltProgram::answers_of_server(const std::string& seed) {
  try {
    return server().answers(seed);
  } catch (...) {
    // Whoever runs it again runs another one.
    end_server();
    throw;
  }
}

MeasuredRun BuiltProgram::serve(const std::string& seed) {
  const ServedAnswers& reference = setting_.reference_answers(seed);
  ServedAnswers answers = answers_of_server(seed);
  MeasuredRun run{.seed = seed, .outputs = {}, .values = {}};
  if (setting_.server->is_kept) {
    server_->pause();
  } else {
    const CommandEnd end = server_->end();
    server_.reset();
    run.outputs.seconds = end.seconds;
    run.outputs.processor_seconds = end.processor_seconds;
  }
  require_same_answers(answers, reference);
  run.outputs.printed = served_figures(*setting_.server, std::move(answers), reference);
  read_metrics(run, false, run.outputs);
  return run;
}

MeasuredRun BuiltProgram::run(const std::string& seed) {
  if (setting_.server != nullptr) return serve(seed);
  const ScratchDirectory own(setting_.scratch);
  const fs::path files = own.path() / kWorkFolder / kFilesFolder;
  std::error_code failed;
  fs::create_directories(files.parent_path(), failed);
  copy_to(files);
  const double most = setting_.plan->limits.run_seconds;
  CommandEnd end = command(Phase::time, own.path(), setting_.plan->run, most, seed, {});
  require_end("the run", end, setting_.plan->limits, most, Verdict::crashed);
  ReadOutputs left = read_outputs(files, setting_.plan->outputs);
  if (!left.fault.empty()) throw Refused(Verdict::incorrect, left.fault, detail_of("the run", end));
  MeasuredRun run{.seed = seed,
                  .outputs = {.printed = std::move(end.output),
                              .files = std::move(left.files),
                              .seconds = end.seconds,
                              .processor_seconds = end.processor_seconds},
                  .values = {}};
  read_metrics(run, false, run.outputs);
  return run;
}

void BuiltProgram::check(MeasuredRun& run) const {
  // The answers of a server have been compared with the reference's.
  if (setting_.plan->check.empty()) return;
  const ScratchDirectory own(setting_.scratch);
  const fs::path files = own.path() / kWorkFolder / kFilesFolder;
  // What the case says stands, whatever a run has left.
  write_files(files, run.outputs.files);
  write_files(files, setting_.files.fixed);
  write_files(files, setting_.files.hidden);
  const double most = setting_.plan->limits.check_seconds;
  CommandEnd end =
      command(Phase::check, own.path(), setting_.plan->check, most, run.seed, run.outputs.printed);
  require_end("the check", end, setting_.plan->limits, most, Verdict::incorrect);
  const CommandOutputs said{.printed = std::move(end.output), .files = {}, .seconds = end.seconds};
  read_metrics(run, true, said);
}

}  // namespace autokernel::trial
