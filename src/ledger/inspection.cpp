// The ledger read whole, past its index: what an editor, or an agent with one, has done to it.
#include <fmt/format.h>

#include <map>
#include <utility>

#include "autokernel/ledger/ledger.h"
#include "ledger/chain.h"
#include "ledger/entry_json.h"
#include "ledger/entry_reader.h"
#include "ledger/file.h"
#include "ledger/line_reader.h"
#include "ledger/recovery.h"

namespace autokernel::ledger {
namespace {

// The first of them tell what was done; a ledger that was written anew by hand has one per line.
constexpr std::size_t kMostFaults = 20;

// Where a line holds another hash than that of the line before it.
struct Break {
  std::uint64_t line = 0;
  std::string link;    // that it holds
  std::string before;  // what the line before it is: "experiment 3 of demo"
};

[[nodiscard]] std::string name_of(const Entry& entry) {
  const auto* experiment = std::get_if<Experiment>(&entry);
  if (experiment != nullptr) {
    return fmt::format("experiment {} of {}", experiment->number, experiment->tag);
  }
  if (const auto* run = std::get_if<RunStarted>(&entry)) return "the start of " + run->tag;
  if (const auto* end = std::get_if<RunFinished>(&entry)) return "the end of " + end->tag;
  if (const auto* resumed = std::get_if<RunResumed>(&entry)) {
    return "the agent's start in " + resumed->tag;
  }
  if (const auto* ablation = std::get_if<Ablation>(&entry)) {
    return fmt::format("the ablation of experiment {} of {}", ablation->number, ablation->tag);
  }
  return "a turn of " + std::get<Turn>(entry).tag;
}

class Inspector {
 public:
  Inspector(const File& ledger, std::uint64_t end) : ledger_(ledger), end_(end) {}

  [[nodiscard]] Inspection run() {
    LineReader lines(ledger_, 0, end_);
    while (const std::optional<Line> line = lines.next()) take(*line);
    explain_breaks();
    if (more_ > 0) found_.faults.push_back(fmt::format("and {} more", more_));
    return std::move(found_);
  }

 private:
  void take(const Line& line) {
    ++number_;
    std::optional<IndexRow> row = entry_row_of(line, number_);
    if (row && row->entry) {
      look_at_link(link_in(line.text));
      before_ = name_of(*row->entry);
      found_.rows.push_back({row->line.offset, row->line.length, std::move(*row->entry)});
    } else {
      add(fmt::format("line {} is not an entry", number_));
      before_ = "no entry";
    }
    link_to_last_ = link_to(line.text);
  }

  void look_at_link(const std::optional<std::string>& link) {
    if (!link) {
      if (!has_chain_) {
        ++found_.unchained;
        return;
      }
      add(
          fmt::format("line {} does not hold the hash of the line before it: it was edited, or "
                      "another program or an older autokernel has written it",
                      number_));
      return;
    }
    has_chain_ = true;
    if (*link == link_to_last_) return;
    if (link->empty()) {
      add(fmt::format("line {} was written as the first one, but {} before it", number_,
                      number_ == 2 ? "another stands" : "others stand"));
    } else if (number_ == 1) {
      add("line 1 was written after another one, which is missing");
    } else if (breaks_.size() < kMostFaults) {
      breaks_.push_back({.line = number_, .link = *link, .before = before_});
    } else {
      ++more_;
    }
  }

  // Looks for the lines that those at the breaks were written behind: in a pass of its own, so that
  // a sound ledger takes no memory for it.
  void explain_breaks() {
    if (breaks_.empty()) return;
    std::map<std::string, std::uint64_t> places;
    for (const Break& one : breaks_) places.emplace(one.link, 0);
    LineReader lines(ledger_, 0, end_);
    for (std::uint64_t number = 1; const std::optional<Line> line = lines.next(); ++number) {
      const auto place = places.find(link_to(line->text));
      if (place != places.end() && place->second == 0) place->second = number;
    }
    for (const Break& one : breaks_) add(explained(one, places.at(one.link)));
  }

  [[nodiscard]] static std::string explained(const Break& one, std::uint64_t written_behind) {
    if (written_behind == 0) {
      return fmt::format(
          "line {} ({}) was edited, or lines after it were removed: it is not what line {} was "
          "written after",
          one.line - 1, one.before, one.line);
    }
    return fmt::format(
        "line {} was written after line {}, but follows line {} ({}): lines were added or moved",
        one.line, written_behind, one.line - 1, one.before);
  }

  void add(std::string fault) {
    if (found_.faults.size() < kMostFaults) {
      found_.faults.push_back(std::move(fault));
    } else {
      ++more_;
    }
  }

  const File& ledger_;
  std::uint64_t end_;
  Inspection found_;
  std::uint64_t number_ = 0;
  std::string before_;
  std::string link_to_last_;
  bool has_chain_ = false;
  std::vector<Break> breaks_;
  std::size_t more_ = 0;
};

}  // namespace

Inspection Ledger::inspect() const {
  const std::optional<File> file = File::open_to_read(folder_ / kLedgerName);
  if (!file) return {};
  return Inspector(*file, end_).run();
}

}  // namespace autokernel::ledger
