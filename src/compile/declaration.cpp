#include "compile/declaration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "compile/elf.h"
#include "compile/source_text.h"

namespace autokernel::compile {
namespace {

using Bytes = std::span<const std::byte>;

// The layout of autokernel::Declaration, Launch and Workspace, in bytes.
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kVersionAt = 8;
constexpr std::size_t kLineAt = 12;
constexpr std::size_t kLaunchesAt = 16;
constexpr std::size_t kMostLaunches = 4;
constexpr std::size_t kNameBytes = 64;
constexpr std::size_t kGridAt = 64;
constexpr std::size_t kBlockAt = 88;
constexpr std::size_t kSharedAt = 112;
constexpr std::size_t kLaunchBytes = 120;
constexpr std::size_t kDeclarationBytes = kLaunchesAt + kMostLaunches * kLaunchBytes;
constexpr std::size_t kWorkspaceBytesAt = 16;
constexpr std::size_t kWorkspaceZeroedAt = 24;
constexpr std::size_t kWorkspaceBytes = 32;

// What every CUDA device since compute capability 3.0 allows; a smaller limit of one device is the
// driver's to tell.
constexpr std::array<std::int64_t, 3> kMostBlocks = {2147483647, 65535, 65535};
constexpr std::array<std::int64_t, 3> kMostThreads = {1024, 1024, 64};
constexpr std::int64_t kMostThreadsPerBlock = 1024;
constexpr std::int64_t kMostSharedBytes = 227
                                          << 10;  // of compute capability 9.0; no device has more
// It is filled from the host before each launch, so the runner holds it once, and on the emulated
// device once more, of the 4 GiB that it has.
constexpr std::int64_t kMostWorkspaceBytes = 1LL << 30;

constexpr const char* kExample =
    "AUTOKERNEL_LAUNCH({.kernel = \"matmul\", .grid = {N / 32, M / 8}, .block = {32, 8}});";

void require_header(Bytes bytes, std::string_view magic, std::size_t size, const std::string& macro,
                    const std::string& file_name) {
  const bool known =
      bytes.size() == size &&
      std::equal(magic.begin(), magic.end(), bytes.begin(),
                 [](char c, std::byte b) { return std::to_integer<char>(b) == c; }) &&
      little_endian<std::uint32_t>(bytes, kVersionAt) == kVersion;
  if (!known) {
    throw Refused(fmt::format(
        "{}: its {} is not one that the macro {} of <autokernel.cuh> makes; "
        "include that header and use the macro",
        file_name, macro == "AUTOKERNEL_LAUNCH" ? kLaunchSymbol : kWorkspaceSymbol, macro));
  }
}

std::string name_in(Bytes launch, const std::string& place) {
  const Bytes field = launch.first(kNameBytes);
  const auto end = std::ranges::find(field, std::byte{0});
  if (end == field.end()) {
    throw Refused(place + "the name of a kernel may have at most 63 characters");
  }
  std::string name;
  std::transform(field.begin(), end, std::back_inserter(name),
                 [](std::byte byte) { return std::to_integer<char>(byte); });
  return name;
}

// Launches that are left out of the macro have their default values: no name, all dimensions 1.
bool is_left_out(Bytes launch) {
  if (launch[0] != std::byte{0}) return false;
  for (std::size_t at = kGridAt; at < kSharedAt; at += sizeof(std::int64_t)) {
    if (little_endian<std::int64_t>(launch, at) != 1) return false;
  }
  return little_endian<std::int64_t>(launch, kSharedAt) == 0;
}

std::array<std::uint32_t, 3> dimensions(Bytes launch, std::size_t at, const std::string& field,
                                        const std::array<std::int64_t, 3>& most,
                                        const std::string& place) {
  constexpr std::array kAxes = {"x", "y", "z"};
  std::array<std::uint32_t, 3> result{};
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto value = little_endian<std::int64_t>(launch, at + i * sizeof(std::int64_t));
    if (value < 1 || value > most[i]) {
      const char* advice =
          value == 0 ? "; a division of whole numbers rounds down: write (N + TILE - 1) / TILE "
                       "to round up"
                     : "";
      throw Refused(fmt::format("{}.{}.{} is {}; it must be from 1 to {}{}", place, field, kAxes[i],
                                value, most[i], advice));
    }
    result[i] = static_cast<std::uint32_t>(value);
  }
  return result;
}

Launch decode_launch(Bytes launch, std::size_t number, const std::string& place) {
  Launch result;
  result.kernel = name_in(launch, place);
  if (result.kernel.empty()) {
    throw Refused(fmt::format("{}launch {} names no kernel; write {{.kernel = \"NAME\", ...}}",
                              place, number));
  }
  const std::string launch_place = fmt::format("{}launch of \"{}\": ", place, result.kernel);
  result.grid = dimensions(launch, kGridAt, "grid", kMostBlocks, launch_place);
  result.block = dimensions(launch, kBlockAt, "block", kMostThreads, launch_place);
  const std::int64_t threads = std::int64_t{result.block[0]} * result.block[1] * result.block[2];
  if (threads > kMostThreadsPerBlock) {
    throw Refused(fmt::format("{}.block has {} x {} x {} = {} threads; a block has at most {}",
                              launch_place, result.block[0], result.block[1], result.block[2],
                              threads, kMostThreadsPerBlock));
  }
  const auto shared = little_endian<std::int64_t>(launch, kSharedAt);
  if (shared < 0 || shared > kMostSharedBytes) {
    throw Refused(fmt::format("{}.shared_bytes is {}; it must be from 0 to {}", launch_place,
                              shared, kMostSharedBytes));
  }
  result.shared_bytes = static_cast<std::uint32_t>(shared);
  return result;
}

}  // namespace

std::uint32_t line_of(Bytes bytes) {
  constexpr std::uint32_t kMostLines = 10'000'000;
  const std::uint32_t line =
      bytes.size() >= kLaunchesAt ? little_endian<std::uint32_t>(bytes, kLineAt) : 0;
  return line > kMostLines ? 0 : line;
}

std::vector<Launch> decode_launches(Bytes bytes, const std::string& file_name) {
  require_header(bytes, "AKLAUNCH", kDeclarationBytes, "AUTOKERNEL_LAUNCH", file_name);
  const std::string place = compile::place(file_name, line_of(bytes));
  std::size_t count = kMostLaunches;
  while (count > 0 &&
         is_left_out(bytes.subspan(kLaunchesAt + (count - 1) * kLaunchBytes, kLaunchBytes))) {
    --count;
  }
  if (count == 0)
    throw Refused(fmt::format("{}AUTOKERNEL_LAUNCH names no kernel; write {}", place, kExample));
  std::vector<Launch> launches;
  launches.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    launches.push_back(
        decode_launch(bytes.subspan(kLaunchesAt + i * kLaunchBytes, kLaunchBytes), i + 1, place));
  }
  return launches;
}

WorkspaceWish decode_workspace(Bytes bytes, const std::string& file_name) {
  require_header(bytes, "AKWORKSP", kWorkspaceBytes, "AUTOKERNEL_WORKSPACE", file_name);
  const auto size = little_endian<std::int64_t>(bytes, kWorkspaceBytesAt);
  if (size < 1 || size > kMostWorkspaceBytes) {
    throw Refused(fmt::format("{}the workspace has {} bytes; it must have from 1 to {}",
                              place(file_name, line_of(bytes)), size, kMostWorkspaceBytes));
  }
  return {static_cast<std::uint64_t>(size),
          little_endian<std::int64_t>(bytes, kWorkspaceZeroedAt) != 0};
}

}  // namespace autokernel::compile
