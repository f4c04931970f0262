#include "compile/diagnosis.h"

#include <gmock/gmock.h>

namespace autokernel::compile {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kSource = "line one\n  line two  \nline three\n";

std::string reason(const std::string& log) {
  return first_error(log, {"kernel.cu", kSource}, {.cuda = {"/cuda/include"}, .library = {}});
}

TEST(FirstError, IsTheOneThatStandsFirstWithItsSourceLine) {
  EXPECT_EQ(reason("kernel.cu(1): warning #177-D: nothing\nkernel.cu(2): error: bad thing\n  "
                   "caret\nkernel.cu(3): error: worse\n"),
            "kernel.cu:2: error: bad thing\n    line two");
}

TEST(FirstError, IsFoundWithANumberAndWhenItIsCatastrophic) {
  EXPECT_EQ(reason("kernel.cu(3): error #20-D: unknown\n"),
            "kernel.cu:3: error: unknown\n    line three");
  EXPECT_EQ(reason("kernel.cu(1): catastrophic error: gone\n"),
            "kernel.cu:1: error: gone\n    line one");
}

TEST(FirstError, InAHeaderIsShownAtTheLineThatLedToIt) {
  EXPECT_EQ(reason("/cuda/include/x.h(700): error: assertion failed\n  text\n"
                   "          detected during instantiation of \"f\" at line 2 of kernel.cu\n"),
            "kernel.cu:2: error: assertion failed (in /cuda/include/x.h:700)\n    line two");
}

TEST(FirstError, InAHeaderThatNothingLedToNamesTheHeader) {
  EXPECT_EQ(reason("/cuda/include/x.h(700): error: broken\n"),
            "/cuda/include/x.h:700: error: broken");
}

TEST(FirstError, InAHeaderIsShownAtTheIncludeThatLedToIt) {
  const auto reason_of = [](const std::string& source) {
    return first_error("/cuda/include/cub/util.cuh(61): error: broken\n", {"kernel.cu", source},
                       {.cuda = {"/cuda/include"}, .library = {}});
  };
  constexpr const char* kBroken = " does not compile here: broken (/cuda/include/cub/util.cuh:61)";

  EXPECT_THAT(reason_of("#include <autokernel.cuh>\n# include <x/y.h>\n#include <cub/cub.cuh>\n"),
              HasSubstr(std::string("kernel.cu:3: error: <cub/cub.cuh>") + kBroken));
  EXPECT_THAT(reason_of("#include <cub/cub.cuh>\n#include <cub/util.cuh>\n"),
              HasSubstr(std::string("kernel.cu:2: error: <cub/util.cuh>") + kBroken));
  EXPECT_THAT(reason_of("#include <autokernel.cuh>\n#include <only.h>\n"),
              HasSubstr(std::string("kernel.cu:2: error: <only.h>") + kBroken));
  EXPECT_THAT(reason_of("#include <one.h>\n#include <two.h>\n"),
              testing::StartsWith("/cuda/include/cub/util.cuh:61: error: broken"));
}

TEST(FirstError, AtTheEndIsShownAtTheBraceThatIsOpen) {
  EXPECT_EQ(reason("\nAt end of source: error: expected a \"}\"\nkernel.cu(2): note #3196-D: to "
                   "match this \"{\"\n"),
            "kernel.cu:2: error: expected a \"}\" to match this \"{\"\n    line two");
  EXPECT_EQ(reason("At end of source: error: expected a \"}\""),
            "kernel.cu:3: error: expected a \"}\"\n    line three");
}

TEST(FirstError, InAnyOtherFileNamesTheFileAndQuotesNothingOfIt) {
  for (const char* file : {"/home/me/secret", "../secret", "/cuda/include/../../secret"}) {
    const std::string words =
        reason(std::string(file) + "(1): error: identifier \"hunter2\" is undefined\n");
    EXPECT_THAT(words, AllOf(HasSubstr("it includes "), HasSubstr(file)));
    EXPECT_THAT(words, Not(HasSubstr("hunter2")));
  }
}

TEST(FirstError, InWhatTheHarnessOrTheCompilerBringsIsShown) {
  EXPECT_THAT(reason("autokernel.cuh(9): error: words\n"), HasSubstr("words"));
  EXPECT_THAT(reason("__nv_nvrtc_builtin_header.h(9): error: words\n"), HasSubstr("words"));
}

TEST(FirstError, InALineThatDoesNotExistHasNoSourceLine) {
  EXPECT_EQ(reason("kernel.cu(99): error: odd\n"), "kernel.cu:99: error: odd");
}

TEST(FirstError, OfALogWithoutOneShowsItsLastLine) {
  EXPECT_THAT(reason("something\nlast words\n\n"), HasSubstr("its last line: last words"));
  EXPECT_THAT(reason(""), HasSubstr("its last line: nothing"));
}

TEST(FirstError, ShowsNoMoreThanTheBeginningOfALongLine) {
  const std::string text =
      first_error("kernel.cu(1): error: long\n", {"kernel.cu", std::string(100'000, 'x')});

  EXPECT_LT(text.size(), 250U);
}

}  // namespace
}  // namespace autokernel::compile
