#include "autokernel/compile/fat_binary.h"

#include <cstdint>
#include <cstring>
#include <string_view>

#include "autokernel/base/error.h"

namespace autokernel::compile {
namespace {

// All numbers are little-endian, as this machine's are.
template <typename Number>
void append(std::vector<std::byte>& bytes, Number number) {
  const std::size_t end = bytes.size();
  bytes.resize(end + sizeof number);
  std::memcpy(bytes.data() + end, &number, sizeof number);
}

constexpr std::size_t kAlignment = 8;  // of a payload, in bytes

struct Target {
  bool is_ptx = false;
  std::uint32_t number = 0;  // 90
  char reach = '\0';         // 'a', 'f', or none
};

[[nodiscard]] Target target_of(std::string_view architecture) {
  Target target;
  target.is_ptx = architecture.starts_with("compute_");
  const std::size_t begin = architecture.find('_') + 1;
  std::size_t end = begin;
  for (; end < architecture.size() && architecture[end] >= '0' && architecture[end] <= '9'; ++end)
    target.number = 10 * target.number + static_cast<std::uint32_t>(architecture[end] - '0');
  if (end == begin || (!target.is_ptx && !architecture.starts_with("sm_")))
    throw Error(Stop::internal, "no architecture: " + std::string(architecture));
  if (end < architecture.size()) target.reach = architecture[end];
  return target;
}

void append_entry(std::vector<std::byte>& bytes, const FatBinaryEntry& entry) {
  constexpr std::uint16_t kPtx = 1;
  constexpr std::uint16_t kCubin = 2;
  constexpr std::uint16_t kVersion = 0x101;
  constexpr std::uint32_t kHeaderBytes = 64;
  // What nvcc writes there of the two kinds: the version of the code.
  constexpr std::uint32_t kCubinVersion = 0x10008;
  constexpr std::uint32_t kPtxVersion = 0x90000;
  constexpr std::uint64_t kPlain = 0x11;
  constexpr std::uint64_t kExact = 0x100000;
  constexpr std::uint64_t kFamily = 0x200000;
  const Target target = target_of(entry.architecture);
  // PTX ends with a zero byte.
  const std::size_t length = entry.code.size() + (target.is_ptx ? 1 : 0);
  const std::size_t padded = (length + kAlignment - 1) / kAlignment * kAlignment;
  append(bytes, target.is_ptx ? kPtx : kCubin);
  append(bytes, kVersion);
  append(bytes, kHeaderBytes);
  append(bytes, static_cast<std::uint64_t>(padded));
  append(bytes, std::uint32_t{0});  // bytes that are compressed
  append(bytes, std::uint32_t{0});  // where options of the compiler begin: there are none
  append(bytes, target.is_ptx ? kPtxVersion : kCubinVersion);
  append(bytes, target.number);
  append(bytes, std::uint64_t{0});  // a name
  append(bytes, kPlain | (target.reach == 'a' ? kExact : 0) | (target.reach == 'f' ? kFamily : 0));
  append(bytes, std::uint64_t{0});
  append(bytes, std::uint64_t{0});  // bytes once decompressed
  bytes.insert(bytes.end(), entry.code.begin(), entry.code.end());
  bytes.resize(bytes.size() + padded - entry.code.size());
}

}  // namespace

std::vector<std::byte> fat_binary(const std::vector<FatBinaryEntry>& entries) {
  constexpr std::uint32_t kMagic = 0xba55ed50;
  constexpr std::uint16_t kVersion = 1;
  constexpr std::uint16_t kHeaderBytes = 16;
  std::vector<std::byte> all;
  for (const FatBinaryEntry& entry : entries) append_entry(all, entry);
  std::vector<std::byte> bytes;
  append(bytes, kMagic);
  append(bytes, kVersion);
  append(bytes, kHeaderBytes);
  append(bytes, static_cast<std::uint64_t>(all.size()));
  bytes.insert(bytes.end(), all.begin(), all.end());
  return bytes;
}

}  // namespace autokernel::compile
