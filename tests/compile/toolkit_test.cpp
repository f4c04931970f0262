// Where NVRTC is looked for, on made-up file trees.
#include "compile/toolkit.h"

#include <gmock/gmock.h>

#include "support/scratch_folder.h"

namespace autokernel::compile {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Nvrtc, IsLookedForInCudaHomeFirst) {
  const test::ScratchFolder folder;
  const auto library = folder.write("home/lib64/libnvrtc.so.13", "");
  folder.write("local/cuda/lib64/libnvrtc.so", "");

  const auto found =
      nvrtc_candidates({.cuda_home = folder.path() / "home", .local = folder.path() / "local"});

  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front(), library);
  EXPECT_THAT(found, Contains("libnvrtc.so.12"));
  EXPECT_EQ(found.back(), folder.path() / "local/cuda/lib64/libnvrtc.so");
}

TEST(Nvrtc, IsLookedForInVersionedToolkitsNewestFirst) {
  const test::ScratchFolder folder;
  const auto older = folder.write("cuda-12.4/targets/x86_64-linux/lib/libnvrtc.so.12", "");
  const auto newer = folder.write("cuda-13.0/lib64/libnvrtc.so.13", "");

  EXPECT_THAT(nvrtc_candidates({.local = folder.path()}),
              ElementsAre("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", newer, older));
}

TEST(Nvrtc, IsNotItsBuiltinsNorItsAlternative) {
  const test::ScratchFolder folder;
  folder.write("cuda/lib64/libnvrtc-builtins.so.13.0", "");
  folder.write("cuda/lib64/libnvrtc.alt.so.13", "");

  EXPECT_EQ(nvrtc_candidates({.local = folder.path()}).size(), 3U);
}

TEST(Nvrtc, IsLookedForInWheelsBesideTheBuildAndWhereTheEnvironmentSays) {
  const test::ScratchFolder folder;
  const auto named = folder.write("named/nvidia/cu13/lib/libnvrtc.so.13", "");
  const auto beside = folder.write("build/cuda-wheels/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "");

  const auto found = nvrtc_candidates({.wheels = folder.path() / "named",
                                       .executable = folder.path() / "build/dev/bin/autokernel"});

  EXPECT_EQ(found, (std::vector<std::filesystem::path>{"libnvrtc.so.13", "libnvrtc.so.12",
                                                       "libnvrtc.so", named, beside}));
}

TEST(Nvrtc, IsLookedForInThePackagesOfThePythonOnThePath) {
  const test::ScratchFolder folder;
  folder.write("venv/bin/python3", "");
  const auto library =
      folder.write("venv/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "");

  EXPECT_EQ(nvrtc_candidates({.path = "/nowhere:" + (folder.path() / "venv/bin").string()}).at(3),
            library);
}

TEST(Cublas, IsLookedForWhereNvrtcIs) {
  const test::ScratchFolder folder;
  const auto library = folder.write("named/nvidia/cu13/lib/libcublas.so.13", "");
  folder.write("named/nvidia/cu13/lib/libcublasLt.so.13", "");

  EXPECT_THAT(library_candidates("libcublas.so", {.wheels = folder.path() / "named"}),
              ElementsAre("libcublas.so.13", "libcublas.so.12", "libcublas.so", library));
}

TEST(Headers, AreTakenFromTheToolkitOfTheLibrary) {
  const test::ScratchFolder folder;
  const auto library = folder.write("cuda/lib64/libnvrtc.so.13", "");
  folder.write("cuda/include/cuda_fp16.h", "");
  folder.write("cuda/include/cccl/cuda/std/cstdint", "");

  EXPECT_THAT(header_folders(library, {}),
              ElementsAre(folder.path() / "cuda/include", folder.path() / "cuda/include/cccl"));
}

TEST(Headers, OfWheelsAreSpreadOverSeveralFolders) {
  const test::ScratchFolder folder;
  const auto library = folder.write("site/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "");
  folder.write("site/nvidia/cuda_runtime/include/cuda_fp16.h", "");
  folder.write("site/nvidia/cuda_cccl/include/cuda/std/cstdint", "");

  EXPECT_THAT(header_folders(library, {}),
              ElementsAre(folder.path() / "site/nvidia/cuda_runtime/include",
                          folder.path() / "site/nvidia/cuda_cccl/include"));
}

TEST(Headers, AreTakenFromElsewhereWhereTheLibraryHasNone) {
  const test::ScratchFolder folder;
  const auto library = folder.write("somewhere/libnvrtc.so.13", "");
  folder.write("local/cuda/include/cuda_fp16.h", "");

  EXPECT_THAT(header_folders(library, {.local = folder.path() / "local"}),
              ElementsAre(folder.path() / "local/cuda/include"));
}

TEST(Headers, MayBeNowhere) {
  const test::ScratchFolder folder;

  EXPECT_THAT(header_folders(folder.path() / "libnvrtc.so.13", {}), IsEmpty());
}

TEST(Nvcc, IsThatOfCudaHomeOrElseTheFirstThatCanBeRun) {
  const test::ScratchFolder folder;
  const auto program = [&](const char* path) {
    const auto file = folder.write(path, "");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  };
  const auto home = program("home/bin/nvcc");
  const auto on_path = program("path/nvcc");
  const auto wheel = program("wheels/nvidia/cu13/bin/nvcc");
  folder.write("local/cuda/bin/nvcc", "no program");
  SearchPlaces places{.cuda_home = folder.path() / "home",
                      .wheels = folder.path() / "wheels",
                      .local = folder.path() / "local",
                      .path = "/nowhere:" + (folder.path() / "path").string()};

  EXPECT_EQ(find_nvcc(places), home);
  places.cuda_home.clear();
  EXPECT_EQ(find_nvcc(places), on_path);
  places.path.clear();
  EXPECT_EQ(find_nvcc(places), wheel);
  places.wheels.clear();
  EXPECT_EQ(find_nvcc(places), "");
}

TEST(HostPrograms, FindTheHeadersOfEveryWheelAndTheFoldersOfLibraries) {
  const test::ScratchFolder folder;
  const auto site = folder.path() / "python/nvidia";
  folder.write("cuda/include/cuda_fp16.h", "");
  folder.write("cuda/lib64/libcudart.so.13", "");
  folder.write("python/nvidia/cudnn/include/cudnn.h", "");
  folder.write("python/nvidia/cudnn/lib/libcudnn.so.9", "");
  folder.write("python/include/cudnn_frontend.h", "");

  const HostFolders found =
      host_folders({.cuda_home = folder.path() / "cuda", .wheels = folder.path() / "python"});

  EXPECT_THAT(found.headers, ElementsAre(folder.path() / "cuda/include", site / "cudnn/include",
                                         folder.path() / "python/include"));
  EXPECT_THAT(found.libraries, ElementsAre(folder.path() / "cuda/lib64", site / "cudnn/lib"));
}

TEST(Cutlass, IsACheckoutThatIsNamedThenAWheelThenThatOfTheMachine) {
  const test::ScratchFolder folder;
  const auto named = folder.write("named/include/cutlass/cutlass.h", "");
  const auto wheel = folder.write("wheels/cutlass_library/source/include/cutlass/cutlass.h", "");
  const auto machine = folder.write("usr/include/cutlass/cutlass.h", "");
  SearchPlaces places{.wheels = folder.path() / "wheels",
                      .local = folder.path() / "usr/local",
                      .cutlass = folder.path() / "named"};
  const auto headers = [](const std::filesystem::path& file) {
    return file.parent_path().parent_path();
  };
  EXPECT_EQ(find_cutlass(places), headers(named));
  places.cutlass = folder.path() / "named/include";
  EXPECT_EQ(find_cutlass(places), headers(named));
  places.cutlass.clear();
  EXPECT_EQ(find_cutlass(places), headers(wheel));
  places.wheels.clear();
  EXPECT_EQ(find_cutlass(places), headers(machine));
  EXPECT_EQ(find_cutlass({.local = folder.path()}), "");
}

}  // namespace
}  // namespace autokernel::compile
