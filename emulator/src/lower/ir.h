// Writes textual LLVM IR. A value is either one scalar or 32 lanes of one element type; operations
// take values of equal shape and give one of that shape, so that the code that lowers an
// instruction is the same for both.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace emulator::lower {

struct Value {
  std::string name;     // "%12", "7", "<i32 0, ...>"
  std::string element;  // "i32", "float", "ptr"
  unsigned lanes = 1;   // 1 or 32 (or, inside a load's shuffles, any other number)

  [[nodiscard]] std::string type() const;
  [[nodiscard]] std::string typed() const { return type() + " " + name; }
};

// "i32" or "<32 x i32>".
[[nodiscard]] std::string type_of(const std::string& element, unsigned lanes);
// Width of iN, half, bfloat, float, double.
[[nodiscard]] unsigned bits_of(const std::string& element);

class Ir {
 public:
  Ir() = default;
  // Another function of the module that `before` is written to: no name of the one is the other's.
  [[nodiscard]] static Ir behind(const Ir& before) {
    Ir next;
    next.next_ = before.next_;
    return next;
  }

  // A new label, unique in the function.
  [[nodiscard]] std::string label(const std::string& stem);
  void begin_block(const std::string& label);
  void line(const std::string& text);
  // Emits "%n = text" and gives it back as a value of this shape.
  Value define(const std::string& text, const std::string& element, unsigned lanes);

  [[nodiscard]] static Value constant(std::uint64_t value, const std::string& element,
                                      unsigned lanes);
  [[nodiscard]] static Value lane_constants(std::span<const std::int64_t> values,
                                            const std::string& element);
  // A floating-point constant by its IEEE bits.
  Value float_constant(std::uint64_t bits, const std::string& element, unsigned lanes);
  Value splat(const Value& scalar, unsigned lanes);

  Value binary(const std::string& operation, const Value& a, const Value& b);
  Value binary(const std::string& operation, const Value& a, std::uint64_t constant);
  Value compare(const std::string& predicate, const Value& a,
                const Value& b);  // "icmp slt", "fcmp olt"
  Value compare(const std::string& predicate, const Value& a, std::uint64_t constant);
  Value select(const Value& condition, const Value& a, const Value& b);
  Value cast(const std::string& operation, const Value& value, const std::string& element);
  // zext, sext or trunc to this width, or nothing.
  Value resize(const Value& value, const std::string& element, bool is_signed);
  Value bitcast(const Value& value, const std::string& element);
  // A call of an LLVM intrinsic that is overloaded on its result type; declares it.
  Value intrinsic(const std::string& name, const std::vector<Value>& arguments,
                  const std::string& element, unsigned lanes);
  // Which value, by the block control comes from; stands before anything else in its block.
  Value phi(const Value& a, const std::string& from_a, const Value& b, const std::string& from_b);
  Value extract(const Value& vector, unsigned lane);
  Value extract(const Value& vector, const Value& lane);
  // The lowest lane of a mask; 32 where it has none.
  Value lowest_lane(const Value& mask);
  Value insert(const Value& vector, const Value& scalar, unsigned lane);
  // Lanes picked by index from the two vectors laid end to end; -1: does not matter.
  Value shuffle(const Value& a, const Value& b, std::span<const int> picks);
  // <32 x i1> as the bits of an i32, lane 0 lowest, and back.
  Value to_mask(const Value& predicate);
  Value from_mask(const Value& mask);

  Value pointer_offset(const Value& pointer, std::uint64_t bytes);
  Value pointer_add(const Value& pointer, const Value& offset);
  Value load(const Value& pointer, const std::string& element, unsigned lanes, unsigned alignment,
             bool is_volatile = false);
  void store(const Value& value, const Value& pointer, unsigned alignment,
             bool is_volatile = false);
  // A stack slot, allocated in the entry block.
  Value slot(const std::string& element, unsigned lanes);
  // An address at a distance from a pointer that the function was given.
  Value fixed_offset(const Value& pointer, std::uint64_t bytes);
  // The address of constants, 8 bytes each.
  Value table(std::span<const std::uint64_t> numbers);
  // So many bytes of the stack, zeros on entry, that stay memory: what is in them is no value that
  // LLVM follows.
  Value area(std::uint64_t bytes);

  void declare(const std::string& declaration);
  // The address of data that the linker places.
  Value external(const std::string& name, std::uint64_t alignment);
  void jump(const std::string& target);
  // A branch; `unlikely` marks the way to the first target as cold.
  void branch(const Value& condition, const std::string& if_true, const std::string& if_false,
              bool unlikely = false);

  // The function of all that was written, behind `header`: "void @f(ptr %a)".
  [[nodiscard]] std::string function(const std::string& header) const;
  [[nodiscard]] const std::set<std::string>& declarations() const { return declarations_; }

 private:
  std::string slots_;
  std::string body_;
  std::set<std::string> declarations_;
  unsigned next_ = 0;
};

// A module of these functions.
[[nodiscard]] std::string module_text(const std::set<std::string>& declarations,
                                      const std::string& functions);

// A 32-bit constant, as entry points of the runtime take them.
[[nodiscard]] inline Value number(std::uint64_t value) { return Ir::constant(value, "i32", 1); }

}  // namespace emulator::lower
