// A program of a [command] case: how it is built, run and checked.
#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/base/scratch.h"
#include "autokernel/cases/case.h"
#include "autokernel/http/curl_library.h"
#include "autokernel/trial/confined_command.h"
#include "autokernel/trial/result.h"
#include "trial/command/command_folder.h"
#include "trial/command/command_gpus.h"
#include "trial/command/metric_reading.h"

namespace autokernel::trial {

struct ServedAnswers;
class RunningServer;

// What a program is refused for.
class Refused : public std::exception {
 public:
  Refused(Verdict verdict, std::string reason, std::string detail)
      : verdict_(verdict), reason_(std::move(reason)), detail_(std::move(detail)) {}
  [[nodiscard]] Verdict verdict() const { return verdict_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }
  [[nodiscard]] const std::string& detail() const { return detail_; }
  [[nodiscard]] const char* what() const noexcept override { return reason_.c_str(); }

 private:
  Verdict verdict_;
  std::string reason_;
  std::string detail_;
};

// One run, and what is known of it.
struct MeasuredRun {
  std::string seed;
  CommandOutputs outputs;
  // By the name of each metric; those of the check only once it was checked.
  std::map<std::string, double> values;
};

// What all programs of a trial share.
struct CommandSetting {
  const cases::CommandPlan* plan = nullptr;
  const cases::ServerPlan* server = nullptr;  // the plan's; null: it has none
  cases::CommandFiles files;
  std::vector<std::filesystem::path> readable;
  std::optional<CommandGpus> gpus = {};
  ProcessTree* tree = nullptr;
  std::filesystem::path scratch;
  // Called several times a second; throws Interrupted.
  std::function<void(Phase)> progress;
  // Of a [server] case: what the reference answers to the requests of a seed.
  std::function<const ServedAnswers&(const std::string& seed)> reference_answers = {};
  const http::CurlLibrary* curl = nullptr;
  std::filesystem::path prompts = {};  // where files of prompts lie, by their paths in the case
};

// What every command of the trial gets: what it may read, the network of the plan, GPUs.
[[nodiscard]] CommandRules rules_for(const CommandSetting& setting, const std::string& line);

// How a command ended, with the last of what it said.
[[nodiscard]] std::string ending_text(const CommandEnd& end);

class BuiltProgram {
 public:
  // Builds it from its editable files. Throws Refused.
  BuiltProgram(const CommandSetting& setting, const FilesByPath& editable);
  BuiltProgram(const BuiltProgram&) = delete;
  BuiltProgram& operator=(const BuiltProgram&) = delete;
  BuiltProgram(BuiltProgram&&) = delete;
  BuiltProgram& operator=(BuiltProgram&&) = delete;
  ~BuiltProgram();

  // One run in a folder of its own, as it was built; of a server, one load on it. Throws Refused.
  [[nodiscard]] MeasuredRun run(const std::string& seed);
  // Of a server that is kept: the next run is on one that was started anew.
  void end_server();
  // The check of what a run has put out. Throws Refused.
  void check(MeasuredRun& run) const;

  [[nodiscard]] double build_seconds() const { return build_seconds_; }

 private:
  [[nodiscard]] CommandEnd command(Phase phase, const std::filesystem::path& folder,
                                   const std::string& line, double seconds, const std::string& seed,
                                   const std::string& input) const;
  [[nodiscard]] MeasuredRun serve(const std::string& seed);
  [[nodiscard]] RunningServer& server();
  [[nodiscard]] ServedAnswers answers_of_server(const std::string& seed);
  // What a build may not do. Throws Refused.
  void require_fixed_files() const;
  void copy_to(const std::filesystem::path& files) const;
  void read_metrics(MeasuredRun& run, bool of_check, const CommandOutputs& outputs) const;

  const CommandSetting& setting_;
  ScratchDirectory folder_;
  double build_seconds_ = 0;
  std::unique_ptr<RunningServer> server_;
};

}  // namespace autokernel::trial
