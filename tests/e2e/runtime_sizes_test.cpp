// A case that asks for one compiled kernel for a range of sizes, and kernels that are several.
#include <gmock/gmock.h>

#include <string_view>

#include "e2e/workplace.h"

namespace autokernel::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class RuntimeSizes : public Workplace {
 protected:
  [[nodiscard]] Outcome bench_of(const std::string& kernel, const std::string& symbols = "ROWS",
                                 const std::vector<std::string>& more = {}) const {
    scratch_.write(
        "range/case.toml",
        "name = \"Twice\"\nproblem = \"{ROWS} x {COLS}\"\n"
        "runtime_sizes = [\"" +
            symbols +
            "\"]\n"
            "[sizes.default]\nROWS = 100\nCOLS = 64\n[sizes.check]\nROWS = 7\nCOLS = 64\n"
            "[sizes.wide]\nROWS = 7\nCOLS = 96\n[sizes.wider]\nROWS = 9\nCOLS = 96\n"
            "[[tensor]]\nname = \"x\"\nrole = \"in\"\ndtype = \"f32\"\n"
            "shape = [\"ROWS\", \"COLS\"]\nfill = \"normal\"\n"
            "[[tensor]]\nname = \"y\"\nrole = \"out\"\ndtype = \"f32\"\n"
            "shape = [\"ROWS\", \"COLS\"]\n"
            "[reference]\nkind = \"kernel\"\nfile = \"reference.cu\"\n"
            "[check]\nexact = \"always\"\n[cost]\nflops = \"ROWS*COLS\"\n"
            "bytes = \"8*ROWS*COLS\"\n[timing]\nsamples = 3\n");
    scratch_.write("range/reference.cu", source("ROWS", "ROWS"));
    scratch_.write("range/kernel.cu", kernel);
    std::vector<std::string> arguments = {"bench", "--case", (scratch_.path() / "range").string(),
                                          "--device", "cpu"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_autokernel(arguments);
  }
  // A kernel that takes the number of rows, and goes by `rows`.
  [[nodiscard]] static std::string source(const std::string& rows, const std::string& kernels) {
    const std::string name = kernels == "two" ? R"(ROWS > 50 ? "plenty" : "some")" : R"("some")";
    std::string text = "#include <autokernel.cuh>\nAUTOKERNEL_LAUNCH({.kernel = ";
    text += name;
    text += ", .grid = {(ROWS + 3) / 4}, .block = {COLS},\n  .arguments = \"x, y, ROWS\"});\n";
    for (const char* const each : {"some", "plenty"}) {
      if (each == std::string_view("plenty") && kernels != "two") continue;
      text += "extern \"C\" __global__ void ";
      text += each;
      text += "(const float* x, float* y, int rows) {\n  for (int row = blockIdx.x; row < ";
      text += rows;
      text +=
          "; row += gridDim.x) {\n"
          "    y[row * COLS + threadIdx.x] = 2 * x[row * COLS + threadIdx.x];\n  }\n}\n";
    }
    return text;
  }
};

TEST_F(RuntimeSizes, AKernelThatTakesThemAsParametersIsOne) {
  const Outcome run = bench_of(source("rows", "one"), "ROWS", {"--full"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
}

TEST_F(RuntimeSizes, ALaunchMayChooseAmongKernels) {
  const Outcome run = bench_of(source("rows", "two"));
  EXPECT_EQ(run.code, 0) << run.out << run.err;
}

TEST_F(RuntimeSizes, AKernelThatHasThemAsConstantsIsRefused) {
  const Outcome run = bench_of(source("ROWS", "one"));
  expect_rejection(run, 12, "does_not_compile");
  EXPECT_THAT(value_of("reason", run.out),
              AllOf(HasSubstr("not the same at the sizes default and check"),
                    HasSubstr("ROWS is known at run time only")));
}

TEST_F(RuntimeSizes, ConstantsInMemoryAreConstants) {
  std::string text = source("(rows > 0 ? limit : 0)", "one");
  const std::size_t at = text.find("extern \"C\"");
  text.insert(at, "__constant__ int limit = ROWS;\n");
  const Outcome run = bench_of(text);
  expect_rejection(run, 12, "does_not_compile");
}

TEST_F(RuntimeSizes, NeitherAssemblerNorANameHidesAConstant) {
  std::string behind_braces = source("rows", "one");
  behind_braces.insert(
      behind_braces.find("  for (int row"),
      "  asm volatile(\"{\\n}\" ::: \"memory\");\n  if (rows != ROWS) rows = ROWS;\n");
  expect_rejection(bench_of(behind_braces), 12, "does_not_compile");

  std::string by_name = source("(rows > 0 ? autokernel_mine : 0)", "one");
  by_name.insert(by_name.find("extern \"C\""), "__constant__ int autokernel_mine = ROWS;\n");
  expect_rejection(bench_of(by_name), 12, "does_not_compile");
}

// The size that is timed and the small one differ in a constant as well.
TEST_F(RuntimeSizes, AreComparedWithThoseThatAreNotRun) {
  const Outcome run =
      bench_of(source("(COLS == 96 ? ROWS : rows)", "one"), "ROWS", {"--size", "wide", "--quick"});
  expect_rejection(run, 12, "does_not_compile");
  EXPECT_THAT(value_of("reason", run.out), HasSubstr("wide"));
}

TEST_F(RuntimeSizes, OthersMayBeConstants) {
  const Outcome run = bench_of(source("rows", "one"), "ROWS", {"--size", "wide"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
}

TEST_F(RuntimeSizes, MustBeSymbolsOfTheCase) {
  const Outcome run = bench_of(source("rows", "one"), "M");
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("holds \"M\", which is no size symbol; write COLS or ROWS"));
}

}  // namespace
}  // namespace autokernel::test
