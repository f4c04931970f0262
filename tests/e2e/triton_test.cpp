// Triton's kernels, compiled by the Triton that `./dev test` puts into build/triton, on the
// emulated device: the starters of the operations, and what a file of Triton's may say.
#include <gmock/gmock.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "e2e/authoring_workplace.h"
#include "support/full_test.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

const fs::path kTriton = AUTOKERNEL_SOURCES "/build/triton";
const fs::path kStarters = AUTOKERNEL_SOURCES "/kernels";

class TritonTest : public AuthoringWorkplace {
 protected:
  void SetUp() override {
    if (!fs::exists(kTriton / "bin" / "python3"))
      GTEST_SKIP() << "there is no Triton in build/triton; ./dev test puts it there";
  }
  [[nodiscard]] Outcome run_triton(const std::vector<std::string>& arguments) const {
    return run_with({{"VIRTUAL_ENV", kTriton.string()}}, arguments);
  }
  [[nodiscard]] Outcome bench(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"bench", "--device", "cpu",  "--case",
                                          "mine",  "--size",   "check"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_triton(arguments);
  }
};

class StarterInTriton : public TritonTest, public testing::WithParamInterface<const char*> {};

TEST_P(StarterInTriton, IsRight) {
  // One of rows, of attention and of products stand for the others.
  if (!is_wanted(GetParam(), {".", "softmax", "flash_attention"}))
    GTEST_SKIP() << "others stand for it; AUTOKERNEL_TEST_FULL=1 takes it";
  const fs::path folder = kStarters / GetParam();
  std::vector<std::string> sizes = {"check"};
  if (everything_is_wanted() && fs::path(GetParam()) != ".")
    sizes.insert(sizes.end(), {"edge_1", "edge_127"});
  for (const std::string& size : sizes) {
    for (const std::string architecture : {"sm_80", "sm_90"}) {
      if (architecture == "sm_80" && !everything_is_wanted()) continue;
      const Outcome run = run_triton({"bench", "--device", "cpu", "--case", folder.string(),
                                      "--kernel", (folder / "kernel.py").string(), "--size", size,
                                      "--arch", architecture, "--quick"});
      EXPECT_EQ(run.code, 0) << size << architecture << run.out << run.err;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, StarterInTriton,
                         testing::Values(".", "softmax", "layernorm", "rmsnorm", "cross_entropy",
                                         "rotary_embedding", "reduce", "fused_mlp",
                                         "flash_attention", "gemm"),
                         [](const auto& each) {
                           const std::string name = each.param;
                           return name == "." ? "matmul" : name;
                         });

class FileOfTriton : public TritonTest {
 protected:
  // The template's case, with that in the place of its kernel's lines behind `value`.
  void write(const std::string& stored, const std::string& launch) const {
    repository_.write("mine/kernel.py",
                      "import triton\nimport triton.language as tl\n"
                      "from autokernel import N\n\n\n"
                      "@triton.jit\n"
                      "def combine(x, y, a, count, BLOCK: tl.constexpr):\n"
                      "    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
                      "    value = tl.load(x + at, mask=at < count)\n"
                      "    tl.store(y + at, " +
                          stored + ", mask=at < count)\n\n\n" + launch);
  }
  void SetUp() override {
    TritonTest::SetUp();
    if (!IsSkipped()) (void)done({"case", "new", "mine", "--backend", "triton"});
  }
};

constexpr const char* kLaunch =
    "def launch(x, y, a):\n"
    "    combine[(triton.cdiv(N, 256),)](x, y, a, N, BLOCK=256)\n";

TEST_F(FileOfTriton, IsRefusedWhereItIsWrong) {
  write("a * value + value * value * 1.001", kLaunch);
  EXPECT_EQ(bench().code, 11);
  write("value", kLaunch);
  EXPECT_EQ(bench().code, 11);
}

TEST_F(FileOfTriton, SaysInWhichLineItDoesNotCompile) {
  write("tl.nothing(value)", kLaunch);
  EXPECT_THAT(bench().out, AllOf(HasSubstr("kernel.py:10: "), HasSubstr("nothing")));
  write("value", "def launch(x, y):\n    pass\n");
  EXPECT_THAT(bench().out, HasSubstr("define launch(x, y, a)"));
  write("value", "def launch(x, y, a):\n    pass\n");
  EXPECT_THAT(bench().out, HasSubstr("launch() launches no kernel"));
  write("value", "def launch(x, y, a)\n");
  EXPECT_THAT(bench().out, HasSubstr("kernel.py:13: SyntaxError"));
}

TEST_F(FileOfTriton, HasTheConfigurationThatItNames) {
  const std::string tuned =
      "combine = triton.autotune([triton.Config({'BLOCK': 128}), triton.Config({'BLOCK': 64})],\n"
      "                          key=['count'])(combine)\n"
      "def launch(x, y, a):\n"
      "    combine[lambda meta: (triton.cdiv(N, meta['BLOCK']),)](x, y, a, N)\n";
  write("a * value + value * value", tuned);
  EXPECT_EQ(bench().code, 0) << bench().out;
  write("a * value + value * value", tuned + "CONFIG = 1\n");
  EXPECT_EQ(bench().code, 0) << bench().out;
  write("a * value + value * value", tuned + "CONFIG = 2\n");
  EXPECT_THAT(bench().out, HasSubstr("CONFIG is 2; combine has configurations 0 to 1"));
}

// Two kernels with several each, of which one has fewer; in the second file one is named.
TEST_F(FileOfTriton, IsComparedAtTheBestOfItsConfigurations) {
  const std::string tuned =
      "first = triton.autotune([triton.Config({'BLOCK': 128})], key=['count'])(combine)\n"
      "@triton.autotune([triton.Config({'BLOCK': 16}), triton.Config({'BLOCK': 256}),\n"
      "                  triton.Config({'BLOCK': 1 << 30})], key=['count'])\n"
      "@triton.jit\n"
      "def again(x, y, a, count, BLOCK: tl.constexpr):\n"
      "    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
      "    value = tl.load(x + at, mask=at < count)\n"
      "    tl.store(y + at, a * value + value * value, mask=at < count)\n"
      "def launch(x, y, a):\n"
      "    first[lambda meta: (triton.cdiv(N, meta['BLOCK']),)](x, y, a, N)\n"
      "    again[lambda meta: (triton.cdiv(N, meta['BLOCK']),)](x, y, a, N)\n";
  write("a * value + value * value", tuned);
  const fs::path file = repository_.root() / "mine/kernel.py";
  const std::vector<std::string> compare = {
      "compare",  "--case", "mine",   "--device",       "cpu",    "--size",   "check",
      "--rounds", "2",      "--tune", "--no-libraries", "--json", "--kernel", file.string()};
  const Outcome both = run_triton(compare);
  EXPECT_EQ(both.code, 0) << both.out << both.err;
  EXPECT_THAT(both.out, HasSubstr("kernel.py, again CONFIG = 1 of 3, combine CONFIG = 0 of 1"));
  write("a * value + value * value", tuned + "CONFIG = {'again': 0}\n# CONFIGURATIONS\n");
  EXPECT_THAT(run_triton(compare).out, HasSubstr("kernel.py, CONFIG = 0 of 1\""));
  write("a * value + value * value",
        "def launch(x, y, a):  # no triton.autotune\n"
        "    combine[(triton.cdiv(N, 256),)](x, y, a, N, BLOCK=256)\n");
  EXPECT_THAT(run_triton(compare).out, HasSubstr("kernel.py\""));
}

TEST_F(FileOfTriton, HasTheFirstConfigurationThatPruningLeaves) {
  const std::string tuned =
      "def larger(configs, named, **others):\n"
      "    return [each for each in configs if each.kwargs['BLOCK'] > 64]\n"
      "combine = triton.autotune([triton.Config({'BLOCK': 64}), triton.Config({'BLOCK': 128})],\n"
      "                          key=['count'], prune_configs_by={'early_config_prune': larger})"
      "(combine)\n"
      "def launch(x, y, a):\n"
      "    combine[lambda meta: (triton.cdiv(N, meta['BLOCK']),)](x, y, a, N)\n";
  write("a * value + value * value", tuned);
  const Outcome run = bench();
  EXPECT_EQ(run.code, 0) << run.out;
  write("a * value + value * value", tuned + "CONFIG = 0\n");
  EXPECT_THAT(bench().out, HasSubstr("CONFIG is 0, which prune_configs_by removes; it leaves 1"));
}

TEST_F(FileOfTriton, IsNotLaunchedWhereItIsOnlyCompiled) {
  write("a * value + value * value",
        "def launch(x, y, a):\n"
        "    for _ in range(20):\n"
        "        combine.warmup(x, y, a, N, BLOCK=256, grid=(1,))\n"
        "    combine[(triton.cdiv(N, 256),)](x, y, a, N, BLOCK=256)\n");
  EXPECT_EQ(bench().code, 0) << bench().out;
}

// Through two parts of the workspace, one of which is zeroed, and through tensor maps of the
// host's.
TEST_F(FileOfTriton, HasPartsOfTheWorkspaceAndDescriptorsOfTheHost) {
  const std::string with_descriptors =
      "@triton.jit\n"
      "def move(source, zeros, out, BLOCK: tl.constexpr):\n"
      "    at = tl.program_id(0) * BLOCK\n"
      "    out.store([at], source.load([at]) + zeros.load([at]))\n\n"
      "def launch(x, y, a):\n"
      "    from triton.tools.tensor_descriptor import TensorDescriptor\n"
      "    odd, half, zeros = workspace((7,), 'i8'), workspace((N,)), workspace((N,), "
      "zeroed=True)\n"
      "    combine[(triton.cdiv(N, 256),)](x, half, a, N, BLOCK=256)\n"
      "    each = [TensorDescriptor.from_tensor(of, [64]) for of in (half, zeros, y)]\n"
      "    move[(triton.cdiv(N, 64),)](*each, BLOCK=64)\n";
  write("a * value + value * value", "from autokernel import workspace\n" + with_descriptors);
  for (const char* const architecture : {"sm_80", "sm_90"}) {
    const Outcome run = bench({"--arch", architecture});
    EXPECT_EQ(run.code, 0) << run.out << run.err;
  }
  write("a * value + value * value + 1", "from autokernel import workspace\n" + with_descriptors);
  EXPECT_EQ(bench().code, 11);
  write("value",
        "from autokernel import workspace\n"
        "def launch(x, y, a):\n    combine[(1,)](x, workspace((-N,)), a, N, BLOCK=64)\n");
  EXPECT_THAT(bench().out, HasSubstr("kernel.py:15: workspace() is asked for the shape (-"));
}

TEST_F(FileOfTriton, CannotComputeWithAScalarThatEachLaunchGetsAnew) {
  const std::string scaled = "a * value + value * value";
  write(scaled, "def launch(x, y, a):\n    combine[(1,)](x, y, 2 * a, N, BLOCK=256)\n");
  EXPECT_THAT(bench().out, AllOf(HasSubstr("kernel.py:14: a scalar has another value in each"),
                                 HasSubstr("verdict:          does_not_compile")));
  write(scaled, "def launch(x, y, a):\n    if a > 1:\n        pass\n");
  EXPECT_THAT(bench().out, HasSubstr("a scalar has another value"));
  write(scaled, "def launch(x, y, a):\n    combine[(1,)](x, y, N, N, BLOCK=a)\n");
  EXPECT_THAT(bench().out, HasSubstr("a scalar has another value"));
  write(scaled, "def launch(x, y, a):\n    combine[(1,)](x, y, float(a), N, BLOCK=256)\n");
  EXPECT_THAT(bench().out, HasSubstr("a scalar has another value"));
}

TEST_F(FileOfTriton, CanImportTheOthersOfTheKernel) {
  repository_.write("mine/lib/parts.py", "BLOCK = 512\n");
  repository_.write("mine/case.toml",
                    "editable_files = [\"lib/*.py\"]\n" + repository_.read("mine/case.toml"));
  write("a * value + value * value",
        "from lib.parts import BLOCK\n\n\ndef launch(x, y, a):\n"
        "    combine[(triton.cdiv(N, BLOCK),)](x, y, a, N, BLOCK=BLOCK)\n");
  EXPECT_EQ(bench().code, 0) << bench().out;
}

TEST_F(FileOfTriton, ErrorInAFunctionThatAKernelCallsIsPlacedThere) {
  write("part(value)", kLaunch);
  repository_.write("mine/kernel.py", repository_.read("mine/kernel.py") +
                                          "\n@triton.jit\ndef part(value):\n"
                                          "    return value * missing\n");
  EXPECT_THAT(bench().out, AllOf(HasSubstr("kernel.py:18: "), HasSubstr("missing is not defined")));
}

TEST_F(FileOfTriton, OfAPythonWithoutTritonSaysHowToInstallIt) {
  const Outcome run = run_with({{"VIRTUAL_ENV", "/usr"}},
                               {"bench", "--device", "cpu", "--case", "mine", "--size", "check"});
  EXPECT_EQ(run.code, 3) << run.out;
  EXPECT_THAT(run.err, HasSubstr("-m pip install triton"));
}

}  // namespace
}  // namespace autokernel::test
