// Fat binaries as nvcc makes them, in all the ways a program may hand them over.
#include <cstring>
#include <fstream>

#include "api/emulated_device.h"
#include "fatbin/fatbin_files.h"

namespace emulator::api {
namespace {

using fatbin::testing::fatbin_file;
using fatbin::testing::fatbin_of;
using testing::HasSubstr;

class Images : public EmulatedDevice {
 protected:
  struct Attempt {
    CUresult result;
    CUmodule module;
    std::string log;
  };
  static Attempt attempt(const void* image) {
    Attempt made{CUDA_SUCCESS, nullptr, std::string(4096, '\0')};
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {made.log.data(), std::bit_cast<void*>(made.log.size())};
    made.result = cuModuleLoadDataEx(&made.module, image, 2, options, values);
    made.log.resize(std::bit_cast<std::size_t>(values[1]));
    return made;
  }
  // Runs data/architecture.cu.
  static unsigned architecture_of(CUmodule module) {
    const CUdeviceptr out = allocate(4);
    EXPECT_EQ(launch(kernel(module, "k"), {.block = 1}, out), CUDA_SUCCESS);
    return read(out, 1)[0];
  }
  static unsigned architecture_run(const std::string& file) {
    const Attempt made = attempt(fatbin_file(file).c_str());
    EXPECT_EQ(made.result, CUDA_SUCCESS) << made.log;
    return architecture_of(made.module);
  }
};

// As the runtime's headers declare it (fatbinary_section.h).
struct Wrapper {
  int magic = 0x466243b1;
  int version = 1;
  const void* data;
  const void* const* prelinked = nullptr;
};

TEST_F(Images, RunTheLatestPtxTheDeviceCan) {
  EXPECT_EQ(architecture_run("default"), 900);
  EXPECT_EQ(architecture_run("suffixes"), 900);
}

TEST_F(Images, RunHoweverTheyAreCompressed) {
  EXPECT_EQ(architecture_run("size"), 800);
  EXPECT_EQ(architecture_run("speed"), 800);
  EXPECT_EQ(architecture_run("plain"), 800);
}

TEST_F(Images, AreTakenInTheirWrapper) {
  const std::string image = fatbin_file("default");
  const Wrapper wrapper{.data = image.data()};
  CUmodule module = nullptr;

  EXPECT_EQ(cuModuleLoadFatBinary(&module, &wrapper), CUDA_SUCCESS);
  EXPECT_EQ(architecture_of(module), 900);
  EXPECT_EQ(cuModuleLoadData(&module, &wrapper), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleLoadFatBinary(&module, image.data()), CUDA_SUCCESS);
}

TEST_F(Images, InAWrapperForTheLinkerAreLinked) {
  const std::string image = fatbin_file("speed");
  const void* prelinked[] = {image.data(), nullptr};
  const Wrapper wrapper{.version = 2, .data = nullptr, .prelinked = prelinked};
  CUmodule module = nullptr;

  EXPECT_EQ(cuModuleLoadFatBinary(&module, &wrapper), CUDA_SUCCESS);
  EXPECT_EQ(architecture_of(module), 800);
}

// nvcc -rdc=true links the device runtime with every program; its fat binary has no PTX of sm_90.
TEST_F(Images, ToBeLinkedAreRunWithoutThoseOfMachineCodeAlone) {
  const std::string code = fatbin_file("machine_code");
  const std::string image = fatbin_file("speed");
  const std::string of_later_device = fatbin_of(ptx(".visible .func never() { ret; }"), 121);
  const void* prelinked[] = {code.data(), image.data(), of_later_device.data(), nullptr};
  const Wrapper wrapper{.version = 2, .data = nullptr, .prelinked = prelinked};
  CUmodule module = nullptr;

  EXPECT_EQ(cuModuleLoadFatBinary(&module, &wrapper), CUDA_SUCCESS);
  EXPECT_EQ(architecture_of(module), 800);
  CUlibrary library = nullptr;
  EXPECT_EQ(cuLibraryLoadData(&library, &wrapper, nullptr, nullptr, 0, nullptr, nullptr, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(cuLibraryGetModule(&module, library), CUDA_SUCCESS);
  EXPECT_EQ(architecture_of(module), 800);
  EXPECT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
}

TEST_F(Images, ToBeLinkedThatCallMachineCodeAreRefusedByTheNameOfTheFunction) {
  const std::string code = fatbin_file("machine_code");
  const std::string image = fatbin_of(
      ptx(".extern .func cudaLaunchDevice(); .visible .entry k() { call cudaLaunchDevice; ret; }"),
      90);
  const void* prelinked[] = {image.data(), code.data(), nullptr};
  const Wrapper wrapper{.version = 2, .data = nullptr, .prelinked = prelinked};

  const Attempt made = attempt(&wrapper);

  EXPECT_EQ(made.result, CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(made.log, HasSubstr("'cudaLaunchDevice' is defined nowhere\n"
                                  "not linked: the fat binary has no PTX for sm_90, only sm_90 "
                                  "(machine code)"));
}

TEST_F(Images, ToBeLinkedOfMachineCodeAloneAreForAnotherDevice) {
  const std::string code = fatbin_file("machine_code");
  const void* prelinked[] = {code.data(), code.data(), nullptr};
  const Wrapper wrapper{.version = 2, .data = nullptr, .prelinked = prelinked};

  const Attempt made = attempt(&wrapper);

  EXPECT_EQ(made.result, CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_THAT(made.log, HasSubstr("no PTX for sm_90, only sm_90 (machine code)\nthe fat binary"));
  CUlibrary library = nullptr;
  EXPECT_EQ(cuLibraryLoadData(&library, &wrapper, nullptr, nullptr, 0, nullptr, nullptr, 0),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
}

TEST_F(Images, OfMachineCodeAloneAreForAnotherDevice) {
  const Attempt made = attempt(fatbin_file("machine_code").c_str());

  EXPECT_EQ(made.result, CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(made.log,
            "the fat binary has no PTX for sm_90, only sm_90 (machine code); compile with nvcc "
            "-gencode arch=compute_90,code=compute_90");
}

TEST_F(Images, ThatAreDamagedAreInvalid) {
  std::string image = fatbin_file("speed");
  image[100] ^= 0x55;

  const Attempt made = attempt(image.c_str());

  EXPECT_EQ(made.result, CUDA_ERROR_INVALID_IMAGE);
  EXPECT_THAT(made.log, HasSubstr("damaged fat binary"));
}

TEST_F(Images, AreReadFromFiles) {
  const std::string path = testing::TempDir() + "emulator_image_test.fatbin";
  const std::string image = fatbin_file("default");
  std::ofstream(path, std::ios::binary) << image;
  CUmodule module = nullptr;

  EXPECT_EQ(cuModuleLoad(&module, path.c_str()), CUDA_SUCCESS);
  EXPECT_EQ(architecture_of(module), 900);
  std::ofstream(path, std::ios::binary) << image.substr(0, image.size() - 1);
  EXPECT_EQ(cuModuleLoad(&module, path.c_str()), CUDA_ERROR_INVALID_IMAGE);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace emulator::api
