// Where NVRTC and CUDA's headers may lie on this machine: names and folders only, nothing is
// opened.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace autokernel::compile {

// What the search depends on. Empty: not set.
struct SearchPlaces {
  std::filesystem::path cuda_home = {};  // $CUDA_HOME, else $CUDA_PATH
  std::filesystem::path wheels = {};  // $AUTOKERNEL_CUDA: a folder that wheels were unpacked into
  std::filesystem::path executable =
      {};  // of this process; a build folder above it may hold cuda-wheels/
  std::filesystem::path local = {};    // /usr/local: holds cuda, cuda-13.0, ..
  std::filesystem::path home = {};     // $HOME, for packages that pip installed for one user
  std::string path = {};               // $PATH, for its python3 and nvcc
  std::filesystem::path cutlass = {};  // $CUTLASS_PATH: a checkout
};
[[nodiscard]] SearchPlaces search_places();

// Libraries to try whose names begin so ("libnvrtc.so"), best first: files that exist, and bare
// names for the loader to find. Their folders are searched in the order of compiler.h. CUDA's
// libraries carry its major version; any from 12 on will do.
[[nodiscard]] std::vector<std::filesystem::path> library_candidates(const std::string& name,
                                                                    const SearchPlaces& places);
[[nodiscard]] std::vector<std::filesystem::path> nvrtc_candidates(const SearchPlaces& places);

// Folders for the compiler's include path, taken from beside the library, else from the other
// places; empty where none holds CUDA's headers.
[[nodiscard]] std::vector<std::filesystem::path> header_folders(
    const std::filesystem::path& library, const SearchPlaces& places);

// The compiler of CUDA programs; empty where there is none.
[[nodiscard]] std::filesystem::path find_nvcc(const SearchPlaces& places);

// What host programs are built with: folders of headers, CUDA's and those of the libraries that
// come in wheels of their own, and folders of libraries. Best first, each once.
struct HostFolders {
  std::vector<std::filesystem::path> headers;
  std::vector<std::filesystem::path> libraries;
};
[[nodiscard]] HostFolders host_folders(const SearchPlaces& places);

// The folder that holds <cutlass/cutlass.h>: of the checkout that is named, of the wheel
// nvidia-cutlass, or of the machine (/usr/local/cutlass, /usr). Empty: none.
[[nodiscard]] std::filesystem::path find_cutlass(const SearchPlaces& places);

}  // namespace autokernel::compile
