// Which line of the source an instruction comes from, by the directives a compiler leaves in PTX.
#include "ptx/source_lines.h"

#include <gmock/gmock.h>

#include <string>

#include "ptx/ast.h"

namespace emulator::ptx {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// As NVRTC 13.0 writes it: `inner` inlined into `outer` inlined into the kernel, a function of a
// header, a function without lines, and the names of the files at the end.
const std::string kText = R"(.version 9.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 a)
{
  .reg .b32 %r<9>;
  .loc 1 16 0
  mov.u32 %r0, 1;
  .loc 1 19 3
  .loc 1 8 5, function_name $L__info_string0, inlined_at 1 19 3
  .loc 1 3 3, function_name $L__info_string1, inlined_at 1 8 5
  mov.u32 %r1, 1;
  .loc 1 8 5, function_name $L__info_string0, inlined_at 1 19 3
  mov.u32 %r2, 1;
  .loc 1 30 1
  .loc 2 700 9, function_name $L__info_string2+4, inlined_at 1 30 1
  mov.u32 %r3, 1;
  /* .loc 1 99 9 */
  mov.u32 %r4, 1;
  .loc 7 5 5
  mov.u32 %r5, 1;
  ret;
}
.visible .entry silent()
{
  ret;
}
.file 1 "/somewhere/kernel.cu"
.file 2 "/usr/include/cuda_fp16.hpp", 1700000000, 4096
.section .debug_str
{
$L__info_string0:
.b8 95,90,0
}
)";

std::uint32_t line_of(const std::string& text, const std::string& words) {
  const std::size_t at = text.find(words);
  return 1 + static_cast<std::uint32_t>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

std::vector<SourceLine> lines_at(const std::string& words) {
  return SourceLines(kText).at(line_of(kText, words));
}

const SourceLine kernel_line(std::uint32_t line) { return {"/somewhere/kernel.cu", line}; }

TEST(SourceLines, AnInstructionComesFromTheLineNamedLast) {
  EXPECT_THAT(lines_at("%r0, 1"), ElementsAre(kernel_line(16)));
}

TEST(SourceLines, OfWhatWasInlinedTheCallersFollowFromTheInsideOut) {
  EXPECT_THAT(lines_at("%r1, 1"), ElementsAre(kernel_line(3), kernel_line(8), kernel_line(19)));
  EXPECT_THAT(lines_at("%r2, 1"), ElementsAre(kernel_line(8), kernel_line(19)));
}

TEST(SourceLines, OfAHeadersFunctionTheCallersFollowToo) {
  EXPECT_THAT(lines_at("%r3, 1"),
              ElementsAre(SourceLine{"/usr/include/cuda_fp16.hpp", 700}, kernel_line(30)));
}

TEST(SourceLines, ACommentIsNoDirective) {
  EXPECT_EQ(lines_at("%r4, 1").front(), (SourceLine{"/usr/include/cuda_fp16.hpp", 700}));
}

TEST(SourceLines, AFileThatNobodyNamesIsNoLine) { EXPECT_THAT(lines_at("%r5, 1"), IsEmpty()); }

TEST(SourceLines, AFunctionsHeaderIsItsFirstLine) {
  EXPECT_THAT(lines_at(".entry k"), ElementsAre(kernel_line(16)));
}

TEST(SourceLines, WhatStandsBehindTheEndOfAFunctionIsOfAnotherOne) {
  const std::uint32_t silent = line_of(kText, "silent()") + 2;
  EXPECT_THAT(SourceLines(kText).at(silent), IsEmpty());
}

TEST(SourceLines, BeforeTheFirstLineAndInNoTextThereIsNone) {
  EXPECT_THAT(SourceLines(kText).at(1), IsEmpty());
  EXPECT_THAT(SourceLines(kText).at(0), IsEmpty());
  EXPECT_THAT(SourceLines("").at(1), IsEmpty());
}

TEST(SourceLines, AMalformedDirectiveLeavesTheOthersAlone) {
  const std::string text = R"(.entry k() {
  .loc 1 4
  mov.u32 %r0, 1;
  .loc 1 99999999999999999999 1
  mov.u32 %r1, 1;
  .loc 1 6 1, inlined_at here
  mov.u32 %r2, 1;
  .loc 1 7 1, function_name 3
  mov.u32 %r3, 1;
  .loc 1 8 1
  mov.u32 %r4, 1;
}
.file "kernel.cu"
.file 1 kernel.cu
.file 1 "kernel.cu"
.file 1 "another.cu"
)";
  const SourceLines lines(text);
  EXPECT_THAT(lines.at(line_of(text, "%r1, 1")), IsEmpty());
  EXPECT_THAT(lines.at(line_of(text, "%r4, 1")), ElementsAre(SourceLine{"kernel.cu", 8}));
}

TEST(SourceLines, ACallerThatNamesItselfEndsNothing) {
  const std::string text = R"(.entry k() {
  .loc 1 8 1, inlined_at 1 8 1
  .loc 1 8 1, inlined_at 1 8 1
  ret;
}
.file 1 "kernel.cu"
)";
  EXPECT_THAT(SourceLines(text).at(4),
              ElementsAre(SourceLine{"kernel.cu", 8}, SourceLine{"kernel.cu", 8},
                          SourceLine{"kernel.cu", 8}));
}

TEST(SourceLines, AChainMadeToBeLongIsCut) {
  std::string text = ".entry k() {\n";
  for (int i = 1; i < 2000; ++i) {
    text += ".loc 1 " + std::to_string(i) + " 0, inlined_at 1 " + std::to_string(i - 1) + " 0\n";
  }
  text += "ret;\n}\n.file 1 \"kernel.cu\"\n";
  EXPECT_LT(SourceLines(text).at(2001).size(), 300U);
}

// Every text is one that a parser may be given: what it names has to be a line of a file it names.
TEST(SourceLines, ATextCutAnywhereNamesNoLineThatItDoesNotHold) {
  for (std::size_t size = 0; size < kText.size(); ++size) {
    const SourceLines lines(std::string_view(kText).substr(0, size));
    for (std::uint32_t line = 0; line < 40; ++line) {
      for (const SourceLine& named : lines.at(line)) {
        EXPECT_THAT(named.file, testing::HasSubstr("/"));
        EXPECT_LE(named.line, 700U);
      }
    }
  }
}

TEST(SourceLines, TheParserTakesEveryFormOfTheDirectives) { EXPECT_NO_THROW((void)parse(kText)); }

TEST(SourceLines, TheParserNamesWhereADirectiveIsMalformed) {
  std::string text = kText;
  text.replace(text.find("inlined_at 1 19 3"), 17, "inlined_at 1 x 3");
  try {
    (void)parse(text);
    ADD_FAILURE() << "it was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.where().line, line_of(text, "inlined_at 1 x"));
  }
}

}  // namespace
}  // namespace emulator::ptx
