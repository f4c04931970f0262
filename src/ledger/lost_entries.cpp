#include "ledger/lost_entries.h"

#include <fmt/format.h>

namespace autokernel::ledger {
namespace {

// Experiments of one run whose numbers follow each other.
struct Series {
  std::string tag;
  int first = 0;
  int last = 0;
};

[[nodiscard]] std::string described(const Series& series) {
  if (series.first == series.last) {
    return fmt::format("experiment {} of {}", series.first, series.tag);
  }
  return fmt::format("experiments {} to {} of {}", series.first, series.last, series.tag);
}

}  // namespace

std::string described(const std::vector<IndexRow>& rows) {
  std::vector<Series> all;
  std::size_t others = 0;
  for (const IndexRow& row : rows) {
    const auto* experiment = row.entry ? std::get_if<Experiment>(&*row.entry) : nullptr;
    if (experiment == nullptr) {
      if (row.entry) ++others;
    } else if (!all.empty() && all.back().tag == experiment->tag &&
               all.back().last + 1 == experiment->number) {
      all.back().last = experiment->number;
    } else {
      all.push_back({experiment->tag, experiment->number, experiment->number});
    }
  }
  std::string text;
  for (const Series& series : all) text += described(series) + ", ";
  if (others > 0) text += fmt::format("{} other {}, ", others, others == 1 ? "entry" : "entries");
  if (text.empty()) return "nothing but damaged lines";
  return text.substr(0, text.size() - 2);
}

}  // namespace autokernel::ledger
