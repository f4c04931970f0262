#include "compile/toolkit.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ranges>
#include <sstream>
#include <system_error>

#include "autokernel/compile/cuda_libraries.h"

namespace autokernel::compile {
namespace {

using Path = std::filesystem::path;
using Paths = std::vector<Path>;

// A header that every toolkit has; a folder with it is an include folder of CUDA's.
constexpr const char* kMarker = "cuda_fp16.h";

Path variable(const char* name) {
  const char* value =
      std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
  return value == nullptr ? Path{} : Path{value};
}

bool is_there(const Path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

// Entries of a folder, in descending order so that newer versions come first; none where it cannot
// be read.
Paths entries(const Path& folder) {
  std::error_code error;
  Paths found;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    found.push_back(at->path());
  }
  std::ranges::sort(std::ranges::reverse_view(found));
  return found;
}

void append(Paths& to, const Paths& from) { to.insert(to.end(), from.begin(), from.end()); }

// libnvrtc.so, libnvrtc.so.13 and the like; not libnvrtc-builtins.so nor libnvrtc.alt.so.
Paths libraries_in(const Path& folder, const std::string& name) {
  Paths found = entries(folder);
  std::erase_if(found,
                [&](const Path& file) { return !file.filename().string().starts_with(name); });
  return found;
}

Paths libraries_of_toolkit(const Path& root, const std::string& name) {
  Paths found;
  for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib",
                             "extras/CUPTI/lib64"}) {
    append(found, libraries_in(root / folder, name));
  }
  return found;
}

// NVIDIA's wheels unpack into nvidia/<part>/lib, where <part> is cuda_nvrtc or, since CUDA 13,
// cu13.
Paths libraries_of_wheels(const Path& root, const std::string& name) {
  Paths found;
  for (const Path& part : entries(root / "nvidia")) append(found, libraries_in(part / "lib", name));
  return found;
}

Paths toolkit_roots(const SearchPlaces& places) {
  Paths roots;
  if (!places.local.empty()) {
    roots.push_back(places.local / "cuda");
    for (const Path& entry : entries(places.local)) {
      if (entry.filename().string().starts_with("cuda-")) roots.push_back(entry);
    }
  }
  return roots;
}

// Folders above the executable: build/dev/bin/autokernel finds build/dev/cuda-wheels and
// build/cuda-wheels.
Paths wheel_roots(const SearchPlaces& places) {
  constexpr int kLevels = 3;
  Paths roots;
  if (!places.wheels.empty()) roots.push_back(places.wheels);
  Path folder = places.executable.parent_path();
  for (int level = 0; level < kLevels && !folder.empty(); ++level) {
    roots.push_back(folder / "cuda-wheels");
    folder = folder.parent_path();
  }
  return roots;
}

// The first of that name; empty where there is none.
Path on_path(const char* program, const SearchPlaces& places) {
  std::istringstream folders(places.path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty() && is_there(Path(folder) / program)) return Path(folder) / program;
  }
  return {};
}

// Package folders of the python3 that a shell would run, without running it: beside its bin/ (a
// virtual environment), beside the bin/ it is a link into, and those of the user and of the
// machine.
Paths python_roots(const SearchPlaces& places) {
  Paths prefixes;
  if (const Path python = on_path("python3", places); !python.empty()) {
    prefixes.push_back(python.parent_path().parent_path());
    std::error_code ignored;
    prefixes.push_back(std::filesystem::canonical(python, ignored).parent_path().parent_path());
  }
  if (!places.home.empty()) prefixes.push_back(places.home / ".local");
  if (!places.local.empty()) prefixes.push_back(places.local);
  Paths roots;
  for (const Path& prefix : prefixes) {
    for (const Path& version : entries(prefix / "lib")) {
      if (!version.filename().string().starts_with("python3")) continue;
      roots.push_back(version / "site-packages");
      roots.push_back(version / "dist-packages");
    }
  }
  return roots;
}

// A toolkit keeps CCCL (<cuda/std/..>, <cub/..>) one level deeper.
void append_headers(Paths& to, const Path& folder) {
  if (!is_there(folder)) return;
  to.push_back(folder);
  if (is_there(folder / "cccl")) to.push_back(folder / "cccl");
}

Paths headers_of_toolkit(const Path& root) {
  Paths found;
  for (const char* folder :
       {"include", "targets/x86_64-linux/include", "targets/sbsa-linux/include"}) {
    if (found.empty() && is_there(root / folder / kMarker)) append_headers(found, root / folder);
  }
  return found;
}

Paths headers_of_wheels(const Path& root) {
  Paths found;
  const Paths parts = entries(root / "nvidia");
  if (std::ranges::none_of(parts,
                           [](const Path& part) { return is_there(part / "include" / kMarker); })) {
    return found;
  }
  for (const Path& part : parts) append_headers(found, part / "include");
  return found;
}

Paths headers_beside(const Path& library) {
  const Path folder = library.parent_path();
  const Path above = folder.parent_path();
  for (const Path& root : {above, above.parent_path()}) {
    if (Paths found = headers_of_toolkit(root); !found.empty()) return found;
  }
  // .../nvidia/cuda_nvrtc/lib: the headers are spread over the neighbours.
  if (above.parent_path().filename() == "nvidia")
    return headers_of_wheels(above.parent_path().parent_path());
  return {};
}

}  // namespace

SearchPlaces search_places() {
  SearchPlaces places;
  places.cuda_home = variable("CUDA_HOME");
  if (places.cuda_home.empty()) places.cuda_home = variable("CUDA_PATH");
  places.wheels = variable("AUTOKERNEL_CUDA");
  std::error_code ignored;
  places.executable = std::filesystem::read_symlink("/proc/self/exe", ignored);
  places.local = "/usr/local";
  places.home = variable("HOME");
  places.path = variable("PATH").string();
  places.cutlass = variable("CUTLASS_PATH");
  return places;
}

Paths library_candidates(const std::string& name, const SearchPlaces& places) {
  Paths found;
  if (!places.cuda_home.empty()) append(found, libraries_of_toolkit(places.cuda_home, name));
  append(found, {name + ".13", name + ".12", name});
  for (const Path& root : toolkit_roots(places)) append(found, libraries_of_toolkit(root, name));
  for (const Path& root : wheel_roots(places)) append(found, libraries_of_wheels(root, name));
  for (const Path& root : python_roots(places)) append(found, libraries_of_wheels(root, name));
  return found;
}

Paths nvrtc_candidates(const SearchPlaces& places) {
  return library_candidates("libnvrtc.so", places);
}

Paths cublas_candidates() { return library_candidates("libcublas.so", search_places()); }
Paths cublaslt_candidates() { return library_candidates("libcublasLt.so", search_places()); }
Path cutlass_headers() { return find_cutlass(search_places()); }
Paths cupti_candidates() { return library_candidates("libcupti.so", search_places()); }

Paths header_folders(const Path& library, const SearchPlaces& places) {
  std::error_code ignored;
  const Path real = std::filesystem::canonical(library, ignored);
  for (const Path& file : {library, real}) {
    if (Paths found = headers_beside(file); !found.empty()) return found;
  }
  Paths toolkits = toolkit_roots(places);
  if (!places.cuda_home.empty()) toolkits.insert(toolkits.begin(), places.cuda_home);
  for (const Path& root : toolkits) {
    if (Paths found = headers_of_toolkit(root); !found.empty()) return found;
  }
  Paths packages = wheel_roots(places);
  append(packages, python_roots(places));
  for (const Path& root : packages) {
    if (Paths found = headers_of_wheels(root); !found.empty()) return found;
  }
  return {};
}

Path find_nvcc(const SearchPlaces& places) {
  Paths programs;
  if (!places.cuda_home.empty()) programs.push_back(places.cuda_home / "bin/nvcc");
  programs.push_back(on_path("nvcc", places));
  for (const Path& root : toolkit_roots(places)) programs.push_back(root / "bin/nvcc");
  Paths packages = wheel_roots(places);
  append(packages, python_roots(places));
  for (const Path& root : packages) {
    for (const Path& part : entries(root / "nvidia")) programs.push_back(part / "bin/nvcc");
  }
  const auto found = std::ranges::find_if(programs, [](const Path& program) {
    return !program.empty() && ::access(program.c_str(), X_OK) == 0;
  });
  return found == programs.end() ? Path() : *found;
}

HostFolders host_folders(const SearchPlaces& places) {
  HostFolders folders;
  const auto add = [](Paths& to, const Path& folder) {
    if (is_there(folder) && std::ranges::find(to, folder) == to.end()) to.push_back(folder);
  };
  for (const Path& folder : header_folders({}, places)) add(folders.headers, folder);
  for (const char* name : {"libcudart.so", "libcudnn.so", "libcublas.so", "libnvrtc.so"}) {
    for (const Path& library : library_candidates(name, places)) {
      // A bare name is found without.
      if (library.has_parent_path()) add(folders.libraries, library.parent_path());
    }
  }
  Paths packages = wheel_roots(places);
  append(packages, python_roots(places));
  for (const Path& root : packages) {
    for (const Path& part : entries(root / "nvidia")) add(folders.headers, part / "include");
    // nvidia-cudnn-frontend has its headers outside of nvidia/.
    if (is_there(root / "include/cudnn_frontend.h")) add(folders.headers, root / "include");
  }
  return folders;
}

Path find_cutlass(const SearchPlaces& places) {
  Paths folders;
  if (!places.cutlass.empty()) folders = {places.cutlass / "include", places.cutlass};
  Paths packages = wheel_roots(places);
  append(packages, python_roots(places));
  for (const Path& root : packages) folders.push_back(root / "cutlass_library/source/include");
  if (!places.local.empty()) {
    folders.push_back(places.local / "cutlass/include");
    folders.push_back(places.local / "include");
    folders.push_back(places.local.parent_path() / "include");
  }
  const auto found = std::ranges::find_if(
      folders, [](const Path& folder) { return is_there(folder / "cutlass/cutlass.h"); });
  return found == folders.end() ? Path() : *found;
}

}  // namespace autokernel::compile
