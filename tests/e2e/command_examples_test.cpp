// The cases in commands/, each improved by a scripted agent: what its edits must come to stands at
// their head (tests/data/commands).
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "e2e/authoring_workplace.h"
#include "e2e/workplace.h"
#include "support/full_test.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;

const fs::path kEdits = fs::path(AUTOKERNEL_SOURCES) / "tests" / "data" / "commands";

// What the head of a patch says: "Verdict: kept".
[[nodiscard]] std::string head_of(const fs::path& patch, const std::string& key) {
  std::ifstream file(patch);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key + ": ")) return line.substr(key.size() + 2);
  }
  return "";
}

[[nodiscard]] std::vector<fs::path> edits_of(const std::string& name) {
  std::vector<fs::path> edits(fs::directory_iterator(kEdits / name), {});
  std::ranges::sort(edits);
  return edits;
}

// Whether a step ended as the patch says.
[[nodiscard]] bool is_as_expected(const std::string& expected, const std::string& verdict) {
  if (expected == "not better") return verdict == "not faster" || verdict == "inconclusive";
  if (expected == "beyond a guard")
    return verdict == "over a guard-rail" || verdict == "not faster";
  return verdict == expected;
}

struct Example {
  const char* name;
  std::vector<std::string> edits;  // of the usual test, or none; the full one makes all
};

class CommandExample : public AuthoringWorkplace, public testing::WithParamInterface<Example> {};

TEST_P(CommandExample, IsImprovedByAScriptedAgent) {
  const auto& [name, usual] = GetParam();
  if (!everything_is_wanted() && usual.empty())
    GTEST_SKIP() << "half a minute; AUTOKERNEL_TEST_FULL=1 takes it";
  fs::copy(fs::path(AUTOKERNEL_SOURCES) / "commands" / name, repository_.root() / "case",
           fs::copy_options::recursive);
  repository_.commit("The case");
  const Outcome begun = run_autokernel({"loop", "start", "demo", "--case", "case"});
  ASSERT_EQ(begun.code, 0) << begun.out << begun.err;
  int kept = 0;
  for (const fs::path& edit : edits_of(name)) {
    const std::string number = edit.filename().string().substr(0, 2);
    if (!everything_is_wanted() && std::ranges::find(usual, number) == usual.end()) continue;
    repository_.git("apply", "--directory=case", edit.string());
    const Outcome step = run_autokernel({"loop", "step", "-m", head_of(edit, "Idea")});
    const std::string expected = head_of(edit, "Verdict");
    EXPECT_TRUE(is_as_expected(expected, value_of("verdict", step.out)))
        << edit << " must be " << expected << "\n"
        << step.out << step.err;
    if (expected == "kept") ++kept;
  }
  EXPECT_THAT(done({"loop", "status"}), HasSubstr(std::to_string(kept) + " kept"));
}

INSTANTIATE_TEST_SUITE_P(Each, CommandExample,
                         testing::Values(Example{"json_parser", {"02", "06", "10"}},
                                         Example{"ranking", {}}, Example{"training", {}}),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace autokernel::test
