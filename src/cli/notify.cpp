// `autokernel notify`: where the messages about a run go, and whether they arrive.
#include <algorithm>
#include <filesystem>
#include <string>

#include "autokernel/base/environment.h"
#include "autokernel/base/error.h"
#include "autokernel/notify/configuration.h"
#include "autokernel/notify/delivery.h"
#include "cli/commands.h"
#include "cli/diagnostics.h"
#include "cli/notifications.h"

namespace autokernel::cli {
namespace {

class NotifyCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "notify"; }
  [[nodiscard]] std::string summary() const override {
    return "Show who is told about a run, and send a test message";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  bool test_ = false;
  bool json_ = false;
  bool verbose_ = false;
};

constexpr const char* kNotifyExamples = R"(Examples:
  autokernel notify
  autokernel notify --test

Targets are configured in ~/.config/autokernel/notify.toml (docs/notifications.md), never within
the repository. No address and no secret is printed.
Exit codes: 0 done; 2 usage, or the configuration has a mistake; 3 with --test: a message was not
sent, or no target is configured.)";

[[nodiscard]] std::string how_to_begin(const Variables& variables) {
  const std::string file = notify::configuration_file(variables).string();
  return "write " + (file.empty() ? "~/.config/autokernel/notify.toml" : file) +
         " as docs/notifications.md shows it, or set AUTOKERNEL_NOTIFY_URL and "
         "AUTOKERNEL_NOTIFY_KIND";
}

}  // namespace

void NotifyCommand::declare(Options options) {
  options.footer(kNotifyExamples);
  options.add_flag("--test", test_,
                   "Send a test message to each target, and say what became of it");
  options.add_flag("--json", json_, "Print one JSON object instead of text");
  options.add_flag("-v,--verbose", verbose_, "Report each attempt on standard error");
}

int NotifyCommand::run(const Console& console) {
  const Variables variables = own_variables();
  const notify::Configuration configuration = notify::read_configuration(
      {.variables = variables,
       .repository = notify::enclosing_repository(std::filesystem::current_path())});
  const bool is_configured = !configuration.targets.empty();
  if (test_ && !is_configured) {
    throw Error(Stop::environment,
                "cannot send a test message: no target is configured; " + how_to_begin(variables));
  }
  if (!is_configured && !json_) {
    console.out << "nobody is told: no target is configured\nnext:   " << how_to_begin(variables)
                << '\n';
    return 0;
  }
  if (!test_) {
    console.out << (json_ ? notify_json(configuration, {}) : configured_text(configuration));
    return 0;
  }
  const Diagnostics diagnostics(verbose_ ? Diagnostics::Level::verbose : Diagnostics::Level::quiet);
  const auto tested = notify::test_targets(
      configuration, {}, [&](const std::string& line) { diagnostics.note(line); });
  console.out << (json_ ? notify_json(configuration, tested) : tested_text(tested));
  const bool all_sent =
      std::ranges::all_of(tested, [](const auto& target) { return target.record.sent; });
  return all_sent ? 0 : static_cast<int>(Stop::environment);
}

std::unique_ptr<Command> notify_command() { return std::make_unique<NotifyCommand>(); }

}  // namespace autokernel::cli
