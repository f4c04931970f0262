// `case check`: a case that will do passes, and one that is too tolerant, too strict or wrong is
// found out.
#include <gmock/gmock.h>

#include "e2e/authoring_workplace.h"
#include "support/full_test.h"
#include "support/scratch_folder.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class CaseCheck : public AuthoringWorkplace {
 protected:
  [[nodiscard]] Outcome check(const std::string& folder) const {
    return run_autokernel({"case", "check", folder, "--device", "cpu"});
  }
  // A case made from the template, with a part of its case.toml replaced.
  void make(const std::string& part, const std::string& replacement) const {
    (void)done({"case", "new", "mine"});
    edit("mine/case.toml", part, replacement);
  }
  void edit(const std::string& file, const std::string& part,
            const std::string& replacement) const {
    std::string text = repository_.read(file);
    const std::size_t at = text.find(part);
    ASSERT_NE(at, std::string::npos) << part;
    repository_.write(file, text.replace(at, part.size(), replacement));
  }
};

TEST_F(CaseCheck, PassesTheTemplate) {
  (void)done({"case", "new", "mine"});
  const Outcome checked = check("mine");
  EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
  EXPECT_THAT(checked.out, AllOf(HasSubstr("PASS  reference "), HasSubstr("PASS  kernel "),
                                 HasSubstr("PASS  rounding "), HasSubstr("PASS  y zeros "),
                                 HasSubstr("PASS  y rounded "), HasSubstr("PASS  y swapped "),
                                 HasSubstr("none failed\n"), Not(HasSubstr("FAIL"))));
}

TEST_F(CaseCheck, FindsOutToleranceForLowerPrecision) {
  make("relative = 1e-6", "relative = 2e-3");
  const Outcome checked = check("mine");
  EXPECT_EQ(checked.code, 2) << checked.out << checked.err;
  EXPECT_THAT(checked.out,
              AllOf(ContainsRegex("FAIL  y rounded +each element rounded to 10 bits of mantissa: "
                                  "accepted\n +fix: .*make `relative` smaller than that"),
                    HasSubstr("PASS  y scaled"), HasSubstr(" 1 failed\n")));
}

TEST_F(CaseCheck, FindsOutToleranceForAnything) {
  make("absolute = 2e-6", "absolute = 1e6");
  const Outcome checked = check("mine");
  EXPECT_EQ(checked.code, 2) << checked.out << checked.err;
  for (const char* cheat : {"zeros", "last", "rounded", "scaled", "swapped", "constant", "block"}) {
    EXPECT_THAT(checked.out,
                ContainsRegex(std::string("FAIL  y ") + cheat + " +[^\n]*: accepted\n"));
  }
}

TEST_F(CaseCheck, FindsOutToleranceThatIsTooNarrowForOtherRounding) {
  make("absolute = 2e-6\nrelative = 1e-6", "absolute = 0\nrelative = 1e-9");
  const Outcome checked = check("mine");
  EXPECT_EQ(checked.code, 2) << checked.out << checked.err;
  EXPECT_THAT(checked.out, AllOf(HasSubstr("PASS  reference"), HasSubstr("FAIL  rounding"),
                                 HasSubstr("make the tolerances wider")));
}

TEST_F(CaseCheck, FindsOutExactnessThatThereIsNot) {
  make(
      "exact = \"never\" # \"always\": one right value, compared bit for bit\nabsolute = "
      "2e-6\nrelative = 1e-6",
      "exact = \"always\"");
  const Outcome checked = check("mine");
  EXPECT_EQ(checked.code, 2) << checked.out << checked.err;
  EXPECT_THAT(checked.out,
              AllOf(HasSubstr("FAIL  rounding"), HasSubstr("write exact = \"never\"")));
}

TEST_F(CaseCheck, FindsOutAReferenceOrAKernelThatIsWrong) {
  (void)done({"case", "new", "mine"});
  edit("mine/kernel.cu", "a * x[i]", "x[i]");
  const Outcome wrong = check("mine");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.out, AllOf(HasSubstr("PASS  reference"),
                               ContainsRegex("FAIL  kernel +kernel.cu: incorrect: y\\[")));
  edit("mine/reference.cu", "if (i < N) y", "if (i < N) z");
  const Outcome broken = check("mine");
  EXPECT_EQ(broken.code, 2);
  EXPECT_THAT(broken.out, HasSubstr("FAIL  reference"));
  edit("mine/case.toml", "role = \"out\"", "role = \"output\"");
  const Outcome unreadable = check("mine");
  EXPECT_EQ(unreadable.code, 2);
  EXPECT_THAT(unreadable.out, AllOf(HasSubstr("FAIL  case"), HasSubstr("did you mean \"out\"?")));
}

struct Sound {
  std::string name;  // of the test
  fs::path folder;
};
void PrintTo(const Sound& sound, std::ostream* out) { *out << sound.folder; }

class SoundCase : public CaseCheck, public testing::WithParamInterface<Sound> {};

TEST_P(SoundCase, Passes) {
  // Each tries a dozen cheats, which takes some seconds.
  if (!is_wanted(GetParam().name, {"OfWholeNumbers", "WithFp64", "OfValuesAndIndices"}))
    GTEST_SKIP() << "others stand for it; AUTOKERNEL_TEST_FULL=1 takes it";
  const Outcome checked = check(GetParam().folder.string());
  EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
  EXPECT_THAT(checked.out, Not(HasSubstr("cannot be tried")));
}

const fs::path kData = AUTOKERNEL_SOURCES "/tests/data";
const fs::path kOperations = AUTOKERNEL_SOURCES "/kernels";

INSTANTIATE_TEST_SUITE_P(Each, SoundCase,
                         testing::Values(Sound{"OfALibrarysProduct", kData / "split_k"},
                                         Sound{"OfWholeNumbers", kData / "histogram"},
                                         Sound{"OfBytes", kData / "blur"},
                                         Sound{"InPlace", kData / "axpy"},
                                         Sound{"WithFp64", kData / "row_sums"},
                                         Sound{"OfValuesAndIndices", kOperations / "topk"}),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace autokernel::test
