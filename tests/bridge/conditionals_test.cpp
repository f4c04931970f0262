// Which parts of a source the preprocessor keeps.
#include "bridge/cuda_source/conditionals.h"

#include <gmock/gmock.h>

namespace autokernel::bridge {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

// What is left, without spaces and lines.
std::string kept(const std::string& text, std::vector<Note>* notes = nullptr) {
  Defined defined = defined_by_the_compiler();
  std::vector<Note> found;
  const std::string whole = without_conditionals("x.cu", text, defined, found);
  EXPECT_EQ(whole.size(), text.size());
  EXPECT_EQ(std::ranges::count(whole, '\n'), std::ranges::count(text, '\n'));
  if (notes != nullptr) *notes = found;
  std::string words;
  for (const char c : whole)
    if (c != ' ' && c != '\n') words += c;
  return words;
}

TEST(Conditionals, KeepTheBranchThatHolds) {
  EXPECT_EQ(kept("#if 1\na\n#else\nb\n#endif\nc\n"), "ac");
  EXPECT_EQ(kept("#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif\n"), "b");
  EXPECT_EQ(kept("#if 0\n#if 1\na\n#endif\n#else\nb\n#endif\n"), "b");
}

TEST(Conditionals, KnowWhatTheTextDefines) {
  EXPECT_EQ(kept("#define A\n#ifdef A\na\n#endif\n#undef A\n#ifdef A\nb\n#endif\n"),
            "#defineAa#undefA");
  EXPECT_EQ(kept("#define N 3\n#if N > 2 && !defined(M)\na\n#endif\n"), "#defineN3a");
  EXPECT_EQ(kept("#ifndef H\n#define H\na\n#endif\n"), "#defineHa");
}

TEST(Conditionals, KnowTheCompilerOfKernels) {
  EXPECT_EQ(kept("#if __CUDA_ARCH__ >= 800\na\n#endif\n"), "a");
  EXPECT_EQ(kept("#if __CUDACC_VER_MAJOR__ >= 11 && \\\n  __CUDACC_VER_MINOR__ >= "
                 "4\na\n#else\nb\n#endif\n"),
            "b");
  EXPECT_EQ(kept("#ifndef __CUDACC_RTC__\n#include <vector>\n#endif\n"), "");
}

TEST(Conditionals, TellOfNamesThatNothingDefines) {
  std::vector<Note> notes;
  EXPECT_EQ(kept("x\n#ifdef ENABLE_BF16\na\n#else\nb\n#endif\n", &notes), "xb");
  EXPECT_THAT(notes, ElementsAre(AllOf(Field(&Note::line, 2),
                                       Field(&Note::text, HasSubstr("ENABLE_BF16")))));
  EXPECT_EQ(kept("#ifndef H\n#define H\na\n#endif\n", &notes), "#defineHa");
  EXPECT_THAT(notes, IsEmpty());
}

TEST(Conditionals, KnowExpressionsOfMacros) {
  EXPECT_EQ(kept("#define F (1)\n#define M 4*2\n#if F && M == 8 && (6 & 2) && (1 << 4) == "
                 "16\na\n#endif\n"),
            "#defineF(1)#defineM4*2a");
  EXPECT_EQ(kept("#ifdef X\na\n#elifdef __CUDACC__\nb\n#else\nc\n#endif\n"), "b");
}

TEST(Conditionals, AreNoneInCommentsAndLiterals) {
  EXPECT_EQ(kept("/*\n#if 0\n*/\na\n/*\n#endif\n*/\n"), "/*#if0*/a/*#endif*/");
  EXPECT_EQ(kept("auto s = R\"x(\n#if 0\n)x\";\na\n"), "autos=R\"x(#if0)x\";a");
}

TEST(Conditionals, TakeDamagedTexts) {
  for (const char* const text :
       {"#if", "#endif\n#else\na", "#if (\na\n#endif", "#define", "#elif 1", "#if defined(\na",
        "# ", "#if 1/0\na\n#endif", "\\\n#if 0"})
    static_cast<void>(kept(text));
}

}  // namespace
}  // namespace autokernel::bridge
