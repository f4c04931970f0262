// References in Python, here with the NumPy that `./dev test` puts into build/triton.
#include <gmock/gmock.h>

#include "e2e/authoring_workplace.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const fs::path kPython = AUTOKERNEL_SOURCES "/build/triton";

// y = max(x, 0) * factor, and how many of a row are above 0.
constexpr const char* kCase = R"(name = "Scaled"
problem = "{ROWS} rows of {N}"
[sizes.default]
ROWS = 16
N = 300
[sizes.check]
ROWS = 4
N = 37
[[tensor]]
name = "x"
role = "in"
dtype = "f32"
shape = ["ROWS", "N"]
pitch = "N + 3"
fill = "normal"
[[tensor]]
name = "y"
role = "out"
dtype = "f16"
shape = ["ROWS", "N"]
[[tensor]]
name = "counts"
role = "inout"
dtype = "i32"
shape = ["ROWS"]
fill = "integers"
low = 0
high = 9
[[scalar]]
name = "factor"
dtype = "f64"
low = 0.5
high = 2.0
[reference]
kind = "python"
file = "reference.py"
files = ["lib/steps.py"]
[check]
exact = "never"
absolute = 1e-3
relative = 1e-3
[cost]
flops = "ROWS*N"
bytes = "6*ROWS*N"
)";
constexpr const char* kKernel = R"(#include <cuda_fp16.h>
#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "rows", .grid = {ROWS}, .block = {1}});
extern "C" __global__ void rows(const float* x, __half* y, int* counts, double factor) {
  const int row = blockIdx.x;
  int count = 0;
  for (int i = 0; i < N; ++i) {
    const float value = fmaxf(x[row * (N + 3) + i], 0);
    y[row * N + i] = __float2half(static_cast<float>(value * factor));
    count += value > 0;
  }
  counts[row] += count;
}
)";
constexpr const char* kReference = R"(ARRAYS = "numpy"
from lib.steps import positive

def reference(x, counts, factor):
    print("noise")
    above = positive(x)
    return {"counts": counts + (above > 0).sum(axis=-1), "y": above * factor}
)";

class PythonReferenceTest : public AuthoringWorkplace {
 protected:
  void SetUp() override {
    if (!fs::exists(kPython / "bin" / "python3"))
      GTEST_SKIP() << "there is no NumPy in build/triton; ./dev test puts it there";
    repository_.write("mine/case.toml", kCase);
    repository_.write("mine/kernel.cu", kKernel);
    repository_.write("mine/reference.py", kReference);
    repository_.write("mine/lib/steps.py",
                      "import numpy\ndef positive(x):\n    return numpy.maximum(x, 0)\n");
  }
  [[nodiscard]] Outcome run_python(const std::vector<std::string>& arguments) const {
    return run_with({{"VIRTUAL_ENV", kPython.string()}}, arguments);
  }
  [[nodiscard]] Outcome bench(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"bench", "--device", "cpu", "--case", "mine"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_python(arguments);
  }
  // With `body` in the place of the reference's; what is said then.
  [[nodiscard]] std::string complaint(const std::string& body, int code) const {
    repository_.write("mine/reference.py",
                      "ARRAYS = \"numpy\"\ndef reference(x, counts, factor):\n" + body);
    const Outcome run = bench({"--quick"});
    EXPECT_EQ(run.code, code) << run.out << run.err;
    return run.err;
  }
};

TEST_F(PythonReferenceTest, AcceptsWhatIsRightAndRefusesWhatIsWrong) {
  const Outcome right = bench({"--full"});
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  EXPECT_THAT(right.out, HasSubstr("verdict:          correct\n"));
  std::string wrong = kKernel;
  wrong.replace(wrong.find("value * factor"), 14, "value * factor * 1.01");
  repository_.write("mine/kernel.cu", wrong);
  EXPECT_THAT(bench({"--quick"}).out,
              AllOf(HasSubstr("verdict:          incorrect\n"), HasSubstr("y[")));
  wrong = kKernel;
  wrong.replace(wrong.find("+= count;"), 9, "+= count - (row == 3);");
  repository_.write("mine/kernel.cu", wrong);
  EXPECT_THAT(bench({"--quick"}).out,
              AllOf(HasSubstr("verdict:          incorrect\n"), HasSubstr("counts[3]")));
}

TEST_F(PythonReferenceTest, SaysWhatIsWrongWithIt) {
  EXPECT_THAT(complaint("    return {'y': x}\n", 2), HasSubstr("gives no counts"));
  EXPECT_THAT(complaint("    return x\n", 2), HasSubstr("gives 1 of the 2 tensors"));
  EXPECT_THAT(complaint("    return x[0], counts\n", 2), HasSubstr("gives y the shape [37]"));
  EXPECT_THAT(complaint("    return 1 / 0\n", 2), HasSubstr("ZeroDivisionError"));
  EXPECT_THAT(complaint("    import nothing\n", 3),
              AllOf(HasSubstr("nothing"), HasSubstr("[reference] python")));
  EXPECT_THAT(complaint("    import os\n    os._exit(0)\n", 3), HasSubstr("its Python ended"));
}

// Its folder is its own, and what is handed over lies there.
TEST_F(PythonReferenceTest, CannotHaveOtherFilesWrittenOrRead) {
  repository_.write("victim.txt", "mine\n");
  const std::string victim = (repository_.root() / "victim.txt").string();
  for (const std::string kind : {"in", "out"}) {
    std::string body = kReference;
    body.replace(body.find("    print("), 19,
                 "    import os\n    folder = os.path.dirname(os.getcwd())\n"
                 "    for name in os.listdir(folder):\n"
                 "        if name.rstrip('0123456789') == '" +
                     kind +
                     "':\n"
                     "            os.unlink(os.path.join(folder, name))\n"
                     "            os.symlink('" +
                     victim + "', os.path.join(folder, name))\n");
    repository_.write("mine/reference.py", body);
    const Outcome run = bench();
    EXPECT_EQ(files().at("victim.txt"), "mine\n");
    if (kind == "out") {
      EXPECT_EQ(run.code, 2) << run.out;
      EXPECT_THAT(run.err, HasSubstr("cannot run the reference"));
    }
  }
}

TEST_F(PythonReferenceTest, HasNoFilesOfTheUsersAndNoNetwork) {
  EXPECT_THAT(
      complaint("    open('" + (repository_.root() / "mine/kernel.cu").string() + "')\n", 2),
      HasSubstr("PermissionError"));
  EXPECT_THAT(complaint("    import socket\n    socket.socket()\n", 2),
              HasSubstr("PermissionError"));
  EXPECT_THAT(complaint("    import os, signal\n    os.kill(os.getppid(), signal.SIGKILL)\n", 2),
              HasSubstr("PermissionError"));
}

TEST_F(PythonReferenceTest, OfARecordRunsOnlyWhereItIsAllowed) {
  const Outcome recorded = bench({"--quick", "--json"});
  ASSERT_EQ(recorded.code, 0) << recorded.err;
  repository_.write("record.json", recorded.out);
  const Outcome refused = run_python({"bench", "--replay", "record.json"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--allow lets it run"));
  EXPECT_EQ(run_python({"bench", "--replay", "record.json", "--allow"}).code, 0);
}

TEST_F(PythonReferenceTest, IsFixedWithTheCase) {
  EXPECT_THAT(run_python({"case", "show", "mine"}).out, HasSubstr("reference.py, in Python"));
  std::string text = kCase;
  text.replace(text.find("lib/steps.py"), 12, "lib/missing.py");
  repository_.write("mine/case.toml", text);
  EXPECT_THAT(bench().err, HasSubstr("lib/missing.py"));
  text.replace(text.find("lib/missing.py"), 14, "../outside.py");
  repository_.write("mine/case.toml", text);
  EXPECT_EQ(bench().code, 2);
}

TEST_F(PythonReferenceTest, AProblemInPythonIsImportedOnlyWhereItIsAllowed) {
  repository_.write("1_Sum.py", "raise SystemExit('it was run')\n");
  const Outcome refused = run_python({"import", "1_Sum.py"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("--allow lets it run"), Not(HasSubstr("it was run"))));
  const Outcome without = run_python({"import", "1_Sum.py", "--allow"});
  EXPECT_EQ(without.code, 3) << without.err;
  EXPECT_THAT(without.err, HasSubstr("no PyTorch"));
  EXPECT_FALSE(fs::exists(repository_.root() / "cases"));
}

}  // namespace
}  // namespace autokernel::test
