// What ties each line of the ledger to the one before it:
//
//   {"schema_version":1,"previous":"<SHA-256 of the line before, newline included>","kind":...
//
// so that no line can be edited, removed, added or moved without a trace in the next one. The first
// line of a ledger has null there. Lines without the field are those of earlier versions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace autokernel::ledger {

// The hash that a line's successor holds of it; `line` with its newline.
[[nodiscard]] std::string link_to(std::string_view line);

// The line with such a hash in it; empty: there is no line before it.
[[nodiscard]] std::string with_link(std::string_view line, const std::string& previous);

// The hash in a line, empty for null. None where it has no such field in this very place: then
// with_link() did not make it.
[[nodiscard]] std::optional<std::string> link_in(std::string_view line);

}  // namespace autokernel::ledger
