// NVRTC itself, on kernels that are right.
#include "autokernel/compile/compiler.h"

#include <gmock/gmock.h>

#include "autokernel/base/error.h"
#include "compile/builtin_headers.h"
#include "compile/compiled.h"
#include "support/scratch_folder.h"

namespace autokernel::compile {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const std::filesystem::path kTree = AUTOKERNEL_SOURCE_DIR;

Program file(const std::string& path, std::int64_t size) {
  const std::string source = test::contents(kTree / path);
  Compilation compilation = Compiler::open().compile(
      {{"kernel.cu", source}, "sm_90a", {{"M", size}, {"N", size}, {"K", size}}});
  if (const auto* refused = std::get_if<Refusal>(&compilation))
    throw std::runtime_error(refused->reason);
  return std::get<Program>(std::move(compilation));
}

// What is wrong with the parameters where there are so many tensors.
std::optional<std::string> wrong(const Program& program, std::size_t tensors) {
  return wrong_parameters(program, std::vector<Argument>(tensors, {"t", "float* t"}),
                          {"kernel.cu", ""});
}

TEST(Compiler, SaysWhichVersionItIsAndWhereItWasFound) {
  const Compiler compiler = Compiler::open();

  EXPECT_THAT(compiler.version(), testing::ContainsRegex("^[0-9]+\\.[0-9]+$"));
  EXPECT_THAT(compiler.library().string(), HasSubstr("libnvrtc.so"));
  EXPECT_FALSE(compiler.include_directories().empty());
}

TEST(Compiler, CompilesMoreThanOnceAndAfterAMove) {
  Compiler first = Compiler::open();
  const Compiler compiler = std::move(first);
  const Request request{
      {"kernel.cu", with_kernel("", "x[0] = K;")}, "sm_90a", {{"M", 1}, {"N", 1}, {"K", 1}}};

  EXPECT_TRUE(std::holds_alternative<Program>(compiler.compile(request)));
  EXPECT_TRUE(std::holds_alternative<Program>(compiler.compile(request)));
}

TEST(Compiler, GivesPtxAndCubinOfOneCompile) {
  const Program result = program(with_kernel("", "x[0] = 1;"));

  EXPECT_THAT(result.ptx, HasSubstr(".entry f("));
  EXPECT_THAT(result.ptx, HasSubstr(".target sm_90a"));
  ASSERT_GT(result.cubin.size(), 4U);
  EXPECT_EQ(result.cubin[1], std::byte{'E'});
  EXPECT_GT(result.seconds, 0);
}

TEST(Compiler, CompilesForOtherArchitectures) {
  const Compilation compilation =
      Compiler::open().compile({{"kernel.cu", with_kernel("", "x[0] = 1;")}, "sm_80", {}});

  EXPECT_THAT(std::get<Program>(compilation).ptx, HasSubstr(".target sm_80"));
}

TEST(Compiler, GivesTheSameImageForTheSameSource) {
  const std::string source = test::contents(kTree / "kernels" / "kernel.cu");

  EXPECT_EQ(program(source).cubin, program(source).cubin);
}

TEST(DefaultKernel, LaunchesOneThreadPerElement) {
  const Program result = file("kernels/kernel.cu", 1024);

  ASSERT_EQ(result.declaration.launches.size(), 1U);
  EXPECT_EQ(result.declaration.launches[0].kernel, "matmul");
  EXPECT_THAT(result.declaration.launches[0].grid, ElementsAre(32, 128, 1));
  EXPECT_THAT(result.declaration.launches[0].block, ElementsAre(32, 8, 1));
  EXPECT_EQ(result.declaration.launches[0].shared_bytes, 0U);
  EXPECT_EQ(result.declaration.workspace_bytes, 0U);
  EXPECT_EQ(wrong(result, 3), std::nullopt);
}

TEST(DefaultKernel, FollowsTheSize) {
  EXPECT_THAT(file("kernels/kernel.cu", 256).declaration.launches[0].grid, ElementsAre(8, 32, 1));
}

TEST(TiledKernel, UsesStaticSharedMemory) {
  const Program result = file("tests/data/kernels/tiled.cu", 1024);

  EXPECT_EQ(result.resources.at("matmul").static_shared_bytes, 4096U);
  EXPECT_EQ(wrong(result, 3), std::nullopt);
}

TEST(VectorisedKernel, AsksForDynamicSharedMemoryByTheSizeOfItsTiles) {
  const Program result = file("tests/data/kernels/vectorised.cu", 1024);

  EXPECT_EQ(result.declaration.launches[0].shared_bytes, 8192U);
  EXPECT_THAT(result.declaration.launches[0].block, ElementsAre(256, 1, 1));
}

TEST(CasesOfTheTests, Compile) {
  EXPECT_EQ(wrong(file("tests/data/elementwise/kernel.cu", 4096), 3), std::nullopt);
  EXPECT_EQ(wrong(file("tests/data/elementwise/reference.cu", 4096), 3), std::nullopt);
  EXPECT_EQ(wrong(file("tests/data/axpy/kernel.cu", 4096), 2), std::nullopt);
  EXPECT_EQ(wrong(file("tests/data/axpy/reference.cu", 4096), 2), std::nullopt);
}

TEST(Launches, MayBeSeveralInOrder) {
  const Program result = program(R"(#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "first", .grid = {M}, .block = {N, K}}, {.kernel = "second"}, {.kernel = "first"},
                  {.kernel = "second", .grid = {1, 2, 3}, .block = {4, 5, 6}, .shared_bytes = 7 * sizeof(float)});
extern "C" __global__ void first(float* x) { x[0] = 1; }
extern "C" __global__ void second(float* x) { x[1] = 1; }
)");

  const std::vector<Launch>& launches = result.declaration.launches;
  ASSERT_EQ(launches.size(), 4U);
  EXPECT_EQ(launches[0].kernel, "first");
  EXPECT_THAT(launches[0].grid, ElementsAre(64, 1, 1));
  EXPECT_THAT(launches[0].block, ElementsAre(32, 16, 1));
  EXPECT_EQ(launches[1].kernel, "second");
  EXPECT_EQ(launches[2].kernel, "first");
  EXPECT_THAT(launches[3].grid, ElementsAre(1, 2, 3));
  EXPECT_THAT(launches[3].block, ElementsAre(4, 5, 6));
  EXPECT_EQ(launches[3].shared_bytes, 28U);
}

TEST(Launches, HaveOneInEveryDimensionThatIsLeftOut) {
  const Program result = program(with_kernel("", "x[0] = 1;"));

  EXPECT_THAT(result.declaration.launches[0].grid, ElementsAre(1, 1, 1));
  EXPECT_THAT(result.declaration.launches[0].block, ElementsAre(32, 1, 1));
}

TEST(Launches, AcceptANameThatTheCompilerMangled) {
  const Program result = program(R"(#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "ns::scale<3>"});
namespace ns { template <int factor> __global__ void scale(float* x) { x[0] *= factor; } }
template __global__ void ns::scale<3>(float*);
)");

  EXPECT_EQ(result.declaration.launches[0].kernel, "_ZN2ns5scaleILi3EEEvPf");
  EXPECT_EQ(wrong(result, 1), std::nullopt);
}

TEST(Launches, MayBeDeclaredInANamespaceAndWithItsConstants) {
  const Program result = program(R"(#include <autokernel.cuh>
namespace tuned {
constexpr int TILE = 8;
AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {M / TILE}});
}
extern "C" __global__ void f(float* x) { x[0] = 1; }
)");

  EXPECT_THAT(result.declaration.launches[0].grid, ElementsAre(8, 1, 1));
}

TEST(Workspace, IsDeclaredInBytesAndNotZeroed) {
  const Program result =
      program(with_kernel("AUTOKERNEL_WORKSPACE(sizeof(float) * M * N);", "x[0] = 1;"));

  EXPECT_EQ(result.declaration.workspace_bytes, 4U * 64 * 32);
  EXPECT_FALSE(result.declaration.workspace_zeroed);
}

TEST(Workspace, MayAskForZeros) {
  const Program result = program(with_kernel("AUTOKERNEL_ZEROED_WORKSPACE(M);", "x[0] = 1;"));

  EXPECT_EQ(result.declaration.workspace_bytes, 64U);
  EXPECT_TRUE(result.declaration.workspace_zeroed);
}

TEST(Parameters, AreOnePointerPerTensorAndOneForTheWorkspace) {
  const Program result = program(with_kernel("AUTOKERNEL_WORKSPACE(64);", "x[0] = 1;"));

  EXPECT_EQ(wrong(result, 0), std::nullopt);
  EXPECT_THAT(wrong(result, 1),
              testing::Optional(HasSubstr(
                  "the kernel f has 1 parameter and is given 2; it takes a pointer for")));
  EXPECT_THAT(wrong(result, 1),
              testing::Optional(
                  HasSubstr("then one for the workspace: write f(float* t, void* workspace)")));
}

TEST(Parameters, ThatAreNoPointersAreWrong) {
  const Program result = program(R"(#include <autokernel.cuh>
struct Three { float v[3]; };
AUTOKERNEL_LAUNCH({.kernel = "f"});
extern "C" __global__ void f(float* x, int n, Three three) { x[n] = three.v[1]; }
)");

  EXPECT_THAT(result.parameters.at("f"),
              ElementsAre(Parameter{0, 8}, Parameter{8, 4}, Parameter{12, 12}));
  EXPECT_THAT(
      wrong(result, 3),
      testing::Optional(HasSubstr("the kernel f has a parameter 2 of 4 bytes that is no pointer")));
}

TEST(Parameters, AreCalledWrongByWhatTheSourceCallsThem) {
  const std::string source = R"(#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "f"});
extern "C" __global__ void __launch_bounds__(32)
    f(float* x, unsigned n) { x[n] = 1; }
)";

  EXPECT_EQ(
      wrong_parameters(program(source), {{"x", "float* x"}, {"y", "float* y"}},
                       {"kernel.cu", source}),
      "kernel.cu:4: the kernel f has a parameter 2 (\"unsigned n\") of 4 bytes that is no "
      "pointer; it takes a pointer for each tensor of case.toml, in that order: write f(float* "
      "x, float* y)");
}

TEST(Parameters, MayBeAnythingThatHasTheBytesOfAPointer) {
  const std::string source = R"(#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "f"});
struct View { float* data; };
extern "C" __global__ void f(const float4* __restrict__ x, void* y, View z, unsigned long long w,
                             const __grid_constant__ View v, __grid_constant__ const float* const u) {
  *(float4*)y = *x;
  z.data[1] = *(float*)w + v.data[1] + *u;
}
)";

  EXPECT_EQ(
      wrong_parameters(program(source),
                       {{"a", "a"}, {"b", "b"}, {"c", "c"}, {"d", "d"}, {"e", "e"}, {"f", "f"}},
                       {"kernel.cu", source}),
      std::nullopt);
}

TEST(Parameters, ThatTogetherHaveTheBytesOfPointersAreWrong) {
  const std::string source = R"(#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "f"});
struct Two { float* a; float* b; };
extern "C" __global__ void f(Two two) { *two.a = *two.b; }
)";

  EXPECT_THAT(wrong_parameters(program(source), {{"a", "a"}, {"b", "b"}}, {"kernel.cu", source}),
              testing::Optional(HasSubstr("has 1 parameter and is given 2")));
}

TEST(Parameters, MayBeScalars) {
  const auto wrong_with = [](const std::string& parameters) {
    const std::string source =
        "#include <autokernel.cuh>\nAUTOKERNEL_LAUNCH({.kernel = \"f\"});\n"
        "AUTOKERNEL_WORKSPACE(16);\nextern \"C\" __global__ void f(" +
        parameters + ") {}\n";
    return wrong_parameters(program(source),
                            {{"x", "float* x"},
                             {"alpha", "float alpha", 4},
                             {"n", "unsigned char n", 1},
                             {"k", "int k", 4}},
                            {"kernel.cu", source});
  };

  EXPECT_EQ(wrong_with("float* x, float alpha, unsigned char n, int k, void* work"), std::nullopt);
  EXPECT_THAT(
      wrong_with("float* x, double alpha, unsigned char n, int k, void* work"),
      testing::Optional(AllOf(
          HasSubstr("has a parameter 2 (\"double alpha\") of 8 bytes that is no \"float alpha\""),
          HasSubstr(
              "then each scalar by value, then one for the workspace: write f(float* x, float "
              "alpha, unsigned char n, int k, void* workspace)"))));
  EXPECT_THAT(wrong_with("float* x, void* work, float alpha, unsigned char n, int k"),
              testing::Optional(HasSubstr("that is no \"float alpha\"")));
  EXPECT_THAT(wrong_with("float* x, float alpha, int n, int k, void* work"),
              testing::Optional(HasSubstr("of 4 bytes that is no \"unsigned char n\"")));
}

// What is wrong with a kernel of these parameters whose launch names those arguments, in a case of
// two tensors, a scalar and two sizes; with a workspace and a tensor map.
std::optional<std::string> wrong_with_arguments(const std::string& parameters,
                                                const std::string& arguments) {
  const std::string source =
      "#include <autokernel.cuh>\nAUTOKERNEL_LAUNCH({.kernel = \"f\", .arguments = \"" + arguments +
      "\"});\nAUTOKERNEL_WORKSPACE(16);\nAUTOKERNEL_TENSOR_MAP(tile, {.tensor = \"x\", .box = "
      "{8}});\nextern \"C\" __global__ void f(" +
      parameters + ") {}\n";
  return wrong_parameters(program(source),
                          {{"x", "const float* x"},
                           {"y", "float* y"},
                           {"alpha", "float alpha", 4},
                           {"K", "int K", 4, true},
                           {"M", "int M", 4, true}},
                          {"kernel.cu", source});
}

TEST(Arguments, AreThoseThatALaunchNamesInItsOrder) {
  EXPECT_EQ(wrong_with_arguments(
                "int M, long long K, float* y, const __grid_constant__ CUtensorMap a, float alpha, "
                "void* w, const __grid_constant__ CUtensorMap b",
                "M, K,y , tile, alpha, workspace, tile"),
            std::nullopt);
  EXPECT_EQ(wrong_with_arguments("float* y", "y"), std::nullopt);
}

TEST(Arguments, ThatDoNotFitTheKernelAreNamed) {
  EXPECT_THAT(wrong_with_arguments("float* y, int M", "M, y"),
              testing::Optional(
                  StartsWith("kernel.cu:5: the kernel f has a parameter 2 (\"int M\") of 4 bytes "
                             "that is no pointer")));
  EXPECT_THAT(
      wrong_with_arguments("float* y, short M", "y, M"),
      testing::Optional(HasSubstr("it takes what .arguments names: write f(float* y, int M)")));
  EXPECT_THAT(
      wrong_with_arguments("float* y", "z"),
      testing::Optional(HasSubstr("kernel.cu:2: launch of \"f\": .arguments names \"z\"; there "
                                  "are x, y, alpha, workspace, tile, K, M")));
  EXPECT_THROW(static_cast<void>(wrong_with_arguments("float* y", "y,,x")), std::runtime_error);
}

TEST(Parameters, MayBeNone) {
  const Program result = program(
      "#include <autokernel.cuh>\nAUTOKERNEL_LAUNCH({.kernel = \"f\"});\nextern \"C\" __global__ "
      "void f() {}");

  EXPECT_EQ(wrong(result, 0), std::nullopt);
  EXPECT_THAT(wrong(result, 1), testing::Optional(HasSubstr("has 0 parameters and is given 1")));
}

TEST(SizesOfTheCase, AreIntsThatFormulasOfTheKernelCanUse) {
  const Program result = program(
      with_kernel("static_assert(M == 64 && N == 32 && K == 16);\n"
                  "template <class T> struct IsInt { static constexpr bool value = false; };\n"
                  "template <> struct IsInt<const int> { static constexpr bool value = true; };\n"
                  "static_assert(IsInt<decltype(M)>::value);\n__shared__ float tile[N][K];",
                  "tile[threadIdx.x][2] = x[0]; __syncthreads(); x[M] = max(N, (int)threadIdx.x) + "
                  "tile[threadIdx.y][2];"));

  EXPECT_EQ(result.resources.at("f").static_shared_bytes, 4U * 32 * 16);
}

TEST(SizesOfTheCase, AreLongWhereAnIntIsTooSmall) {
  EXPECT_THAT(sizes_header({{"E", 2147483648}, {"F", 2147483647}}),
              HasSubstr("long long E = 2147483648;\ninline constexpr int F = 2147483647;"));
}

TEST(TypesOfTheCase, AreTypesOfTheKernel) {
  const Compiler compiler = Compiler::open();
  Request request;
  request.source = {"kernel.cu",
                    "#include <autokernel.cuh>\n"
                    "AUTOKERNEL_LAUNCH({.kernel = \"f\", .grid = {1}, .block = {32}});\n"
                    "extern \"C\" __global__ void f(TYPE* x) { static_assert(sizeof(TYPE) == N);\n"
                    "x[threadIdx.x] = static_cast<TYPE>(1.5f); }\n",
                    {}};
  request.architecture = "sm_90";
  for (const auto& [type, bytes] :
       std::map<std::string, int>{{"float", 4}, {"__half", 2}, {"__nv_bfloat16", 2}}) {
    request.sizes = {{"N", bytes}};
    request.types = {{"TYPE", type}};
    EXPECT_TRUE(std::holds_alternative<Program>(compiler.compile(request))) << type;
  }
  request.types = {{"TYPE", "double"}};
  EXPECT_TRUE(std::holds_alternative<Refusal>(compiler.compile(request)));
}

TEST(Resources, AreThoseOfEachKernel) {
  const Program result =
      program(with_kernel("",
                          "float v[64]; for (int i = 0; i < 64; ++i) v[(int)x[i] & 63] = x[i]; "
                          "x[0] = v[(int)x[70] & 63];"));

  const Resources& resources = result.resources.at("f");
  EXPECT_GT(resources.registers, 0U);
  EXPECT_EQ(resources.local_bytes, 256U);
  EXPECT_EQ(resources.spill_bytes, 0U);
  EXPECT_EQ(resources.static_shared_bytes, 0U);
}

TEST(Resources, CountSpilledBytes) {
  const Program result = program(R"(#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "f", .block = {1024}});
extern "C" __global__ void __launch_bounds__(1024, 2) f(float* x) {
  float v[96];
  for (int i = 0; i < 96; ++i) v[i] = x[i * 1024 + threadIdx.x];
  __syncthreads();
  for (int round = 0; round < 8; ++round)
    for (int i = 0; i < 96; ++i) v[i] = fmaf(v[i], v[(i * 7 + 1) % 96], v[(i * 5 + 2) % 96]);
  for (int i = 0; i < 96; ++i) x[i * 1024 + threadIdx.x] = v[i];
}
)");

  EXPECT_EQ(result.resources.at("f").registers, 32U);
  EXPECT_GT(result.resources.at("f").spill_bytes, 0U);
}

TEST(Headers, OfCudaAreThere) {
  EXPECT_NO_THROW(static_cast<void>(
      program(with_kernel("#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include <mma.h>\n"
                          "#include <cuda/std/cstdint>",
                          "cuda::std::uint32_t n = 1; x[n] = 0;"))));
}

TEST(Architecture, ThatIsMisspeltIsAnErrorOfUsage) {
  const Compiler compiler = Compiler::open();
  const auto compiling_for = [&](const std::string& architecture) {
    return [&compiler, architecture] {
      static_cast<void>(compiler.compile({{"kernel.cu", with_kernel("", "")}, architecture, {}}));
    };
  };

  EXPECT_THAT(compiling_for("90a"),
              testing::ThrowsMessage<Error>(HasSubstr("write an architecture such as sm_90a")));
  EXPECT_THAT(compiling_for("sm_"),
              testing::ThrowsMessage<Error>(HasSubstr("write an architecture")));
  EXPECT_THAT(compiling_for("sm_9a0"),
              testing::ThrowsMessage<Error>(HasSubstr("write an architecture")));
  EXPECT_THAT(compiling_for("sm_90 -I/etc"),
              testing::ThrowsMessage<Error>(HasSubstr("write an architecture")));
}

TEST(Architecture, ThatNvrtcDoesNotKnowIsAnErrorThatNamesThoseItKnows) {
  EXPECT_THAT(
      [] {
        static_cast<void>(
            Compiler::open().compile({{"kernel.cu", with_kernel("", "")}, "sm_20", {}}));
      },
      testing::ThrowsMessage<Error>(
          testing::AllOf(HasSubstr("cannot compile for sm_20"), HasSubstr("sm_90"))));
}

}  // namespace
}  // namespace autokernel::compile
