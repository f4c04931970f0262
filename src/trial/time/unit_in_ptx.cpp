#include "trial/time/unit_in_ptx.h"

#include <algorithm>
#include <array>
#include <vector>

namespace autokernel::trial {
namespace {

using driver::Unit;

// Opcodes of PTX text, one after the other. Comments, strings, directives, labels, predicates and
// operands are passed over.
class Opcodes {
 public:
  explicit Opcodes(std::string_view ptx) : left_(ptx) {}

  // Empty at the end.
  [[nodiscard]] std::string_view next() {
    while (!at_begin_of_statement().empty()) {
      if (left_.front() == '.') {
        pass_directive();
      } else if (left_.front() == '@') {
        take_word();
      } else if (const std::string_view word = take_word(); word.empty()) {
        left_.remove_prefix(1);
      } else if (word.back() != ':') {
        pass_to(";");
        return word;
      }
    }
    return {};
  }

 private:
  // What is left, without blanks, comments and the brackets of blocks before it.
  std::string_view at_begin_of_statement() {
    for (;;) {
      left_.remove_prefix(std::min(left_.find_first_not_of(" \t\r\n{}();,"), left_.size()));
      if (left_.starts_with("//")) {
        pass_behind("\n");
      } else if (left_.starts_with("/*")) {
        left_.remove_prefix(2);
        pass_behind("*/");
      } else {
        return left_;
      }
    }
  }
  void pass_behind(std::string_view end) {
    const std::size_t at = left_.find(end);
    left_.remove_prefix(at == std::string_view::npos ? left_.size() : at + end.size());
  }
  // To one of those characters, outside of comments and strings.
  void pass_to(std::string_view ends) {
    while (!left_.empty() && ends.find(left_.front()) == std::string_view::npos) {
      if (left_.starts_with("//")) {
        left_.remove_prefix(std::min(left_.find('\n'), left_.size()));
      } else if (left_.starts_with("/*")) {
        left_.remove_prefix(2);
        pass_behind("*/");
      } else if (left_.front() == '"') {
        left_.remove_prefix(1);
        pass_behind("\"");
      } else {
        left_.remove_prefix(1);
      }
    }
  }
  // Many end with their line, such as .loc; what begins a function ends at its body.
  void pass_directive() { pass_to("\n;{"); }
  std::string_view take_word() {
    const std::size_t end = std::min(left_.find_first_of(" \t\r\n{}();,\"/[]"), left_.size());
    const std::string_view word = left_.substr(0, end);
    left_.remove_prefix(end);
    return word;
  }

  std::string_view left_;
};

using Parts = std::vector<std::string_view>;

[[nodiscard]] Parts parts_of(std::string_view opcode) {
  Parts parts;
  for (std::size_t begin = 0; begin <= opcode.size();) {
    const std::size_t end = std::min(opcode.find('.', begin), opcode.size());
    parts.push_back(opcode.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

[[nodiscard]] bool is_matrix_product(const Parts& parts) {
  if (parts[0] == "mma") return true;
  if (parts.size() < 2) return false;
  return (parts[0] == "wmma" && parts[1] == "mma") ||
         (parts[0] == "wgmma" && parts[1] == "mma_async") ||
         (parts[0] == "tcgen05" && parts[1] == "mma");
}

struct Named {
  std::string_view name;
  Unit unit;
};
// Of the types that tensor cores multiply. Those of four and six bits go at the rate of fp8, unless
// the kind of the product says otherwise.
constexpr std::array kInputs = {Named{"f16", Unit::tensor_fp16},  Named{"bf16", Unit::tensor_bf16},
                                Named{"tf32", Unit::tensor_tf32}, Named{"f64", Unit::tensor_fp64},
                                Named{"e4m3", Unit::tensor_fp8},  Named{"e5m2", Unit::tensor_fp8},
                                Named{"e3m2", Unit::tensor_fp8},  Named{"e2m3", Unit::tensor_fp8},
                                Named{"e2m1", Unit::tensor_fp8},  Named{"s8", Unit::tensor_int8},
                                Named{"u8", Unit::tensor_int8},   Named{"s4", Unit::tensor_int4},
                                Named{"u4", Unit::tensor_int4}};
// kind::f16 takes bf16 as well: which of the two is in a register.
constexpr std::array kKinds = {
    Named{"kind::f16", Unit::tensor_fp16},    Named{"kind::tf32", Unit::tensor_tf32},
    Named{"kind::f8f6f4", Unit::tensor_fp8},  Named{"kind::mxf8f6f4", Unit::tensor_fp8},
    Named{"kind::i8", Unit::tensor_int8},     Named{"kind::mxf4", Unit::tensor_fp4},
    Named{"kind::mxf4nvf4", Unit::tensor_fp4}};

template <typename Names>
[[nodiscard]] std::optional<Unit> named(const Names& names, std::string_view name) {
  const auto* const found = std::ranges::find(names, name, &Named::name);
  if (found == names.end()) return std::nullopt;
  return found->unit;
}

[[nodiscard]] std::optional<Unit> by_kind(const Parts& parts) {
  for (const std::string_view part : parts) {
    if (const auto unit = named(kKinds, part)) return unit;
  }
  return std::nullopt;
}

// The result's type comes first, then those of the inputs; wmma leaves out that they are f16.
[[nodiscard]] std::optional<Unit> by_types(const Parts& parts) {
  Parts types;
  for (const std::string_view part : parts) {
    if (part == "f32" || part == "s32" || named(kInputs, part)) types.push_back(part);
  }
  if (types.size() < 2) return std::nullopt;
  const auto unit = types.size() == 2 ? Unit::tensor_fp16 : named(kInputs, types[1]);
  if (types[0] != "f16") return unit;
  if (unit == Unit::tensor_fp16) return Unit::tensor_fp16_in_fp16;
  return unit == Unit::tensor_fp8 ? Unit::tensor_fp8_in_fp16 : unit;
}

[[nodiscard]] std::optional<Unit> tensor_unit(const Parts& parts) {
  const auto kind = by_kind(parts);
  // Beside a kind that says no more than the types do, these say what sums are in.
  if (kind && *kind != Unit::tensor_fp8) return kind;
  const auto types = by_types(parts);
  return types ? types : kind;
}

// What one instruction of one thread does.
struct Scalar {
  Unit unit;
  int operations;
};
struct ScalarType {
  std::string_view name;
  Unit unit;
  int lanes;
};
constexpr std::array kScalarTypes = {
    ScalarType{"f32", Unit::fp32, 1},    ScalarType{"f32x2", Unit::fp32, 2},
    ScalarType{"f64", Unit::fp64, 1},    ScalarType{"f16", Unit::fp16, 1},
    ScalarType{"f16x2", Unit::fp16, 2},  ScalarType{"bf16", Unit::bf16, 1},
    ScalarType{"bf16x2", Unit::bf16, 2}, ScalarType{"s32", Unit::int32, 1},
    ScalarType{"u32", Unit::int32, 1}};

[[nodiscard]] std::optional<Scalar> scalar(const Parts& parts) {
  constexpr std::array kOnce = {"add", "sub", "mul"};
  constexpr std::array kTwice = {"fma", "mad"};
  if (parts[0] == "dp4a") return Scalar{Unit::dp4a, 8};
  const bool twice = std::ranges::find(kTwice, parts[0]) != kTwice.end();
  if (!twice && std::ranges::find(kOnce, parts[0]) == kOnce.end()) return std::nullopt;
  for (const std::string_view part : parts) {
    const auto* const type = std::ranges::find(kScalarTypes, part, &ScalarType::name);
    if (type != kScalarTypes.end()) return Scalar{type->unit, (twice ? 2 : 1) * type->lanes};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Unit> unit_in_ptx(std::string_view ptx, Integers integers) {
  std::optional<Unit> tensor;
  std::array<long, driver::kUnits> operations{};
  const auto count_of = [&](Unit unit) -> long& {
    return operations.at(static_cast<std::size_t>(unit));
  };
  // PTX has none that is half as long.
  constexpr std::size_t kLongestOpcode = 256;
  Opcodes opcodes(ptx);
  for (std::string_view opcode = opcodes.next(); !opcode.empty(); opcode = opcodes.next()) {
    if (opcode.size() > kLongestOpcode) continue;
    const Parts parts = parts_of(opcode);
    if (is_matrix_product(parts)) {
      const auto unit = tensor_unit(parts);
      if (unit && (!tensor || *unit < *tensor)) tensor = unit;
    } else if (const auto found = scalar(parts)) {
      count_of(found->unit) += found->operations;
    }
  }
  if (tensor) return tensor;
  constexpr std::array kFloating = {Unit::fp32, Unit::fp16, Unit::bf16, Unit::fp64};
  const Unit most = *std::ranges::max_element(kFloating, {}, count_of);
  if (count_of(most) > 0) return most;
  if (integers == Integers::are_indices) return std::nullopt;
  if (count_of(Unit::dp4a) > 0) return Unit::dp4a;
  if (count_of(Unit::int32) > 0) return Unit::int32;
  return std::nullopt;
}

}  // namespace autokernel::trial
