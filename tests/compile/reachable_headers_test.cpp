// Which headers a runner is sent, and that the compiler finds them there.
#include "autokernel/compile/reachable_headers.h"

#include <gmock/gmock.h>

#include <array>

#include "compile/compiled.h"

namespace autokernel::compile {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Pair;

Headers reachable(const std::string& source, const Headers& library, const Headers& other = {}) {
  const std::array<const Headers*, 2> folders = {&library, &other};
  return reachable_headers({"kernel.cu", source}, folders);
}

TEST(ReachableHeaders, AreThoseThatAreIncludedAndWhatTheseInclude) {
  const Headers library = {{"a/one.hpp", "#include \"two.hpp\"\n#include <b/three.hpp>\n"},
                           {"a/two.hpp", "#include \"../b/four.hpp\"\n"},
                           {"b/three.hpp", "#include <a/one.hpp>\n"},
                           {"b/four.hpp", ""},
                           {"b/unused.hpp", ""}};

  EXPECT_THAT(
      reachable("#include <a/one.hpp>\n", library),
      ElementsAre(Key("a/one.hpp"), Key("a/two.hpp"), Key("b/four.hpp"), Key("b/three.hpp")));
  EXPECT_THAT(reachable("int x;\n", library), IsEmpty());
}

TEST(ReachableHeaders, ComeFromTheFirstFolderThatHasThem) {
  EXPECT_THAT(reachable("#include <x.h>\n#  include \"y.h\"\n", {{"x.h", "first"}},
                        {{"x.h", "second"}, {"y.h", "other"}}),
              ElementsAre(Pair("x.h", "first"), Pair("y.h", "other")));
}

TEST(ReachableHeaders, HaveTheNamesOfTheirNeighboursWrittenOut) {
  const Headers library = {
      {"a/one.hpp", "// x\n#include \"two.hpp\"  // y\n#include \"b/three.hpp\"\nint z;\n"},
      {"a/two.hpp", ""},
      {"b/three.hpp", "#include \"../a/two.hpp\"\n"}};

  const Headers found = reachable("#include <a/one.hpp>\n", library);

  EXPECT_EQ(found.at("a/one.hpp"),
            "// x\n#include \"a/two.hpp\"  // y\n#include \"b/three.hpp\"\nint z;\n");
  EXPECT_EQ(found.at("b/three.hpp"), "#include \"a/two.hpp\"\n");
}

TEST(ReachableHeaders, CountUnderAnyCondition) {
  EXPECT_THAT(reachable("#ifdef NEVER\n#include <x.h>\n#endif\n", {{"x.h", ""}}),
              ElementsAre(Key("x.h")));
}

TEST(ReachableHeaders, LieInNoFolderAbove) {
  EXPECT_THAT(reachable("#include \"../x.h\"\n#include </x.h>\n", {{"x.h", ""}}), IsEmpty());
}

Compilation compiled(const std::string& body, std::vector<std::string> flags = {}) {
  const Headers library = {{"lib/scale.hpp",
                            "#pragma once\n#include \"detail/factor.hpp\"\n__device__ inline float "
                            "scaled(float x) { return "
                            "FACTOR * x; }\n"},
                           {"lib/detail/factor.hpp", "#define FACTOR 3\n"},
                           {"lib/host.hpp", "inline float host(float x) { return x; }\n"}};
  const std::string source = "#include <lib/scale.hpp>\n" + with_kernel("", body);
  return Compiler::open().compile({.source = {"kernel.cu", source},
                                   .architecture = "sm_90a",
                                   .sizes = {},
                                   .headers = reachable(source, library),
                                   .flags = std::move(flags)});
}

TEST(Headers, CannotTakeThePlaceOfTheHarnesss) {
  for (const std::string name : {"autokernel.cuh", "autokernel_sizes.cuh", "cuda.h"}) {
    const Compilation result = Compiler::open().compile(
        {.source = {"kernel.cu", "#include <cuda.h>\n" + with_kernel("", "x[0] = K;")},
         .architecture = "sm_90a",
         .sizes = {{"K", 3}},
         .headers = {{name, "#error another one\n"}},
         .flags = {}});
    EXPECT_TRUE(std::holds_alternative<Program>(result)) << name;
  }
}

TEST(Headers, AreFoundByTheCompilerInMemory) {
  EXPECT_TRUE(std::holds_alternative<Program>(compiled("x[0] = scaled(x[1]);")));
}

TEST(Headers, ThatHoldAnErrorAreNamed) {
  const Compilation result = compiled("x[0] = scaled();");
  ASSERT_TRUE(std::holds_alternative<Refusal>(result));
  EXPECT_THAT(std::get<Refusal>(result).reason, HasSubstr("kernel.cu:6: error: too few arguments"));
}

TEST(Headers, ForHostCodeAreToldTheFlagThatHelps) {
  const Compilation result = compiled("}\n#include <lib/host.hpp>\n__device__ void g() {");
  ASSERT_TRUE(std::holds_alternative<Refusal>(result));
  EXPECT_THAT(std::get<Refusal>(result).reason,
              AllOf(HasSubstr("kernel.cu:7: error: <lib/host.hpp> does not compile here: "),
                    HasSubstr("(lib/host.hpp:1)"),
                    HasSubstr("add \"-default-device\" to [compile] flags")));
  EXPECT_TRUE(std::holds_alternative<Program>(
      compiled("}\n#include <lib/host.hpp>\n__device__ void g() {", {"-default-device"})));
}

TEST(Flags, ReachTheCompiler) {
  // Some hundred values that a thread holds at a time.
  const std::string body =
      "float a[100];\nfor (int i = 0; i < 100; ++i) a[i] = x[i + threadIdx.x];\n"
      "__syncthreads();\nfloat s = 0;\nfor (int i = 0; i < 100; ++i) s = s * s + a[99 - i];\n"
      "for (int i = 0; i < 100; ++i) s = s * a[i] + s;\nx[threadIdx.x] = s;";
  const Compilation free = compiled(body);
  const Compilation limited = compiled(body, {"-maxrregcount=40"});

  EXPECT_GT(std::get<Program>(free).resources.at("f").registers, 40U);
  EXPECT_LE(std::get<Program>(limited).resources.at("f").registers, 40U);
}

}  // namespace
}  // namespace autokernel::compile
