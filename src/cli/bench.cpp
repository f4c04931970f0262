#include "cli/bench.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <regex>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/trial/supervisor.h"
#include "cli/default_case.h"
#include "cli/diagnostics.h"
#include "cli/logs.h"
#include "cli/progress.h"
#include "cli/report.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples = R"(Examples:
  autokernel bench
  autokernel bench --kernel tries/swizzled.cu --size check
  autokernel bench --case kernels/softmax --device cuda:1
  autokernel bench --device cpu --timeout 60 | grep '^median_us:'

Prints one 'key: value' per line. A value that does not exist has no line.
Exit codes: 0 correct, 11 incorrect, 12 does not compile, 13 timed out, 14 crashed; 2 usage,
3 environment (no such device, no compiler), 70 internal.)";

// Long enough for every phase of any case, short enough that a deadline in clock ticks does not
// overflow.
constexpr double kLongestTimeout = 86400;

// A kernel is one file of source text; more is a mistake.
constexpr std::uint64_t kLargestKernel = 16ULL << 20U;

void require_architecture(const std::string& text) {
  static const std::regex kForm("sm_[0-9]{2,3}[af]?");
  if (text.empty() || std::regex_match(text, kForm)) return;
  throw Error(Stop::usage, "no such architecture: '" + text + "'; --arch takes sm_80, sm_90a, ...");
}

void require_timeout(double seconds) {
  if (seconds > 0 && seconds <= kLongestTimeout) return;
  throw Error(Stop::usage, "--timeout takes seconds, more than 0 and at most 86400");
}

[[nodiscard]] trial::Limits limits_with(std::optional<double> timeout_seconds) {
  trial::Limits limits;
  if (timeout_seconds) {
    require_timeout(*timeout_seconds);
    limits.compile_seconds = limits.check_seconds = limits.time_seconds = *timeout_seconds;
  }
  return limits;
}

}  // namespace

void Bench::declare(CLI::App& app) {
  app.footer(kExamples);
  app.add_option("--case", case_directory_,
                 "Folder with case.toml (default: ./kernels, or . if it holds a case.toml)")
      ->type_name("DIR");
  app.add_option("--kernel", kernel_file_, "File to measure (default: the case's kernel.cu)")
      ->type_name("FILE");
  app.add_option(
         "--device", device_,
         "auto (a GPU if there is one, else the emulated device), cuda, cuda:N or cpu (emulated)")
      ->type_name("DEVICE")
      ->capture_default_str();
  app.add_option("--arch", architecture_, "Compile for this architecture (default: the device's)")
      ->type_name("sm_XX");
  app.add_option("--size", size_, "Size of the problem, by its name in case.toml")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--timeout", timeout_seconds_,
                 "Most time for each of compiling, checking and timing (default: 30, 120, 120)")
      ->type_name("SECONDS");
  app.add_flag("-v,--verbose", verbose_, "Say on standard error what is being done");
}

int Bench::run(const Console& console) {
  const Diagnostics diagnostics(verbose_ ? Diagnostics::Level::verbose : Diagnostics::Level::quiet);
  trial::Request request;
  request.device = trial::parse_device(device_);
  require_architecture(architecture_);
  request.architecture = architecture_;
  const trial::Limits limits = limits_with(timeout_seconds_);
  request.size = size_;
  request.case_directory = fs::absolute(case_directory_.empty() ? default_case(fs::current_path())
                                                                : existing_case(case_directory_));
  request.kernel_file =
      kernel_file_.empty() ? request.case_directory / "kernel.cu" : fs::absolute(kernel_file_);
  request.source = read_file(request.kernel_file, "the kernel", kLargestKernel);
  // Nobody named it, and it may not be what was meant.
  if (request.case_directory == installed_case()) {
    console.err << "autokernel: no case in this folder; measuring the installed "
                << request.case_directory.string() << '\n';
  }
  diagnostics.note("case " + request.case_directory.string() + ", kernel " +
                   request.kernel_file.string());

  const trial::Result result = [&] {
    Progress progress(console.err, console.err_is_terminal && !verbose_ ? Progress::Painting::on
                                                                        : Progress::Painting::off);
    return trial::supervise(
        request, limits,
        {.progress = [&](auto phase, auto elapsed) { progress.show(phase, elapsed); },
         .note = [&](const std::string& line) { diagnostics.note(line); }});
  }();

  std::string log;
  if (!result.detail.empty()) {
    try {
      log = keep_log(request.case_directory, result.detail).string();
    } catch (const Error& error) {
      // The verdict stands without it.
      console.err << "autokernel: no log was kept: " << error.what() << '\n';
    }
  }
  console.out << text_block(result, log);
  return exit_code(result.verdict);
}

}  // namespace autokernel::cli
