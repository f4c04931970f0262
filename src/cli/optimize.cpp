// `autokernel optimize`: from a program to the program with faster kernels, one stage after the
// other.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <system_error>
#include <vector>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/foreground.h"
#include "autokernel/base/search_path.h"
#include "autokernel/base/sha256.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/programs/extracted.h"
#include "autokernel/programs/plan.h"
#include "autokernel/programs/profile_file.h"
#include "autokernel/programs/verification_file.h"
#include "autokernel/repo/repository.h"
#include "cli/commands.h"
#include "cli/comparison_options.h"
#include "cli/ending_text.h"
#include "cli/judged_kernels.h"
#include "cli/plan_efforts.h"
#include "cli/required_device.h"
#include "cli/shared_options.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kState = "autokernel-optimize.json";
constexpr const char* kProfile = "autokernel-profile.json";
constexpr const char* kReport = "autokernel-report.md";
constexpr int kStateVersion = 1;
constexpr int kBudgetIsUsedUp = 20;
constexpr int kSlower = 10;
constexpr int kWrong = 11;

constexpr const char* kExamples = R"(Examples:
  autokernel optimize --agent 'codex exec --full-auto -' --hours 8 -- python infer.py
  autokernel optimize --agent CMD --top 2 --metric '([0-9.]+) t/s' --higher-is-better -- ./bench

In a git repository: profiles the program, makes cases of its longest kernels and commits them, has
the agent work on them by plan, puts what was kept into the program and compares it. A report is
left in autokernel-report.md. Called again, it goes on where it stopped, and verifies again if that
is to be done otherwise; --again has the agent work on, and verifies again (docs/optimize.md). The
agent is started in the root of the repository.

Exit codes: those of 'autokernel verify'; 2 usage, 3 environment, 4 repository, 20 no kernel became
faster; where the program fails or is stopped, its own, or 128 + N for signal N.)";

// In order. Each leaves what the next one needs in files.
enum class Stage : std::uint8_t { profile, extract, loop, verify };
constexpr std::array kStages = {Stage::profile, Stage::extract, Stage::loop, Stage::verify};
[[nodiscard]] const char* spelling(Stage stage) {
  switch (stage) {
    case Stage::profile:
      return "profile";
    case Stage::extract:
      return "extract";
    case Stage::loop:
      return "loop";
    case Stage::verify:
      return "verify";
  }
  return "";
}

void require_commit(const repo::Head& head) {
  if (!head.branch.empty() && !head.commit.empty()) return;
  throw Error(Stop::repository,
              "the repository has no commit yet, or no branch is checked out, and cases could not "
              "be committed: 'git commit --allow-empty -m Begin' makes a commit, 'git switch "
              "BRANCH' checks a branch out");
}

class Optimize : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "optimize"; }
  [[nodiscard]] std::string summary() const override {
    return "Profile, extract, have an agent work, and verify, in one command";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  void check() const;
  void read_state();
  void remove_unfinished_cases() const;
  [[nodiscard]] std::vector<std::string> files_of_program() const;
  void write_state() const;
  [[nodiscard]] bool is_done(Stage stage) const { return done_ > static_cast<int>(stage); }
  [[nodiscard]] std::vector<std::string> arguments_of(Stage stage) const;
  [[nodiscard]] int run_stage(Stage stage, const Console& console) const;
  void require_committed_cases() const;
  void tell_done(Stage stage, const Console& console) const;
  [[nodiscard]] int run_stages(const Console& console);
  void commit_cases(const Console& console) const;
  void write_report(const Console& console) const;

  std::vector<std::string> command_;
  std::optional<std::string> agent_;
  std::string cases_ = "cases";
  std::string device_ = "auto";
  int top_ = 3;
  std::optional<int> max_runs_;
  std::optional<double> hours_;
  std::optional<int> no_progress_;
  std::string range_;
  bool iterations_ = false;
  int warmup_ = 0;
  ComparisonOptions comparison_;
  bool operations_ = false;
  bool again_ = false;

  // What is kept from one call to the next.
  int done_ = 0;                         // stages
  int verdict_ = 0;                      // the exit code of the last one
  std::vector<std::string> files_then_;  // of the program when it was profiled, as digests
};

void Optimize::declare(Options options) {
  options.footer(kExamples);
  options.add_option("COMMAND", command_, "The program to run and its arguments, after --");
  options.add_option("--agent", agent_, "Command line that starts the agent").type_name("CMD");
  options.add_option("--cases", cases_, "The folder for the program's cases [cases]")
      .type_name("DIR");
  add_device(options, device_);
  options.add_option("--top", top_, "Work on that many kernels at most [3]")
      .type_name("N")
      .positive();
  add_budget(options, max_runs_, hours_, no_progress_);
  options.add_option("--range", range_, "Profile only NVTX ranges of that name").type_name("NAME");
  options.add_flag("--iterations", iterations_, "Profile whole iterations of what repeats");
  options
      .add_option("--warmup", warmup_, "Leave out that many ranges or iterations at the beginning")
      .type_name("N")
      .within(0, 1'000'000);
  options.add_flag("--operations", operations_,
                   "Make cases of the operation gemm of plain matrix products");
  comparison_.declare(options);
  options.add_flag("--again", again_, "Have the agent work on, and verify again");
}

void Optimize::check() const {
  if (command_.empty()) {
    throw Error(Stop::usage,
                "optimize needs a program: autokernel optimize --agent CMD -- PROGRAM [ARGUMENTS]; "
                "see 'autokernel optimize --help'");
  }
  if (!range_.empty() && iterations_) {
    throw Error(Stop::usage, "--range and --iterations exclude each other");
  }
  if (warmup_ > 0 && range_.empty() && !iterations_) {
    throw Error(Stop::usage,
                "--warmup counts ranges or iterations: pass --range NAME or --iterations as well");
  }
  if (agent_ && agent_->find_first_not_of(" \t\r\n") == std::string::npos) {
    throw Error(Stop::usage, "--agent is empty: it is the command line that starts the agent");
  }
  require_device(driver::parse_device(device_));
  // What the last stage would find only after the agent has worked.
  comparison_.check(command_);
}

// Digests of what is named in the command and is a file: the program, and a script that it runs.
std::vector<std::string> Optimize::files_of_program() const {
  std::vector<std::string> digests;
  for (std::size_t i = 0; i < command_.size(); ++i) {
    std::error_code failed;
    const bool is_called = i == 0 && command_[i].find('/') == std::string::npos;
    const fs::path file = is_called ? find_on_path(command_[i]) : fs::path(command_[i]);
    if (!fs::is_regular_file(file, failed)) continue;
    // A model of many gigabytes does not decide which kernels there are.
    constexpr std::uintmax_t kLargest = std::uintmax_t{256} << 20U;
    if (fs::file_size(file, failed) > kLargest || failed) continue;
    digests.push_back(sha256_of_file(file));
  }
  return digests;
}

// An earlier call was stopped while it made them: they would be there twice.
void Optimize::remove_unfinished_cases() const {
  const fs::path folder = cases_;
  std::error_code failed;
  for (const programs::ExtractedCase& each : programs::read_extracted(folder)) {
    fs::remove_all(folder / each.folder, failed);
  }
  fs::remove(folder / "extracted.json", failed);
}

// Of another program nothing is taken over: its profile and cases lie where ours would.
void Optimize::read_state() {
  std::error_code failed;
  if (!fs::exists(kState, failed)) {
    if (fs::exists(kProfile, failed) || fs::exists(fs::path(cases_) / "extracted.json", failed)) {
      throw Error(Stop::usage,
                  fmt::format("there is a profile or a folder {} here already, which optimize did "
                              "not make: go on with 'autokernel loop run --plan' and 'autokernel "
                              "verify', or start in another folder",
                              cases_));
    }
    return;
  }
  const auto refuse = [&](const std::string& why) {
    return Error(Stop::usage, fmt::format("cannot go on from {}: {}", kState, why));
  };
  try {
    const auto json = document::parsed(read_file(kState, "what was done so far"));
    if (!json || !json->is_object() || json->value("schema_version", 0) != kStateVersion) {
      throw refuse("it is none of ours");
    }
    if (json->value("program", std::vector<std::string>{}) != command_ ||
        json->value("cases", std::string()) != cases_) {
      throw refuse(
          "it is of another program, other arguments or another folder of cases; start in "
          "another folder, or remove it with what it made");
    }
    const int done = json->value("done", 0);
    done_ = std::clamp(done, 0, static_cast<int>(kStages.size()));
    verdict_ = json->value("verdict", 0);
    files_then_ = json->value("files", std::vector<std::string>{});
    if (json->value("verify", std::vector<std::string>{}) != arguments_of(Stage::verify)) {
      done_ = std::min(done_, static_cast<int>(Stage::verify));
    }
  } catch (const document::Json::exception& exception) {
    throw refuse(document::why(exception));
  }
  if (again_) done_ = std::min(done_, static_cast<int>(Stage::loop));
}

void Optimize::write_state() const {
  document::Json json = document::Json::object();
  json["schema_version"] = kStateVersion;
  json["program"] = command_;
  json["cases"] = cases_;
  json["done"] = done_;
  json["verdict"] = verdict_;
  json["verify"] = arguments_of(Stage::verify);
  json["files"] = files_then_;
  write_file_atomically(kState, document::line(json));
}

std::vector<std::string> Optimize::arguments_of(Stage stage) const {
  std::vector<std::string> words = {spelling(stage)};
  const auto add = [&](const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  if (stage == Stage::loop) {
    add({"run", "--plan", "--profile", kProfile, "--cases", cases_, "--agent",
         agent_.value_or("")});
    if (max_runs_) add({"--max-runs", std::to_string(*max_runs_)});
    if (hours_) add({"--hours", fmt::format("{}", *hours_)});
    if (no_progress_) add({"--no-progress", std::to_string(*no_progress_)});
    add({"--device", device_});
    return words;
  }
  add({"--device", device_});
  if (stage == Stage::profile) {
    add({"--out", kProfile});
    if (!range_.empty()) add({"--range", range_});
    if (iterations_) add({"--iterations"});
    if (warmup_ > 0) add({"--warmup", std::to_string(warmup_)});
  } else if (stage == Stage::extract) {
    add({"--profile", kProfile, "--out", cases_, "--top", std::to_string(top_),
         "--require-success"});
    if (operations_) add({"--operations"});
  } else {
    add({"--cases", cases_});
    add(comparison_.words());
  }
  add({"--"});
  add(command_);
  return words;
}

int Optimize::run_stage(Stage stage, const Console& console) const {
  console.out << fmt::format("== {} {}\n", static_cast<int>(stage) + 1, spelling(stage))
              << std::flush;
  const Ending ending = run_in_foreground(
      {.program = "/proc/self/exe", .arguments = arguments_of(stage), .environment = {}},
      Prints::to_output);
  return exit_code_of(ending);
}

// Runs of the loop begin from a commit.
void Optimize::commit_cases(const Console& console) const {
  const repo::Repository repository = repo::Repository::open(fs::current_path());
  const repo::Head head = repository.head();
  require_commit(head);
  std::vector<std::string> paths;
  const std::vector<programs::ExtractedCase> made = programs::read_extracted(cases_);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(cases_)) {
    if (!entry.is_regular_file()) continue;
    // Whatever else lies there is the user's.
    const std::string first = entry.path().lexically_relative(cases_).begin()->string();
    const bool is_ours =
        first == "extracted.json" ||
        std::ranges::find(made, first, &programs::ExtractedCase::folder) != made.end();
    if (!is_ours) continue;
    const std::string path = repository.relative(fs::canonical(entry.path()));
    if (repository.is_ignored(path) || repository.file_matches(head.commit, path)) continue;
    paths.push_back(path);
  }
  if (paths.empty()) return;
  const std::string message =
      fmt::format("Cases of {}\n", fs::path(command_.front()).filename().string());
  const std::string commit = repository.commit_files(head.commit, paths, message);
  repository.move_branch(head.branch, head.commit, commit);
  for (const std::string& path : paths) repository.match_index(commit, path);
  console.out << fmt::format("committed   {} files of {} on {}\n", paths.size(), cases_,
                             head.branch);
}

// What is verified is what the loop has kept, in the cases as they were committed.
void Optimize::require_committed_cases() const {
  const repo::Repository repository = repo::Repository::open(fs::current_path());
  const std::string folder = repository.relative(fs::canonical(cases_)) + "/";
  std::string changed;
  for (const repo::Change& change : repository.changes({})) {
    if (!change.path.starts_with(folder) || change.what == "new") continue;
    changed += fmt::format("{}{} ({})", changed.empty() ? "" : ", ", visible_line(change.path),
                           change.what);
  }
  if (changed.empty()) return;
  throw Error(Stop::scope, fmt::format("cannot verify what the loop has not kept: {}; restore it "
                                       "('git checkout -- PATH'), and call optimize again",
                                       changed));
}

void Optimize::write_report(const Console& console) const {
  const programs::Ranking ranking = programs::read_ranking(kProfile);
  const std::vector<programs::ExtractedCase> cases = programs::read_extracted(cases_);
  constexpr int kRows = 20;
  std::string text =
      programs::plan_report(programs::plan_of(ranking, cases, efforts_of(cases_, cases)), kRows);
  // Of one that was not come to, whatever lies there is none of ours.
  const auto kept = is_done(Stage::verify) ? programs::read_verification(cases_) : std::nullopt;
  if (kept) text += "\n" + programs::verification_report(*kept);
  write_file_atomically(kReport, text);
  console.out << fmt::format("written     {}\n", kReport);
}

void Optimize::tell_done(Stage stage, const Console& console) const {
  console.out << fmt::format("== {} {}: done before\n", static_cast<int>(stage) + 1,
                             spelling(stage));
  if (stage != Stage::verify) return;
  if (const auto kept = programs::read_verification(cases_)) {
    console.out << programs::verification_report(*kept) << '\n';
  }
}

// The exit code.
int Optimize::run_stages(const Console& console) {
  for (const Stage stage : kStages) {
    if (is_done(stage)) {
      tell_done(stage, console);
      continue;
    }
    if (stage == Stage::extract) remove_unfinished_cases();
    if (stage == Stage::verify) require_committed_cases();
    const bool has_agent = stage == Stage::loop;
    const auto files = has_agent ? files_of_program() : std::vector<std::string>();
    const int code = run_stage(stage, console);
    // An agent that has no more ideas ends the loop as one does that fails: what was kept by then
    // is verified all the same.
    const bool is_over =
        has_agent && (code == kBudgetIsUsedUp || code == static_cast<int>(Stop::environment));
    if (has_agent && files_of_program() != files) {
      throw Error(
          Stop::scope,
          "the program was changed while the agent worked, and what it does now says nothing "
          "of the kernels: restore it, and call optimize again");
    }
    if (is_over && !any_is_worked_on(cases_)) {
      console.err
          << "autokernel: no kernel became faster, so that there is nothing to verify; call "
             "it again to have the agent go on\n";
      return code;
    }
    const bool is_verdict = stage == Stage::verify && (code == kSlower || code == kWrong);
    if (code != 0 && !is_verdict && !is_over) {
      console.err << fmt::format(
          "autokernel: optimize stops, as '{}' ended with {}; once that is mended, call it again "
          "to "
          "go on from there\n",
          spelling(stage), code);
      return code;
    }
    if (stage == Stage::extract) commit_cases(console);
    if (stage == Stage::verify) verdict_ = code;
    done_ = static_cast<int>(stage) + 1;
    write_state();
  }
  return verdict_;
}

int Optimize::run(const Console& console) {
  check();
  // Before the program runs for nothing.
  require_commit(repo::Repository::open(fs::current_path()).head());
  read_state();
  if (!is_done(Stage::loop) && !agent_) {
    throw Error(Stop::usage,
                "optimize needs --agent CMD, which starts a coding agent: "
                "'claude -p --permission-mode acceptEdits', say");
  }
  const std::vector<std::string> files = files_of_program();
  if (done_ == 0) {
    files_then_ = files;
    write_state();
  } else if (files != files_then_) {
    console.err << "autokernel: the program is not the one that was profiled: a launch is replaced "
                   "only where its code is the same; for what is new, start in another folder\n";
  }
  const int code = run_stages(console);
  if (is_done(Stage::extract)) write_report(console);
  const std::string branch = repo::Repository::open(fs::current_path()).head().branch;
  console.out << fmt::format("branch      {}\n", branch);
  return code;
}

}  // namespace

std::unique_ptr<Command> optimize_command() { return std::make_unique<Optimize>(); }

}  // namespace autokernel::cli
