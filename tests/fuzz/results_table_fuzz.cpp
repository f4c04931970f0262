// Any bytes are either rows that survive being written and read again, or an error of usage that is
// one line with a place in it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/ledger/results_table.h"

namespace {

namespace ledger = autokernel::ledger;
using Rows = std::vector<ledger::ResultsRow>;

void require(bool holds) {
  if (!holds) std::abort();
}

Rows again(const Rows& rows) {
  std::string text = ledger::results_header();
  for (const ledger::ResultsRow& row : rows) text += ledger::results_line(row);
  return ledger::parse_results(text, "again.tsv");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  Rows rows;
  try {
    rows = ledger::parse_results(text, "results.tsv");
  } catch (const autokernel::Error& error) {
    const std::string what = error.what();
    require(error.stop() == autokernel::Stop::usage);
    require(what.starts_with("cannot read results.tsv:") && what.find('\n') == std::string::npos);
    return 0;
  }
  // Writing rounds and takes control characters out: once.
  const Rows written = again(rows);
  require(written.size() == rows.size());
  require(again(written) == written);
  return 0;
}
