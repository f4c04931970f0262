#include "lower/claims.h"

#include <fmt/format.h>

#include <algorithm>

#include "lower/effects.h"
#include "lower/writer.h"
#include "runtime/claims.h"

namespace emulator::lower {
namespace {

// Whether the form says anything that may turn out to be wrong of a register of this type: of a
// thread alone, not that its lanes are alike.
bool says_something(const Form& form, ptx::Type type, bool by_thread) {
  if (form.kind != Form::Kind::affine || ptx::bits(type) > 64) return false;
  const bool any_number = form.range == full_range(ptx::bits(type)) && form.trailing_zeros == 0;
  return !by_thread || !any_number;
}

// In the order of runtime::Claim.
std::vector<std::uint64_t> words_of(const Form& form, ptx::Type type, std::uint32_t index,
                                    std::uint32_t line) {
  std::vector<std::uint64_t> words = {ptx::bits(type),
                                      static_cast<std::uint64_t>(form.range.low),
                                      static_cast<std::uint64_t>(form.range.high),
                                      form.trailing_zeros,
                                      index,
                                      line};
  for (const std::int64_t offset : form.offset) words.push_back(static_cast<std::uint64_t>(offset));
  return words;
}

void compare(Writer& writer, const std::vector<Form>& forms, const ptx::Instruction& instruction,
             const std::vector<std::uint32_t>& registers) {
  Ir& ir = writer.ir;
  for (const std::uint32_t r : registers) {
    const ptx::Type type = writer.function().registers.at(r).type;
    // Registers that only the code of a meeting has are not the program's.
    if (r >= forms.size() || !says_something(forms[r], type, writer.by_thread())) continue;
    const unsigned lanes = writer.analysis().forms[r].is_vector() ? kLanes : 1;
    const Value value = writer.read_register(r, lanes);
    const Value bits = ir.bitcast(value, fmt::format("i{}", bits_of(value.element)));
    ir.store(ir.splat(ir.resize(bits, "i64", false), kLanes), writer.value_area(0), 64);
    const Value claim = ir.table(words_of(forms[r], type, r, instruction.where.line));
    writer.call("emu_claim", {writer.mask(), claim});
  }
}

}  // namespace

void compare_read(Writer& writer, const std::vector<Form>& forms,
                  const ptx::Instruction& instruction) {
  writer.expect_bits_of(instruction);
  compare(writer, forms, instruction, effects_of(instruction).reads);
}

void compare_written(Writer& writer, const std::vector<Form>& forms,
                     const ptx::Instruction& instruction) {
  compare(writer, forms, instruction, effects_of(instruction).writes);
}

}  // namespace emulator::lower
