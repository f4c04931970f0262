#include "lower/instruction_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "lower/word_rules.h"
#include "lower/writer.h"
#include "ptx/opcode_facts.h"

namespace emulator::lower {
namespace {

using ptx::Modifier;

template <typename Item>
bool contains(const std::vector<Item>& items, Item item) {
  return std::ranges::find(items, item) != items.end();
}

bool is_word_of(const Pattern& pattern, Modifier word) {
  return contains(pattern.one, word) || contains(pattern.may, word) || contains(pattern.all, word);
}

bool has_types_of(const Pattern& pattern, const ptx::Instruction& instruction) {
  if (pattern.types.empty()) return instruction.types.empty();
  if (!contains(pattern.types, instruction.type())) return false;
  if (pattern.results.empty()) return instruction.types.size() == 1;
  return instruction.types.size() == 2 && contains(pattern.results, instruction.types.front());
}

bool fits(const Pattern& pattern, const ptx::Instruction& instruction) {
  const auto has = [&](Modifier word) { return instruction.has(word); };
  return std::ranges::all_of(pattern.all, has) &&
         std::ranges::count_if(pattern.one, has) == (pattern.one.empty() ? 0 : 1) &&
         std::ranges::all_of(instruction.modifiers,
                             [&](Modifier word) { return is_word_of(pattern, word); });
}

bool has_pattern(const WordRule& rule, const ptx::Instruction& instruction) {
  return rule.has_pattern == nullptr ? !rule.patterns.empty() : rule.has_pattern(instruction);
}

void require_pattern(const Patterns& patterns, const ptx::Instruction& instruction) {
  std::vector<const Pattern*> of_types;
  for (const Pattern& pattern : patterns) {
    if (!has_types_of(pattern, instruction)) continue;
    if (fits(pattern, instruction)) return;
    of_types.push_back(&pattern);
  }
  if (of_types.empty()) unsupported(instruction, "it is not defined for this type");
  for (const Modifier word : instruction.modifiers) {
    const auto has_word = [&](const Pattern* pattern) { return is_word_of(*pattern, word); };
    if (std::ranges::none_of(of_types, has_word)) {
      unsupported(instruction, fmt::format("'.{}' is not, for this type", ptx::spelling(word)));
    }
  }
  unsupported(instruction, "a word is missing, or some do not go together");
}

}  // namespace

void require_known_words(const ptx::Instruction& instruction) {
  const bool takes_parts = ptx::facts_of(instruction.opcode).group == ptx::Group::video;
  for (const ptx::Operand& operand : instruction.operands) {
    if (operand.selector && !takes_parts) {
      unsupported(instruction, "a part of a register is an operand of video instructions alone");
    }
  }
  const WordRule& rule = word_rule(instruction.opcode);
  if (rule.lacking != nullptr) unsupported(instruction, rule.lacking);
  if (rule.any) return;
  if (has_pattern(rule, instruction)) return require_pattern(rule.patterns, instruction);
  for (const Modifier word : instruction.modifiers) {
    if (contains(rule.words, word)) continue;
    unsupported(instruction, fmt::format("'.{}' is not", ptx::spelling(word)));
  }
}

}  // namespace emulator::lower
