// Kernels in the forms that others use: libraries and sources, built here with compilers that know
// nothing of autokernel, and run on the emulated driver against the reference's results.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "e2e/authoring_workplace.h"
#include "support/full_test.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

const fs::path kData = AUTOKERNEL_SOURCES "/tests/data";
const fs::path kKernels = AUTOKERNEL_SOURCES "/kernels";

[[nodiscard]] fs::path on_path(const std::string& program) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing sets variables
  const char* const path = std::getenv("PATH");
  std::string rest = std::string(path == nullptr ? "" : path) + ":/usr/local/cuda/bin:";
  for (std::size_t end = 0; (end = rest.find(':')) != std::string::npos; rest.erase(0, end + 1)) {
    const fs::path file = fs::path(rest.substr(0, end)) / program;
    if (fs::exists(file)) return file;
  }
  return {};
}

class Exports : public AuthoringWorkplace {
 protected:
  [[nodiscard]] fs::path out() const { return repository_.root() / "out"; }
  [[nodiscard]] Outcome make(const std::vector<std::string>& arguments,
                             const std::map<std::string, std::string>& variables = {}) const {
    std::map<std::string, std::string> all = variables;
    all.try_emplace("AUTOKERNEL_DRIVER", AUTOKERNEL_EMULATED_DRIVER);
    return run({on_path("make"), arguments, out(), all});
  }
  // `autokernel export ... --as FORM --out out` on the emulated device.
  void exported(const std::string& form, std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "export");
    arguments.insert(arguments.end(), {"--as", form, "--out", out().string(), "--device", "cpu"});
    done(arguments);
  }
};

struct Exported {
  std::string name;  // of the test
  std::vector<std::string> arguments;
};

[[nodiscard]] Exported case_of_data(const std::string& name, const std::string& folder) {
  return {name, {"--case", (kData / folder).string(), "--size", "check"}};
}

class ExportOf : public Exports, public testing::WithParamInterface<Exported> {};

TEST_P(ExportOf, AsALibraryInCIsRightAndRefusesWhatIsWrong) {
  exported("c", GetParam().arguments);
  const Outcome test = make({"-s", "test", "CFLAGS=-O1 -Werror"});
  EXPECT_EQ(test.code, 0) << test.out << test.err;
  EXPECT_THAT(test.out, AllOf(HasSubstr("size check: "), HasSubstr(" is right")));
}

TEST_P(ExportOf, AsAPatchAppliesAndIsRight) {
  if (on_path("nvcc").empty()) GTEST_SKIP() << "there is no nvcc";
  // Ten seconds of nvcc each.
  const bool is_usual =
      GetParam().name == "TensorMaps" || GetParam().name == "TypesThatASizeChooses";
  if (!is_usual && !everything_is_wanted()) GTEST_SKIP() << "AUTOKERNEL_TEST_FULL=1 takes it";
  exported("patch", GetParam().arguments);
  // The patch makes the files that are tested.
  repository_.write("code/README", "of a code base\n");
  std::string patch;
  for (const auto& entry : fs::directory_iterator(out()))
    if (entry.path().extension() == ".patch") patch = entry.path().string();
  repository_.git("apply", "--directory=code", patch);
  for (const auto& entry : fs::directory_iterator(out() / "source")) {
    const fs::path folder = fs::directory_iterator(repository_.root() / "code/autokernel")->path();
    EXPECT_EQ(contents(entry.path()), contents(folder / entry.path().filename())) << entry.path();
  }
  const Outcome test = make({"-s", "test",
                             std::string("NVCC=") + on_path("nvcc").string() +
                                 " --cudart none " AUTOKERNEL_SMALL_CUDART " -ldl"});
  EXPECT_EQ(test.code, 0) << test.out << test.err;
  EXPECT_THAT(test.out, AllOf(HasSubstr("size check: "), HasSubstr(" is right")));
}

INSTANTIATE_TEST_SUITE_P(
    Each, ExportOf,
    testing::Values(case_of_data("InPlace", "axpy"),
                    Exported{"TypesThatASizeChooses",
                             {"--case", (kKernels / "rmsnorm").string(), "--size", "check"}},
                    case_of_data("TwoLaunchesAndAWorkspace", "split_k"),
                    case_of_data("Scalars", "scaled_sum"), case_of_data("Bytes", "blur"),
                    Exported{"TensorMaps",
                             {"--case", kKernels.string(), "--kernel",
                              (kKernels / "examples/wgmma_tma.cu").string(), "--size", "check"}}),
    [](const auto& tested) { return tested.param.name; });

TEST_F(Exports, AnExperimentTakesItsRecordAndItsCaseAlong) {
  done({"init", "--from", "matmul"});
  repository_.write("LICENSE", "Apache License\nVersion 2.0\n");
  repository_.git("add", "-A");
  repository_.git("commit", "--quiet", "-m", "start");
  done({"loop", "start", "demo", "--device", "cpu", "--size", "check"});
  const std::string source = contents(repository_.root() / "kernels/kernel.cu");
  repository_.write("kernels/kernel.cu", source + "// edited since\n");

  exported("c", {"0", "--size", "check"});

  EXPECT_EQ(contents(out() / "MEASURED.json"), done({"show", "0", "--json"}));
  EXPECT_EQ(contents(out() / "case/kernel.cu"), source);
  EXPECT_EQ(contents(out() / "LICENSE"), "Apache License\nVersion 2.0\n");
  EXPECT_THAT(contents(out() / "README.md"),
              AllOf(HasSubstr("Experiment 0 of run demo"), HasSubstr("Apache-2.0"),
                    HasSubstr("emulated CUDA driver")));
  const Outcome again =
      run_autokernel({"bench", "--case", "out/case", "--device", "cpu", "--size", "check"});
  EXPECT_EQ(again.code, 0) << again.out << again.err;
}

TEST_F(Exports, TheTestOfALibraryFailsWhereAResultIsWrong) {
  exported("c", case_of_data("", "blur").arguments);
  const fs::path expected = out() / "tests/data/check/blurred.expected.bin";
  std::string bytes = contents(expected);
  ASSERT_FALSE(bytes.empty());
  bytes.back() = static_cast<char>(bytes.back() ^ 0x40);
  std::ofstream(expected, std::ios::binary) << bytes;
  const Outcome test = make({"-s", "test"});
  EXPECT_EQ(test.code, 2);
  EXPECT_THAT(test.out, AllOf(HasSubstr("of blurred is "), HasSubstr("blur is wrong")));
}

TEST_F(Exports, ALibraryRefusesADeviceThatItHasNoCodeFor) {
  exported("c", {"--case", (kData / "axpy").string(), "--size", "check", "--capability", "10.0a"});
  const Outcome test = make({"-s", "test"});
  EXPECT_EQ(test.code, 2);
  EXPECT_THAT(
      test.out,
      HasSubstr("axpy: device 0 has compute capability 9.0; this library has code for 10.0a"));
}

TEST_F(Exports, ALibraryForSeveralCapabilitiesRunsByThePtxOfAnOlderOne) {
  exported("c",
           {"--case", (kData / "axpy").string(), "--size", "check", "--capability", "8.6,8.0"});
  EXPECT_THAT(contents(out() / "README.md"), HasSubstr("compute capability 8.0, 8.6"));
  const Outcome test = make({"-s", "test"});
  EXPECT_EQ(test.code, 0) << test.out << test.err;
}

TEST_F(Exports, ALibraryWithoutADriverSaysSo) {
  exported("c", case_of_data("", "axpy").arguments);
  const Outcome test = make({"-s", "test"}, {{"AUTOKERNEL_DRIVER", "/nowhere/libcuda.so.1"}});
  EXPECT_EQ(test.code, 2);
  EXPECT_THAT(test.out, HasSubstr("axpy: cannot open the CUDA driver: /nowhere/libcuda.so.1"));
}

TEST_F(Exports, VariablesOfTheKernelAreSetBackBeforeEachCall) {
  repository_.write("kernel.cu", R"(#include <autokernel.cuh>
__device__ int calls;
AUTOKERNEL_LAUNCH({.kernel = "axpy", .grid = {(N + 255) / 256}, .block = {256}},
                  {.kernel = "count", .block = {1}});
extern "C" __global__ void axpy(const float* x, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < N) y[i] = calls == 0 ? 2.5f * x[i] + y[i] : 0;
}
extern "C" __global__ void count(const float*, float*) { atomicAdd(&calls, 1); }
)");
  // Both sizes are run one after the other, and the refusals in between launch nothing.
  exported("c", {"--case", (kData / "axpy").string(), "--kernel", "kernel.cu"});
  const Outcome test = make({"-s", "test"});
  EXPECT_EQ(test.code, 0) << test.out << test.err;
  expect_refused({"export", "--case", (kData / "axpy").string(), "--kernel", "kernel.cu", "--as",
                  "patch", "--out", "patch", "--device", "cpu"},
                 2, "its variables calls have to be set back");
}

// A small case of one's own: y = x at two sizes, unless the parts are others.
void write_case(const ScratchRepository& repository, const std::string& toml_more,
                const std::string& kernel) {
  repository.write("own/case.toml",
                   "name = \"Own\"\nproblem = \"own */ of {N}\"\n" + toml_more + R"(
[[tensor]]
name = "call"
role = "in"
dtype = "f32"
shape = ["N"]
fill = "normal"
[[tensor]]
name = "y"
role = "out"
dtype = "f32"
shape = ["N"]
[[scalar]]
name = "number"
dtype = "i32"
low = 1
high = 9
[reference]
kind = "kernel"
file = "reference.cu"
[check]
exact = "always"
[cost]
flops = "N"
bytes = "8*N"
)");
  const std::string reference = R"(#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "kernel", .grid = {(N + 63) / 64}, .block = {64}});
extern "C" __global__ void kernel(const float* x, float* y, int number) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < N) y[i] = number * x[i];
}
)";
  repository.write("own/reference.cu", reference);
  repository.write("own/kernel.cu", kernel.empty() ? reference : kernel);
}
const std::string kTwoSizes = "[sizes.default]\nN = 512\n[sizes.check]\nN = 100\n";

TEST_F(Exports, NamesOfACaseAreNeitherPathsNorCode) {
  repository_.write("keep/call.bin", "precious");
  write_case(repository_, kTwoSizes + "[sizes.\"../../../keep\"]\nN = 7\n[sizes.'a\"b']\nN = 9\n",
             "");
  for (const std::string form : {"c", "torch", "patch", "hub"}) {
    fs::remove_all(out());
    exported(form, {"--case", "own"});
    EXPECT_TRUE(fs::exists(out() / "tests/data/_._.._.._keep/call_.bin")) << form;
  }
  EXPECT_EQ(files().at("keep/call.bin"), "precious");
  fs::remove_all(out());
  exported("c", {"--case", "own"});
  const Outcome test = make({"-s", "test", "CFLAGS=-O1 -Werror"});
  EXPECT_EQ(test.code, 0) << test.out << test.err;
  // What the problem is called, at the only size there is.
  fs::remove_all(out());
  exported("c", {"--case", "own", "--size", "../../../keep"});
  EXPECT_NE(files().at("out/README.md").find("of 7"), std::string::npos);
}

TEST_F(Exports, SizesThatNoTensorTellsApartAreNotExportedTogether) {
  write_case(repository_, "[sizes.default]\nN = 512\nW = 2\n[sizes.check]\nN = 512\nW = 7\n", "");
  expect_refused({"export", "--case", "own", "--as", "c", "--out", "out", "--device", "cpu"}, 2,
                 "sizes default and check have the same tensors");
  exported("c", {"--case", "own", "--size", "check"});
}

TEST_F(Exports, SizesThatDifferInTypesAloneAreNotExportedTogetherAsSource) {
  expect_refused({"export", "--case", (kKernels / "rmsnorm").string(), "--as", "patch", "--out",
                  "out", "--device", "cpu"},
                 2, "differ in types alone");
}

TEST_F(Exports, VariablesWithAddressesAndOnesChangedByInlinePtxAreSetBack) {
  write_case(repository_, kTwoSizes, R"(#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "kernel", .grid = {(N + 63) / 64}, .block = {64}},
                  {.kernel = "after", .block = {1}});
__device__ int one = 1, two = 2;
__device__ int* chosen = &one;
extern "C" __device__ int counter;
__device__ int counter;
extern "C" __global__ void kernel(const float* x, float* y, int number) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < N) y[i] = *chosen == 1 && counter == 0 ? number * x[i] : 0;
}
extern "C" __global__ void after(const float*, float*, int) {
  int was;
  asm volatile("ld.global.u32 %0, [counter]; add.u32 %0, %0, 1; st.global.u32 [counter], %0;" : "=r"(was));
  chosen = &two;
}
)");
  exported("c", {"--case", "own"});
  const std::string program =
      "#include \"own.h\"\n#include <stdio.h>\n"
      "int main(void) {\n"
      "  float x[512], y[512];\n"
      "  const int64_t shape[] = {512};\n"
      "  for (int i = 0; i < 512; ++i) x[i] = (float)i;\n"
      "  own_tensor in = own_tensor_of(x, 0, own_float32, 1, shape);\n"
      "  own_tensor to = own_tensor_of(y, 0, own_float32, 1, shape);\n"
      "  in.device_type = to.device_type = 1;\n"
      "  for (int turn = 0; turn < 3; ++turn) {\n"
      "    if (own_on_host(&in, &to, 3)) puts(own_error());\n"
      "    printf(\"%g \", y[5]);\n"
      "  }\n}\n";
  std::ofstream(out() / "twice.c") << program;
  const Outcome built =
      run({on_path("cc"), {"twice.c", "-o", "twice", "-L.", "-lown", "-Wl,-rpath,."}, out(), {}});
  ASSERT_EQ(built.code, 0) << built.err;
  const Outcome ran =
      run({out() / "twice", {}, out(), {{"AUTOKERNEL_DRIVER", AUTOKERNEL_EMULATED_DRIVER}}});
  EXPECT_EQ(ran.out, "15 15 15 ");
}

TEST_F(Exports, AKernelThatIsWrongIsNotExported) {
  write_case(repository_, kTwoSizes, R"(#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "wrong", .grid = {(N + 63) / 64}, .block = {64}});
extern "C" __global__ void wrong(const float* x, float* y, int number) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < N) y[i] = number + x[i];
}
)");
  expect_refused({"export", "--case", "own", "--as", "c", "--out", "out", "--device", "cpu"}, 2,
                 "its verdict is incorrect");
}

TEST_F(Exports, RefusesWhatItCannotDo) {
  const std::string axpy = (kData / "axpy").string();
  const auto refused = [&](std::vector<std::string> more, const std::string& words) {
    std::vector<std::string> arguments = {"export", "--case", axpy, "--out", "refused"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_refused(arguments, 2, words);
    EXPECT_FALSE(fs::exists(repository_.root() / "refused"));
  };
  refused({"--as", "wheel"}, R"(--as is "wheel"; write c, torch, tvm-ffi, hub, triton, patch)");
  refused({"--as", "c", "--size", "huge"}, "cannot export size huge: the case has");
  refused({"--as", "c", "--capability", "Hopper"},
          R"(for capability "Hopper": write it as 9.0a or 8.6)");
  refused({"--as", "c", "--name", "double"}, R"(cannot call the export "double")");
  refused({"--as", "c", "--name", "malloc"}, R"(cannot call the export "malloc")");
  refused({"--as", "c", "--into", "x"}, "--into is for --as patch");
  refused({"--as", "hub", "--author", "a\"b"}, R"(with --author "a"b")");
  refused({"--as", "c", "--name", "a b"}, R"(cannot call the export "a b")");
  refused({"--as", "patch", "--into", "../elsewhere"}, R"(for the folder "../elsewhere")");
  refused({"--as", "triton"}, "it is not in that language");
  refused({"0", "--as", "c"}, "cannot export an experiment with --case or --kernel");
  repository_.write("full/file", "");
  expect_refused({"export", "--case", axpy, "--as", "c", "--out", "full"}, 2,
                 "is not an empty folder");
}

TEST_F(Exports, NeedsACompilerOfCOrToBeToldToDoWithout) {
  const std::vector<std::string> arguments = {"export",   "--case", (kData / "axpy").string(),
                                              "--as",     "c",      "--out",
                                              "out",      "--size", "check",
                                              "--device", "cpu"};
  const Outcome without = run_with({{"CC", "no-such-compiler"}}, arguments);
  EXPECT_EQ(without.code, 3);
  EXPECT_THAT(without.err, AllOf(HasSubstr("CC is no-such-compiler, which is no program"),
                                 HasSubstr("--no-build writes the sources alone")));
  EXPECT_FALSE(fs::exists(out()));
  std::vector<std::string> told = arguments;
  told.emplace_back("--no-build");
  const Outcome sources = run_with({{"CC", "no-such-compiler"}}, told);
  EXPECT_EQ(sources.code, 0) << sources.err;
  EXPECT_TRUE(fs::exists(out() / "axpy.c"));
  EXPECT_FALSE(fs::exists(out() / "libaxpy.so"));
}

}  // namespace
}  // namespace autokernel::test
