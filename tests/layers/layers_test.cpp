// The tree as it is keeps to the rules, and each rule catches the violation it is there for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "layers/include_rules.h"

namespace layers {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::SizeIs;

std::vector<Violation> planted(const std::string& path, const std::string& text) {
  return violations_in({path, text});
}

auto says(const std::string& what) { return Field(&Violation::what, HasSubstr(what)); }

std::vector<Violation> violations_in_the_tree() {
  std::vector<Violation> all;
  for (const auto& file : source_files(AUTOKERNEL_SOURCE_DIR)) {
    const auto found = violations_in(file);
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

std::set<std::string> folders_in_the_tree() {
  std::set<std::string> folders;
  for (const auto& file : source_files(AUTOKERNEL_SOURCE_DIR)) {
    folders.insert(std::filesystem::path(file.path).parent_path().string());
  }
  return folders;
}

TEST(Layers, TheTreeHasNoIncludeThatPointsUpward) {
  const auto all = violations_in_the_tree();
  EXPECT_THAT(all, IsEmpty()) << listed(all);
}

TEST(Layers, EveryHeaderMayBeIncludedTwice) {
  const std::regex guard("#pragma once|#ifndef (\\w+)\n#define \\1\n");
  int headers = 0;
  for (const auto& file : source_files(AUTOKERNEL_SOURCE_DIR)) {
    if (!file.path.ends_with(".h")) continue;
    ++headers;
    EXPECT_TRUE(std::regex_search(file.text, guard)) << file.path << " has no #pragma once";
  }
  EXPECT_GT(headers, 100);
}

TEST(Layers, TheRulesReadEveryLayer) {
  EXPECT_THAT(
      folders_in_the_tree(),
      IsSupersetOf({"include/autokernel/base", "src", "src/base", "src/driver", "src/compile",
                    "src/cases", "src/trial/runner", "src/cli", "tests/driver", "emulator/include",
                    "emulator/src/api", "emulator/src/lower", "emulator/tests/lower"}));
}

TEST(Layers, AnIncludeThatPointsUpwardIsCaughtWithItsLine) {
  const auto found =
      planted("src/driver/api.cpp", "// one\n#include \"autokernel/trial/result.h\"\n");
  ASSERT_THAT(found, ElementsAre(says("driver does not stand above trial")));
  EXPECT_EQ(found[0].line, 2);
  EXPECT_EQ(listed(found),
            "src/driver/api.cpp:2: autokernel/trial/result.h: driver does not stand above trial\n");
}

TEST(Layers, AnIncludeThatPointsUpwardIsCaughtInAHeaderUnderInclude) {
  EXPECT_THAT(planted("include/autokernel/base/x.h", "#include \"autokernel/driver/y.h\"\n"),
              ElementsAre(says("base does not stand above driver")));
}

TEST(Layers, AnIncludeInAngleBracketsOrWithSpacesIsCaughtToo) {
  EXPECT_THAT(planted("src/cases/x.cpp", "  #  include <autokernel/cli/y.h>  // why not\n"),
              ElementsAre(says("cases does not stand above cli")));
}

TEST(Layers, NeighboursDoNotKnowEachOther) {
  EXPECT_THAT(planted("src/compile/x.cpp", "#include \"autokernel/driver/y.h\"\n"), SizeIs(1));
  EXPECT_THAT(planted("src/driver/x.cpp", "#include \"autokernel/cases/y.h\"\n"), SizeIs(1));
  EXPECT_THAT(planted("src/ledger/x.cpp", "#include \"autokernel/repo/y.h\"\n"), SizeIs(1));
  EXPECT_THAT(planted("src/plot/x.cpp", "#include \"autokernel/ledger/y.h\"\n"), SizeIs(1));
}

TEST(Layers, ATrialDoesNotKnowTheLoop) {
  EXPECT_THAT(planted("src/trial/runner/x.cpp", "#include \"autokernel/loop/y.h\"\n"),
              ElementsAre(says("trial does not stand above loop")));
}

TEST(Layers, AnIncludeThatPointsDownwardIsFine) {
  EXPECT_THAT(planted("src/trial/runner/x.cpp",
                      "#include \"autokernel/driver/y.h\"\n#include \"autokernel/base/z.h\"\n"
                      "#include \"trial/time/own.h\"\n#include <vector>\n"),
              IsEmpty());
}

TEST(Layers, AHeaderThatIsPrivateToItsLayerIsNotIncludedByAnother) {
  EXPECT_THAT(planted("src/trial/runner/x.cpp", "#include \"driver/table.h\"\n"),
              ElementsAre(says("is private to driver")));
}

TEST(Layers, AHeaderThatOthersIncludeDoesNotIncludeAPrivateOne) {
  EXPECT_THAT(planted("include/autokernel/driver/x.h", "#include \"driver/table.h\"\n"),
              ElementsAre(says("private")));
}

TEST(Layers, ARelativeIncludeIsCaught) {
  EXPECT_THAT(planted("src/trial/runner/x.cpp", "#include \"../driver/table.h\"\n"),
              ElementsAre(says("is relative")));
}

TEST(TrialFolders, RunnerMayIncludeAllOthers) {
  EXPECT_THAT(planted("src/trial/runner/x.cpp",
                      "#include \"trial/supervise/y.h\"\n#include \"trial/time/y.h\"\n"),
              IsEmpty());
}

TEST(TrialFolders, AnIncludeThatPointsUpwardIsCaught) {
  EXPECT_THAT(planted("src/trial/decide/x.cpp", "#include \"trial/runner/y.h\"\n"),
              ElementsAre(says("trial/decide does not stand above trial/runner")));
}

TEST(TrialFolders, SuperviseKnowsNothingOfWhatRunsOnADevice) {
  EXPECT_THAT(planted("src/trial/supervise/x.cpp", "#include \"trial/inputs/y.h\"\n"),
              ElementsAre(says("trial/supervise does not stand above trial/inputs")));
}

TEST(TrialFolders, AFileOutsideThemIsCaughtAsSoonAsItIncludesSomething) {
  EXPECT_THAT(planted("src/trial/x.cpp", "#include \"autokernel/base/y.h\"\n"),
              ElementsAre(says("no folder")));
}

TEST(Layers, AFolderThatIsNoLayerIsCaughtAsSoonAsItIncludesOne) {
  EXPECT_THAT(planted("src/helpers/x.cpp", "#include \"autokernel/base/error.h\"\n"),
              ElementsAre(says("no layer")));
}

TEST(ForeignHeaders, CudaStaysOutOfHeadersUnderInclude) {
  EXPECT_THAT(planted("include/autokernel/driver/x.h", "#include <cuda.h>\n"), SizeIs(1));
  EXPECT_THAT(planted("include/autokernel/driver/x.h", "#include <cuda_runtime.h>\n"), SizeIs(1));
  EXPECT_THAT(planted("include/autokernel/driver/x.h", "#include <cudaTypedefs.h>\n"), SizeIs(1));
  EXPECT_THAT(planted("include/autokernel/compile/x.h", "#include <nvrtc.h>\n"), SizeIs(1));
  EXPECT_THAT(planted("include/autokernel/trial/x.h", "#include <cublas_v2.h>\n"), SizeIs(1));
}

TEST(ForeignHeaders, CudaIsFineInTheLayersOwnFiles) {
  EXPECT_THAT(planted("src/driver/x.h", "#include <cuda.h>\n"), IsEmpty());
  EXPECT_THAT(planted("src/compile/x.cpp", "#include <nvrtc.h>\n"), IsEmpty());
}

TEST(ForeignHeaders, Libgit2IsForTheRepoLayersOwnFiles) {
  EXPECT_THAT(planted("include/autokernel/repo/x.h", "#include <git2.h>\n"), SizeIs(1));
  EXPECT_THAT(planted("src/loop/x.cpp", "#include <git2/repository.h>\n"),
              ElementsAre(says("libgit2 is not for layer loop")));
  EXPECT_THAT(planted("src/repo/x.cpp", "#include <git2.h>\n"), IsEmpty());
}

TEST(ForeignHeaders, LlvmIsForTheEmulatorsJit) {
  EXPECT_THAT(planted("include/autokernel/driver/x.h", "#include <llvm/IR/Module.h>\n"), SizeIs(1));
  EXPECT_THAT(planted("src/driver/x.cpp", "#include <llvm-c/Core.h>\n"),
              ElementsAre(says("LLVM is not for layer driver")));
  EXPECT_THAT(planted("emulator/src/lower/x.cpp", "#include <llvm-c/Core.h>\n"),
              ElementsAre(says("LLVM is not for layer emulator/lower")));
  EXPECT_THAT(planted("emulator/src/jit/x.cpp", "#include <llvm-c/Core.h>\n"), IsEmpty());
}

TEST(ForeignHeaders, HeavyHeadersStayInACppFile) {
  EXPECT_THAT(planted("src/cli/x.h", "#include <CLI/CLI.hpp>\n"), SizeIs(1));
  EXPECT_THAT(planted("src/trial/runner/x.h", "#include <nlohmann/json.hpp>\n"), SizeIs(1));
  EXPECT_THAT(planted("include/autokernel/base/x.h", "#include <nlohmann/json.hpp>\n"), SizeIs(1));
  EXPECT_THAT(planted("include/autokernel/base/x_json.h", "#include <nlohmann/json.hpp>\n"),
              IsEmpty());
  EXPECT_THAT(planted("src/cases/x.h", "#include <toml++/toml.h>\n"), SizeIs(1));
  EXPECT_THAT(planted("src/cases/x.h", "#include <muParser.h>\n"), SizeIs(1));
  EXPECT_THAT(planted("src/base/x.h", "#include <spdlog/spdlog.h>\n"), SizeIs(1));
  EXPECT_THAT(planted("src/trial/runner/x.cpp", "#include <boost/math/distributions.hpp>\n"),
              SizeIs(1));
  EXPECT_THAT(planted("src/base/x.cpp", "#include <boost/math/distributions.hpp>\n"), IsEmpty());
  EXPECT_THAT(planted("src/cases/x.cpp", "#include <toml++/toml.h>\n"), IsEmpty());
}

TEST(Emulator, IncludesNothingOfOurs) {
  for (const char* path : {"emulator/include/x.h", "emulator/src/api/x.cpp", "emulator/tests/x.cpp",
                           "emulator/tests/api/x.cpp"}) {
    EXPECT_THAT(planted(path, "#include \"autokernel/base/error.h\"\n"),
                ElementsAre(says("the emulator includes nothing of autokernel")))
        << path;
    EXPECT_THAT(planted(path, "#include <autokernel.cuh>\n"), SizeIs(1)) << path;
    EXPECT_THAT(planted(path, "#include \"driver/api.h\"\n"), SizeIs(1)) << path;
  }
}

TEST(Emulator, HasLayersOfItsOwn) {
  EXPECT_THAT(planted("emulator/src/ptx/x.cpp", "#include \"lower/y.h\"\n"),
              ElementsAre(says("emulator/ptx does not stand above emulator/lower")));
  EXPECT_THAT(planted("emulator/src/runtime/x.cpp", "#include \"jit/y.h\"\n"), SizeIs(1));
  EXPECT_THAT(planted("emulator/src/lower/x.cpp", "#include \"jit/y.h\"\n"), SizeIs(1));
  EXPECT_THAT(planted("emulator/src/lower/x.cpp", "#include \"base/y.h\"\n"), SizeIs(1));
  EXPECT_THAT(planted("emulator/src/jit/x.cpp", "#include \"api/y.h\"\n"), SizeIs(1));
  EXPECT_THAT(planted("emulator/src/jit/x.cpp", "#include \"fatbin/y.h\"\n"), SizeIs(1));
  EXPECT_THAT(planted("emulator/src/base/x.cpp", "#include \"ptx/y.h\"\n"), SizeIs(1));
  EXPECT_THAT(planted("emulator/src/fatbin/x.cpp", "#include \"base/y.h\"\n"), SizeIs(1));
  EXPECT_THAT(planted("emulator/src/helpers/x.cpp", "#include \"ptx/y.h\"\n"),
              ElementsAre(says("no layer")));
}

TEST(Emulator, MayIncludeWhatLiesBelow) {
  EXPECT_THAT(planted("emulator/src/lower/x.cpp",
                      "#include \"lower/y.h\"\n#include \"ptx/z.h\"\n#include \"runtime/z.h\"\n"),
              IsEmpty());
  EXPECT_THAT(planted("emulator/src/jit/x.cpp", "#include \"base/y.h\"\n#include \"lower/y.h\"\n"),
              IsEmpty());
  EXPECT_THAT(planted("emulator/src/api/x.cpp",
                      "#include \"emulated_cuda.h\"\n#include \"jit/y.h\"\n#include <cuda.h>\n"),
              IsEmpty());
  EXPECT_THAT(planted("emulator/tests/random/x.cpp",
                      "#include \"jit/y.h\"\n#include \"support/y.h\"\n#include \"random/y.h\"\n"),
              IsEmpty());
}

TEST(Emulator, DoesNotMentionAutokernelByName) {
  EXPECT_THAT(planted("emulator/src/api/x.cpp", "  autokernel::trial::Result result;\n"),
              ElementsAre(says("mentions autokernel::trial")));
  EXPECT_THAT(planted("emulator/tests/api/x.cpp", "  throw autokernel::Error(stop, what);\n"),
              ElementsAre(says("mentions autokernel::Error")));
}

TEST(Emulator, ShowsOthersItsHeaderAlone) {
  for (const char* path : {"src/driver/x.cpp", "src/main.cpp", "tests/trial/x.cpp"}) {
    EXPECT_THAT(planted(path, "#include \"ptx/ast.h\"\n"), ElementsAre(says("the emulator's own")))
        << path;
    EXPECT_THAT(planted(path, "#include \"emulator/src/ptx/ast.h\"\n"), SizeIs(1)) << path;
  }
  EXPECT_THAT(planted("src/driver/x.h", "#include <emulated_cuda.h>\n"), IsEmpty());
  EXPECT_THAT(planted("src/trial/runner/x.cpp", "#include \"emulated_cuda.h\"\n"),
              ElementsAre(says("the emulator's header is not for layer trial")));
  EXPECT_THAT(planted("include/autokernel/driver/x.h", "#include <emulated_cuda.h>\n"),
              ElementsAre(says("stays out of headers under include/")));
}

}  // namespace
}  // namespace layers
