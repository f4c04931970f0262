// `autokernel loop status`: where the run stands, in under a kilobyte.
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "autokernel/base/visible_text.h"
#include "autokernel/ledger/webhook_outcomes.h"
#include "cli/commands.h"
#include "cli/folders.h"
#include "cli/loop/open_run.h"
#include "cli/loop/parking.h"
#include "cli/loop/text.h"
#include "cli/noise_store.h"

namespace autokernel::cli {
namespace {

class LoopStatus : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "status"; }
  [[nodiscard]] std::string summary() const override {
    return "Show where the run stands, and what to do next";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  RememberedOptions remembered_;
  bool json_ = false;
};

constexpr const char* kLoopStatusExamples = R"(Examples:
  autokernel loop status
  autokernel loop status --json | jq .should_continue

It can be run at any time, also during a step.)";

// The detectable gains that 'autokernel noise' has found; empty where it has not been run.
[[nodiscard]] std::string noise_of(const ledger::RunStarted& run, const Console& console) {
  const auto root = repository_of(std::filesystem::current_path());
  if (!root) return {};
  const KnownNoise known = known_noise(*root / run.case_directory, run.size);
  for (const std::string& line : known.ignored)
    console.err << "autokernel: " << visible_line(line) << '\n';
  const StoredNoise* here = noise_on(known, run.device_name, run.driver_version);
  return here == nullptr ? std::string() : reach_text(here->figures);
}

// With what has become of the message about the end of the run.
[[nodiscard]] loop::Status with_outcome(loop::Status status, const loop::Loop& loop) {
  if (!status.confirmed || !ledger::is_pending(status.confirmed->webhook)) return status;
  for (ledger::Entry& entry : loop.history()) {
    auto* finished = std::get_if<ledger::RunFinished>(&entry);
    const bool is_that = finished != nullptr && finished->tag == status.confirmed->tag &&
                         finished->at == status.confirmed->at;
    if (is_that) status.confirmed = std::move(*finished);
  }
  return status;
}

}  // namespace

void LoopStatus::declare(Options options) {
  options.footer(kLoopStatusExamples);
  remembered_.declare(options);
  options.add_flag("--json", json_, "Print one JSON object instead of lines");
}

int LoopStatus::run(const Console& console) {
  Watching watching(console, Diagnostics::Level::quiet);
  auto loop = loop::Loop::open_to_read(std::filesystem::current_path(), watching.context());
  loop::Status status = loop.status();
  remembered_.require_same(status.run);
  const std::string noise = noise_of(status.run, console);
  const auto root = repository_of(std::filesystem::current_path());
  const std::string parked = root ? parked_note(*root / ".autokernel/parked") : std::string();
  if (!parked.empty()) status.under_way = "a 'loop run' that waits";
  console.out << (json_ ? status_json(with_outcome(status, loop), noise, parked)
                        : status_text(status, noise));
  if (!json_ && !parked.empty()) console.out << "parked:           " << parked << '\n';
  return 0;
}

std::unique_ptr<Command> loop_status_command() { return std::make_unique<LoopStatus>(); }

}  // namespace autokernel::cli
