// `autokernel profile`: where a program's GPU time goes.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/compile/cuda_libraries.h"
#include "autokernel/programs/import.h"
#include "autokernel/programs/profile_file.h"
#include "autokernel/programs/profile_text.h"
#include "autokernel/programs/profile_views.h"
#include "autokernel/programs/recording.h"
#include "autokernel/programs/selection.h"
#include "cli/commands.h"
#include "cli/ending_text.h"
#include "cli/output_files.h"
#include "cli/required_device.h"
#include "cli/shared_options.h"

namespace autokernel::cli {
namespace {

class Profile : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "profile"; }
  [[nodiscard]] std::string summary() const override {
    return "Find where a program's GPU time goes";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  void check() const;
  [[nodiscard]] bool selects() const { return !selection_.range.empty() || selection_.iterations; }
  // Runs the program or reads the file; the exit code that the program's end means.
  [[nodiscard]] programs::Profile obtain(const Console& console, int& exit_code) const;
  void write_views(const programs::Ranking& ranking, const programs::Profile& profile,
                   const Console& console) const;

  std::vector<std::string> command_;
  std::string device_ = "auto";
  std::optional<std::string> import_;
  programs::Selection selection_;
  int top_ = 20;
  bool json_ = false;
  bool no_products_ = false;
  std::optional<std::string> out_;
  std::optional<std::string> trace_;
  std::optional<std::string> html_;
};

namespace fs = std::filesystem;

constexpr const char* kDefaultFile = "autokernel-profile.json";
constexpr const char* kExamples = R"(Examples:
  autokernel profile -- python train.py
  autokernel profile --range forward --warmup 3 -- python train.py
  autokernel profile --iterations --html profile.html -- ./llama-bench -m model.gguf
  autokernel profile --import trace.json.gz
  autokernel profile --import report.sqlite --json

Put -- before the program. Its kernels, copies and fills are recorded in all of its processes, and
ranked by the time they took. The ranking is kept in autokernel-profile.json, for 'extract' and
'plan' (docs/profile.md). --import reads PyTorch's traces and Nsight Systems' SQLite exports.

Exit code: that of the program; 128 + N where signal N ended it; 2 or 3 where it was not run.)";

// As wide as the terminal; 0 where the output is none.
[[nodiscard]] int columns_of_output() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) != 1 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

}  // namespace

void Profile::declare(Options options) {
  options.footer(kExamples);
  options.add_option("COMMAND", command_, "The program to run and its arguments, after --");
  options.add_option("--import", import_, "Read a profile that another tool has recorded")
      .type_name("FILE");
  add_device(options, device_);
  options
      .add_option("--range", selection_.range,
                  "Take what is launched in NVTX ranges of that name; * is any text")
      .type_name("NAME");
  options.add_flag("--iterations", selection_.iterations,
                   "Take the part that the launches repeat, by whole iterations");
  options
      .add_option("--warmup", selection_.warmup,
                  "Leave out that many ranges or iterations at the beginning")
      .type_name("N")
      .within(0, 1'000'000);
  options.add_option("--count", selection_.most, "Take that many ranges or iterations at most")
      .type_name("N")
      .within(1, 1'000'000);
  options.add_option("--top", top_, "Show that many kernels [20]").type_name("N").positive();
  options.add_flag("--no-products", no_products_,
                   "Do not record calls of cuBLAS (shapes of matrix products)");
  options.add_flag("--json", json_,
                   "Print the profile as one JSON object; the program's own "
                   "output goes to standard error");
  options.add_option("--out", out_, "Where to keep the profile [autokernel-profile.json]")
      .type_name("FILE");
  options.add_option("--trace", trace_, "Write all launches as a Chrome trace (Perfetto)")
      .type_name("FILE");
  options.add_option("--html", html_, "Write a page with a timeline and all kernels")
      .type_name("FILE");
}

void Profile::check() const {
  if (import_ && !command_.empty()) {
    throw Error(Stop::usage, "profile takes a program or --import FILE, not both");
  }
  if (!import_ && command_.empty()) {
    throw Error(Stop::usage,
                "profile needs a program: autokernel profile -- PROGRAM [ARGUMENTS], or --import "
                "FILE; see 'autokernel profile --help'");
  }
  if (!selection_.range.empty() && selection_.iterations) {
    throw Error(Stop::usage, "--range and --iterations exclude each other");
  }
  if (!selects() && (selection_.warmup > 0 || selection_.most > 0)) {
    throw Error(Stop::usage,
                "--warmup and --count count ranges or iterations: pass --range NAME or "
                "--iterations as well");
  }
  for (const auto& [file, what] :
       {std::pair{std::optional(out_.value_or(kDefaultFile)), "the profile"},
        {trace_, "the trace"},
        {html_, "the page"}}) {
    if (!file) continue;
    refuse_to_overwrite_source(*file, what);
    const auto refuse = [&](const std::string& why) {
      return Error(Stop::usage, fmt::format("cannot write {} to {}: {}", what, *file, why));
    };
    const fs::path folder = fs::absolute(*file).parent_path();
    std::error_code failed;
    if (!fs::is_directory(folder, failed)) throw refuse("there is no folder " + folder.string());
    if (fs::is_directory(*file, failed)) throw refuse("it is a folder");
    if (::access(folder.c_str(), W_OK) != 0) {
      throw refuse(fmt::format("{} cannot be written to", folder.string()));
    }
  }
}

programs::Profile Profile::obtain(const Console& console, int& exit_code) const {
  if (import_) return programs::imported(*import_);
  require_device(driver::parse_device(device_));
  const programs::Recording recording =
      programs::record({.command = command_,
                        .device = driver::parse_device(device_),
                        .cupti = compile::cupti_candidates(),
                        .products = !no_products_,
                        .prints = json_ ? Prints::to_error : Prints::to_output});
  const Ending& ending = recording.ending;
  exit_code = exit_code_of(ending);
  if (exit_code != 0) {
    console.err << "autokernel: the program " << ending_text(ending) << " after "
                << programs::duration_text(recording.seconds * 1e6) << '\n';
  }
  return recording.profile;
}

void Profile::write_views(const programs::Ranking& ranking, const programs::Profile& profile,
                          const Console& console) const {
  const std::string file = out_.value_or(kDefaultFile);
  write_file_atomically(file, programs::ranking_json(ranking, "autokernel " AUTOKERNEL_VERSION));
  std::string written = file;
  if (trace_) {
    write_file_atomically(*trace_, programs::chrome_trace(profile));
    written += ", " + *trace_;
  }
  if (html_) {
    write_file_atomically(*html_, programs::profile_page(ranking, profile));
    written += ", " + *html_;
  }
  if (!json_) console.out << "\nwritten     " << written << '\n';
}

int Profile::run(const Console& console) {
  check();
  int exit_code = 0;
  programs::Profile all = obtain(console, exit_code);
  if (all.launches.empty() && all.transfers.empty()) {
    std::string why;
    for (const std::string& warning : all.warnings) why += "; " + warning;
    if (!import_ && runs_emulated(driver::parse_device(device_))) {
      why +=
          "; the emulated device runs what uses the driver API (cu...), not the CUDA runtime "
          "(cuda..., PyTorch): docs/emulator-driver.md";
    }
    console.err << "autokernel: nothing to rank: "
                << (import_          ? "the file has no launch of a kernel and no copy"
                    : exit_code != 0 ? "nothing was recorded before the program ended"
                                     : "the program had no GPU do anything")
                << why << '\n';
    return exit_code != 0 ? exit_code : static_cast<int>(Stop::environment);
  }
  programs::Selected part;
  try {
    // A copy, where something is left out: all of it may be asked for below.
    part = programs::selected(selects() ? programs::Profile(all) : std::move(all), selection_);
  } catch (const Error& error) {
    if (import_) throw;
    // The program may have run for hours.
    write_views(programs::ranked(all), all, console);
    throw Error(error.stop(), std::string(error.what()) + "; all of the run is kept");
  }
  programs::Ranking ranking = programs::ranked(part.profile);
  ranking.part = part.part;
  ranking.repetitions = part.repetitions;
  console.out << (json_ ? programs::ranking_json(ranking, "autokernel " AUTOKERNEL_VERSION)
                        : programs::profile_text(ranking, top_, columns_of_output()));
  write_views(ranking, part.profile, console);
  return exit_code;
}

std::unique_ptr<Command> profile_command() { return std::make_unique<Profile>(); }

}  // namespace autokernel::cli
