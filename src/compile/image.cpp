#include "compile/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "autokernel/compile/source_text.h"
#include "compile/declaration.h"

namespace autokernel::compile {
namespace {

// Flag in a symbol's `other` that marks a __global__ function.
constexpr std::uint8_t kEntry = 0x10;
// The section of __constant__ objects; the other constant banks hold parameters and what the
// compiler puts there.
constexpr const char* kConstants = ".nv.constant3";
constexpr const char* kCapsuleConstants = ".nv.merc.nv.constant.user";
// What the driver resolves when it loads a module. printf's output is kept in the log; an assert is
// a crash. For GPUs without a copy engine of that kind (sm_120) bulk copies are calls.
constexpr std::array<std::string_view, 2> kKnownCalls = {"vprintf", "__assertfail"};
constexpr std::string_view kBulkCopies = "__cuda_syscall_cp_async_bulk";

// Shared and local memory end with the block or thread. Names of sections are the compiler's own:
// PTX can name none but those of debug information, which have no memory.
bool outlives_a_launch(const ElfSection& section) {
  if (section.name == kConstants || section.name == kCapsuleConstants) return true;
  std::string_view name = section.name;
  constexpr std::string_view kCapsule = ".nv.merc";
  if (section.is_of_capsule() && name.starts_with(kCapsule)) name.remove_prefix(kCapsule.size());
  return section.is_written_at_run_time() && !name.starts_with(".nv.shared") &&
         !name.starts_with(".nv.local");
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

std::vector<ElfSymbol> objects_in(const std::vector<ElfSymbol>& symbols, std::size_t section) {
  std::vector<ElfSymbol> found;
  for (const ElfSymbol& symbol : symbols) {
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

// What the driver makes memory of when it loads an image: the sections of its machine code or,
// where it turns the capsule into machine code of another chip, those of the capsule, which shares
// those that hold zeros. Each of the two refers to memory by its own symbols alone.
enum class Form : std::uint8_t { machine_code, capsule };

std::vector<ModuleObject> objects_of(const Elf& elf, Form form, const std::string& file_name) {
  const auto& symbols = form == Form::capsule ? elf.capsule_symbols() : elf.symbols();
  std::vector<ModuleObject> objects;
  std::set<std::string> names;
  for (std::size_t i = 0; i < elf.sections().size(); ++i) {
    const ElfSection& section = elf.sections()[i];
    if (!outlives_a_launch(section) || section.size == 0) continue;
    if (section.is_of_capsule() && form == Form::machine_code) continue;
    const std::vector<ElfSymbol> found = objects_in(symbols, i);
    // Of what the machine code has for itself; that it shares the rest shows in the comparison.
    if (found.empty() && !section.is_of_capsule() && form == Form::capsule) continue;
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

// Whichever of the two the driver loads, its memory is then exactly the objects that are restored:
// each section of either form is covered by objects, and the objects are the same. So no section of
// a capsule needs to be left out by its name, and none can hide a variable.
void require_same_objects(std::vector<ModuleObject> in_code, std::vector<ModuleObject> in_capsule,
                          const std::string& file_name) {
  std::ranges::sort(in_code, {}, &ModuleObject::name);
  std::ranges::sort(in_capsule, {}, &ModuleObject::name);
  const auto [code, capsule] = std::ranges::mismatch(in_code, in_capsule);
  if (code == in_code.end() && capsule == in_capsule.end()) return;
  throw Refused(fmt::format(
      "{}: the compiler wrote its code twice, and the variable \"{}\" is not the same in both, so "
      "that it could not be restored between launches; use AUTOKERNEL_WORKSPACE instead",
      file_name, code != in_code.end() ? code->name : capsule->name));
}

// Null where the module has none of that name.
const ElfSymbol* constant(const Elf& elf, const std::string& name) {
  const auto found = std::ranges::find_if(elf.symbols(), [&](const ElfSymbol& symbol) {
    return symbol.name == name && symbol.is_defined() &&
           elf.sections()[symbol.section].name == kConstants;
  });
  return found == elf.symbols().end() ? nullptr : &*found;
}

// Whose addresses lie in an object, by where they do.
std::map<std::uint64_t, const ElfSymbol*> addresses_in(const Elf& elf, const ElfSymbol& object) {
  std::map<std::uint64_t, const ElfSymbol*> found;
  for (const ElfRelocation& relocation : elf.relocations()) {
    if (relocation.section != object.section || relocation.addend != 0) continue;
    if (relocation.offset < object.value || relocation.offset - object.value >= object.size)
      continue;
    found[relocation.offset - object.value] = &elf.symbols()[relocation.symbol];
  }
  return found;
}

}  // namespace

std::optional<std::vector<std::byte>> constant_bytes(const Elf& elf, const std::string& name) {
  const ElfSymbol* const symbol = constant(elf, name);
  if (symbol == nullptr) return std::nullopt;
  return bytes_of(elf.sections()[symbol->section], *symbol);
}

std::vector<std::string> constants_called(const Elf& elf, std::string_view prefix) {
  std::vector<std::string> names;
  for (const ElfSymbol& symbol : elf.symbols()) {
    if (symbol.name.starts_with(prefix) && symbol.is_defined() &&
        elf.sections()[symbol.section].name == kConstants)
      names.push_back(symbol.name);
  }
  return names;
}

std::map<std::uint64_t, std::string> functions_in(const Elf& elf, const std::string& name) {
  std::map<std::uint64_t, std::string> functions;
  const ElfSymbol* const symbol = constant(elf, name);
  if (symbol == nullptr) return functions;
  for (const auto& [at, target] : addresses_in(elf, *symbol)) {
    if (target->is_function()) functions[at] = target->name;
    if (target->is_function() || target->size != sizeof(std::uint64_t)) continue;
    const auto behind = addresses_in(elf, *target);
    if (behind.size() == 1 && behind.begin()->second->is_function())
      functions[at] = behind.begin()->second->name;
  }
  return functions;
}

std::vector<ModuleObject> module_objects(const Elf& elf, const std::string& file_name) {
  std::vector<ModuleObject> objects = objects_of(elf, Form::machine_code, file_name);
  const bool has_capsule = std::ranges::any_of(elf.sections(), &ElfSection::is_of_capsule);
  if (has_capsule)
    require_same_objects(objects, objects_of(elf, Form::capsule, file_name), file_name);
  return objects;
}

bool is_kernel(const ElfSymbol& symbol) {
  return symbol.is_function() && symbol.is_defined() && (symbol.other & kEntry) != 0;
}

std::vector<std::string> kernels(const Elf& elf) {
  std::vector<std::string> names;
  for (const ElfSymbol& symbol : elf.symbols()) {
    if (is_kernel(symbol)) names.push_back(symbol.name);
  }
  return names;
}

void require_known_calls(const Elf& elf, const Source& source) {
  for (const ElfSymbol& symbol : elf.symbols()) {
    if (!symbol.is_function() || symbol.is_defined()) continue;
    if (std::ranges::find(kKnownCalls, symbol.name) != kKnownCalls.end() ||
        symbol.name.starts_with(kBulkCopies))
      continue;
    const bool heap = symbol.name == "malloc" || symbol.name == "free";
    throw Refused(fmt::format(
        "{}it calls {}, {}", place(place_of_word(source, symbol.name)), symbol.name,
        heap ? "whose memory outlives the launch; declare AUTOKERNEL_WORKSPACE(bytes) and "
               "use the parameter that adds"
             : "which is not defined in it and which no launch provides; define it or "
               "remove the call"));
  }
}

}  // namespace autokernel::compile
