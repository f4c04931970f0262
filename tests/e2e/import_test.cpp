// `import`: sources with host code become cases that the emulated device measures.
#include <gmock/gmock.h>

#include "e2e/authoring_workplace.h"
#include "support/full_test.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const fs::path kSources = AUTOKERNEL_SOURCES "/tests/data/import";

class Import : public AuthoringWorkplace {
 protected:
  // Each of these cases is measured, and its kernel right.
  void expect_right(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      EXPECT_THAT(done({"bench", "--case", "cases/" + name, "--device", "cpu", "--size", "check",
                        "--quick"}),
                  HasSubstr("verdict:          correct\n"))
          << name;
    }
  }
};

TEST_F(Import, OfAProgramMakesACaseThatIsMeasured) {
  EXPECT_THAT(done({"import", kSources / "vector_add.cu"}),
              AllOf(HasSubstr("case      cases/add\n"), HasSubstr("compiles  yes\n"),
                    Not(HasSubstr("fill in  ")), HasSubstr("autokernel bench --case cases/add\n")));
  expect_right({"add"});
}

TEST_F(Import, OfALibraryReadsItsHeaders) {
  EXPECT_THAT(done({"import", kSources / "rows.cu"}), Not(HasSubstr("compiles  no")));
  expect_right({"sum_rows", "scale_rows"});
}

TEST_F(Import, KnowsTheWaysToLaunch) {
  EXPECT_THAT(done({"import", kSources / "launches.cu"}),
              AllOf(Not(HasSubstr("compiles  no")), HasSubstr("nothing here defines USE_DOUBLE")));
  expect_right({"first", "together", "paired"});
  if (everything_is_wanted()) expect_right({"second"});  // launched as the first is
}

TEST_F(Import, TakesTheKernelsThatAreAskedForAndOverwritesNothing) {
  EXPECT_THAT(done({"import", kSources / "rows.cu", "--kernel", "scale", "--out", "mine"}),
              HasSubstr("mine/scale_rows"));
  const auto before = files();
  EXPECT_THAT(done({"import", kSources / "rows.cu", "--kernel", "scale", "--out", "mine"}),
              HasSubstr("mine/scale_rows_2"));
  for (const auto& [path, text] : before) EXPECT_EQ(files().at(path), text);
}

TEST_F(Import, SaysWhatIsLeftToFillInAndMeasuresItThen) {
  repository_.write(
      "gather.cu",
      "__global__ void gather(const int* at, const float* x, float* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = x[at[i]];\n}\n"
      "void run(int* at, float* x, float* y) { gather<<<4, 64>>>(at, x, y, 256); }\n");
  EXPECT_THAT(done({"import", "gather.cu"}),
              AllOf(HasSubstr("fill in   case.toml:"), Not(HasSubstr("compiles"))));
  std::string text = files().at("cases/gather/case.toml");
  EXPECT_NE(run_autokernel({"bench", "--case", "cases/gather", "--device", "cpu"}).code, 0);
  text.replace(text.find("[\"?\"]"), 5, "[\"100\"]");
  text.replace(text.find("high = \"?\""), 10, "high = 99");
  repository_.write("cases/gather/case.toml", text);
  expect_right({"gather"});
}

TEST_F(Import, RefusesWhatItCannotRead) {
  expect_refused({"import", "missing.cu"}, 2, "missing.cu");
  expect_refused({"import", kSources / "rows.txt"}, 2, "no .cu or .cuh file");
  repository_.write("host.cu", "int main() { return 0; }\n");
  expect_refused({"import", "host.cu"}, 2, "no __global__ function");
  expect_refused({"import", kSources / "rows.cu", "--kernel", "nothing"}, 2, "in its name");
  EXPECT_FALSE(fs::exists(repository_.root() / "cases"));
}

}  // namespace
}  // namespace autokernel::test
