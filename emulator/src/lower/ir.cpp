#include "lower/ir.h"

#include <fmt/format.h>

#include "runtime/abi.h"

namespace emulator::lower {
namespace {

// The spelling of an integer constant in LLVM: i1 is true or false, the rest are read as signed.
std::string integer_text(std::uint64_t value, const std::string& element) {
  if (element == "i1") return (value & 1U) != 0 ? "true" : "false";
  if (element == "ptr") return value == 0 ? "null" : fmt::format("inttoptr (i64 {} to ptr)", value);
  const unsigned unused = 64 - std::min(64U, bits_of(element));
  return fmt::format("{}", static_cast<std::int64_t>(value << unused) >> unused);
}

std::string vector_text(const std::string& element, const std::vector<std::string>& items) {
  std::string text = "<";
  for (const std::string& item : items) {
    if (text.size() > 1) text += ", ";
    text.append(element).append(" ").append(item);
  }
  return text + ">";
}

bool is_float(const std::string& element) {
  return element == "float" || element == "double" || element == "half" || element == "bfloat";
}

std::string intrinsic_suffix(const std::string& element, unsigned lanes) {
  std::string name = element;
  if (element == "float") name = "f32";
  if (element == "double") name = "f64";
  if (element == "half") name = "f16";
  return lanes == 1 ? name : fmt::format("v{}{}", lanes, name);
}

}  // namespace

std::string type_of(const std::string& element, unsigned lanes) {
  return lanes == 1 ? element : fmt::format("<{} x {}>", lanes, element);
}

unsigned bits_of(const std::string& element) {
  if (element == "float") return 32;
  if (element == "double" || element == "ptr") return 64;
  if (element == "half" || element == "bfloat") return 16;
  return static_cast<unsigned>(std::stoul(element.substr(1)));
}

std::string Value::type() const { return type_of(element, lanes); }

std::string Ir::label(const std::string& stem) { return fmt::format("{}.{}", stem, next_++); }
void Ir::begin_block(const std::string& label) { body_ += label + ":\n"; }
void Ir::line(const std::string& text) { body_ += "  " + text + "\n"; }

Value Ir::define(const std::string& text, const std::string& element, unsigned lanes) {
  Value value{fmt::format("%v{}", next_++), element, lanes};
  body_ += fmt::format("  {} = {}\n", value.name, text);
  return value;
}

Value Ir::constant(std::uint64_t value, const std::string& element, unsigned lanes) {
  const std::string text = integer_text(value, element);
  if (lanes == 1) return {text, element, 1};
  if (value == 0) return {"zeroinitializer", element, lanes};
  return {vector_text(element, std::vector<std::string>(lanes, text)), element, lanes};
}

Value Ir::lane_constants(std::span<const std::int64_t> values, const std::string& element) {
  std::vector<std::string> items;
  items.reserve(values.size());
  for (const std::int64_t v : values)
    items.push_back(integer_text(static_cast<std::uint64_t>(v), element));
  return {vector_text(element, items), element, static_cast<unsigned>(values.size())};
}

Value Ir::float_constant(std::uint64_t bits, const std::string& element, unsigned lanes) {
  return bitcast(constant(bits, fmt::format("i{}", bits_of(element)), lanes), element);
}

Value Ir::splat(const Value& scalar, unsigned lanes) {
  if (scalar.lanes == lanes) return scalar;
  const Value first = define(fmt::format("insertelement {} poison, {}, i32 0",
                                         type_of(scalar.element, lanes), scalar.typed()),
                             scalar.element, lanes);
  return define(fmt::format("shufflevector {0}, {1} poison, <{2} x i32> zeroinitializer",
                            first.typed(), first.type(), lanes),
                scalar.element, lanes);
}

Value Ir::binary(const std::string& operation, const Value& a, const Value& b) {
  return define(fmt::format("{} {}, {}", operation, a.typed(), b.name), a.element, a.lanes);
}
Value Ir::binary(const std::string& operation, const Value& a, std::uint64_t c) {
  return binary(operation, a, constant(c, a.element, a.lanes));
}
Value Ir::compare(const std::string& predicate, const Value& a, const Value& b) {
  return define(fmt::format("{} {}, {}", predicate, a.typed(), b.name), "i1", a.lanes);
}
Value Ir::compare(const std::string& predicate, const Value& a, std::uint64_t c) {
  return compare(predicate, a, constant(c, a.element, a.lanes));
}
Value Ir::select(const Value& condition, const Value& a, const Value& b) {
  return define(fmt::format("select {}, {}, {}", condition.typed(), a.typed(), b.typed()),
                a.element, a.lanes);
}
Value Ir::cast(const std::string& operation, const Value& value, const std::string& element) {
  return define(fmt::format("{} {} to {}", operation, value.typed(), type_of(element, value.lanes)),
                element, value.lanes);
}
Value Ir::resize(const Value& value, const std::string& element, bool is_signed) {
  const unsigned from = bits_of(value.element);
  const unsigned to = bits_of(element);
  if (from == to) return bitcast(value, element);
  return cast(from > to ? "trunc" : (is_signed ? "sext" : "zext"), value, element);
}
Value Ir::bitcast(const Value& value, const std::string& element) {
  return value.element == element ? value : cast("bitcast", value, element);
}

Value Ir::intrinsic(const std::string& name, const std::vector<Value>& arguments,
                    const std::string& element, unsigned lanes) {
  const std::string full = fmt::format("@llvm.{}.{}", name, intrinsic_suffix(element, lanes));
  std::string types;
  std::string values;
  for (const Value& argument : arguments) {
    types += (types.empty() ? "" : ", ") + argument.type();
    values += (values.empty() ? "" : ", ") + argument.typed();
  }
  declare(fmt::format("declare {} {}({})", type_of(element, lanes), full, types));
  return define(fmt::format("call {} {}({})", type_of(element, lanes), full, values), element,
                lanes);
}

Value Ir::phi(const Value& a, const std::string& from_a, const Value& b,
              const std::string& from_b) {
  return define(
      fmt::format("phi {} [ {}, %{} ], [ {}, %{} ]", a.type(), a.name, from_a, b.name, from_b),
      a.element, a.lanes);
}

Value Ir::extract(const Value& vector, unsigned lane) {
  return define(fmt::format("extractelement {}, i32 {}", vector.typed(), lane), vector.element, 1);
}
Value Ir::extract(const Value& vector, const Value& lane) {
  return define(fmt::format("extractelement {}, {}", vector.typed(), lane.typed()), vector.element,
                1);
}
Value Ir::lowest_lane(const Value& mask) {
  declare("declare i32 @llvm.cttz.i32(i32, i1)");
  return define(fmt::format("call i32 @llvm.cttz.i32({}, i1 false)", mask.typed()), "i32", 1);
}
Value Ir::insert(const Value& vector, const Value& scalar, unsigned lane) {
  return define(fmt::format("insertelement {}, {}, i32 {}", vector.typed(), scalar.typed(), lane),
                vector.element, vector.lanes);
}

Value Ir::shuffle(const Value& a, const Value& b, std::span<const int> picks) {
  std::vector<std::string> items;
  items.reserve(picks.size());
  for (const int pick : picks) items.push_back(pick < 0 ? "poison" : fmt::format("{}", pick));
  const auto lanes = static_cast<unsigned>(picks.size());
  return define(fmt::format("shufflevector {}, {}, <{} x i32> {}", a.typed(), b.typed(), lanes,
                            vector_text("i32", items)),
                a.element, lanes);
}

Value Ir::to_mask(const Value& predicate) {
  return define(fmt::format("bitcast {} to i32", predicate.typed()), "i32", 1);
}
Value Ir::from_mask(const Value& mask) {
  return define(fmt::format("bitcast {} to <32 x i1>", mask.typed()), "i1", runtime::kWarpSize);
}

Value Ir::pointer_offset(const Value& pointer, std::uint64_t bytes) {
  if (bytes == 0) return pointer;
  return define(fmt::format("getelementptr i8, {}, i64 {}", pointer.typed(), bytes), "ptr", 1);
}
Value Ir::pointer_add(const Value& pointer, const Value& offset) {
  return define(fmt::format("getelementptr i8, {}, {}", pointer.typed(), offset.typed()), "ptr", 1);
}
Value Ir::load(const Value& pointer, const std::string& element, unsigned lanes, unsigned alignment,
               bool is_volatile) {
  return define(fmt::format("load {}{}, {}, align {}", is_volatile ? "volatile " : "",
                            type_of(element, lanes), pointer.typed(), alignment),
                element, lanes);
}
void Ir::store(const Value& value, const Value& pointer, unsigned alignment, bool is_volatile) {
  line(fmt::format("store {}{}, {}, align {}", is_volatile ? "volatile " : "", value.typed(),
                   pointer.typed(), alignment));
}

Value Ir::slot(const std::string& element, unsigned lanes) {
  Value value{fmt::format("%s{}", next_++), "ptr", 1};
  const std::string type = type_of(element, lanes);
  slots_ += fmt::format("  {0} = alloca {1}, align 64\n  store {1} {2}, ptr {0}, align 64\n",
                        value.name, type,
                        lanes == 1 && !is_float(element)
                            ? (element == "ptr" ? "null" : (element == "i1" ? "false" : "0"))
                            : (lanes == 1 ? "0.0" : "zeroinitializer"));
  return value;
}

Value Ir::fixed_offset(const Value& pointer, std::uint64_t bytes) {
  const Value value{fmt::format("%s{}", next_++), "ptr", 1};
  slots_ +=
      fmt::format("  {} = getelementptr i8, {}, i64 {}\n", value.name, pointer.typed(), bytes);
  return value;
}

Value Ir::table(std::span<const std::uint64_t> numbers) {
  const std::vector<std::int64_t> items(numbers.begin(), numbers.end());
  const Value value{fmt::format("@table{}", next_++), "ptr", 1};
  std::string text;
  for (const std::int64_t item : items)
    text += fmt::format("{}i64 {}", text.empty() ? "" : ", ", item);
  declare(fmt::format("{} = private unnamed_addr constant [{} x i64] [{}], align 8", value.name,
                      items.size(), text));
  return value;
}

Value Ir::area(std::uint64_t bytes) {
  const Value value{fmt::format("%s{}", next_++), "ptr", 1};
  declare("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)");
  // The empty assembly might do anything with the address.
  slots_ += fmt::format(
      "  {0}.raw = alloca [{1} x i8], align 64\n"
      "  call void @llvm.memset.p0.i64(ptr {0}.raw, i8 0, i64 {1}, i1 false)\n"
      "  {0} = call ptr asm \"\", \"=r,0\"(ptr {0}.raw)\n",
      value.name, bytes);
  return value;
}

void Ir::declare(const std::string& declaration) { declarations_.insert(declaration); }
Value Ir::external(const std::string& name, std::uint64_t alignment) {
  Value value{fmt::format("@\"{}\"", name), "ptr", 1};
  declare(fmt::format("{} = external global i8, align {}", value.name, alignment));
  return value;
}
void Ir::jump(const std::string& target) { line("br label %" + target); }
void Ir::branch(const Value& condition, const std::string& if_true, const std::string& if_false,
                bool unlikely) {
  line(fmt::format("br i1 {}, label %{}, label %{}{}", condition.name, if_true, if_false,
                   unlikely ? ", !prof !0" : ""));
}

std::string Ir::function(const std::string& header) const {
  // A frame larger than the guard below the stack is probed page by page, so that no register of a
  // kernel that has too many lies in somebody else's memory.
  return fmt::format(
      "define {} nounwind noredzone \"probe-stack\"=\"inline-asm\" {{\nentry:\n{}{}}}\n", header,
      slots_, body_);
}

std::string module_text(const std::set<std::string>& declarations, const std::string& functions) {
  std::string text;
  for (const std::string& declaration : declarations) text += declaration + "\n";
  return text + functions + "!0 = !{!\"branch_weights\", i32 1, i32 100000}\n";
}

}  // namespace emulator::lower
