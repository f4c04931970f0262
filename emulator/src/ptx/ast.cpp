#include "ptx/ast.h"

#include <algorithm>

namespace emulator::ptx {
namespace {

template <typename Named>
const Named* find_named(const std::vector<Named>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &Named::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::string Error::located() const {
  return "line " + std::to_string(where_.line) + ", column " + std::to_string(where_.column) +
         ": " + what();
}

unsigned bits(Type type) {
  switch (type) {
    case Type::none:
      return 0;
    case Type::pred:
    case Type::b1:
      return 1;
    case Type::u2:
    case Type::s2:
      return 2;
    case Type::b4:
    case Type::u4:
    case Type::s4:
    case Type::e2m1:
      return 4;
    case Type::e2m3:
    case Type::e3m2:
      return 6;
    case Type::b8:
    case Type::u8:
    case Type::s8:
    case Type::e4m3:
    case Type::e5m2:
    case Type::ue4m3:
    case Type::ue8m0:
    case Type::e2m1x2:
      return 8;
    case Type::b16:
    case Type::u16:
    case Type::s16:
    case Type::f16:
    case Type::bf16:
    case Type::e4m3x2:
    case Type::e5m2x2:
    case Type::e2m3x2:
    case Type::e3m2x2:
    case Type::ue8m0x2:
    case Type::e2m1x4:
      return 16;
    case Type::b32:
    case Type::u32:
    case Type::s32:
    case Type::f32:
    case Type::tf32:
    case Type::f16x2:
    case Type::bf16x2:
    case Type::u16x2:
    case Type::s16x2:
    case Type::u8x4:
    case Type::s8x4:
    case Type::e2m3x4:
    case Type::e3m2x4:
    case Type::e4m3x4:
    case Type::e5m2x4:
      return 32;
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f64:
    case Type::f32x2:
      return 64;
    case Type::b128:
      return 128;
  }
  return 0;
}

bool is_signed(Type type) {
  switch (type) {
    case Type::s2:
    case Type::s4:
    case Type::s8:
    case Type::s16:
    case Type::s32:
    case Type::s64:
    case Type::s16x2:
    case Type::s8x4:
      return true;
    default:
      return false;
  }
}

bool is_half(Type type) { return type == Type::f16 || type == Type::bf16; }

bool is_half_pair(Type type) { return type == Type::f16x2 || type == Type::bf16x2; }

bool is_float(Type type) {
  switch (type) {
    case Type::f16:
    case Type::f16x2:
    case Type::bf16:
    case Type::bf16x2:
    case Type::tf32:
    case Type::f32:
    case Type::f32x2:
    case Type::f64:
    case Type::e4m3:
    case Type::e5m2:
    case Type::e4m3x2:
    case Type::e5m2x2:
    case Type::e4m3x4:
    case Type::e5m2x4:
    case Type::e2m1:
    case Type::e2m3:
    case Type::e3m2:
    case Type::ue4m3:
    case Type::ue8m0:
    case Type::e2m1x2:
    case Type::e2m3x2:
    case Type::e3m2x2:
    case Type::ue8m0x2:
    case Type::e2m1x4:
    case Type::e2m3x4:
    case Type::e3m2x4:
      return true;
    default:
      return false;
  }
}

bool Instruction::has(Modifier modifier) const {
  return std::ranges::find(modifiers, modifier) != modifiers.end();
}

const Function* Module::find_function(const std::string& name) const {
  return find_named(functions, name);
}

const Variable* Module::find_variable(const std::string& name) const {
  return find_named(variables, name);
}

bool same_call(const Function& a, const Function& b) {
  const auto same_sizes = [](const std::vector<Variable>& one, const std::vector<Variable>& other) {
    return std::ranges::equal(one, other, {}, &Variable::size, &Variable::size);
  };
  return a.entry == b.entry && same_sizes(a.parameters, b.parameters) &&
         same_sizes(a.returns, b.returns);
}

}  // namespace emulator::ptx
