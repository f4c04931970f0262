#include <gmock/gmock.h>

#include "autokernel/compile/compiler.h"
#include "compile/compiled.h"

namespace autokernel::compile {
namespace {

// The number of the first line of PTX that holds `text`.
std::uint32_t ptx_line_with(const std::string& ptx, const std::string& text) {
  const std::size_t at = ptx.find(text);
  if (at == std::string::npos) throw std::runtime_error("the PTX has no " + text);
  std::uint32_t line = 1;
  for (std::size_t i = 0; i < at; ++i) line += ptx[i] == '\n' ? 1 : 0;
  return line;
}

constexpr const char* kPtx = R"(.visible .entry f()
{
	.loc	1 7 0
	add.s32 	%r1, %r2, %r3;
	.loc	2 99 3, function_name $L__info_string0, inlined_at 1 8 5
	sub.s32 	%r1, %r2, %r3;
	.loc	2 100 3
	mul.lo.s32 	%r1, %r2, %r3;
	.loc	2 200 5, function_name $L__info_string0, inlined_at 1 9 5
	.loc	2 300 7, function_name $L__info_string1, inlined_at 2 200 5
	and.b32 	%r1, %r2, %r3;
}
.visible .entry g()
{
	ret;
}
	.file	1 "/folder/kernel.cu"
	.file	2 "/cuda/include/header.hpp"
)";

const Source kSource = {"kernel.cu", ""};

std::optional<SourceLine> in_kernel(std::uint32_t line) { return SourceLine{"kernel.cu", line}; }

TEST(SourceLine, OfHeadersFunctionsInlinedIntoEachOtherItIsTheLineThatCalledTheOutermost) {
  EXPECT_EQ(source_line(kPtx, kSource, ptx_line_with(kPtx, "and.b32")), in_kernel(9));
}

TEST(SourceLine, IsThatOfTheDirectiveAbove) {
  EXPECT_EQ(source_line(kPtx, kSource, ptx_line_with(kPtx, "add.s32")), in_kernel(7));
}

TEST(SourceLine, OfAnInlinedFunctionOfAHeaderIsThatOfTheCall) {
  EXPECT_EQ(source_line(kPtx, kSource, ptx_line_with(kPtx, "sub.s32")), in_kernel(8));
}

TEST(SourceLine, IsUnknownInsideOtherFiles) {
  EXPECT_EQ(source_line(kPtx, kSource, ptx_line_with(kPtx, "mul.lo")), std::nullopt);
}

TEST(SourceLine, IsNotTakenFromTheFunctionBefore) {
  EXPECT_EQ(source_line(kPtx, kSource, ptx_line_with(kPtx, "ret;")), std::nullopt);
}

TEST(SourceLine, IsUnknownBeforeAndBehindTheText) {
  EXPECT_EQ(source_line(kPtx, kSource, 0), std::nullopt);
  EXPECT_EQ(source_line(kPtx, kSource, 1000), std::nullopt);
  EXPECT_EQ(source_line("", kSource, 1), std::nullopt);
}

TEST(SourceLine, OfTextCutAtAnyByteIsRightOrUnknown) {
  const std::string text = kPtx;
  const std::uint32_t line = ptx_line_with(text, "add.s32");
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_THAT(source_line(text.substr(0, size), kSource, line),
                testing::AnyOf(std::nullopt, in_kernel(7)))
        << size;
  }
}

TEST(SourceLine, IsFoundInWhatTheCompilerMakes) {
  const Program result = program(with_kernel("", "  x[0] = 1;\n\n  x[7] = 2.5f;"));

  EXPECT_EQ(source_line(result.ptx, kSource, ptx_line_with(result.ptx, "[%rd2+28]")), in_kernel(7))
      << result.ptx;
}

}  // namespace
}  // namespace autokernel::compile
