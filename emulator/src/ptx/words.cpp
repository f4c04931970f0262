#include "ptx/words.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace emulator::ptx {
namespace {

#define OPCODE(opcode, spelling, ...) spelling,
constexpr auto kOpcodes = std::to_array<std::string_view>({
#include "ptx/opcodes.def"
});

#define EMULATOR_PTX_SPELLING(name, text) std::string_view(text),
constexpr auto kModifiers = std::to_array({EMULATOR_PTX_MODIFIERS(EMULATOR_PTX_SPELLING)});
#undef EMULATOR_PTX_SPELLING

struct Spelling {
  std::string_view text;
  std::uint16_t index;
};

// The spellings in alphabetical order, each with its enumerator's number, made when the program is
// compiled.
template <std::size_t count>
constexpr std::array<Spelling, count> sorted(const std::array<std::string_view, count>& spellings) {
  std::array<Spelling, count> entries{};
  for (std::size_t i = 0; i < count; ++i) {
    entries[i] = {spellings[i], static_cast<std::uint16_t>(i)};
  }
  std::sort(entries.begin(), entries.end(),
            [](const Spelling& a, const Spelling& b) { return a.text < b.text; });
  return entries;
}

template <std::size_t count>
constexpr bool all_differ(const std::array<Spelling, count>& entries) {
  return std::adjacent_find(entries.begin(), entries.end(),
                            [](const Spelling& a, const Spelling& b) {
                              return a.text == b.text;
                            }) == entries.end();
}

constexpr auto kOpcodesByText = sorted(kOpcodes);
constexpr auto kModifiersByText = sorted(kModifiers);
static_assert(all_differ(kOpcodesByText));
static_assert(all_differ(kModifiersByText));

template <typename Word, std::size_t count>
std::optional<Word> find(const std::array<Spelling, count>& entries, std::string_view text) {
  const auto found = std::lower_bound(
      entries.begin(), entries.end(), text,
      [](const Spelling& entry, std::string_view key) { return entry.text < key; });
  if (found == entries.end() || found->text != text) return std::nullopt;
  return static_cast<Word>(found->index);
}

}  // namespace

std::optional<Opcode> opcode_of(std::string_view spelling) {
  return find<Opcode>(kOpcodesByText, spelling);
}

std::optional<Modifier> modifier_of(std::string_view spelling) {
  return find<Modifier>(kModifiersByText, spelling);
}

std::string_view spelling(Opcode opcode) { return kOpcodes.at(static_cast<std::size_t>(opcode)); }

std::string_view spelling(Modifier modifier) {
  return kModifiers.at(static_cast<std::size_t>(modifier));
}

}  // namespace emulator::ptx
