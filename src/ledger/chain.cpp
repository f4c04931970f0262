#include "ledger/chain.h"

#include "autokernel/base/error.h"
#include "autokernel/base/sha256.h"
#include "ledger/entry_json.h"

namespace autokernel::ledger {
namespace {

constexpr std::size_t kDigits = 64;  // of a SHA-256
constexpr std::string_view kNull = "null";

// What every line begins with, comma included.
[[nodiscard]] std::string head() {
  return "{\"schema_version\":" + std::to_string(kSchemaVersion) + ",";
}

constexpr std::string_view kField = "\"previous\":";

}  // namespace

std::string link_to(std::string_view line) { return sha256(line); }

std::string with_link(std::string_view line, const std::string& previous) {
  const std::string begin = head();
  if (!line.starts_with(begin)) {
    throw Error(Stop::internal,
                "cannot add to the ledger: the line does not begin as an entry does");
  }
  const std::string link = previous.empty() ? std::string(kNull) : '"' + previous + '"';
  return begin + std::string(kField) + link + ',' + std::string(line.substr(begin.size()));
}

std::optional<std::string> link_in(std::string_view line) {
  const std::string begin = head() + std::string(kField);
  if (!line.starts_with(begin)) return std::nullopt;
  line.remove_prefix(begin.size());
  if (line.starts_with(kNull)) return std::string();
  if (line.size() < kDigits + 2 || line.front() != '"' || line[kDigits + 1] != '"') {
    return std::nullopt;
  }
  return std::string(line.substr(1, kDigits));
}

}  // namespace autokernel::ledger
