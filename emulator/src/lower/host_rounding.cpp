#include "lower/host_rounding.h"

#include <fmt/format.h>

#include <numeric>

namespace emulator::lower {
namespace {

// As the instructions' immediate operand has it: without exceptions, and the rounding (Intel's
// Intrinsics Guide, _MM_FROUND_*).
unsigned immediate(Rounding rounding) {
  switch (rounding) {
    case Rounding::down:
      return 9;
    case Rounding::up:
      return 10;
    case Rounding::zero:
      return 11;
    default:
      return 8;
  }
}

std::vector<int> lanes_from(unsigned first, unsigned count) {
  std::vector<int> lanes(count);
  std::iota(lanes.begin(), lanes.end(), static_cast<int>(first));
  return lanes;
}

// Two vectors of the same length as one, until one is left.
Value joined(Ir& ir, std::vector<Value> parts) {
  while (parts.size() > 1) {
    std::vector<Value> wider;
    for (std::size_t i = 0; i < parts.size(); i += 2) {
      wider.push_back(ir.shuffle(parts[i], parts[i + 1], lanes_from(0, parts[i].lanes * 2)));
    }
    parts = wider;
  }
  return parts[0];
}

}  // namespace

std::optional<Value> rounded_by_host(Ir& ir, const std::string& operation,
                                     const std::vector<Value>& operands, Rounding rounding) {
  static const bool kHasIt = __builtin_cpu_supports("avx512f") != 0;
  const Value& first = operands.at(0);
  if (!kHasIt || first.lanes == 1) return std::nullopt;
  const bool wide = first.element == "double";
  const unsigned width = wide ? 8 : 16;
  const std::string type = fmt::format("<{} x {}>", width, first.element);
  const std::string name = fmt::format("@llvm.x86.avx512.{}.{}.512", operation, wide ? "pd" : "ps");
  std::string types;
  for (std::size_t i = 0; i < operands.size(); ++i) types += type + ", ";
  ir.declare(fmt::format("declare {} {}({}i32)", type, name, types));
  std::vector<Value> parts;
  for (unsigned lane = 0; lane < first.lanes; lane += width) {
    std::string arguments;
    for (const Value& operand : operands) {
      arguments += ir.shuffle(operand, operand, lanes_from(lane, width)).typed() + ", ";
    }
    parts.push_back(
        ir.define(fmt::format("call {} {}({}i32 {})", type, name, arguments, immediate(rounding)),
                  first.element, width));
  }
  return joined(ir, parts);
}

}  // namespace emulator::lower
