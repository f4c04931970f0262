// Declarations that are missing or impossible: the reason says what to write, and where.
#include <gmock/gmock.h>

#include "compile/compiled.h"

namespace autokernel::compile {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;
using testing::StartsWith;

// A file whose third line is the declaration.
std::string declaring(const std::string& launches) {
  return "#include <autokernel.cuh>\n\nAUTOKERNEL_LAUNCH(" + launches +
         ");\nextern \"C\" __global__ void f(float* x) { x[0] = 1; }\n";
}

TEST(MissingDeclaration, IsRefusedWithTheLineToWrite) {
  const Refusal result = refusal(
      "#include <autokernel.cuh>\nextern \"C\" __global__ void scale(float* x) { x[0] *= 2; }\n");

  EXPECT_THAT(
      result.reason,
      AllOf(
          HasSubstr("kernel.cu:1: it does not say how to launch its kernel scale"),
          HasSubstr(
              "AUTOKERNEL_LAUNCH({.kernel = \"scale\", .grid = {BLOCKS}, .block = {THREADS}});")));
}

TEST(MissingDeclaration, InAnEmptyFileIsRefused) {
  EXPECT_THAT(refusal("").reason, HasSubstr("it does not say how to launch its kernels"));
}

TEST(MissingDeclaration, IsOneInAnUnnamedNamespace) {
  const Refusal result = refusal(
      "#include <autokernel.cuh>\nnamespace {\nAUTOKERNEL_LAUNCH({.kernel = \"f\"});\n}\n"
      "extern \"C\" __global__ void f(float* x) { x[0] = 1; }\n");

  EXPECT_THAT(result.reason, HasSubstr("outside any unnamed namespace"));
}

TEST(SecondDeclaration, IsRefusedWithItsLine) {
  const Refusal result = refusal(
      "#include <autokernel.cuh>\nAUTOKERNEL_LAUNCH({.kernel = "
      "\"f\"});\nAUTOKERNEL_LAUNCH({.kernel = \"f\"});\n");

  EXPECT_THAT(result.reason, AllOf(StartsWith("kernel.cu:3: error: "),
                                   HasSubstr("AUTOKERNEL_LAUNCH occurs once in all files")));
}

TEST(Declaration, WithoutTheHeaderIsRefusedWithTheInclude) {
  const Refusal result =
      refusal("AUTOKERNEL_LAUNCH({.kernel = \"f\"});\nextern \"C\" __global__ void f() {}\n");

  EXPECT_THAT(result.reason, AllOf(StartsWith("kernel.cu:1: error: "),
                                   HasSubstr("write #include <autokernel.cuh>")));
}

TEST(Declaration, OfAKernelThatIsNotThereNamesThoseThatAre) {
  EXPECT_THAT(refusal(declaring("{.kernel = \"g\"}")).reason,
              StartsWith("kernel.cu:3: AUTOKERNEL_LAUNCH names the kernel \"g\", but the file has "
                         "f; fix the name"));
}

TEST(Declaration, OfAnInstanceThatNothingMakesSaysWhatMakesIt) {
  const auto source = [](const std::string& kernel) {
    return "#include <autokernel.cuh>\ntemplate <int THREADS>\n__global__ void rmsnorm(const "
           "float* x, "
           "float* y) { y[0] = x[THREADS]; }\nAUTOKERNEL_LAUNCH({.kernel = " +
           kernel + "});\n";
  };

  EXPECT_THAT(
      refusal(source("\"rmsnorm<256>\"")).reason,
      AllOf(StartsWith("kernel.cu:4: AUTOKERNEL_LAUNCH names \"rmsnorm<256>\", an instance of "
                       "a template that nothing in the file makes"),
            HasSubstr("write .kernel = autokernel::kernel<&rmsnorm<256>>, below the template")));
  EXPECT_EQ(program(source("autokernel::kernel<&rmsnorm<256>>")).declaration.launches.size(), 1U);
}

TEST(Declaration, OfAnInstanceMayBeWrittenWithoutBlanks) {
  const std::string source =
      "#include <autokernel.cuh>\nAUTOKERNEL_LAUNCH({.kernel = \"f<float,2>\"});\n"
      "template <class T, int N> __global__ void f(T* x) { x[0] = N; }\n"
      "template __global__ void f<float, 2>(float*);\n";

  EXPECT_EQ(program(source).declaration.launches[0].kernel, "_Z1fIfLi2EEvPT_");
}

TEST(Declaration, OfAnOverloadedKernelIsRefused) {
  const Refusal result = refusal(
      "#include <autokernel.cuh>\nAUTOKERNEL_LAUNCH({.kernel = \"g\"});\n"
      "__global__ void g(float* x) { x[0] = 1; }\n__global__ void g(int* x) { x[0] = 1; }\n");

  EXPECT_THAT(result.reason, HasSubstr("write extern \"C\" before __global__"));
}

TEST(Declaration, WithoutAKernelInTheFileIsRefused) {
  EXPECT_THAT(refusal("#include <autokernel.cuh>\nAUTOKERNEL_LAUNCH({.kernel = \"f\"});\n").reason,
              HasSubstr("the file has no __global__ function"));
}

TEST(Declaration, OfNothingIsRefused) {
  EXPECT_THAT(
      refusal(declaring("")).reason,
      StartsWith("kernel.cu:3: AUTOKERNEL_LAUNCH names no kernel; write AUTOKERNEL_LAUNCH({"));
  EXPECT_THAT(refusal(declaring("{.grid = {4}}")).reason,
              StartsWith("kernel.cu:3: launch 1 names no kernel"));
  EXPECT_THAT(refusal(declaring("{.kernel = \"f\"}, {.block = {4}}")).reason,
              StartsWith("kernel.cu:3: launch 2 names no kernel"));
}

std::string so_many_launches(int count) {
  std::string launches = "{.kernel = \"f\"}";
  for (int i = 1; i < count; ++i) launches += ", {.kernel = \"f\"}";
  return declaring(launches);
}

TEST(Declaration, HasUpToSixteenLaunches) {
  EXPECT_EQ(program(so_many_launches(16)).declaration.launches.size(), 16U);
  EXPECT_THAT(refusal(so_many_launches(17)).reason,
              AllOf(StartsWith("kernel.cu:3: error: "), HasSubstr("one to sixteen launches")));
}

TEST(Declaration, WithADimensionOfZeroSaysHowItCameToBe) {
  EXPECT_THAT(
      refusal(declaring("{.kernel = \"f\", .grid = {K / N}}")).reason,
      AllOf(
          StartsWith("kernel.cu:3: launch of \"f\": .grid.x is 0; it must be from 1 to 2147483647"),
          HasSubstr("write (N + TILE - 1) / TILE to round up")));
}

TEST(Declaration, WithAnImpossibleDimensionIsRefused) {
  EXPECT_THAT(refusal(declaring("{.kernel = \"f\", .grid = {1, -3}}")).reason,
              HasSubstr(".grid.y is -3"));
  EXPECT_THAT(refusal(declaring("{.kernel = \"f\", .grid = {1, 65536}}")).reason,
              HasSubstr("it must be from 1 to 65535"));
  EXPECT_THAT(refusal(declaring("{.kernel = \"f\", .block = {2048}}")).reason,
              HasSubstr(".block.x is 2048"));
  EXPECT_THAT(refusal(declaring("{.kernel = \"f\", .block = {64, 64}}")).reason,
              HasSubstr("64 x 64 x 1 = 4096 threads"));
}

TEST(Declaration, WithImpossibleSharedMemoryIsRefused) {
  EXPECT_THAT(refusal(declaring("{.kernel = \"f\", .shared_bytes = 1 << 20}")).reason,
              HasSubstr(".shared_bytes is 1048576"));
  EXPECT_THAT(refusal(declaring("{.kernel = \"f\", .shared_bytes = -1}")).reason,
              HasSubstr(".shared_bytes is -1"));
}

TEST(Declaration, WithANameThatIsTooLongIsRefused) {
  EXPECT_THAT(refusal(declaring("{.kernel = \"" + std::string(64, 'f') + "\"}")).reason,
              HasSubstr("at most 63 characters"));
}

TEST(Declaration, ThatIsNotConstantIsRefused) {
  const Refusal result = refusal(
      "#include <autokernel.cuh>\n__device__ int blocks;\nAUTOKERNEL_LAUNCH({.kernel = \"f\", "
      ".grid = {blocks}});\n");

  EXPECT_THAT(result.reason,
              AllOf(StartsWith("kernel.cu:3: error: "), HasSubstr("use constexpr values")));
}

TEST(Declaration, WithAFieldThatDoesNotExistNamesThoseThatDo) {
  EXPECT_THAT(refusal(declaring("{.kernel = \"f\", .threads = {32}}")).reason,
              HasSubstr("a launch has .kernel, .grid, .block, .shared_bytes, .cluster, "));
}

TEST(Declaration, ThatIsAForgeryIsRefused) {
  const Refusal result = refusal(
      "extern \"C\" __constant__ int autokernel_launch[124] = {1, 2, 3};\nextern \"C\" __global__ "
      "void f(float* x) {}\n");

  EXPECT_THAT(result.reason, HasSubstr("autokernel_launch"));
}

// A declaration by pointer in line 4, of a template in line 3.
std::string pointing(const std::string& function) {
  return "#include <autokernel.cuh>\n__device__ void helper(float* x) { x[0] = 2; }\n"
         "template <int N, class T> __global__ void scale(T* x) { x[0] *= N; }\n"
         "AUTOKERNEL_LAUNCH({.kernel = autokernel::kernel<&" +
         function + ">, .block = {32}});\n";
}

TEST(Declaration, OfAPointerMakesTheInstanceOfATemplate) {
  const Program made = program(pointing("scale<3, float>"));

  ASSERT_EQ(made.declaration.launches.size(), 1U);
  EXPECT_EQ(made.declaration.launches[0].kernel, "_Z5scaleILi3EfEvPT0_");
  EXPECT_TRUE(made.parameters.contains("_Z5scaleILi3EfEvPT0_"));
}

TEST(Declaration, OfAPointerToNoKernelIsRefused) {
  EXPECT_THAT(refusal(pointing("helper")).reason,
              AllOf(StartsWith("kernel.cu:4: launch 1 names no kernel; "),
                    HasSubstr("with the name of a __global__ function")));
  EXPECT_THAT(refusal(pointing("missing<3>")).reason,
              AllOf(StartsWith("kernel.cu:4: error: "), HasSubstr("missing")));
}

// The declaration stands in line 3.
std::string clustered(const std::string& launch, const std::string& kernel_has = "") {
  return "#include <autokernel.cuh>\n\nAUTOKERNEL_LAUNCH({.kernel = \"f\", .grid = {8, 6}, " +
         launch + "});\nextern \"C\" __global__ void " + kernel_has +
         " f(float* x) { x[0] = 1; }\n";
}

TEST(Cluster, IsTheDeclarationsOrTheKernels) {
  EXPECT_THAT(program(clustered(".cluster = {2, 3}")).declaration.launches[0].cluster,
              ElementsAre(2, 3, 1));
  EXPECT_THAT(program(clustered(".block = {32}", "__cluster_dims__(4, 2, 1)"))
                  .declaration.launches[0]
                  .cluster,
              ElementsAre(4, 2, 1));
  EXPECT_EQ(program(clustered(".cluster = {8, 2}")).declaration.launches[0].cluster[0], 8U);
}

TEST(Cluster, ThatDoesNotFitIsRefusedWithWhatToWrite) {
  EXPECT_THAT(refusal(clustered(".cluster = {3}")).reason,
              AllOf(StartsWith("kernel.cu:3: launch of \"f\": .grid.x is 8, and a cluster has 3 "
                               "blocks along it"),
                    HasSubstr("round it up")));
  EXPECT_THAT(refusal(clustered(".cluster = {8, 3}")).reason,
              HasSubstr(".cluster has 8 x 3 x 1 = 24 blocks; write at most 16"));
  EXPECT_THAT(refusal(clustered(".cluster = {32}")).reason,
              HasSubstr(".cluster.x is 32; it must be from 1 to 16"));
  EXPECT_THAT(
      refusal(clustered(".cluster = {2}", "__cluster_dims__(4, 2, 1)")).reason,
      HasSubstr(".cluster has 2 x 1 x 1 blocks, but __cluster_dims__ of the kernel says 4 x "
                "2 x 1; leave one of them out"));
  EXPECT_THAT(refusal(clustered(".cluster = {4}", "__launch_bounds__(128, 1, 2)")).reason,
              HasSubstr("__launch_bounds__ of the kernel promises at most 2"));
}

TEST(Cluster, TakesAnArchitectureThatHasThem) {
  const auto reason_for_ampere = [](const std::string& source) {
    const Compilation result =
        Compiler::open().compile({{"kernel.cu", source}, "sm_80", {{"M", 1}}});
    return std::holds_alternative<Refusal>(result) ? std::get<Refusal>(result).reason : "";
  };
  EXPECT_THAT(reason_for_ampere(clustered(".cluster = {2}")),
              HasSubstr("a cluster takes compute capability 9.0, and the kernel is compiled for "
                        "sm_80; leave it out"));
  EXPECT_THAT(reason_for_ampere(declaring("{.kernel = \"f\"}, {.kernel = \"f\", .programmatic = "
                                          "true}")),
              HasSubstr(".programmatic takes compute capability 9.0"));
  EXPECT_EQ(reason_for_ampere(declaring("{.kernel = \"f\", .cooperative = true}")), "");
}

TEST(Declaration, OfLaunchesThatOverlapIsRefusedWhereTheyCannot) {
  EXPECT_THAT(refusal(declaring("{.kernel = \"f\", .programmatic = true}")).reason,
              AllOf(StartsWith("kernel.cu:3: launch of \"f\": .programmatic is of a launch with "
                               "another one above it"),
                    HasSubstr("leave it out of the first")));
  EXPECT_THAT(refusal(declaring("{.kernel = \"f\"}, {.kernel = \"f\", .cooperative = true, "
                                ".programmatic = true}"))
                  .reason,
              HasSubstr(".programmatic and .cooperative exclude each other"));
  EXPECT_TRUE(program(declaring("{.kernel = \"f\"}, {.kernel = \"f\", .programmatic = true}"))
                  .declaration.launches[1]
                  .programmatic);
}

TEST(Declaration, WithFieldsInAnotherOrderSaysTheOrder) {
  EXPECT_THAT(refusal(declaring("{.kernel = \"f\", .cluster = {1}, .grid = {1}}")).reason,
              HasSubstr("the order is .kernel, .grid, .block, .shared_bytes, .cluster"));
}

constexpr const char* kMapOfX = "AUTOKERNEL_TENSOR_MAP(tile, {.tensor = \"x\", .box = {32, 8}});";

TEST(TensorMap, IsReadAsItWasWritten) {
  const Program made =
      program(with_kernel("AUTOKERNEL_TENSOR_MAP(first, {.tensor = \"x\", .box = {K, 8}, .swizzle "
                          "= 64, .interleave = 16, "
                          ".l2_promotion = 128, .oob_fill = \"nan\", .element_strides = {1, 2}, "
                          ".view = {.dims = {M, N, "
                          "3}, .strides = {7, 8}, .offset = 9}, .type = \"tf32\"});\n"
                          "AUTOKERNEL_TENSOR_MAP(second, {.tensor = \"workspace\", .im2col = {{-1, "
                          "-2}, {3, 4}, 16, 32}});",
                          "x[0] = 1;"));

  ASSERT_EQ(made.declaration.tensor_maps.size(), 2U);
  const TensorMap& first = made.declaration.tensor_maps[0];
  EXPECT_EQ(first.name, "first");
  EXPECT_EQ(first.place, "kernel.cu:2: ");
  EXPECT_EQ(first.tensor, "x");
  EXPECT_THAT(first.box, ElementsAre(16, 8, 0, 0, 0));
  EXPECT_EQ(first.swizzle, 64);
  EXPECT_EQ(first.interleave, 16);
  EXPECT_EQ(first.l2_promotion, 128);
  EXPECT_EQ(first.oob_fill, "nan");
  EXPECT_THAT(first.element_strides, ElementsAre(1, 2, 0, 0, 0));
  EXPECT_THAT(first.view.dims, ElementsAre(64, 32, 3, 0, 0));
  EXPECT_THAT(first.view.strides, ElementsAre(7, 8, 0, 0));
  EXPECT_EQ(first.view.offset, 9);
  EXPECT_EQ(first.type, "tf32");
  const TensorMap& second = made.declaration.tensor_maps[1];
  EXPECT_EQ(second.oob_fill, "zeros");
  EXPECT_THAT(second.im2col.lower, ElementsAre(-1, -2, 0));
  EXPECT_THAT(second.im2col.upper, ElementsAre(3, 4, 0));
  EXPECT_EQ(second.im2col.channels, 16);
  EXPECT_EQ(second.im2col.pixels, 32);
}

TEST(TensorMap, IsAParameterBehindThePointers) {
  const auto wrong = [](const std::string& parameters) {
    const std::string source =
        "#include <autokernel.cuh>\n#include <cuda.h>\n" + std::string(kMapOfX) +
        "\nAUTOKERNEL_LAUNCH({.kernel = \"f\"});\nextern \"C\" __global__ void f(" + parameters +
        ") {}\n";
    return wrong_parameters(program(source), {{"x", "float* x"}}, {"kernel.cu", source});
  };

  EXPECT_EQ(wrong("float* x, const __grid_constant__ CUtensorMap tile"), std::nullopt);
  EXPECT_THAT(wrong("float* x"),
              Optional(AllOf(StartsWith("kernel.cu:5: the kernel f has 1 parameter and is given 2"),
                             HasSubstr("then each AUTOKERNEL_TENSOR_MAP: write f(float* x, const "
                                       "__grid_constant__ CUtensorMap tile)"))));
  EXPECT_THAT(
      wrong("float* x, const CUtensorMap* tile"),
      Optional(HasSubstr("has a parameter 2 (\"const CUtensorMap* tile\") of 8 bytes that is "
                         "no CUtensorMap")));
  EXPECT_THAT(wrong("const __grid_constant__ CUtensorMap tile, float* x"),
              Optional(HasSubstr("of 128 bytes that is no pointer")));
}

TEST(TensorMap, ThatIsWrittenWronglySaysHowToWriteIt) {
  const auto said = [](const std::string& map) { return refusal(with_kernel(map, "")).reason; };
  EXPECT_THAT(said("AUTOKERNEL_TENSOR_MAP(tile, .tensor = \"x\", .box = {32});"),
              HasSubstr("write the fields in braces"));
  EXPECT_THAT(said("AUTOKERNEL_TENSOR_MAP(\"tile\", {.tensor = \"x\", .box = {32}});"),
              HasSubstr("write the name of the map without quotes"));
  EXPECT_THAT(said("AUTOKERNEL_TENSOR_MAP(tile, {.tensor = x, .box = {32}});"),
              HasSubstr("write the tensor's name in quotes: .tensor = \"x\""));
  const auto field = [&](const std::string& text) {
    return said("AUTOKERNEL_TENSOR_MAP(tile,\n  {.tensor = \"x\", .box = {32}, " + text + "});");
  };
  EXPECT_THAT(field(".swizzle = \"128B\""), HasSubstr(".swizzle = 128"));
  EXPECT_THAT(field(".swizzle = CU_TENSOR_MAP_SWIZZLE_128B"), HasSubstr("write .swizzle in bytes"));
  EXPECT_THAT(field(".interleave = CU_TENSOR_MAP_INTERLEAVE_NONE"),
              HasSubstr("write .interleave in bytes"));
  EXPECT_THAT(field(".l2_promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_128B"),
              HasSubstr("write .l2_promotion in bytes"));
  EXPECT_THAT(field(".oob_fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE"),
              HasSubstr("\"zeros\" or \"nan\""));
  const std::string map = "AUTOKERNEL_TENSOR_MAP(tile, {.tensor = \"x\", .box = {32}});\n";
  EXPECT_THAT(said(map + map), HasSubstr("give each tensor map a name of its own"));
}

TEST(Launch, WhoseArgumentsAreAListSaysHowToWriteThem) {
  EXPECT_THAT(refusal("#include <autokernel.cuh>\nAUTOKERNEL_LAUNCH({.kernel = \"f\", .arguments = "
                      "{\"x\", \"y\"}});\nextern \"C\" __global__ void f(float* x) {}\n")
                  .reason,
              HasSubstr("write .arguments as one text"));
}

TEST(TensorMap, WithAWrongFieldSaysWhichThereAre) {
  EXPECT_THAT(refusal(with_kernel("AUTOKERNEL_TENSOR_MAP(tile, {.tensor = \"x\", .tile = {32}});",
                                  "x[0] = 1;"))
                  .reason,
              AllOf(StartsWith("kernel.cu:2: error: "),
                    HasSubstr("a tensor map has .tensor, .box, .swizzle")));
  EXPECT_THAT(refusal(with_kernel("AUTOKERNEL_TENSOR_MAP(tile, {.box = {32}, .tensor = \"x\"});",
                                  "x[0] = 1;"))
                  .reason,
              HasSubstr("the order is"));
  EXPECT_THAT(
      refusal(with_kernel(std::string(kMapOfX) + " " +
                              "AUTOKERNEL_TENSOR_MAP(other, {.tensor = \"x\", .box = {1}});",
                          "x[0] = 1;"))
          .reason,
      HasSubstr("the tensor maps"));
  EXPECT_THAT(refusal(with_kernel(std::string(kMapOfX) + "\n" + kMapOfX, "x[0] = 1;")).reason,
              StartsWith("kernel.cu:3: error: "));
}

TEST(TensorMap, ThatIsAForgeryIsRefused) {
  EXPECT_THAT(
      refusal(with_kernel("extern \"C\" __constant__ int autokernel_tensor_map_x[88] = {1};",
                          "x[0] = 1;"))
          .reason,
      HasSubstr("its autokernel_tensor_map_x is not one that the macro AUTOKERNEL_TENSOR_MAP"));
}

TEST(Workspace, OfNoBytesIsRefused) {
  EXPECT_THAT(refusal(with_kernel("AUTOKERNEL_WORKSPACE(0);", "x[0] = 1;")).reason,
              StartsWith("kernel.cu:2: the workspace has 0 bytes; it must have from 1 to"));
}

TEST(Workspace, DeclaredTwiceIsRefused) {
  EXPECT_THAT(
      refusal(with_kernel("AUTOKERNEL_WORKSPACE(1);\nAUTOKERNEL_WORKSPACE(2);", "x[0] = 1;"))
          .reason,
      AllOf(StartsWith("kernel.cu:3: error: "), HasSubstr("AUTOKERNEL_WORKSPACE occurs once")));
}

TEST(Workspace, OfMoreThanAGibibyteIsRefused) {
  EXPECT_THAT(
      refusal(with_kernel("AUTOKERNEL_WORKSPACE((1LL << 30) + 1);", "x[0] = 1;")).reason,
      StartsWith("kernel.cu:2: the workspace has 1073741825 bytes; it must have from 1 to"));
}

TEST(MissingDeclaration, InAFileWithoutTheHeaderNamesItsFirstLine) {
  EXPECT_THAT(
      refusal("\n\nextern \"C\" __global__ void f(float* x) { x[0] = 1; }\n").reason,
      StartsWith("kernel.cu:1: it does not say how to launch its kernel f; below #include "));
}

TEST(SharedMemory, ThatIsDeclaredBeyondTheLimitIsRefusedWithItsLine) {
  EXPECT_THAT(refusal(with_kernel("",
                                  "__shared__ float s[75 << 10];\ns[threadIdx.x] = x[0];\n"
                                  "__syncthreads();\nx[1] = s[7];"))
                  .reason,
              AllOf(StartsWith("kernel.cu:5: f declares 307200 bytes of __shared__ memory"),
                    HasSubstr("give its size as .shared_bytes")));
}

// A kernel whose line 3 is the declaration, with 40 KiB of shared memory of its own.
std::string sharing(const std::string& shared_bytes) {
  return "#include <autokernel.cuh>\n\nAUTOKERNEL_LAUNCH({.kernel = \"f\", .block = {32}, "
         ".shared_bytes = " +
         shared_bytes +
         "});\nextern \"C\" __global__ void f(float* x) {\n__shared__ float s[10 << 10];\n"
         "extern __shared__ float d[];\ns[threadIdx.x] = x[0];\nd[threadIdx.x] = x[1];\n"
         "__syncthreads();\nx[2] = s[3] + d[4];\n}\n";
}

TEST(SharedMemory, ThatIsDeclaredAndAskedForMustFitTogether) {
  EXPECT_THAT(refusal(sharing("200 << 10")).reason,
              AllOf(StartsWith("kernel.cu:3: launch of \"f\": the kernel's __shared__ objects have "
                               "40960 bytes and .shared_bytes requests 204800 more"),
                    HasSubstr("a block of sm_90 has at most 232448 in all")));
  EXPECT_EQ(program(sharing("187 << 10")).declaration.launches[0].shared_bytes, 187U << 10U);
}

TEST(SharedMemory, FitsTheArchitectureThatIsCompiledFor) {
  const Compilation result =
      Compiler::open().compile({{"kernel.cu", sharing("100 << 10")}, "sm_86", {{"M", 1}}});

  ASSERT_TRUE(std::holds_alternative<Refusal>(result));
  EXPECT_THAT(std::get<Refusal>(result).reason, HasSubstr("a block of sm_86 has at most 101376"));
}

TEST(Block, LargerThanTheKernelPromisesIsRefused) {
  EXPECT_THAT(
      refusal("#include <autokernel.cuh>\nAUTOKERNEL_LAUNCH({.kernel = \"f\", .block = "
              "{16, 16}});\nextern \"C\" __global__ void __launch_bounds__(128) f(float* x) "
              "{ x[threadIdx.x] = 1; }\n")
          .reason,
      StartsWith("kernel.cu:2: launch of \"f\": .block has 256 threads, but "
                 "__launch_bounds__ of the kernel promises at most 128"));
}

// A hundred values that each thread holds at a time, in blocks of 1024 threads.
std::string greedy(const std::string& bounds) {
  return "#include <autokernel.cuh>\nAUTOKERNEL_LAUNCH({.kernel = \"f\", .block = "
         "{1024}});\nextern "
         "\"C\" __global__ void " +
         bounds +
         " f(float* x) {\nfloat a[100];\nfor (int i = 0; i < 100; ++i) a[i] = x[i + threadIdx.x];\n"
         "__syncthreads();\nfloat s = 0;\nfor (int i = 0; i < 100; ++i) s = s * s + a[99 - i];\n"
         "for (int i = 0; i < 100; ++i) s = s * a[i] + s;\nx[threadIdx.x] = s;\n}\n";
}

TEST(Block, WithMoreRegistersThanThereAreIsRefused) {
  EXPECT_THAT(
      refusal(greedy("")).reason,
      AllOf(StartsWith("kernel.cu:2: launch of \"f\": .block has 1024 threads, and the kernel "
                       "takes "),
            HasSubstr("write __launch_bounds__(1024)")));
  EXPECT_LE(program(greedy("__launch_bounds__(1024)")).resources.at("f").registers, 64U);
}

}  // namespace
}  // namespace autokernel::compile
