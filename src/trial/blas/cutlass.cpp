#include "trial/blas/cutlass.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/compile/cuda_libraries.h"
#include "trial/blas/cublas_arguments.h"

namespace autokernel::trial {
namespace {

[[nodiscard]] const char* type_name(cases::DType dtype) {
  switch (dtype) {
    case cases::DType::bf16:
      return "cutlass::bfloat16_t";
    case cases::DType::f16:
      return "cutlass::half_t";
    default:  // f32: no product of a library has another (cases/reference.cpp)
      return "float";
  }
}

// What the line "NAME value" becomes for the compiler, for each pair.
[[nodiscard]] std::string defines(
    const std::vector<std::pair<const char*, std::string>>& definitions) {
  std::string text;
  for (const auto& [name, value] : definitions) text += fmt::format("#define {} {}\n", name, value);
  return text;
}

// Of warps that load by TMA and others that multiply by wgmma: with two groups of the latter on one
// tile (cooperative), on two in turn (ping-pong), or with tiles split along K where that fills the
// device (stream-K).
enum class Schedule : std::uint8_t { cooperative, ping_pong, stream_k };

struct HopperTile {
  int m, n;
  int cluster;  // blocks beside each other in M, which share what they load of the right matrix
  Schedule schedule;
};
constexpr int kHopperDepth = 64;  // a row of 128 bytes, TMA's widest swizzle
// For large products first; 64 rows are what fills an H100 or H200 at 1024 x 1024.
constexpr HopperTile kHopperTiles[] = {
    {128, 256, 2, Schedule::cooperative}, {256, 128, 2, Schedule::cooperative},
    {128, 128, 2, Schedule::ping_pong},   {128, 128, 2, Schedule::stream_k},
    {64, 256, 2, Schedule::ping_pong},    {64, 128, 2, Schedule::ping_pong},
    {64, 128, 1, Schedule::ping_pong},    {64, 64, 1, Schedule::ping_pong},
};

[[nodiscard]] CutlassTile made(const HopperTile& tile) {
  const bool is_ping_pong = tile.schedule == Schedule::ping_pong;
  const bool is_stream_k = tile.schedule == Schedule::stream_k;
  const std::string kind = is_ping_pong ? "Pingpong" : "Cooperative";
  return {.configuration =
              fmt::format("{}x{}x{}, cluster {}x1, {}", tile.m, tile.n, kHopperDepth, tile.cluster,
                          is_ping_pong  ? "ping-pong"
                          : is_stream_k ? "stream-K"
                                        : "cooperative"),
          .defines = defines(
              {{"FOR_HOPPER", "1"},
               {"TILE_M", std::to_string(tile.m)},
               {"TILE_N", std::to_string(tile.n)},
               {"TILE_K", std::to_string(kHopperDepth)},
               {"CLUSTER_M", std::to_string(tile.cluster)},
               {"MAINLOOP", "KernelTmaWarpSpecialized" + kind},
               {"EPILOGUE", is_ping_pong ? "TmaWarpSpecialized" : "TmaWarpSpecializedCooperative"},
               {"SCHEDULER", is_stream_k ? "StreamKScheduler" : "PersistentScheduler"}})};
}

struct AmpereTile {
  int m, n, k;
  int warp_m, warp_n;
  int stages;
};
// All fit into the 99 KiB of shared memory that a block has from sm_86 on.
constexpr AmpereTile kTensorCoreTiles[] = {
    {128, 256, 32, 64, 64, 3}, {256, 128, 32, 64, 64, 3}, {128, 128, 32, 64, 64, 5},
    {128, 128, 64, 64, 64, 3}, {128, 64, 64, 64, 32, 4},  {64, 128, 64, 32, 64, 4},
    {64, 64, 64, 32, 32, 6},
};
constexpr AmpereTile kFp32Tiles[] = {
    {256, 128, 8, 64, 64, 4},
    {128, 128, 8, 32, 64, 5},
    {64, 128, 8, 32, 64, 5},
    {64, 64, 8, 32, 32, 5},
};

[[nodiscard]] CutlassTile made(const AmpereTile& tile, bool on_tensor_cores) {
  return {.configuration = fmt::format("{}x{}x{}, warps of {}x{}, {} stages{}", tile.m, tile.n,
                                       tile.k, tile.warp_m, tile.warp_n, tile.stages,
                                       on_tensor_cores ? "" : ", without tensor cores"),
          .defines = defines({{"FOR_HOPPER", "0"},
                              {"TENSOR_CORES", on_tensor_cores ? "1" : "0"},
                              {"TILE_M", std::to_string(tile.m)},
                              {"TILE_N", std::to_string(tile.n)},
                              {"TILE_K", std::to_string(tile.k)},
                              {"WARP_M", std::to_string(tile.warp_m)},
                              {"WARP_N", std::to_string(tile.warp_n)},
                              {"STAGES", std::to_string(tile.stages)}})};
}

// 90 of "sm_90"; 0 where there is no number.
[[nodiscard]] int number_of(const std::string& architecture) {
  int number = 0;
  const std::size_t begin = std::min(architecture.find('_') + 1, architecture.size());
  std::from_chars(architecture.data() + begin, architecture.data() + architecture.size(), number);
  return number;
}

constexpr int kAmpere = 80;
constexpr int kHopper = 90;

// Of a library that was built from our own text, which has it.
template <typename Function>
[[nodiscard]] Function* own_function(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

std::vector<CutlassTile> cutlass_tiles(const std::string& architecture, cases::DType element,
                                       cases::DType output) {
  std::vector<CutlassTile> tiles;
  const int number = number_of(architecture);
  if (number < kAmpere) return tiles;
  if (element == cases::DType::f32) {
    for (const AmpereTile& tile : kFp32Tiles) tiles.push_back(made(tile, false));
  } else if (number == kHopper) {
    for (const HopperTile& tile : kHopperTiles) tiles.push_back(made(tile));
  } else {
    for (const AmpereTile& tile : kTensorCoreTiles) tiles.push_back(made(tile, true));
  }
  const std::string types =
      defines({{"ELEMENT", type_name(element)}, {"ELEMENT_OUT", type_name(output)}});
  for (CutlassTile& tile : tiles) tile.defines += types;
  return tiles;
}

Cutlass::Cutlass(const driver::Device& device, const Wanted& wanted,
                 const std::function<void()>& get_on)
    : product_(wanted.product) {
  const auto tiles = cutlass_tiles(wanted.architecture, wanted.element, wanted.output);
  if (tiles.empty()) {
    throw Error(Stop::environment,
                fmt::format("its kernels need sm_80 or later; this is {}", wanted.architecture));
  }
  const std::filesystem::path headers = compile::cutlass_headers();
  if (headers.empty()) {
    throw Error(Stop::environment,
                "its headers are not there: pip install nvidia-cutlass, or set CUTLASS_PATH to a "
                "checkout of it");
  }
  std::vector<compile::HostProgram> programs;
  for (const CutlassTile& tile : tiles) {
    // wgmma and TMA are of this very architecture alone.
    const bool is_hopper = number_of(wanted.architecture) == kHopper;
    programs.push_back({.file = "cutlass.cu",
                        .text = tile.defines + cutlass_gemm_text(),
                        .sizes = {},
                        .types = {},
                        .architecture = is_hopper ? "sm_90a" : wanted.architecture,
                        .headers = {headers}});
  }
  const auto built =
      compile::build_host_libraries(programs, folder_.path(), wanted.caching, get_on);
  std::string why;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    try {
      if (built[i].library.empty()) throw Error(Stop::environment, built[i].why);
      add(device, tiles[i], built[i].library);
    } catch (const Error& error) {
      why = fmt::format("{}: {}", tiles[i].configuration, error.what());
    }
  }
  if (tiles_.empty()) throw Error(Stop::environment, "no tile of it can be used: " + why);
}

void Cutlass::add(const driver::Device& device, const CutlassTile& tile,
                  const std::filesystem::path& library) {
  // The runtime that is linked into it keeps what it registered.
  void* const loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (loaded == nullptr) throw Error(Stop::environment, dlerror());
  auto* const version = own_function<const char*()>(loaded, "cutlass_version");
  auto* const prepare =
      own_function<const char*(int, int, int, unsigned long long*)>(loaded, "cutlass_prepare");
  auto* const launch = own_function<Launch>(loaded, "cutlass_launch");
  unsigned long long workspace_bytes = 0;
  if (const char* why = prepare(library_int(product_.rows), library_int(product_.columns),
                                library_int(product_.depth), &workspace_bytes))
    throw Error(Stop::environment, why);
  version_ = fmt::format("CUTLASS {}", visible_line(version()));
  Ready ready{.configuration = tile.configuration, .launch = launch, .workspace = {}};
  if (workspace_bytes > 0) ready.workspace = device.allocate(workspace_bytes);
  tiles_.push_back(std::move(ready));
}

void Cutlass::queue(std::size_t tile, const Matrices& matrices,
                    const driver::Stream& stream) const {
  const Ready& ready = tiles_.at(tile);
  const char* const why = ready.launch(
      library_int(product_.rows), library_int(product_.columns), library_int(product_.depth),
      cublas::pointer(matrices.left), cublas::pointer(matrices.right),
      cublas::pointer(matrices.output), cublas::pointer(ready.workspace.address()), stream.get());
  if (why != nullptr)
    throw Error(Stop::environment, fmt::format("{}: {}", ready.configuration, visible_line(why)));
}

}  // namespace autokernel::trial
