#include "cli/case/command_examination.h"

#include <fmt/format.h>

#include "autokernel/base/error.h"
#include "autokernel/cases/case.h"
#include "autokernel/trial/command.h"
#include "autokernel/trial/sources.h"
#include "cli/report.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

[[nodiscard]] trial::Request request_of(const fs::path& folder, cases::CaseFiles files,
                                        const cases::Case& problem) {
  trial::Request request;
  request.case_directory = folder;
  request.kernel_file = problem.kernel_file();
  cases::KernelSource program =
      cases::read_kernel_in(folder, problem.kernel_name, problem.editable_files, "the program");
  request.source = std::move(program.text);
  request.files = std::move(program.files);
  trial::take_case(request, std::move(files));
  return request;
}

[[nodiscard]] CheckLine line_of_trial(const trial::Result& result) {
  if (result.verdict != trial::Verdict::correct || !result.metric) {
    return {.name = "program",
            .outcome = CheckOutcome::failed,
            .found = fmt::format("it is refused: {}: {}", trial::spelling(result.verdict),
                                 result.reason),
            .fix = "correct the program, or the commands of case.toml"};
  }
  const trial::MetricReport& metric = *result.metric;
  return {.name = "program",
          .found = fmt::format(
              "it is built, run and checked: {} {} in {} runs{}", metric.name,
              metric_text(metric.value, metric.unit), metric.samples.size(),
              metric.deterministic ? ", which agree exactly: one run of a candidate decides" : "")};
}

[[nodiscard]] CheckLine line_of_damage(const trial::DamagedOutput& damage) {
  CheckLine line{.name = damage.how,
                 .found = damage.is_refused ? fmt::format("{} is refused", damage.output)
                                            : fmt::format("{} is accepted", damage.output)};
  if (damage.is_refused) return line;
  line.outcome = CheckOutcome::failed;
  line.fix = "have the check compare what a run puts out with what is right";
  return line;
}

}  // namespace

void examine_command_case(const fs::path& folder,
                          const std::function<void(const CheckLine&)>& tell) {
  cases::CaseFiles files;
  cases::Case problem;
  trial::Request request;
  try {
    files = cases::read_files(folder);
    problem = cases::parse(files);
    request = request_of(folder, files, problem);
  } catch (const Error& error) {
    if (error.stop() != Stop::usage) throw;
    tell({.name = "case",
          .outcome = CheckOutcome::failed,
          .found = error.what(),
          .fix = "correct that file; docs/commands.md has every key"});
    return;
  }
  tell({.name = "case",
        .found = fmt::format("{}: {} fixed files", problem.name, files.bytes.size())});
  const cases::CommandPlan plan = problem.command.value_or(cases::CommandPlan{});
  if (!plan.set_up.empty()) {
    const std::string fault = trial::set_up_fault(request, {});
    tell({.name = "set-up",
          .outcome = fault.empty() ? CheckOutcome::passed : CheckOutcome::failed,
          .found = fault.empty() ? "its checks pass" : "it " + fault,
          .fix = fault.empty() ? "" : "correct what it names ([command] set_up)"});
    if (!fault.empty()) return;
  }
  const trial::Result result = trial::supervise_command(request, {});
  const CheckLine line = line_of_trial(result);
  tell(line);
  if (line.outcome == CheckOutcome::failed) return;
  // The answers of a server are compared by autokernel itself.
  if (plan.server) return;
  for (const trial::DamagedOutput& damage : trial::check_damaged_outputs(request, {}))
    tell(line_of_damage(damage));
}

}  // namespace autokernel::cli
