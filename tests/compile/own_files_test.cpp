// A kernel of several files: they are compiled from memory, and messages name the right one.
#include <gmock/gmock.h>

#include <array>

#include "autokernel/compile/reachable_headers.h"
#include "compile/compiled.h"

namespace autokernel::compile {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// What 0x1234 is as a float.
constexpr const char* kStored = "1167171584";
constexpr const char* kDeclaration = "AUTOKERNEL_LAUNCH({.kernel = \"f\", .block = {32}});\n";

Compilation compiled(const std::string& main, std::map<std::string, std::string> files,
                     std::map<std::string, std::string> headers = {}) {
  return Compiler::open().compile({.source = {"kernel.cu", main, std::move(files)},
                                   .architecture = "sm_90a",
                                   .sizes = {{"N", 4}},
                                   .headers = std::move(headers),
                                   .flags = {}});
}
std::string reason(const std::string& main, std::map<std::string, std::string> files) {
  const Compilation result = compiled(main, std::move(files));
  const auto* refusal = std::get_if<Refusal>(&result);
  return refusal == nullptr ? "it compiles" : refusal->reason;
}
std::string ptx(const Compilation& result) {
  if (const auto* refusal = std::get_if<Refusal>(&result)) return refusal->reason;
  return std::get<Program>(result).ptx;
}
// The kernel "f", which includes a file and uses FACTOR.
std::string with_include(const std::string& line) {
  return line + "\n" + with_kernel("", "x[0] = FACTOR;");
}

TEST(OwnFiles, AreIncludedByTheirPathFromTheMainFile) {
  const std::map<std::string, std::string> files = {
      {"include/deep/factor.cuh", "#define FACTOR 7"}};
  for (const std::string line :
       {"#include \"include/deep/factor.cuh\"", "#include <include/deep/factor.cuh>",
        "#include \"./include//deep/../deep/factor.cuh\""}) {
    EXPECT_THAT(ptx(compiled(with_include(line), files)), HasSubstr(".visible .entry f")) << line;
  }
}

TEST(OwnFiles, IncludeWhatLiesBesideThemFirst) {
  const Compilation result =
      compiled(with_include("#include \"a/one.cuh\""),
               {{"a/one.cuh", "#include \"factor.cuh\"\n#include \"../b/two.cuh\"\n"},
                {"a/factor.cuh", "#define FACTOR 0x1234\n"},
                {"factor.cuh", "#error the wrong one\n"},
                {"b/two.cuh", "#ifndef FACTOR\n#error it comes too late\n#endif\n"}});
  EXPECT_THAT(ptx(result), HasSubstr(kStored));
}

// Another compiler would look for them beside the file, and NVRTC does not.
TEST(OwnFiles, AreIncludedPlainlyOrNotAtAll) {
  for (const std::string line :
       {"#define NAME \"factor.cuh\"\n#include NAME", "#include /**/ \"factor.cuh\"",
        "/**/ #include \"factor.cuh\"", "%:include \"factor.cuh\"", "#include\\\n\"factor.cuh\"",
        "#inc\\\nlude \"factor.cuh\"", "#include_next \"factor.cuh\""}) {
    EXPECT_THAT(reason(with_include(line), {{"factor.cuh", "#define FACTOR 1"}}),
                HasSubstr("it has an #include that names no file plainly"))
        << line;
    EXPECT_THAT(reason(with_include("#include \"a.cuh\""),
                       {{"a.cuh", line}, {"factor.cuh", "#define FACTOR 1"}}),
                StartsWith("a.cuh: it has an #include"))
        << line;
  }
}

TEST(OwnFiles, AreNotChangedInLiteralsAndComments) {
  const std::string text =
      "#include \"b.cuh\"\nconstexpr char kText[] = R\"(\n#include \"b.cuh\"\n)\";\n/*\n#include "
      "\"b.cuh\"\n*/\nstatic_assert(sizeof(kText) == 19);\n#define FACTOR 1\n";
  EXPECT_EQ(reason(with_include("#include \"in/a.cuh\""), {{"in/a.cuh", text}, {"in/b.cuh", ""}}),
            "it compiles");
}

TEST(OwnFiles, ComeBeforeALibrarysHeadersOfTheSameName) {
  EXPECT_THAT(ptx(compiled(with_include("#include <factor.cuh>"),
                           {{"factor.cuh", "#define FACTOR 0x1234\n"}},
                           {{"factor.cuh", "#error the library's\n"}})),
              HasSubstr(kStored));
}

TEST(OwnFiles, AreFollowedToTheHeadersOfLibraries) {
  const Headers library = {{"lib/a.hpp", "#include \"b.hpp\""}, {"lib/b.hpp", ""}, {"own.cuh", ""}};
  const std::array<const Headers*, 1> folders = {&library};
  const Source source = {
      "kernel.cu",
      "#include \"own.cuh\"\n",
      {{"own.cuh", "#include \"in/other.cuh\"\n"}, {"in/other.cuh", "#include <lib/a.hpp>\n"}}};
  EXPECT_THAT(reachable_headers(source, folders),
              testing::ElementsAre(testing::Key("lib/a.hpp"), testing::Key("lib/b.hpp")));
}

TEST(OwnFiles, CannotTakeThePlaceOfTheHarnesssHeaders) {
  for (const std::string name : {"autokernel.cuh", "autokernel_sizes.cuh", "cuda.h"}) {
    EXPECT_THAT(reason(with_kernel("", ""), {{name, "int x;"}}),
                AllOf(StartsWith(name + ": "), HasSubstr("give the file another name")));
  }
}

TEST(OwnFiles, AreNamedWhereTheyDoNotCompile) {
  EXPECT_THAT(reason(with_include("#include \"in/a.cuh\""), {{"in/a.cuh", "\n\n  int y = z;\n"}}),
              AllOf(StartsWith("in/a.cuh:3: error: "), HasSubstr("\n    int y = z;")));
  EXPECT_THAT(reason(with_include("#include \"a.cuh\""), {{"a.cuh", std::string("int y;\n\0", 8)}}),
              StartsWith("a.cuh:2: it holds a zero byte"));
}

TEST(OwnFiles, AreNamedWhereTheyIncludeWhatThereIsNot) {
  EXPECT_THAT(reason(with_include("#include \"a.cuh\""), {{"a.cuh", "#include \"gone.cuh\"\n"}}),
              AllOf(StartsWith("a.cuh:1: error: "), HasSubstr("editable_files in case.toml")));
}

TEST(OwnFiles, ThatAreNearlyNamedAreSuggested) {
  EXPECT_THAT(
      reason(with_include("#include \"factor.cuh\""), {{"in/Factor.cuh", "#define FACTOR 1"}}),
      HasSubstr("write #include \"in/Factor.cuh\""));
}

TEST(OwnFiles, ThatAreIncludedTwiceSayHowNotTo) {
  EXPECT_THAT(reason(with_include("#include \"a.cuh\"\n#include \"a.cuh\""),
                     {{"a.cuh", "constexpr int FACTOR = 1;\n"}}),
              AllOf(StartsWith("a.cuh:1: "), HasSubstr("write #pragma once at the top of it")));
}

TEST(OwnFiles, ThatNothingIncludesDoNotCount) {
  EXPECT_EQ(reason(with_kernel("", ""), {{"tool.cuh", std::string("\0ELF", 4)}}), "it compiles");
  EXPECT_THAT(reason("#include <autokernel.cuh>\nextern \"C\" __global__ void f(float* x) {}\n",
                     {{"launch.cuh", kDeclaration}}),
              AllOf(StartsWith("kernel.cu:1: "), HasSubstr("write #include \"launch.cuh\"")));
}

TEST(OwnFiles, ThatTakeThePlaceOfCudasAreSaidTo) {
  const Compilation result =
      compiled(with_include("#include <cuda_fp16.h>"), {{"cuda_fp16.h", "#define FACTOR 1"}});
  ASSERT_TRUE(std::holds_alternative<Program>(result));
  EXPECT_THAT(std::get<Program>(result).warnings,
              testing::ElementsAre(HasSubstr("cuda_fp16.h takes the place of CUDA's header")));
}

TEST(OwnFiles, AreCalledByTheirPathInThePtx) {
  const std::string text =
      ptx(compiled("#include \"in/store.cuh\"\n" + with_kernel("", "store(x);"),
                   {{"in/store.cuh", "__device__ inline void store(float* x) { x[7] = 2; }"}}));
  EXPECT_THAT(text, HasSubstr("\"in/store.cuh\""));
}

TEST(OwnFiles, MayHoldTheDeclarationWhichMessagesThenName) {
  const std::string main =
      "#include <autokernel.cuh>\n#include \"launch.cuh\"\nextern \"C\" __global__ void f(float* "
      "x) "
      "{}\n";
  EXPECT_EQ(reason(main, {{"launch.cuh", kDeclaration}}), "it compiles");
  EXPECT_THAT(
      reason(main, {{"launch.cuh", "\n\nAUTOKERNEL_LAUNCH({.kernel = \"g\", .block = {32}});\n"}}),
      StartsWith("launch.cuh:3: "));
  EXPECT_THAT(reason(main, {{"launch.cuh", "\n#if 0\nAUTOKERNEL_LAUNCH({});\n#endif\n"}}),
              StartsWith("launch.cuh:3: "));
}

TEST(OwnFiles, MayHoldTheKernelWhoseParametersAreThenNamed) {
  const std::string main =
      std::string("#include <autokernel.cuh>\n#include \"f.cuh\"\n") + kDeclaration;
  const Source source = {
      "kernel.cu", main, {{"f.cuh", "\nextern \"C\" __global__ void f(float* x) {}\n"}}};
  const Compilation result = compiled(source.text, source.files);
  ASSERT_TRUE(std::holds_alternative<Program>(result));
  EXPECT_THAT(
      wrong_parameters(std::get<Program>(result), {{"a", "float* a"}, {"b", "float* b"}}, source),
      testing::Optional(StartsWith("f.cuh:2: ")));
}

TEST(OwnFiles, CannotShareTheTensorMaps) {
  const std::string map = "AUTOKERNEL_TENSOR_MAP(NAME, {.tensor = \"x\", .box = {32}});\n";
  const auto called = [&](const std::string& name) {
    std::string text = map;
    return text.replace(text.find("NAME"), 4, name);
  };
  const std::string main =
      "#include <autokernel.cuh>\n#include \"maps.cuh\"\n" + called("one") + kDeclaration +
      "extern \"C\" __global__ void f(float* x, const __grid_constant__ CUtensorMap one, const "
      "__grid_constant__ CUtensorMap two) {}\n";
  EXPECT_THAT(reason(main, {{"maps.cuh", called("two")}}), HasSubstr("stand in two files"));
}

TEST(OwnFiles, AreNamedByLinesOfThePtx) {
  const Source source = {
      "kernel.cu",
      "#include \"in/store.cuh\"\n" + with_kernel("", "store(x);"),
      {{"in/store.cuh", "__device__ inline void store(float* x) {\n  x[7] = 2.5f;\n}"}}};
  const std::string text = ptx(compiled(source.text, source.files));
  std::uint32_t line = 1;
  const std::size_t store = text.find("+28]");
  ASSERT_NE(store, std::string::npos) << text;
  for (std::size_t i = 0; i < store; ++i) line += text[i] == '\n' ? 1 : 0;
  EXPECT_EQ(source_line(text, source, line), (SourceLine{"in/store.cuh", 2}));
}

}  // namespace
}  // namespace autokernel::compile
