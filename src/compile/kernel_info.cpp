#include "compile/kernel_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "compile/image.h"

namespace autokernel::compile {
namespace {

using Bytes = std::span<const std::byte>;

// Sections of attributes: one for the whole image and, with `info` naming its code, one for each
// kernel. Each attribute is a byte that says where its value is, one that says what it is, and 16
// bits, which are the value or the size of what follows. NVIDIA does not document them; the names
// are those that cuobjdump prints after EIATTR_.
constexpr std::uint32_t kAttributes = 0x70000000;
constexpr std::size_t kHeaderBytes = 4;
constexpr std::uint8_t kValueFollows = 4;

enum Attribute : std::uint8_t {
  max_threads = 0x05,
  param_cbank = 0x0a,
  reqntid = 0x10,
  frame_size = 0x11,
  kparam_info = 0x17,
  regcount = 0x2f,
  cta_per_cluster = 0x3d,
  max_cluster_rank = 0x3f,
  kparam_info_v2 = 0x45,  // of kernels whose parameters are too large for the other
};

// From compute capability 9.0 on, each block has this much shared memory less, and the sections
// count it as the kernel's. The limits of a block (limits.cpp) are those without it.
constexpr const char* kReservedShared = ".nv.shared.reserved.0";
constexpr std::uint64_t kReservedSharedBytes = 1024;

// Calls `take` with what each attribute is and the bytes of its value.
void for_each_attribute(const ElfSection& section,
                        const std::function<void(std::uint8_t, Bytes)>& take) {
  for (std::size_t at = 0; at < section.bytes.size();) {
    const auto form = little_endian<std::uint8_t>(section.bytes, at);
    const auto attribute = little_endian<std::uint8_t>(section.bytes, at + 1);
    const auto size = little_endian<std::uint16_t>(section.bytes, at + 2);
    at += kHeaderBytes;
    if (form != kValueFollows) continue;
    if (size > section.bytes.size() - at) throw BadElf("an attribute lies beyond the end");
    take(attribute, section.bytes.subspan(at, size));
    at += size;
  }
}

std::array<std::uint32_t, 3> extent_in(Bytes value) {
  std::array<std::uint32_t, 3> extent{};
  for (std::size_t i = 0; i < extent.size(); ++i)
    extent[i] = little_endian<std::uint32_t>(value, i * sizeof(std::uint32_t));
  return extent;
}

struct Ordered {
  std::uint16_t ordinal = 0;
  Parameter parameter;
};

// Both forms begin with an index that is not used, the number of the parameter and its offset.
Ordered parameter_in(Bytes value, Attribute form) {
  constexpr std::size_t kOrdinalAt = 4;
  constexpr std::size_t kOffsetAt = 6;
  constexpr std::size_t kSizeAt = 8;
  // What else is known of a pointer's target stands below the size in the older form, and above it
  // in the newer one. All parameters of a kernel have 32,764 bytes at most.
  constexpr unsigned kSizeShift = 18;
  constexpr std::uint32_t kSizeMask = 0xffff;
  Ordered found;
  found.ordinal = little_endian<std::uint16_t>(value, kOrdinalAt);
  found.parameter.offset = little_endian<std::uint16_t>(value, kOffsetAt);
  const auto size = little_endian<std::uint32_t>(value, kSizeAt);
  found.parameter.bytes = form == kparam_info ? size >> kSizeShift : size & kSizeMask;
  return found;
}

std::vector<Parameter> in_order(std::vector<Ordered> found, std::uint32_t all_bytes) {
  std::ranges::sort(found, {}, &Ordered::ordinal);
  std::vector<Parameter> parameters;
  std::uint64_t end = 0;
  for (const auto& [ordinal, parameter] : found) {
    if (ordinal != parameters.size() || parameter.offset < end) {
      throw BadElf("the parameters of a kernel overlap or are not all there");
    }
    end = std::uint64_t{parameter.offset} + parameter.bytes;
    parameters.push_back(parameter);
  }
  if (end != all_bytes) {
    throw BadElf(fmt::format("the parameters of a kernel end at {} and are said to have {} bytes",
                             end, all_bytes));
  }
  return parameters;
}

const ElfSymbol& symbol_of(const Elf& elf, const std::string& kernel) {
  const auto found = std::ranges::find_if(elf.symbols(), [&](const ElfSymbol& symbol) {
    return is_kernel(symbol) && symbol.name == kernel;
  });
  if (found == elf.symbols().end()) throw BadElf("it has no kernel " + kernel);
  return *found;
}

void read_own(const Elf& elf, const ElfSymbol& symbol, KernelInfo& info) {
  std::vector<Ordered> parameters;
  std::uint32_t all_bytes = 0;
  for (const ElfSection& section : elf.sections()) {
    if (section.type != kAttributes || section.info != symbol.section) continue;
    for_each_attribute(section, [&](std::uint8_t attribute, Bytes value) {
      if (attribute == kparam_info || attribute == kparam_info_v2) {
        parameters.push_back(parameter_in(value, static_cast<Attribute>(attribute)));
      } else if (attribute == param_cbank) {
        constexpr std::size_t kSizeAt = 6;
        all_bytes = little_endian<std::uint16_t>(value, kSizeAt);
      } else if (attribute == max_threads || attribute == reqntid) {
        info.most_threads = extent_in(value);
      } else if (attribute == cta_per_cluster) {
        info.cluster = extent_in(value);
      } else if (attribute == max_cluster_rank) {
        info.most_blocks_per_cluster = little_endian<std::uint32_t>(value, 0);
      }
    });
  }
  info.parameters = in_order(std::move(parameters), all_bytes);
}

// The attributes of the whole image are pairs: which symbol, and its value.
void read_shared(const Elf& elf, const ElfSymbol& symbol, KernelInfo& info) {
  const auto number = static_cast<std::uint32_t>(&symbol - elf.symbols().data());
  for (const ElfSection& section : elf.sections()) {
    if (section.type != kAttributes || section.info != 0) continue;
    for_each_attribute(section, [&](std::uint8_t attribute, Bytes value) {
      if (attribute != regcount && attribute != frame_size) return;
      if (little_endian<std::uint32_t>(value, 0) != number) return;
      const auto amount = little_endian<std::uint32_t>(value, sizeof(std::uint32_t));
      if (attribute == regcount) info.registers = amount;
      if (attribute == frame_size) info.local_bytes = amount;
    });
  }
}

std::uint64_t static_shared_bytes(const Elf& elf, const ElfSymbol& symbol) {
  const bool reserves = std::ranges::any_of(
      elf.sections(), [](const ElfSection& section) { return section.name == kReservedShared; });
  for (const ElfSection& section : elf.sections()) {
    if (section.is_of_capsule() || section.info != symbol.section) continue;
    if (!section.is_written_at_run_time() || !section.name.starts_with(".nv.shared.")) continue;
    return reserves ? section.size - std::min(section.size, kReservedSharedBytes) : section.size;
  }
  return 0;
}

}  // namespace

KernelInfo kernel_info(const Elf& elf, const std::string& kernel) {
  const ElfSymbol& symbol = symbol_of(elf, kernel);
  KernelInfo info;
  read_own(elf, symbol, info);
  read_shared(elf, symbol, info);
  info.static_shared_bytes = static_shared_bytes(elf, symbol);
  return info;
}

}  // namespace autokernel::compile
