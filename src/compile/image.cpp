#include "compile/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "compile/declaration.h"
#include "compile/source_text.h"

namespace autokernel::compile {
namespace {

// Flag in a symbol's `other` that marks a __global__ function.
constexpr std::uint8_t kEntry = 0x10;
// The section of __constant__ objects; the other constant banks hold parameters and what the
// compiler puts there.
constexpr const char* kConstants = ".nv.constant3";
// What the driver resolves when it loads a module. printf's output is kept in the log; an assert is
// a crash.
constexpr std::array<std::string_view, 2> kKnownCalls = {"vprintf", "__assertfail"};

// Shared and local memory end with the block or thread.
bool outlives_a_launch(const ElfSection& section) {
  if (section.name == kConstants) return true;
  return section.is_written_at_run_time() && !section.name.starts_with(".nv.shared") &&
         !section.name.starts_with(".nv.local");
}

std::vector<std::byte> bytes_of(const ElfSection& section, const ElfSymbol& symbol) {
  if (symbol.value > section.size || symbol.size > section.size - symbol.value) {
    throw BadElf(
        fmt::format("the object {} lies beyond its section {}", symbol.name, section.name));
  }
  if (!section.has_bytes()) return {};
  const auto bytes = section.bytes.subspan(symbol.value, symbol.size);
  return {bytes.begin(), bytes.end()};
}

std::vector<ElfSymbol> objects_in(const Elf& elf, std::size_t section) {
  std::vector<ElfSymbol> found;
  for (const ElfSymbol& symbol : elf.symbols()) {
    if (symbol.section == section && !symbol.is_section() && symbol.size > 0)
      found.push_back(symbol);
  }
  std::ranges::sort(found, {}, &ElfSymbol::value);
  return found;
}

// Between objects lies at most what alignment needs, and zeros.
void require_covered(const ElfSection& section, const std::vector<ElfSymbol>& objects,
                     const std::string& file_name) {
  std::uint64_t covered = 0;
  const auto require_padding = [&](std::uint64_t end) {
    if (end <= covered) return;
    const bool short_enough = end - covered < std::max<std::uint64_t>(section.alignment, 1);
    const bool zeros = !section.has_bytes() ||
                       std::all_of(section.bytes.begin() + static_cast<std::ptrdiff_t>(covered),
                                   section.bytes.begin() + static_cast<std::ptrdiff_t>(end),
                                   [](std::byte byte) { return byte == std::byte{0}; });
    if (short_enough && zeros) return;
    throw Refused(
        fmt::format("{}: {} bytes of its memory ({} at {}) belong to no variable and could not be "
                    "restored between launches; declare memory as __device__ variables, or "
                    "use AUTOKERNEL_WORKSPACE",
                    file_name, end - covered, section.name, covered));
  };
  for (const ElfSymbol& object : objects) {
    require_padding(object.value);
    covered = std::max(covered, object.value + object.size);
  }
  require_padding(section.size);
}

}  // namespace

std::optional<std::vector<std::byte>> constant_bytes(const Elf& elf, const std::string& name) {
  for (const ElfSymbol& symbol : elf.symbols()) {
    if (symbol.name != name || !symbol.is_defined()) continue;
    const ElfSection& section = elf.sections()[symbol.section];
    if (section.name == kConstants) return bytes_of(section, symbol);
  }
  return std::nullopt;
}

std::vector<ModuleObject> module_objects(const Elf& elf, const std::string& file_name) {
  std::vector<ModuleObject> objects;
  std::set<std::string> names;
  for (std::size_t i = 0; i < elf.sections().size(); ++i) {
    const ElfSection& section = elf.sections()[i];
    if (!outlives_a_launch(section) || section.size == 0) continue;
    const std::vector<ElfSymbol> found = objects_in(elf, i);
    for (const ElfSymbol& symbol : found) {
      ModuleObject object{symbol.name, symbol.size, bytes_of(section, symbol)};
      if (!names.insert(object.name).second) {
        throw Refused(
            fmt::format("{}: two variables are called \"{}\", so that they could not be restored "
                        "between launches; rename one",
                        file_name, object.name));
      }
      objects.push_back(std::move(object));
    }
    require_covered(section, found, file_name);
  }
  return objects;
}

std::vector<std::string> kernels(const Elf& elf) {
  std::vector<std::string> names;
  for (const ElfSymbol& symbol : elf.symbols()) {
    if (symbol.is_function() && symbol.is_defined() && (symbol.other & kEntry) != 0) {
      names.push_back(symbol.name);
    }
  }
  return names;
}

void require_known_calls(const Elf& elf, const std::string& source, const std::string& file_name) {
  for (const ElfSymbol& symbol : elf.symbols()) {
    if (!symbol.is_function() || symbol.is_defined()) continue;
    if (std::ranges::find(kKnownCalls, symbol.name) != kKnownCalls.end()) continue;
    const bool heap = symbol.name == "malloc" || symbol.name == "free";
    throw Refused(fmt::format(
        "{}it calls {}, {}", place(file_name, line_of_word(source, symbol.name)), symbol.name,
        heap ? "whose memory outlives the launch; declare AUTOKERNEL_WORKSPACE(bytes) and "
               "use the parameter that adds"
             : "which is not defined in it and which no launch provides; define it or "
               "remove the call"));
  }
}

}  // namespace autokernel::compile
