// CUTLASS's kernels, as they are built for comparisons, on the emulated device: each tile
// multiplies two matrices as the host does.
#include "trial/blas/cutlass.h"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <cctype>
#include <cstdlib>
#include <cstring>

#include "autokernel/base/run_to_end.h"
#include "autokernel/base/search_path.h"
#include "autokernel/compile/cuda_libraries.h"
#include "support/full_test.h"
#include "support/scratch_folder.h"

namespace autokernel::trial {
namespace {

namespace fs = std::filesystem;
using cases::DType;
using test::everything_is_wanted;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(CutlassTiles, AreThoseOfTheArchitectureAndTheTypes) {
  EXPECT_THAT(cutlass_tiles("sm_75", DType::bf16, DType::bf16), IsEmpty());
  const auto hopper = cutlass_tiles("sm_90", DType::bf16, DType::f32);
  ASSERT_THAT(hopper, SizeIs(8));
  EXPECT_EQ(hopper[0].configuration, "128x256x64, cluster 2x1, cooperative");
  EXPECT_THAT(hopper[0].defines,
              AllOf(HasSubstr("#define ELEMENT cutlass::bfloat16_t\n"),
                    HasSubstr("#define ELEMENT_OUT float\n"), HasSubstr("#define FOR_HOPPER 1\n")));
  for (const char* other : {"sm_80", "sm_89", "sm_120"}) {
    for (const CutlassTile& tile : cutlass_tiles(other, DType::f16, DType::f16))
      EXPECT_THAT(tile.defines, HasSubstr("#define TENSOR_CORES 1\n")) << other;
  }
  for (const CutlassTile& tile : cutlass_tiles("sm_90", DType::f32, DType::f32))
    EXPECT_THAT(tile.configuration, HasSubstr("without tensor cores"));
}

struct Built {
  std::string name;
  std::string architecture;
  DType dtype;
  CutlassTile tile;
};

void PrintTo(const Built& built, std::ostream* out) { *out << built.tile.configuration; }

[[nodiscard]] std::vector<Built> all_tiles() {
  std::vector<Built> all;
  const auto add = [&](const std::string& name, const std::string& architecture, DType dtype) {
    for (const CutlassTile& tile : cutlass_tiles(architecture, dtype, dtype)) {
      std::string label = name;
      for (const char c : tile.configuration)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) label += c;
      all.push_back({label, architecture, dtype, tile});
    }
  };
  add("Hopper", "sm_90", DType::bf16);
  add("Ampere", "sm_80", DType::f16);
  add("Fp32", "sm_80", DType::f32);
  return all;
}

// What the small runtime is built into gives.
class TileLibrary {
 public:
  TileLibrary(const Built& built, const fs::path& folder) {
    const fs::path library = folder / "tile.so";
    const std::string number = built.architecture == "sm_90" ? "90a" : "80";
    const EndedRun run = run_to_end(
        {.program = find_on_path("nvcc"),
         .arguments = {"-shared", "-O3", "-DNDEBUG", "-std=c++17", "-w", "--expt-relaxed-constexpr",
                       "-Xcompiler", "-fPIC", "--cudart", "none",
                       "-gencode=arch=compute_" + number + ",code=compute_" + number,
                       "-I" + compile::cutlass_headers().string(), "-o", library.string(),
                       (folder / "tile.cu").string(), AUTOKERNEL_SMALL_CUDART, "-ldl"},
         .environment = {}},
        std::chrono::minutes(10), 4000);
    EXPECT_TRUE(run.succeeded()) << run.output;
    library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library_, nullptr) << dlerror();
  }
  template <typename Function>
  [[nodiscard]] Function* function(const char* name) const {
    auto* const found = reinterpret_cast<Function*>(dlsym(library_, name));
    EXPECT_NE(found, nullptr) << name;
    return found;
  }

 private:
  void* library_ = nullptr;
};

// The bits of a small whole number, which all types have exactly.
template <typename Element>
[[nodiscard]] Element element(DType dtype, int value) {
  const auto exact = static_cast<float>(value);
  if (dtype == DType::f32) {
    Element bits{};
    std::memcpy(&bits, &exact, sizeof(bits));
    return bits;
  }
  std::uint32_t wide = 0;
  std::memcpy(&wide, &exact, sizeof(wide));
  if (dtype == DType::bf16) return static_cast<Element>(wide >> 16U);
  if (value == 0) return 0;
  // Of fp16: 5 bits of exponent, with a bias of 15 in place of 127.
  return static_cast<Element>(((wide >> 16U) & 0x8000U) |
                              ((((wide >> 23U) & 0xffU) - 112U) << 10U) | ((wide >> 13U) & 0x3ffU));
}

class TileOfCutlass : public testing::TestWithParam<Built> {
 protected:
  // CUTLASS is that of build/torch, where nobody names another.
  static void SetUpTestSuite() {
    // NOLINTBEGIN(concurrency-mt-unsafe): one thread
    ::setenv("AUTOKERNEL_DRIVER", AUTOKERNEL_EMULATED_DRIVER, 1);
    std::error_code none;
    for (const auto& python : fs::directory_iterator(AUTOKERNEL_SOURCES "/build/torch/lib", none)) {
      const fs::path source = python.path() / "site-packages/cutlass_library/source";
      if (fs::exists(source)) ::setenv("CUTLASS_PATH", source.c_str(), 0);
    }
    // NOLINTEND(concurrency-mt-unsafe)
  }
};

template <typename Element>
void expect_right(const TileLibrary& library, DType dtype) {
  constexpr int m = 256;
  constexpr int n = 512;
  constexpr int k = 192;
  std::vector<int> a(std::size_t{m} * k);
  std::vector<int> b(std::size_t{k} * n);
  // Sums stay below 256, the last whole number that bf16 has all of.
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<int>(i * 7 % 11 == 0) - static_cast<int>(i % 13 == 0);
  for (std::size_t i = 0; i < b.size(); ++i)
    b[i] = static_cast<int>(i * 5 % 17 < 3) - static_cast<int>(i % 7 == 0);
  std::vector<Element> left;
  std::vector<Element> right;
  for (const int value : a) left.push_back(element<Element>(dtype, value));
  for (const int value : b) right.push_back(element<Element>(dtype, value));
  std::vector<Element> got(std::size_t{m} * n);

  auto* const allocate = library.function<int(void**, std::size_t)>("cudaMalloc");
  auto* const copy = library.function<int(void*, const void*, std::size_t, int)>("cudaMemcpy");
  const auto on_device = [&](const std::vector<Element>& values) {
    void* memory = nullptr;
    EXPECT_EQ(allocate(&memory, values.size() * sizeof(Element)), 0);
    EXPECT_EQ(copy(memory, values.data(), values.size() * sizeof(Element), 1), 0);
    return memory;
  };
  void* const d_left = on_device(left);
  void* const d_right = on_device(right);
  void* const d_got = on_device(got);
  unsigned long long bytes = 0;
  const char* const unfit = library.function<const char*(int, int, int, unsigned long long*)>(
      "cutlass_prepare")(m, n, k, &bytes);
  ASSERT_EQ(unfit, nullptr) << unfit;
  void* workspace = nullptr;
  if (bytes > 0) {
    ASSERT_EQ(allocate(&workspace, bytes), 0);
  }
  const char* const failed =
      library.function<const char*(int, int, int, const void*, const void*, void*, void*, void*)>(
          "cutlass_launch")(m, n, k, d_left, d_right, d_got, workspace, nullptr);
  ASSERT_EQ(failed, nullptr) << failed;
  ASSERT_EQ(library.function<int()>("cudaDeviceSynchronize")(), 0);
  ASSERT_EQ(copy(got.data(), d_got, got.size() * sizeof(Element), 2), 0);

  int wrong = 0;
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      int sum = 0;
      for (int depth = 0; depth < k; ++depth)
        sum += a[static_cast<std::size_t>(row) * k + static_cast<std::size_t>(depth)] *
               b[static_cast<std::size_t>(depth) * n + static_cast<std::size_t>(column)];
      wrong += got[static_cast<std::size_t>(row) * n + static_cast<std::size_t>(column)] !=
               element<Element>(dtype, sum);
    }
  }
  EXPECT_EQ(wrong, 0) << "of " << m * n;
}

TEST_P(TileOfCutlass, MultipliesOnTheEmulatedDevice) {
  if (find_on_path("nvcc").empty() || compile::cutlass_headers().empty())
    GTEST_SKIP() << "there is no nvcc, or no CUTLASS";
  // Each takes nvcc 10 to 40 seconds.
  const Built& built = GetParam();
  if (!everything_is_wanted() && built.name != "Ampere64x64x64warpsof32x326stages")
    GTEST_SKIP() << "AUTOKERNEL_TEST_FULL=1 takes it";
  const test::ScratchFolder folder;
  folder.write("tile.cu", built.tile.defines + cutlass_gemm_text());
  const TileLibrary library(built, folder.path());
  if (HasFatalFailure() || HasNonfatalFailure()) return;
  if (built.dtype == DType::f32) {
    expect_right<std::uint32_t>(library, built.dtype);
  } else {
    expect_right<std::uint16_t>(library, built.dtype);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, TileOfCutlass, testing::ValuesIn(all_tiles()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace autokernel::trial
