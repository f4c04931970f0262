#include "loop/consistency.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>
#include <utility>

#include "autokernel/ledger/ledger.h"
#include "autokernel/ledger/results_table.h"
#include "autokernel/repo/repository.h"
#include "support/scratch_folder.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;

class Inspection {
 public:
  explicit Inspection(const test::ScratchRepository& scratch)
      : scratch_(scratch), repository_(repo::Repository::open(scratch.root())) {}

  std::vector<std::string> faults(Fsck fsck) {
    read_ledger();
    look_for_leftovers();
    if (run_.tag.empty()) {
      look_at_no_run();
    } else {
      look_at_experiments();
      look_at_results();
      look_at_branch();
    }
    look_at_status();
    if (fsck == Fsck::yes) ask_git();
    return std::move(faults_);
  }

 private:
  void require(bool sound, const std::string& fault) {
    if (!sound) faults_.push_back(fault);
  }

  void read_ledger() {
    if (!fs::exists(scratch_.root() / ".autokernel/ledger.jsonl")) return;
    const auto ledger = ledger::Ledger::open(scratch_.root() / ".autokernel");
    for (const std::string& note : ledger.notes()) require(false, "the ledger notes: " + note);
    for (const ledger::Row& row : ledger.rows()) {
      if (const auto* run = std::get_if<ledger::RunStarted>(&row.entry)) {
        require(run->tag != run_.tag, "the start of the run stands in the ledger twice");
        run_ = *run;
        experiments_.clear();
      } else if (const auto* experiment = std::get_if<ledger::Experiment>(&row.entry)) {
        experiments_.push_back(*experiment);
      }
    }
  }

  void look_for_leftovers() {
    const std::regex unfinished(R"(\..*\.[0-9a-f]{16})");
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(scratch_.root())) {
      const std::string name = entry.path().filename().string();
      const bool is_left = name.ends_with(".lock") || name == "journal.json" ||
                           name.starts_with("ledger.damaged") || std::regex_match(name, unfinished);
      require(!is_left, "left behind: " + entry.path().string());
    }
  }

  void look_at_no_run() {
    require(!fs::exists(scratch_.root() / "results.tsv"), "results of no run");
    require(scratch_.git("for-each-ref", "refs/autokernel").empty(), "references of no run");
    require(repository_.head().branch == "main", "the head is not where it was");
  }

  void look_at_experiments() {
    for (std::size_t i = 0; i < experiments_.size(); ++i) {
      const ledger::Experiment& experiment = experiments_[i];
      require(experiment.number == static_cast<int>(i),
              fmt::format("row {} is experiment {}", i, experiment.number));
      const std::string name = fmt::format("refs/autokernel/{}/{}", run_.tag, i);
      require(repository_.reference(name) == experiment.commit,
              fmt::format("the reference of experiment {} is not its commit", i));
      const auto source = repository_.file_at(experiment.commit, run_.editable);
      require(source.has_value(), fmt::format("the source of experiment {} is lost", i));
      sources_.push_back(source.value_or(""));
      if (experiment.status == ledger::Status::keep) best_ = experiment.commit;
    }
    const std::string names = scratch_.git("for-each-ref", "refs/autokernel/" + run_.tag);
    require(std::ranges::count(names, '\n') == std::ssize(experiments_),
            "there are references without a row");
  }

  void look_at_results() {
    const fs::path file = scratch_.root() / "results.tsv";
    require(fs::exists(file), "there is no results.tsv");
    if (!fs::exists(file)) return;
    const auto rows = ledger::parse_results(test::contents(file), file);
    require(rows.size() == experiments_.size(),
            fmt::format("{} rows for {} experiments", rows.size(), experiments_.size()));
    for (std::size_t i = 0; i < std::min(rows.size(), experiments_.size()); ++i) {
      require(rows[i] == row_as_written(experiments_[i]),
              fmt::format("row {} is not experiment {}", i, i));
    }
  }

  // With as many digits as the file has.
  static ledger::ResultsRow row_as_written(const ledger::Experiment& experiment) {
    const std::string text =
        ledger::results_header() + ledger::results_line(ledger::results_row(experiment));
    return ledger::parse_results(text, "one row").front();
  }

  void look_at_branch() {
    const repo::Head head = repository_.head();
    require(head.branch == run_.branch, "the head is on " + head.branch);
    require(head.commit == best_, "the head is not at the last one kept");
    if (repository_.file_matches(best_, run_.editable)) return;
    const std::string edited = scratch_.read(run_.editable);
    require(std::ranges::find(sources_, edited) == sources_.end(),
            "the file is that of an experiment which was not kept");
  }

  void look_at_status() {
    std::istringstream lines(scratch_.git("status", "--porcelain"));
    for (std::string line; std::getline(lines, line);) {
      const std::string path = line.substr(3);
      const bool allowed = path == "results.tsv" || line == " M kernels/kernel.cu";
      require(allowed, "git status: " + line);
    }
  }

  void ask_git() {
    const auto outcome = scratch_.try_git(scratch_.root(), {"fsck", "--no-dangling"});
    require(outcome.code == 0 && outcome.out.empty(), "git fsck: " + outcome.out + outcome.err);
  }

  const test::ScratchRepository& scratch_;
  repo::Repository repository_;
  std::vector<std::string> faults_;
  ledger::RunStarted run_;
  std::vector<ledger::Experiment> experiments_;
  std::vector<std::string> sources_;
  std::string best_;
};

}  // namespace

std::vector<std::string> faults_in(const test::ScratchRepository& scratch, Fsck fsck) {
  return Inspection(scratch).faults(fsck);
}

}  // namespace autokernel::loop
