#include "compile/limits.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "autokernel/compile/source_text.h"
#include "compile/declaration.h"
#include "compile/kernel_names.h"

namespace autokernel::compile {
namespace {

// Shared memory of a block, static and dynamic together, in KiB, as the CUDA programming guide
// lists it by compute capability. An architecture that is not listed is left to the driver.
struct SharedLimit {
  std::string_view architecture;
  std::uint64_t kib;
};
constexpr std::array<SharedLimit, 13> kSharedLimits = {{{"sm_75", 64},
                                                        {"sm_80", 163},
                                                        {"sm_86", 99},
                                                        {"sm_87", 163},
                                                        {"sm_88", 99},
                                                        {"sm_89", 99},
                                                        {"sm_90", 227},
                                                        {"sm_100", 227},
                                                        {"sm_101", 227},
                                                        {"sm_103", 227},
                                                        {"sm_110", 227},
                                                        {"sm_120", 99},
                                                        {"sm_121", 99}}};

// Of the objects that a kernel declares, on every architecture.
constexpr std::uint64_t kMostStaticShared = 48 << 10;

// Of a block, since compute capability 5.0. A warp gets its registers in steps of 256, and warps
// come in fours, one for each part of the multiprocessor.
constexpr std::uint64_t kRegistersOfABlock = 65536;
constexpr std::uint64_t kRegisterStep = 256;
constexpr std::uint64_t kWarp = 32;
constexpr std::uint64_t kWarpStep = 4;

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step * step;
}

std::uint64_t volume(const std::array<std::uint32_t, 3>& extent) {
  return std::uint64_t{extent[0]} * extent[1] * extent[2];
}

std::uint64_t threads_of(const Launch& launch) { return volume(launch.block); }

void require_shared(const Launch& launch, const KernelInfo& kernel, std::string_view architecture,
                    const std::string& place) {
  architecture = architecture.substr(0, architecture.find_last_of("0123456789") + 1);
  for (const SharedLimit& limit : kSharedLimits) {
    const std::uint64_t asked = kernel.static_shared_bytes + launch.shared_bytes;
    if (limit.architecture != architecture || asked <= limit.kib << 10U) continue;
    throw Refused(fmt::format(
        "{}the kernel's __shared__ objects have {} bytes and .shared_bytes requests {} more; a "
        "block of {} has at most {} in all",
        place, kernel.static_shared_bytes, launch.shared_bytes, architecture, limit.kib << 10U));
  }
}

void require_registers(const Launch& launch, const KernelInfo& kernel, const std::string& place) {
  const std::uint64_t per_warp = rounded_up(kernel.registers * kWarp, kRegisterStep);
  const std::uint64_t warps = rounded_up((threads_of(launch) + kWarp - 1) / kWarp, kWarpStep);
  if (per_warp * warps <= kRegistersOfABlock) return;
  throw Refused(fmt::format(
      "{}.block has {} threads, and the kernel takes {} registers for each; a block has {} "
      "registers: write __launch_bounds__({}) before the kernel's name, or choose a smaller block",
      place, threads_of(launch), kernel.registers, kRegistersOfABlock, threads_of(launch)));
}

void require_bounds(const Launch& launch, const KernelInfo& kernel, const std::string& place) {
  if (!kernel.most_threads) return;
  const std::uint64_t allowed = volume(*kernel.most_threads);
  if (threads_of(launch) <= allowed) return;
  throw Refused(fmt::format(
      "{}.block has {} threads, but __launch_bounds__ of the kernel promises at most {}; make both "
      "the same constant",
      place, threads_of(launch), allowed));
}

std::string text_of(const std::array<std::uint32_t, 3>& extent) {
  return fmt::format("{} x {} x {}", extent[0], extent[1], extent[2]);
}

// sm_90a: 90; 0 where it is not known how the number is to be read.
unsigned number_of(std::string_view architecture) {
  unsigned number = 0;
  for (const char c : architecture) {
    if (c >= '0' && c <= '9') number = number * 10 + static_cast<unsigned>(c - '0');
  }
  return number;
}

void require_hopper(const Launch& launch, const std::string& architecture,
                    const std::string& place) {
  // The first compute capability with clusters and with programmatic dependent launches.
  constexpr unsigned kFirst = 90;
  if (number_of(architecture) >= kFirst) return;
  const char* asked = launch.cluster != kNoCluster ? "a cluster"
                      : launch.programmatic        ? ".programmatic"
                                                   : nullptr;
  if (asked == nullptr) return;
  throw Refused(
      fmt::format("{}{} takes compute capability 9.0, and the kernel is compiled for {}; leave it "
                  "out, or name a newer architecture (--arch sm_90a)",
                  place, asked, architecture));
}

// A grid is made of whole clusters.
void require_clusters(const Launch& launch, const KernelInfo& kernel, const std::string& place) {
  constexpr std::array kAxes = {"x", "y", "z"};
  // Where a kernel may have clusters of more than the portable 8 blocks (CUDA C++ Programming
  // Guide, "Thread Block Clusters"); whether one of them fits is the driver's to tell.
  constexpr std::uint64_t kMostBlocks = 16;
  const std::uint64_t blocks = volume(launch.cluster);
  if (kernel.cluster && launch.cluster != *kernel.cluster) {
    throw Refused(fmt::format(
        "{}.cluster has {} blocks, but __cluster_dims__ of the kernel says {}; leave one of them "
        "out, or make both the same",
        place, text_of(launch.cluster), text_of(*kernel.cluster)));
  }
  if (blocks > kMostBlocks) {
    throw Refused(fmt::format("{}.cluster has {} = {} blocks; write at most {}", place,
                              text_of(launch.cluster), blocks, kMostBlocks));
  }
  if (kernel.most_blocks_per_cluster > 0 && blocks > kernel.most_blocks_per_cluster) {
    throw Refused(fmt::format(
        "{}.cluster has {} blocks, but __launch_bounds__ of the kernel promises at most {}; make "
        "its third value the blocks of a cluster",
        place, blocks, kernel.most_blocks_per_cluster));
  }
  for (std::size_t i = 0; i < launch.grid.size(); ++i) {
    if (launch.grid[i] % launch.cluster[i] == 0) continue;
    throw Refused(fmt::format(
        "{}.grid.{} is {}, and a cluster has {} blocks along it; a grid is made of whole clusters: "
        "round it up, and let the blocks that are too many do no work",
        place, kAxes[i], launch.grid[i], launch.cluster[i]));
  }
}

// Of the first object of the kernel, or else of the files.
SourceLine place_of_shared(const Source& source, const std::string& kernel) {
  constexpr std::string_view kWord = "__shared__";
  const auto found = find_kernel(source, source_name(kernel));
  if (!found) return place_of_word(source, kWord);
  const std::string& text = *text_of(source, found->file);
  std::size_t begin = 0;
  for (std::uint32_t line = 1; line < found->line; ++line) begin = text.find('\n', begin) + 1;
  const std::uint32_t below = line_of_word(std::string_view(text).substr(begin), kWord);
  if (below == 0) return place_of_word(source, kWord);
  return {found->file, found->line + below - 1};
}

}  // namespace

std::optional<std::string> too_much_static_shared(const std::map<std::string, Resources>& resources,
                                                  const Source& source) {
  for (const auto& [kernel, used] : resources) {
    if (used.static_shared_bytes <= kMostStaticShared) continue;
    return fmt::format(
        "{}{} declares {} bytes of __shared__ memory; {} are the most: declare it extern "
        "__shared__ and give its size as .shared_bytes in AUTOKERNEL_LAUNCH, where more fits",
        place(place_of_shared(source, kernel)), readable_name(kernel), used.static_shared_bytes,
        kMostStaticShared);
  }
  return std::nullopt;
}

void require_launchable(const Launch& launch, const KernelInfo& kernel,
                        const std::string& architecture, const std::string& place) {
  const std::string launch_place =
      fmt::format("{}launch of \"{}\": ", place, readable_name(launch.kernel));
  require_bounds(launch, kernel, launch_place);
  require_shared(launch, kernel, architecture, launch_place);
  require_registers(launch, kernel, launch_place);
  require_hopper(launch, architecture, launch_place);
  require_clusters(launch, kernel, launch_place);
}

}  // namespace autokernel::compile
