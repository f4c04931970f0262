#include "compile/declaration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "autokernel/compile/source_text.h"
#include "compile/elf.h"
#include "compile/kernel_names.h"

namespace autokernel::compile {
namespace {

using Bytes = std::span<const std::byte>;

// The layout of autokernel::Declaration, Launch and Workspace, in bytes.
constexpr std::uint32_t kLaunchVersion = 2;
constexpr std::uint32_t kWorkspaceVersion = 1;
constexpr std::size_t kVersionAt = 8;
constexpr std::size_t kLineAt = 12;
constexpr std::size_t kLaunchesAt = 16;
constexpr std::size_t kMostLaunches = 16;
constexpr std::size_t kNameBytes = 64;
constexpr std::size_t kAddressAt = 64;
constexpr std::size_t kGridAt = 72;
constexpr std::size_t kBlockAt = 96;
constexpr std::size_t kSharedAt = 120;
constexpr std::size_t kClusterAt = 128;
constexpr std::size_t kCooperativeAt = 152;
constexpr std::size_t kProgrammaticAt = 153;
constexpr std::size_t kArgumentsAt = 154;
constexpr std::size_t kLaunchBytes = 320;
constexpr std::size_t kDeclarationBytes = kLaunchesAt + kMostLaunches * kLaunchBytes;
constexpr std::size_t kWorkspaceBytesAt = 16;
constexpr std::size_t kWorkspaceZeroedAt = 24;
constexpr std::size_t kWorkspaceBytes = 32;

// What every CUDA device since compute capability 3.0 allows; a smaller limit of one device is the
// driver's to tell.
constexpr std::array<std::int64_t, 3> kMostBlocks = {2147483647, 65535, 65535};
constexpr std::array<std::int64_t, 3> kMostThreads = {1024, 1024, 64};
constexpr std::int64_t kMostThreadsPerBlock = 1024;
// Blocks of a cluster along one dimension; how many there are in all, limits.cpp checks.
constexpr std::array<std::int64_t, 3> kMostInCluster = {16, 16, 16};
constexpr std::int64_t kMostSharedBytes = 227
                                          << 10;  // of compute capability 9.0; no device has more
// It is filled from the host before each launch, so the runner holds it once, and on the emulated
// device once more, of the 4 GiB that it has.
constexpr std::int64_t kMostWorkspaceBytes = 1LL << 30;

constexpr const char* kExample =
    "AUTOKERNEL_LAUNCH({.kernel = \"matmul\", .grid = {N / 32, M / 8}, .block = {32, 8}});";

std::string name_in(Bytes launch, const std::string& place) {
  std::string name = text_in(launch.first(kNameBytes));
  if (name.size() == kNameBytes)
    throw Refused(place + "the name of a kernel may have at most 63 characters");
  return name;
}

bool is_set(Bytes launch, std::size_t at) { return launch[at] != std::byte{0}; }

// Launches that are left out of the macro have their default values: no kernel, all dimensions 1.
bool is_left_out(Bytes launch, const std::string& function) {
  if (!function.empty() || is_set(launch, 0) || is_set(launch, kCooperativeAt) ||
      is_set(launch, kProgrammaticAt) || is_set(launch, kArgumentsAt))
    return false;
  for (std::size_t at = kGridAt; at < kCooperativeAt; at += sizeof(std::int64_t)) {
    if (little_endian<std::int64_t>(launch, at) != (at == kSharedAt ? 0 : 1)) return false;
  }
  return true;
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

// The names between the commas.
std::vector<std::string> read_arguments(Bytes launch, const std::string& place) {
  const Bytes field = launch.subspan(kArgumentsAt);
  const std::string text = text_in(field);
  if (text.size() == field.size())
    throw Refused(fmt::format("{}.arguments has at most {} characters", place, field.size() - 1));
  std::vector<std::string> names;
  if (text.empty()) return names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = std::string_view(text).substr(begin, end - begin);
    const std::size_t first = part.find_first_not_of(" \t\n");
    if (first == std::string_view::npos) {
      throw Refused(fmt::format("{}.arguments is \"{}\"; write names with a comma between each two",
                                place, text));
    }
    names.emplace_back(part.substr(first, part.find_last_not_of(" \t\n") + 1 - first));
    begin = end + 1;
  }
  return names;
}

void read_order(Bytes bytes, std::size_t number, const std::string& place, Launch& launch) {
  launch.cooperative = is_set(bytes, kCooperativeAt);
  launch.programmatic = is_set(bytes, kProgrammaticAt);
  if (launch.programmatic && number == 1) {
    throw Refused(place +
                  ".programmatic is of a launch with another one above it, which it may overlap; "
                  "leave it out of the first");
  }
  if (launch.programmatic && launch.cooperative) {
    throw Refused(place +
                  ".programmatic and .cooperative exclude each other: a cooperative launch begins "
                  "with all its blocks; leave one of them out");
  }
}

Launch decode_launch(Bytes launch, const std::string& function, std::size_t number,
                     const std::string& place) {
  Launch result;
  result.kernel = function.empty() ? name_in(launch, place) : function;
  if (result.kernel.empty()) {
    throw Refused(
        fmt::format("{}launch {} names no kernel; write {{.kernel = \"NAME\", ...}} or {{.kernel = "
                    "autokernel::kernel<&NAME>, ...}} with the name of a __global__ function",
                    place, number));
  }
  const std::string launch_place =
      fmt::format("{}launch of \"{}\": ", place, readable_name(result.kernel));
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
  result.cluster = dimensions(launch, kClusterAt, "cluster", kMostInCluster, launch_place);
  read_order(launch, number, launch_place, result);
  result.arguments = read_arguments(launch, launch_place);
  return result;
}

}  // namespace

std::string text_in(Bytes field) {
  std::string text;
  std::transform(field.begin(), std::ranges::find(field, std::byte{0}), std::back_inserter(text),
                 [](std::byte byte) { return std::to_integer<char>(byte); });
  return text;
}

void require_header(Bytes bytes, const Header& header, const std::string& file_name) {
  const bool known =
      bytes.size() == header.bytes &&
      std::equal(header.magic.begin(), header.magic.end(), bytes.begin(),
                 [](char c, std::byte b) { return std::to_integer<char>(b) == c; }) &&
      little_endian<std::uint32_t>(bytes, kVersionAt) == header.version;
  if (known) return;
  throw Refused(
      fmt::format("{}: its {} is not one that the macro {} of <autokernel.cuh> makes; include that "
                  "header and use the macro",
                  file_name, header.symbol, header.macro));
}

std::uint32_t line_of(Bytes bytes) {
  constexpr std::uint32_t kMostLines = 10'000'000;
  const std::uint32_t line =
      bytes.size() >= kLaunchesAt ? little_endian<std::uint32_t>(bytes, kLineAt) : 0;
  return line > kMostLines ? 0 : line;
}

std::vector<Launch> decode_launches(Bytes bytes,
                                    const std::map<std::uint64_t, std::string>& functions,
                                    const std::string& file_name) {
  require_header(
      bytes, {"AKLAUNCH", kLaunchVersion, kDeclarationBytes, "AUTOKERNEL_LAUNCH", kLaunchSymbol},
      file_name);
  const std::string place = compile::place(file_name, line_of(bytes));
  const auto launch = [&](std::size_t i) {
    return bytes.subspan(kLaunchesAt + i * kLaunchBytes, kLaunchBytes);
  };
  const auto function = [&](std::size_t i) {
    const auto found = functions.find(kLaunchesAt + i * kLaunchBytes + kAddressAt);
    return found == functions.end() ? std::string() : found->second;
  };
  std::size_t count = kMostLaunches;
  while (count > 0 && is_left_out(launch(count - 1), function(count - 1))) --count;
  if (count == 0)
    throw Refused(fmt::format("{}AUTOKERNEL_LAUNCH names no kernel; write {}", place, kExample));
  std::vector<Launch> launches;
  launches.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    launches.push_back(decode_launch(launch(i), function(i), i + 1, place));
  return launches;
}

WorkspaceWish decode_workspace(Bytes bytes, const std::string& file_name) {
  require_header(
      bytes,
      {"AKWORKSP", kWorkspaceVersion, kWorkspaceBytes, "AUTOKERNEL_WORKSPACE", kWorkspaceSymbol},
      file_name);
  const auto size = little_endian<std::int64_t>(bytes, kWorkspaceBytesAt);
  if (size < 1 || size > kMostWorkspaceBytes) {
    throw Refused(fmt::format("{}the workspace has {} bytes; it must have from 1 to {}",
                              place(file_name, line_of(bytes)), size, kMostWorkspaceBytes));
  }
  return {static_cast<std::uint64_t>(size),
          little_endian<std::int64_t>(bytes, kWorkspaceZeroedAt) != 0};
}

}  // namespace autokernel::compile
