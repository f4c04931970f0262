// One entry as a line of ledger.jsonl, and back.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "autokernel/ledger/entry.h"

namespace autokernel::ledger {

// Raised when a field changes its meaning or goes, and for a new kind, which a program that does
// not know it would take for damage; a new field does not raise it.
inline constexpr int kSchemaVersion = 1;

// With its newline. Text that is not UTF-8 has U+FFFD in place of what is none. Throws
// Error(internal) where a measurement is no JSON object.
[[nodiscard]] std::string line_of(const Entry& entry);

struct Damage {
  std::string why;  // one line
};
struct LaterVersion {
  long long version = 0;
};
using ParsedLine = std::variant<Entry, Damage, LaterVersion>;
// With or without its newline. Further fields are ignored; one that is missing is taken as null.
[[nodiscard]] ParsedLine parse_line(std::string_view line);

}  // namespace autokernel::ledger
