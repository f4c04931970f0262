// Any bytes are either an entry that survives being written and read again, in the ledger and in
// its index, or damage that can be said on one line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ledger/entry_json.h"
#include "ledger/index_row.h"

namespace {

namespace ledger = autokernel::ledger;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_entry(const ledger::Entry& entry) {
  const std::string written = ledger::line_of(entry);
  const ledger::ParsedLine again = ledger::parse_line(written);
  require(std::holds_alternative<ledger::Entry>(again));
  require(ledger::line_of(std::get<ledger::Entry>(again)) == written);

  std::string row = ledger::text_of({.line = {}, .entry = entry});
  require(row.find('\n') == row.size() - 1);
  row.pop_back();
  const auto parsed = ledger::parse_index_row(row);
  require(parsed && parsed->entry && ledger::is_same_but_for_measurement(*parsed->entry, entry));
}

// A row of the index is read only where its checksum fits, which no mutation's does: it is made to.
void check_index_row(const std::string& text) {
  static_cast<void>(ledger::parse_index_row(text));
  static_cast<void>(ledger::parse_index_row(ledger::with_sum("\t" + text)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string line(data, data + size);
  const ledger::ParsedLine parsed = ledger::parse_line(line);
  if (const auto* entry = std::get_if<ledger::Entry>(&parsed)) check_entry(*entry);
  if (const auto* damage = std::get_if<ledger::Damage>(&parsed)) {
    require(!damage->why.empty() && damage->why.find('\n') == std::string::npos);
  }
  if (const auto* later = std::get_if<ledger::LaterVersion>(&parsed)) {
    require(later->version > ledger::kSchemaVersion);
  }
  check_index_row(line);
  return 0;
}
