#include "cli/loop/plan_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/programs/profile_file.h"
#include "autokernel/repo/repository.h"
#include "cli/loop/text.h"
#include "cli/plan_efforts.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr double kSecondsPerHour = 3600;

class Campaign {
 public:
  Campaign(const PlanRun& plan, const Console& console) : plan_(plan), console_(console) {}
  [[nodiscard]] int run();

 private:
  [[nodiscard]] programs::Plan made() const;
  [[nodiscard]] bool goes_on(const fs::path& folder) const;
  [[nodiscard]] bool start(const fs::path& folder) const;
  [[nodiscard]] ledger::Budget left() const;
  [[nodiscard]] int stop(const std::string& why) const;
  // Of a night's experiments on one kernel few are kept: so many in a row that are not say that the
  // ideas are used up, and the next kernel's turn comes.
  [[nodiscard]] int plateau() const { return plan_.drive.budget.no_progress.value_or(kPlateau); }

  const PlanRun& plan_;
  const Console& console_;
  int experiments_ = 0;
  steady_clock::time_point begin_ = steady_clock::now();
  std::set<std::string> in_vain_;  // folders at which nothing could be tried
};

programs::Plan Campaign::made() const {
  std::vector<programs::ExtractedCase> cases = programs::read_extracted(plan_.cases);
  programs::Ranking ranking = programs::read_ranking(plan_.profile);
  std::erase_if(ranking.kernels, [&](const programs::RankedKernel& kernel) {
    return std::ranges::any_of(cases, [&](const programs::ExtractedCase& each) {
      return in_vain_.contains(each.folder) && each.is_of(kernel);
    });
  });
  const std::vector<programs::Effort> efforts = efforts_of(plan_.cases, cases, plateau());
  return programs::plan_of(ranking, cases, efforts);
}

// Whether the run under way is one of that case, and not over.
bool Campaign::goes_on(const fs::path& folder) const {
  try {
    const auto loop = loop::Loop::open_to_read(fs::current_path(), plan_.context());
    const repo::Repository repository = repo::Repository::open(fs::current_path());
    const bool is_same = loop.run().case_directory == repository.relative(fs::canonical(folder));
    return is_same && !loop.status().finished && loop.status().why_stop().empty();
  } catch (const Error& error) {
    if (error.stop() != Stop::repository) throw;
    return false;  // there is no run at all
  }
}

bool Campaign::start(const fs::path& folder) const {
  loop::StartOptions options;
  options.case_directory = fs::canonical(folder);
  options.device = plan_.device;
  options.budget.no_progress = plateau();
  auto loop = loop::Loop::open(options.case_directory, "autokernel loop run", plan_.context());
  // The first name that no run has had.
  for (int number = 1;; ++number) {
    options.tag = folder.filename().string() + (number == 1 ? "" : fmt::format("-{}", number));
    constexpr int kMostRuns = 1000;
    try {
      const loop::Loop::Started started = loop.start(options);
      if (!started.moved_aside.empty()) {
        console_.err << "autokernel: what results.tsv held before is in " << started.moved_aside
                     << '\n';
      }
      if (started.step) console_.out << step_text(*started.step) << std::flush;
      return started.step.has_value();
    } catch (const Error& error) {
      const bool is_taken =
          (error.stop() == Stop::usage || error.stop() == Stop::repository) &&
          std::string_view(error.what()).find(options.tag) != std::string_view::npos;
      if (!is_taken || number == kMostRuns) throw;
    }
  }
}

ledger::Budget Campaign::left() const {
  ledger::Budget budget = plan_.drive.budget;
  if (budget.max_runs) *budget.max_runs -= experiments_;
  const double hours =
      std::chrono::duration<double>(steady_clock::now() - begin_).count() / kSecondsPerHour;
  if (budget.hours) *budget.hours -= hours;
  return budget;
}

int Campaign::stop(const std::string& why) const {
  console_.out << std::flush;
  console_.err << fmt::format("autokernel: stopped after {} experiments: {}\n", experiments_, why);
  return static_cast<int>(Stop::budget);
}

int Campaign::run() {
  for (;;) {
    const ledger::Budget budget = left();
    if (budget.max_runs && *budget.max_runs <= 0) return stop("all experiments were made");
    if (budget.hours && *budget.hours <= 0) return stop("the time is up");
    const programs::Plan plan = made();
    if (!plan.next) {
      return stop(in_vain_.empty()
                      ? "no kernel has much left to gain"
                      : "no kernel is left that the agent comes to an experiment with");
    }
    const programs::PlanItem& item = plan.items[*plan.next];
    if (!item.extracted) {
      return stop(
          fmt::format("the next kernel, {}, has no case yet: autokernel extract --kernel ...",
                      visible_line(item.kernel.short_name)));
    }
    const fs::path folder = fs::path(plan_.cases) / item.extracted->folder;
    console_.out << fmt::format("plan        {}: {}\n", visible_line(folder.string()), item.why)
                 << std::flush;
    if (!goes_on(folder) && !start(folder)) {
      in_vain_.insert(item.extracted->folder);
      continue;
    }
    auto loop = loop::Loop::open(fs::current_path(), "autokernel loop run", plan_.context());
    loop::DriveOptions options = plan_.drive;
    options.budget = budget;
    options.budget.no_progress = plateau();
    const loop::Driven driven = loop.drive(options, plan_.observer);
    experiments_ += driven.experiments;
    if (driven.gave_up) {
      // An agent that fails does so with the next kernel as well.
      if (driven.agent_failed && driven.experiments == 0) {
        throw Error(Stop::environment, driven.why);
      }
      console_.err << fmt::format("autokernel: {}: {}\n", visible_line(item.extracted->folder),
                                  driven.why);
      in_vain_.insert(item.extracted->folder);
    }
    console_.out << "---\n" << status_text(loop.status()) << std::flush;
    if (driven.signal != 0) throw Interrupted(driven.signal);
    if (driven.experiments == 0) in_vain_.insert(item.extracted->folder);
  }
}

}  // namespace

int run_plan(const PlanRun& plan, const Console& console) { return Campaign(plan, console).run(); }

}  // namespace autokernel::cli
