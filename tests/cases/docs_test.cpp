// docs/case-format.md against the parser: every key, every word, and an example that is a file of
// the tree.
#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "cases/dtype.h"
#include "cases/sample.h"
#include "support/scratch_folder.h"

namespace autokernel::cases {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::filesystem::path tree() { return AUTOKERNEL_SOURCE_DIR; }
std::string document() { return test::contents(tree() / "docs" / "case-format.md"); }

// Every key that the parser knows in some section, as its message about an unknown one lists them.
std::vector<std::string> known_keys(const std::string& text) {
  const std::string complaint = complaint_about(text);
  const std::string intro = "known are ";
  const std::size_t at = complaint.find(intro);
  if (at == std::string::npos) throw std::logic_error("no list of keys in: " + complaint);
  std::string list = complaint.substr(at + intro.size());
  if (const std::size_t last = list.rfind(" or "); last != std::string::npos) {
    list.replace(last, 4, ", ");
  }
  std::vector<std::string> keys;
  std::istringstream words(list);
  for (std::string key; std::getline(words, key, ',');)
    keys.push_back(key.substr(key.find_first_not_of(' ')));
  return keys;
}

// Those that the document does not name in a cell of a table or as a section.
std::vector<std::string> undocumented(const std::vector<std::string>& keys) {
  const std::string text = document();
  std::vector<std::string> missing;
  std::ranges::copy_if(keys, std::back_inserter(missing), [&](const std::string& key) {
    const bool in_row = text.find("| `" + key + "`") != std::string::npos ||
                        text.find(", `" + key + "`") != std::string::npos;
    const bool section = text.find("`[" + key) != std::string::npos;
    return !in_row && !section && text.find("`[[" + key + "]]`") == std::string::npos;
  });
  return missing;
}

struct Unknown {
  std::string name;  // of the test
  std::string text;  // of a case with an unknown key
  std::size_t keys;  // how many are known there
};

class DocumentedKeys : public testing::TestWithParam<Unknown> {};

TEST_P(DocumentedKeys, AreThoseOfTheParser) {
  const std::vector<std::string> keys = known_keys(GetParam().text);
  EXPECT_THAT(keys, SizeIs(GetParam().keys));
  EXPECT_THAT(undocumented(keys), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Of, DocumentedKeys,
    testing::Values(
        Unknown{"TheTop", with(kernel_sample(), "name =", "zzzzzz = 1\nname ="), 19},
        Unknown{"Tensor", with(sample(), "role = \"out\"", "zzzzzz = 1\nrole = \"out\""), 13},
        Unknown{"LibraryReference", with(sample(), "kind =", "zzzzzz = 1\nkind ="), 4},
        Unknown{"KernelReference", with(kernel_sample(), "kind =", "zzzzzz = 1\nkind ="), 3},
        Unknown{"Check", with(sample(), "exact =", "zzzzzz = 1\nexact ="), 9},
        Unknown{"Cost", with(sample(), "flops =", "zzzzzz = 1\nflops ="), 2},
        Unknown{"Scalar",
                kernel_sample() +
                    "[[scalar]]\nname = \"n\"\ndtype = \"i32\"\nlow = 1\nhigh = 2\nzzzzzz = 1\n",
                5},
        Unknown{"Compile", sample() + "[compile]\nzzzzzz = 1\n", 4},
        Unknown{"Guard", sample() + "[guard]\nzzzzzz = 1\n", 6},
        Unknown{"Timing", sample() + "[timing]\nzzzzzz = 1\n", 3}),
    [](const auto& tested) { return tested.param.name; });

TEST(CaseFormat, NamesEveryWordThatAKeyTakes) {
  const std::string text = document();
  std::vector<std::string> words = {
      "in",          "out",    "inout",     "normal",          "uniform", "integers", "kernel",
      "cublas_gemm", "never",  "always",    "sum-of-products", "sorted",  "offsets",  "permutation",
      "compute",     "memory", "reduction", "attention",       "scan"};
  for (const std::string& dtype : dtype_spellings()) words.push_back(dtype);
  for (const std::string& dtype : alias_spellings()) words.push_back(dtype);
  std::erase_if(words, [&](const std::string& word) {
    return text.find("`\"" + word + "\"`") != std::string::npos;
  });
  EXPECT_THAT(words, IsEmpty());
}

TEST(CaseFormat, StatesTheDefaultsOfTheProgram) {
  const TimingPlan usual;
  const auto row = [](const std::string& key, const auto& value) {
    std::ostringstream text;
    text << "| `" << key << "` | " << (key == "cap_seconds" ? "number" : "whole number") << " | "
         << value << " |";
    return text.str();
  };
  EXPECT_THAT(document(), HasSubstr(row("samples", usual.samples)));
  EXPECT_THAT(document(), HasSubstr(row("warmups", usual.warmups)));
  EXPECT_THAT(document(), HasSubstr(row("cap_seconds", usual.cap_seconds)));
}

TEST(CaseFormat, ShowsACaseThatIsTested) {
  EXPECT_THAT(
      document(),
      HasSubstr("```toml\n" + test::contents(tree() / "tests/data/row_sums/case.toml") + "```\n"));
}

TEST(CaseFormat, ShowsAMessageAsItIsWritten) {
  const std::string text = test::contents(tree() / "tests/data/axpy/case.toml");
  const std::string complaint = complaint_about(with(text, "\"f32\"", "\"f23\""));
  EXPECT_THAT(document(), HasSubstr("    " + complaint.substr(complaint.find("case.toml")) + "\n"));
}

}  // namespace
}  // namespace autokernel::cases
