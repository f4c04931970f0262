// What a kernel takes is read from its image, whatever its source or its PTX look like.
#include "compile/kernel_info.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "compile/compiled.h"
#include "compile/ptxas_report.h"
#include "support/present.h"

namespace autokernel::compile {
namespace {

using testing::ElementsAre;
using testing::Optional;

Program compiled_for(const std::string& architecture, const std::string& source) {
  Compilation compilation = Compiler::open().compile({{"kernel.cu", source}, architecture, {}});
  if (const auto* refusal = std::get_if<Refusal>(&compilation))
    throw std::runtime_error(refusal->reason);
  return std::get<Program>(std::move(compilation));
}

KernelInfo info_of(const Program& program, const std::string& kernel) {
  return kernel_info(Elf(program.cubin), kernel);
}

constexpr const char* kSource = R"(#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "f", .block = {64}, .shared_bytes = 512});
struct Big { long long words[1200]; };
extern __shared__ int dynamic[];
extern "C" __global__ void __launch_bounds__(96) f(char a, const float* b, short c, Big d, float* x) {
  __shared__ int own[40];
  float kept[200];
  for (int i = 0; i < 200; ++i) kept[i] = b[i];
  own[threadIdx.x % 40] = kept[static_cast<unsigned>(c) % 200];
  dynamic[threadIdx.x] = a;
  __syncthreads();
  x[threadIdx.x] = own[5] + dynamic[6] + b[c] + d.words[c];
}
extern "C" __global__ void none() {}
)";

TEST(KernelInfo, HasTheOffsetsAndSizesOfParametersOfEverySize) {
  EXPECT_THAT(info_of(compiled_for("sm_90a", kSource), "f").parameters,
              ElementsAre(Parameter{0, 1}, Parameter{8, 8}, Parameter{16, 2}, Parameter{24, 9600},
                          Parameter{9624, 8}));
}

TEST(KernelInfo, OfAKernelWithoutParametersHasNone) {
  EXPECT_TRUE(info_of(compiled_for("sm_90a", kSource), "none").parameters.empty());
}

TEST(KernelInfo, HasTheThreadsThatTheKernelPromises) {
  const Program program = compiled_for("sm_90a", kSource);

  EXPECT_THAT(info_of(program, "f").most_threads, Optional(ElementsAre(96U, 1U, 1U)));
  EXPECT_EQ(info_of(program, "none").most_threads, std::nullopt);
}

TEST(KernelInfo, HasTheClusterThatTheKernelPrescribes) {
  const Program program = compiled_for("sm_90a", R"(#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {6, 4}});
extern "C" __global__ void __cluster_dims__(3, 2, 1) f(float* x) { x[0] = 1; }
extern "C" __global__ void __launch_bounds__(128, 1, 7) g(float* x) { x[0] = 1; }
)");

  EXPECT_THAT(info_of(program, "f").cluster, Optional(ElementsAre(3U, 2U, 1U)));
  EXPECT_EQ(info_of(program, "f").most_blocks_per_cluster, 0U);
  EXPECT_EQ(info_of(program, "g").cluster, std::nullopt);
  EXPECT_EQ(info_of(program, "g").most_blocks_per_cluster, 7U);
}

class KernelInfoFor : public testing::TestWithParam<const char*> {};

TEST_P(KernelInfoFor, SaysOfResourcesWhatPtxasSays) {
  const Program program = compiled_for(GetParam(), kSource);
  const Resources reported = read_ptxas_report(program.log).resources.at("f");
  const KernelInfo info = info_of(program, "f");

  EXPECT_EQ(info.registers, reported.registers);
  EXPECT_EQ(info.static_shared_bytes, reported.static_shared_bytes);
  EXPECT_EQ(info.local_bytes, reported.local_bytes);
  EXPECT_EQ(info.static_shared_bytes, 160U);
  EXPECT_GE(info.local_bytes, 800U);
}
// Before shared memory was reserved, since it is, and with a capsule.
INSTANTIATE_TEST_SUITE_P(Architecture, KernelInfoFor,
                         testing::Values("sm_75", "sm_80", "sm_90a", "sm_100", "sm_120"));

TEST(KernelInfo, IsNotWhatACommentInThePtxShows) {
  const Program program = compiled_for("sm_90a", R"(#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "f"});
extern "C" __global__ void aaa(int* p) {
  asm volatile("// .entry f(.param .u64 a)\n\t.loc 1 1 1\n// .maxntid 1, 1, 1\n{ }\n");
  *p = 1;
}
struct Big { unsigned long long words[32]; };
extern "C" __global__ void f(Big big) { *reinterpret_cast<float*>(big.words[3]) = 1; }
)");

  EXPECT_THAT(program.parameters.at("f"), ElementsAre(Parameter{0, 256}));
}

TEST(KernelInfo, IsNotThatOfAKernelWhoseNameBeginsTheSame) {
  const Program program = compiled_for("sm_90a", R"(#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "f"});
extern "C" __global__ void f_(float* x) { x[0] = 1; }
extern "C" __global__ void f(double value, float* x) { x[0] = value; }
extern "C" __global__ void f_f(float* x, float* y, float* z) { x[0] = y[0] + z[0]; }
)");

  EXPECT_EQ(program.parameters.at("f").size(), 2U);
}

TEST(KernelInfo, IsTheImagesForAKernelThatInlineAssemblyDeclares) {
  const Program program = compiled_for("sm_90a", R"(#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "inner"});
extern "C" __global__ void outer() {
  asm volatile("ret; }\n.visible .entry inner(.param .align 4 .b8 block[200], .param .u64 x)\n"
               ".reqntid 8, 2, 1\n{");
}
)");

  EXPECT_THAT(program.parameters.at("inner"), ElementsAre(Parameter{0, 200}, Parameter{200, 8}));
}

// The bytes of `image` from where the attributes of the kernel f begin.
std::size_t attributes_of_f(const std::vector<std::byte>& image) {
  const Elf elf(image);
  const auto section = std::ranges::find(elf.sections(), ".nv.info.f", &ElfSection::name);
  if (section == elf.sections().end()) throw std::runtime_error("there are no attributes");
  return static_cast<std::size_t>(section->bytes.data() - image.data());
}

TEST(KernelInfo, WithAnyByteOfItsAttributesInvertedIsReadOrRefused) {
  std::vector<std::byte> image = compiled_for("sm_90a", kSource).cubin;
  const std::size_t begin = attributes_of_f(image);
  std::size_t refused = 0;
  for (std::size_t at = begin; at < begin + 100; ++at) {
    image[at] = ~image[at];
    try {
      static_cast<void>(kernel_info(Elf(image), "f"));
    } catch (const BadElf&) {
      ++refused;
    }
    image[at] = ~image[at];
  }

  EXPECT_GT(refused, 30U);
}

TEST(KernelInfo, WhoseParametersDoNotFillWhatALaunchHandsOverIsRefused) {
  std::vector<std::byte> image = compiled_for("sm_90a", kSource).cubin;
  const Elf elf(image);
  const auto info = std::ranges::find(elf.sections(), ".nv.info.f", &ElfSection::name);
  ASSERT_NE(info, elf.sections().end());
  // EIATTR_PARAM_CBANK: its size is in the last two of eight bytes.
  constexpr std::array kHeader = {std::byte{4}, std::byte{0x0a}, std::byte{8}, std::byte{0}};
  const auto found = std::ranges::search(info->bytes, kHeader);
  ASSERT_FALSE(found.empty());
  const auto at = static_cast<std::size_t>(&*found.begin() - image.data());
  image[at + 10] ^= std::byte{8};

  EXPECT_THROW(static_cast<void>(kernel_info(Elf(image), "f")), BadElf);
}

TEST(KernelInfo, OfAKernelThatIsNotThereIsRefused) {
  const Program program = compiled_for("sm_90a", kSource);

  EXPECT_THROW(static_cast<void>(info_of(program, "recursive")), BadElf);
}

}  // namespace
}  // namespace autokernel::compile
