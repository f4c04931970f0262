// docs/ledger.md against the writer: each kind has a heading, "## `kind`", and below it a table
// with a row for each of its fields, "| `name` | ...". Fields of a field are written "gain.low".
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "ledger/index_row.h"
#include "ledger/sample.h"
#include "support/scratch_folder.h"

namespace autokernel::ledger {
namespace {

using nlohmann::json;
using testing::HasSubstr;

using FieldsByKind = std::map<std::string, std::set<std::string>>;

std::string document() {
  return test::contents(std::filesystem::path(AUTOKERNEL_SOURCES) / "docs" / "ledger.md");
}

FieldsByKind described() {
  const std::regex heading("^## `([a-z_]+)`.*");
  const std::regex row("^\\| `([a-z0-9_.]+)` \\|.*");
  FieldsByKind fields;
  std::istringstream text(document());
  std::string kind;
  std::smatch found;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("## ")) kind.clear();
    if (std::regex_match(line, found, heading)) kind = found[1];
    if (!kind.empty() && std::regex_match(line, found, row)) fields[kind].insert(found[1]);
  }
  return fields;
}

// What stands in free form: a map by path, and the object that docs/json.md describes.
const std::set<std::string> kFree = {"git_rules", "guarded", "headers", "result"};

void add_names(const json& object, const std::string& prefix, std::set<std::string>& names) {
  for (const auto& [name, value] : object.items()) {
    names.insert(prefix + name);
    if (kFree.contains(name)) continue;
    const json& inner = value.is_array() && !value.empty() ? value.front() : value;
    if (inner.is_object()) add_names(inner, prefix + name + ".", names);
  }
}

FieldsByKind written() {
  FieldsByKind fields;
  for (const Entry& entry : full_entries()) {
    json object = json::parse(lines_of({entry}));
    std::set<std::string>& names = fields[object.at("kind")];
    // These two are described once for all.
    object.erase("schema_version");
    object.erase("kind");
    add_names(object, "", names);
  }
  return fields;
}

TEST(LedgerDocument, DescribesEveryFieldOfEveryKindAndNoOther) {
  EXPECT_EQ(described(), written());
}

TEST(LedgerDocument, ShowsTheHeaderOfTheIndexAndOfTheTable) {
  EXPECT_THAT(document(), HasSubstr(std::string(kIndexHeader)));
  EXPECT_THAT(document(), HasSubstr("commit\tmedian_us\ttflops_s\tstatus\tdescription"));
}

}  // namespace
}  // namespace autokernel::ledger
