// `autokernel serve`: a judge of kernels for many clients.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/base/cache_folder.h"
#include "autokernel/base/environment.h"
#include "autokernel/base/error.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/serve/judge.h"
#include "cli/commands.h"
#include "cli/default_case.h"
#include "cli/device_list.h"
#include "cli/exit_codes.h"
#include "cli/required_device.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kServeExamples = R"(Examples:
  autokernel serve --cases kernels --devices cuda:0,cuda:1
  autokernel bench --device judge:$HOME/.cache/autokernel/judge/judge.sock    # by a client
  autokernel serve --listen 127.0.0.1:8080 --tokens tokens.txt
  autokernel serve --devices '8*slurm:gpus,gres=gpu:1/cuda'

Serves until Ctrl-C or SIGTERM; the trials under way are finished first. As a user of its own, out
of reach of those who use it: docs/judge.md.
)";

constexpr int kMostOfClient = 1'000'000;
constexpr double kMostDays = 36'500;

class Serve : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "serve"; }
  [[nodiscard]] std::string summary() const override {
    return "Measure what others hand in: a judge with a queue";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  [[nodiscard]] serve::JudgeSettings settings() const;

  std::optional<std::string> devices_;
  std::vector<std::string> cases_;
  std::optional<std::string> store_;
  std::optional<std::string> socket_;
  std::string listen_;
  std::string tokens_;
  int most_waiting_ = 1000;
  int rate_ = 600;
  double keep_days_ = 90;
};

void Serve::declare(Options options) {
  options.footer(kServeExamples + exit_codes_text({Stop::repository, Stop::scope, Stop::budget}));
  options
      .add_option("--devices", devices_,
                  "Devices to measure on, with commas between; N*DEVICE is N of them (default: all "
                  "in turn on one GPU, or the emulated device)")
      .type_name("DEVICES");
  options
      .add_option(
          "--cases", cases_,
          "Cases that kernels are taken for: a folder of a case, or with cases in it; may be "
          "given more than once (default: the nearest case)")
      .type_name("DIR");
  options
      .add_option("--store", store_,
                  "The judge's own folder, with its ledger (default: $STATE_DIRECTORY, or "
                  "judge in the cache)")
      .type_name("DIR");
  options
      .add_option("--socket", socket_,
                  "Where clients of this machine connect (default: judge.sock in "
                  "$RUNTIME_DIRECTORY, or in the store)")
      .type_name("FILE");
  options.add_option("--listen", listen_, "Serve HTTP as well; TLS is left to a proxy")
      .type_name("HOST:PORT");
  options
      .add_option("--tokens", tokens_,
                  "With --listen: a name and a token to a line, in a file that only you can read")
      .type_name("FILE");
  options
      .add_option("--most-waiting", most_waiting_, "Trials of one client that may wait at a time")
      .type_name("N")
      .within(1, kMostOfClient)
      .tells_default();
  options.add_option("--rate", rate_, "Trials that one client may hand in, a minute")
      .type_name("N")
      .within(1, kMostOfClient)
      .tells_default();
  options.add_option("--keep-days", keep_days_, "Forget what has been over for so many days")
      .type_name("DAYS")
      .tells_default();
}

// A folder that systemd has made for its unit: $STATE_DIRECTORY.
[[nodiscard]] std::optional<fs::path> folder_in(const char* variable) {
  const Variables variables = own_variables();
  const auto found = variables.find(variable);
  if (found == variables.end() || found->second.empty()) return std::nullopt;
  return fs::path(found->second.substr(0, found->second.find(':')));
}

[[nodiscard]] fs::path own_case() {
  try {
    return default_case(fs::current_path());
  } catch (const Error& error) {
    throw Error(error.stop(),
                "there is no case here to judge by; name folders with cases by "
                "--cases DIR, which may be given more than once");
  }
}

serve::JudgeSettings Serve::settings() const {
  serve::JudgeSettings settings;
  if (!listen_.empty() && tokens_.empty())
    throw Error(Stop::usage, "--listen needs --tokens: a name and a token to a line");
  if (listen_.empty() && !tokens_.empty())
    throw Error(Stop::usage, "--tokens needs --listen: clients of this machine need no token");
  if (!(keep_days_ > 0 && keep_days_ <= kMostDays))
    throw Error(Stop::usage, "--keep-days takes a number of days above 0");
  settings.devices = devices_in(devices_.value_or("auto"));
  for (driver::DeviceChoice& device : settings.devices) {
    if (driver::kind_of_place(device.place) == driver::PlaceKind::judge)
      throw Error(Stop::usage,
                  "a judge does not measure by another judge: " + driver::spelling(device));
    if (!device.place.empty()) continue;
    require_device(device);
    if (device.kind == driver::DeviceChoice::Kind::automatic) {
      device.kind = runs_emulated(device) ? driver::DeviceChoice::Kind::cpu
                                          : driver::DeviceChoice::Kind::cuda;
    }
  }
  for (const std::string& folder : cases_) settings.cases.emplace_back(folder);
  if (cases_.empty()) settings.cases.push_back(own_case());
  settings.store =
      store_ ? fs::path(*store_) : folder_in("STATE_DIRECTORY").value_or(cache_folder() / "judge");
  settings.socket = socket_
                        ? fs::absolute(*socket_)
                        : folder_in("RUNTIME_DIRECTORY").value_or(settings.store) / "judge.sock";
  settings.listen = listen_;
  settings.tokens = tokens_;
  settings.most_waiting = static_cast<std::size_t>(most_waiting_);
  settings.most_per_minute = rate_;
  settings.keep_days = keep_days_;
  return settings;
}

int Serve::run(const Console& console) {
  const serve::JudgeSettings settings = this->settings();
  const Interrupts interrupts;
  serve::Judge judge(settings, [&](const std::string& line) {
    console.err << "autokernel: " << visible_line(line) << '\n' << std::flush;
  });
  console.out << fmt::format("{:<18}{}\n", "socket:", settings.socket.string());
  if (const std::string url = judge.url(); !url.empty())
    console.out << fmt::format("{:<18}{}\n", "url:", url);
  console.out << fmt::format("{:<18}{}\n{:<18}{}\n", "store:", settings.store.string(),
                             "cases:", judge.case_count());
  console.out << fmt::format("{:<18}{}\n", "devices:", settings.devices.size());
  if (judge.waiting() > 0)
    console.out << fmt::format("{:<18}{}, from an earlier judge\n", "waiting:", judge.waiting());
  console.out << std::flush;
  judge.run(interrupts.descriptor(), [&] { static_cast<void>(interrupts.next()); });
  return 0;
}

}  // namespace

std::unique_ptr<Command> serve_command() { return std::make_unique<Serve>(); }

}  // namespace autokernel::cli
