// What the machine's CUDA driver says of itself and of its GPUs, for who wants to know why a GPU
// cannot be used: nothing here is an Error. No GPU is opened.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace autokernel::driver {

struct SurveyedGpu {
  std::string name;
  int major = 0;  // compute capability
  int minor = 0;
  std::uint64_t memory_bytes = 0;
  std::string pci_bus_id;  // "0000:1B:00.0"; empty where the driver does not say
};

struct Survey {
  enum class Library : std::uint8_t {
    absent,    // the loader finds none
    unusable,  // it is there, but is not a driver this program can use
    loaded,
  };
  Library library = Library::absent;
  std::string path;      // of the library that was loaded
  std::string trouble;   // why it is absent or unusable
  int cuda_version = 0;  // the newest CUDA it supports, 13000; 0 where it does not say
  int failure_code = 0;  // what the first call that failed returned; 0: none failed
  std::string failure;   // the same in words: "no CUDA-capable device is detected (..., 100)"
  std::string call;      // the call that failed: "cuInit"
  std::vector<SurveyedGpu> gpus;  // in the order in which --device cuda:N counts them
};

[[nodiscard]] Survey survey(const std::filesystem::path& library = "libcuda.so.1");

}  // namespace autokernel::driver
